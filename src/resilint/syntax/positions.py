"""Exact offsets of nodes, by adding up the lengths of everything that LibCST would write.

LibCST keeps no positions; its ``PositionProvider`` generates the whole code again and takes two to four times as long
as the parse. Here one function a node class adds lengths: ``f(node, offset) -> offset behind it``, and the offsets of
wanted nodes are put down on the way. The functions are compiled from :data:`LAYOUT`, which says for every node class
what stands in it in the order in which it is written; a test holds it to LibCST's own order.

The language of a layout, an item a word:

=============  =========================================================================
``'text'``     that text
``.field``     a node
``?field``     a node, ``None``, or LibCST's sentinel
``*field``     a sequence of nodes
``$field``     a string (``None`` and the sentinel are empty)
``~field``     white space, in which there may be lines and comments
``-field``     white space of one line
``-?field``    white space of either kind, ``None``, or the sentinel
``%field``     a sequence of empty lines
``( ... )``    the node's own parentheses; its position lies within them
``< ... >``    the position that is recorded for the node
``{ ... }``    the same, for a node of which only the header counts; ``}`` stands behind the colon
``!field``     a name (or nothing) whose own position is recorded
``^field``     any expression, its position within its own parentheses recorded
``|``          the indentation of the current block
=============  =========================================================================
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import libcst as cst

from resilint.domain import Span

_new = tuple.__new__
_BLANK = re.compile(r"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n)|[ \t\f]*\\(?:\r\n?|\n))*[ \t\f]*")
"""Everything up to the first token."""
_LINE_END = re.compile(r"\r\n?|\n")

BINARY = {
    "Add": "+",
    "Subtract": "-",
    "Multiply": "*",
    "Divide": "/",
    "FloorDivide": "//",
    "Modulo": "%",
    "Power": "**",
    "LeftShift": "<<",
    "RightShift": ">>",
    "BitOr": "|",
    "BitAnd": "&",
    "BitXor": "^",
    "MatrixMultiply": "@",
}
"""Class and spelling of the binary operators."""

COMPARISON = {
    "LessThan": "<",
    "GreaterThan": ">",
    "Equal": "==",
    "LessThanEqual": "<=",
    "GreaterThanEqual": ">=",
    "In": "in",
    "Is": "is",
}

_SEQUENCE = "( *elements )"

LAYOUT: dict[str, str] = {
    # Operators and punctuation
    **{name: f"~whitespace_before '{text}' ~whitespace_after" for name, text in {**BINARY, **COMPARISON}.items()},
    **{f"{name}Assign": f"~whitespace_before '{text}=' ~whitespace_after" for name, text in BINARY.items()},
    "NotEqual": "~whitespace_before $value ~whitespace_after",
    "NotIn": "~whitespace_before 'not' ~whitespace_between 'in' ~whitespace_after",
    "IsNot": "~whitespace_before 'is' ~whitespace_between 'not' ~whitespace_after",
    "And": "~whitespace_before 'and' ~whitespace_after",
    "Or": "~whitespace_before 'or' ~whitespace_after",
    "Plus": "'+' ~whitespace_after",
    "Minus": "'-' ~whitespace_after",
    "BitInvert": "'~' ~whitespace_after",
    "Not": "'not' ~whitespace_after",
    "Comma": "~whitespace_before ',' ~whitespace_after",
    "Semicolon": "~whitespace_before ';' ~whitespace_after",
    "Colon": "~whitespace_before ':' ~whitespace_after",
    "Dot": "~whitespace_before '.' ~whitespace_after",
    "AssignEqual": "~whitespace_before '=' ~whitespace_after",
    "ImportStar": "'*'",
    "LeftParen": "'(' ~whitespace_after",
    "RightParen": "~whitespace_before ')'",
    "LeftSquareBracket": "'[' ~whitespace_after",
    "RightSquareBracket": "~whitespace_before ']'",
    "LeftCurlyBrace": "'{' ~whitespace_after",
    "RightCurlyBrace": "~whitespace_before '}'",
    "Asynchronous": "'async' ~whitespace_after",
    # Expressions
    "Name": "( $value )",
    "Ellipsis": "( '...' )",
    "Integer": "( $value )",
    "Float": "( $value )",
    "Imaginary": "( $value )",
    "SimpleString": "( < $value > )",
    "ConcatenatedString": "( .left ~whitespace_between .right )",
    "FormattedString": "( < $start *parts $end > )",
    "FormattedStringText": "$value",
    "TemplatedString": "( $start *parts $end )",
    "TemplatedStringText": "$value",
    "Comparison": "( .left *comparisons )",
    "ComparisonTarget": ".operator .comparator",
    "UnaryOperation": "( .operator .expression )",
    "BinaryOperation": "( .left .operator .right )",
    "BooleanOperation": "( .left .operator .right )",
    "Attribute": "( < .value .dot .attr > )",
    "Index": "$star -?whitespace_after_star .value",
    "Slice": "?lower .first_colon ?upper ?second_colon ?step",
    "SubscriptElement": ".slice ?comma",
    "Subscript": "( .value ~whitespace_after_value .lbracket *slice .rbracket )",
    "ParamStar": "'*' .comma",
    "ParamSlash": "'/' ~whitespace_after ?comma",
    "Param": "$star ~whitespace_after_star .name ?annotation ?equal ?default ?comma ~whitespace_after_param",
    "Parameters": "*posonly_params ?posonly_ind *params ?star_arg *kwonly_params ?star_kwarg",
    "Lambda": "( < 'lambda' -?whitespace_after_lambda .params .colon ^body > )",
    "Arg": "$star ~whitespace_after_star ?keyword ?equal .value ?comma ~whitespace_after_arg",
    "Call": "( < .func ~whitespace_after_func '(' ~whitespace_before_args *args ')' > )",
    "Await": "( < 'await' ~whitespace_after_await .expression > )",
    "IfExp": "( .body ~whitespace_before_if 'if' ~whitespace_after_if .test"
    " ~whitespace_before_else 'else' ~whitespace_after_else .orelse )",
    "From": "-?whitespace_before_from 'from' ~whitespace_after_from .item",
    "Yield": "( < 'yield' -?whitespace_after_yield ?value > )",
    "Element": ".value ?comma",
    "DictElement": ".key ~whitespace_before_colon ':' ~whitespace_after_colon .value ?comma",
    "StarredElement": "( '*' ~whitespace_before_value .value ) ?comma",
    "StarredDictElement": "'**' ~whitespace_before_value .value ?comma",
    "Tuple": _SEQUENCE,
    "List": "( .lbracket *elements .rbracket )",
    "Set": "( .lbrace *elements .rbrace )",
    "Dict": "( .lbrace *elements .rbrace )",
    "CompIf": "~whitespace_before 'if' ~whitespace_before_test .test",
    "CompFor": "~whitespace_before < ?asynchronous 'for' ~whitespace_after_for .target ~whitespace_before_in 'in'"
    " ~whitespace_after_in .iter > *ifs ?inner_for_in",
    "GeneratorExp": "( .elt .for_in )",
    "ListComp": "( .lbracket .elt .for_in .rbracket )",
    "SetComp": "( .lbrace .elt .for_in .rbrace )",
    "DictComp": "( .lbrace .key ~whitespace_before_colon ':' ~whitespace_after_colon .value .for_in .rbrace )",
    "StarredDictComp": "( .lbrace '**' ~whitespace_before_value .value .for_in .rbrace )",
    "NamedExpr": "( < .target ~whitespace_before_walrus ':=' ~whitespace_after_walrus .value > )",
    # Small statements
    "Del": "< 'del' -whitespace_after_del .target > ?semicolon",
    "Pass": "< 'pass' > ?semicolon",
    "Break": "< 'break' > ?semicolon",
    "Continue": "< 'continue' > ?semicolon",
    "Return": "< 'return' -?whitespace_after_return ?value > ?semicolon",
    "Expr": "< .value > ?semicolon",
    "ImportAlias": "< .name ?asname > ?comma",
    "AsName": "~whitespace_before_as 'as' ~whitespace_after_as .name",
    "Import": "< 'import' -whitespace_after_import *names > ?semicolon",
    "LazyImport": "< 'lazy' -whitespace_after_lazy 'import' -whitespace_after_import *names > ?semicolon",
    "ImportFrom": "< 'from' -whitespace_after_from *relative ?module -whitespace_before_import 'import'"
    " -whitespace_after_import ?lpar *names ?rpar > ?semicolon",
    "LazyImportFrom": "< 'lazy' -whitespace_after_lazy 'from' -whitespace_after_from *relative ?module"
    " -whitespace_before_import 'import' -whitespace_after_import ?lpar *names ?rpar > ?semicolon",
    "AssignTarget": "< .target > -whitespace_before_equal '=' -whitespace_after_equal",
    "Assign": "< *targets .value > ?semicolon",
    "AnnAssign": "< .target .annotation ?equal ?value > ?semicolon",
    "AugAssign": "< .target .operator .value > ?semicolon",
    "Raise": "< 'raise' -?whitespace_after_raise ?exc ?cause > ?semicolon",
    "Assert": "< 'assert' -whitespace_after_assert .test ?comma ?msg > ?semicolon",
    "NameItem": ".name ?comma",
    "Global": "< 'global' -whitespace_after_global *names > ?semicolon",
    "Nonlocal": "< 'nonlocal' -whitespace_after_nonlocal *names > ?semicolon",
    "TypeAlias": "< 'type' -whitespace_after_type .name -?whitespace_after_name ?type_parameters"
    " -?whitespace_after_type_parameters '=' -whitespace_after_equals .value > ?semicolon",
    "TypeVar": ".name ?colon ?bound",
    "TypeVarTuple": "'*' -whitespace_after_star .name",
    "ParamSpec": "'**' -whitespace_after_star .name",
    "TypeParam": ".param ?equal $star -whitespace_after_star ?default ?comma",
    "TypeParameters": ".lbracket *params .rbracket",
    # Compound statements
    "SimpleStatementSuite": "-leading_whitespace *body .trailing_whitespace",
    "Else": "%leading_lines | 'else' -whitespace_before_colon ':' .body",
    "Finally": "%leading_lines | 'finally' -whitespace_before_colon ':' .body",
    "Try": "%leading_lines | 'try' -whitespace_before_colon ':' .body *handlers ?orelse ?finalbody",
    "TryStar": "%leading_lines | 'try' -whitespace_before_colon ':' .body *handlers ?orelse ?finalbody",
    "ExceptHandler": "%leading_lines | { 'except' -whitespace_after_except ?type ?name"
    " -whitespace_before_colon ':' } .body",
    "ExceptStarHandler": "%leading_lines | { 'except' -whitespace_after_except '*' -whitespace_after_star .type ?name"
    " -whitespace_before_colon ':' } .body",
    "WithItem": "^item ?asname ?comma",
    "With": "%leading_lines | { ?asynchronous 'with' -whitespace_after_with ?lpar *items ?rpar"
    " -whitespace_before_colon ':' } .body",
    "For": "%leading_lines | { ?asynchronous 'for' -whitespace_after_for .target -whitespace_before_in 'in'"
    " -whitespace_after_in .iter -whitespace_before_colon ':' } .body ?orelse",
    "While": "%leading_lines | { 'while' -whitespace_after_while .test -whitespace_before_colon ':' } .body ?orelse",
    "Decorator": "%leading_lines | '@' -whitespace_after_at ^decorator .trailing_whitespace",
    "ClassDef": "%leading_lines *decorators %lines_after_decorators | { 'class' -whitespace_after_class !name"
    " -whitespace_after_name ?type_parameters -whitespace_after_type_parameters ?lpar *bases *keywords ?rpar"
    " -whitespace_before_colon ':' } .body",
    "FunctionDef": "%leading_lines *decorators %lines_after_decorators | { ?asynchronous 'def'"
    " -whitespace_after_def !name -whitespace_after_name ?type_parameters -whitespace_after_type_parameters"
    " '(' ~whitespace_before_params .params ')' ?returns -whitespace_before_colon ':' } .body",
    "MatchCase": "%leading_lines | { 'case' -whitespace_after_case .pattern -?whitespace_before_if &guard"
    " -whitespace_before_colon ':' } .body",
    # Patterns
    "MatchValue": ".value",
    "MatchSingleton": ".value",
    "MatchSequenceElement": ".value ?comma",
    "MatchStar": "'*' ~whitespace_before_name &star ?comma",
    "MatchList": "( ?lbracket *patterns ?rbracket )",
    "MatchTuple": "( *patterns )",
    "MatchMappingElement": ".key ~whitespace_before_colon ':' ~whitespace_after_colon .pattern ?comma",
    "MatchMapping": "( .lbrace *elements &rest .rbrace )",
    "MatchKeywordElement": ".key ~whitespace_before_equal '=' ~whitespace_after_equal .pattern ?comma",
    "MatchClass": "( .cls ~whitespace_after_cls '(' ~whitespace_before_patterns *patterns *kwds"
    " ~whitespace_after_kwds ')' )",
    "MatchAs": "( &as )",
    "MatchOrElement": ".pattern ?separator",
    "MatchOr": "( *patterns )",
}
"""What stands in a node, in the order in which it is written."""

_SPECIAL = {
    "guard": """
    if n.guard is None:
        x = n.whitespace_after_if
        p = p + len(x.value) if x.__class__ is SimpleWhitespace else _space(x, p)
    else:
        p += 2
        x = n.whitespace_after_if
        p = p + len(x.value) if x.__class__ is SimpleWhitespace else _space(x, p)
        c = n.guard
        p = D[c.__class__](c, p)
""",
    "star": """
    if n.name is None:
        p += 1
    else:
        at[id(n.name)] = (p, p + len(n.name.value))
        p += len(n.name.value)
""",
    "rest": """
    if n.rest is not None:
        p = _space(n.whitespace_before_rest, p + 2)
        at[id(n.rest)] = (p, p + len(n.rest.value))
        p += len(n.rest.value)
        c = n.trailing_comma
        if c is not None:
            p = D[c.__class__](c, p)
""",
    "as": """
    if n.pattern is not None:
        c = n.pattern
        p = D[c.__class__](c, p)
        p = _space(n.whitespace_before_as, p) + 2
        p = _space(n.whitespace_after_as, p)
    if n.name is None:
        p += 1
    else:
        at[id(n.name)] = (p, p + len(n.name.value))
        p += len(n.name.value)
""",
}
"""What no layout can say; ``&name`` in a layout."""

_PRELUDE = """
def make(at, comments, default_indent, default_newline, text):
    indent = 0
    last = 0

    def _space(n, p):
        if n.__class__ is SimpleWhitespace:
            return p + len(n.value)
        p = _trailing(n.first_line, p)
        for line in n.empty_lines:
            p = _empty(line, p)
        if n.indent:
            p += indent
        return p + len(n.last_line.value)

    def _empty(n, p):
        if n.indent:
            p += indent
        p += len(n.whitespace.value)
        c = n.comment
        if c is not None:
            c = c.value
            if "resilint:" in c:
                comments.append((p, c))
            p += len(c)
        v = n.newline.value
        return p + (default_newline if v is None else len(v))

    def _trailing(n, p):
        p += len(n.whitespace.value)
        c = n.comment
        if c is not None:
            c = c.value
            if "resilint:" in c:
                comments.append((p, c))
            p += len(c)
        v = n.newline.value
        return p + (default_newline if v is None else len(v))

    def _annotation(n, p):
        # The same node follows a parameter (a colon) and stands behind an arrow; the caller knows which.
        x = n.whitespace_before_indicator
        if x.__class__ is SimpleWhitespace:
            p += len(x.value)
        elif x.__class__ is ParenthesizedWhitespace:
            p = _space(x, p)
        x = n.whitespace_after_indicator
        p = p + 1 + len(x.value) if x.__class__ is SimpleWhitespace else _space(x, p + 1)
        c = n.annotation
        return D[c.__class__](c, p)

    def _replacement(n, p):
        x = n.whitespace_before_expression
        p = p + 1 + len(x.value) if x.__class__ is SimpleWhitespace else _space(x, p + 1)
        c = n.expression
        p = D[c.__class__](c, p)
        c = n.equal
        if c is not None:
            p = D[c.__class__](c, p)
        x = n.whitespace_after_expression
        p = p + len(x.value) if x.__class__ is SimpleWhitespace else _space(x, p)
        if n.conversion is not None:
            p += 1 + len(n.conversion)
        if n.format_spec is not None:
            p += 1
            for c in n.format_spec:
                p = D[c.__class__](c, p)
        return p + 1

    def _skip(p):
        return _BLANK.match(text, p).end()

    def _line(n, p):
        nonlocal last
        for x in n.leading_lines:
            p = _empty(x, p)
        INDENT
        for c in n.body:
            p = D[c.__class__](c, p)
        last = at[id(c)][1] if n.body else p
        return _trailing(n.trailing_whitespace, p)

    def _block(n, p):
        nonlocal indent, last
        p = _trailing(n.header, p)
        more = default_indent if n.indent is None else len(n.indent)
        indent += more
        for c in n.body:
            p = D[c.__class__](c, p)
        for x in n.footer:
            p = _empty(x, p)
        indent -= more
        return p

    def _if(n, p, keyword=2):
        for x in n.leading_lines:
            p = _empty(x, p)
        INDENT
        s = p
        p += keyword + len(n.whitespace_before_test.value)
        c = n.test
        p = D[c.__class__](c, p)
        p += len(n.whitespace_after_test.value) + 1
        at[id(n)] = (s, p)
        c = n.body
        p = D[c.__class__](c, p)
        c = n.orelse
        if c is not None:
            f = D[c.__class__]
            p = f(c, p, 4) if c.__class__ is If else f(c, p)
        return p

    def _match(n, p):
        nonlocal indent
        for x in n.leading_lines:
            p = _empty(x, p)
        INDENT
        s = p
        p += 5 + len(n.whitespace_after_match.value)
        c = n.subject
        p = D[c.__class__](c, p)
        p += len(n.whitespace_before_colon.value) + 1
        at[id(n)] = (s, p)
        p = _trailing(n.whitespace_after_colon, p)
        more = default_indent if n.indent is None else len(n.indent)
        indent += more
        for c in n.cases:
            p = D[c.__class__](c, p)
        for x in n.footer:
            p = _empty(x, p)
        indent -= more
        return p

    def _module(n, p):
        for x in n.header:
            p = _empty(x, p)
        for c in n.body:
            p = D[c.__class__](c, p)
        for x in n.footer:
            p = _empty(x, p)
        return p
"""

_HAND_WRITTEN = {
    "SimpleWhitespace": "_space",
    "ParenthesizedWhitespace": "_space",
    "EmptyLine": "_empty",
    "TrailingWhitespace": "_trailing",
    "Annotation": "_annotation",
    "FormattedStringExpression": "_replacement",
    "TemplatedStringExpression": "_replacement",
    "SimpleStatementLine": "_line",
    "IndentedBlock": "_block",
    "If": "_if",
    "Match": "_match",
    "Module": "_module",
}

_SMALL_WHITESPACE = "p = p + len(x.value) if x.__class__ is SimpleWhitespace else _space(x, p)"


def _compiled(name: str, layout: str) -> str:
    """The source of the function for one node class."""
    lines = [f"    def {name}(n, p):"]
    if name == "SimpleStatementSuite":
        lines.append("        nonlocal last")
    add = lines.append
    words = layout.split()
    if name in ("FunctionDef", "ClassDef"):
        # The first decorator's line counts as the definition's first line.
        words.remove("%leading_lines")
        add("        for x in n.leading_lines: p = _empty(x, p)")
        add("        first = -1")
        add("        for c in n.decorators:")
        add("            for x in c.leading_lines: p = _empty(x, p)")
        add("            if first < 0: first = START")
        add("            p = Decorator(c, p)")
        words.remove("*decorators")
    if name == "Decorator":
        # Its leading lines are measured by the definition.
        words.remove("%leading_lines")
    for word in words:
        kind, field = word[0], word[1:]
        if kind == "'":
            add(f"        p += {len(field) - 1}")
        elif kind == ".":
            add(f"        c = n.{field}")
            add("        p = D[c.__class__](c, p)")
        elif kind == "?":
            add(f"        c = n.{field}")
            if field == "returns":
                add("        if c is not None: p = _annotation(c, p + 1)  # an arrow is longer than a colon")
            else:
                add("        if c is not None and c.__class__ is not MaybeSentinel: p = D[c.__class__](c, p)")
        elif kind == "*":
            if field == "names" and name in ("ImportFrom", "LazyImportFrom"):
                add("        if n.names.__class__ is ImportStar: p += 1")
                add("        else:")
                add("            for c in n.names: p = D[c.__class__](c, p)")
            else:
                add(f"        for c in n.{field}: p = D[c.__class__](c, p)")
        elif kind == "$":
            add(f"        x = n.{field}")
            add("        p += len(x)" if field == "value" else "        if x.__class__ is str: p += len(x)")
        elif kind == "~":
            add(f"        x = n.{field}")
            add(f"        {_SMALL_WHITESPACE}")
        elif kind == "-" and field[0] == "?":
            add(f"        x = n.{field[1:]}")
            add("        if x is not None and x.__class__ is not MaybeSentinel:")
            add(f"            {_SMALL_WHITESPACE}")
        elif kind == "-":
            add(f"        p += len(n.{field}.value)")
        elif kind == "%":
            add(f"        for x in n.{field}: p = _empty(x, p)")
        elif kind == "(":
            add("        if n.lpar:")
            add("            for x in n.lpar: p = _space(x.whitespace_after, p + 1)")
        elif kind == ")":
            add("        if n.rpar:")
            add("            for x in n.rpar: p = _space(x.whitespace_before, p) + 1")
        elif kind in "<{":
            add("        s = p")
        elif kind == ">":
            add("        at[id(n)] = (s, p)")
        elif kind == "}":
            add("        at[id(n)] = (s, p)")
            add("        header = p")
        elif kind == "!":
            add(f"        x = n.{field}")
            add("        at[id(x)] = (p, p + len(x.value))")
            add("        p += len(x.value)")
        elif kind == "^":
            add(f"        c = n.{field}")
            add("        b = p")
            add("        p = D[c.__class__](c, p)")
            add("        e = p")
            add("        if c.lpar:")
            add("            k = len(comments)  # these have been seen")
            add("            for x in c.lpar: b = _space(x.whitespace_after, b + 1)")
            add("            for x in c.rpar: e = e - 1 - _space(x.whitespace_before, 0)")
            add("            del comments[k:]")
            add("        at[id(c)] = (b, e)")
        elif kind == "|":
            add("        INDENT")
        elif kind == "&":
            lines.extend("    " + line for line in _SPECIAL[field].strip("\n").splitlines())
        else:
            raise AssertionError(word)
    if name in ("FunctionDef", "ClassDef"):
        add("        at[id(n)] = (s if first < 0 else first, s, header, last)")
    if name == "SimpleStatementSuite":
        lines.insert(-2, "        last = at[id(c)][1]")
    add("        return p")
    return "\n".join(lines)


def _factory(indent: str, start: str) -> Callable[..., dict[type, Callable[[Any, int], int]]]:
    """Compiles the functions. ``indent`` goes from a line's start to its first token, ``start`` is the offset there."""
    names = [*LAYOUT, *_HAND_WRITTEN]
    namespace: dict[str, Any] = {
        name: getattr(cst, name) for name in ("SimpleWhitespace", "ParenthesizedWhitespace", "MaybeSentinel")
    }
    namespace["ImportStar"] = cst.ImportStar
    namespace["If"] = cst.If
    namespace["_BLANK"] = _BLANK
    body = [_PRELUDE]
    for name, layout in LAYOUT.items():
        body.append(_compiled("_" + name if name in namespace else name, layout))
    table = []
    for name in names:
        function = _HAND_WRITTEN.get(name) or ("_" + name if name in namespace else name)
        namespace["class_" + name] = getattr(cst, name)
        table.append(f"class_{name}: {function}")
    body.append("    D = {" + ", ".join(table) + "}")
    body.append("    return D")
    source = "\n".join(body).replace("INDENT", indent).replace("START", start)
    exec(compile(source, "<resilint.syntax.positions>", "exec"), namespace)  # only text of this module
    made: Callable[..., dict[type, Callable[[Any, int], int]]] = namespace["make"]
    return made


_make = _factory("p += indent", "p + indent")
_make_careful = _factory("p = _skip(p)", "_skip(p)")
"""For files that LibCST does not reproduce: it loses form feeds and continued lines before a line's first token.
There the text itself says where that token is."""


class Positions:
    """Where the nodes of one file stand.

    ``at`` maps a node's ``id`` to its first offset and the one behind it. For a definition these are four offsets:
    the start of the first decorator, of ``def`` or ``class``, the one behind the header's colon, and the end of the
    last statement.
    """

    __slots__ = ("_functions", "_lines", "at", "comments")

    def __init__(self, module: cst.Module, text: str) -> None:
        self.at: dict[int, Any] = {}
        self.comments: list[tuple[int, str]] = []
        self._lines = line_starts(text)
        newline = len(module.default_newline)
        expected = len(text) if module.has_trailing_newline else len(text) + newline
        self._functions = _make(self.at, self.comments, len(module.default_indent), newline, text)
        if self._functions[cst.Module](module, 0) != expected:
            self.close()
            self.at.clear()
            self.comments.clear()
            self._functions = _make_careful(self.at, self.comments, len(module.default_indent), newline, text)
            self._functions[cst.Module](module, 0)

    def measure(self, node: cst.CSTNode, offset: int) -> None:
        """Puts down the positions in a node of another tree that stands at ``offset``, such as an annotation in a
        string.
        """
        self._functions[node.__class__](node, offset)

    def close(self) -> None:
        """Lets go of the functions, which know each other: where the collector is off, they would stay for ever."""
        self._functions.clear()

    def line(self, offset: int) -> int:
        return bisect_right(self._lines, offset)

    def span(self, begin: int, end: int) -> Span:
        """Offsets as lines and columns."""
        lines = self._lines
        line = bisect_right(lines, begin)
        column = begin - lines[line - 1] + 1
        last = line if line == len(lines) or end < lines[line] else bisect_right(lines, end)
        # Every second step has a span; this is half the time of Span(...).
        return _new(Span, (line, column, last, end - lines[last - 1] + 1))


def line_starts(text: str) -> list[int]:
    """The offset of every line's first character. Lines end as in Python: with LF, CRLF, or CR."""
    if text.isascii():
        # Only of bytes does splitlines() know no other line ends.
        starts = list(accumulate(map(len, text.encode("ascii").splitlines(True)), initial=0))
        if len(starts) > 1 and text[-1] not in "\r\n":
            del starts[-1]
        return starts
    return [0, *(match.end() for match in _LINE_END.finditer(text))]

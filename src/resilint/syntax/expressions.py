"""Expressions to values, and what evaluating them does to steps.

``visit_X`` returns the value of an ``X`` and appends its steps to ``self.steps`` in the order in which Python
evaluates them.
"""

# ruff: noqa: N802  (a visitor is called as the class is)

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Sequence as Collection
from typing import Any
from unicodedata import normalize

import libcst as cst

from resilint.facts import (
    Arithmetic,
    Attribute,
    Await,
    Awaited,
    Bind,
    Boolean,
    Branch,
    Choice,
    Compare,
    Constant,
    Format,
    Invoke,
    Load,
    Loop,
    LoopKind,
    Mapping,
    Negative,
    Not,
    Parameter,
    ParameterKind,
    Reference,
    Result,
    Return,
    Scope,
    ScopeValue,
    Sequence,
    SequenceKind,
    Site,
    Slice,
    Spread,
    Step,
    Subscript,
    Text,
    Value,
    Written,
    Yield,
    Yielded,
)
from resilint.facts.module import Argument
from resilint.syntax.literals import UNKNOWN, float_value, integer_value, string_parts, string_value, unescape
from resilint.syntax.positions import BINARY, COMPARISON, Positions
from resilint.syntax.scopes import Frame
from resilint.syntax.written import looks_like_sql, written

NONE = Constant(None)
_CONSTANTS = {"None": NONE, "True": Constant(True), "False": Constant(False)}
_YIELDED = Yielded()
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")

_OPERATORS: dict[type, str] = {getattr(cst, name): text for name, text in BINARY.items()}
_COMPARISONS: dict[type, str] = {
    **{getattr(cst, name): text for name, text in COMPARISON.items()},
    cst.NotEqual: "!=",
    cst.NotIn: "not in",
    cst.IsNot: "is not",
}

LONGEST_CHAIN = 100
"""Longer chains of operators are text assembled or data; their value is unknown, their steps are not."""
LONGEST_DISPLAY = 2000
"""Displays with more items are tables of data."""
LONGEST_ANNOTATION = 1000
"""Longer strings are no annotations. It also keeps LibCST, which ends the process where brackets nest too deeply,
safe.
"""
LONGEST_TEXT = 20_000
"""Longer strings are documents."""


class Expressions:
    """The part of the lowering of one file that knows expressions, with the state that all parts share."""

    def __init__(self, module: cst.Module, text: str, positions: Positions) -> None:
        self.text = text
        self.positions = positions
        self.at = positions.at
        self.span = positions.span
        self.is_ascii = text.isascii()
        self.frame = Frame("module", "", None, 0)
        self.steps: list[Step] = []
        self.scopes: list[Scope | None] = [None]
        self.renamed: dict[str, str] = {}
        """Comprehension variables that are in scope, and what they are called in the facts."""
        self.modules: set[str] = set()
        """Names that stand for imported modules, as far as has been read: reading their attributes runs nothing of
        note.
        """
        self.statement = 1
        """The line on which the current simple statement or header starts."""
        self.kept: list[cst.CSTNode] = []
        """Trees of annotations in strings: positions go by identity, so they live as long as the file's tree."""
        self.annotating = False
        """An annotation is being read: strings are expressions, attributes are no loads."""
        self.table: dict[type, Callable[[Any], Value]] = {
            getattr(cst, name[6:]): getattr(self, name) for name in dir(type(self)) if name.startswith("visit_")
        }

    def value(self, node: cst.CSTNode) -> Value:
        return self.table[node.__class__](node)

    def name(self, node: cst.Name) -> str:
        """An identifier as Python compares them."""
        return node.value if self.is_ascii else normalize("NFKC", node.value)

    # Names and literals

    def visit_Name(self, node: cst.Name) -> Value:
        name = node.value
        constant = _CONSTANTS.get(name)
        if constant is not None:
            return constant
        if not self.is_ascii:
            name = normalize("NFKC", name)
        if self.renamed:
            name = self.renamed.get(name, name)
        return Reference(name)

    def visit_Integer(self, node: cst.Integer) -> Value:
        return integer_value(node.value)

    def visit_Float(self, node: cst.Float) -> Value:
        return float_value(node.value)

    def visit_Imaginary(self, node: cst.Imaginary) -> Value:
        return UNKNOWN

    def visit_Ellipsis(self, node: cst.Ellipsis) -> Value:
        return UNKNOWN

    def visit_SimpleString(self, node: cst.SimpleString) -> Value:
        literal = node.value
        if self.annotating:
            return self.forward_reference(node)
        if len(literal) > LONGEST_TEXT:
            return UNKNOWN
        value = string_value(literal)
        if looks_like_sql(value.value):
            begin, end = self.at[id(node)]
            return Text(value.value, value.is_bytes, written(self.text, begin, end, self.positions))
        return value

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> Value:
        parts: list[Value] = []
        part: cst.BaseExpression = node
        annotating, self.annotating = self.annotating, False
        while part.__class__ is cst.ConcatenatedString:
            self._string_part(part.left, parts)
            part = part.right
        self._string_part(part, parts)
        place = self._place(parts, node, part)
        self.annotating = annotating
        if len(parts) == 1:
            value = parts[0]
            if annotating and isinstance(value, Text) and not value.is_bytes:
                return self.parsed_annotation(value.value, -1)
            return Text(value.value, value.is_bytes, place) if place and isinstance(value, Text) else value
        return Format(tuple(parts), place)

    def _place(self, parts: list[Value], node: cst.CSTNode, last: cst.CSTNode) -> Written | None:
        """Where a string of these parts stands, if it looks like SQL; ``node`` is its first literal or holds it."""
        if not looks_like_sql(" x ".join([part.value for part in parts if isinstance(part, Text)])):
            return None
        while node.__class__ is cst.ConcatenatedString:
            node = node.left
        if id(node) not in self.at or id(last) not in self.at:
            return None
        return written(self.text, self.at[id(node)][0], self.at[id(last)][1], self.positions)

    def _string_part(self, node: cst.CSTNode, parts: list[Value]) -> None:
        value = self.value(node)
        new = value.parts if isinstance(value, Format) else (value,)
        for part in new:
            if parts and isinstance(part, Text):
                before = parts[-1]
                if isinstance(before, Text) and before.is_bytes == part.is_bytes:
                    parts[-1] = Text(before.value + part.value, part.is_bytes)
                    continue
            parts.append(part)

    def visit_FormattedString(self, node: cst.FormattedString) -> Value:
        value = self._format(node.parts, node.start)
        place = self._place(list(value.parts), node, node)
        return Format(value.parts, place) if place else value

    def visit_TemplatedString(self, node: cst.TemplatedString) -> Value:
        return self._format(node.parts, node.start)

    def _format(self, nodes: Collection[cst.CSTNode], start: str) -> Format:
        annotating, self.annotating = self.annotating, False
        raw = "r" in start or "R" in start
        parts: list[Value] = []
        for part in nodes:
            if isinstance(part, (cst.FormattedStringText, cst.TemplatedStringText)):
                text = part.value.replace("{{", "{").replace("}}", "}")
                parts.append(Text(text if raw else unescape(text)))
            elif isinstance(part, (cst.FormattedStringExpression, cst.TemplatedStringExpression)):
                parts.append(self.value(part.expression))
                if part.format_spec:
                    self._format(part.format_spec, start)
        self.annotating = annotating
        return Format(tuple(parts))

    # Operators

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> Value:
        operator = node.operator.__class__
        value = self.value(node.expression)
        if operator is cst.Minus:
            return value.value if isinstance(value, Negative) else Negative(value)
        if operator is cst.Not:
            if isinstance(value, Not) and isinstance(value.value, Not):
                return value.value
            return Not(value)
        return value if operator is cst.Plus else UNKNOWN

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> Value:
        left: cst.BaseExpression = node.left
        if left.__class__ is not cst.BinaryOperation:
            value = self.value(left)
            return Arithmetic(_OPERATORS[node.operator.__class__], value, self.value(node.right))
        chain = [node]
        while left.__class__ is cst.BinaryOperation:
            chain.append(left)
            left = left.left
        value = self.value(left)
        for link in reversed(chain):
            value = Arithmetic(_OPERATORS[link.operator.__class__], value, self.value(link.right))
        return value if len(chain) <= LONGEST_CHAIN else UNKNOWN

    def visit_BooleanOperation(self, node: cst.BooleanOperation) -> Value:
        operator = node.operator.__class__
        operands = [node.right]
        left: cst.BaseExpression = node.left
        while left.__class__ is cst.BooleanOperation and left.operator.__class__ is operator:
            operands.append(left.right)
            left = left.left
        operands.append(left)
        operands.reverse()
        return self._boolean(operands, operator is cst.And)

    def _boolean(self, operands: list[cst.BaseExpression], conjunction: bool) -> Value:
        values = [self.value(operands[0])]
        steps = self.steps
        parts: list[list[Step]] = []
        for operand in operands[1:]:
            self.steps = []
            values.append(self.value(operand))
            parts.append(self.steps)
        self.steps = steps
        rest: list[Step] = []
        for test, part in zip(reversed(values[:-1]), reversed(parts), strict=True):
            part.extend(rest)
            rest = []
            if part:
                rest.append(Branch(test, tuple(part), ()) if conjunction else Branch(test, (), tuple(part)))
        steps.extend(rest)
        if len(values) > LONGEST_CHAIN:
            return UNKNOWN
        return Boolean("and" if conjunction else "or", tuple(values))

    def visit_Comparison(self, node: cst.Comparison) -> Value:
        left = self.value(node.left)
        comparisons = node.comparisons
        target = comparisons[0]
        right = self.value(target.comparator)
        first = Compare(_COMPARISONS[target.operator.__class__], left, right)
        if len(comparisons) == 1:
            return first
        values: list[Value] = [first]
        steps = self.steps
        parts: list[list[Step]] = []
        for target in comparisons[1:]:
            left = right
            self.steps = []
            right = self.value(target.comparator)
            parts.append(self.steps)
            values.append(Compare(_COMPARISONS[target.operator.__class__], left, right))
        self.steps = steps
        rest: list[Step] = []
        for test, part in zip(reversed(values[:-1]), reversed(parts), strict=True):
            part.extend(rest)
            rest = [Branch(test, tuple(part), ())] if part else []
        steps.extend(rest)
        return Boolean("and", tuple(values)) if len(values) <= LONGEST_CHAIN else UNKNOWN

    def visit_IfExp(self, node: cst.IfExp) -> Value:
        test = self.value(node.test)
        steps = self.steps
        body_steps: list[Step] = []
        self.steps = body_steps
        body = self.value(node.body)
        orelse_steps: list[Step] = []
        self.steps = orelse_steps
        orelse = self.value(node.orelse)
        self.steps = steps
        if body_steps or orelse_steps:
            steps.append(Branch(test, tuple(body_steps), tuple(orelse_steps)))
        return Choice(test, body, orelse)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> Value:
        value = self.value(node.value)
        target = self.target(node.target)
        self.steps.append(Bind(target, value, None, self.span(*self.at[id(node)])))
        return target

    # Attributes and subscripts

    def visit_Attribute(self, node: cst.Attribute) -> Value:
        receiver = self.value(node.value)
        name = node.attr.value if self.is_ascii else normalize("NFKC", node.attr.value)
        value = Attribute(receiver, name)
        if not self.annotating:
            while receiver.__class__ is Attribute:
                receiver = receiver.value
            if receiver.__class__ is not Reference or receiver.name not in self.modules:
                self.steps.append(Load(value, self.span(*self.at[id(node)])))
        return value

    def visit_Subscript(self, node: cst.Subscript) -> Value:
        value = self.value(node.value)
        if self.annotating:
            base = value.name if isinstance(value, (Reference, Attribute)) else ""
            if base == "Literal":
                self.annotating = False
                index = self._index(node.slice)
                self.annotating = True
                return Subscript(value, index)
            if base == "Annotated":
                return Subscript(value, self._metadata(node.slice))
        return Subscript(value, self._index(node.slice))

    def _index(self, elements: Collection[cst.SubscriptElement]) -> Value:
        if len(elements) == 1 and elements[0].comma.__class__ is not cst.Comma:
            element = elements[0].slice
            value = self.value(element)
            return Sequence("tuple", (value,)) if value.__class__ is Spread else value
        return Sequence("tuple", tuple([self.value(element.slice) for element in elements]))

    def _metadata(self, elements: Collection[cst.SubscriptElement]) -> Value:
        """The index of ``Annotated``: only the first element is a type."""
        values = []
        for element in elements:
            values.append(self.value(element.slice))
            self.annotating = False
        self.annotating = True
        return Sequence("tuple", tuple(values)) if len(values) != 1 else values[0]

    def visit_Index(self, node: cst.Index) -> Value:
        value = self.value(node.value)
        return Spread(value) if node.star is not None else value

    def visit_Slice(self, node: cst.Slice) -> Value:
        return Slice(
            None if node.lower is None else self.value(node.lower),
            None if node.upper is None else self.value(node.upper),
            None if node.step is None else self.value(node.step),
        )

    # Calls

    def visit_Call(self, node: cst.Call) -> Value:
        return self.call(node, False, False)

    def call(self, node: cst.Call, awaited: bool, dropped: bool) -> Result:
        annotating, self.annotating = self.annotating, False
        function = node.func
        callee: Value
        if function.__class__ is cst.Attribute:
            receiver = self.value(function.value)
            name = function.attr.value
            callee = Attribute(receiver, name if self.is_ascii else normalize("NFKC", name))
        else:
            callee = self.value(function)
        arguments = self.arguments(node.args) if node.args else ()
        self.annotating = annotating
        sites = self.frame.sites
        index = len(sites)
        sites.append(Site(callee, arguments, self.span(*self.at[id(node)]), awaited, dropped, self.statement))
        self.steps.append(Invoke(index))
        return Result(index)

    def arguments(self, args: Collection[cst.Arg]) -> tuple[Argument, ...]:
        """In the order written; Python evaluates keywords last."""
        made: list[Argument] = []
        table = self.table
        keywords = -1
        """How many steps there were before the first keyword."""
        for arg in args:
            keyword = arg.keyword
            value = arg.value
            if keyword is not None:
                name = keyword.value if self.is_ascii else normalize("NFKC", keyword.value)
            else:
                name = arg.star
                if keywords >= 0 and name != "**":
                    made.append(Argument(name, self._before(keywords, value)))
                    continue
            if keywords < 0 and name and name != "*":
                keywords = len(self.steps)
            made.append(Argument(name, table[value.__class__](value)))
        return tuple(made)

    def _before(self, mark: int, node: cst.BaseExpression) -> Value:
        """The value of ``*node`` behind a keyword: its steps come before those of the keywords, which start at
        ``mark``.
        """
        steps, self.steps = self.steps, []
        value = self.value(node)
        steps[mark:mark] = self.steps
        self.steps = steps
        return value

    def visit_Await(self, node: cst.Await) -> Value:
        return self.awaited(node, False)

    def awaited(self, node: cst.Await, dropped: bool) -> Value:
        expression = node.expression
        value = self.call(expression, True, dropped) if isinstance(expression, cst.Call) else self.value(expression)
        self.steps.append(Await(value, self.span(*self.at[id(node)])))
        return Awaited(value)

    def visit_Yield(self, node: cst.Yield) -> Value:
        self.frame.is_generator = True
        operand = node.value
        value: Value | None = None
        if isinstance(operand, cst.From):
            value = self.value(operand.item)
        elif operand is not None:
            value = self.value(operand)
        self.steps.append(Yield(value, self.span(*self.at[id(node)]), isinstance(operand, cst.From)))
        return _YIELDED

    # Displays

    def visit_Tuple(self, node: cst.Tuple) -> Value:
        return self._display("tuple", node.elements)

    def visit_List(self, node: cst.List) -> Value:
        return self._display("list", node.elements)

    def visit_Set(self, node: cst.Set) -> Value:
        return self._display("set", node.elements)

    def _display(self, kind: SequenceKind, elements: Collection[cst.BaseElement]) -> Value:
        table = self.table
        values = tuple([table[element.__class__](element) for element in elements])
        return Sequence(kind, values) if len(values) <= LONGEST_DISPLAY else UNKNOWN

    def visit_Element(self, node: cst.Element) -> Value:
        return self.table[node.value.__class__](node.value)

    def visit_StarredElement(self, node: cst.StarredElement) -> Value:
        return Spread(self.value(node.value))

    def visit_Dict(self, node: cst.Dict) -> Value:
        table = self.table
        items: list[tuple[Value | None, Value]] = []
        for element in node.elements:
            value = element.value
            if isinstance(element, cst.DictElement):
                key = table[element.key.__class__](element.key)
                items.append((key, table[value.__class__](value)))
            else:
                items.append((None, table[value.__class__](value)))
        return Mapping(tuple(items)) if len(items) <= LONGEST_DISPLAY else UNKNOWN

    # Comprehensions

    def visit_ListComp(self, node: cst.ListComp) -> Value:
        return self._comprehension("comprehension", "list", node.for_in, (node.elt,))

    def visit_SetComp(self, node: cst.SetComp) -> Value:
        return self._comprehension("comprehension", "set", node.for_in, (node.elt,))

    def visit_GeneratorExp(self, node: cst.GeneratorExp) -> Value:
        return self._comprehension("generator", "list", node.for_in, (node.elt,))

    def visit_DictComp(self, node: cst.DictComp) -> Value:
        return self._comprehension("comprehension", "list", node.for_in, (node.key, node.value))

    def visit_StarredDictComp(self, node: cst.StarredDictComp) -> Value:
        return self._comprehension("comprehension", "list", node.for_in, (node.value,), starred=True)

    def _comprehension(
        self,
        kind: LoopKind,
        sequence: SequenceKind,
        clause: cst.CompFor,
        elements: tuple[cst.BaseExpression, ...],
        starred: bool = False,
    ) -> Value:
        annotating, self.annotating = self.annotating, False
        first = self.value(clause.iter)
        outside = self.renamed
        self.frame.comprehensions += 1
        suffix = f"@{self.frame.comprehensions}"
        self.renamed = dict(outside)
        inner: cst.CompFor | None = clause
        while inner is not None:
            self._rename(inner.target, suffix)
            inner = inner.inner_for_in
        steps, self.steps = self.steps, []
        value = self._clause(kind, clause, first, elements, starred)
        steps.extend(self.steps)
        self.steps = steps
        self.renamed = outside
        self.annotating = annotating
        return Sequence(sequence, (Spread(value, kind == "generator", True),))

    def _rename(self, target: cst.CSTNode, suffix: str) -> None:
        if isinstance(target, cst.Name):
            name = self.name(target)
            self.renamed[name] = name + suffix
        elif isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._rename(element.value, suffix)
        elif isinstance(target, cst.StarredElement):
            self._rename(target.value, suffix)

    def _clause(
        self,
        kind: LoopKind,
        clause: cst.CompFor,
        subject: Value,
        elements: tuple[cst.BaseExpression, ...],
        starred: bool,
    ) -> Value:
        """Appends the loop of ``clause`` and what is inside it; returns the element."""
        steps, self.steps = self.steps, []
        target = self.target(clause.target)
        guards: list[tuple[Value, list[Step]]] = []
        for condition in clause.ifs:
            test = self.value(condition.test)
            guards.append((test, self.steps))
            self.steps = []
        inner = clause.inner_for_in
        if inner is not None:
            value = self._clause(kind, inner, self.value(inner.iter), elements, starred)
        else:
            values = tuple([self.value(element) for element in elements])
            value = Sequence("tuple", values) if len(values) > 1 else values[0]
            if starred:
                value = Spread(value)
        body = self.steps
        for test, before in reversed(guards):
            before.append(Branch(test, tuple(body), ()))
            body = before
        self.steps = steps
        steps.append(
            Loop(
                kind,
                target,
                subject,
                (),
                tuple(body),
                (),
                clause.asynchronous is not None,
                self.span(*self.at[id(clause)]),
            )
        )
        return value

    # Lambdas

    def visit_Lambda(self, node: cst.Lambda) -> Value:
        annotating, self.annotating = self.annotating, False
        parameters = self.parameters(node.params)
        frame = Frame("lambda", "<lambda>", self.frame, len(self.scopes))
        self.scopes.append(None)
        begin, end = self.at[id(node)]
        frame.span = span = self.span(begin, end)
        frame.lines = (span.line, span.line, span.end_line)
        frame.header_end = span.line
        frame.parameters = parameters
        outer, self.frame = self.frame, frame
        steps, self.steps = self.steps, []
        renamed = self.renamed
        if renamed and parameters:
            self.renamed = {name: new for name, new in renamed.items() if all(name != p.name for p in parameters)}
        hidden = self.hide(parameters)
        body = self.value(node.body)
        self.steps.append(Return(body, self.span(*self.at[id(node.body)])))
        self.modules |= hidden
        self.renamed = renamed
        self.scopes[frame.index] = frame.finished(self.steps)
        self.frame = outer
        self.steps = steps
        self.annotating = annotating
        return ScopeValue(frame.index)

    def hide(self, parameters: tuple[Parameter, ...]) -> set[str]:
        """Parameters that are called like an imported module stand for something else."""
        hidden = {parameter.name for parameter in parameters} & self.modules
        self.modules -= hidden
        return hidden

    def parameters(self, node: cst.Parameters) -> tuple[Parameter, ...]:
        """Defaults are evaluated first, those of keywords last; then the annotations."""
        found: list[tuple[cst.Param, ParameterKind]] = [(p, "positional") for p in node.posonly_params]
        found.extend([(p, "normal") for p in node.params])
        if isinstance(node.star_arg, cst.Param):
            found.append((node.star_arg, "variadic"))
        found.extend([(p, "keyword") for p in node.kwonly_params])
        if node.star_kwarg is not None:
            found.append((node.star_kwarg, "keywords"))
        if not found:
            return ()
        defaults = [None if p.default is None else self.value(p.default) for p, _ in found]
        return tuple(
            [
                Parameter(
                    self.name(p.name),
                    kind,
                    None if p.annotation is None else self.annotation(p.annotation.annotation),
                    default,
                )
                for (p, kind), default in zip(found, defaults, strict=True)
            ]
        )

    # Annotations

    def annotation(self, node: cst.BaseExpression) -> Value:
        """The value of an annotation: strings in it are read as expressions, and attributes are no loads."""
        before, self.annotating = self.annotating, True
        value = self.value(node)
        self.annotating = before
        return value

    def forward_reference(self, node: cst.SimpleString) -> Value:
        """What an annotation that is a string stands for."""
        prefix, text, offset = string_parts(node.value)
        if "b" in prefix:
            return UNKNOWN
        if "\\" in text and "r" not in prefix:
            return self.parsed_annotation(unescape(text), -1)
        return self.parsed_annotation(text, self.at[id(node)][0] + offset)

    def parsed_annotation(self, text: str, offset: int) -> Value:
        """``text`` as an expression. It stands at ``offset`` in the file; -1 if it is not in there as it is."""
        if offset >= 0:
            offset += len(text) - len(text.lstrip())
        text = text.strip()
        if _DOTTED.fullmatch(text):
            first, *rest = text.split(".")
            value: Value = _CONSTANTS.get(first) or Reference(self.renamed.get(first, first))
            for name in rest:
                value = Attribute(value, name)
            return value
        if len(text) > LONGEST_ANNOTATION or "\0" in text:
            return UNKNOWN
        if "\n" in text or "\r" in text:
            text = f"({text})"
            offset -= 1
        try:
            tree = cst.parse_expression(text)
        except Exception:  # of what cannot be parsed: LibCST raises more than its own error
            return UNKNOWN
        self.kept.append(tree)
        if offset >= 0:
            self.positions.measure(tree, offset)
        steps, self.steps = self.steps, []
        sites = len(self.frame.sites)
        scopes = len(self.scopes)
        try:
            value = self.value(tree)
            steps.extend(self.steps)
        except KeyError:
            # A call whose place is not known.
            del self.frame.sites[sites:]
            del self.scopes[scopes:]
            self.annotating = True
            value = UNKNOWN
        self.steps = steps
        return value

    # Targets

    def target(self, node: cst.CSTNode) -> Value:
        """What is bound, after the steps that find it."""
        kind = node.__class__
        if kind is cst.Name:
            name = self.name(node)  # type: ignore[arg-type]
            if name in self.modules:
                self.modules.discard(name)
            return Reference(self.renamed.get(name, name))
        if isinstance(node, cst.Attribute):
            return Attribute(self.value(node.value), self.name(node.attr))
        if isinstance(node, (cst.Tuple, cst.List)):
            items = tuple([self.target(element) for element in node.elements])
            return Sequence("tuple" if kind is cst.Tuple else "list", items)
        if isinstance(node, cst.StarredElement):
            return Spread(self.target(node.value))
        if isinstance(node, cst.Element):
            return self.target(node.value)
        return self.value(node)

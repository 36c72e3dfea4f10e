"""How deeply a file nests, found out before it is parsed.

LibCST's parser is recursive and written in Rust: where the machine's stack ends, the whole process dies. It happens
at about 1,500 nested brackets or f-strings and at 4,000 to 10,000 operators, attributes, calls or ``elif`` in a
chain; patterns of ``match`` take twice (mappings four times) as long with every bracket. Python itself refuses more
than 200 nested brackets. So what lies beyond the limits below is refused here, with a message of its own.

The text is cut at strings and comments, then at the ends of statements. Only statements that are long or open many
brackets on a line are looked at closely: the whole is to cost next to nothing beside the parse.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_BRACKETS = 200
"""Python's own limit."""
MOST_LINKS = 4000
"""Words and operators of one expression in a chain, through all brackets around it."""
MOST_BRANCHES = 3000
"""Of one ``if`` statement."""
MOST_PATTERN_BRACKETS = 10

_DEEP = 300
"""Chains from this length on may give facts that nest deeply."""
_LONG = 600
"""Shorter statements, strings aside, hold no dangerous chain."""
_MANY = 40
"""More brackets than these may be open before a statement is looked at closely."""

_STRING = re.compile(
    r"""
    \#[^\n]*
    | \"\"\" [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* \"\"\"
    | \'\'\' [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* \'\'\'
    | \" [^"\\\n]* (?: \\. [^"\\\n]* )* \"
    | \' [^'\\\n]* (?: \\. [^'\\\n]* )* \'
    """,
    re.VERBOSE | re.DOTALL,
)
"""A comment or a whole string. Every branch starts with a character of its own, so that the search skips to these."""
_FORMAT_PREFIX = re.compile(r"(?:^|\W)(?:[ft]r?|r[ft])\Z", re.IGNORECASE)
_QUOTE = re.compile(r"\"{3}|'{3}|[\"']")
_PLAIN_FIELDS = re.compile(r"(?:[^{}]|\{\{|\}\}|\{(?!\{)[^{}]{0,200}(?:\{[^{}]{0,100}\}[^{}]{0,100}){0,4}\})*")
"""An f-string whose replacement fields hold no f-string and little else."""
_IN_FIELD = re.compile(r"[\"'#(){}\[\]:!=]")
_STATEMENT = re.compile(
    r"\n(?=[ \t]*(?:def|class|return|import|raise|while|try|except|finally|assert|del|pass|global|break|continue)\b)"
)
"""Line ends before words that only a statement starts with. No expression goes on behind them, whatever the brackets
say.
"""
_BRACKET = re.compile(r"[(),;]")
_WORD = re.compile(r"\w+|[^\w\s]")
_ELIF = re.compile(r"^([ ]*)elif\b", re.MULTILINE)
_CASE = re.compile(r"^\s*case\b")


class Nesting(NamedTuple):
    """What was found. ``message`` is empty where the file can be parsed."""

    message: str = ""
    line: int = 1
    is_deep: bool = False
    """Nothing dangerous, but what is made of the file may nest deeply."""


def examine(text: str) -> Nesting:
    """Whether ``text`` can be given to the parser."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    code, message, line = _without_strings(text)
    if message:
        return Nesting(message, line)
    for opening, closing in ("[]", "{}"):
        code = code.replace(opening, "(").replace(closing, ")")
    is_deep = False
    end = 1
    for piece in _STATEMENT.split(code):
        begin = end
        end += piece.count("\n") + 1
        if len(piece) > _LONG or piece.count("(") > MOST_PATTERN_BRACKETS:
            found = _examine_piece(piece, begin)
            if found.message:
                shift = code.count("\0")
                return Nesting(found.message, _line(code, found.line)) if shift else found
            is_deep = is_deep or found.is_deep
    branches: dict[str, int] = {}
    if code.count("elif") > _MANY:
        is_deep = True
        for match in _ELIF.finditer(code):
            indentation = match[1]
            branches[indentation] = branches.get(indentation, 0) + 1
            if branches[indentation] > MOST_BRANCHES:
                line = _line(code, code.count("\n", 0, match.start()) + 1)
                return Nesting(f"nests too deeply: more than {MOST_BRANCHES} branches of elif", line)
    return Nesting(is_deep=is_deep)


def _line(code: str, number: int) -> int:
    """The line of the file that is line ``number`` of ``code``, where nulls stand for more lines."""
    return number + sum(line.count("\0") for line in code.split("\n")[: number - 1])


def _examine_piece(code: str, number: int) -> Nesting:
    """Looks at the statements of some lines, of which the first is ``number``."""
    is_deep = False
    statement: list[str] = []
    begin = number
    depth = length = most = 0
    for line in code.split("\n"):
        if not statement:
            begin = number
        statement.append(line)
        opened = line.count("(")
        if opened and depth + opened > most:
            most = depth + opened
        depth += opened - line.count(")")
        length += len(line)
        number += 1
        if depth <= 0:
            if length > _LONG or most > MOST_PATTERN_BRACKETS:
                found = _examine_statement("\n".join(statement), begin)
                if found.message:
                    return found
                is_deep = is_deep or found.is_deep
            statement.clear()
            depth = length = most = 0
    if statement:
        found = _examine_statement("\n".join(statement), begin)
        if found.message:
            return found
        is_deep = is_deep or found.is_deep
    return Nesting(is_deep=is_deep)


def _examine_statement(code: str, line: int) -> Nesting:
    code = code.replace("\0", "")
    depth, weight = _weigh(code, count_words=False)
    if depth > MOST_BRACKETS:
        return Nesting(
            f"nests too deeply: {depth} brackets within each other (at most {MOST_BRACKETS} can be read)", line
        )
    if depth > MOST_PATTERN_BRACKETS and _CASE.match(code):
        reason = f"nests too deeply: a pattern of {depth} brackets (at most {MOST_PATTERN_BRACKETS} can be read)"
        return Nesting(reason, line)
    if weight > MOST_LINKS:
        _, weight = _weigh(code, count_words=True)
        if weight > MOST_LINKS:
            return Nesting(
                "nests too deeply: an expression is too long a chain of operators, attributes or calls", line
            )
    return Nesting(is_deep=depth > _MANY or weight > _DEEP)


def _weigh(code: str, count_words: bool) -> tuple[int, int]:
    """How many brackets are open at most, and how much there is on the heaviest path into the brackets.

    A path weighs what stands beside it in the same brackets between two commas: characters or, with ``count_words``,
    words and operators.
    """
    stack: list[tuple[int, int, int]] = []
    here = inside = heaviest = last = most = 0
    for match in _BRACKET.finditer(code):
        start = match.start()
        here += len(_WORD.findall(code, last, start)) if count_words else start - last
        last = start + 1
        bracket = match[0]
        if bracket == "(":
            stack.append((here, inside, heaviest))
            here = inside = heaviest = 0
            if len(stack) > most:
                most = len(stack)
        elif bracket in ",;":
            heaviest = max(heaviest, here + inside)
            here = inside = 0
        elif stack:
            group = max(heaviest, here + inside) + 2
            here, inside, heaviest = stack.pop()
            here += 2
            inside = max(inside, group)
    here += len(_WORD.findall(code, last)) if count_words else len(code) - last
    total = max(heaviest, here + inside)
    while stack:
        here, inside, heaviest = stack.pop()
        total = max(heaviest, here + max(inside, total) + 2)
    return most, total


def _without_strings(text: str) -> tuple[str, str, int]:
    """The code outside strings and comments; lines within strings, and continued ones, become null characters.

    Replacement fields of f-strings stay, in their braces, where they are not short and simple.
    """
    pieces: list[str] = []
    position = 0
    search = _STRING.search
    while True:
        match = search(text, position)
        if match is None:
            break
        start = match.start()
        string = match[0]
        pieces.append(text[position:start])
        position = match.end()
        if string[0] == "#":
            continue
        if "{" in string and _is_format(text, start):
            quote = 3 if string.startswith(('"""', "'''")) else 1
            if not _PLAIN_FIELDS.fullmatch(string, quote, len(string) - quote):
                position, message = _format_string(text, start, pieces)
                if message:
                    return "", message, text.count("\n", 0, start) + 1
                continue
        lines = string.count("\n")
        if lines:
            pieces.append("\0" * lines)
    pieces.append(text[position:])
    code = "".join(pieces)
    return (code.replace("\\\n", "\0") if "\\" in code else code), "", 0


def _is_format(text: str, start: int) -> bool:
    """Whether the string whose quote is at ``start`` is an f-string or a t-string."""
    return _FORMAT_PREFIX.search(text[max(start - 3, 0) : start]) is not None


def _format_string(text: str, start: int, pieces: list[str]) -> tuple[int, str]:
    """Goes over an f-string of any kind from its quote on; returns the offset behind it.

    A stack of quotes (in the literal part of a string) and brackets (in a field) is kept, as nothing here is to
    recurse.
    """
    quote = _QUOTE.match(text, start)
    assert quote is not None
    stack = [quote[0]]
    position = quote.end()
    size = len(text)
    while stack and position < size:
        if len(stack) > 2 * MOST_BRACKETS:
            return (
                position,
                f"nests too deeply: brackets in f-strings within each other (at most {MOST_BRACKETS} can be read)",
            )
        top = stack[-1]
        if top[0] in "\"'" or top == ":":
            position = _literal_part(text, position, stack, pieces)
            continue
        match = _IN_FIELD.search(text, position)
        if match is None:
            return size, ""
        pieces.append(text[position : match.start()].replace("\n", "\0"))
        character = match[0]
        position = match.end()
        if character in "\"'":
            begin = match.start()
            if _is_format(text, begin):
                quote = _QUOTE.match(text, begin)
                assert quote is not None
                stack.append(quote[0])
                position = quote.end()
            else:
                string = _STRING.match(text, begin)
                position = string.end() if string is not None else position
        elif character == "#":
            end = text.find("\n", position)
            position = size if end < 0 else end
        elif character in "([{":
            stack.append(character)
            pieces.append("(")
        elif character in ")]}":
            stack.pop()
            pieces.append(")")
        elif character == ":" and top == "{" and _is_field(stack):
            stack.append(":")
        else:
            pieces.append(character)
    return position, ""


def _is_field(stack: list[str]) -> bool:
    """Whether the brace on top opens a replacement field: it stands in the literal part of a string."""
    return len(stack) > 1 and (stack[-2][0] in "\"'" or stack[-2] == ":")


def _literal_part(text: str, position: int, stack: list[str], pieces: list[str]) -> int:
    """Goes on in the literal part of an f-string, or in a format specification, up to a field or the end."""
    top = stack[-1]
    size = len(text)
    while position < size:
        character = text[position]
        if top == ":":
            if character == "}":
                # Ends the specification and its field.
                stack.pop()
                return position
            if character == "{":
                stack.append("{")
                pieces.append("(")
                return position + 1
            if character in "\"'":
                # The string ends in the midst of its field: an error, which the parser reports.
                stack.pop()
                return position
            position += 1
            continue
        if character == "\\":
            position += 2
        elif character == "{":
            if text.startswith("{{", position):
                position += 2
                continue
            stack.append("{")
            pieces.append("(")
            return position + 1
        elif text.startswith(top, position):
            stack.pop()
            return position + len(top)
        else:
            if character == "\n":
                pieces.append("\0")
            position += 1
    return size


def first_open_string(text: str) -> int:
    """The line on which a string starts that does not end."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    code, _, _ = _without_strings(text)
    place = _QUOTE.search(code)
    if place is None:
        return 1
    return code.count("\n", 0, place.start()) + code.count("\0", 0, place.start()) + 1

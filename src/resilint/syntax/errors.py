"""Where and why a file cannot be parsed, from what LibCST says of it.

LibCST names a place in its message: the start of the token *behind* the one that does not fit (its ``raw_line`` is
one too many). For errors of its tokenizer it names none, so the line is searched for.
"""

from __future__ import annotations

import re

import libcst as cst

from resilint.domain import Span
from resilint.syntax.nesting import first_open_string
from resilint.syntax.positions import line_starts

_PARSER_ERROR = re.compile(r"parser error: error at (\d+):(\d+)")
_LAST_TOKEN = re.compile(r"(?:\w{1,60}|[^\w\s])\Z")


def explained(error: cst.ParserSyntaxError, text: str) -> tuple[Span, str]:
    """The place and the reason of ``error`` in ``text``."""
    message = error.message.strip().partition("\n")[0]
    starts = line_starts(text)
    match = _PARSER_ERROR.match(message)
    if match is None:
        reason = message.removeprefix("tokenizer error: ")
        line = _line_of(text, starts, error.message, "triple-quoted" in reason)
        return Span(line, 1, line, 1), f"cannot be parsed: {reason}"
    line = min(int(match[1]), len(starts))
    offset = starts[line - 1] + int(match[2])
    before = text[:offset].rstrip()
    token = _LAST_TOKEN.search(before[-60:])
    if token is None:
        return Span(line, 1, line, 1), "cannot be parsed: invalid syntax"
    begin = len(before) - len(token[0])
    line = next((number for number in range(line, 0, -1) if starts[number - 1] <= begin), 1)
    column = begin - starts[line - 1] + 1
    return Span(line, column, line, column + len(token[0])), f"cannot be parsed: invalid syntax near {token[0]!r}"


def _line_of(text: str, starts: list[int], message: str, is_long_string: bool) -> int:
    """The first line that, with all before it, gives this error of the tokenizer."""
    if is_long_string:
        return first_open_string(text)
    low, high = 0, len(starts) - 1
    while low < high:
        middle = (low + high) // 2
        end = starts[middle + 1] if middle + 1 < len(starts) else len(text)
        try:
            cst.parse_module(text[:end])
            found = False
        except cst.ParserSyntaxError as error:
            found = error.message == message
        if found:
            high = middle
        else:
            low = middle + 1
    return low + 1

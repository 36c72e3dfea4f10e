"""What a statement says apart from its layout: the part of a fingerprint that survives reformatting.

White space, comments, quotes, brackets of a line break, trailing commas and the case of numbers are left out. It is a
lexer of its own because the tokens of :mod:`tokenize` differ between versions of Python.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\f]+|\\?\n|\#[^\n]*)
      |(?P<string>(?P<prefix>[rRbBuUfFtT]{0,3})(?P<quote>\"\"\"|'''|"|'))
      |(?P<number>(?:0[xXoObB][0-9a-fA-F_]+|[0-9][0-9_]*\.?[0-9_]*(?:[eE][+-]?[0-9_]+)?|\.[0-9][0-9_]*(?:[eE][+-]?[0-9_]+)?)[jJ]?)
      |(?P<name>\w+)
      |(?P<operator>\*\*=?|//=?|<<=?|>>=?|:=|->|[-+*/%@&|^<>=!]=|\.\.\.|.)""",
    re.VERBOSE | re.DOTALL,
)
_COMPOUND = frozenset({
    "if", "elif", "else", "while", "for", "with", "try", "except", "finally", "async", "def", "class", "match", "case",
})  # fmt: skip

Token = tuple[str, int, int]
"""Text, line, column."""


def tokens(lines: Sequence[str], first: int) -> list[Token]:
    """The tokens of some lines; ``first`` is the number of the first one."""
    text = "\n".join(lines)
    found: list[Token] = []
    line, line_start, at = first, 0, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:  # cannot be: the last alternative takes any character
            break
        end = match.end()
        kind = match.lastgroup if match["string"] is None else "string"
        value = match[0]
        if kind == "string":
            end = _string_end(text, end, match["quote"])
            value = _content(match["prefix"], text[match.end() : end - len(match["quote"])])
        elif kind == "number":
            value = value.lower()
        if kind != "blank":
            found.append((value, line, at - line_start + 1))
        breaks = text.count("\n", at, end)
        if breaks:
            line += breaks
            line_start = text.rfind("\n", at, end) + 1
        at = end
    return found


def _string_end(text: str, at: int, quote: str) -> int:
    while at < len(text):
        if text.startswith(quote, at):
            return at + len(quote)
        if len(quote) == 1 and text[at] == "\n":
            return at
        at += 2 if text[at] == "\\" else 1
    return len(text) + len(quote)


def _content(prefix: str, body: str) -> str:
    """A string without its quotes: neither which ones nor how they are escaped inside matters."""
    return prefix.lower().replace("u", "") + "\0" + re.sub(r"""\\(["'])""", r"\1", body)


def essence(lines: Sequence[str], first: int, place: tuple[int, int]) -> tuple[str, ...]:
    """The tokens of the statement at ``place`` (line, column), of the lines from ``first`` on."""
    parts = _statements(tokens(lines, first))
    part = next((p for p in reversed(parts) if p and p[0][1:] <= place), parts[0] if parts else [])
    texts = [text for text, _, _ in part]
    return tuple(
        text
        for text, following in zip(texts, [*texts[1:], ""], strict=False)
        if text not in ("(", ")") and not (text == "," and following in (")", "]", "}", ""))
    )


def _statements(found: Sequence[Token]) -> list[list[Token]]:
    """Split at semicolons and behind the colon of a compound statement's header: a formatter breaks the line there."""
    parts: list[list[Token]] = [[]]
    depth = lambdas = 0
    for token in found:
        text = token[0]
        part = parts[-1]
        part.append(token)
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        elif depth == 0:
            if text == "lambda":
                lambdas += 1
            elif text == ":" and lambdas:
                lambdas -= 1
            elif text == ":" and part[0][0] in _COMPOUND:
                parts.append([])
            elif text == ";":
                part.pop()
                parts.append([])
    return [part for part in parts if part]

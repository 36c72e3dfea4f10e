"""Text from a stranger's source, made safe to print.

No control characters, nothing that turns the line around, and nothing that the log of a CI service takes for a command.
"""

from __future__ import annotations

import re
import unicodedata

_JOINERS = frozenset("\u200c\u200d")
"""Zero-width joiners: emoji and several scripts need them, and they move nothing."""

_COMMAND = re.compile(r"##(?=\w*\[)")
"""``##[group]``, ``##vso[task.setvariable]``: logs of GitHub, Azure and TeamCity obey them anywhere in a line."""
_DISARMED = "\\x23#"


def _unsafe(char: str) -> bool:
    category = unicodedata.category(char)
    return category in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in _JOINERS


def escaped(char: str) -> str:
    """A character by its number, as Python would write it. An undecodable byte is the byte."""
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def safe(text: str) -> str:
    """One line that prints as it reads. Line breaks and tabs become spaces."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(" " if c in "\t\n\r" else escaped(c) if _unsafe(c) else c for c in text)
    return _COMMAND.sub(lambda _: _DISARMED, text) if "##" in text else text


def safe_path(path: str) -> str:
    """A path as it is shown where a line begins: GitHub's log takes a line that begins with ``::`` for a command."""
    shown = safe(path)
    return f"./{shown}" if shown.lstrip().startswith("::") else shown


def decodable(path: str) -> str:
    """A path as it is, but for bytes that are no text: those would make a document unreadable for others."""
    return "".join(escaped(c) if 0xD800 <= ord(c) <= 0xDFFF else c for c in path)


def width(text: str) -> int:
    """How many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def expanded(line: str, tab: int = 4) -> tuple[str, list[int]]:
    """A source line as it is shown, and for each of its characters (and its end) the cell where it begins."""
    shown: list[str] = []
    cells: list[int] = []
    cell = 0
    commands = {match.start() for match in _COMMAND.finditer(line)} if "##" in line else set()
    for at, char in enumerate(line):
        cells.append(cell)
        if at in commands:
            text = escaped(char)
        elif char == "\t":
            text = " " * (tab - cell % tab)
        elif _unsafe(char):
            text = escaped(char)
        else:
            text = char
        shown.append(text)
        cell += width(text)
    cells.append(cell)
    return "".join(shown), cells

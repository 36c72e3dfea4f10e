"""Where a key stands in a TOML text. :mod:`tomllib` reads values but forgets lines; errors and origins need them.

The text has been read by tomllib before, so it is valid TOML: the walk here only has to keep count, not to judge.
"""

from __future__ import annotations

import contextlib
import re
from bisect import bisect_right

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'", re.DOTALL
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}#\r\n]+")


class _Walk:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self.places: dict[Path, int] = {}
        self.array_tables: dict[Path, int] = {}

    def line(self) -> int:
        return bisect_right(self.starts, self.at)

    def blank(self) -> None:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def spaces(self) -> None:
        while self.peek() in (" ", "\t") and self.peek():
            self.at += 1

    def key(self) -> Path:
        """A dotted key; stands behind it afterwards."""
        parts: list[str | int] = []
        while True:
            self.spaces()
            if match := _STRING.match(self.text, self.at):
                parts.append(_unquoted(match[0]))
            elif match := _BARE_KEY.match(self.text, self.at):
                parts.append(match[0])
            else:
                raise ValueError(f"no key at offset {self.at}")
            self.at = match.end()
            self.spaces()
            if self.peek() != ".":
                return tuple(parts)
            self.at += 1

    def note(self, path: Path, line: int) -> None:
        for end in range(1, len(path) + 1):
            self.places.setdefault(path[:end], line)

    def document(self) -> None:
        table: Path = ()
        while True:
            self.blank()
            if self.at >= len(self.text):
                return
            line = self.line()
            if self.peek() == "[":
                array = self.text.startswith("[[", self.at)
                self.at += 2 if array else 1
                table = self.key()
                self.at += 2 if array else 1
                if array:
                    index = self.array_tables.get(table, -1) + 1
                    self.array_tables[table] = index
                    table = (*table, index)
                self.note(table, line)
            else:
                self.pair(table)

    def pair(self, table: Path) -> None:
        line = self.line()
        path = (*table, *self.key())
        self.note(path, line)
        self.at += 1  # the equals sign
        self.value(path)

    def value(self, path: Path) -> None:
        self.blank()
        opening = self.peek()
        if opening == "[":
            self.at += 1
            index = 0
            while True:
                self.blank()
                if self.peek() == "]":
                    break
                if self.peek() == ",":
                    self.at += 1
                    continue
                self.note((*path, index), self.line())
                self.value((*path, index))
                index += 1
            self.at += 1
        elif opening == "{":
            self.at += 1
            while True:
                self.blank()
                if self.peek() == "}":
                    break
                if self.peek() == ",":
                    self.at += 1
                    continue
                self.pair(path)
            self.at += 1
        elif match := _STRING.match(self.text, self.at) or _SCALAR.match(self.text, self.at):
            self.at = match.end()
        else:
            raise ValueError(f"no value at offset {self.at}")


def _unquoted(key: str) -> str:
    import tomllib

    return next(iter(tomllib.loads(f"{key} = 0")))


def key_lines(text: str) -> dict[Path, int]:
    """The line of every table, key and array element: ``("tool", "resilint", "select", 0) -> 12``.

    Should the text be stranger than expected, what was found until then; a message without a line is no reason to fail.
    """
    walk = _Walk(text)
    with contextlib.suppress(ValueError, IndexError, RecursionError):
        walk.document()
    return walk.places

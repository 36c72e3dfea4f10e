"""Source text, for code frames, fingerprints and suppressions: read late, and only where something is said of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_ENDS = re.compile(r"\r\n|\r|\n")
_DECLARED = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


def text_of(source: bytes) -> str:
    """Decode as Python would: byte order mark, declared encoding, else UTF-8; what cannot be decoded is replaced."""
    if source.startswith(b"\xef\xbb\xbf"):
        return source[3:].decode("utf-8", "replace")
    encoding = "utf-8"
    for line in re.split(rb"\r\n|\r|\n", source[:1000], maxsplit=2)[:2]:
        if match := _DECLARED.match(line):
            encoding = match[1].decode("ascii", "replace")
            break
        if line.strip() and not line.lstrip().startswith(b"#"):
            break
    try:
        return source.decode(encoding, "replace")
    except LookupError:
        return source.decode("utf-8", "replace")


def lines_of(text: str) -> list[str]:
    """Lines as Python counts them: a form feed or a Unicode separator ends none."""
    return _ENDS.split(text)


class Sources:
    """The lines of a project's files, by path relative to its root, read once."""

    def __init__(self, root: Path, overlay: Mapping[str, bytes]) -> None:
        self._root = root
        self._overlay = overlay
        self._lines: dict[str, list[str]] = {}

    def lines(self, name: str) -> list[str]:
        """The lines of a file; none where it cannot be read any more."""
        if name not in self._lines:
            self._lines[name] = self._read(name)
        return self._lines[name]

    def _read(self, name: str) -> list[str]:
        source = self._overlay.get(name)
        if source is None:
            from resilint.check.lowering import read

            try:
                source, _ = read(str(self._root / name))
            except OSError:
                return []
        return lines_of(text_of(source))

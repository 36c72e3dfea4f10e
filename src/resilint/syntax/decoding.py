"""Bytes to text, as Python does it (PEP 263)."""

from __future__ import annotations

import codecs
import re

_DECLARED = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#[^\r\n]*)?$")
_BOM = codecs.BOM_UTF8


class UndecodableError(Exception):
    """``line`` and ``column`` (from 1) are the place, ``str()`` the reason."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


def decode_source(source: bytes) -> str:
    """The text of a source file, without its byte order mark.

    Raises:
        UndecodableError: the encoding is unknown, or the bytes are not in it, or there are null bytes.
    """
    zero = source.find(b"\0")
    if zero >= 0:
        raise UndecodableError("the file holds null bytes: it is no Python source", *_place(source, zero))
    has_mark = source.startswith(_BOM)
    if has_mark:
        source = source[len(_BOM) :]
    encoding = "utf-8"
    if b"coding" in source[:1000]:
        encoding, line = _declared(source)
        if has_mark and encoding != "utf-8":
            raise UndecodableError(f"the encoding {encoding!r} contradicts the byte order mark", line)
    try:
        return source.decode(encoding)
    except UnicodeDecodeError as error:
        reason = f"the file is not in its encoding, {encoding}: {error.reason}"
        raise UndecodableError(reason, *_place(source, error.start)) from None
    except (LookupError, ValueError, UnicodeError) as error:
        raise UndecodableError(f"the file is not in its encoding, {encoding}: {error}") from None


def _declared(source: bytes) -> tuple[str, int]:
    """The encoding that one of the first two lines declares, and that line."""
    for number, line in enumerate(re.split(rb"\r\n?|\n", source, maxsplit=2)[:2], start=1):
        match = _DECLARED.match(line)
        if match:
            name = match[1].decode("ascii", "replace")
            try:
                codec = codecs.lookup(name)
            except (LookupError, ValueError):
                raise UndecodableError(f"the encoding {name!r} is not known", number) from None
            if not getattr(codec, "_is_text_encoding", True) or codec.name.startswith(("utf-16", "utf-32")):
                raise UndecodableError(f"Python source cannot be in the encoding {name!r}", number)
            return ("utf-8" if codec.name in ("utf-8", "utf-8-sig") else codec.name), number
        if not _BLANK.match(line):
            break
    return "utf-8", 1


def _place(source: bytes, offset: int) -> tuple[int, int]:
    before = re.split(rb"\r\n?|\n", source[:offset])
    return len(before), len(before[-1].decode("utf-8", "replace")) + 1

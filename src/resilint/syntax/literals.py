"""What number and string literals mean. The interpreter's own parser has no part in it."""

from __future__ import annotations

import re
from math import isfinite

from resilint.facts import Number, Text, Unknown

UNKNOWN = Unknown()

_PREFIX = re.compile(r"[A-Za-z]*")
_ESCAPE = re.compile(
    r"\\(?:(\r\n|[\r\n])|([\\'\"abfnrtv])|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^{}]+)\})"
)
_BYTES_ESCAPE = re.compile(r"\\(?:(\r\n|[\r\n])|([\\'\"abfnrtv])|([0-7]{1,3})|x([0-9a-fA-F]{2}))")
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LARGEST = 2**63 - 1
"""Facts hold 64-bit numbers; no duration or count is larger."""


def _escaped(match: re.Match[str]) -> str:
    newline, simple, octal, *hexadecimal = match.groups()
    if newline is not None:
        return ""
    if simple is not None:
        return _SIMPLE.get(simple, simple)
    if octal is not None:
        return chr(int(octal, 8))
    for digits in hexadecimal[:3]:
        if digits is not None:
            code = int(digits, 16)
            # A lone surrogate cannot travel as UTF-8; nothing that resilint looks for holds one.
            return match[0] if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF else chr(code)
    import unicodedata

    try:
        return unicodedata.lookup(hexadecimal[3])
    except KeyError:
        return match[0]


def unescape(text: str, *, is_bytes: bool = False) -> str:
    """``text`` between the quotes of a literal that is not raw, as the string that it means."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\\" not in text:
        return text
    return (_BYTES_ESCAPE if is_bytes else _ESCAPE).sub(_escaped, text)


def string_parts(literal: str) -> tuple[str, str, int]:
    """The prefix in lower case, what stands between the quotes, and where it starts."""
    first = literal[0]
    if first in "'\"":
        prefix = ""
    else:
        match = _PREFIX.match(literal)
        prefix = match[0].lower() if match else ""
        first = literal[len(prefix)]
    start = len(prefix)
    quote = 3 if literal.startswith(first * 3, start) and len(literal) >= start + 6 else 1
    return prefix, literal[start + quote : -quote], start + quote


def string_value(literal: str) -> Text:
    """The value of one string or bytes literal with its prefix and quotes."""
    prefix, text, _ = string_parts(literal)
    is_bytes = "b" in prefix
    if "r" not in prefix:
        text = unescape(text, is_bytes=is_bytes)
    elif "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Text(text, is_bytes)


def integer_value(literal: str) -> Number | Unknown:
    try:
        value = int(literal.replace("_", ""), 0)
    except ValueError:  # more digits than int() takes, or a leading zero
        return UNKNOWN
    return Number(value) if value <= _LARGEST else UNKNOWN


def float_value(literal: str) -> Number | Unknown:
    value = float(literal.replace("_", ""))
    return Number(value) if isfinite(value) else UNKNOWN

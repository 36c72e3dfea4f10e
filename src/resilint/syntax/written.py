"""Where strings that look like SQL stand, so that rules can report and mend them."""

from __future__ import annotations

import re

from resilint.facts import Written
from resilint.syntax.positions import Positions

_BEGIN = r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*[(\s]*"
_SQL = re.compile(
    _BEGIN + r"(?:(?:select|delete)\b.*?\bfrom\b|with\b.*?\bas\s*\(|update\b.*?\bset\b)"
    r"|.*?\bfor\s+(?:no\s+key\s+)?update\b",
    re.IGNORECASE | re.DOTALL,
)
_PIECE = re.compile(_BEGIN + r"(?:SELECT|UPDATE|DELETE|WITH)\s", re.DOTALL)
"""Keywords in capitals: the beginning of a query that is put together."""
_LOCK = re.compile(r"\bfor\s+(?:no\s+key\s+)?update\b(?:\s+of\s+[\w.]+(?:\s*,\s*[\w.]+)*)?", re.IGNORECASE)
_SAYS_MORE = re.compile(r"\s+(?:skip\s+locked|nowait|wait)\b", re.IGNORECASE)
_PADDING = re.compile(r"(?:[\s;]|\\[nt]|\\\r?\n)*\Z")
SHORTEST = 12
"""Shorter strings hold no query."""


def looks_like_sql(value: str) -> bool:
    """It begins as a query does, or asks for a lock. Cheap: what it says is found out later, with a parser."""
    if len(value) < SHORTEST:
        return False
    return _PIECE.match(value) is not None or _SQL.match(value, 0, 4000) is not None


def written(text: str, begin: int, end: int, positions: Positions) -> Written:
    """The place of the literal that stands at these offsets of the file."""
    source = text[begin:end]
    lock: tuple[int, int] | None = None
    locks = list(_LOCK.finditer(source))
    if len(locks) == 1 and not _SAYS_MORE.match(source, locks[0].end()):
        lock = positions.span(begin + locks[0].end(), begin + locks[0].end())[:2]
    quote = 3 if source.endswith(('"""', "'''")) else 1
    tail: tuple[int, int] | None = None
    padding = _PADDING.search(source, 0, len(source) - quote)
    if padding is not None and "--" not in source[source.rfind("\n", 0, padding.start()) + 1 : padding.start()]:
        tail = positions.span(begin + padding.start(), begin + padding.start())[:2]
    return Written(positions.span(begin, end), lock, tail)

"""Read one ``# resilint:`` comment: a suppression, a role, or a mistake."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from resilint.config import nearest
from resilint.config.keys import ROLES
from resilint.domain import Span
from resilint.facts import Comment

Kind = Literal["ignore", "ignore-file", "role"]
KINDS: tuple[Kind, ...] = ("ignore", "ignore-file", "role")

_PRAGMA = re.compile(r"#\s*resilint:")
_WORD = re.compile(r"\s*([A-Za-z][A-Za-z_-]*)")
_LIST = re.compile(r"\s*\[([^\]#]*)\]")
_ITEM = re.compile(r"[^,\s][^,]*")


@dataclass(frozen=True, slots=True)
class Item:
    """One rule of a list, with its offset in the comment's text."""

    word: str
    offset: int


@dataclass(frozen=True, slots=True)
class Pragma:
    """What a comment says. Offsets count characters of the comment's text."""

    comment: Comment
    kind: Kind | None
    items: tuple[Item, ...] = ()
    reason: str = ""
    start: int = 0
    """Where ``# resilint:`` begins ..."""
    end: int = 0
    """... and where it, with its reason, ends: at the next ``#`` or the comment's end."""
    problem: str = ""
    """Why it means nothing."""

    def span(self, start: int, end: int) -> Span:
        """The place of a part of the comment."""
        at = self.comment.span
        return Span(at.line, at.column + start, at.line, at.column + end)


def pragmas(comment: Comment) -> list[Pragma]:
    """All pragmas of a comment: one may follow another after a ``#``."""
    starts = [m.start() for m in _PRAGMA.finditer(comment.text)]
    return [_pragma(comment, start) for start in starts if _is_start(comment.text, start)]


def _is_start(text: str, start: int) -> bool:
    return start == 0 or text[start - 1] != "#"


def _pragma(comment: Comment, start: int) -> Pragma:
    text = comment.text
    opening = _PRAGMA.match(text, start)
    assert opening is not None
    at = opening.end()
    next_hash = text.find("#", at)
    end = len(text.rstrip()) if next_hash < 0 else len(text[:next_hash].rstrip())
    word = _WORD.match(text, at)
    if word is None or word.end() > end:
        return Pragma(comment, None, (), "", start, end, f'nothing after "resilint:"{_known(KINDS)}')
    name = word[1].lower().replace("_", "-")
    kind: Kind | None = next((k for k in KINDS if k == name), None)
    if kind is None:
        return Pragma(comment, None, (), "", start, end, f'no pragma "{word[1]}"{nearest(name, KINDS)}')
    if kind == "role":
        return Pragma(comment, kind, (), "", start, end, _role_problem(text[word.end() : end]))
    listed = _LIST.match(text, word.end())
    if listed is None:
        example = f"# resilint: {kind}[rule-name] reason"
        return Pragma(comment, None, (), "", start, end, f'"{kind}" needs a list of rules in brackets: {example}')
    items = tuple(Item(m[0].rstrip(), listed.start(1) + m.start()) for m in _ITEM.finditer(listed[1]))
    reason = text[listed.end() : max(end, listed.end())].strip(" \t:-\u2013\u2014")
    if not items:
        return Pragma(comment, None, (), reason, start, end, f'the list of "{kind}" is empty')
    return Pragma(comment, kind, items, reason, start, end)


def _role_problem(rest: str) -> str:
    match = re.match(r"\s*=\s*([A-Za-z_-]+)", rest)
    if match is None:
        return '"role" needs a role: # resilint: role=worker (why)'
    role = match[1]
    return "" if role in ROLES else f'no role "{role}"{nearest(role.lower(), ROLES) or _known(ROLES)}'


def _known(words: Sequence[str]) -> str:
    return f" (known: {', '.join(words)})"

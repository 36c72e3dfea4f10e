"""What the lines of a project claim about themselves.

``# expect: long-sleep``            this rule reports this line; ``long-sleep:warning`` says with which severity
``# missed-alarm: long-sleep``      it should and does not; fails on the day it does
``# false-alarm: long-sleep``       it does and should not; fails on the day it does not
``# reveal: role=handler``          what the linker and the summaries concluded; several are separated by ``;``

A marker stands at the end of its line. One that stands alone speaks of the next line that holds something else. Lines
without a marker claim that nothing is reported there.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["expect", "missed-alarm", "false-alarm", "reveal"]
KINDS: tuple[Kind, ...] = ("expect", "missed-alarm", "false-alarm", "reveal")
GAPS: tuple[Kind, ...] = ("missed-alarm", "false-alarm")
REVEALED = ("role", "wait", "calls", "exposed", "loop", "type", "value")
"""The keys that ``reveal`` knows; ``none`` as the value of one says that nothing was concluded."""
SEVERITIES = ("info", "warning", "error")

_START = re.compile(rf"#\s*({'|'.join(KINDS)})\s*:")
_WORD = re.compile(r"#\s*([A-Za-z_-]{5,16})\s*(:?)")
_RULE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LINES = re.compile(r"\r\n|\r|\n")


class MarkerError(Exception):
    """A marker that has no meaning, such as a misspelled one: it would claim nothing, silently."""

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.line = line


@dataclass(frozen=True, slots=True)
class Marker:
    """One claim. ``subject`` is a rule's name or a ``reveal``'s key; ``value`` a severity (or empty) or value."""

    path: str
    line: int
    kind: Kind
    subject: str
    value: str = ""


def read_markers(path: str, text: str) -> list[Marker]:
    """All claims of a file, in order.

    Raises:
        MarkerError: one of them cannot be read.
    """
    found: list[Marker] = []
    waiting: list[tuple[Kind, str, str]] = []
    for number, line in enumerate(_LINES.split(text), 1):
        starts = list(_START.finditer(line))
        before = line[: starts[0].start()] if starts else line
        _refuse_misspelled(path, number, before)
        claims: list[tuple[Kind, str, str]] = []
        for index, start in enumerate(starts):
            stop = starts[index + 1].start() if index + 1 < len(starts) else len(line)
            kind: Kind = start[1]  # type: ignore[assignment]
            claims += _claims(path, number, kind, line[start.end() : stop].strip())
        if starts and not before.strip():
            waiting += claims
            continue
        if line.strip():
            found += [Marker(path, number, *claim) for claim in (*waiting, *claims)]
            waiting = []
    if waiting:
        raise MarkerError(path, number, "a marker alone on its line needs a line below it to speak of")
    return found


def _claims(path: str, line: int, kind: Kind, text: str) -> list[tuple[Kind, str, str]]:
    claims: list[tuple[Kind, str, str]] = []
    for item in text.split(";" if kind == "reveal" else ","):
        if kind == "reveal":
            key, equals, value = item.partition("=")
            if key.strip() not in REVEALED or not equals or not value.strip():
                raise MarkerError(path, line, f"reveal: {item.strip()!r} is not KEY=VALUE with a KEY of {REVEALED}")
            claims.append((kind, key.strip(), value.strip()))
            continue
        name, colon, severity = (part.strip() for part in item.partition(":"))
        if not _RULE.fullmatch(name):
            raise MarkerError(path, line, f"{kind}: {item.strip()!r} is not the name of a rule")
        if colon and (severity not in SEVERITIES or kind != "expect"):
            raise MarkerError(path, line, f"{kind}: {item.strip()!r}: only expect takes a severity of {SEVERITIES}")
        claims.append((kind, name, severity))
    return claims


def _refuse_misspelled(path: str, line: int, text: str) -> None:
    for word in _WORD.finditer(text):
        name = word[1].lower().replace("_", "-")
        close = difflib.get_close_matches(name, KINDS, n=1, cutoff=0.75)
        if close and (word[2] or name in KINDS):
            raise MarkerError(path, line, f"{word[0].strip()!r} is no marker; did you mean '# {close[0]}:'?")

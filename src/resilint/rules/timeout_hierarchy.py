"""R-RES-CFG-1: default timeouts of a settings class that break ``connect < read < total < 60 s``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from resilint.domain import Severity, Span
from resilint.facts import Bind, Reference
from resilint.link.entities import Cls, Func, SiteKey
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.sites import scope_role
from resilint.summaries.values import Delta, number, options
from resilint.summaries.wording import plain

LIMIT = 60.0
"""Seconds that a total timeout must stay under."""
HINT = "Let each timeout end before the one around it: connect < read < total < 60 s."
FIELD = re.compile(r"(?P<prefix>(?:.*_)?)(?P<kind>connect|read|total)_timeout(?P<unit>_[a-z]+)?", re.IGNORECASE)
UNITS = {
    "": 1.0,
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("us", "micros", "microseconds"), 1e-6),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}


class Field(NamedTuple):
    name: str
    seconds: float
    holder: Cls
    span: Span


def check(analysis: Analysis) -> Iterator[Finding]:
    """Each settings class, fields of its bases included; a base's own fault is told at the base."""
    for cls in analysis.linked.program.layouts:
        if _is_settings(analysis, cls):
            for fields in _groups(analysis, cls).values():
                yield from _broken(analysis, cls, fields)


def _is_settings(analysis: Analysis, cls: Cls) -> bool:
    kind = analysis.interpreter.evaluator.model_kind(cls)
    named = analysis.linked.program.scope(cls).name.endswith(("Settings", "Config"))
    return kind == "settings" or (kind == "dataclass" and named)


def _groups(analysis: Analysis, cls: Cls) -> dict[str, dict[str, Field]]:
    """Prefix to kind to field; of two fields of one kind (in two units) the first."""
    found: dict[str, dict[str, Field]] = {}
    for base in analysis.linked.inference.mro(cls):
        if not isinstance(base, Cls):
            continue
        for step in analysis.linked.program.scope(base).body:
            if not isinstance(step, Bind) or not isinstance(step.target, Reference) or step.value is None:
                continue
            match = FIELD.fullmatch(step.target.name)
            unit = UNITS.get((match["unit"] or "").strip("_").lower()) if match else None
            if match is None or unit is None:
                continue
            seconds = _seconds(analysis, base, step.target.name, unit)
            group = found.setdefault(match["prefix"].lower(), {})
            if seconds is not None and match["kind"].lower() not in group:
                group[match["kind"].lower()] = Field(step.target.name, seconds, base, step.span)
    return found


def _seconds(analysis: Analysis, cls: Cls, name: str, unit: float) -> float | None:
    """The field's default; of one that the environment can change, what is written."""
    values = tuple(options(analysis.interpreter.evaluator.class_value(cls, name)))
    known = [v for v in values if v is not None]
    if len(known) != 1:
        return None
    interval = number(known[0])
    value = interval.exact if interval.exact is not None else interval.seen
    if value is None:
        return None
    return value if isinstance(known[0], Delta) else value * unit


def _broken(analysis: Analysis, cls: Cls, fields: dict[str, Field]) -> Iterator[Finding]:
    connect, read, total = (fields.get(kind) for kind in ("connect", "read", "total"))
    if connect and read and connect.seconds >= read.seconds:
        yield from _finding(analysis, cls, read, (connect,), [_not_above(read, connect)])
    if total is None or (connect is None and read is None):
        return
    inner = read or connect
    assert inner is not None
    if connect and read and connect.seconds > read.seconds:
        inner = connect if connect.seconds >= total.seconds else read
    said = [_not_above(total, inner)] if inner.seconds >= total.seconds else []
    if total.seconds >= LIMIT:
        said.append(f"{total.name} of {plain(total.seconds)} s is not under {plain(LIMIT)} s")
    if said:
        yield from _finding(analysis, cls, total, (inner,), said)


def _not_above(outer: Field, inner: Field) -> str:
    return f"{outer.name} of {plain(outer.seconds)} s is not above {inner.name} of {plain(inner.seconds)} s"


def _finding(
    analysis: Analysis, cls: Cls, outer: Field, inner: tuple[Field, ...], said: list[str]
) -> Iterator[Finding]:
    if cls not in (outer.holder, *(f.holder for f in inner)):
        return
    program = analysis.linked.program
    where = SiteKey(outer.holder.module, outer.holder.scope, 0)
    name = program.local_name(cls)
    yield Finding(
        path=program.path(outer.holder),
        span=outer.span,
        message=f"{name}: " + ", and ".join(said),
        role=scope_role(analysis, where),
        subject=f"{program.qualname(cls)}.{outer.name}",
        function=analysis.qualname(Func(cls.module, cls.scope)),
        hint=HINT,
    )


RULE = Rule(
    id="R-RES-CFG-1",
    name="timeout-hierarchy",
    severity=Severity.WARNING,
    summary="default timeouts break connect < read < total < 60 s",
    check=check,
)

"""R-RES-ASYNC-3: an awaited call to an external system that no deadline cancels."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Role, Severity
from resilint.link.entities import Func
from resilint.rule import EXEMPT, Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.model import Exposure, Place

HINT = "Put the call, or the whole operation, into `async with asyncio.timeout(...)` with a total from the settings."


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding a call: the entry that reaches it uncovered by the shortest path."""
    reached: dict[Place, list[tuple[Func, Exposure]]] = {}
    for root in analysis.roots():
        if analysis.role(root) in EXEMPT or root not in analysis.interpreter.relevance.calling:
            continue
        for exposure in analysis.entry(root).exposures:
            reached.setdefault(exposure.place, []).append((root, exposure))
    for place, entries in reached.items():
        root, exposure = min(
            entries, key=lambda e: (len(e[1].hops), analysis.path(e[0]), analysis.linked.program.scope(e[0]).span)
        )
        yield _finding(analysis, root, exposure, place, entries)


def _finding(
    analysis: Analysis, root: Func, exposure: Exposure, place: Place, entries: list[tuple[Func, Exposure]]
) -> Finding:
    message = f"{exposure.subject} is awaited without a deadline"
    hint = HINT
    if exposure.phases:
        message += "; its own timeout is per phase"
        hint = f"{HINT} The client's timeout only bounds {exposure.phases}: the whole call can take for ever."
    if place.func != root:
        message += f" (uncovered from {analysis.name(root)})"
    return Finding(
        path=analysis.path(place.func),
        span=place.span,
        message=message,
        role=analysis.role(root),
        subject=exposure.subject,
        function=analysis.qualname(place.func),
        hint=hint,
        confidence=exposure.confidence,
        witness=analysis.witness(root, exposure.hops, place, f"{exposure.subject} is called here"),
        elsewhere=analysis.elsewhere(exposure.hops),
        cover=_cover(analysis, entries),
    )


def _cover(analysis: Analysis, entries: list[tuple[Func, Exposure]]) -> str:
    """The function nearest to the call that all paths share: a deadline there covers them."""
    names = [analysis.name(f) for f in entries[0][1].chain]
    return names[-1] if names else ""


RULE = Rule(
    id="R-RES-ASYNC-3",
    name="outbound-without-timeout",
    severity=Severity.ERROR,
    summary="an outbound call has no deadline",
    check=check,
    options=("outbound-groups", "client-deadlines", "outbound", "worker-deadlines", "timeout-expression"),
)
__all__ = ["RULE", "Role"]

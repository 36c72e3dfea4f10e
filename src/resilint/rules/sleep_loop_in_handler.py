"""R-RES-ASYNC-X1: a wait inside a loop that holds a request."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Confidence, Role, Severity
from resilint.link.entities import Func
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.model import Place, Wait
from resilint.summaries.state import worst
from resilint.summaries.wording import product, seconds

CALLEE_LIMIT = 2.0
"""Seconds that a loop in a callee may wait in all: what R-RES-ASYNC-2 allows an adapter (RULES.md, X1)."""

HINT = (
    "Store a polling task (status, next_attempt_at, retry_count), answer 202 Accepted with its id, "
    "and let a scheduler poll."
)


def _holds(analysis: Analysis, handler: Func, wait: Wait) -> bool:
    """Whether the loop around the wait holds the request for too long."""
    total = wait.loop_total
    if wait.place.func == handler:
        allowed = analysis.linked.program.settings.handler_wait_allowance
        return total.hi is None or total.hi > allowed
    return total.reach is not None and total.reach >= CALLEE_LIMIT


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding a wait: the handler it holds longest, and how many more it holds."""
    held: dict[Place, list[tuple[Func, Wait]]] = {}
    for handler in analysis.functions(Role.HANDLER):
        if handler not in analysis.interpreter.relevance.waiting:
            continue
        for wait in analysis.entry(handler).waits:
            if wait.looped and _holds(analysis, handler, wait):
                held.setdefault(wait.place, []).append((handler, wait))
    for place, entries in held.items():
        handler, wait = entries[0]
        for other, candidate in entries[1:]:
            total = worst(wait.loop_total, candidate.loop_total)
            if total != wait.loop_total or (total == candidate.loop_total and len(candidate.hops) < len(wait.hops)):
                handler, wait = other, candidate
        yield _finding(analysis, handler, wait, place, len(entries) - 1)


def _finding(analysis: Analysis, handler: Func, wait: Wait, place: Place, more: int) -> Finding:
    spelled = product(wait)
    held = f"{seconds(wait.loop_total)}: {spelled}" if spelled else seconds(wait.loop_total)
    if wait.loop_total.exact is not None and not wait.loop_total.unbounded:
        held = "up to " + held
    what = "a retry waits" if wait.kind == "retry" else "a loop waits"
    message = f"{what} in handler {analysis.name(handler)} and holds the request {held}"
    if wait.place.func != handler:
        message = f"{what} in {analysis.name(place.func)} and holds the request of {analysis.name(handler)} {held}"
    if more:
        message += f" and {more} more handler{'s' if more > 1 else ''}"
    reason = analysis.linked.roles.role(handler)
    return Finding(
        path=analysis.path(place.func),
        span=place.span,
        message=message,
        role=Role.HANDLER,
        subject=wait.what,
        function=analysis.qualname(place.func),
        hint=HINT,
        confidence=Confidence.HIGH if reason.source != "convention" else Confidence.MEDIUM,
        witness=analysis.witness(handler, wait.hops, place, f"{wait.what} waits here"),
        elsewhere=analysis.elsewhere(wait.hops),
        precedence_key=(analysis.path(place.func), place.span.line, place.span.column),
    )


RULE = Rule(
    id="R-RES-ASYNC-X1",
    name="sleep-loop-in-handler",
    severity=Severity.ERROR,
    summary="a wait inside a loop holds a request",
    check=check,
    options=("handler-wait-allowance",),
)

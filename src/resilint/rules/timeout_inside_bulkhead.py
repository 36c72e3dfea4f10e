"""R-RES-ASYNC-3: a deadline inside the semaphore or circuit breaker: waiting for a slot is not covered."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Severity
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.bulkheads import Bulkheads
from resilint.summaries.model import Place

HINT = "Put the deadline around the bulkhead, so that it covers the wait for a slot too."


def check(analysis: Analysis) -> Iterator[Finding]:
    """Each deadline that begins after the slot has been waited for."""
    for one in Bulkheads(analysis).found():
        last = f"{one.deadline} begins here"
        yield Finding(
            path=analysis.path(one.func),
            span=one.span,
            message=f"{one.deadline} begins only after {one.bulkhead} has let it in: the wait for a slot has no end",
            role=analysis.role(one.entry),
            subject=one.deadline,
            function=analysis.qualname(one.func),
            hint=HINT,
            witness=analysis.witness(one.entry, one.hops, Place(one.func, one.span), last),
        )


RULE = Rule(
    id="R-RES-ASYNC-3",
    name="timeout-inside-bulkhead",
    severity=Severity.INFO,
    summary="a deadline does not cover the wait for a slot",
    check=check,
    strict=True,
)

"""ADR-0011: a queue without a bound that several producers, a loop, a callback or a handler fill."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Severity
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.queues import producers, unbounded
from resilint.summaries.sites import function_of, scope_role

HINT = "Give it a maxsize, so that a producer waits (or drops and counts) when the consumer is behind."


def check(analysis: Analysis) -> Iterator[Finding]:
    """Each queue without a bound that can grow."""
    puts = producers(analysis)
    for place, path in unbounded(analysis):
        why = puts.get(place.key)
        if why is None:
            continue
        yield Finding(
            path=analysis.linked.program.path(place.key),
            span=place.site.span,
            message=f"{path} has no maxsize, and {why}",
            role=scope_role(analysis, place.key, place.around),
            subject=path,
            function=function_of(analysis, place.key),
            hint=HINT,
        )


RULE = Rule(
    id="ADR-0011",
    name="unbounded-queue",
    severity=Severity.WARNING,
    summary="a queue without a bound that can grow",
    check=check,
)

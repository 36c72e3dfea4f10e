"""ADR-0011: a task that nobody awaits, stores or returns.

The event loop keeps only a weak reference to it: it can vanish in the middle, and a graceful shutdown cannot mark its
work CANCELLED.
"""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Severity
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.sites import function_of, scope_role
from resilint.summaries.tasks import coroutine_name, forgotten

HINT = (
    "Keep it: in a TaskGroup, in a set of the service (discard it when it is done) that shutdown cancels and awaits, "
    "or await it."
)


def check(analysis: Analysis) -> Iterator[Finding]:
    """Each call that gives a task which is forgotten."""
    for started, local in forgotten(analysis):
        place = started.place
        what = coroutine_name(analysis, place.key)
        subject = f"the task of {what}" if what else "the task"
        if started.through is not None:
            subject = f"the task that {analysis.name(started.through)} returns"
        fate = "is kept only in a local name" if local else "is dropped"
        yield Finding(
            path=analysis.linked.program.path(place.key),
            span=place.site.span,
            message=f"{subject} {fate}: it can vanish, and shutdown cannot cancel it",
            role=scope_role(analysis, place.key, place.around),
            subject=started.path,
            function=function_of(analysis, place.key),
            hint=HINT,
            confidence=started.confidence,
        )


RULE = Rule(
    id="ADR-0011",
    name="untracked-task",
    severity=Severity.WARNING,
    summary="a task that nobody awaits, stores or returns",
    check=check,
)

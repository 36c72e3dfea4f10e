"""R-RES-ASYNC-1: a 202 that does not say what was accepted."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Role, Severity
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.answers import nameless

HINT = (
    "Put the task's id into the body, or its address into a Location header, so that the client can ask for the result."
)


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding a handler."""
    for answer in nameless(analysis):
        handler = answer.handler
        yield Finding(
            path=analysis.path(handler),
            span=analysis.linked.program.scope(handler).span,
            message=f"{analysis.name(handler)} answers 202 with neither an id nor a Location header",
            role=Role.HANDLER,
            subject=analysis.name(handler),
            function=analysis.qualname(handler),
            hint=HINT,
        )


RULE = Rule(
    id="R-RES-ASYNC-1",
    name="accepted-without-task-id",
    severity=Severity.INFO,
    summary="a 202 has neither an id in its body nor a Location header",
    check=check,
    strict=True,
)

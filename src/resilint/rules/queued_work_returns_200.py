"""R-RES-ASYNC-1: an answer with status 200 that stands for work which was only queued."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Applicability, Confidence, Edit, FixPlan, Hop, Role, Severity, Span
from resilint.link.entities import Func, SiteKey
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.answers import Answer, queued_as_done
from resilint.summaries.enqueues import enqueues

HINT = "Answer 202 Accepted with the task's id; keep 200 for work that is done."


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding a handler."""
    for answer in queued_as_done(analysis):
        yield _finding(analysis, answer.handler, answer)


def _finding(analysis: Analysis, handler: Func, answer: Answer) -> Finding:
    span = analysis.linked.program.scope(handler).span
    way = enqueues(analysis).way(handler)
    witness: tuple[Hop, ...] = ()
    confidence = Confidence.HIGH
    what = ""
    if way is not None:
        enqueue, hops = way
        what = enqueue.what
        confidence = enqueue.confidence
        if len(hops) > 1:
            answers_here = Hop(analysis.path(handler), span.line, span.column, f"{analysis.name(handler)} answers 200")
            witness = (*hops, answers_here)
    return Finding(
        path=analysis.path(handler),
        span=span,
        message=f"{analysis.name(handler)} answers 200 for work that is only queued",
        role=Role.HANDLER,
        subject=what,
        function=analysis.qualname(handler),
        hint=HINT,
        confidence=confidence,
        witness=witness,
        fix=_fix(analysis, answer),
    )


def _fix(analysis: Analysis, answer: Answer) -> FixPlan | None:
    """Add the status to the response's call or to the decorator, where it takes one and none is written."""
    if answer.set_by == "response" and answer.response is not None and answer.status_argument:
        return _added(analysis, answer.response, answer.status_argument)
    if answer.set_by == "default" and answer.site is not None and answer.registration is not None:
        name = (answer.registration.status or "").partition("@")[0]
        if name:
            return _added(analysis, answer.site, name)
    return None


def _added(analysis: Analysis, key: SiteKey, name: str) -> FixPlan | None:
    site = analysis.linked.program.site(key)
    written = any(argument.name in (name, "**") for argument in site.arguments)
    if written or site.span.line != site.span.end_line or not site.arguments:
        return None  # a call over several lines may end with a comma
    end = Span(site.span.end_line, site.span.end_column - 1, site.span.end_line, site.span.end_column - 1)
    edit = Edit(analysis.linked.program.path(key), end, f", {name}=202")
    return FixPlan(Applicability.UNSAFE, "Answer 202 Accepted", (edit,))


RULE = Rule(
    id="R-RES-ASYNC-1",
    name="queued-work-returns-200",
    severity=Severity.ERROR,
    summary="an answer with status 200 stands for work that is only queued",
    check=check,
    options=("enqueue",),
)

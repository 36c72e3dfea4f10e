"""ADR-0011: an executor that bounds nothing: too many workers, or a pool of its own for every call."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Confidence, Role, Severity
from resilint.link.entities import Func
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.executors import executor_class, unbounded_workers
from resilint.summaries.fates import Fates
from resilint.summaries.lifetimes import called_from_async, runs_once
from resilint.summaries.sites import Placed, function_of, in_async, placed, scope_role

HINT = "Make one executor per kind of work, ThreadPoolExecutor(max_workers=N), when the service starts, and keep it."


def check(analysis: Analysis) -> Iterator[Finding]:
    """Each construction of an executor."""
    for place in placed(analysis):
        made = executor_class(analysis, place.key)
        if made is None:
            continue
        path, trait = made
        role = scope_role(analysis, place.key, place.around)
        confidence = unbounded_workers(analysis, place.key, trait)
        message = f"{path} has no bound on its workers"
        if confidence is None:
            if not _per_call(analysis, place, role):
                continue
            confidence = Confidence.HIGH
            message = f"{path} is made anew for every call, so its max_workers bounds nothing"
        yield Finding(
            path=analysis.linked.program.path(place.key),
            span=place.site.span,
            message=message,
            role=role,
            subject=path,
            function=function_of(analysis, place.key),
            hint=HINT,
            confidence=confidence,
        )


def _per_call(analysis: Analysis, place: Placed, role: Role) -> bool:
    """Made in async code or in a handler, and used up there."""
    func = Func(place.key.module, place.key.scope)
    if not (in_async(analysis, place.key) or role is Role.HANDLER or func in called_from_async(analysis)):
        return False
    if runs_once(analysis, func):
        return False
    return not Fates.of(analysis).outlives(place.key)


RULE = Rule(
    id="ADR-0011",
    name="unbounded-executor",
    severity=Severity.WARNING,
    summary="an executor has no bound on its workers, or is made per call",
    check=check,
)

"""ADR-0011: ``run_in_executor(None, ...)`` uses the loop's default executor, which everything shares."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Severity
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.executors import has_bounded_default, uses
from resilint.summaries.sites import function_of, scope_role

HINT = "Pass a named bounded executor, or call it through one function, await run_blocking(kind, fn, *args)."


def check(analysis: Analysis) -> Iterator[Finding]:
    """Each call whose executor is None."""
    for use in uses(analysis):
        if use.meaning.callable.executor != "default":
            continue
        bounded = has_bounded_default(analysis)
        message = f"{use.meaning.path} without an executor uses the loop's default one, which everything shares"
        if bounded:
            message += "; the project has installed a bounded one"
        yield Finding(
            path=analysis.linked.program.path(use.key),
            span=use.site.span,
            message=message,
            role=scope_role(analysis, use.key, use.around),
            subject=use.meaning.path,
            function=function_of(analysis, use.key),
            hint=HINT,
            confidence=use.confidence,
            severity=Severity.INFO if bounded else Severity.ERROR,
        )


RULE = Rule(
    id="ADR-0011",
    name="default-executor",
    severity=Severity.ERROR,
    summary="run_in_executor without an executor of its own",
    check=check,
)

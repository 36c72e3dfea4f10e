"""ADR-0011: work given to a thread without back-pressure.

``to_thread`` takes no executor: the loop's default pool is shared by everything, and nothing says no when it is full.
"""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Role, Severity
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.executors import Use, has_bounded_default, uses
from resilint.summaries.sites import function_of, scope_role

HINT = (
    "Give it to a named bounded executor behind one function, await run_blocking(kind, fn, *args), "
    "so that a full pool pushes back."
)


def check(analysis: Analysis) -> Iterator[Finding]:
    """Each call of ``to_thread`` and its relatives."""
    for use in uses(analysis):
        if use.meaning.callable.executor in ("to-thread", "offload-warning"):
            yield _finding(analysis, use)


def _finding(analysis: Analysis, use: Use) -> Finding:
    path = use.meaning.path
    severity = Severity.WARNING
    message = f"{path} without a limiter of its own shares one pool of threads with everything else"
    if use.meaning.callable.executor == "to-thread":
        bounded = has_bounded_default(analysis)
        severity = Severity.INFO if bounded else Severity.ERROR
        message = f"{path} runs in the loop's default executor, which everything shares"
        message += "; the project has installed a bounded one" if bounded else " and nothing bounds"
    return Finding(
        path=analysis.linked.program.path(use.key),
        span=use.site.span,
        message=message,
        role=scope_role(analysis, use.key, use.around),
        subject=path,
        function=function_of(analysis, use.key),
        hint=HINT,
        severity=severity,
    )


RULE = Rule(
    id="ADR-0011",
    name="to-thread",
    severity=Severity.ERROR,
    summary="work goes to a thread without back-pressure",
    check=check,
    exempt=frozenset({Role.TEST}),
)

"""ADR-0011: work given to a thread without back-pressure.

``to_thread`` takes no executor: the loop's default pool is shared by everything, and nothing says no when it is full.
"""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Applicability, Edit, FixPlan, Role, Severity, Span
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.executors import Use, has_bounded_default, uses
from resilint.summaries.sites import dotted, function_of, imports_end, scope_role

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
        fix=_fix(analysis, use) if use.meaning.callable.executor == "to-thread" else None,
    )


def _fix(analysis: Analysis, use: Use) -> FixPlan | None:
    """Call the house's function instead, and import it; only where the call begins with the function, in one piece."""
    program = analysis.linked.program
    module, _, name = program.settings.run_blocking.rpartition(".")
    callee = dotted(use.site.callee)
    if not module or not callee or not use.site.arguments or use.site.arguments[0].name:
        return None
    path, span = program.path(use.key), use.site.span
    head = Span(span.line, span.column, span.line, span.column + len(callee) + 1)
    edits = [Edit(path, head, f'{name}("io", ')]
    if name not in program.modules[use.key.module].index[0].names:
        line = imports_end(program.modules[use.key.module].facts.scopes[0].body)
        if line == 0:
            return None
        edits.insert(0, Edit(path, Span(line + 1, 1, line + 1, 1), f"from {module} import {name}\n"))
    return FixPlan(Applicability.UNSAFE, f"Call {name}; choose its kind", tuple(edits))


RULE = Rule(
    id="ADR-0011",
    name="to-thread",
    severity=Severity.ERROR,
    summary="work goes to a thread without back-pressure",
    check=check,
    exempt=frozenset({Role.TEST}),
    options=("run-blocking",),
)

"""R-RES-ASYNC-1: a query claims due tasks without FOR UPDATE SKIP LOCKED."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Applicability, Edit, FixPlan, Severity, Span
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.claims import Claim, claims

HINT = "Add FOR UPDATE SKIP LOCKED, so that each worker takes the due rows that no other holds."
NO_LIMIT = " Give the query a LIMIT as well: without one a worker locks all that is due."


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding a query."""
    for claim in claims(analysis).find():
        yield _finding(analysis, claim)


def _finding(analysis: Analysis, claim: Claim) -> Finding:
    selection = claim.selection
    rows = f"due rows of {selection.table}" if selection.due else f"rows of {selection.table}"
    if not selection.table or selection.table.startswith("hole__"):
        rows = "due rows" if selection.due else "rows"
    if selection.lock == "update":
        message = f"a query claims {rows} with FOR UPDATE but without SKIP LOCKED: workers wait for each other"
    else:
        message = f"a query claims {rows} without FOR UPDATE SKIP LOCKED: two workers take the same task"
    return Finding(
        path=analysis.path(claim.func),
        span=claim.span,
        message=message,
        role=analysis.role(claim.func),
        subject=claim.subject,
        function=analysis.qualname(claim.func),
        hint=HINT + ("" if selection.limited else NO_LIMIT),
        confidence=claim.confidence,
        fix=_fix(analysis, claim),
    )


def _fix(analysis: Analysis, claim: Claim) -> FixPlan | None:
    insertion = claim.fix
    if insertion is None:
        return None
    path = analysis.linked.program.modules[insertion.module].path
    span = Span(insertion.line, insertion.column, insertion.line, insertion.column)
    return FixPlan(
        Applicability.SAFE if insertion.safe else Applicability.UNSAFE,
        "Skip the rows that other workers have locked",
        (Edit(path, span, insertion.text),),
    )


RULE = Rule(
    id="R-RES-ASYNC-1",
    name="polling-without-skip-locked",
    severity=Severity.ERROR,
    summary="a query claims due tasks without FOR UPDATE SKIP LOCKED",
    check=check,
    options=("sql-dialects",),
)

"""R-RES-ASYNC-2: the total wait of an adapter's method must stay under 2 s."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Confidence, Role, Severity
from resilint.link.entities import Func
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.model import Summary, Wait
from resilint.summaries.wording import plain, product, seconds

HINT = (
    "Wait once and shortly (0.5 s), then answer that the work is pending and let a scheduler ask again; "
    "a longer wait belongs to a task with next_attempt_at."
)


def check(analysis: Analysis) -> Iterator[Finding]:
    """Adapters' async methods that somebody waits for."""
    budget = analysis.linked.program.settings.wait_budget
    for func in analysis.functions(Role.ADAPTER):
        scope = analysis.linked.program.scope(func)
        if not scope.is_async or scope.is_generator or scope.name == "__anext__":
            continue
        if func not in analysis.interpreter.relevance.waiting:
            continue
        summary = analysis.joined(func)
        reach = summary.total.reach
        if reach is None or reach < budget or summary.endless or not summary.waits:
            continue
        worst = max(summary.waits, key=lambda w: (w.total.reach or 0.0, -w.place.span.line))
        yield _finding(analysis, func, summary, worst, budget)


def _terms(summary: Summary) -> str:
    """``0.5 + 1 + 2 = 3.5 s``."""
    total = summary.total
    parts = [w for w in summary.waits if w.total.reach]
    if total.exact is None or total.unbounded or any(w.total.exact is None for w in parts):
        return ""
    terms = []
    for wait in sorted(parts, key=lambda w: (w.place.span.line, w.place.span.column)):
        times, once = wait.times.exact, wait.once.exact
        if times is not None and once is not None and times > 1:
            terms.append(f"{plain(times)} x {plain(once)}")
        elif wait.total.exact is not None:
            terms.append(plain(wait.total.exact))
    if sum(w.total.exact or 0 for w in parts) - total.exact > 1e-6:
        return ""
    return f"{' + '.join(terms)} = {plain(total.exact)} s" if len(terms) > 1 or "x" in terms[0] else ""


def _finding(analysis: Analysis, func: Func, summary: Summary, wait: Wait, budget: float) -> Finding:
    spelled = _terms(summary) or product(wait)
    message = (
        f"{analysis.name(func)} waits {seconds(summary.total)}, the budget of an adapter is under {plain(budget)} s"
    )
    if spelled:
        message += f": {spelled}"
    place = wait.place
    reason = analysis.linked.roles.role(func)
    return Finding(
        path=analysis.path(place.func),
        span=place.span,
        message=message,
        role=Role.ADAPTER,
        subject=wait.what,
        function=analysis.qualname(place.func),
        hint=HINT,
        confidence=Confidence.MEDIUM if reason.source == "convention" else Confidence.HIGH,
        witness=analysis.witness(func, wait.hops, place, f"{wait.what} waits here"),
        elsewhere=analysis.elsewhere(wait.hops),
        precedence_key=(analysis.path(place.func), place.span.line, place.span.column),
    )


RULE = Rule(
    id="R-RES-ASYNC-2",
    name="wait-budget-exceeded",
    severity=Severity.ERROR,
    summary="an adapter's method waits 2 s or more in all",
    check=check,
    yields_to=("sleep-loop-in-handler", "long-sleep"),
    options=("wait-budget",),
)

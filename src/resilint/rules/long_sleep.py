"""R-RES-ASYNC-X2: a wait that can be over 5 s."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Confidence, Role, Severity
from resilint.link.entities import Func
from resilint.rule import EXEMPT, Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.keepalive import keeps_alive
from resilint.summaries.model import Wait
from resilint.summaries.wording import plain, seconds

HINT = "Store the task and let a scheduler take it up again when it is due, instead of sleeping through the time."
WORKER_HINT = (
    'Give the time to the scheduler: add_job(f, "interval", seconds={interval}) instead of a loop that sleeps.'
)


def check(analysis: Analysis) -> Iterator[Finding]:
    """Each function's own waits, with its parameters joined over all calls."""
    threshold = analysis.linked.program.settings.long_sleep_threshold
    held = analysis.reached_from(Role.HANDLER, Role.WORKER)
    for func in analysis.functions():
        role = analysis.role(func)
        if role in EXEMPT or func not in analysis.interpreter.relevance.waiting or not analysis.waits_itself(func):
            continue
        scope = analysis.linked.program.scope(func)
        if analysis.is_transparent(func):
            continue  # its callers wait in its place, each with its own arguments
        for wait in analysis.joined(func).waits:
            if wait.place.func != func and (
                wait.hops or analysis.linked.program.scope(wait.place.func).kind != "lambda"
            ):
                continue
            if wait.kind == "blocking" and not scope.is_async and func not in held:
                continue  # sync code that nobody waits for
            reach = wait.once.reach
            if reach is None or reach <= threshold:
                continue
            finding = _finding(analysis, func, role, wait, threshold)
            if finding is not None:
                yield finding


def _finding(analysis: Analysis, func: Func, role: Role, wait: Wait, threshold: float) -> Finding | None:
    hint, severity = HINT, Severity.ERROR
    service = wait.endless and (role is Role.WORKER or analysis.runs_alone(func))
    if service:
        if wait.interruptible or keeps_alive(analysis, func, wait.place.span.line):
            return None
        severity = Severity.WARNING
        interval = wait.once.reach
        hint = WORKER_HINT.format(interval=plain(interval) if interval is not None else "N")
    certain = wait.once.lo is not None and wait.once.lo > threshold
    verb = "sleeps" if certain else "can sleep"
    return Finding(
        path=analysis.path(wait.place.func),
        span=wait.place.span,
        message=f"{wait.what} {verb} {seconds(wait.once)}, more than {plain(threshold)} s",
        role=role,
        subject=wait.what,
        function=analysis.qualname(func),
        hint=hint,
        confidence=Confidence.HIGH,
        severity=severity,
        precedence_key=(analysis.path(wait.place.func), wait.place.span.line, wait.place.span.column),
    )


RULE = Rule(
    id="R-RES-ASYNC-X2",
    name="long-sleep",
    severity=Severity.ERROR,
    summary="a wait can be longer than 5 s",
    check=check,
    yields_to=("sleep-loop-in-handler",),
    options=("long-sleep-threshold",),
)

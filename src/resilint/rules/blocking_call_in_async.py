"""ADR-0011: a call that blocks the event loop, made in async code directly or through sync functions of the project."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Hop, Role, Severity, Witness
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.blocking import Blocked, blocked_calls

HINT = "Use a client that can be awaited, or run the call in a bounded executor and await that."


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding a call and kind of blocking call, in the first async function above it."""
    for blocked in blocked_calls(analysis):
        yield _finding(analysis, blocked)


def _finding(analysis: Analysis, blocked: Blocked) -> Finding:
    what = blocked.leaf.subject.removeprefix("builtins.")
    message = f"{what} blocks the event loop"
    if blocked.way:
        message = f"{analysis.name(blocked.way[0].callee)} blocks the event loop with {what}"
        if blocked.others:
            message += f" and {blocked.others} more such call{'s' if blocked.others > 1 else ''}"
    return Finding(
        path=analysis.path(blocked.caller),
        span=blocked.span,
        message=message,
        role=analysis.role(blocked.caller),
        subject=blocked.leaf.subject,
        function=analysis.qualname(blocked.caller),
        hint=_hint(analysis, blocked.leaf.instead),
        confidence=blocked.confidence,
        witness=_witness(analysis, blocked, what),
        cover=analysis.name(blocked.leaf.func) if blocked.way else "",
    )


def _hint(analysis: Analysis, instead: str) -> str:
    house = analysis.linked.program.settings.run_blocking.rpartition(".")[2]
    executor = f"await {house}(...)" if house else "a bounded executor"
    if not instead or "(" not in instead:
        client = f"Use {instead}" if instead else "Use a client that can be awaited"
        return f"{client}, or run the call in {executor}." if not house else f"{client}, or {executor}."
    return (
        f"Replace it: {instead}. Else run it in {executor}." if not house else f"Replace it: {instead}, or {executor}."
    )


def _witness(analysis: Analysis, blocked: Blocked, what: str) -> Witness:
    """From the blocking call up to the call that is reported."""
    if not blocked.way:
        return ()
    leaf = blocked.leaf
    hops = [Hop(analysis.path(leaf.func), leaf.span.line, leaf.span.column, f"{what} blocks")]
    for step in reversed(blocked.way):
        text = f"{analysis.name(step.caller)} calls {analysis.name(step.callee)}"
        hops.append(Hop(analysis.path(step.caller), step.span.line, step.span.column, text))
    return tuple(hops)


RULE = Rule(
    id="ADR-0011",
    name="blocking-call-in-async",
    severity=Severity.ERROR,
    summary="a call blocks the event loop",
    check=check,
    exempt=frozenset({Role.TEST}),
    options=("blocking-groups", "blocking", "run-blocking"),
)

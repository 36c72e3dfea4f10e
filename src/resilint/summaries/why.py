"""``resilint why``: everything that is known about a line, with the reasons."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Interval, Role
from resilint.link.calls import Edge, Meaning
from resilint.link.entities import Func, SiteKey
from resilint.summaries.analysis import Analysis
from resilint.summaries.model import Exposure, Summary, Wait
from resilint.summaries.values import number
from resilint.summaries.wording import plain, seconds

MOST = 12
"""Callers and callees that are listed one by one."""


def explain(analysis: Analysis, path: str, line: int) -> str:
    """What was concluded about the function that holds the line: role, callers, callees, waits, deadlines."""
    program = analysis.linked.program
    module = program.by_path.get(path)
    if module is None:
        return f"{path} is not part of the project that was read"
    func = _function_at(analysis, module, line)
    if func is None:
        return _module_level(analysis, Func(module, 0), path, line)
    scope = program.scope(func)
    reason = analysis.linked.roles.role(func)
    lines = [f"{analysis.qualname(func)}  {path}:{scope.span.line}", f"role: {reason.role} ({reason.text})"]
    root = analysis.roots().get(func)
    if root is not None:
        lines.append(f"begins here: {root}")
    lines += _edges("called by", list(analysis.linked.calls.incoming.get(func, ())), analysis, incoming=True)
    lines += _edges("calls", list(analysis.linked.calls.outgoing.get(func, ())), analysis, incoming=False)
    lines += _waits(analysis, func)
    lines += _outbound(analysis, func)
    return "\n".join(lines)


def _function_at(analysis: Analysis, module: int, line: int) -> Func | None:
    """The innermost function whose lines hold the line."""
    best: Func | None = None
    for position, scope in enumerate(analysis.linked.program.modules[module].facts.scopes):
        if scope.kind == "function" and scope.lines[0] <= line <= scope.lines[2]:
            best = Func(module, position)  # scopes inside come later
    return best


def _module_level(analysis: Analysis, func: Func, path: str, line: int) -> str:
    edges = [e for e in analysis.linked.calls.outgoing.get(func, ()) if e.span.line <= line <= e.span.end_line]
    head = f"{path}:{line} is in no function"
    return "\n".join([head, *_edges("calls", edges, analysis, incoming=False)]) if edges else head


# Calls


def _edges(title: str, edges: list[Edge], analysis: Analysis, *, incoming: bool) -> list[str]:
    texts: dict[str, None] = {}
    for edge in sorted(edges, key=lambda e: (analysis.path(e.caller), e.span)):
        other = edge.caller if incoming else edge.callee
        where = f"{analysis.path(edge.caller)}:{edge.span.line}"
        texts[f"{where}  {analysis.name(other)}, {'attached' if edge.attached else 'detached'}: {edge.reason}"] = None
    if not texts:
        return [f"{title}: nothing in the project" if not incoming else f"{title}: nobody in the project"]
    shown = [f"  {text}" for text in list(texts)[:MOST]]
    if len(texts) > MOST:
        shown.append(f"  and {len(texts) - MOST} more")
    return [f"{title}:", *shown]


# Waits


def _waits(analysis: Analysis, func: Func) -> list[str]:
    handler = analysis.role(func) is Role.HANDLER
    summary = analysis.entry(func) if handler else analysis.joined(func)
    lines = ["waits: not at all"]
    if summary.waits:
        lines = [f"waits: {seconds(summary.total)}" + (", and never ends by itself" if summary.endless else "")]
    for wait in sorted(summary.waits, key=lambda w: (analysis.path(w.place.func), w.place.span)):
        lines.append(f"  {_wait(analysis, wait)}")
    if handler:
        lines.append(f"holds its request: {_hold(analysis, func, summary)}")
    return lines


def _wait(analysis: Analysis, wait: Wait) -> str:
    text = f"{analysis.path(wait.place.func)}:{wait.place.span.line}  {wait.what} {seconds(wait.once)}"
    if wait.looped:
        text += f", in a loop that waits {seconds(wait.loop_total)}"
    if wait.hops:
        text += f" (through {', '.join(hop.text for hop in wait.hops)})"
    return text


def _hold(analysis: Analysis, handler: Func, summary: Summary) -> str:
    """The worst that a request is held: all waits, and every deadline run to its end."""
    if summary.total.unbounded:
        return "without a bound, by its waits"
    if summary.exposures:
        return f"without a bound, by {summary.exposures[0].subject}, which nothing cancels"
    deadlines = list(_deadlines(analysis, handler))
    if summary.total.hi is None or any(limit.hi is None for limit, _ in deadlines):
        return "for a time of which only parts are known"
    held = sum((limit.hi or 0.0 for limit, _ in deadlines), summary.total.hi)
    parts = [f"{plain(summary.total.hi)} s of waits"] if summary.total.hi else []
    parts += [f"{plain(limit.hi or 0.0)} s until the deadline in {place}" for limit, place in deadlines]
    return f"up to {plain(held)} s" + (f": {', '.join(parts)}" if parts else "")


def _deadlines(analysis: Analysis, func: Func) -> Iterator[tuple[Interval, str]]:
    """The deadlines that the function sets, itself or in what it calls while attached, with their places."""
    evaluator = analysis.interpreter.evaluator
    for reached in _attached(analysis, func):
        for key, meaning in _meanings(analysis, reached):
            deadline = meaning.callable.deadline
            if deadline is None or deadline.seconds is None or not (deadline.scope or deadline.covers):
                continue
            value = evaluator.argument(key, deadline.seconds, None)
            place = f"{analysis.path(reached)}:{analysis.site_span(key).line}"
            if value is not None:
                yield number(value), place


def _attached(analysis: Analysis, func: Func) -> Iterator[Func]:
    found = {func}
    pending = [func]
    while pending:
        current = pending.pop()
        yield current
        for edge in analysis.linked.calls.outgoing.get(current, ()):
            if edge.attached and edge.callee not in found:
                found.add(edge.callee)
                pending.append(edge.callee)


def _meanings(analysis: Analysis, func: Func) -> Iterator[tuple[SiteKey, Meaning]]:
    """What the catalogue says of the calls in the function's own body."""
    for position in range(len(analysis.linked.program.scope(func).sites)):
        key = SiteKey(func.module, func.scope, position)
        for meaning in analysis.linked.calls.meanings(key):
            yield key, meaning


# Outbound calls


def _outbound(analysis: Analysis, func: Func) -> list[str]:
    exposures = analysis.joined(func).exposures
    lines = []
    if exposures:
        lines.append("leaves without a deadline:")
        lines += [f"  {_exposure(analysis, each)}" for each in exposures]
        lines += _uncovered(analysis, exposures)
    called = [text for text in _called_outside(analysis, func) if text not in {e.subject for e in exposures}]
    if called:
        lines.append(f"calls outside under a deadline: {', '.join(called)}")
    return lines or ["outbound calls: none"]


def _exposure(analysis: Analysis, exposure: Exposure) -> str:
    text = f"{analysis.path(exposure.place.func)}:{exposure.place.span.line}  {exposure.subject}"
    if exposure.phases:
        text += f" (its own timeout only bounds {exposure.phases})"
    return text


def _uncovered(analysis: Analysis, exposures: tuple[Exposure, ...]) -> list[str]:
    """From which starts the calls are reached without a deadline; none: every caller has one."""
    places = {exposure.place for exposure in exposures}
    starts = [
        analysis.name(root)
        for root in analysis.roots()
        if any(exposure.place in places for exposure in analysis.entry(root).exposures)
    ]
    if not starts:
        return ["  every caller has a deadline around it"]
    more = f" and {len(starts) - 3} more" if len(starts) > 3 else ""
    return [f"  reached without one from {', '.join(starts[:3])}{more}"]


def _called_outside(analysis: Analysis, func: Func) -> Iterator[str]:
    """Outbound calls in the function's own body."""
    seen: set[str] = set()
    groups = analysis.linked.program.settings.outbound_groups
    for _, meaning in _meanings(analysis, func):
        if meaning.callable.outbound in groups and meaning.path not in seen:
            seen.add(meaning.path)
            yield meaning.path

"""Loops that keep something alive: their interval is not a wait for work."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.facts import Attribute, Await, Loop, Reference, Result, Step, Value
from resilint.facts.walk import inside
from resilint.link.entities import Coro, Func, SiteKey
from resilint.summaries.analysis import Analysis

WORDS = ("ping", "heartbeat", "heart_beat", "keepalive", "keep_alive", "renew", "extend")
"""RULES.md, X2."""


def _says_so(name: str) -> bool:
    lowered = name.lower()
    return any(word in lowered for word in WORDS)


def keeps_alive(analysis: Analysis, func: Func, line: int) -> bool:
    """The function's name, or every awaited project call of the loop around the line, says that it keeps something
    alive."""
    scope = analysis.linked.program.scope(func)
    if _says_so(scope.name):
        return True
    loops = [loop for loop in analysis.linked.program.index(func).loops if _holds_line(loop, scope.sites, line)]
    if not loops:
        return False
    names = list(_awaited(analysis, func, loops[-1]))
    return bool(names) and all(_says_so(name) for name in names)


def _holds_line(loop: Loop, sites: object, line: int) -> bool:
    return any(isinstance(s, Await) and s.span.line <= line <= s.span.end_line for s in inside(loop.body)) or any(
        _site_line(s, sites) == line for s in inside(loop.body)
    )


def _site_line(step: Step, sites: object) -> int:
    from resilint.facts import Invoke

    if isinstance(step, Invoke):
        return sites[step.site].span.line  # type: ignore[index,no-any-return]
    return 0


def _awaited(analysis: Analysis, func: Func, loop: Loop) -> Iterator[str]:
    """Names of what the loop awaits, the waits themselves left out."""
    scope = analysis.linked.program.scope(func)
    for step in inside(loop.body):
        if not isinstance(step, Await) or not isinstance(step.value, Result):
            continue
        key = SiteKey(func.module, func.scope, step.value.site)
        if any(m.callable.wait for m in analysis.linked.calls.meanings(key)):
            continue
        site = scope.sites[step.value.site]
        targets = analysis.linked.inference.solver.get(("result", *key))
        if any(isinstance(t, Coro) for t in targets) or not analysis.linked.calls.meanings(key):
            yield _name(site.callee)


def _name(value: Value) -> str:
    if isinstance(value, (Attribute, Reference)):
        return value.name
    return ""

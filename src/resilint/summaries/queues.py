"""Queues of the event loop: which have no bound, and who puts into them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from resilint.domain import Interval, Role
from resilint.facts import Attribute, Reference
from resilint.link.entities import Ext, Func, Member, SiteKey
from resilint.link.infer import written_arguments
from resilint.link.roles import is_test_path
from resilint.summaries.analysis import Analysis
from resilint.summaries.sites import Placed, callees, evaluated, in_loop, opaque, placed, said

MAX_DEPTH = 4


class Put(NamedTuple):
    """A place that puts into a queue."""

    key: SiteKey
    why: str
    """Why this place alone can fill it: a loop, a callback, a handler; empty where it cannot."""


def unbounded(analysis: Analysis) -> Iterator[tuple[Placed, str]]:
    """Constructions of queues whose size is not given, zero or negative."""
    catalogue = analysis.linked.program.catalogue
    for place in placed(analysis):
        for entity in callees(analysis, place.key):
            if not isinstance(entity, Ext):
                continue
            size = next((t.queue for t in catalogue.traits(entity.path) if t.queue is not None), None)
            if size is not None and catalogue.klass(entity.path) is not None and _no_bound(analysis, place.key, size):
                yield place, entity.path
                break


def _no_bound(analysis: Analysis, key: SiteKey, size: str) -> bool:
    values = evaluated(analysis, key, size)
    if values is None:
        return not opaque(analysis, key)
    return all(isinstance(v, Interval) and v.hi is not None and v.hi <= 0 for v in values)


def producers(analysis: Analysis) -> dict[SiteKey, str]:
    """Construction to why it can grow, for the queues that can."""
    puts: dict[SiteKey, list[Put]] = {}
    for place in placed(analysis):
        if is_test_path(analysis.linked.program.path(place.key)):
            continue
        for queue, why in _put_by(analysis, place):
            puts.setdefault(queue, []).append(Put(place.key, why))
    found = {}
    for queue, places in puts.items():
        distinct = list(dict.fromkeys(places))
        alone = next((p.why for p in distinct if p.why), "")
        callers = {k for p in distinct for k in _places(analysis, p.key)}
        if len(callers) > 1:
            found[queue] = f"{len(callers)} places put into it"
        elif alone:
            found[queue] = alone
    return found


def _put_by(analysis: Analysis, place: Placed) -> Iterator[tuple[SiteKey, str]]:
    """The queues that a call puts into, or whose ``put`` it gives away."""
    for meaning, _ in said(analysis, place.key):
        made = getattr(meaning.receiver, "made", None)
        if meaning.callable.queue_put and made is not None:
            yield made, _why(analysis, place)
    for argument in place.site.arguments:
        for value in (argument.value,):
            for entity in analysis.linked.inference.of(place.key.module, place.key.scope, value):
                if isinstance(entity, Member) and entity.made is not None:
                    method = analysis.linked.program.catalogue.member(entity.of, entity.chain)
                    if method is not None and method.queue_put:
                        yield entity.made, "a callback puts into it"


def _why(analysis: Analysis, place: Placed) -> str:
    if in_loop(place.around):
        return "a loop puts into it"
    func = Func(place.key.module, place.key.scope)
    if analysis.linked.program.scope(func).kind not in ("function", "lambda"):
        return ""
    return _reached(analysis, func)


def _reached(analysis: Analysis, func: Func) -> str:
    """A handler, a callback, or a loop around a call reaches the function."""
    calls = analysis.linked.calls
    if func in analysis.reached_from(Role.HANDLER, Role.STREAM):
        return "a handler puts into it"
    seen = {func}
    pending = [(func, 0)]
    while pending:
        current, depth = pending.pop()
        if current in calls.escaping:
            return "a callback puts into it"
        for edge in analysis.product_edges(current):
            if edge.kind in ("callback", "thread"):
                return "a callback puts into it"
            if edge in _looped(analysis):
                return "a loop puts into it"
            if edge.attached and depth < MAX_DEPTH and edge.caller not in seen:
                seen.add(edge.caller)
                pending.append((edge.caller, depth + 1))
    return ""


def _looped(analysis: Analysis) -> frozenset[object]:
    """Edges whose call stands in a loop."""

    def compute() -> frozenset[object]:
        spans = {(p.key.module, p.key.scope, p.site.span) for p in placed(analysis) if in_loop(p.around)}
        inner = {(m, s, (span.line, span.column)) for m, s, span in spans}
        found = set()
        for edges in analysis.linked.calls.outgoing.values():
            for edge in edges:
                at = (edge.caller.module, edge.caller.scope)
                if (*at, edge.span) in spans or (*at, (edge.span.line, edge.span.column + len("await "))) in inner:
                    found.add(edge)
        return frozenset(found)

    return analysis.once("looped edges", compute)


def _places(analysis: Analysis, key: SiteKey) -> set[SiteKey]:
    """The places behind a put: the callers, where the function does nothing but hand on what it is given."""
    program = analysis.linked.program
    func = Func(key.module, key.scope)
    scope = program.scope(func)
    if scope.kind != "function":
        return {key}
    names = {p.name for p in scope.parameters}
    site = program.site(key)
    values = written_arguments(site, "*")
    handed_on = bool(values) and all(isinstance(v, Reference) and v.name in names for v in values)
    if not handed_on or isinstance(site.callee, Attribute) is False:
        return {key}
    callers = {
        k
        for k, _, _ in analysis.linked.inference.callers.get(func, ())
        if k.index >= 0 and not is_test_path(program.path(k))
    }
    return callers or {key}

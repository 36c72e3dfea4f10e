"""Queues of the event loop: which have no bound, and who puts into them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from resilint.domain import Interval, Role
from resilint.facts import Attribute, Reference, Result, ScopeValue, Value
from resilint.link.entities import Cls, Ext, Func, Inst, Member, SiteKey, ordered
from resilint.link.infer import written_argument, written_arguments
from resilint.link.roles import is_test_path
from resilint.summaries.analysis import Analysis
from resilint.summaries.sites import Placed, callees, evaluated, in_loop, opaque, place_of, placed, said

MAX_DEPTH = 4


class Put(NamedTuple):
    """A place that puts into a queue."""

    key: SiteKey
    why: str
    """Why this place alone can fill it: a loop, a callback, a handler; empty where it cannot."""


def unbounded(analysis: Analysis) -> Iterator[tuple[Placed, str]]:
    """Constructions of queues whose size is not given, zero or negative, and factories that make such ones."""
    catalogue = analysis.linked.program.catalogue
    for place in placed(analysis):
        for path in _factories(analysis, place):
            yield place, path
        for entity in callees(analysis, place.key):
            if not isinstance(entity, Ext):
                continue
            size = next((t.queue for t in catalogue.traits(entity.path) if t.queue is not None), None)
            if size is not None and catalogue.klass(entity.path) is not None and _no_bound(analysis, place.key, size):
                yield place, entity.path
                break


def _factories(analysis: Analysis, place: Placed) -> Iterator[str]:
    """``field(default_factory=Queue)``: the queue class that the field is filled with."""
    for meaning, _ in said(analysis, place.key):
        value = written_argument(place.site, meaning.callable.field_factory) if meaning.callable.field_factory else None
        if value is None:
            continue
        for entity in ordered(analysis.linked.inference.of(place.key.module, place.key.scope, value)):
            if isinstance(entity, Ext):
                traits = analysis.linked.program.catalogue.traits(entity.path)
                if any(t.queue is not None for t in traits):
                    yield entity.path


def _fields(analysis: Analysis) -> dict[tuple[Cls, str], SiteKey]:
    """Class and field to the call that fills it: the ``field(...)``, or the queue that its lambda makes."""

    def compute() -> dict[tuple[Cls, str], SiteKey]:
        found = {}
        program = analysis.linked.program
        for cls in program.layouts:
            for name, bindings in program.index(cls).names.items():
                for binding in bindings:
                    if not isinstance(binding.value, Result):
                        continue
                    key = SiteKey(cls.module, cls.scope, binding.value.site)
                    place = place_of(analysis, key)
                    if place is not None and any(True for _ in _factories(analysis, place)):
                        found[cls, name] = key
                    for argument in program.site(key).arguments:
                        if isinstance(argument.value, ScopeValue):
                            for returned in program.index(Func(cls.module, argument.value.scope)).returns:
                                if isinstance(returned, Result):
                                    found[cls, name] = SiteKey(cls.module, argument.value.scope, returned.site)
        return found

    return analysis.once("queue fields", compute)


def _field_of(analysis: Analysis, place: Placed, callee: Value) -> SiteKey | None:
    """The field whose queue the method is called on (``session.events.put``)."""
    if not isinstance(callee, Attribute) or not isinstance(callee.value, Attribute):
        return None
    holder = callee.value
    for owner in ordered(analysis.linked.inference.of(place.key.module, place.key.scope, holder.value)):
        if isinstance(owner, Inst) and isinstance(owner.of, Cls):
            for base in analysis.linked.inference.mro(owner.of):
                if isinstance(base, Cls) and (base, holder.name) in _fields(analysis):
                    return _fields(analysis)[base, holder.name]
    return None


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
        if not meaning.callable.queue_put:
            continue
        made = getattr(meaning.receiver, "made", None) or _field_of(analysis, place, place.site.callee)
        if made is not None:
            yield made, _why(analysis, place)
    for argument in place.site.arguments:
        for value in (argument.value,):
            for entity in analysis.linked.inference.of(place.key.module, place.key.scope, value):
                if not isinstance(entity, Member):
                    continue
                method = analysis.linked.program.catalogue.member(entity.of, entity.chain)
                made = entity.made or _field_of(analysis, place, value)
                if method is not None and method.queue_put and made is not None:
                    yield made, "a callback puts into it"


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

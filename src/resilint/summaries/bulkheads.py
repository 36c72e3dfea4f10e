"""Deadlines and bulkheads: which of the two is entered first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from resilint.domain import Hop, Span
from resilint.facts import (
    Attribute,
    Await,
    Branch,
    Invoke,
    Loop,
    Match,
    Reference,
    Result,
    Step,
    Try,
    Value,
    With,
    Yield,
)
from resilint.facts.walk import inside
from resilint.link.entities import Func, Inst, ManagedContext, SiteKey
from resilint.summaries.analysis import Analysis
from resilint.summaries.clients import paths_of
from resilint.summaries.sites import evaluated, leaves

MAX_DEPTH = 4


class Inside(NamedTuple):
    """A deadline that begins only after the slot has been waited for."""

    func: Func
    """Where the deadline stands."""
    span: Span
    deadline: str
    bulkhead: str
    entry: Func
    """The function that enters the bulkhead."""
    hops: tuple[Hop, ...] = ()
    """The calls from there to the deadline."""


class _Place(NamedTuple):
    bulkhead: str = ""
    """The bulkhead that has been entered without a deadline around it."""
    covered: bool = False


class Bulkheads:
    """Walks every function that enters a bulkhead."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.program = analysis.linked.program
        self.inference = analysis.linked.inference
        self._covered: dict[Func, frozenset[Span]] = {}
        self._entering: set[Func] = set()

    def found(self) -> Iterator[Inside]:
        for func in self.analysis.functions():
            if self.program.scope(func).is_async:
                found = list(self._steps(func, self.program.scope(func).body, _Place()))
                if found and not self._by_callers(func, 0):
                    yield from found

    def _steps(self, func: Func, steps: tuple[Step, ...], place: _Place) -> Iterator[Inside]:
        for step in steps:
            if isinstance(step, Invoke):
                yield from self._call(func, step.site, place)
                place = self._acquired(func, step.site, place)
            elif isinstance(step, With):
                inner = place
                for item in step.items:
                    yield from self._steps(func, item.entering, inner)
                    deadline = self._deadline(func, item.value)
                    if deadline and inner.bulkhead:
                        yield Inside(func, item.span, deadline, inner.bulkhead, func)
                    if deadline:
                        inner = _Place(covered=True)
                    elif not inner.covered and not inner.bulkhead:
                        inner = inner._replace(bulkhead=self._bulkhead(func, item.value))
                yield from self._steps(func, step.body, inner)
            else:
                for block in _blocks(step):
                    yield from self._steps(func, block, place)
            if self._releases(func, step):
                place = place._replace(bulkhead="")
            if leaves(step):
                return

    def _releases(self, func: Func, step: Step) -> bool:
        sites = self.program.scope(func).sites
        callees = (sites[one.site].callee for one in inside((step,)) if isinstance(one, Invoke))
        return any(isinstance(callee, Attribute) and callee.name == "release" for callee in callees)

    def _acquired(self, func: Func, number: int, place: _Place) -> _Place:
        """``await slots.acquire()``: from here to ``release()``."""
        if place.covered or not self.program.scope(func).sites[number].awaited:
            return place
        for meaning in self.analysis.linked.calls.meanings(SiteKey(func.module, func.scope, number)):
            if meaning.callable.bulkhead and meaning.callable.calls is None:
                return _Place(bulkhead=meaning.path)
        return place

    def _call(self, func: Func, number: int, place: _Place) -> Iterator[Inside]:
        key = SiteKey(func.module, func.scope, number)
        site = self.program.site(key)
        bulkhead = place.bulkhead
        for meaning in self.analysis.linked.calls.meanings(key):
            said = meaning.callable
            covers = said.deadline is not None and said.deadline.covers is not None
            if covers and place.bulkhead and self._finite(key, said.deadline.seconds if said.deadline else None):
                yield Inside(func, site.span, meaning.path, place.bulkhead, func)
            if covers:
                return
            if said.bulkhead and said.calls is not None and not place.covered:
                bulkhead = bulkhead or meaning.path
        if not bulkhead:
            return
        for edge in self.analysis.linked.calls.outgoing.get(func, ()):
            inner = (edge.span.end_line, edge.span.end_column) == (site.span.end_line, site.span.end_column)
            if edge.attached and inner and edge.callee != func and edge.kind in ("await", "call"):
                text = f"{self.analysis.name(func)} calls {self.analysis.name(edge.callee)}"
                hop = Hop(self.analysis.path(func), site.span.line, site.span.column, text)
                yield from self._first(edge.callee, bulkhead, func, hop)

    def _first(self, func: Func, bulkhead: str, entry: Func, hop: Hop) -> Iterator[Inside]:
        """A deadline around all that the called function does."""
        steps = self.program.scope(func).body
        while len(steps) == 1 and isinstance(steps[0], Try):
            steps = steps[0].body
        for step in steps:
            if isinstance(step, With):
                for item in step.items:
                    deadline = self._deadline(func, item.value)
                    if deadline:
                        yield Inside(func, item.span, deadline, bulkhead, entry, (hop,))

    # What a value is

    def _finite(self, key: SiteKey, spec: str | None) -> bool:
        values = evaluated(self.analysis, key, spec) if spec else None
        return values is not None and any(v is not None for v in values)

    def _deadline(self, func: Func, value: Value) -> str:
        """The name of the deadline that entering the value begins; empty where it begins none."""
        if isinstance(value, Reference):  # held in a variable first
            bindings = self.program.modules[func.module].index[func.scope].names.get(value.name, ())
            calls = [b.value for b in bindings if isinstance(b.value, Result)]
            return next((name for call in calls if (name := self._deadline(func, call))), "")
        if not isinstance(value, Result):
            return ""
        key = SiteKey(func.module, func.scope, value.site)
        for meaning in self.analysis.linked.calls.meanings(key):
            deadline = meaning.callable.deadline
            if deadline is not None and deadline.scope:
                return meaning.path if self._finite(key, deadline.seconds) else ""
        return self._around_yield(func, value, self._deadline)

    def _around_yield(self, func: Func, value: Value, look: Callable[[Func, Value], str]) -> str:
        """What a context manager of the project enters before it yields."""
        for entity in sorted(self.inference.of(func.module, func.scope, value), key=repr):
            if not isinstance(entity, ManagedContext):
                continue
            for target, _, _ in self.inference.targets(entity.func):
                if target in self._entering:
                    continue
                self._entering.add(target)
                found = ""
                for step in inside(self.program.scope(target).body):
                    if isinstance(step, With) and any(isinstance(s, Yield) for s in inside(step.body)):
                        found = found or next((n for i in step.items if (n := look(target, i.value))), "")
                self._entering.discard(target)
                if found:
                    return found
        return ""

    def _bulkhead(self, func: Func, value: Value) -> str:
        """The name of the bulkhead that entering the value waits for; empty where it is none."""
        catalogue = self.program.catalogue
        if isinstance(value, Result):
            for meaning in self.analysis.linked.calls.meanings(SiteKey(func.module, func.scope, value.site)):
                if meaning.callable.bulkhead:
                    return meaning.path
        for entity in sorted(self.inference.of(func.module, func.scope, value), key=repr):
            if isinstance(entity, Inst):
                for path in paths_of(self.analysis, entity):
                    for trait in catalogue.traits(path):
                        if trait.bulkhead or (trait.enter is not None and trait.enter.bulkhead):
                            return path
        return self._around_yield(func, value, self._bulkhead)

    # Whether the callers have a deadline around it

    def _by_callers(self, func: Func, depth: int) -> bool:
        edges = [e for e in self.analysis.product_edges(func) if e.attached and e.caller != func]
        if not edges or depth > MAX_DEPTH or func in self.analysis.linked.roles.entries:
            return False
        return all(e.span in self._under(e.caller) or self._by_callers(e.caller, depth + 1) for e in edges)

    def _under(self, func: Func) -> frozenset[Span]:
        """The calls and awaits of a function that stand under a deadline."""
        if func not in self._covered:
            scope = self.program.scope(func)
            found: set[Span] = set()
            for step in inside(scope.body):
                if isinstance(step, With) and any(self._deadline(func, item.value) for item in step.items):
                    for one in inside(step.body):
                        if isinstance(one, Invoke):
                            found.add(scope.sites[one.site].span)
                        elif isinstance(one, Await):
                            found.add(one.span)
                elif isinstance(step, Invoke):
                    key = SiteKey(func.module, func.scope, step.site)
                    for meaning in self.analysis.linked.calls.meanings(key):
                        deadline = meaning.callable.deadline
                        if deadline and deadline.covers and self._finite(key, deadline.seconds):
                            found.add(scope.sites[step.site].span)
            self._covered[func] = frozenset(found)
        return self._covered[func]


def _blocks(step: Step) -> Iterator[tuple[Step, ...]]:
    if isinstance(step, Branch):
        yield step.body
        yield step.orelse
    elif isinstance(step, Loop):
        yield (*step.condition, *step.body)
        yield step.orelse
    elif isinstance(step, Try):
        yield step.body
        for handler in step.handlers:
            yield handler.body
        yield step.orelse
        yield step.final
    elif isinstance(step, Match):
        for case in step.cases:
            yield (*case.guarding, *case.body)

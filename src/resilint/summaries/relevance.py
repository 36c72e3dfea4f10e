"""Which functions matter to waits and deadlines, which of their parameters do, and what their names refer to.

Everything here is an over-approximation that keeps the interpreter away from code that cannot change a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from resilint.catalogue import Callable_
from resilint.facts import (
    Attribute,
    Await,
    Bind,
    Branch,
    Break,
    Compare,
    Continue,
    Define,
    Invoke,
    Load,
    Loop,
    Match,
    Raise,
    Reference,
    Result,
    Return,
    Scope,
    Site,
    Star,
    Step,
    Try,
    Value,
    With,
    Yield,
)
from resilint.facts.walk import inside
from resilint.link.calls import is_receiver_like_client
from resilint.link.entities import Bound, Cls, Func, Inst, SiteKey
from resilint.link.infer import written_argument
from resilint.link.linked import Linked


def references(value: object) -> Iterator[str]:
    """All names in a value (not those in the calls that it refers to)."""
    if isinstance(value, Reference):
        yield value.name
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from references(getattr(value, field))
    elif isinstance(value, tuple):
        for item in value:
            yield from references(item)


def results(value: object) -> Iterator[int]:
    """The call sites that a value refers to."""
    if isinstance(value, Result):
        yield value.site
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from results(getattr(value, field))
    elif isinstance(value, tuple):
        for item in value:
            yield from results(item)


class Slice(NamedTuple):
    """The part of a function that can change a verdict."""

    steps: frozenset[int]
    """Identities of the steps to follow; the others are passed over."""
    parameters: frozenset[str]
    """Parameters whose value can change a wait, a bound, a deadline, a branch before them or a callee."""


class Relevance:
    """Answers are cached; the linked program does not change."""

    def __init__(self, linked: Linked) -> None:
        self.linked = linked
        self.program = linked.program
        self.waiting: frozenset[Func]
        """Functions from which a wait is reached."""
        self.calling: frozenset[Func]
        """Functions from which an outbound call is reached."""
        self.waiting, self.calling, limiting = self._find()
        self.matters = self.waiting | self.calling | limiting
        self._slices: dict[tuple[Func, bool], Slice] = {}
        self._free: dict[tuple[int, int], frozenset[str]] = {}
        self._busy: set[tuple[Func, bool]] = set()

    def _find(self) -> tuple[frozenset[Func], frozenset[Func], frozenset[Func]]:
        waiting: set[Func] = set()
        calling: set[Func] = set()
        limiting: set[Func] = set()
        for module in self.program.product():
            for number, scope in enumerate(module.facts.scopes):
                func = Func(module.number, number)
                for position, site in enumerate(scope.sites):
                    key = SiteKey(module.number, number, position)
                    for meaning in self.linked.calls.meanings(key):
                        said = meaning.callable
                        if said.wait is not None or said.retry is not None or said.awaits_event:
                            waiting.add(func)
                        if said.outbound is not None and said.outbound in self.program.settings.outbound_groups:
                            calling.add(func)
                        if said.deadline is not None and said.outbound is None and scope.is_generator:
                            limiting.add(func)  # a context manager that brings a deadline
                    if is_receiver_like_client(self.linked.inference, key, site):
                        calling.add(func)
                for result in self._entered_clients(func, scope):
                    calling.add(result)
                if self._awaits_parameter(func, scope):
                    waiting.add(func)
                    calling.add(func)
                for decorator in scope.decorators:
                    if self._retries(module.number, scope.parent, decorator.value):
                        waiting.add(func)
        return self._closure(waiting), self._closure(calling), frozenset(limiting)

    def _awaits_parameter(self, func: Func, scope: Scope) -> bool:
        """It runs what it is given."""
        names = {p.name for p in scope.parameters}
        return any(isinstance(a.value, Reference) and a.value.name in names for a in self.program.index(func).awaits)

    def _entered_clients(self, func: Func, scope: Scope) -> Iterator[Func]:
        """``async with Client()`` can be an outbound call itself."""
        for item, _ in self.program.index(func).withs:
            if isinstance(item.value, Result):
                for entity in self.linked.inference.solver.get(("result", func.module, func.scope, item.value.site)):
                    path = getattr(getattr(entity, "of", None), "path", "")
                    if path and any(
                        t.enter is not None and t.enter.outbound for t in self.program.catalogue.traits(path)
                    ):
                        yield func

    def _closure(self, found: set[Func]) -> frozenset[Func]:
        """With everything that reaches them."""
        pending = list(found)
        while pending:
            func = pending.pop()
            for edge in self.linked.calls.incoming.get(func, ()):
                if edge.caller not in found:
                    found.add(edge.caller)
                    pending.append(edge.caller)
        return frozenset(found)

    def _retries(self, module: int, scope: int, value: Value) -> bool:
        if isinstance(value, Result):
            return any(m.callable.retry for m in self.linked.calls.meanings(SiteKey(module, scope, value.site)))
        for entity in self.linked.inference.of(module, scope, value):
            meaning = self.linked.calls.meaning(entity)
            if meaning is not None and meaning.callable.retry is not None:
                return True
        return False

    # Slices

    def relevant(self, func: Func) -> frozenset[str]:
        return self.slice(func, False).parameters

    def slice(self, func: Func, for_value: bool) -> Slice:
        """What to follow for the function's effects, or for the value that it returns."""
        key = (func, for_value)
        known = self._slices.get(key)
        if known is None:
            scope = self.program.scope(func)
            if key in self._busy:
                return Slice(frozenset(), frozenset(p.name for p in scope.parameters))
            self._busy.add(key)
            known = _Slicer(self, func, scope, for_value).slice()
            self._busy.discard(key)
            self._slices[key] = known
        return known

    def free_names(self, module: int, scope: int) -> frozenset[str]:
        """Names that a nested function reads and does not bind itself."""
        key = (module, scope)
        known = self._free.get(key)
        if known is None:
            one = self.program.modules[module].facts.scopes[scope]
            index = self.program.modules[module].index[scope]
            used = set(references(one.body)) | set(references(one.sites))
            for child in self.program.modules[module].children[scope]:
                used |= self.free_names(module, child)
            known = self._free[key] = frozenset(used - index.names.keys() - {p.name for p in one.parameters})
        return known


def _acts(said: Callable_) -> bool:
    """The call has an effect on waits, deadlines or outbound calls, or hands on something that has."""
    return bool(
        said.wait
        or said.deadline
        or said.retry
        or said.spawn
        or said.awaits
        or said.calls
        or said.runs_main
        or said.shields
        or said.exits
        or said.outbound
        or said.cancels_task
        or said.partial
        or said.awaits_event
    )


class _Slicer:
    """Makes one slice: names and calls are wanted until nothing more is."""

    def __init__(self, relevance: Relevance, func: Func, scope: Scope, for_value: bool) -> None:
        self.relevance = relevance
        self.linked = relevance.linked
        self.func = func
        self.scope = scope
        self.for_value = for_value
        self.names: set[str] = set()
        self.sites: set[int] = set()
        self.loud: set[int] = set()
        self.done: set[int] = set()
        self.acting = {i for i in range(len(scope.sites)) if self._site_acts(i)}
        self.properties = relevance.linked.calls.properties

    def want(self, value: object) -> None:
        self.names.update(references(value))
        self.sites.update(results(value))

    def _site_acts(self, position: int) -> bool:
        key = SiteKey(self.func.module, self.func.scope, position)
        if any(_acts(m.callable) for m in self.linked.calls.meanings(key)):
            return True
        callee = self.scope.sites[position].callee
        if isinstance(callee, Attribute) and callee.name == "cancel":
            return True
        callees = self.linked.inference.solver.get(("callees", *key))
        for entity in callees:
            for target, _, _ in self.linked.inference.targets(entity):
                if target in self.relevance.matters:
                    return True
        if isinstance(callee, Reference):
            # A parameter or local that is called can be anything the caller passes.
            owner = self.linked.inference.owner_scope(self.func.module, self.func.scope, callee.name)
            return owner > 0
        if is_receiver_like_client(self.linked.inference, key, self.scope.sites[position]):
            return True
        return not callees and isinstance(callee, Attribute) and self._is_parameter(callee.value)

    def _is_parameter(self, value: Value) -> bool:
        return isinstance(value, Reference) and value.name in {"self", "cls"}

    def slice(self) -> Slice:
        for child in self.relevance.program.modules[self.func.module].children[self.func.scope]:
            kind = self.relevance.program.modules[self.func.module].facts.scopes[child].kind
            if kind in ("function", "lambda"):
                self.names |= self.relevance.free_names(self.func.module, child)
        while True:
            before = (len(self.names), len(self.sites), len(self.loud))
            for position in self.acting - self.done:
                self.done.add(position)
                self._want_arguments(position)
            for position in self.sites - self.done:
                self.done.add(position)
                self.want(self.scope.sites[position].callee)
                for argument in self.scope.sites[position].arguments:
                    self.want(argument.value)
            self._walk(self.scope.body)
            if (len(self.names), len(self.sites), len(self.loud)) == before:
                break
        parameters = frozenset(p.name for p in self.scope.parameters) & self.names
        return Slice(frozenset(self.loud), parameters)

    def _want_arguments(self, position: int) -> None:
        """Of a call that acts: the callee, and the arguments that decide what it does."""
        key = SiteKey(self.func.module, self.func.scope, position)
        site = self.scope.sites[position]
        self.want(site.callee)
        specs: set[str] | None = set()
        for meaning in self.linked.calls.meanings(key):
            said = meaning.callable
            only = bool(said.outbound) and not (said.wait or said.spawn or said.awaits or said.calls or said.shields)
            if only and specs is not None:
                if said.deadline is not None and said.deadline.seconds:
                    specs.add(said.deadline.seconds)
                specs.update(c.argument for c in said.when)
            else:
                specs = None
        targets = [
            (target, offset)
            for entity in self.linked.inference.solver.get(("callees", *key))
            for target, offset, _ in self.linked.inference.targets(entity)
        ]
        if specs is not None and (self.linked.calls.meanings(key) and not targets):
            for spec in sorted(specs):
                self.want(written_argument(site, spec))
            return
        if specs is None or not targets:
            for argument in site.arguments:
                self.want(argument.value)
            return
        for target, offset in targets:
            if target in self.relevance.matters:
                self._want_for(site, target, offset)
        for argument in site.arguments:
            if set(results(argument.value)) & self.acting:
                self.want(argument.value)

    def _want_for(self, site: Site, target: Func, offset: int) -> None:
        relevant = self.relevance.slice(target, False).parameters
        parameters = self.relevance.program.scope(target).parameters
        seen = 0
        for argument in site.arguments:
            if argument.name == "":
                place = seen + offset
                seen += 1
                if place < len(parameters) and parameters[place].kind in ("positional", "normal"):
                    if parameters[place].name in relevant:
                        self.want(argument.value)
                    continue
                self.want(argument.value)
            elif (
                argument.name in ("*", "**")
                or argument.name in relevant
                or all(p.name != argument.name for p in parameters)
            ):
                self.want(argument.value)

    def _walk(self, steps: tuple[Step, ...]) -> bool:
        """Mark the steps that count; whether there are any."""
        found = False
        for step in steps:
            if self._step(step):
                self.loud.add(id(step))
                found = True
        return found

    def _step(self, step: Step) -> bool:
        kind = type(step)
        if kind is Invoke:
            return step.site in self.acting or step.site in self.sites  # type: ignore[union-attr]
        if kind is Bind:
            target = step.target  # type: ignore[union-attr]
            if isinstance(target, Reference):
                wanted = target.name in self.names
            else:
                wanted = isinstance(target, Attribute) or bool(set(references(target)) & self.names)
                if isinstance(target, Attribute) and step.value is not None:  # type: ignore[union-attr]
                    wanted = bool(set(results(step.value)) & self.acting)  # type: ignore[union-attr]
            if wanted:
                self.want(step.value)  # type: ignore[union-attr]
            return wanted
        if kind is Await:
            value = step.value  # type: ignore[union-attr]
            if isinstance(value, Result):
                return value.site in self.acting or value.site in self.sites
            self.want(value)
            return True
        if kind is Load:
            value = step.value  # type: ignore[union-attr]
            return isinstance(value, Attribute) and value.name in self.properties
        if kind in (Raise, Break, Continue, Define):
            return True
        if kind is Star:
            return False
        if kind is Return:
            value = step.value  # type: ignore[union-attr]
            if value is not None and (self.for_value or not self.scope.is_async):
                self.want(value)
            return True
        if kind is Yield:
            if step.value is not None:  # type: ignore[union-attr]
                self.want(step.value)  # type: ignore[union-attr]
            return True
        return self._block(step)

    def _block(self, step: Step) -> bool:
        if isinstance(step, Branch):
            inner = self._walk(step.body)
            inner = self._walk(step.orelse) or inner
            if inner:
                self.want(step.test)
            return inner
        if isinstance(step, Loop):
            inner = self._walk(step.condition)
            inner = self._walk(step.body) or inner
            inner = self._walk(step.orelse) or inner
            inner = inner and self._does_more_than_leave((*step.condition, *step.body, *step.orelse))
            inner = inner or self._iterates_generator(step) or self._retries(step)
            if inner:
                self.want(step.subject)
                if step.target is not None and step.kind in ("comprehension", "generator"):
                    pass
            return inner
        if isinstance(step, With):
            inner = False
            for item in step.items:
                inner = self._walk(item.entering) or inner
                inner = inner or bool(set(results(item.value)) & self.acting) or self._enters(item.value)
            inner = self._walk(step.body) or inner
            if inner:
                for item in step.items:
                    self.want(item.value)
            return inner
        if isinstance(step, Try):
            inner = self._walk(step.body)
            for handler in step.handlers:
                inner = self._walk(handler.body) or inner
            inner = self._walk(step.orelse) or inner
            return self._walk(step.final) or inner
        if isinstance(step, Match):
            inner = False
            for case in step.cases:
                inner = self._walk(case.guarding) or inner
                inner = self._walk(case.body) or inner
            if inner:
                self.want(step.subject)
                for case in step.cases:
                    self.want(case.guard)
            return inner
        return True

    def _does_more_than_leave(self, steps: tuple[Step, ...]) -> bool:
        """A loop that only looks and leaves changes no wait."""
        return any(
            id(s) in self.loud
            and not isinstance(s, (Branch, Break, Continue, Return, Raise, Try, With, Match, Loop, Define))
            for s in inside(steps)
        )

    def _enters(self, value: Value) -> bool:
        """Entering the context runs code of the project that matters."""
        for entity in self.linked.inference.of(self.func.module, self.func.scope, value):
            if isinstance(entity, Inst) and isinstance(entity.of, Cls):
                for name in ("__aenter__", "__enter__"):
                    for method in self.linked.inference.attribute(entity, name):
                        if isinstance(method, Bound) and method.func in self.relevance.matters:
                            return True
        return False

    def _retries(self, step: Loop) -> bool:
        """``for attempt in Retrying(...)`` waits between its iterations."""
        return any(
            m.callable.retry is not None
            for position in results(step.subject)
            for m in self.linked.calls.meanings(SiteKey(self.func.module, self.func.scope, position))
        )

    def _iterates_generator(self, step: Loop) -> bool:
        from resilint.link.entities import Generator

        for entity in self.linked.inference.of(self.func.module, self.func.scope, step.subject):
            if isinstance(entity, Generator):
                return any(f in self.relevance.matters for f, _, _ in self.linked.inference.targets(entity.func))
        return False


__all__ = ["Compare", "Relevance", "Slice", "references", "results"]

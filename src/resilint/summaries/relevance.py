"""Which functions matter to waits and deadlines, which of their parameters do, and what their names refer to.

Everything here is an over-approximation that keeps the interpreter away from code that cannot change a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from resilint.facts import (
    Await,
    Bind,
    Branch,
    Compare,
    Loop,
    Match,
    Reference,
    Result,
    Return,
    Site,
    Step,
    Try,
    Value,
    With,
    Yield,
)
from resilint.link.calls import is_receiver_like_client
from resilint.link.entities import Func, SiteKey
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


class Relevance:
    """Answers are cached; the linked program does not change."""

    def __init__(self, linked: Linked) -> None:
        self.linked = linked
        self.program = linked.program
        self.matters = self._find_matters()
        self._relevant: dict[Func, frozenset[str]] = {}
        self._free: dict[tuple[int, int], frozenset[str]] = {}
        self._busy: set[Func] = set()

    def _find_matters(self) -> frozenset[Func]:
        """Functions from which a wait, a deadline's subject or an outbound call is reached."""
        linked = self.linked
        found: set[Func] = set()
        for module in self.program.product():
            for number, scope in enumerate(module.facts.scopes):
                func = Func(module.number, number)
                if any(self._has_effect(SiteKey(module.number, number, i), site) for i, site in enumerate(scope.sites)):
                    found.add(func)
                    owner = scope.parent
                    if scope.kind != "function" and owner >= 0:
                        found.add(Func(module.number, owner))
                for decorator in scope.decorators:
                    if self._retries(module.number, scope.parent, decorator.value):
                        found.add(func)
        pending = list(found)
        while pending:
            func = pending.pop()
            for edge in linked.calls.incoming.get(func, ()):
                if edge.caller not in found:
                    found.add(edge.caller)
                    pending.append(edge.caller)
        return frozenset(found)

    def _has_effect(self, key: SiteKey, site: Site) -> bool:
        for meaning in self.linked.calls.meanings(key):
            said = meaning.callable
            if said.wait is not None or said.retry is not None or (said.deadline is not None and said.outbound is None):
                return True
            if said.outbound is not None and said.outbound in self.program.settings.outbound_groups:
                return True
        return is_receiver_like_client(self.linked.inference, key, site)

    def _retries(self, module: int, scope: int, value: Value) -> bool:
        if isinstance(value, Result):
            return any(m.callable.retry for m in self.linked.calls.meanings(SiteKey(module, scope, value.site)))
        for entity in self.linked.inference.of(module, scope, value):
            meaning = self.linked.calls.meaning(entity)
            if meaning is not None and meaning.callable.retry is not None:
                return True
        return False

    # Parameters

    def relevant(self, func: Func) -> frozenset[str]:
        """Parameters whose value can change a wait, a bound, a deadline, a branch or a callee."""
        known = self._relevant.get(func)
        if known is not None:
            return known
        scope = self.program.scope(func)
        names = frozenset(p.name for p in scope.parameters)
        if func in self._busy:
            return names
        self._busy.add(func)
        wanted: set[str] = set()
        sites: set[int] = set()

        def want(value: object) -> None:
            wanted.update(references(value))
            sites.update(results(value))

        def walk(steps: tuple[Step, ...]) -> None:
            for step in steps:
                if isinstance(step, Branch):
                    want(step.test)
                    walk(step.body)
                    walk(step.orelse)
                elif isinstance(step, Loop):
                    want(step.subject)
                    walk(step.condition)
                    walk(step.body)
                    walk(step.orelse)
                elif isinstance(step, With):
                    for item in step.items:
                        want(item.value)
                        walk(item.entering)
                    walk(step.body)
                elif isinstance(step, Try):
                    walk(step.body)
                    for handler in step.handlers:
                        walk(handler.body)
                    walk(step.orelse)
                    walk(step.final)
                elif isinstance(step, Match):
                    want(step.subject)
                    for case in step.cases:
                        want(case.guard)
                        walk(case.guarding)
                        walk(case.body)
                elif isinstance(step, Await):
                    want(step.value)
                elif isinstance(step, (Return, Yield)):
                    want(step.value)

        walk(scope.body)
        binds = list(self._binds(scope.body))
        done: set[int] = set()
        changed = True
        while changed:
            changed = False
            for position in range(len(scope.sites)):
                if position in done:
                    continue
                site = scope.sites[position]
                key = SiteKey(func.module, func.scope, position)
                if position in sites or self._passes_on(key):
                    done.add(position)
                    before = len(wanted)
                    want(site.callee)
                    for argument in site.arguments:
                        want(argument.value)
                    changed = True
            for bind in binds:
                if bind.value is not None and set(references(bind.target)) & wanted:
                    before = len(wanted), len(sites)
                    want(bind.value)
                    if (len(wanted), len(sites)) != before:
                        changed = True
        for child in self.program.modules[func.module].children[func.scope]:
            kind = self.program.modules[func.module].facts.scopes[child].kind
            if kind in ("function", "lambda"):
                wanted |= self.free_names(func.module, child)
        self._busy.discard(func)
        known = frozenset(wanted & names)
        self._relevant[func] = known
        return known

    def _passes_on(self, key: SiteKey) -> bool:
        """The call's arguments can matter: it waits, has a catalogued effect, or runs a project function that matters."""
        for meaning in self.linked.calls.meanings(key):
            said = meaning.callable
            if (
                said.wait
                or said.deadline
                or said.retry
                or said.spawn
                or said.awaits
                or said.calls
                or said.partial
                or said.outbound
                or said.number
                or said.iterator
                or said.shields
                or said.exits
            ):
                return True
        callees = self.linked.inference.solver.get(("callees", *key))
        if not callees:
            return True
        for entity in callees:
            for func, _, _ in self.linked.inference.targets(entity):
                if func in self.matters:
                    return True
        return False

    def _binds(self, steps: tuple[Step, ...]) -> Iterator[Bind]:
        for step in steps:
            if isinstance(step, Bind):
                yield step
            elif isinstance(step, Branch):
                yield from self._binds(step.body)
                yield from self._binds(step.orelse)
            elif isinstance(step, Loop):
                yield from self._binds(step.condition)
                yield from self._binds(step.body)
                yield from self._binds(step.orelse)
            elif isinstance(step, With):
                for item in step.items:
                    yield from self._binds(item.entering)
                yield from self._binds(step.body)
            elif isinstance(step, Try):
                yield from self._binds(step.body)
                for handler in step.handlers:
                    yield from self._binds(handler.body)
                yield from self._binds(step.orelse)
                yield from self._binds(step.final)
            elif isinstance(step, Match):
                for case in step.cases:
                    yield from self._binds(case.body)

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


__all__ = ["Compare", "Relevance", "references", "results"]

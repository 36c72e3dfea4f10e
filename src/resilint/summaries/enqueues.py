"""Work that is queued instead of done: which calls queue it, and which functions reach such a call while attached."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from resilint.domain import Confidence, Hop, Span
from resilint.facts import Attribute, Reference, Result, Site
from resilint.link.calls import Meaning
from resilint.link.entities import (
    NONE,
    Bound,
    Cls,
    Coro,
    Entities,
    Entity,
    Ext,
    Func,
    Inst,
    Partial,
    SiteKey,
    Task,
    ordered,
)
from resilint.link.entities import Member as ExtMember
from resilint.link.infer import written_arguments
from resilint.summaries.analysis import Analysis
from resilint.summaries.fates import End, Fates

CLEANING = frozenset(
    {
        "clean",
        "cleanup",
        "remove",
        "delete",
        "unlink",
        "rmtree",
        "close",
        "aclose",
        "purge",
        "dispose",
        "discard",
        "evict",
    }
)
"""What is done after an answer with such a name belongs to the answer; it is no work of its own."""
NEAR = 2
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_INSERTS = frozenset({"add", "save", "insert", "insert_one", "create", "put", "persist", "store", "add_task", "append"})
_DUE_FIELDS = frozenset(
    {
        "next_attempt_at",
        "next_run_at",
        "next_poll_at",
        "retry_count",
        "attempts",
        "attempt_count",
        "max_attempts",
        "locked_at",
        "run_at",
    }
)
"""A class with one of these fields is a task that somebody takes up later."""


def words(name: str) -> list[str]:
    """The words of a name in snake or camel case, in lower case."""
    return [word.lower() for word in _WORDS.findall(name)]


class Enqueue(NamedTuple):
    """A call that queues work."""

    key: SiteKey
    span: Span
    what: str
    confidence: Confidence
    task: bool = False
    """Only a task of the event loop: how code also does things on the side, so that it counts nearby only."""


class Enqueues:
    """Finds them for all functions of a program."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.program = analysis.linked.program
        self.inference = analysis.linked.inference
        self.calls = analysis.linked.calls
        self._own: dict[Func, dict[int, Enqueue]] = {}
        self._awaited = self._awaited_tasks()
        self.queues = self._reach_back()
        """Functions that reach a queue."""
        self.tasks = self._near_tasks()
        """Functions that start a task which nobody awaits, and how many calls below."""

    def own(self, func: Func) -> dict[int, Enqueue]:
        """The queueing calls that the function itself makes, by site."""
        known = self._own.get(func)
        if known is None:
            found = {}
            for position, site in enumerate(self.program.scope(func).sites):
                one = self._at(SiteKey(func.module, func.scope, position), site)
                if one is not None:
                    found[position] = one
            known = self._own[func] = found
        return known

    def reaches(self, func: Func, calls: int, tasks: bool = True) -> bool:
        """It queues work, itself or through what it calls; a task counts where at most ``NEAR`` calls lie between."""
        return func in self.queues or (tasks and self.tasks.get(func, NEAR + 1) + calls <= NEAR)

    def way(self, func: Func) -> tuple[Enqueue, tuple[Hop, ...]] | None:
        """The nearest queueing call below the function, and the calls up to it, lowest first."""
        queue: list[tuple[Func, tuple[Hop, ...]]] = [(func, ())]
        seen = {func}
        while queue:
            current, hops = queue.pop(0)
            for one in self.own(current).values():
                if one.task and len(hops) > NEAR:
                    continue
                path = self.analysis.path(current)
                first = Hop(path, one.span.line, one.span.column, f"{one.what} queues the work")
                return one, (first, *hops)
            for edge in self.calls.outgoing.get(current, ()):
                if (
                    follows(edge.attached, edge.kind)
                    and edge.callee not in seen
                    and self.reaches(edge.callee, len(hops) + 1)
                ):
                    seen.add(edge.callee)
                    text = f"{self.analysis.name(current)} calls {self.analysis.name(edge.callee)}"
                    hop = Hop(self.analysis.path(current), edge.span.line, edge.span.column, text)
                    queue.append((edge.callee, (hop, *hops)))
        return None

    # One call

    def _at(self, key: SiteKey, site: Site) -> Enqueue | None:
        for meaning in self.calls.meanings(key):
            if self._queues(meaning, key, site):
                task = not meaning.callable.enqueue and not (meaning.callable.spawn and meaning.callable.spawn.enqueues)
                return Enqueue(key, site.span, meaning.path, Confidence.HIGH, task)
        name = site.callee.name if isinstance(site.callee, (Attribute, Reference)) else ""
        callees = self.inference.solver.get(("callees", *key))
        if name.lstrip("_").lower().startswith("enqueue") and not self.calls.meanings(key) and self._may_queue(callees):
            return Enqueue(key, site.span, name, Confidence.HIGH if callees else Confidence.MEDIUM)
        if name.lstrip("_") in _INSERTS and any(self._is_task(key, argument.value) for argument in site.arguments):
            return Enqueue(key, site.span, name, Confidence.MEDIUM)
        return None

    def _may_queue(self, callees: Entities) -> bool:
        """By name alone: a function of the project, of an unknown class, or nothing that is known."""
        return all(isinstance(entity, (Func, Bound, Partial, ExtMember, Ext)) for entity in callees - NONE)

    def _queues(self, meaning: Meaning, key: SiteKey, site: Site) -> bool:
        said = meaning.callable
        spawn = said.spawn
        if said.enqueue or (spawn is not None and spawn.enqueues):
            return not (spawn is not None and spawn.kind == "background" and self._only_cleans(key, site, spawn.what))
        if spawn is not None and spawn.task and not spawn.tracked and not spawn.attached and not spawn.thread:
            if key in self._awaited or self._only_cleans(key, site, spawn.what):
                return False
            ends = Fates.of(self.analysis).ends(key)
            return not any(self._awaits(end) or self._is_own(end) for end in ends)
        return False

    def _is_own(self, end: End) -> bool:
        """Kept in an attribute: a task that an object lives by (``self._reader = create_task(...)``)."""
        return end.use.kind == "store" and isinstance(end.use.target, Attribute)

    def _awaits(self, end: End) -> bool:
        """The task ends at an await, or in a call that awaits what it is given."""
        if end.use.kind == "await":
            return True
        return end.use.kind == "argument" and any(
            m.callable.awaits or m.callable.shields or (m.callable.deadline is not None and m.callable.deadline.covers)
            for m in self.calls.meanings(end.key)
        )

    def _only_cleans(self, key: SiteKey, site: Site, spec: str) -> bool:
        names = [
            name
            for value in written_arguments(site, spec)
            for entity in ordered(self.inference.of(key.module, key.scope, value))
            if (name := self._name(entity))
        ]
        return bool(names) and all(CLEANING & set(words(name)) for name in names)

    def _name(self, entity: Entity) -> str:
        if isinstance(entity, (Coro, Task, Partial)):
            return self._name(entity.target)
        if isinstance(entity, Bound):
            return self.program.scope(entity.func).name
        if isinstance(entity, Func):
            return self.program.scope(entity).name
        if isinstance(entity, Ext):
            return entity.path.rpartition(".")[2]
        return entity.chain.rpartition(".")[2] if isinstance(entity, ExtMember) else ""

    def _is_task(self, key: SiteKey, value: object) -> bool:
        """An instance of a class that says when it is due, or how often it was tried."""
        if not isinstance(value, (Reference, Result)):
            return False
        for entity in self.inference.of(key.module, key.scope, value):
            if isinstance(entity, Inst) and isinstance(entity.of, Cls) and self.is_task_class(entity.of):
                return True
        return False

    def is_task_class(self, cls: Cls) -> bool:
        for base in self.inference.mro(cls):
            if isinstance(base, Cls):
                index = self.program.index(base)
                if _DUE_FIELDS & (index.annotations.keys() | index.names.keys()):
                    return True
        return False

    # All functions

    def _awaited_tasks(self) -> frozenset[SiteKey]:
        """Sites that make a task which somebody awaits later."""
        found: set[SiteKey] = set()

        def note(types: Entities) -> None:
            found.update(entity.site for entity in types if isinstance(entity, Task))

        for module in self.program.modules:
            for number, scope in enumerate(module.facts.scopes):
                for await_ in module.index[number].awaits:
                    note(self.inference.of(module.number, number, await_.value))
                for position, site in enumerate(scope.sites):
                    key = SiteKey(module.number, number, position)
                    for meaning in self.calls.meanings(key):
                        said = meaning.callable
                        covers = said.deadline.covers if said.deadline is not None else None
                        for spec in (said.awaits, said.shields, covers):
                            for value in written_arguments(site, spec) if spec else ():
                                note(self.calls.flattened(key, value))
        return frozenset(found)

    def _reach_back(self) -> frozenset[Func]:
        found = {f for f in self.program.functions() if any(not one.task for one in self.own(f).values())}
        pending = list(found)
        while pending:
            func = pending.pop()
            for edge in self.calls.incoming.get(func, ()):
                if follows(edge.attached, edge.kind) and edge.caller not in found:
                    found.add(edge.caller)
                    pending.append(edge.caller)
        return frozenset(found)

    def _near_tasks(self) -> dict[Func, int]:
        found = {f: 0 for f in self.program.functions() if any(one.task for one in self.own(f).values())}
        last = list(found)
        for distance in range(1, NEAR + 1):
            last = [
                edge.caller
                for func in last
                for edge in self.calls.incoming.get(func, ())
                if follows(edge.attached, edge.kind) and _add_missing(found, edge.caller, distance)
            ]
        return found


def _add_missing(found: dict[Func, int], func: Func, distance: int) -> bool:
    if func in found:
        return False
    found[func] = distance
    return True


def follows(attached: bool, kind: str) -> bool:
    """Calls that belong to the handler's own work; what is injected before it runs does not."""
    return attached and kind != "dependency"


def enqueues(analysis: Analysis) -> Enqueues:
    """Computed once."""
    return analysis.once("enqueues", lambda: Enqueues(analysis))


def spans(found: dict[int, Enqueue]) -> Iterator[Span]:
    for one in found.values():
        yield one.span

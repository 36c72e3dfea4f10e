"""Calls that block the event loop: in which async function, by which call, along which sync functions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from resilint.domain import Confidence, Span
from resilint.facts import (
    Attribute,
    Boolean,
    Branch,
    Compare,
    Constant,
    Handler,
    Invoke,
    Load,
    Loop,
    Match,
    Not,
    Reference,
    Result,
    Return,
    Step,
    Try,
    Value,
    With,
)
from resilint.link.calls import Meaning
from resilint.link.entities import (
    NONE,
    Cls,
    Entity,
    Ext,
    Func,
    Inst,
    Many,
    Mapp,
    Member,
    Plain,
    SiteKey,
    Tup,
    ordered,
)
from resilint.summaries.analysis import Analysis
from resilint.summaries.bindings import NOTHING, Bindings, Context
from resilint.summaries.conditions import holds
from resilint.summaries.live import arms, ends, reached

_FOLLOWED = frozenset({"call", "property", "enter", "iterate"})
"""Edges along which a caller is blocked while the callee is."""
_CATCHES = frozenset({"RuntimeError", "Exception", "BaseException"})
MOST_NODES = 4000
"""Functions (with their contexts) that are looked at below one call."""


class Leaf(NamedTuple):
    """A blocking call, in the function where it is written."""

    func: Func
    span: Span
    subject: str
    """Qualified name of what blocks (``requests.get``)."""
    group: str
    instead: str
    confidence: Confidence

    @property
    def kind(self) -> str:
        """Calls that ask for the same remedy are of one kind."""
        return f"{self.group} {self.instead or self.subject.partition('.')[0]}"


class Down(NamedTuple):
    """A call of a sync function of the project."""

    span: Span
    callee: Func
    context: Context
    confidence: Confidence


class Passage(NamedTuple):
    """One call of the way from the async function to the blocking call."""

    caller: Func
    span: Span
    callee: Func


@dataclass(frozen=True, slots=True)
class Blocked:
    """A call in an async function that blocks the loop."""

    caller: Func
    span: Span
    leaf: Leaf
    way: tuple[Passage, ...] = ()
    """The calls from the async function down; empty where it makes the blocking call itself."""
    others: int = 0
    """Further blocking calls of this kind that the call reaches."""
    confidence: Confidence = Confidence.HIGH


@dataclass(slots=True)
class _Body:
    """What a function's own body holds that matters here, dead code left out."""

    sites: list[int] = field(default_factory=list)
    ready: dict[int, frozenset[Value]] = field(default_factory=dict)
    """By site: receivers that are known to be done there."""
    loads: list[Load] = field(default_factory=list)
    returns: list[Value | None] = field(default_factory=list)
    spans: dict[Span, bool] = field(default_factory=dict)
    """Headers of loops and items of ``with``; True: an ``async with``."""


class Blocking:
    """Finds them for all async functions of a program."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.linked = analysis.linked
        self.program = analysis.linked.program
        self.calls = analysis.linked.calls
        self.inference = analysis.linked.inference
        self.evaluator = analysis.interpreter.evaluator
        self.groups = self.program.settings.blocking_groups
        self.bindings = Bindings(analysis.linked)
        self._bodies: dict[Func, _Body] = {}
        self._answers: dict[Func, bool | None] = {}
        self._below: dict[tuple[Func, Context], tuple[list[Leaf], list[Down]]] = {}
        self._reaching = self._reach_back()

    def __iter__(self) -> Iterator[Blocked]:
        for func in self.program.functions():
            if self.program.scope(func).is_async and func in self._reaching:
                yield from self._in(func)

    # One async function

    def _in(self, func: Func) -> Iterator[Blocked]:
        leaves, downs = self.below(func, NOTHING)
        told: set[tuple[Span, str]] = set()
        for leaf in leaves:
            if (leaf.span, leaf.kind) not in told:
                told.add((leaf.span, leaf.kind))
                yield Blocked(func, leaf.span, leaf, confidence=leaf.confidence)
        starts: dict[Span, list[Down]] = {}
        for down in downs:
            starts.setdefault(down.span, []).append(down)
        for span, found in starts.items():
            for blocked in self._search(func, found):
                if (span, blocked.leaf.kind) not in told:
                    yield blocked

    def _search(self, func: Func, starts: list[Down]) -> list[Blocked]:
        """Breadth first, so that the nearest blocking call of each kind is told with its shortest way."""
        kinds: dict[str, Blocked] = {}
        places: dict[str, dict[tuple[Func, Span], None]] = {}
        seen: set[tuple[Func, Context]] = set()
        queue: deque[tuple[Func, Context, tuple[Passage, ...], Confidence]] = deque()
        for start in starts:
            node = (start.callee, start.context)
            if node not in seen:
                seen.add(node)
                queue.append((*node, (Passage(func, start.span, start.callee),), start.confidence))
        while queue and len(seen) < MOST_NODES:
            current, context, way, confidence = queue.popleft()
            leaves, downs = self.below(current, context)
            for leaf in leaves:
                places.setdefault(leaf.kind, {})[(leaf.func, leaf.span)] = None
                trust = min(confidence, leaf.confidence, key=lambda c: c.ordinal)
                known = kinds.get(leaf.kind)
                if known is None or known.confidence.ordinal < trust.ordinal:
                    kinds[leaf.kind] = Blocked(func, starts[0].span, leaf, way, 0, trust)
            for down in downs:
                node = (down.callee, down.context)
                if node not in seen:
                    seen.add(node)
                    trust = min(confidence, down.confidence, key=lambda c: c.ordinal)
                    queue.append((*node, (*way, Passage(current, down.span, down.callee)), trust))
        return [
            Blocked(b.caller, b.span, b.leaf, b.way, len(places[kind]) - 1, b.confidence) for kind, b in kinds.items()
        ]

    # One function in one context

    def below(self, func: Func, context: Context) -> tuple[list[Leaf], list[Down]]:
        """Its own blocking calls, and the sync functions that it calls."""
        known = self._below.get((func, context))
        if known is None:
            known = self._below[(func, context)] = self._find_below(func, context)
        return known

    def _find_below(self, func: Func, context: Context) -> tuple[list[Leaf], list[Down]]:
        body = self._body(func)
        scope = self.program.scope(func)
        leaves: list[Leaf] = []
        downs: list[Down] = []
        direct: set[tuple[Span, Func]] = set()
        for position in body.sites:
            key = SiteKey(func.module, func.scope, position)
            site = scope.sites[position]
            leaf = self._leaf(func, key, context, body.ready.get(position, frozenset()))
            if leaf is not None:
                leaves.append(leaf)
            if leaf is None or leaf.confidence is Confidence.LOW:
                for down in self._called(key, context, direct):
                    downs.append(down)
            else:
                direct.update(
                    (site.span, f) for e in self.bindings.callees(key, context) for f, _, _ in self.inference.targets(e)
                )
        live = {scope.sites[position].span for position in body.sites}
        for load in body.loads:
            downs += self._read(func, load, context, direct)
        for edge in self.calls.outgoing.get(func, ()):
            if edge.kind not in _FOLLOWED or not self._passes(edge.callee) or (edge.span, edge.callee) in direct:
                continue
            if edge.kind == "property" or (
                edge.span not in live and edge.span not in body.spans and edge.span != scope.span
            ):
                continue
            if edge.kind == "enter" and body.spans.get(edge.span) and not self.program.scope(edge.callee).is_generator:
                continue  # ``async with`` runs neither ``__enter__`` nor ``__exit__``
            downs.append(Down(edge.span, edge.callee, NOTHING, Confidence.HIGH))
        return leaves, [down for down in downs if self._passes(down.callee)]

    def _passes(self, func: Func) -> bool:
        """A sync function from which a blocking call can be reached."""
        return func in self._reaching and not self.program.scope(func).is_async

    def _called(self, key: SiteKey, context: Context, direct: set[tuple[Span, Func]]) -> Iterator[Down]:
        site = self.program.site(key)
        found: list[tuple[Entity, Func, int, SiteKey | None]] = []
        mixed = False
        for entity in self.inference.solver.get(("callees", *key)) if context else ():
            direct.update(
                (site.span, func)
                for func, _, _ in self.inference.targets(entity)
                if not self.program.scope(func).is_generator
            )
        for entity in ordered(self.bindings.callees(key, context)):
            for func, offset, partial in self.inference.targets(entity):
                one = self.program.scope(func)
                if not one.is_generator:
                    direct.add((site.span, func))
                if one.is_async:
                    mixed = True
                elif not one.is_generator and self._passes(func) and not self._runs_elsewhere(func):
                    found.append((entity, func, offset, partial))
        for entity, func, offset, partial in found:
            if site.awaited and (mixed or not self._awaitable(func)):
                continue
            inner = self.bindings.entering(entity, func, offset, partial, key, context)
            yield Down(site.span, func, inner, Confidence.LOW if mixed else Confidence.HIGH)

    def _awaitable(self, func: Func) -> bool:
        """What it returns can be awaited, as far as is known; a decorator nobody knows can have made it so."""
        types = self.inference.solver.get(("returns", func.module, func.scope)) - NONE
        if not types:
            return not self.program.scope(func).decorators
        for entity in types:
            if isinstance(entity, (Plain, Many, Mapp, Tup, Func, Cls)):
                continue
            if (
                isinstance(entity, Inst)
                and isinstance(entity.of, Cls)
                and not self.inference.attribute(entity, "__await__")
            ):
                continue
            if isinstance(entity, Inst) and isinstance(entity.of, Ext) and self.program.catalogue.klass(entity.of.path):
                continue
            return True
        return False

    def _runs_elsewhere(self, func: Func) -> bool:
        """A decorator hands each call of it to a thread."""
        scope = self.program.scope(func)
        for decorator in scope.decorators:
            for meaning in self.decorator_meanings(func, decorator.value):
                spawn = meaning.callable.spawn
                if spawn is not None and spawn.later and spawn.thread:
                    return True
        return False

    def decorator_meanings(self, func: Func, value: Value) -> Iterator[Meaning]:
        parent = self.program.scope(func).parent
        if isinstance(value, Result):
            yield from self.calls.meanings(SiteKey(func.module, parent, value.site))
            return
        for entity in ordered(self.inference.of(func.module, parent, value)):
            meaning = self.calls.meaning(entity)
            if meaning is not None:
                yield meaning

    def _read(self, func: Func, load: Load, context: Context, direct: set[tuple[Span, Func]]) -> Iterator[Down]:
        value = load.value
        if not isinstance(value, Attribute):
            return
        bases = self.bindings.of(func.module, func.scope, value.value, context)
        if bases is None:
            for edge in self.calls.outgoing.get(func, ()):
                if edge.kind == "property" and edge.span == load.span and (edge.span, edge.callee) not in direct:
                    direct.add((edge.span, edge.callee))
                    owners = [
                        e
                        for e in ordered(self.inference.of(func.module, func.scope, value.value))
                        if isinstance(e, Inst)
                        and isinstance(e.of, Cls)
                        and edge.callee in self.calls.property_getters(e, value.name)
                    ]
                    inner = self.bindings.receiving(owners[0], edge.callee) if len(owners) == 1 else NOTHING
                    yield Down(load.span, edge.callee, inner, Confidence.HIGH)
            return
        for base in ordered(bases):
            if isinstance(base, Inst) and isinstance(base.of, Cls):
                for getter in self.calls.property_getters(base, value.name):
                    yield Down(load.span, getter, self.bindings.receiving(base, getter), Confidence.HIGH)

    # Blocking calls

    def _leaf(self, func: Func, key: SiteKey, context: Context, ready: frozenset[Value]) -> Leaf | None:
        site = self.program.site(key)
        if site.awaited:
            return None
        meanings = self._meanings(key, context)
        asynchronous = any(m.callable.is_async for m in meanings)
        for meaning in meanings:
            said = meaning.callable
            if said.blocking is None or said.blocking not in self.groups:
                continue
            if said.is_async or not self._applies(meaning, key):
                continue
            if isinstance(site.callee, Attribute) and site.callee.value in ready:
                continue
            trust = Confidence.LOW if asynchronous else Confidence.HIGH
            return Leaf(func, site.span, meaning.path, said.blocking, said.instead, trust)
        return None

    def _meanings(self, key: SiteKey, context: Context) -> list[Meaning]:
        entities = self.bindings.of(key.module, key.scope, self.program.site(key).callee, context)
        if entities is None:
            return list(self.calls.meanings(key))
        found = [self.calls.meaning(entity) for entity in ordered(entities)]
        return [meaning for meaning in found if meaning is not None]

    def _applies(self, meaning: Meaning, key: SiteKey) -> bool:
        said = meaning.callable
        if any(holds(c, self.linked, self.evaluator, key) is False for c in said.when):
            return False
        if any(holds(c, self.linked, self.evaluator, key) for c in said.unless):
            return False
        receiver = meaning.receiver
        made = receiver.made if isinstance(receiver, (Member, Inst)) else None
        of = receiver.of if isinstance(receiver, Member) else None
        if made is None or of is None or made.index < 0:
            return True
        return not any(
            holds(condition, self.linked, self.evaluator, made)
            for trait in self.program.catalogue.traits(of)
            for condition in trait.in_memory
        )

    # Bodies

    def _body(self, func: Func) -> _Body:
        known = self._bodies.get(func)
        if known is None:
            known = self._bodies[func] = _Body()
            self._walk(func, self.program.scope(func).body, known, frozenset())
        return known

    def _walk(self, func: Func, steps: tuple[Step, ...], body: _Body, ready: frozenset[Value]) -> None:
        for step in reached(steps):
            if isinstance(step, Invoke):
                body.sites.append(step.site)
                if ready:
                    body.ready[step.site] = ready
            elif isinstance(step, Load):
                body.loads.append(step)
            elif isinstance(step, Return):
                body.returns.append(step.value)
            elif isinstance(step, Branch):
                ready = self._walk_branch(func, step, body, ready)
            elif isinstance(step, Loop):
                body.spans[step.span] = step.is_async
                for part in (step.condition, step.body, step.orelse):
                    self._walk(func, part, body, ready)
            elif isinstance(step, With):
                for item in step.items:
                    self._walk(func, item.entering, body, ready)
                    body.spans[item.span] = step.is_async
                self._walk(func, step.body, body, ready)
            elif isinstance(step, Try):
                self._walk(func, step.body, body, ready)
                for handler in step.handlers:
                    if not (self._asks_for_loop(func, step.body) and _catches_runtime_error(handler)):
                        self._walk(func, handler.body, body, ready)
                self._walk(func, step.orelse, body, ready)
                self._walk(func, step.final, body, ready)
            elif isinstance(step, Match):
                for case in step.cases:
                    self._walk(func, case.guarding, body, ready)
                    self._walk(func, case.body, body, ready)

    def _walk_branch(self, func: Func, step: Branch, body: _Body, ready: frozenset[Value]) -> frozenset[Value]:
        on_loop = self._on_loop(func, step.test)
        done = self._done(func, step.test)
        undone = self._done(func, step.test.value) if isinstance(step.test, Not) else frozenset()
        taken = arms(step)
        if on_loop is not False and step.body in taken:
            self._walk(func, step.body, body, ready | done)
        if on_loop is not True and step.orelse in taken:
            self._walk(func, step.orelse, body, ready | undone)
        return ready | undone if ends(step.body) else ready

    def _done(self, func: Func, test: Value) -> frozenset[Value]:
        """Receivers that are done where the test holds: ``future.done()``."""
        if isinstance(test, Boolean) and test.operator == "and":
            return frozenset(v for part in test.values for v in self._done(func, part))
        if isinstance(test, Result):
            site = self.program.scope(func).sites[test.site]
            meanings = self.calls.meanings(SiteKey(func.module, func.scope, test.site))
            if isinstance(site.callee, Attribute) and any(m.callable.says_done for m in meanings):
                return frozenset({site.callee.value})
        return frozenset()

    def _on_loop(self, func: Func, test: Value) -> bool | None:
        """The test's outcome where it asks whether an event loop runs in this thread, which one does."""
        if isinstance(test, Not):
            inner = self._on_loop(func, test.value)
            return None if inner is None else not inner
        if isinstance(test, Boolean):
            parts = [self._on_loop(func, part) for part in test.values]
            if test.operator == "and":
                return False if False in parts else True if all(parts) else None
            return True if True in parts else False if all(p is False for p in parts) else None
        if isinstance(test, Compare) and isinstance(test.right, Constant) and test.right.value is None:
            inner = self._on_loop(func, test.left)
            if inner is None or test.operator not in ("is", "is not"):
                return None
            return inner if test.operator == "is not" else not inner
        if isinstance(test, Result):
            return self._answer_on_loop(func, test.site)
        if isinstance(test, Reference):
            bindings = self.program.index(func).names.get(test.name, ())
            if any(isinstance(b.value, Result) and self._answer_on_loop(func, b.value.site) for b in bindings):
                return True
        return None

    def _is_loop_question(self, func: Func, site: int) -> bool:
        return any(m.callable.running_loop for m in self.calls.meanings(SiteKey(func.module, func.scope, site)))

    def _answer_on_loop(self, func: Func, site: int) -> bool | None:
        """What a call says that asks for the running loop, itself or as a function of the project."""
        if self._is_loop_question(func, site):
            return True
        key = SiteKey(func.module, func.scope, site)
        found: set[bool | None] = set()
        for entity in self.inference.solver.get(("callees", *key)):
            for callee, _, _ in self.inference.targets(entity):
                if callee not in self._answers:
                    self._answers[callee] = None
                    self._answers[callee] = self._returned_on_loop(callee)
                found.add(self._answers[callee])
        return found.pop() if len(found) == 1 else None

    def _returned_on_loop(self, func: Func) -> bool | None:
        scope = self.program.scope(func)
        if scope.is_async or not any(self._is_loop_question(func, site) for site in range(len(scope.sites))):
            return None
        found: set[bool | None] = set()
        for value in self._body(func).returns:
            if value is None or isinstance(value, Constant):
                found.add(bool(value is not None and value.value))
            else:
                found.add(self._on_loop(func, value))
        return found.pop() if len(found) == 1 else None

    def _asks_for_loop(self, func: Func, steps: tuple[Step, ...]) -> bool:
        return any(isinstance(s, Invoke) and self._is_loop_question(func, s.site) for s in steps)

    # Who can reach a blocking call at all

    def _reach_back(self) -> frozenset[Func]:
        found: dict[Func, None] = {}
        for func in self.program.functions():
            scope = self.program.scope(func)
            for position in range(len(scope.sites)):
                meanings = self.calls.meanings(SiteKey(func.module, func.scope, position))
                if any(m.callable.blocking in self.groups for m in meanings):
                    found[func] = None
                    break
        pending = list(found)
        while pending:
            func = pending.pop()
            if self.program.scope(func).is_async:
                continue
            for edge in self.calls.incoming.get(func, ()):
                if edge.kind in _FOLLOWED and edge.caller not in found:
                    found[edge.caller] = None
                    pending.append(edge.caller)
        return frozenset(found)


def _catches_runtime_error(handler: Handler) -> bool:
    return not handler.types or any(isinstance(t, Reference) and t.name in _CATCHES for t in handler.types)


def blocked_calls(analysis: Analysis) -> tuple[Blocked, ...]:
    """All of them, in order of files and functions; computed once."""
    return analysis.once("blocking", lambda: tuple(Blocking(analysis)))


__all__ = ["Blocked", "Leaf", "Passage", "blocked_calls"]

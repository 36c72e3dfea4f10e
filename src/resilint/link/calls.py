"""The call graph: who calls whom, attached or detached, and why.

An edge is *attached* where the caller waits for the callee: a plain call, an await, an iteration, a context manager
entered. It is
*detached* where the callee runs on its own: a task nobody awaits, a background task, a job, a thread.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from resilint.catalogue import Callable_
from resilint.domain import Span
from resilint.facts import (
    Attribute,
    Bind,
    Branch,
    Compare,
    Loop,
    Match,
    Reference,
    Result,
    Scope,
    Sequence,
    Site,
    Spread,
    Step,
    Text,
    Try,
    Value,
    With,
)
from resilint.link.entities import (
    NONE,
    Bound,
    Cls,
    Coro,
    Entities,
    Entity,
    Ext,
    Func,
    Generator,
    Inst,
    ManagedContext,
    Many,
    Mapp,
    Member,
    Partial,
    SiteKey,
    Task,
    Tup,
    ordered,
)
from resilint.link.index import ADDED, LITERALS, ScopeIndex, Store
from resilint.link.infer import Inference
from resilint.link.program import Program
from resilint.link.written import written_argument, written_arguments

_ITERATED = ("__iter__",)
_SPECIAL = {
    "builtins.str": ("__str__", "__repr__"),
    "builtins.repr": ("__repr__",),
    "builtins.format": ("__format__",),
    "builtins.len": ("__len__",),
    "builtins.bool": ("__bool__", "__len__"),
    "builtins.int": ("__int__",),
    "builtins.float": ("__float__",),
    "builtins.abs": ("__abs__",),
    "builtins.hash": ("__hash__",),
    "builtins.next": ("__next__",),
    "builtins.reversed": ("__reversed__",),
    **dict.fromkeys(
        (
            f"builtins.{name}"
            for name in [
                "iter",
                "list",
                "tuple",
                "set",
                "frozenset",
                "sorted",
                "enumerate",
                "sum",
                "any",
                "all",
                "max",
                "min",
            ]
        ),
        _ITERATED,
    ),
}
"""The special methods that a builtin function runs on its first argument: the first of them that there is."""

EdgeKind = Literal[
    "call",
    "await",
    "iterate",
    "enter",
    "property",
    "dependency",
    "executor",
    "task",
    "background",
    "job",
    "thread",
    "callback",
    "stream",
    "spawn",
]


class Edge(NamedTuple):
    """One way in which ``caller`` reaches ``callee``."""

    caller: Func
    """The scope that calls; of a module or class body its own number."""
    callee: Func
    attached: bool
    kind: EdgeKind
    span: Span
    reason: str
    """Why it is attached or detached, in words."""
    candidates: int = 1
    """How many functions the call may mean."""
    guarded: bool = False
    """At module level under ``if __name__ == "__main__"``."""


class Meaning(NamedTuple):
    """What the catalogue says of one callee of a site."""

    path: str
    """Qualified name for messages and fingerprints."""
    callable: Callable_
    receiver: Inst | Member | Ext


class CallGraph:
    """All edges, by caller and by callee."""

    def __init__(self, program: Program, inference: Inference) -> None:
        self.program = program
        self.inference = inference
        self.catalogue = program.catalogue
        self.outgoing: dict[Func, list[Edge]] = {}
        self.incoming: dict[Func, list[Edge]] = {}
        self.escaping: dict[Func, Span] = {}
        """Functions whose value is given to code outside the project."""
        self.mains: dict[Func, Span] = {}
        """Coroutine functions that ``asyncio.run`` runs, and what stands under the main guard."""
        self._cancelled: dict[Value, Span] = {}
        """Of the scope at hand."""
        self._meanings: dict[SiteKey, tuple[Meaning, ...]] = {}
        settings = program.settings
        self._house = {name for table in (settings.outbound, settings.blocking, settings.enqueue) for name, _ in table}
        self.properties = {
            program.scope(f).name
            for f in program.functions()
            if "property" in inference.flags(f) and program.owner(f) is not None
        }
        methods = {name for layout in program.layouts.values() for name in layout.methods}
        self.setters = {
            program.scope(f).name
            for f in program.functions()
            if "setter" in inference.flags(f) and program.owner(f) is not None
        }
        self._intercepting = "__setattr__" in methods
        self._special = {name: special for name, special in _SPECIAL.items() if methods & set(special)}
        for module in program.product():
            for number in range(len(module.facts.scopes)):
                self._scope(module.number, number)

    # Meanings

    def meanings(self, key: SiteKey) -> tuple[Meaning, ...]:
        """What the catalogue knows of the site's callees, in a fixed order."""
        known = self._meanings.get(key)
        if known is None:
            found = []
            for entity in ordered(self.inference.solver.get(("callees", *key))):
                meaning = self.meaning(entity)
                if meaning is not None:
                    found.append(meaning)
            known = self._meanings[key] = tuple(found)
        return known

    def meaning(self, entity: Entity) -> Meaning | None:
        """What the catalogue says of calling ``entity``."""
        if isinstance(entity, Partial):
            return self.meaning(entity.target)
        if isinstance(entity, Ext):
            callable_ = self.catalogue.function(entity.path)
            return Meaning(entity.path, callable_, entity) if callable_ else None
        if isinstance(entity, Member):
            callable_ = self.catalogue.member(entity.of, entity.chain)
            return Meaning(f"{entity.of}.{entity.chain}", callable_, entity) if callable_ else None
        if isinstance(entity, (Func, Bound)):
            func = entity.func if isinstance(entity, Bound) else entity
            return self._configured(func) or self._queued(func)
        if isinstance(entity, Inst) and isinstance(entity.of, Ext):
            for klass in self.catalogue.traits(entity.of.path):
                if klass.call is not None:
                    return Meaning(entity.of.path, klass.call, entity)
        if isinstance(entity, Cls):
            for base in self.inference.mro(entity):
                if isinstance(base, Ext):
                    callable_ = self.catalogue.function(base.path)
                    if callable_ is not None:
                        return Meaning(base.path, callable_, base)
        return None

    def _queued(self, func: Func) -> Meaning | None:
        """A decorated function that is called to queue it (a task of huey)."""
        if func.raw or not self.program.scope(func).decorators:
            return None
        for path in self.inference.becomes(func):
            for klass in self.catalogue.traits(path):
                if klass.call is not None:
                    return Meaning(path, klass.call, Inst(Ext(path)))
        return None

    def _configured(self, func: Func) -> Meaning | None:
        """A function of the project that the configuration gives a meaning."""
        if not self._house:
            return None
        path = self.program.qualname(func)
        callable_ = self.catalogue.function(path) if path in self._house else None
        owner = self.program.owner(func)
        if callable_ is None and owner is not None:
            for base in self.inference.mro(owner):
                if isinstance(base, Cls) and self.program.qualname(base) in self._house:
                    callable_ = self.catalogue.member(self.program.qualname(base), self.program.scope(func).name)
        return Meaning(path, callable_, Ext(path)) if callable_ is not None else None

    # Building

    def _add(
        self,
        caller: Func,
        callee: Func,
        attached: bool,
        kind: EdgeKind,
        span: Span,
        reason: str,
        candidates: int,
        guarded: bool,
    ) -> None:
        edge = Edge(caller, callee, attached, kind, span, reason, candidates, guarded)
        out = self.outgoing.setdefault(caller, [])
        if edge in out[-8:]:
            return
        out.append(edge)
        self.incoming.setdefault(callee, []).append(edge)

    def _run(
        self,
        caller: Func,
        entities: Entities,
        attached: bool,
        kind: EdgeKind,
        span: Span,
        reason: str,
        guarded: bool = False,
    ) -> None:
        """The entities are called, awaited or iterated."""
        found: dict[Func, None] = {}
        for entity in ordered(entities):
            target: Entity | None = None
            if isinstance(entity, (Coro, Task)):
                target = entity.target
            elif isinstance(entity, (Generator, ManagedContext)):
                target = entity.func
            elif isinstance(entity, (Func, Bound, Partial, Cls)):
                target = entity
            elif kind == "call" and isinstance(entity, Inst) and isinstance(entity.of, Cls):
                target = entity  # its ``__call__``
            if target is not None:
                for func, _, _ in self.inference.targets(target):
                    found[func] = None
        for func in found:
            self._add(caller, func, attached, kind, span, reason, len(found), guarded)

    def _scope(self, module: int, number: int) -> None:
        program, inference = self.program, self.inference
        scope = program.modules[module].facts.scopes[number]
        index = program.modules[module].index[number]
        caller = Func(module, number)
        guarded = self._guarded_sites(scope.body) if number == 0 else frozenset()
        self._find_cancelled(scope, index)
        for position, site in enumerate(scope.sites):
            key = SiteKey(module, number, position)
            guard = position in guarded
            callees = inference.solver.get(("callees", module, number, position))
            immediate: dict[Func, None] = {}
            outside = True
            for entity in ordered(callees):
                if isinstance(entity, (Ext, Member)):
                    if isinstance(entity, Ext) and entity.path in self._special:
                        self._run_special(caller, key, self._special[entity.path], guard)
                    continue
                for func, _, _ in inference.targets(entity):
                    outside = False
                    one = program.scope(func)
                    if not one.is_async and not one.is_generator:
                        immediate[func] = None
            for func in immediate:
                self._add(caller, func, True, "call", site.span, "it is called", len(immediate), guard)
            for meaning in self.meanings(key) if callees else ():
                outside = self._effects(caller, key, meaning, guard) and outside
            if outside and site.arguments:
                self._escape(key, site)
        for await_ in index.awaits:
            entities = inference.of(module, number, await_.value)
            if self._is_cancelled(await_.value, await_.span):
                entities = frozenset(e for e in entities if not isinstance(e, Task))
            self._run(caller, entities, True, "await", await_.span, "it is awaited")
        for loop in index.loops:
            self._run(
                caller,
                frozenset(e for e in inference.of(module, number, loop.subject) if isinstance(e, Generator)),
                True,
                "iterate",
                loop.span,
                "it is iterated over",
            )
            if loop.kind in ("for", "comprehension", "generator"):
                self._iterate_instances(caller, inference.of(module, number, loop.subject), loop)
        for value, is_from in index.yields:
            if is_from and value is not None:
                self._run(
                    caller, inference.of(module, number, value), True, "iterate", scope.span, "it is yielded from"
                )
        for item, _ in index.withs:
            self._enter(caller, inference.of(module, number, item.value), item.span)
        for load in index.loads:
            value = load.value
            if isinstance(value, Attribute) and value.name in self.properties:
                self._load(caller, module, number, value, load.span)
        for store in index.stores:
            if (store.name in self.setters or self._intercepting) and store.binding.how != ADDED:
                self._store(caller, module, number, store)
        if scope.kind == "function":
            self._inject(caller)
        for child in program.modules[module].children[number]:
            self._decorate(caller, module, child)
        for value, span in index.raised:
            self._run(
                caller,
                frozenset(e for e in inference.of(module, number, value) if isinstance(e, Cls)),
                True,
                "call",
                span,
                "it is raised",
            )

    def _find_cancelled(self, scope: Scope, index: ScopeIndex) -> None:
        """Names of tasks on which ``cancel`` is called, and of what they are taken from in a loop."""
        self._cancelled = {}
        for site in scope.sites:
            if isinstance(site.callee, Attribute) and site.callee.name == "cancel":
                task = site.callee.value
                self._cancelled.setdefault(task, site.span)
                for loop in index.loops:
                    if loop.target == task:
                        self._cancelled.setdefault(loop.subject, site.span)

    def _is_cancelled(self, value: Value, span: Span) -> bool:
        """The task was cancelled above: to await it is to wait for its end, not for its work."""
        if not self._cancelled:
            return False
        while isinstance(value, Spread):
            value = value.value
        before = self._cancelled.get(value)
        return before is not None and before < span

    def _run_special(self, caller: Func, key: SiteKey, names: tuple[str, ...], guard: bool) -> None:
        """``str(x)`` calls ``x.__str__``."""
        site = self.program.site(key)
        if not site.arguments or site.arguments[0].name:
            return
        for entity in ordered(self.inference.of(key.module, key.scope, site.arguments[0].value)):
            if not (isinstance(entity, Inst) and isinstance(entity.of, Cls)):
                continue
            for name in names:
                called = self.inference.attribute(entity, name)
                if called:
                    self._run(caller, called, True, "call", site.span, f"it runs {name}", guard)
                    break

    def _decorate(self, caller: Func, module: int, child: int) -> None:
        """A decorator is called with what it decorates."""
        scope = self.program.modules[module].facts.scopes[child]
        for decorator in scope.decorators:
            entities = self.inference.of(module, scope.parent, decorator.value)
            self._run(
                caller,
                frozenset(e for e in entities if isinstance(e, (Func, Bound, Cls, Inst))),
                True,
                "call",
                decorator.span,
                f"it decorates {scope.name}",
            )

    def _iterate_instances(self, caller: Func, subject: Entities, loop: Loop) -> None:
        for entity in ordered(subject):
            if isinstance(entity, Inst) and isinstance(entity.of, Cls):
                names = ("__aiter__", "__anext__") if loop.is_async else ("__iter__", "__next__")
                for name in names:
                    self._run(
                        caller,
                        self.inference.attribute(entity, name),
                        True,
                        "iterate",
                        loop.span,
                        "it is iterated over",
                    )

    def _enter(self, caller: Func, entities: Entities, span: Span) -> None:
        self._run(
            caller,
            frozenset(e for e in entities if isinstance(e, (ManagedContext, Coro))),
            True,
            "enter",
            span,
            "its context is entered",
        )
        for entity in ordered(entities):
            if isinstance(entity, Inst) and isinstance(entity.of, Cls):
                for name in ("__aenter__", "__aexit__", "__enter__", "__exit__"):
                    self._run(
                        caller, self.inference.attribute(entity, name), True, "enter", span, "its context is entered"
                    )

    def _load(self, caller: Func, module: int, number: int, value: Attribute, span: Span) -> None:
        for base in ordered(self.inference.of(module, number, value.value)):
            if isinstance(base, Inst) and isinstance(base.of, Cls):
                for func in self.property_getters(base, value.name):
                    self._add(caller, func, True, "property", span, "the property is read", 1, False)

    def _store(self, caller: Func, module: int, number: int, store: Store) -> None:
        for base in ordered(self.inference.of(module, number, store.base)):
            if not (isinstance(base, Inst) and isinstance(base.of, Cls)):
                continue
            if store.name in self.setters:
                for func in self._defined(base, store.name):
                    if "setter" in self.inference.flags(func):
                        self._add(caller, func, True, "property", store.span, f"{store.name} is assigned", 1, False)
            if self._intercepting:
                for func in self._defined(base, "__setattr__"):
                    self._add(caller, func, True, "property", store.span, f"{store.name} is assigned", 1, False)

    def _defined(self, base: Inst, name: str) -> list[Func]:
        """The functions that a class, or one that inherits it, defines under a name."""
        assert isinstance(base.of, Cls)
        found: dict[Func, None] = {}
        for cls in (base.of, *(() if base.exact else self.inference.subclasses(base.of))):
            for parent in self.inference.mro(cls):
                if isinstance(parent, Cls) and name in self.program.layouts[parent].methods:
                    found[Func(parent.module, self.program.layouts[parent].methods[name])] = None
                    break
        return list(found)

    def property_getters(self, base: Inst, name: str) -> list[Func]:
        """The functions that reading ``base.name`` runs."""
        assert isinstance(base.of, Cls)
        found: dict[Func, None] = {}
        classes = [base.of, *([] if base.exact else self.inference.subclasses(base.of))]
        for cls in classes:
            for parent in self.inference.mro(cls):
                if isinstance(parent, Cls) and name in self.program.layouts[parent].methods:
                    for binding in self.program.index(parent).names.get(name, ()):
                        if binding.scope < 0:
                            continue
                        func = self.inference.getter(Func(parent.module, binding.scope))
                        if "property" in self.inference.flags(func):
                            found[func] = None
                    break
        return list(found)

    def _inject(self, caller: Func) -> None:
        """A dependency runs before the function that asks for it."""
        program, inference = self.program, self.inference
        scope = program.scope(caller)
        for parameter in scope.parameters:
            for key, entity in self.dependencies(caller, parameter.annotation, parameter.default):
                span = program.site(key).span if key.module == caller.module else scope.span
                self._run(
                    caller, frozenset({entity}), True, "dependency", span, "it is injected before the function runs"
                )
                self._run(
                    caller,
                    inference.result_of(entity, key),
                    True,
                    "dependency",
                    span,
                    "it is injected before the function runs",
                )

    def dependencies(self, func: Func, annotation: Value | None, default: Value | None) -> list[tuple[SiteKey, Entity]]:
        scope = self.program.scope(func)
        found = []
        if annotation is not None:
            found += self.inference.annotations.dependencies(func.module, scope.parent, annotation)
        if isinstance(default, Result):
            found += self.inference.annotations.injected_by(
                SiteKey(func.module, scope.parent, default.site), annotation
            )
        return found

    def _effects(self, caller: Func, key: SiteKey, meaning: Meaning, guard: bool) -> bool:
        """Edges that a catalogued call makes. Returns whether functions given to it escape."""
        site = self.program.site(key)
        said = meaning.callable
        escapes = True

        def values(spec: str) -> Entities:
            found: set[Entity] = set()
            for value in written_arguments(site, spec):
                given = self.flattened(key, value)
                if self._cancelled and self._is_cancelled(value, site.span):
                    given = frozenset(e for e in given if not isinstance(e, Task))
                found |= given
            return frozenset(found)

        if said.spawn is not None:
            escapes = False
            spawn = said.spawn
            given = values(spawn.what)
            kind: EdgeKind = spawn.kind or ("executor" if spawn.thread else "task")
            if spawn.attached or (said.is_async and spawn.thread):
                self._run(
                    caller,
                    given,
                    True,
                    "executor" if spawn.thread else "spawn",
                    site.span,
                    f"{meaning.path} is waited for",
                    guard,
                )
            else:
                self._run(caller, given, False, kind, site.span, f"{meaning.path} runs it on its own", guard)
        if said.awaits is not None:
            self._run(caller, values(said.awaits), True, "await", site.span, f"{meaning.path} awaits it", guard)
        if said.deadline is not None and said.deadline.covers is not None:
            self._run(
                caller, values(said.deadline.covers), True, "await", site.span, f"{meaning.path} awaits it", guard
            )
        if said.shields is not None:
            self._run(caller, values(said.shields), True, "await", site.span, f"{meaning.path} awaits it", guard)
        if said.calls is not None:
            escapes = False
            self._run(caller, values(said.calls), True, "call", site.span, f"{meaning.path} calls it", guard)
        if said.consumes is not None:
            given = frozenset(e for e in values(said.consumes) if isinstance(e, Generator))
            self._run(caller, given, True, "iterate", site.span, f"{meaning.path} iterates over it", guard)
        if said.runs_main is not None:
            escapes = False
            given = values(said.runs_main)
            self._run(caller, given, True, "await", site.span, f"{meaning.path} runs it", guard)
        if said.exits is not None:
            self._enter(caller, values(said.exits), site.span)
        if said.streams is not None:
            escapes = False
            self._run(
                caller,
                values(said.streams),
                False,
                "stream",
                site.span,
                f"{meaning.path} iterates it after the answer has begun",
                guard,
            )
        if said.reads or said.partial or said.wraps or said.injects or said.register or said.iterator or said.number:
            escapes = False
        return escapes

    def flattened(self, key: SiteKey, value: Value) -> Entities:
        """The entities in a value, those in containers and comprehensions included."""
        while isinstance(value, Spread):
            value = value.value
        if isinstance(value, Sequence):
            found: set[Entity] = set()
            for item in value.items:
                found |= self.flattened(key, item)
            return frozenset(found)
        types = self.inference.of(key.module, key.scope, value)
        for entity in types:
            if isinstance(entity, (Many, Tup, Mapp)):
                break
        else:
            return types
        result: set[Entity] = set()
        for entity in types:
            if isinstance(entity, Many):
                result |= entity.elements
            elif isinstance(entity, Tup):
                for item_types in entity.items:
                    result |= item_types
            elif isinstance(entity, Mapp):
                result |= entity.values
            else:
                result.add(entity)
        return frozenset(result)

    def _escape(self, key: SiteKey, site: Site) -> None:
        """Functions given to code that is not known run whenever that code likes."""
        for argument in site.arguments:
            value = argument.value
            if isinstance(value, LITERALS) or (isinstance(value, Result) and not self._may_give_function(key, value)):
                continue
            for entity in self.flattened(key, argument.value):
                if isinstance(entity, (Func, Bound, Partial)):
                    for func, _, _ in self.inference.targets(entity):
                        self.escaping.setdefault(func, site.span)

    def _may_give_function(self, key: SiteKey, value: Result) -> bool:
        """A call gives a function only where the project or the catalogue says what it gives."""
        for entity in self.inference.solver.get(("callees", key.module, key.scope, value.site)):
            if isinstance(entity, Ext):
                if entity.path.startswith("builtins.") or self.catalogue.function(entity.path) is not None:
                    return True
            elif not isinstance(entity, Cls):
                return True
        return False

    # The main guard

    def _guarded_sites(self, body: tuple[Step, ...]) -> frozenset[int]:
        found: set[int] = set()
        for step in body:
            if isinstance(step, Branch) and _is_main_guard(step.test):
                found |= _sites(step.body)
        return frozenset(found)


def _is_main_guard(test: Value) -> bool:
    if not isinstance(test, Compare):
        return False
    sides = (test.left, test.right)
    return any(isinstance(s, Reference) and s.name == "__name__" for s in sides) and any(
        isinstance(s, Text) and s.value == "__main__" for s in sides
    )


def _sites(steps: tuple[Step, ...]) -> set[int]:
    from resilint.facts import Invoke

    found: set[int] = set()
    for step in steps:
        if isinstance(step, Invoke):
            found.add(step.site)
        elif isinstance(step, Branch):
            found |= _sites(step.body) | _sites(step.orelse)
        elif isinstance(step, Loop):
            found |= _sites(step.condition) | _sites(step.body) | _sites(step.orelse)
        elif isinstance(step, With):
            for item in step.items:
                found |= _sites(item.entering)
            found |= _sites(step.body)
        elif isinstance(step, Try):
            found |= _sites(step.body) | _sites(step.orelse) | _sites(step.final)
            for handler in step.handlers:
                found |= _sites(handler.body)
        elif isinstance(step, Match):
            for case in step.cases:
                found |= _sites(case.guarding) | _sites(case.body)
        elif isinstance(step, Bind):
            pass
    return found


__all__ = ["CallGraph", "Edge", "Meaning", "written_argument"]

_CLIENT_NAME = re.compile(r"(^|_)(client|http|session)(_|$|s$)|(client|http|session)$", re.IGNORECASE)


def is_receiver_like_client(inference: Inference, key: SiteKey, site: Site) -> bool:
    """An awaited call of an HTTP verb on a receiver that is named like a client and of which nothing is known."""
    callee = site.callee
    if not isinstance(callee, Attribute) or callee.name not in inference.catalogue.verbs:
        return False
    receiver = callee.value
    name = receiver.name if isinstance(receiver, (Attribute, Reference)) else ""
    if not name or not _CLIENT_NAME.search(name):
        return False
    return not (inference.of(key.module, key.scope, receiver) - NONE)

"""How long what a call makes lives: for the life of the service, or for one call of the function that makes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from resilint.domain import Confidence, Role, Span
from resilint.facts import Attribute, Await, Invoke, Reference, Value
from resilint.link.entities import Cls, Coro, Ext, Func, SiteKey
from resilint.link.infer import written_arguments
from resilint.link.program import binding_scope
from resilint.link.roles import is_test_path
from resilint.summaries.analysis import Analysis
from resilint.summaries.fates import End, Fates
from resilint.summaries.sites import alive, callees, in_loop, placed, said

MAX_DEPTH = 10
BUILDERS = frozenset({"__init__", "__post_init__", "__new__", "__aenter__", "__enter__"})
"""Methods that run with every object; what others store on it is filled lazily."""


class Verdict(NamedTuple):
    """Why something is made per call."""

    func: Func
    """The function each of whose calls makes one."""
    text: str
    confidence: Confidence


def runs_once(analysis: Analysis, func: Func) -> bool:
    """The function runs when the service starts (lifespan, start-up hooks, import, main), or its result is cached."""
    return func in analysis.once("runs once", lambda: _running_once(analysis))


def _running_once(analysis: Analysis) -> frozenset[Func]:
    linked = analysis.linked
    looped: dict[Func, frozenset[Span]] = {}

    def in_a_loop(caller: Func, span: Span) -> bool:
        if caller not in looped:
            scope = linked.program.scope(caller)
            looped[caller] = frozenset(
                scope.sites[step.site].span if isinstance(step, Invoke) else step.span
                for step, around in alive(scope.body)
                if isinstance(step, (Invoke, Await)) and in_loop(around)
            )
        return span in looped[caller]

    found = set(_mains(analysis))
    candidates = []
    for func in linked.program.functions():
        entry = linked.roles.entries.get(func)
        if "cached" in linked.inference.flags(func):
            found.add(func)
            continue
        if entry is not None:
            registrations = [entry.registration, *(r for r, _ in entry.extra)]
            if any(r is not None and r.starts for r in registrations):
                found.add(func)
            continue
        if analysis.product_edges(func):
            candidates.append(func)
    changed = True
    while changed:
        changed = False
        for func in candidates:
            if func in found:
                continue
            edges = analysis.product_edges(func)
            if all(
                (e.caller in found or linked.program.scope(e.caller).kind in ("module", "class"))
                and not in_a_loop(e.caller, e.span)
                for e in edges
            ):
                found.add(func)
                changed = True
    return frozenset(found)


def _mains(analysis: Analysis) -> Iterator[Func]:
    """What a function that nobody calls runs as the program: ``def main(): asyncio.run(serve())``."""
    linked = analysis.linked
    for place in placed(analysis):
        caller = Func(place.key.module, place.key.scope)
        if in_loop(place.around) or caller in linked.roles.entries or analysis.product_edges(caller):
            continue
        for meaning, _ in said(analysis, place.key):
            if meaning.callable.runs_main is None:
                continue
            for value in written_arguments(place.site, meaning.callable.runs_main):
                for entity in linked.inference.of(place.key.module, place.key.scope, value):
                    if isinstance(entity, Coro):
                        yield from (func for func, _, _ in linked.inference.targets(entity.target))


class Lifetimes:
    """Answers for whatever a call makes."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.program = analysis.linked.program
        self.inference = analysis.linked.inference
        self.fates = Fates.of(analysis)
        self._busy: set[object] = set()

    @staticmethod
    def of(analysis: Analysis) -> Lifetimes:
        return analysis.once("lifetimes", lambda: Lifetimes(analysis))

    def per_call(self, key: SiteKey, awaited: bool = False, depth: int = 0) -> Verdict | None:
        """Why each call of a function makes one anew; None where it is kept, or where that is not known."""
        func = self._function(key)
        if func is None or depth > MAX_DEPTH or key in self._busy:
            return None
        if is_test_path(self.program.path(key)) or runs_once(self.analysis, func):
            return None
        self._busy.add(key)
        try:
            return self._per_call(key, func, awaited, depth)
        finally:
            self._busy.discard(key)

    def _per_call(self, key: SiteKey, func: Func, awaited: bool, depth: int) -> Verdict | None:
        ends = self.fates.ends(key)
        if awaited or self.program.site(key).awaited:
            ends += self.fates.ends(key, awaited=True)
        handed_on: list[Verdict | None] = []
        for end in ends:
            kind = end.use.kind
            if end.use.scope != key.scope and self._outlives(end, key):
                return None
            if kind == "store":
                holder = self._holder(end)
                if holder is None:
                    return None
                handed_on.append(self.class_per_call(holder, depth + 1))
            elif kind in ("return", "yield"):
                if end.use.scope != key.scope:
                    return None  # a nested function hands it out
                handed_on.append(self.result_per_call(func, depth + 1))
            elif kind == "argument":
                given = self._given(end, depth)
                if given is not LOCAL:
                    handed_on.append(given)  # type: ignore[arg-type]
        if handed_on:
            return next((v for v in handed_on if v is not None), None) if None not in handed_on else None
        return Verdict(func, f"every call of {self.analysis.name(func)} makes one", Confidence.HIGH)

    def _function(self, key: SiteKey) -> Func | None:
        kind = self.program.modules[key.module].facts.scopes[key.scope].kind
        return Func(key.module, key.scope) if kind in ("function", "lambda") else None

    def _holder(self, end: End) -> Cls | None:
        """The class on whose instance it is stored, where that happens as the object is built."""
        target = end.use.target
        if not isinstance(target, Attribute) or not isinstance(target.value, Reference):
            return None
        func = Func(end.module, end.use.scope)
        scope = self.program.scope(func)
        owner = self.program.owner(func)
        if owner is None or not scope.parameters or scope.name not in BUILDERS:
            return None
        return owner if scope.parameters[0].name == target.value.name else None

    def class_per_call(self, cls: Cls, depth: int = 0) -> Verdict | None:
        """Why objects of the class, or of a class below it, are made per call."""
        if depth > MAX_DEPTH or cls in self._busy:
            return None
        self._busy.add(cls)
        try:
            name = self.program.local_name(cls)
            for one in (cls, *self.inference.subclasses(cls)):
                for method in ("__init__", "__post_init__"):
                    number = self.program.layouts[one].methods.get(method)
                    func = Func(one.module, number) if number is not None else None
                    if func is not None and any(e.kind == "dependency" for e in self.analysis.product_edges(func)):
                        return Verdict(func, f"{name} is injected anew for every request", Confidence.MEDIUM)
                for key in self.analysis.interpreter.evaluator.constructions().get(one, ()):
                    verdict = self.per_call(key, depth=depth + 1)
                    if verdict is not None:
                        where = self.analysis.name(verdict.func)
                        return Verdict(verdict.func, f"{where} makes a {name} every time", Confidence.MEDIUM)
            return None
        finally:
            self._busy.discard(cls)

    def result_per_call(self, func: Func, depth: int = 0) -> Verdict | None:
        """Why what the function returns (or yields) is used up by one call or request."""
        if depth > MAX_DEPTH or func in self._busy:
            return None
        if any(e.kind == "dependency" for e in self.analysis.product_edges(func)):
            name = self.analysis.name(func)
            return Verdict(func, f"the dependency {name} makes one for every request", Confidence.HIGH)
        self._busy.add(func)
        try:
            awaited = self.program.scope(func).is_async and not self.program.scope(func).is_generator
            for key, _, partial in sorted(self.inference.callers.get(func, ()), key=repr):
                if key.index < 0 or partial is not None:
                    continue
                verdict = self.per_call(key, awaited, depth + 1)
                if verdict is not None:
                    return verdict._replace(confidence=Confidence.MEDIUM)
            return None
        finally:
            self._busy.discard(func)

    def _given(self, end: End, depth: int) -> Verdict | str | None:
        """What becomes of it once it is given to a call: kept there (None), in what the call makes, or ``LOCAL``."""
        parameters = self.fates.parameters(end)
        if parameters is None:
            entities = callees(self.analysis, end.key)
            if not entities:
                return None
            meanings = [m.callable for m, _ in said(self.analysis, end.key)]
            if meanings and all(m.forgets for m in meanings):
                return LOCAL
            site = self.program.site(end.key)
            if not meanings and not any(isinstance(e, (Ext, Cls)) for e in entities):
                return None
            if not meanings and site.dropped and not site.awaited:
                return None  # it may well keep it
            return self.per_call(end.key, depth=depth + 1)
        if self._goes_on(end):
            return None
        for func, name in parameters:
            for inner in self.fates.ends_of_parameter(func, name):
                kind = inner.use.kind
                if kind == "store":
                    return self.per_call(end.key, depth=depth + 1) if self._holder(inner) is not None else None
                if kind in ("return", "yield"):
                    return self.per_call(end.key, depth=depth + 1)
                if kind == "argument" and depth < MAX_DEPTH:
                    given = self._given(inner, depth + 1)
                    if given is None:
                        return None
        return LOCAL

    def _goes_on(self, end: End) -> bool:
        """The call makes a coroutine that becomes a task: what it is given lives as long as the task."""
        if self.program.site(end.key).awaited:
            return False
        for use in self.fates.of_site(end.key):
            if use.kind == "argument":
                for meaning, _ in said(self.analysis, SiteKey(end.module, use.scope, use.site)):
                    if meaning.callable.spawn is not None and meaning.callable.spawn.task:
                        return True
        return False

    def _outlives(self, end: End, key: SiteKey) -> bool:
        """The nested function that uses it is registered, returned, stored or given away."""
        scopes = self.program.modules[end.module].facts.scopes
        number = end.use.scope
        while number > 0 and scopes[number].parent != key.scope:
            number = scopes[number].parent
        nested = Func(end.module, number)
        if scopes[number].decorators or nested in self.analysis.linked.calls.escaping:
            return True
        name = scopes[number].name
        uses = self.fates.of_name(end.module, key.scope, name)
        return any(u.kind in ("return", "yield", "store", "argument") for u in uses)


LOCAL = "local"


def stays_up(analysis: Analysis, key: SiteKey, around: tuple[object, ...]) -> bool:
    """The function that makes it is a service loop: it makes one and goes on for ever."""
    func = Func(key.module, key.scope)
    if in_loop(around) or analysis.role(func) in (Role.HANDLER, Role.STREAM):  # type: ignore[arg-type]
        return False
    return analysis.joined(func).endless


def depends_on_parameter(analysis: Analysis, key: SiteKey, value: Value) -> bool:
    """The value comes from outside the call: from a parameter or an object of the module, through local names too."""
    return _depends(analysis, key.module, key.scope, value, set())


def _depends(analysis: Analysis, module: int, scope: int, value: Value, seen: set[tuple[int, str]]) -> bool:
    from resilint.facts import Arithmetic, Awaited, Boolean, Choice, Mapping, Result, Sequence, Spread, Subscript

    def of(inner: Value) -> bool:
        return _depends(analysis, module, scope, inner, seen)

    facts = analysis.linked.program.modules[module]
    if isinstance(value, Reference):
        owner = analysis.linked.inference.owner_scope(module, scope, value.name)
        if owner < 0 or (owner, value.name) in seen:
            return False
        seen.add((owner, value.name))
        one = facts.facts.scopes[owner]
        if any(p.name == value.name for p in one.parameters):
            return True
        if one.kind in ("module", "class"):
            found = analysis.linked.inference.name(module, owner, value.name)
            return any(e.tag == "instance" for e in found)
        bindings = [*facts.index[owner].names.get(value.name, ()), *facts.index[owner].additions.get(value.name, ())]
        return any(
            b.value is not None and _depends(analysis, module, binding_scope(b, owner), b.value, seen) for b in bindings
        )
    if isinstance(value, (Attribute, Awaited, Spread)):
        return of(value.value)
    if isinstance(value, Subscript):
        return of(value.value) or of(value.index)
    if isinstance(value, Result):
        site = facts.facts.scopes[scope].sites[value.site]
        receiver = isinstance(site.callee, Attribute) and of(site.callee.value)
        return receiver or any(of(a.value) for a in site.arguments)
    if isinstance(value, (Sequence,)):
        return any(of(item) for item in value.items)
    if isinstance(value, Mapping):
        return any(of(item) for _, item in value.items)
    if isinstance(value, Boolean):
        return any(of(part) for part in value.values)
    if isinstance(value, Choice):
        return of(value.test) or of(value.body) or of(value.orelse)
    if isinstance(value, Arithmetic):
        return of(value.left) or of(value.right)
    return False


def called_from_async(analysis: Analysis) -> frozenset[Func]:
    """Sync functions that a coroutine calls again and again, directly or through other sync functions."""

    def compute() -> frozenset[Func]:
        program, calls = analysis.linked.program, analysis.linked.calls
        pending = [
            f
            for f in program.functions()
            if program.scope(f).is_async
            and not runs_once(analysis, f)
            and analysis.role(f) not in (Role.TEST, Role.SCRIPT)
        ]
        found: set[Func] = set()
        while pending:
            for edge in calls.outgoing.get(pending.pop(), ()):
                inner = edge.callee
                if edge.kind == "call" and edge.attached and inner not in found and not program.scope(inner).is_async:
                    found.add(inner)
                    pending.append(inner)
        return frozenset(found)

    return analysis.once("called from async", compute)

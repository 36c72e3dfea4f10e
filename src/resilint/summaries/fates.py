"""What becomes of a value that a call makes: awaited, stored, returned, given away, or forgotten.

A value is followed through the local names, displays and containers of its scope, into nested functions that use the
name, and into the parameters of project functions that it is given to. Order does not matter: a use anywhere in the
scope counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from resilint.facts import (
    Arithmetic,
    Attribute,
    Await,
    Awaited,
    Bind,
    Boolean,
    Branch,
    Choice,
    Compare,
    Format,
    Invoke,
    Loop,
    Mapping,
    Match,
    Negative,
    Not,
    Raise,
    Reference,
    Result,
    Return,
    Sequence,
    Spread,
    Step,
    Subscript,
    Value,
    With,
    Yield,
)
from resilint.link.entities import Bound, Cls, Entity, Func, SiteKey
from resilint.summaries.analysis import Analysis
from resilint.summaries.sites import alive, callees

Kind = Literal[
    "await", "return", "yield", "store", "name", "argument", "receiver", "enter", "iterate", "loop test", "read"
]
ADDING = frozenset({"add", "append", "appendleft", "insert", "extend", "update", "setdefault", "put_nowait"})
TAKING = frozenset({"values", "items", "pop", "popleft", "popitem", "get", "copy", "get_nowait"})
MAX_DEPTH = 12


class Use(NamedTuple):
    """One use of a value, in the scope that uses it."""

    kind: Kind
    scope: int
    name: str = ""
    """Of a name, an element or what ``with`` binds: the name. Of a receiver: the method. Of an argument: its keyword or
    place."""
    site: int = -1
    """Of an argument, receiver or called one: the call."""
    target: Value | None = None
    """Of a stored one: the attribute or subscript."""


class End(NamedTuple):
    """Where a value ends up."""

    use: Use
    module: int

    @property
    def key(self) -> SiteKey:
        return SiteKey(self.module, self.use.scope, self.use.site)


class _Uses:
    """The uses of all values of one scope."""

    def __init__(self, scope: int, shared: frozenset[str], steps: tuple[Step, ...], sites: tuple[object, ...]) -> None:
        self.scope = scope
        self.shared = shared
        self.sites = sites
        self.of_site: dict[int, list[Use]] = {}
        self.of_name: dict[str, list[Use]] = {}
        for step, _ in alive(steps):
            self._step(step)

    def _use(self, kind: Kind, name: str = "", site: int = -1, target: Value | None = None) -> Use:
        return Use(kind, self.scope, name, site, target)

    def note(self, value: Value | None, use: Use) -> None:
        """``value`` is used so; what it is made of is used so too where it is handed on unchanged."""
        if value is None:
            return
        if isinstance(value, Result):
            self.of_site.setdefault(value.site, []).append(use)
        elif isinstance(value, Reference):
            self.of_name.setdefault(value.name, []).append(use)
        elif isinstance(value, Awaited):
            self.note(value.value, self._use("await"))
            if isinstance(value.value, Result):  # what the await gives is used so
                self.of_site.setdefault(-1 - value.value.site, []).append(use)
        elif isinstance(value, Sequence):
            for item in value.items:
                self.note(item, use)
        elif isinstance(value, Spread):
            self.note(value.value, use)
        elif isinstance(value, Mapping):
            for key, item in value.items:
                self.note(key, self._use("read"))
                self.note(item, use)
        elif isinstance(value, Choice):
            self.note(value.test, self._use("read"))
            self.note(value.body, use)
            self.note(value.orelse, use)
        elif isinstance(value, Boolean):
            for part in value.values:
                self.note(part, use)
        elif isinstance(value, Subscript):
            self.note(value.value, use)
            self.note(value.index, self._use("read"))
        elif isinstance(value, Arithmetic):
            self.note(value.left, use)
            self.note(value.right, use)
        elif isinstance(value, Compare):
            self.note(value.left, self._use("read"))
            self.note(value.right, self._use("read"))
        elif isinstance(value, (Not, Negative)):
            self.note(value.value, use if use.kind == "loop test" else self._use("read"))
        elif isinstance(value, Attribute):
            self.note(value.value, self._use("read"))
        elif isinstance(value, Format):
            for part in value.parts:
                self.note(part, self._use("read"))

    def _bind(self, target: Value, value: Value, kind: Kind) -> None:
        """``kind`` is how the target gets the value: as it is (name), element by element, or by entering."""
        if isinstance(target, Sequence):
            pairs = isinstance(value, Sequence) and len(value.items) == len(target.items)
            for position, part in enumerate(target.items):
                inner = value.items[position] if pairs and isinstance(value, Sequence) else value
                self._bind(part, inner, kind)
        elif isinstance(target, Spread):
            self._bind(target.value, value, kind)
        elif isinstance(target, Reference):
            stored = target.name in self.shared and target.name != "_"
            self.note(value, self._use("store", target=target) if stored else self._use(kind, target.name))
        elif (
            isinstance(target, Subscript)
            and isinstance(target.value, Reference)
            and target.value.name not in self.shared
        ):
            self.note(value, self._use("name", target.value.name, target=target))
        else:
            self.note(value, self._use("store", target=target))

    def _step(self, step: Step) -> None:
        if isinstance(step, Invoke):
            self._call(step.site)
        elif isinstance(step, Await):
            self.note(step.value, self._use("await"))
        elif isinstance(step, Return):
            self.note(step.value, self._use("return"))
        elif isinstance(step, Yield):
            self.note(step.value, self._use("yield"))
        elif isinstance(step, Bind):
            if step.value is not None:
                self._bind(step.target, step.value, "name")
        elif isinstance(step, Loop):
            if step.target is not None:
                self._bind(step.target, step.subject, "iterate")
            else:
                self.note(step.subject, self._use("loop test"))
        elif isinstance(step, With):
            for item in step.items:
                if item.target is None:
                    self.note(item.value, self._use("enter"))
                else:
                    self._bind(item.target, item.value, "enter")
        elif isinstance(step, Branch):
            self.note(step.test, self._use("read"))
        elif isinstance(step, Match):
            self.note(step.subject, self._use("read"))
        elif isinstance(step, Raise):
            self.note(step.value, self._use("read"))

    def _call(self, number: int) -> None:
        site = self.sites[number]
        callee = site.callee  # type: ignore[attr-defined]
        if isinstance(callee, Attribute):
            self.note(callee.value, self._use("receiver", callee.name, number))
        else:
            self.note(callee, self._use("read"))
        place = 0
        for argument in site.arguments:  # type: ignore[attr-defined]
            name = argument.name or str(place)
            place += argument.name == ""
            self.note(argument.value, self._use("argument", name, number))


class Fates:
    """Follows values through the whole program; each scope is looked at once, when it is first asked for."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.program = analysis.linked.program
        self.inference = analysis.linked.inference
        self._uses: dict[tuple[int, int], _Uses] = {}

    @staticmethod
    def of(analysis: Analysis) -> Fates:
        return analysis.once("fates", lambda: Fates(analysis))

    def uses(self, module: int, scope: int) -> _Uses:
        known = self._uses.get((module, scope))
        if known is None:
            one = self.program.modules[module].facts.scopes[scope]
            shared = frozenset(one.outer) | frozenset(one.enclosing)
            if one.kind in ("module", "class"):
                shared |= frozenset(self.program.modules[module].index[scope].names)
            known = self._uses[module, scope] = _Uses(scope, shared, one.body, one.sites)
            for child in self.program.modules[module].children[scope]:
                inner = self.program.modules[module].facts.scopes[child]
                for parameter in inner.parameters:  # defaults live as long as the function
                    known.note(parameter.default, Use("store", scope))
        return known

    def of_site(self, key: SiteKey, awaited: bool = False) -> list[Use]:
        """The direct uses of what the call gives (``awaited``: of what awaiting it gives)."""
        return self.uses(key.module, key.scope).of_site.get(-1 - key.index if awaited else key.index, [])

    def of_name(self, module: int, scope: int, name: str) -> Iterator[Use]:
        """The uses of a local name, those in nested functions included."""
        facts = self.program.modules[module]
        pending = [scope]
        while pending:
            current = pending.pop()
            if current == scope or self.inference.owner_scope(module, current, name) == scope:
                yield from self.uses(module, current).of_name.get(name, ())
            pending += facts.children[current]

    def ends(self, key: SiteKey, awaited: bool = False) -> list[End]:
        """Where what the call gives ends up, local names seen through."""
        found: dict[End, None] = {}
        seen: set[tuple[int, str]] = set()
        pending = list(self.of_site(key, awaited))
        while pending:
            self._follow(key.module, pending.pop(), seen, pending, found)
        return list(found)

    def ends_of_parameter(self, func: Func, name: str) -> list[End]:
        """Where the value of a parameter ends up."""
        found: dict[End, None] = {}
        seen = {(func.scope, name)}
        pending = list(self.of_name(func.module, func.scope, name))
        while pending:
            self._follow(func.module, pending.pop(), seen, pending, found)
        return list(found)

    def _follow(
        self, module: int, use: Use, seen: set[tuple[int, str]], pending: list[Use], found: dict[End, None]
    ) -> None:
        if use.kind in ("name", "iterate", "enter") and use.name:
            self._into(module, use, use.name, seen, pending, found)
            if use.kind == "enter":
                found[End(use, module)] = None
            return
        if use.kind == "receiver" and use.name in TAKING and not self._is_project(module, use):
            taken = self.of_site(SiteKey(module, use.scope, use.site))  # ``for task in tasks.values()``
            pending.extend(taken)
            if taken:
                return
        if use.kind == "argument":
            site = self.program.modules[module].facts.scopes[use.scope].sites[use.site]
            callee = site.callee
            if isinstance(callee, Attribute) and callee.name in ADDING and not self._is_project(module, use):
                base = callee.value
                if isinstance(base, Reference):
                    self._into(module, use, base.name, seen, pending, found)
                else:
                    found[End(use._replace(kind="store", target=base), module)] = None
                return
        found[End(use, module)] = None

    def _is_project(self, module: int, use: Use) -> bool:
        entities = callees(self.analysis, SiteKey(module, use.scope, use.site))
        return any(True for e in entities for _ in self.inference.targets(e))

    def _into(
        self, module: int, use: Use, name: str, seen: set[tuple[int, str]], pending: list[Use], found: dict[End, None]
    ) -> None:
        """The value is bound to a name, or put into the container of that name."""
        owner = self.inference.owner_scope(module, use.scope, name)
        facts = self.program.modules[module].facts
        into_container = use.kind == "argument" or isinstance(use.target, Subscript)
        if owner < 0 or facts.scopes[owner].kind in ("module", "class"):
            if name != "_":
                found[End(use._replace(kind="store", target=Reference(name)), module)] = None
            return
        if into_container and any(p.name == name for p in facts.scopes[owner].parameters):
            found[End(use._replace(kind="store", target=Reference(name)), module)] = None  # the caller's container
            return
        if owner != use.scope and use.kind == "argument":
            found[End(use._replace(kind="store", target=Reference(name)), module)] = None  # outlives this call
            return
        if (owner, name) not in seen:
            seen.add((owner, name))
            pending.extend(self.of_name(module, owner, name))

    # Through calls

    def parameters(self, end: End) -> list[tuple[Func, str]] | None:
        """The parameters that an argument becomes; None where the call (also) means something outside the project."""
        found = []
        entities = callees(self.analysis, end.key)
        if not entities:
            return None
        for entity in entities:
            targets = list(self.inference.targets(entity))
            if not targets:
                return None
            for func, offset, partial in targets:
                name = self._parameter(func, end.use.name, offset)
                if name is None or partial is not None:
                    return None
                found.append((func, name))
        return found

    def _parameter(self, func: Func, given: str, offset: int) -> str | None:
        parameters = self.program.scope(func).parameters
        if not given.isdigit():
            names = [p.name for p in parameters if p.name == given and p.kind != "positional"]
            return names[0] if names else next((p.name for p in parameters if p.kind == "keywords"), None)
        place = int(given) + offset
        if place < len(parameters) and parameters[place].kind in ("positional", "normal"):
            return parameters[place].name
        return next((p.name for p in parameters if p.kind == "variadic"), None)

    def classes(self, end: End) -> list[Cls]:
        """The project classes that the call of an argument constructs."""
        return [e for e in callees(self.analysis, end.key) if isinstance(e, Cls)]

    def outlives(self, key: SiteKey) -> bool:
        """The value is stored, returned, yielded or given to something that may keep it."""
        for awaited in (False, True):
            for end in self.ends(key, awaited):
                if end.use.kind in ("store", "return", "yield"):
                    return True
                if end.use.kind == "argument" and self._may_keep(end, 0):
                    return True
        return False

    def _may_keep(self, end: End, depth: int) -> bool:
        from resilint.summaries.sites import said

        parameters = self.parameters(end)
        if parameters is None:
            meanings = [m.callable for m, _ in said(self.analysis, end.key)]
            if any(m.installs_default_executor for m in meanings):
                return True
            return not meanings
        if depth > MAX_DEPTH:
            return True
        for func, name in parameters:
            for inner in self.ends_of_parameter(func, name):
                if inner.use.kind in ("store", "return", "yield"):
                    return True
                if inner.use.kind == "argument" and self._may_keep(inner, depth + 1):
                    return True
        return False


def functions_of(entities: list[Entity]) -> list[Func]:
    """The project functions among them, bound or not."""
    return [e.func if isinstance(e, Bound) else e for e in entities if isinstance(e, (Func, Bound))]

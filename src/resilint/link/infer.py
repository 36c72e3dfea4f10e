"""What every name, attribute and call can stand for: the flow-insensitive part of linking.

The answer to "what is this expression" is a set of entities (``entities``), the least fixpoint of the equations in
this module: a name is
what its bindings are, a parameter what its annotation says and what callers pass, a call what the callee returns.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from functools import lru_cache

from resilint.catalogue import Callable_
from resilint.facts import (
    Arithmetic,
    Attribute,
    Awaited,
    Boolean,
    Choice,
    Compare,
    Constant,
    Format,
    Imported,
    Mapping,
    Negative,
    Not,
    Number,
    Parameter,
    Reference,
    Result,
    Scope,
    ScopeValue,
    Sequence,
    Site,
    Spread,
    Subscript,
    Text,
    Value,
)
from resilint.link.annotations import Annotations
from resilint.link.entities import (
    NOBODY,
    NONE,
    Bound,
    Cls,
    ContainerMethod,
    Coro,
    Entities,
    Entity,
    Ext,
    Func,
    FuncMember,
    Generator,
    Inst,
    ManagedContext,
    Many,
    Mapp,
    Member,
    Mod,
    Nothing,
    Partial,
    Plain,
    Registrar,
    SiteKey,
    Super,
    Task,
    Tup,
    ordered,
)
from resilint.link.index import (
    ADDED,
    AUGMENTED,
    CAUGHT,
    DEFINED,
    ELEMENT,
    ENTERED,
    PLAIN,
    UNPACKED,
    Binding,
    Store,
)
from resilint.link.program import Module, Program, binding_scope
from resilint.link.solver import Solver

_BUILTINS = frozenset(dir(builtins))
_TEXT = frozenset({Plain("str")})
_NUMBER = frozenset({Plain("number")})
_BOOL = frozenset({Plain("bool")})
LITERALS = (Constant, Number, Text, Format, Compare, Not, Negative, type(None))
"""Values that are never a function, a client or a container of them."""
_CONTAINER_METHODS = frozenset({"pop", "popleft", "get", "setdefault", "popitem"})
_PASSING = frozenset({"builtins.map"})
_KEEP_BEGINNING = frozenset({"format", "lower", "strip", "rstrip", "replace"})
MAX_CHAIN = 7
MAX_OVERRIDES = 24
"""More implementations than this and a call through the base says nothing about which one runs."""


@lru_cache(maxsize=4096)
def argument_place(spec: str) -> tuple[str, int]:
    """``delay@0`` as keyword and position (-1: keyword only)."""
    name, _, position = spec.partition("@")
    return name, int(position) if position else -1


def written_argument(site: Site, spec: str, offset: int = 0) -> Value | None:
    """The value of the argument that ``spec`` names, where it is written out; None where it is not given."""
    name, position = argument_place(spec)
    if name:
        for argument in site.arguments:
            if argument.name == name:
                return argument.value
    if position >= 0:
        seen = 0
        for argument in site.arguments:
            if argument.name == "":
                if seen == position + offset:
                    return argument.value
                seen += 1
            elif argument.name == "*":
                return None
    return None


def written_arguments(site: Site, spec: str) -> list[Value]:
    """All values that ``spec`` names: ``*`` for every positional one, ``*1`` from position 1 on."""
    if spec.startswith("*"):
        start = int(spec[1:] or 0)
        found, seen = [], 0
        for argument in site.arguments:
            if argument.name == "":
                if seen >= start:
                    found.append(argument.value)
                seen += 1
            elif argument.name == "*":
                found.append(Spread(argument.value))
        return found
    value = written_argument(site, spec)
    return [] if value is None else [value]


def _passes(meaning: Callable_ | None) -> bool:
    if meaning is None:
        return False
    return meaning.spawn is not None or meaning.injects is not None or (meaning.returns or "").startswith("result:")


class Inference:
    """The equations. ``solve`` runs them to the end; afterwards every method only looks up."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.catalogue = program.catalogue
        self.solver = Solver(
            {
                "name": self._compute_name,
                "parameter": self._compute_parameter,
                "result": self._compute_result,
                "callees": self._compute_callees,
                "returns": self._compute_returns,
                "yields": self._compute_yields,
                "decorated": self._compute_decorated,
                "stage": self._compute_stage,
                "own": self._compute_own_returns,
                "body": self._compute_class_body,
                "store": self._compute_store,
                "assigned": self._compute_assigned,
                "found": self._compute_found,
                "becomes": self._compute_becomes,
            }
        )
        self.annotations = Annotations(self)
        self._types: dict[type, Callable[[int, int, Value], Entities]] = {
            Reference: self._reference_value,
            Attribute: self._attribute_value,
            Result: self._result_value,
            Awaited: self._awaited_value,
            Number: lambda m, s, v: _NUMBER,
            Text: lambda m, s, v: _TEXT,
            Format: lambda m, s, v: _TEXT,
            Negative: lambda m, s, v: _NUMBER,
            Not: lambda m, s, v: _BOOL,
            Compare: lambda m, s, v: _BOOL,
            Constant: self._constant_value,
            Choice: self._choice_value,
            Boolean: self._boolean_value,
            Sequence: self._sequence_value,
            Mapping: self._mapping_value,
            Subscript: self._subscript_value,
            ScopeValue: self._scope_value,
            Imported: self._imported_value,
            Arithmetic: self._arithmetic_value,
            Spread: self._spread_value,
        }
        self._owners: dict[tuple[int, int, str], int] = {}
        self._mro: dict[Cls, tuple[Cls | Ext, ...]] = {}
        self._subclasses: dict[Cls, list[Cls]] = {}
        self._flags: dict[Func, frozenset[str]] = {}
        self._foreign: dict[tuple[Cls, str], dict[tuple[int, int, Store], None]] = {}
        """What is assigned to an attribute of a class outside its methods, or through another name than ``self``."""
        self._held: dict[tuple[str, int, int], None] = {}
        """Returns that are annotated with a client: what is constructed there comes first."""
        self._passing: dict[str, bool] = {}
        self._passed_through: dict[Func, tuple[int, ...]] = {}
        self._settled = False
        self._resolving: set[tuple[Entity, SiteKey]] = set()
        self.callers: dict[Func, dict[tuple[SiteKey, int, SiteKey | None], None]] = {}
        """Call sites of a function: the site, how many leading parameters are bound already, the partial that binds
        others."""

    # Running

    def solve(self) -> None:
        """Compute everything that is asked for later, in the order of files and scopes."""
        for cls in self.program.layouts:
            self.mro(cls)
        for cls in self.program.layouts:
            for base in self.mro(cls)[1:]:
                if isinstance(base, Cls):
                    self._subclasses.setdefault(base, []).append(cls)
        sites: list[tuple[int, int, int]] = []
        for module in self.program.product():
            for number, scope in enumerate(module.facts.scopes):
                for position in range(len(scope.sites)):
                    self.solver.get(("callees", module.number, number, position))
                    sites.append((module.number, number, position))
                for position, store in enumerate(module.index[number].stores):
                    if self._is_foreign(module, scope, store):
                        self.solver.get(("assigned", module.number, number, position))
                if scope.kind == "function":
                    self.solver.get(("decorated", module.number, number))
                elif scope.kind == "lambda":
                    self.solver.get(("returns", module.number, number))
        self.solver.drain()
        self._run_effects(sites)
        self._settled = True  # what a project decorator returns stayed unknown: the function itself, then
        for node in (*self.solver.empty("stage"), *self._held):
            self.solver.again(node)
        self.solver.drain()
        self.solver.settled = True

    def _run_effects(self, sites: list[tuple[int, int, int]]) -> None:
        """Results are computed where somebody asks for them; those of calls that pass functions on, always."""
        while sites:
            left, found = [], False
            for site in sites:
                if any(self._passes_on(entity) for entity in self.solver.get(("callees", *site))):
                    found = True
                    self.solver.get(("result", *site))
                else:
                    left.append(site)
            self.solver.drain()
            sites = left if found else []

    def _passes_on(self, entity: Entity) -> bool:
        """Calling it calls functions that it is given, with arguments that it is given."""
        if isinstance(entity, Ext):
            known = self._passing.get(entity.path)
            if known is None:
                known = self._passing[entity.path] = entity.path in _PASSING or _passes(
                    self.catalogue.function(entity.path)
                )
            return known
        if isinstance(entity, Member):
            return _passes(self.catalogue.member(entity.of, entity.chain))
        if isinstance(entity, Inst) and isinstance(entity.of, Ext):
            return any(_passes(k.call) for k in self.catalogue.traits(entity.of.path))
        return isinstance(entity, Partial) and self._passes_on(entity.target)

    def _is_foreign(self, module: Module, scope: Scope, store: Store) -> bool:
        """An attribute that some class has, assigned through another name than a method's own receiver."""
        if store.name not in self.program.stored or isinstance(store.binding.value, LITERALS):
            return False
        while scope.kind in ("function", "lambda") and scope.parent >= 0:
            parent = module.facts.scopes[scope.parent]
            if parent.kind == "class":
                own = scope.parameters[0].name if scope.parameters else ""
                return not (isinstance(store.base, Reference) and store.base.name == own)
            scope = parent
        return True

    # Values

    def of(self, module: int, scope: int, value: Value) -> Entities:
        """What ``value``, read in that scope, can stand for."""
        compute = self._types.get(type(value))
        return compute(module, scope, value) if compute else NOBODY

    def _reference_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Reference)
        return self.name(module, scope, value.name)

    def _result_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Result)
        return self.solver.get(("result", module, scope, value.site))

    def _awaited_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Awaited)
        return self.awaited(self.of(module, scope, value.value))

    @staticmethod
    def _constant_value(module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Constant)
        return NONE if value.value is None else _BOOL

    def _spread_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Spread)
        return self.elements(self.of(module, scope, value.value))

    def _attribute_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Attribute)
        found: set[Entity] = set()
        for base in self.of(module, scope, value.value):
            found |= self.attribute(base, value.name)
        return frozenset(found)

    def _choice_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Choice)
        return self.of(module, scope, value.body) | self.of(module, scope, value.orelse)

    def _boolean_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Boolean)
        found: Entities = NOBODY
        for position, part in enumerate(value.values):
            types = self.of(module, scope, part)
            if value.operator == "or" and position < len(value.values) - 1:
                types -= NONE
            found |= types
        return found

    def _sequence_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Sequence)
        if value.kind == "tuple" and not any(isinstance(i, Spread) for i in value.items):
            return frozenset({Tup(tuple(self.of(module, scope, item) for item in value.items))})
        found: set[Entity] = set()
        for item in value.items:
            if isinstance(item, Spread):
                inner = self.of(module, scope, item.value)
                found |= inner if item.repeated else self.elements(inner)
            else:
                found |= self.of(module, scope, item)
        return frozenset({Many(self._shallow(found))})

    @staticmethod
    def _shallow(found: set[Entity] | Entities) -> Entities:
        """Containers nest two deep at most, so that sets stay finite."""
        return frozenset(
            e for e in found if not (isinstance(e, Many) and any(isinstance(x, (Many, Mapp, Tup)) for x in e.elements))
        )

    def _mapping_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Mapping)
        values: set[Entity] = set()
        items = []
        for key, item in value.items:
            types = self.of(module, scope, item)
            if key is None:
                for entity in types:
                    if isinstance(entity, Mapp):
                        values |= entity.values
                continue
            values |= types
            if isinstance(key, Text) and types:
                items.append((key.value, self._shallow(types)))
        flat = frozenset(e for e in values if not isinstance(e, (Mapp, Many, Tup)))
        return frozenset({Mapp(flat, tuple(items) if len(items) <= 64 else ())})

    def _subscript_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Subscript)
        found: set[Entity] = set()
        for base in self.of(module, scope, value.value):
            if isinstance(base, Tup) and isinstance(value.index, Number) and isinstance(value.index.value, int):
                if -len(base.items) <= value.index.value < len(base.items):
                    found |= base.items[value.index.value]
            elif isinstance(base, (Many, Tup)):
                found |= self.elements(frozenset({base}))
            elif isinstance(base, Mapp):
                found |= self._mapping_item(base, value.index)
            elif isinstance(base, (Cls, Ext)):
                found.add(base)  # ``Queue[int]`` is still the class
            elif isinstance(base, Inst) and isinstance(base.of, Cls):
                for method in self.attribute(base, "__getitem__"):
                    found |= self.result_of(method, None)
        return frozenset(found)

    @staticmethod
    def _mapping_item(base: Mapp, key: Value | None) -> Entities:
        if isinstance(key, Text):
            for name, types in base.items:
                if name == key.value:
                    return types
        return base.values

    def _scope_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, ScopeValue)
        kind = self.program.modules[module].facts.scopes[value.scope].kind
        return frozenset({Cls(module, value.scope) if kind == "class" else Func(module, value.scope)})

    def _arithmetic_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Arithmetic)
        left, right = self.of(module, scope, value.left), self.of(module, scope, value.right)
        again: set[Entity] = set()
        for entity in left | right:
            if isinstance(entity, Inst) and isinstance(entity.of, Ext):
                if any(value.operator in t.operators for t in self.catalogue.traits(entity.of.path)):
                    again.add(Inst(entity.of))
        if again:
            return frozenset(again)
        if value.operator in ("+", "|"):
            kept = frozenset(e for e in left | right if not isinstance(e, Plain))
            if kept:
                return kept
        numbers = all(isinstance(e, Plain) and e.kind == "number" for e in left | right)
        return _NUMBER if numbers and left and right else NOBODY

    def _imported_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Imported)
        table = self.program.table
        if value.level:
            place = table.relative(module, value.level, value.module)
            if place is None:
                return NOBODY
        else:
            place = table.absolute(module, value.module)
            if place is None:
                path = value.module if value.name is None else f"{value.module}.{value.name}"
                return frozenset({Ext(self.catalogue.canonical(path))})
        if value.name is None:
            return frozenset({Mod(place[0], place[1])})
        return self.module_member(Mod(place[0], place[1]), value.name, module)

    # Names

    def name(self, module: int, scope: int, name: str) -> Entities:
        """What the name stands for, read in the scope."""
        owner = self.owner_scope(module, scope, name)
        if owner >= 0:
            return self.solver.get(("name", module, owner, name))
        facts_module = self.program.modules[module]
        for star in facts_module.index[0].stars:
            found = self._through_star(module, star.module, star.level, name)
            if found:
                return found
        if name in _BUILTINS:
            return frozenset({Ext("builtins." + name)})
        return NOBODY

    def _through_star(self, module: int, source: str, level: int, name: str) -> Entities:
        table = self.program.table
        place = table.relative(module, level, source) if level else table.absolute(module, source)
        if place is None:
            path = self.catalogue.canonical(f"{source}.{name}")
            known = self.catalogue.klass(path) or self.catalogue.function(path)
            return frozenset({Ext(path)}) if known else NOBODY
        if place[0] < 0 or place[0] == module:
            return NOBODY
        exports = self.program.modules[place[0]].facts.exports
        if (exports is not None and name not in exports) or (exports is None and name.startswith("_")):
            return NOBODY
        if not self._defines(place[0], name, set()):
            return NOBODY
        return self.name(place[0], 0, name)

    def _defines(self, module: int, name: str, seen: set[int]) -> bool:
        """The module binds the name, itself or by a star import."""
        if module in seen:
            return False
        seen.add(module)
        index = self.program.modules[module].index[0]
        if name in index.names or name in index.annotations:
            return True
        table = self.program.table
        for star in index.stars:
            place = (
                table.relative(module, star.level, star.module) if star.level else table.absolute(module, star.module)
            )
            if place and place[0] >= 0 and self._defines(place[0], name, seen):
                return True
        return False

    def owner_scope(self, module: int, scope: int, name: str) -> int:
        """The scope that binds the name as seen from ``scope``; -1 for builtins and star imports."""
        key = (module, scope, name)
        known = self._owners.get(key)
        if known is None:
            known = self._owners[key] = self._find_owner(module, scope, name)
        return known

    def _find_owner(self, module: int, scope: int, name: str) -> int:
        facts_module = self.program.modules[module]
        current = scope
        while current >= 0:
            one = facts_module.facts.scopes[current]
            index = facts_module.index[current]
            if current == scope or one.kind != "class":
                bound = name in index.names or name in index.annotations or any(p.name == name for p in one.parameters)
                if bound and name not in one.outer and not (name in one.enclosing and current == scope):
                    return current
                if name in one.outer:
                    current = 0
                    return 0 if name in facts_module.index[0].names else -1
            current = one.parent
        return -1

    def _compute_name(self, module: int, scope: int, name: str) -> Entities:
        program_module = self.program.modules[module]
        one = program_module.facts.scopes[scope]
        index = program_module.index[scope]
        found: set[Entity] = set()
        for position, parameter in enumerate(one.parameters):
            if parameter.name == name:
                found |= self.solver.get(("parameter", module, scope, position))
        annotation = index.annotations.get(name)
        if annotation is not None:
            found |= self.annotations.instances(module, scope, annotation)
        for binding in index.names.get(name, ()):
            found |= self.binding(module, binding_scope(binding, scope), binding)
        additions = index.additions.get(name)
        if additions:
            found |= self._added(module, scope, additions)
        return frozenset(found)

    def _added(self, module: int, scope: int, additions: list[Binding]) -> Entities:
        elements: set[Entity] = set()
        for addition in additions[:64]:
            if addition.value is not None:
                elements |= self.of(module, binding_scope(addition, scope), addition.value)
        flat = frozenset(e for e in elements if not isinstance(e, (Many, Mapp, Tup, Plain, Nothing)))
        return frozenset({Many(flat), Mapp(flat)}) if flat else NOBODY

    def binding(self, module: int, scope: int, binding: Binding) -> Entities:
        """What one binding gives the name."""
        if binding.how == DEFINED:
            kind = self.program.modules[module].facts.scopes[binding.scope].kind
            if kind == "class":
                return frozenset({Cls(module, binding.scope)})
            return frozenset({self.getter(Func(module, binding.scope))})
        if binding.value is None or binding.how == CAUGHT:
            return NOBODY
        types = self.of(module, scope, binding.value)
        how = binding.inner if binding.how == UNPACKED else binding.how
        if how == ELEMENT:
            types = self.elements(types)
        elif how == ENTERED:
            types = self.entered(types)
        elif how == AUGMENTED:
            types = frozenset(t for t in types if not isinstance(t, Plain))
        elif how == ADDED:
            return self._added(module, scope, [binding])
        for step in binding.path if binding.how == UNPACKED else ():
            parts: set[Entity] = set()
            for entity in types:
                if isinstance(entity, Tup):
                    if 0 <= step < len(entity.items):
                        parts |= entity.items[step]
                elif isinstance(entity, Many):
                    parts |= entity.elements
            types = frozenset(parts)
        return types

    # Attributes

    def attribute(self, base: Entity, name: str) -> Entities:
        """What ``base.name`` can stand for. A property gives what it returns."""
        if isinstance(base, Mod):
            return self.module_member(base, name, base.module)
        if isinstance(base, Ext):
            if base.path.count(".") > MAX_CHAIN:
                return NOBODY
            return frozenset({Ext(self.catalogue.canonical(f"{base.path}.{name}"))})
        if isinstance(base, Inst):
            if isinstance(base.of, Cls):
                return self.solver.get(("found", base.of, base.exact, name, True))
            held = self.catalogue.attribute(base.of.path, name)
            if held is not None:
                return frozenset({Inst(Ext(held))})
            return frozenset({Member(base.of.path, name, base.made)})
        if isinstance(base, Cls):
            if name == "__subclasses__":
                return frozenset({ContainerMethod(base, name)})
            return self.solver.get(("found", base, True, name, False))
        if isinstance(base, Member):
            if base.chain.count(".") > MAX_CHAIN or self.catalogue.klass(base.of) is None:
                return frozenset({Member(base.of, "*")})  # the chain can mean nothing to the catalogue
            return frozenset({Member(base.of, f"{base.chain}.{name}", base.made)})
        if isinstance(base, Super):
            return self._through_super(base, name)
        if isinstance(base, (Func, Bound)):
            func = base.func if isinstance(base, Bound) else base
            if name in ("__wrapped__", "__func__"):
                return frozenset({base})
            return frozenset({FuncMember(func, name), *(Member(path, name) for path in self.becomes(func))})
        if isinstance(base, (Task, Coro)):
            return frozenset({Member("asyncio.Task", name)}) if isinstance(base, Task) else NOBODY
        if isinstance(base, (Many, Tup)):
            return frozenset({ContainerMethod(base, name)}) if name in _CONTAINER_METHODS else NOBODY
        if isinstance(base, Mapp):
            if name in _CONTAINER_METHODS or name in ("values", "items"):
                return frozenset({ContainerMethod(base, name)})
            return NOBODY
        if isinstance(base, Partial) and name == "func":
            return frozenset({base.target})
        return NOBODY

    def module_member(self, base: Mod, name: str, reader: int) -> Entities:
        """``module.name``: what it binds, else the submodule."""
        if base.module >= 0:
            if self._defines(base.module, name, set()) and not self._imports_itself(base.module, name):
                return self.name(base.module, 0, name)
            place = self.program.table.child((base.module, ""), name)
        else:
            place = self.program.table.child((-1, base.folder), name)
        return frozenset({Mod(place[0], place[1])}) if place else NOBODY

    def _imports_itself(self, module: int, name: str) -> bool:
        """``from . import name`` in the package's own file: what it binds is the submodule."""
        bindings = self.program.modules[module].index[0].names.get(name, ())
        table = self.program.table
        for binding in bindings:
            value = binding.value
            if not isinstance(value, Imported) or value.name != name:
                return False
            place = (
                table.relative(module, value.level, value.module)
                if value.level
                else table.absolute(module, value.module)
            )
            if place is None or place[0] != module:
                return False
        return bool(bindings)

    def _through_super(self, base: Super, name: str) -> Entities:
        found: set[Entity] = set()
        owners = [base.cls]
        if isinstance(base.owner, Inst) and isinstance(base.owner.of, Cls) and not base.owner.exact:
            owners += [c for c in self._subclasses.get(base.owner.of, ()) if len(self.mro(c)) > 2]
        for start in owners:
            order = self.mro(start)
            if base.cls not in order:
                continue
            for cls in order[order.index(base.cls) + 1 :]:
                if isinstance(cls, Ext):
                    if cls.path not in ("builtins.object",):
                        found.add(Member(cls.path, name))
                        break
                elif self._class_has(cls, name):
                    found |= self._bind(self.solver.get(("body", cls, name)), base.owner)
                    break
        return frozenset(found)

    def _class_has(self, cls: Cls, name: str) -> bool:
        index = self.program.index(cls)
        return name in index.names or name in index.annotations

    def _compute_found(self, cls: Cls, exact: bool, name: str, through_instance: bool) -> Entities:
        """An attribute looked up along the MRO, and in subclasses where the receiver may be one."""
        owner: Entity = Inst(cls, exact) if through_instance else cls
        found = set(self._lookup(cls, name, owner, through_instance))
        if not exact:
            definers: dict[tuple[Cls | Ext, ...], None] = {}
            for sub in self._subclasses.get(cls, ()):
                definers.setdefault(
                    tuple(c for c in self.mro(sub) if isinstance(c, Cls) and self._holds(c, name))[:1], None
                )
            for chain in list(definers)[:MAX_OVERRIDES] if len(definers) <= MAX_OVERRIDES else ():
                if chain and isinstance(chain[0], Cls) and chain[0] not in self.mro(cls):
                    found |= self._lookup(
                        chain[0], name, Inst(chain[0]) if through_instance else chain[0], through_instance
                    )
            if not self._subclasses.get(cls) and self.is_protocol(cls):
                for candidate in self.implementers(cls):
                    found |= self._lookup(candidate, name, Inst(candidate), through_instance)
        return frozenset(found)

    def _holds(self, cls: Cls, name: str) -> bool:
        return self._class_has(cls, name) or name in self.program.layouts[cls].stores

    def _lookup(self, cls: Cls, name: str, owner: Entity, through_instance: bool) -> Entities:
        found: set[Entity] = set()
        stored = False
        for base in self.mro(cls):
            if isinstance(base, Ext):
                if found or stored:
                    break
                if through_instance:
                    held = self.catalogue.attribute(base.path, name)
                    if held is not None:
                        return frozenset({Inst(Ext(held))})
                    if base.path != "builtins.object" and self.catalogue.klass(base.path) is None:
                        return frozenset({Member(base.path, name)})
                    if self.catalogue.member(base.path, name) is not None:
                        return frozenset({Member(base.path, name)})
                    continue
                if self.is_enum(cls):
                    continue
                if base.path != "builtins.object":
                    return frozenset({Ext(f"{base.path}.{name}")})
                continue
            if through_instance and name in self.program.layouts[base].stores:
                found |= self.solver.get(("store", base, name))
                stored = True
            if self._class_has(base, name):
                if self.is_enum(base) and name not in self.program.layouts[base].methods:
                    return frozenset({Inst(base)})
                inside = self.solver.get(("body", base, name))
                if stored and base != cls:  # a property wins over what is assigned to it; all else is replaced
                    inside = frozenset(e for e in inside if isinstance(e, Func) and "property" in self.flags(e))
                found |= self._bind(inside, owner)
                break
        return frozenset(found)

    def _bind(self, entities: Entities, owner: Entity) -> Entities:
        """Functions found in a class body become methods of the receiver."""
        found: set[Entity] = set()
        for entity in entities:
            if isinstance(entity, Func):
                flags = self.flags(entity)
                if "static" in flags:
                    found.add(entity)
                elif "class" in flags:
                    of = owner.of if isinstance(owner, Inst) and isinstance(owner.of, Cls) else owner
                    found.add(Bound(entity, of))
                elif isinstance(owner, Cls):
                    found.add(entity)
                elif "property" in flags:
                    found |= (
                        self.awaited(self.solver.get(("returns", entity.module, entity.scope)))
                        if "cached" in flags
                        else self.solver.get(("returns", entity.module, entity.scope))
                    )
                else:
                    found.add(Bound(entity, owner))
            else:
                found.add(entity)
        return frozenset(found)

    def _compute_class_body(self, cls: Cls, name: str) -> Entities:
        return self.solver.get(("name", cls.module, cls.scope, name))

    def _compute_store(self, cls: Cls, name: str) -> Entities:
        found: set[Entity] = set()
        for scope, store in self.program.layouts[cls].stores.get(name, ()):
            if store.annotation is not None:
                found |= self.annotations.instances(cls.module, scope, store.annotation)
            found |= self.binding(cls.module, scope, store.binding)
        self.solver.watch(("foreign", cls, name))
        for module, scope, store in list(self._foreign.get((cls, name), ())):
            found |= self.binding(module, scope, store.binding)
        return frozenset(found)

    def _compute_assigned(self, module: int, scope: int, position: int) -> Entities:
        """``other.name = value``: the classes of ``other`` that have such an attribute hold the value too."""
        store = self.program.modules[module].index[scope].stores[position]
        for base in self.of(module, scope, store.base):
            cls = base.of if isinstance(base, Inst) else None
            if not isinstance(cls, Cls):
                continue
            for parent in self.mro(cls):
                if isinstance(parent, Cls) and store.name in self.program.layouts[parent].stores:
                    known = self._foreign.setdefault((parent, store.name), {})
                    if (module, scope, store) not in known:
                        known[module, scope, store] = None
                        self.solver.touch(("foreign", parent, store.name))
                    break
        return NOBODY

    # Classes

    def mro(self, cls: Cls) -> tuple[Cls | Ext, ...]:
        """The class and its bases in the order of look-up (depth first, each base once, last occurrence kept)."""
        known = self._mro.get(cls)
        if known is None:
            self._mro[cls] = (cls,)
            order: list[Cls | Ext] = []
            scope = self.program.scope(cls)
            for argument in scope.bases:
                if argument.name:
                    continue
                for base in ordered(self.of(cls.module, scope.parent, argument.value)):
                    if isinstance(base, Cls):
                        chain: tuple[Cls | Ext, ...] = self.mro(base)
                    elif isinstance(base, Ext):
                        chain = tuple(Ext(p) for p in self.catalogue.mro(base.path))
                    else:
                        continue
                    order = [c for c in order if c not in chain] + list(chain)
            known = self._mro[cls] = (cls, *(c for c in order if c != cls))
        return known

    def _parents(self, cls: Cls) -> Entities:
        """The classes that it names as bases."""
        scope = self.program.scope(cls)
        found: Entities = NOBODY
        for argument in scope.bases:
            if not argument.name:
                found |= self.of(cls.module, scope.parent, argument.value)
        return found

    def external_bases(self, cls: Cls) -> Iterator[str]:
        for base in self.mro(cls):
            if isinstance(base, Ext):
                yield base.path

    def subclasses(self, cls: Cls) -> list[Cls]:
        return self._subclasses.get(cls, [])

    def _typing(self, cls: Cls, kind: str) -> bool:
        return any(t.typing == kind for path in self.external_bases(cls) for t in self.catalogue.traits(path))

    def is_enum(self, cls: Cls) -> bool:
        return self._typing(cls, "enum")

    def is_protocol(self, cls: Cls) -> bool:
        """A Protocol or ABC itself, not a class that implements one."""
        scope = self.program.scope(cls)
        for argument in scope.bases:
            for base in self.of(cls.module, scope.parent, argument.value):
                if isinstance(base, Ext) and any(
                    t.typing in ("protocol", "abstract") for t in self.catalogue.traits(base.path)
                ):
                    return True
        return False

    def implementers(self, cls: Cls) -> list[Cls]:
        """Classes with all the methods of a protocol that nobody inherits from: at most four, else none."""
        wanted = set(self.program.layouts[cls].methods)
        if not wanted or all(name.startswith("__") for name in wanted):
            return []
        found = []
        for other, layout in self.program.layouts.items():
            if other == cls or not (wanted & layout.methods.keys()):
                continue
            methods: set[str] = set()
            for base in self.mro(other):
                if isinstance(base, Cls):
                    methods |= self.program.layouts[base].methods.keys()
            if wanted <= methods and not self.is_protocol(other):
                found.append(other)
        return found if len(found) <= 4 else []

    def flags(self, func: Func) -> frozenset[str]:
        """What its decorators make of it: ``property``, ``static``, ``class``, ``manager``, ``cached``."""
        known = self._flags.get(func)
        if known is None:
            flags = set()
            scope = self.program.scope(func)
            for decorator in scope.decorators:
                value = decorator.value
                if isinstance(value, Attribute) and value.name in ("setter", "deleter"):
                    if isinstance(value.value, Reference) and value.value.name == scope.name:
                        flags.add("setter")  # by its form: what the name stands for is being asked
                        continue
                if isinstance(value, Result):
                    value = self.program.modules[func.module].facts.scopes[scope.parent].sites[value.site].callee
                for entity in self.of(func.module, scope.parent, value):
                    if isinstance(entity, FuncMember) and entity.name in ("setter", "deleter"):
                        flags.add("setter")
                    if not isinstance(entity, Ext):
                        continue
                    if entity.path == "builtins.staticmethod":
                        flags.add("static")
                    elif entity.path == "builtins.classmethod":
                        flags.add("class")
                    meaning = self.catalogue.function(entity.path)
                    if meaning is not None:
                        if meaning.property:
                            flags.add("property")
                        if meaning.context_manager:
                            flags.add("manager")
                        if meaning.caches:
                            flags.add("cached")
            if scope.name in ("__new__", "__class_getitem__", "__init_subclass__"):
                flags.add("static" if scope.name == "__new__" else "class")
            known = self._flags[func] = frozenset(flags)
        return known

    # Functions

    def becomes(self, func: Func) -> list[str]:
        """Classes of which a decorator makes the function an instance as well (a task of a queue)."""
        if not self.program.scope(func).decorators:
            return []
        return [e.path for e in ordered(self.solver.get(("becomes", func.module, func.scope))) if isinstance(e, Ext)]

    def _compute_becomes(self, module: int, scope: int) -> Entities:
        one = self.program.scope(Func(module, scope))
        found: set[Entity] = set()
        for decorator in one.decorators:
            value = decorator.value
            if isinstance(value, Result):
                value = self.program.modules[module].facts.scopes[one.parent].sites[value.site].callee
            for entity in self.of(module, one.parent, value):
                meaning = None
                if isinstance(entity, Ext):
                    meaning = self.catalogue.function(entity.path)
                elif isinstance(entity, Member):
                    meaning = self.catalogue.member(entity.of, entity.chain)
                for registration in meaning.register if meaning is not None else ():
                    if registration.becomes is not None:
                        found.add(Ext(self.catalogue.canonical(registration.becomes)))
        return frozenset(found)

    def getter(self, func: Func) -> Func:
        """``@x.setter def x``: the name stays the property."""
        if "setter" not in self.flags(func):
            return func
        scope = self.program.scope(func)
        for sibling in self.program.modules[func.module].children[scope.parent]:
            other = Func(func.module, sibling)
            if self.program.scope(other).name == scope.name and "property" in self.flags(other):
                return other
        return func

    def _compute_decorated(self, module: int, scope: int) -> Entities:
        """What runs when the name of a ``def`` is called: the function itself (raw), or what project decorators made
        of it."""
        return (
            self.solver.get(("stage", module, scope, 0))
            if self.program.modules[module].facts.scopes[scope].decorators
            else frozenset({Func(module, scope, True)})
        )

    def _compute_stage(self, module: int, scope: int, position: int) -> Entities:
        """The function with its decorators from ``position`` on applied; they are numbered from the top."""
        one = self.program.modules[module].facts.scopes[scope]
        if position == len(one.decorators):
            return frozenset({Func(module, scope, True)})
        below = self.solver.get(("stage", module, scope, position + 1))
        key = SiteKey(module, scope, -1 - position)
        replaced: set[Entity] = set()
        project = False
        for entity in self.of(module, one.parent, one.decorators[position].value):
            if isinstance(entity, (Func, Bound, Cls)) or (isinstance(entity, Inst) and isinstance(entity.of, Cls)):
                project = True
                replaced |= self.result_of(entity, key)
        if not project:
            return below
        usable = frozenset(
            e
            for e in replaced
            if isinstance(e, (Func, Bound, Partial, Cls)) or (isinstance(e, Inst) and isinstance(e.of, Cls))
        )
        return usable if usable or not self._settled else below

    def replacements(self, func: Func) -> Entities:
        """What project decorators made of the function; empty where they made nothing else of it."""
        if func.raw or not self.program.scope(func).decorators:
            return NOBODY
        found = self.solver.get(("decorated", func.module, func.scope))
        return frozenset(e for e in found if e != Func(func.module, func.scope, True))

    def decorator_input(self, key: SiteKey) -> Entities:
        """What the decorator at a pseudo site gets: the function with the decorators below it applied."""
        return self.solver.get(("stage", key.module, key.scope, -key.index))

    def targets(self, entity: Entity, depth: int = 0) -> Iterator[tuple[Func, int, SiteKey | None]]:
        """The project functions that calling ``entity`` runs: function, bound leading parameters, partial."""
        if isinstance(entity, (Func, Bound)):
            func, offset = (entity, 0) if isinstance(entity, Func) else (entity.func, 1)
            if func.raw or not self.program.scope(func).decorators:
                yield func.plain, offset, None
                return
            made = self.solver.get(("decorated", func.module, func.scope))
            for one in ordered(made):
                if isinstance(one, Func) and one.plain == func.plain:
                    yield func.plain, offset, None
                elif depth < 4:
                    for target, more, partial in self.targets(one, depth + 1):
                        yield target, offset + more if not isinstance(one, Inst) else more, partial
        elif isinstance(entity, Partial):
            for func, offset, _ in self.targets(entity.target):
                yield func, offset, entity.site
        elif isinstance(entity, Cls):
            for name in ("__init__", "__post_init__", "__new__"):
                for base in self.mro(entity):
                    if isinstance(base, Cls) and name in self.program.layouts[base].methods:
                        yield Func(base.module, self.program.layouts[base].methods[name]), 1, None
                        break
        elif isinstance(entity, Inst) and isinstance(entity.of, Cls):
            for method in ordered(self.attribute(entity, "__call__")):
                yield from self.targets(method)

    def _compute_callees(self, module: int, scope: int, position: int) -> Entities:
        key = SiteKey(module, scope, position)
        site = self.program.site(key)
        found = self.of(module, scope, site.callee)
        for entity in found:
            self._note_caller(entity, key)
        return found

    def _note_caller(self, entity: Entity, key: SiteKey) -> None:
        for func, offset, partial in self.targets(entity):
            known = self.callers.setdefault(func, {})
            record = (key, offset, partial)
            if record not in known:
                known[record] = None
                self.solver.touch(("callers", func))

    def note_call(self, entity: Entity, key: SiteKey, skip: int) -> None:
        """A catalogued call passes its arguments from ``skip`` on to ``entity`` (``add_task(f, x)``)."""
        for func, offset, partial in self.targets(entity):
            known = self.callers.setdefault(func, {})
            record = (key, offset - skip, partial)
            if record not in known:
                known[record] = None
                self.solver.touch(("callers", func))

    def _compute_result(self, module: int, scope: int, position: int) -> Entities:
        key = SiteKey(module, scope, position)
        found: set[Entity] = set()
        for entity in self.solver.get(("callees", module, scope, position)):
            found |= self.result_of(entity, key)
        return frozenset(found)

    def result_of(self, entity: Entity, key: SiteKey | None) -> Entities:
        """What calling ``entity`` at ``key`` gives (before ``await``, for project functions)."""
        where = key or SiteKey(-1, -1, -1)
        if key is not None and key.index < 0:
            self._note_caller(entity, key)
        if isinstance(entity, (Func, Bound)):
            func = entity if isinstance(entity, Func) else entity.func
            if not func.raw and self.program.scope(func).decorators:
                return self._decorated_result(func, entity, key)
            return self._function_result(func, entity, where)
        if isinstance(entity, Cls):
            return frozenset({Inst(entity, True)})
        if isinstance(entity, ContainerMethod):
            return self._container_result(entity, key)
        if isinstance(entity, Partial):
            return self._partial_result(entity, key)
        if isinstance(entity, Inst):
            if isinstance(entity.of, Cls):
                found: set[Entity] = set()
                for method in self.attribute(entity, "__call__"):
                    found |= self.result_of(method, key)
                return frozenset(found)
            for klass in self.catalogue.traits(entity.of.path):
                if klass.call is not None and key is not None:
                    return self._catalogued(klass.call, key, entity)
            return NOBODY
        if isinstance(entity, Ext):
            return self._external_result(entity, key)
        if isinstance(entity, Member):
            meaning = self.catalogue.member(entity.of, entity.chain)
            if meaning is not None and key is not None:
                return self._catalogued(meaning, key, entity)
            return NOBODY
        return NOBODY

    def _partial_result(self, entity: Partial, key: SiteKey | None) -> Entities:
        func = entity.target.func if isinstance(entity.target, Bound) else entity.target
        if isinstance(func, Func) and self._handed_back(func) and not self.program.scope(func).is_async:
            return self.solver.get(("returns", func.module, func.scope))
        return self.result_of(entity.target, key)

    def _decorated_result(self, func: Func, entity: Entity, key: SiteKey | None) -> Entities:
        where = key or SiteKey(-1, -1, -1)
        found: set[Entity] = set()
        for one in self.solver.get(("decorated", func.module, func.scope)):
            if isinstance(one, Func) and one.plain == func.plain:
                found |= self._function_result(func, entity, where)
            elif not (isinstance(one, Func) and one == func):
                found |= self.result_of(one, key if key is not None and key.index >= 0 else None)
        return frozenset(found)

    def _container_result(self, entity: ContainerMethod, key: SiteKey | None) -> Entities:
        name, base = entity.name, entity.base
        if isinstance(base, Cls):
            return frozenset({Many(frozenset(c for c in self._subclasses.get(base, ()) if base in self._parents(c)))})
        if isinstance(base, Mapp):
            if name == "values":
                return frozenset({Many(base.values)})
            if name == "items":
                return frozenset({Many(frozenset({Tup((_TEXT, base.values))}))})
            argument = written_argument(self.program.site(key), "@0") if key and key.index >= 0 else None
            found = self._mapping_item(base, argument)
            if (
                key
                and key.index >= 0
                and (default := written_argument(self.program.site(key), "default@1")) is not None
            ):
                found |= self.of(key.module, key.scope, default)
            return found
        return self.elements(frozenset({base}))

    def _function_result(self, func: Func, entity: Entity, key: SiteKey) -> Entities:
        scope = self.program.scope(func)
        if scope.is_generator:
            flags = self.flags(func)
            return frozenset({ManagedContext(entity, key) if "manager" in flags else Generator(entity, key)})
        if scope.is_async:
            return frozenset({Coro(entity, key)})
        return self._received(self._returned(func, 1 if isinstance(entity, Bound) else 0, key), entity)

    def _received(self, returned: Entities, target: Entity) -> Entities:
        """``cls()`` in a class method makes an instance of the class that it is called on."""
        if isinstance(target, Bound) and isinstance(target.owner, Cls):
            owner = self.program.owner(target.func)
            if owner is not None and owner != target.owner:
                made = Inst(owner, True)
                return frozenset(Inst(target.owner, True) if e == made else e for e in returned)
        return returned

    def _returned(self, func: Func, offset: int, key: SiteKey) -> Entities:
        """What one call returns: of a parameter that is handed back as it is, what this call gives for it."""
        passed = self._handed_back(func) if key.module >= 0 else ()
        if not passed:
            return self.solver.get(("returns", func.module, func.scope))
        parameters = self.program.scope(func).parameters
        found = self.solver.get(("own", func.module, func.scope))
        for position in passed:
            given = self.argument(func, position, parameters[position], key, offset, None)
            found |= given or self._default(func, parameters[position])
        return found

    def _default(self, func: Func, parameter: Parameter) -> Entities:
        return (
            NOBODY
            if parameter.default is None
            else self.of(func.module, self.program.scope(func).parent, parameter.default)
        )

    def _handed_back(self, func: Func) -> tuple[int, ...]:
        """The positions of parameters that a function returns under their own name and binds to nothing else."""
        known = self._passed_through.get(func.plain)
        if known is None:
            scope, index = self.program.scope(func), self.program.index(func)
            names = {value.name for value in index.returns if isinstance(value, Reference)}
            known = self._passed_through[func.plain] = tuple(
                position
                for position, parameter in enumerate(scope.parameters)
                if parameter.name in names
                and parameter.kind in ("positional", "normal", "keyword")
                and parameter.name not in index.names
                and not (position == 0 and self.program.owner(func) is not None)
            )
        return known

    def _external_result(self, entity: Ext, key: SiteKey | None) -> Entities:
        meaning = self.catalogue.function(entity.path)
        klass = self.catalogue.klass(entity.path)
        if key is not None and key.index >= 0:
            builtin = self._builtin_result(entity, key)
            if builtin is not None:
                return builtin
        if klass is not None:
            return frozenset(
                {
                    Inst(
                        entity,
                        True,
                        key
                        if key and key.index >= 0 and (klass.client or entity.path in self.catalogue.remembered)
                        else None,
                    )
                }
            )
        if meaning is not None and key is not None:
            return self._catalogued(meaning, key, entity)
        last = entity.path.rpartition(".")[2]
        if last[:1].isupper() and not last.isupper():
            return frozenset({Inst(entity, True)})
        return NOBODY

    def _catalogued(self, meaning: Callable_, key: SiteKey, receiver: Entity) -> Entities:
        """The result that the catalogue states."""
        if key.index < 0:
            return self.decorator_input(key)
        site = self.program.site(key)
        module, scope = key.module, key.scope
        if meaning.partial:
            target = written_argument(site, "@0")
            if target is None:
                return NOBODY
            return frozenset(Partial(t, key) for t in self.of(module, scope, target))
        if meaning.injects is not None:
            return self._injected(meaning.injects, key)
        if meaning.cast is not None:
            kind = written_argument(site, "@0")
            value = written_argument(site, meaning.cast)
            if isinstance(kind, Text) and kind.value.isidentifier():
                kind = Reference(kind.value)
            found = self.annotations.instances(module, scope, kind) if kind is not None else NOBODY
            return found or (self.of(module, scope, value) if value is not None else NOBODY)
        if meaning.spawn is not None:
            tasks: set[Entity] = set()
            for value in written_arguments(site, meaning.spawn.what):
                skip = argument_place(meaning.spawn.what)[1] + 1
                for entity in self.of(module, scope, value):
                    if isinstance(entity, (Coro, Task)):
                        tasks.add(Task(entity.target, key))
                    elif isinstance(entity, (Func, Bound, Partial, Cls)):
                        self.note_call(entity, key, skip)
                        if meaning.is_async or meaning.spawn.task:
                            tasks |= (
                                self.awaited(self.result_of(entity, key)) if meaning.is_async else {Task(entity, key)}
                            )
            returned = self._stated(meaning, key, receiver)
            return frozenset(tasks) | returned if tasks else returned
        if meaning.wraps is not None:
            value = written_argument(site, meaning.wraps)
            if value is not None:
                return self.of(module, scope, value)
        if meaning.iterator:
            return self._iterated(meaning.iterator, key)
        return self._stated(meaning, key, receiver)

    def _stated(self, meaning: Callable_, key: SiteKey, receiver: Entity) -> Entities:
        spec = meaning.returns
        if spec is None:
            if any(registration.what is None for registration in meaning.register):
                return frozenset({Registrar(key)})
            return NOBODY
        site = self.program.site(key)
        module, scope = key.module, key.scope
        if spec == "self":
            if isinstance(receiver, Member):
                return frozenset({Inst(Ext(receiver.of), made=receiver.made)})
            return frozenset({receiver})
        if spec.startswith("argument:"):
            value = written_argument(site, spec.removeprefix("argument:"))
            return self.awaited(self.of(module, scope, value)) if value is not None else NOBODY
        if spec.startswith("entered:"):
            value = written_argument(site, spec.removeprefix("entered:"))
            return self.entered(self.of(module, scope, value)) if value is not None else NOBODY
        if spec.startswith("result:"):
            value = written_argument(site, spec.removeprefix("result:"))
            if value is None or (receiver, key) in self._resolving:
                return NOBODY  # ``map(to_thread, ...)``: the function given would be given to itself
            self._resolving.add((receiver, key))
            found: set[Entity] = set()
            for entity in self.of(module, scope, value):
                if isinstance(entity, (Coro, Task)):
                    found |= self.awaited(frozenset({entity}))
                    continue
                self.note_call(entity, key, argument_place(spec.removeprefix("result:"))[1] + 1)
                found |= self.awaited(self.result_of(entity, key)) if meaning.is_async else self.result_of(entity, key)
            self._resolving.discard((receiver, key))
            return frozenset(found)
        if spec.startswith("first:"):
            values = written_arguments(site, spec.removeprefix("first:"))
            parts = []
            for value in values:
                if isinstance(value, Spread):
                    types = self.elements(self.of(module, scope, value.value))
                    return frozenset({Many(self.awaited(types))})
                parts.append(self.awaited(self.of(module, scope, value)))
            return frozenset({Tup(tuple(parts))})
        if spec.startswith("many:"):
            return frozenset({Many(frozenset({Inst(Ext(self.catalogue.canonical(spec.removeprefix("many:"))))}))})
        path = self.catalogue.canonical(spec)
        klass = self.catalogue.klass(path)
        return frozenset({Inst(Ext(path), True, key if klass and klass.client else None)})

    def _injected(self, spec: str, key: SiteKey) -> Entities:
        value = written_argument(self.program.site(key), spec)
        if value is None:
            return NOBODY
        found: set[Entity] = set()
        for entity in self.of(key.module, key.scope, value):
            found |= self.injected_value(entity, key)
        return frozenset(found)

    def injected_value(self, entity: Entity, key: SiteKey | None) -> Entities:
        """What a parameter gets from a dependency: an instance, a return value, or what a generator yields."""
        found = self.awaited(self.result_of(entity, key))
        result: set[Entity] = set()
        for one in found:
            result |= self.elements(frozenset({one})) if isinstance(one, Generator) else {one}
        return frozenset(result)

    def _iterated(self, kind: str, key: SiteKey) -> Entities:
        site = self.program.site(key)
        arguments = written_arguments(site, "*")
        if kind in ("range", "count"):
            return frozenset({Many(_NUMBER)})
        parts = [self.elements(self.of(key.module, key.scope, a)) for a in arguments if not isinstance(a, Spread)]
        if kind == "enumerate":
            return frozenset({Many(frozenset({Tup((_NUMBER, parts[0] if parts else NOBODY))}))})
        if kind == "zip":
            return frozenset({Many(frozenset({Tup(tuple(parts))}))})
        if kind == "chain":
            return frozenset({Many(frozenset().union(*parts))})
        if kind == "repeat" and arguments:
            return frozenset({Many(self.of(key.module, key.scope, arguments[0]))})
        return frozenset({Many(parts[0])}) if parts else NOBODY

    def _builtin_result(self, entity: Ext, key: SiteKey) -> Entities | None:
        if not entity.path.startswith("builtins."):
            return None
        name = entity.path[9:]
        site = self.program.site(key)
        module, scope = key.module, key.scope
        first = written_argument(site, "@0")
        if name == "super":
            return self._super(module, scope)
        if name == "getattr" and first is not None:
            return self._getattr(key, site, first)
        if name == "type" and first is not None and len(site.arguments) == 1:
            return frozenset(e.of for e in self.of(module, scope, first) if isinstance(e, Inst))
        if name in ("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "aiter") and first is not None:
            types = self.of(module, scope, first)
            if name in ("iter", "aiter") and any(isinstance(t, Generator) for t in types):
                return types
            return frozenset({Many(self._shallow(self.elements(types)))})
        if name == "dict":
            values: set[Entity] = set()
            items = []
            for argument in site.arguments:
                if argument.name and argument.name != "*":
                    types = self.of(module, scope, argument.value)
                    if argument.name == "**":
                        values |= {e for m in types if isinstance(m, Mapp) for e in m.values}
                        continue
                    values |= types
                    items.append((argument.name, types))
            return frozenset({Mapp(frozenset(e for e in values if not isinstance(e, (Mapp, Many, Tup))), tuple(items))})
        if name in ("next", "anext") and first is not None:
            return self.elements(self.of(module, scope, first))
        if name in ("map", "filter") and first is not None:
            rest = written_argument(site, "@1")
            if name == "filter":
                return frozenset({Many(self.elements(self.of(module, scope, rest)))}) if rest is not None else NOBODY
            results: set[Entity] = set()
            for function in self.of(module, scope, first):
                self.note_call(function, key, 1)
                results |= self.result_of(function, key)
            return frozenset({Many(self._shallow(results))})
        if name in ("str", "repr", "format", "ascii", "chr", "input"):
            return _TEXT
        if name in ("int", "float", "len", "sum", "abs", "round", "ord", "hash", "id", "pow", "divmod"):
            return _NUMBER
        if name in ("bool", "isinstance", "issubclass", "hasattr", "callable", "any", "all"):
            return _BOOL
        if name in ("min", "max") and first is not None:
            parts = [self.of(module, scope, a) for a in written_arguments(site, "*") if not isinstance(a, Spread)]
            if len(parts) == 1:
                return self.elements(parts[0])
            return frozenset().union(*parts) if parts else NOBODY
        return None

    def _getattr(self, key: SiteKey, site: Site, first: Value) -> Entities:
        """``getattr(x, "name")``; ``getattr(x, "on_" + event)`` is any method of the class that begins with this."""
        module, scope = key.module, key.scope
        attribute = written_argument(site, "@1")
        found: set[Entity] = set()
        if isinstance(attribute, Text):
            for base in self.of(module, scope, first):
                found |= self.attribute(base, attribute.value)
        elif attribute is not None and (prefix := self._prefix(module, scope, attribute)):
            for base in self.of(module, scope, first):
                cls = base.of if isinstance(base, Inst) else base
                if isinstance(cls, Cls):
                    for name in self._method_names(cls):
                        if name.startswith(prefix):
                            found |= self.attribute(base, name)
        if (default := written_argument(site, "@2")) is not None:
            found |= self.of(module, scope, default)
        return frozenset(found)

    def _method_names(self, cls: Cls) -> list[str]:
        names: dict[str, None] = {}
        for base in (*self.mro(cls), *self._subclasses.get(cls, ())):
            if isinstance(base, Cls):
                names.update(dict.fromkeys(self.program.layouts[base].methods))
        return list(names)

    def _prefix(self, module: int, scope: int, value: Value, depth: int = 0) -> str:
        """What a text surely begins with, as far as it is written out; a name of methods, so at least two characters
        that end with ``_``."""
        if depth > 4:
            return ""
        if isinstance(value, Text):
            head = value.value.partition("{")[0].partition("%")[0]
            return head if len(head) > 1 and head.endswith("_") else ""
        if isinstance(value, Format) and value.parts:
            return self._prefix(module, scope, value.parts[0], depth + 1)
        if isinstance(value, Arithmetic) and value.operator in ("+", "%"):
            return self._prefix(module, scope, value.left, depth + 1)
        if isinstance(value, Result):  # ``"on_{}".format(x)``, ``name.lower()``
            callee = self.program.modules[module].facts.scopes[scope].sites[value.site].callee
            if isinstance(callee, Attribute) and callee.name in _KEEP_BEGINNING:
                return self._prefix(module, scope, callee.value, depth + 1)
            return ""
        if isinstance(value, Reference):
            owner = self.owner_scope(module, scope, value.name)
            bindings = self.program.modules[module].index[owner].names.get(value.name, ()) if owner >= 0 else ()
            if len(bindings) == 1 and bindings[0].value is not None and bindings[0].how == PLAIN:
                return self._prefix(module, owner, bindings[0].value, depth + 1)
        return ""

    def _super(self, module: int, scope: int) -> Entities:
        facts = self.program.modules[module].facts
        current = scope
        while current >= 0:
            one = facts.scopes[current]
            parent = one.parent
            if one.kind == "function" and parent >= 0 and facts.scopes[parent].kind == "class":
                cls = Cls(module, parent)
                if not one.parameters:
                    return NOBODY
                owners = self.solver.get(("parameter", module, current, 0))
                return frozenset(Super(cls, o) for o in owners if isinstance(o, (Inst, Cls)))
            current = parent
        return NOBODY

    # What is inside

    def awaited(self, entities: Entities) -> Entities:
        """What awaiting them gives. What is no coroutine or task stands for its own result."""
        for entity in entities:
            if isinstance(entity, (Coro, Task)) or (isinstance(entity, Inst) and isinstance(entity.of, Cls)):
                break
        else:
            return entities
        found: set[Entity] = set()
        for entity in entities:
            if isinstance(entity, (Coro, Task)):
                target = entity.target
                if isinstance(target, (Func, Bound)):
                    func = target.func if isinstance(target, Bound) else target
                    offset = 1 if isinstance(target, Bound) else 0
                    site = entity.site if isinstance(entity, Coro) else SiteKey(-1, -1, -1)
                    found |= self._received(self._returned(func, offset, site), target)
                elif isinstance(target, Partial):
                    found |= self.awaited(self.result_of(target, entity.site))
            elif isinstance(entity, Inst) and isinstance(entity.of, Cls):
                methods = self.attribute(entity, "__await__")
                if methods:
                    for method in methods:
                        found |= self.elements(self.result_of(method, None))
                else:
                    found.add(entity)
            else:
                found.add(entity)
        return frozenset(found)

    def elements(self, entities: Entities) -> Entities:
        """What iterating over them gives."""
        found: set[Entity] = set()
        for entity in entities:
            if isinstance(entity, Many):
                found |= entity.elements
            elif isinstance(entity, Tup):
                for item in entity.items:
                    found |= item
            elif isinstance(entity, (Generator, ManagedContext)):
                func = entity.func.func if isinstance(entity.func, Bound) else entity.func
                if isinstance(func, Func):
                    found |= self.solver.get(("yields", func.module, func.scope))
            elif isinstance(entity, Inst) and isinstance(entity.of, Cls):
                for name in ("__iter__", "__aiter__"):
                    for method in self.attribute(entity, name):
                        inner = self.result_of(method, None)
                        found |= self.elements(frozenset(e for e in inner if isinstance(e, (Generator, Many, Tup))))
                        for one in inner:
                            if isinstance(one, Inst) and isinstance(one.of, Cls):
                                for step in ("__next__", "__anext__"):
                                    for following in self.attribute(one, step):
                                        found |= self.awaited(self.result_of(following, None))
                if self.is_enum(entity.of):
                    found.add(entity)
            elif isinstance(entity, Cls) and self.is_enum(entity):
                found.add(Inst(entity))
        return frozenset(found)

    def entered(self, entities: Entities) -> Entities:
        """What ``with`` binds."""
        found: set[Entity] = set()
        for entity in entities:
            if isinstance(entity, ManagedContext):
                found |= self.elements(frozenset({entity}))
            elif isinstance(entity, Inst) and isinstance(entity.of, Cls):
                methods = self.attribute(entity, "__aenter__") | self.attribute(entity, "__enter__")
                results: set[Entity] = set()
                for method in methods:
                    if isinstance(method, Member):
                        results.add(entity)
                    else:
                        results |= self.awaited(self.result_of(method, None))
                found |= results or {entity}
            elif isinstance(entity, Inst) and isinstance(entity.of, Ext):
                enters = next(
                    (k.enter.enters for k in self.catalogue.traits(entity.of.path) if k.enter and k.enter.enters), None
                )
                if enters and enters != "self":
                    found.add(Inst(Ext(self.catalogue.canonical(enters)), True))
                else:
                    found.add(entity)
            elif isinstance(entity, Coro):
                found |= self.entered(self.awaited(frozenset({entity})))
            else:
                found.add(entity)
        return frozenset(found)

    # Parameters and returns

    def _compute_parameter(self, module: int, scope: int, position: int) -> Entities:
        func = Func(module, scope)
        one = self.program.scope(func)
        parameter = one.parameters[position]
        owner = self.program.owner(func)
        if owner is not None and position == 0 and parameter.kind in ("positional", "normal"):
            flags = self.flags(func)
            if "class" in flags:
                return frozenset({owner})
            if "static" not in flags:
                return frozenset({Inst(owner)})
        parent = one.parent
        declared = NOBODY
        if parameter.annotation is not None:
            where = scope if one.type_parameters else parent
            declared = self.annotations.instances(module, where, parameter.annotation)
            injected = self.annotations.injections(module, parent, parameter.annotation)
            if injected:
                declared |= injected
            if declared and parameter.kind == "variadic":
                declared = frozenset({Many(declared)})
            elif declared and parameter.kind == "keywords":
                declared = frozenset({Mapp(declared)})
        found = declared
        if parameter.default is not None and not (
            isinstance(parameter.default, Constant) and parameter.default.value is None
        ):
            defaults = self.of(module, parent, parameter.default)
            if defaults and not (declared and all(isinstance(d, Plain) for d in defaults)):
                found = found | defaults
        concrete = declared - NONE
        if concrete and all(self._is_concrete(e) for e in concrete):
            return found | self._from_callers(func, position, parameter, clients=True)
        return found | self._from_callers(func, position, parameter)

    def _is_concrete(self, entity: Entity) -> bool:
        """Callers cannot say more than the annotation does."""
        if isinstance(entity, Inst):
            return not (
                isinstance(entity.of, Cls)
                and (self.is_protocol(entity.of) or "__call__" in self.program.layouts[entity.of].methods)
            )
        return isinstance(entity, (Plain, Cls))

    def _from_callers(self, func: Func, position: int, parameter: Parameter, clients: bool = False) -> Entities:
        self.solver.watch(("callers", func))
        found: set[Entity] = set()
        for key, offset, partial in list(self.callers.get(func, ())):
            for entity in self.argument(func, position, parameter, key, offset, partial):
                if isinstance(entity, (Plain, Nothing)):
                    continue
                if clients and not (isinstance(entity, Inst) and entity.made is not None):
                    continue
                if isinstance(entity, Many) and any(isinstance(e, Many) for e in entity.elements):
                    continue
                found.add(entity)
        return frozenset(found)

    def argument(
        self, func: Func, position: int, parameter: Parameter, key: SiteKey, offset: int, partial: SiteKey | None
    ) -> Entities:
        """What a call passes for a parameter."""
        if key.index < 0:
            return self.decorator_input(key) if position == max(offset, 0) else NOBODY
        bound = 0
        if partial is not None:
            binder = self.program.site(partial)
            given = self._passed(partial, binder, parameter, position - offset, 1)
            if given is not None:
                return given
            bound = sum(1 for a in binder.arguments if a.name == "") - 1
        given = self._passed(key, self.program.site(key), parameter, position - offset - bound, 0)
        return given if given is not None else NOBODY

    def _passed(self, key: SiteKey, site: Site, parameter: Parameter, position: int, skip: int) -> Entities | None:
        module, scope = key.module, key.scope
        if parameter.kind == "variadic":
            found: set[Entity] = set()
            seen = 0
            for argument in site.arguments:
                if argument.name == "":
                    if seen >= position + skip:
                        found |= self.of(module, scope, argument.value)
                    seen += 1
                elif argument.name == "*":
                    found |= self.elements(self.of(module, scope, argument.value))
            return frozenset({Many(self._shallow(found))}) if found else None
        if parameter.kind == "keywords":
            values: set[Entity] = set()
            for argument in site.arguments:
                if argument.name and argument.name not in ("*", "**"):
                    values |= self.of(module, scope, argument.value)
                elif argument.name == "**":
                    values |= {
                        v for m in self.of(module, scope, argument.value) if isinstance(m, Mapp) for v in m.values
                    }
            flat = frozenset(v for v in values if not isinstance(v, (Many, Mapp, Tup, Plain)))
            return frozenset({Mapp(flat)}) if flat else None
        for argument in site.arguments:
            if argument.name == parameter.name and parameter.kind != "positional":
                return self.of(module, scope, argument.value)
        if parameter.kind in ("positional", "normal"):
            seen = 0
            for argument in site.arguments:
                if argument.name == "":
                    if seen == position + skip:
                        return self.of(module, scope, argument.value)
                    seen += 1
                elif argument.name == "*" and seen <= position + skip:
                    return self.elements(self.of(module, scope, argument.value))
        for argument in site.arguments:
            if argument.name == "**":
                for entity in self.of(module, scope, argument.value):
                    if isinstance(entity, Mapp):
                        return self._mapping_item(entity, Text(parameter.name))
        return None

    def _compute_returns(self, module: int, scope: int) -> Entities:
        return self._returns(Func(module, scope), frozenset())

    def _compute_own_returns(self, module: int, scope: int) -> Entities:
        """What a function returns besides parameters that it hands back."""
        func = Func(module, scope)
        parameters = self.program.scope(func).parameters
        return self._returns(func, frozenset(parameters[position].name for position in self._handed_back(func)))

    def _returns(self, func: Func, left_out: frozenset[str]) -> Entities:
        one = self.program.scope(func)
        if one.is_generator and "manager" not in self.flags(func):
            return frozenset({Generator(func, SiteKey(-1, -1, -1))})
        declared = NOBODY
        constructed = False
        if one.returns is not None:
            where = func.scope if one.type_parameters else one.parent
            declared = self.annotations.instances(func.module, where, one.returns)
            concrete = declared - NONE
            if concrete and all(isinstance(e, (Inst, Plain)) and self._is_concrete(e) for e in concrete):
                if not any(isinstance(e, Inst) and self._is_client(e) for e in concrete):
                    return declared
                constructed = True
        found: set[Entity] = set()
        for value in self.program.index(func).returns:
            if value is not None and not (isinstance(value, Reference) and value.name in left_out):
                found |= self.of(func.module, func.scope, value)
        if constructed and any(isinstance(e, Inst) and e.made is not None for e in found):
            return frozenset(found)  # where it is made says more than what it is
        if constructed and not self._settled:
            self._held.setdefault(("own" if left_out else "returns", func.module, func.scope))
            return frozenset(found)
        return declared | found

    def _is_client(self, entity: Inst) -> bool:
        path = entity.of.path if isinstance(entity.of, Ext) else ""
        return (
            any(t.client or t.executor or t.queue is not None for t in self.catalogue.traits(path)) if path else False
        )

    def _compute_yields(self, module: int, scope: int) -> Entities:
        func = Func(module, scope)
        one = self.program.scope(func)
        found: set[Entity] = set()
        if one.returns is not None:
            found |= self.elements(self.annotations.instances(module, one.parent, one.returns))
        for value, is_from in self.program.index(func).yields:
            if value is not None:
                types = self.of(module, scope, value)
                found |= self.elements(types) if is_from else types
        return frozenset(found)

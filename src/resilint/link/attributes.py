"""What ``base.name`` stands for: along the MRO, in subclasses, through ``super()``, and what is assigned to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resilint.facts import (
    Reference,
    Scope,
)
from resilint.link.entities import (
    NOBODY,
    Bound,
    Cls,
    ContainerMethod,
    Coro,
    Entities,
    Entity,
    Ext,
    Func,
    FuncMember,
    Inst,
    Many,
    Mapp,
    Member,
    Mod,
    Partial,
    Super,
    Task,
    Tup,
)
from resilint.link.index import (
    LITERALS,
    Store,
)
from resilint.link.program import Module

if TYPE_CHECKING:
    from resilint.link.infer import Inference

_CONTAINER_METHODS = frozenset({"pop", "popleft", "get", "setdefault", "popitem"})
MAX_CHAIN = 7
MAX_OVERRIDES = 24
"""More implementations than this and a call through the base says nothing about which one runs."""


class Attributes:
    """The equations of this module, a part of :class:`Inference`."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program
        self._catalogue = inference.catalogue
        self._solver = inference.solver
        self._foreign: dict[tuple[Cls, str], dict[tuple[int, int, Store], None]] = {}
        """What is assigned to an attribute of a class outside its methods, or through another name than ``self``."""

    def attribute(self, base: Entity, name: str) -> Entities:
        """What ``base.name`` can stand for. A property gives what it returns."""
        if isinstance(base, Mod):
            return self._inference.names.module_member(base, name, base.module)
        if isinstance(base, Ext):
            if base.path.count(".") > MAX_CHAIN:
                return NOBODY
            return frozenset({Ext(self._catalogue.canonical(f"{base.path}.{name}"))})
        if isinstance(base, Inst):
            if isinstance(base.of, Cls):
                return self._solver.get(("found", base.of, base.exact, name, True))
            held = self._catalogue.attribute(base.of.path, name)
            if held is not None:
                return frozenset({Inst(Ext(held))})
            return frozenset({Member(base.of.path, name, base.made)})
        if isinstance(base, Cls):
            if name == "__subclasses__":
                return frozenset({ContainerMethod(base, name)})
            return self._solver.get(("found", base, True, name, False))
        if isinstance(base, Member):
            if base.chain.count(".") > MAX_CHAIN or self._catalogue.klass(base.of) is None:
                return frozenset({Member(base.of, "*")})  # the chain can mean nothing to the catalogue
            return frozenset({Member(base.of, f"{base.chain}.{name}", base.made)})
        if isinstance(base, Super):
            return self._through_super(base, name)
        if isinstance(base, (Func, Bound)):
            func = base.func if isinstance(base, Bound) else base
            if name in ("__wrapped__", "__func__"):
                return frozenset({base})
            return frozenset({FuncMember(func, name), *(Member(path, name) for path in self._inference.becomes(func))})
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

    def _through_super(self, base: Super, name: str) -> Entities:
        found: set[Entity] = set()
        owners = [base.cls]
        if isinstance(base.owner, Inst) and isinstance(base.owner.of, Cls) and not base.owner.exact:
            owners += [c for c in self._inference.subclasses(base.owner.of) if len(self._inference.mro(c)) > 2]
        for start in owners:
            order = self._inference.mro(start)
            if base.cls not in order:
                continue
            for cls in order[order.index(base.cls) + 1 :]:
                if isinstance(cls, Ext):
                    if cls.path not in ("builtins.object",):
                        found.add(Member(cls.path, name))
                        break
                elif self._class_has(cls, name):
                    found |= self._bind(self._solver.get(("body", cls, name)), base.owner)
                    break
        return frozenset(found)

    def _class_has(self, cls: Cls, name: str) -> bool:
        index = self._program.index(cls)
        return name in index.names or name in index.annotations

    def compute_found(self, cls: Cls, exact: bool, name: str, through_instance: bool) -> Entities:
        """An attribute looked up along the MRO, and in subclasses where the receiver may be one."""
        owner: Entity = Inst(cls, exact) if through_instance else cls
        found = set(self._lookup(cls, name, owner, through_instance))
        if not exact:
            definers: dict[tuple[Cls | Ext, ...], None] = {}
            for sub in self._inference.subclasses(cls):
                definers.setdefault(
                    tuple(c for c in self._inference.mro(sub) if isinstance(c, Cls) and self._holds(c, name))[:1],
                    None,
                )
            for chain in list(definers)[:MAX_OVERRIDES] if len(definers) <= MAX_OVERRIDES else ():
                if chain and isinstance(chain[0], Cls) and chain[0] not in self._inference.mro(cls):
                    found |= self._lookup(
                        chain[0], name, Inst(chain[0]) if through_instance else chain[0], through_instance
                    )
            if not self._inference.subclasses(cls) and self._inference.is_protocol(cls):
                for candidate in self._inference.classes.implementers(cls):
                    found |= self._lookup(candidate, name, Inst(candidate), through_instance)
        return frozenset(found)

    def _holds(self, cls: Cls, name: str) -> bool:
        return self._class_has(cls, name) or name in self._program.layouts[cls].stores

    def _lookup(self, cls: Cls, name: str, owner: Entity, through_instance: bool) -> Entities:
        found: set[Entity] = set()
        stored = False
        for base in self._inference.mro(cls):
            if isinstance(base, Ext):
                if found or stored:
                    break
                if through_instance:
                    held = self._catalogue.attribute(base.path, name)
                    if held is not None:
                        return frozenset({Inst(Ext(held))})
                    if base.path != "builtins.object" and self._catalogue.klass(base.path) is None:
                        return frozenset({Member(base.path, name)})
                    if self._catalogue.member(base.path, name) is not None:
                        return frozenset({Member(base.path, name)})
                    continue
                if self._inference.is_enum(cls):
                    continue
                if base.path != "builtins.object":
                    return frozenset({Ext(f"{base.path}.{name}")})
                continue
            if through_instance and name in self._program.layouts[base].stores:
                found |= self._solver.get(("store", base, name))
                stored = True
            if self._class_has(base, name):
                if self._inference.is_enum(base) and name not in self._program.layouts[base].methods:
                    return frozenset({Inst(base)})
                inside = self._solver.get(("body", base, name))
                if stored and base != cls:  # a property wins over what is assigned to it; all else is replaced
                    inside = frozenset(
                        e for e in inside if isinstance(e, Func) and "property" in self._inference.flags(e)
                    )
                found |= self._bind(inside, owner)
                break
        return frozenset(found)

    def _bind(self, entities: Entities, owner: Entity) -> Entities:
        """Functions found in a class body become methods of the receiver."""
        found: set[Entity] = set()
        for entity in entities:
            if isinstance(entity, Func):
                flags = self._inference.flags(entity)
                if "static" in flags:
                    found.add(entity)
                elif "class" in flags:
                    of = owner.of if isinstance(owner, Inst) and isinstance(owner.of, Cls) else owner
                    found.add(Bound(entity, of))
                elif isinstance(owner, Cls):
                    found.add(entity)
                elif "property" in flags:
                    found |= (
                        self._inference.awaited(self._solver.get(("returns", entity.module, entity.scope)))
                        if "cached" in flags
                        else self._solver.get(("returns", entity.module, entity.scope))
                    )
                else:
                    found.add(Bound(entity, owner))
            else:
                found.add(entity)
        return frozenset(found)

    def compute_class_body(self, cls: Cls, name: str) -> Entities:
        return self._solver.get(("name", cls.module, cls.scope, name))

    def compute_store(self, cls: Cls, name: str) -> Entities:
        found: set[Entity] = set()
        for scope, store in self._program.layouts[cls].stores.get(name, ()):
            if store.annotation is not None:
                found |= self._inference.annotations.instances(cls.module, scope, store.annotation)
            found |= self._inference.binding(cls.module, scope, store.binding)
        self._solver.watch(("foreign", cls, name))
        for module, scope, store in list(self._foreign.get((cls, name), ())):
            found |= self._inference.binding(module, scope, store.binding)
        return frozenset(found)

    def compute_assigned(self, module: int, scope: int, position: int) -> Entities:
        """``other.name = value``: the classes of ``other`` that have such an attribute hold the value too."""
        store = self._program.modules[module].index[scope].stores[position]
        for base in self._inference.of(module, scope, store.base):
            cls = base.of if isinstance(base, Inst) else None
            if not isinstance(cls, Cls):
                continue
            for parent in self._inference.mro(cls):
                if isinstance(parent, Cls) and store.name in self._program.layouts[parent].stores:
                    known = self._foreign.setdefault((parent, store.name), {})
                    if (module, scope, store) not in known:
                        known[module, scope, store] = None
                        self._solver.touch(("foreign", parent, store.name))
                    break
        return NOBODY

    def is_foreign(self, module: Module, scope: Scope, store: Store) -> bool:
        """An attribute that some class has, assigned through another name than a method's own receiver."""
        if store.name not in self._program.stored or isinstance(store.binding.value, LITERALS):
            return False
        while scope.kind in ("function", "lambda") and scope.parent >= 0:
            parent = module.facts.scopes[scope.parent]
            if parent.kind == "class":
                own = scope.parameters[0].name if scope.parameters else ""
                return not (isinstance(store.base, Reference) and store.base.name == own)
            scope = parent
        return True

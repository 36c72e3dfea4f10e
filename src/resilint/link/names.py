"""What a name stands for: scopes, imports, star imports, and the ways in which it is bound."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from resilint.facts import (
    Imported,
    Value,
)
from resilint.link.entities import (
    NOBODY,
    Cls,
    Entities,
    Entity,
    Ext,
    Func,
    Many,
    Mapp,
    Mod,
    Nothing,
    Plain,
    Tup,
)
from resilint.link.index import (
    ADDED,
    AUGMENTED,
    CAUGHT,
    DEFINED,
    ELEMENT,
    ENTERED,
    UNPACKED,
    Binding,
)
from resilint.link.program import binding_scope
from resilint.link.solver import Node

if TYPE_CHECKING:
    from resilint.link.infer import Inference

_BUILTINS: dict[str, Entities] = {name: frozenset({Ext("builtins." + name)}) for name in dir(builtins)}


class Names:
    """The equations of this module, a part of :class:`Inference`."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program
        self._catalogue = inference.catalogue
        self._solver = inference.solver
        self._nodes: dict[tuple[int, int, str], Node] = {}
        """The solver's node of a name as read in a scope; the empty one where no scope of the file binds it."""
        self._owners: dict[tuple[int, int, str], int] = {}

    def imported(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Imported)
        table = self._program.table
        if value.level:
            place = table.relative(module, value.level, value.module)
            if place is None:
                return NOBODY
        else:
            place = table.absolute(module, value.module)
            if place is None:
                path = value.module if value.name is None else f"{value.module}.{value.name}"
                return frozenset({Ext(self._catalogue.canonical(path))})
        if value.name is None:
            return frozenset({Mod(place[0], place[1])})
        return self.module_member(Mod(place[0], place[1]), value.name, module)

    def name(self, module: int, scope: int, name: str) -> Entities:
        """What the name stands for, read in the scope."""
        key = (module, scope, name)
        node = self._nodes.get(key)
        if node is None:
            owner = self.owner_scope(module, scope, name)
            node = self._nodes[key] = ("name", module, owner, name) if owner >= 0 else ()
        if node:
            return self._solver.get(node)
        facts_module = self._program.modules[module]
        for star in facts_module.index[0].stars:
            found = self._through_star(module, star.module, star.level, name)
            if found:
                return found
        return _BUILTINS.get(name, NOBODY)

    def _through_star(self, module: int, source: str, level: int, name: str) -> Entities:
        table = self._program.table
        place = table.relative(module, level, source) if level else table.absolute(module, source)
        if place is None:
            path = self._catalogue.canonical(f"{source}.{name}")
            known = self._catalogue.klass(path) or self._catalogue.function(path)
            return frozenset({Ext(path)}) if known else NOBODY
        if place[0] < 0 or place[0] == module:
            return NOBODY
        exports = self._program.modules[place[0]].facts.exports
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
        index = self._program.modules[module].index[0]
        if name in index.names or name in index.annotations:
            return True
        table = self._program.table
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
        facts_module = self._program.modules[module]
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

    def compute_name(self, module: int, scope: int, name: str) -> Entities:
        program_module = self._program.modules[module]
        one = program_module.facts.scopes[scope]
        index = program_module.index[scope]
        annotation = index.annotations.get(name)
        bindings = index.names.get(name, ())
        if len(bindings) == 1 and annotation is None and not one.parameters and name not in index.additions:
            return self.binding(module, binding_scope(bindings[0], scope), bindings[0])
        found: set[Entity] = set()
        for position, parameter in enumerate(one.parameters):
            if parameter.name == name:
                found |= self._solver.get(("parameter", module, scope, position))
        if annotation is not None:
            found |= self._inference.annotations.instances(module, scope, annotation)
        for binding in bindings:
            found |= self.binding(module, binding_scope(binding, scope), binding)
        additions = index.additions.get(name)
        if additions:
            found |= self._added(module, scope, additions)
        return frozenset(found)

    def _added(self, module: int, scope: int, additions: list[Binding]) -> Entities:
        elements: set[Entity] = set()
        for addition in additions[:64]:
            if addition.value is not None:
                elements |= self._inference.of(module, binding_scope(addition, scope), addition.value)
        flat = frozenset(e for e in elements if not isinstance(e, (Many, Mapp, Tup, Plain, Nothing)))
        return frozenset({Many(flat), Mapp(flat)}) if flat else NOBODY

    def binding(self, module: int, scope: int, binding: Binding) -> Entities:
        """What one binding gives the name."""
        if binding.how == DEFINED:
            kind = self._program.modules[module].facts.scopes[binding.scope].kind
            if kind == "class":
                return frozenset({Cls(module, binding.scope)})
            return frozenset({self._inference.getter(Func(module, binding.scope))})
        if binding.value is None or binding.how == CAUGHT:
            return NOBODY
        types = self._inference.of(module, scope, binding.value)
        how = binding.inner if binding.how == UNPACKED else binding.how
        if how == ELEMENT:
            types = self._inference.elements(types)
        elif how == ENTERED:
            types = self._inference.entered(types)
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

    def module_member(self, base: Mod, name: str, reader: int) -> Entities:
        """``module.name``: what it binds, else the submodule."""
        if base.module >= 0:
            if self._defines(base.module, name, set()) and not self._imports_itself(base.module, name):
                return self.name(base.module, 0, name)
            place = self._program.table.child((base.module, ""), name)
        else:
            place = self._program.table.child((-1, base.folder), name)
        return frozenset({Mod(place[0], place[1])}) if place else NOBODY

    def _imports_itself(self, module: int, name: str) -> bool:
        """``from . import name`` in the package's own file: what it binds is the submodule."""
        bindings = self._program.modules[module].index[0].names.get(name, ())
        table = self._program.table
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

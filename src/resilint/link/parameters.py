"""What a parameter stands for: its annotation, its default, and what callers pass."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from resilint.facts import (
    Constant,
    Parameter,
    Site,
    Text,
)
from resilint.link.entities import (
    NOBODY,
    NONE,
    Cls,
    Entities,
    Entity,
    Func,
    Inst,
    Many,
    Mapp,
    Nothing,
    Plain,
    SiteKey,
    Tup,
)

if TYPE_CHECKING:
    from resilint.link.infer import Inference

MANY = 32
"""More calls of one function are looked at so many together: a new one need not look at all the others again."""

Call: TypeAlias = tuple[SiteKey, int, SiteKey | None]
"""A call as its callee sees it: the site, how many leading parameters are bound, and the ``partial`` between."""


class Parameters:
    """The equations of this module, a part of :class:`Inference`."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program
        self._solver = inference.solver

    def compute_parameter(self, module: int, scope: int, position: int) -> Entities:
        func = Func(module, scope)
        one = self._program.scope(func)
        parameter = one.parameters[position]
        owner = self._program.owner(func)
        if owner is not None and position == 0 and parameter.kind in ("positional", "normal"):
            flags = self._inference.flags(func)
            if "class" in flags:
                return frozenset({owner})
            if "static" not in flags:
                return frozenset({Inst(owner)})
        parent = one.parent
        declared = NOBODY
        if parameter.annotation is not None:
            where = scope if one.type_parameters else parent
            declared = self._inference.annotations.instances(module, where, parameter.annotation)
            injected = self._inference.annotations.injections(module, parent, parameter.annotation)
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
            defaults = self._inference.of(module, parent, parameter.default)
            if defaults and not (declared and all(isinstance(d, Plain) for d in defaults)):
                found = found | defaults
        concrete = declared - NONE
        if concrete and all(self.is_concrete(e) for e in concrete):
            return found | self._from_callers(func, position, parameter, clients=True)
        return found | self._from_callers(func, position, parameter)

    def is_concrete(self, entity: Entity) -> bool:
        """Callers cannot say more than the annotation does."""
        if isinstance(entity, Inst):
            return not (
                isinstance(entity.of, Cls)
                and (self._inference.is_protocol(entity.of) or "__call__" in self._program.layouts[entity.of].methods)
            )
        return isinstance(entity, (Plain, Cls))

    def _from_callers(self, func: Func, position: int, parameter: Parameter, clients: bool = False) -> Entities:
        self._solver.watch(("callers", func))
        callers = list(self._inference.callers.get(func, ()))
        if len(callers) <= MANY:
            return self._from_some(func, position, parameter, clients, callers)
        found: set[Entity] = set()
        for part in range(0, len(callers), MANY):
            found |= self._solver.get(("passed", func, position, clients, part))
        return frozenset(found)

    def compute_passed(self, func: Func, position: int, clients: bool, part: int) -> Entities:
        """What some of the calls pass, as a node of its own."""
        self._solver.watch(("callers", func, part))
        callers = list(islice(self._inference.callers[func], part, part + MANY))
        return self._from_some(func, position, self._program.scope(func).parameters[position], clients, callers)

    def _from_some(
        self,
        func: Func,
        position: int,
        parameter: Parameter,
        clients: bool,
        callers: list[Call],
    ) -> Entities:
        found: set[Entity] = set()
        for key, offset, partial in callers:
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
            return self._inference.decorator_input(key) if position == max(offset, 0) else NOBODY
        bound = 0
        if partial is not None:
            binder = self._program.site(partial)
            given = self._passed(partial, binder, parameter, position - offset, 1)
            if given is not None:
                return given
            bound = sum(1 for a in binder.arguments if a.name == "") - 1
        given = self._passed(key, self._program.site(key), parameter, position - offset - bound, 0)
        return given if given is not None else NOBODY

    def _passed(self, key: SiteKey, site: Site, parameter: Parameter, position: int, skip: int) -> Entities | None:
        module, scope = key.module, key.scope
        if parameter.kind == "variadic":
            found: set[Entity] = set()
            seen = 0
            for argument in site.arguments:
                if argument.name == "":
                    if seen >= position + skip:
                        found |= self._inference.of(module, scope, argument.value)
                    seen += 1
                elif argument.name == "*":
                    found |= self._inference.elements(self._inference.of(module, scope, argument.value))
            return frozenset({Many(self._inference.expressions.shallow(found))}) if found else None
        if parameter.kind == "keywords":
            values: set[Entity] = set()
            for argument in site.arguments:
                if argument.name and argument.name not in ("*", "**"):
                    values |= self._inference.of(module, scope, argument.value)
                elif argument.name == "**":
                    values |= {
                        v
                        for m in self._inference.of(module, scope, argument.value)
                        if isinstance(m, Mapp)
                        for v in m.values
                    }
            flat = frozenset(v for v in values if not isinstance(v, (Many, Mapp, Tup, Plain)))
            return frozenset({Mapp(flat)}) if flat else None
        for argument in site.arguments:
            if argument.name == parameter.name and parameter.kind != "positional":
                return self._inference.of(module, scope, argument.value)
        if parameter.kind in ("positional", "normal"):
            seen = 0
            for argument in site.arguments:
                if argument.name == "":
                    if seen == position + skip:
                        return self._inference.of(module, scope, argument.value)
                    seen += 1
                elif argument.name == "*" and seen <= position + skip:
                    return self._inference.elements(self._inference.of(module, scope, argument.value))
        for argument in site.arguments:
            if argument.name == "**":
                for entity in self._inference.of(module, scope, argument.value):
                    if isinstance(entity, Mapp):
                        return self._inference.expressions.mapping_item(entity, Text(parameter.name))
        return None

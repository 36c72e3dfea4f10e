"""What a call gives, what a function returns, and what awaiting, iterating and entering give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resilint.facts import (
    Parameter,
    Reference,
)
from resilint.link.entities import (
    NOBODY,
    NONE,
    TEXT,
    Bound,
    Cls,
    ContainerMethod,
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
    Plain,
    SiteKey,
    Task,
    Tup,
)
from resilint.link.written import written_argument

if TYPE_CHECKING:
    from resilint.link.infer import Inference


class Results:
    """The equations of this module, a part of :class:`Inference`."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program
        self._catalogue = inference.catalogue
        self._solver = inference.solver
        self.held: dict[tuple[str, int, int], None] = {}
        """Returns that are annotated with a client: what is constructed there comes first."""
        self._passed_through: dict[Func, tuple[int, ...]] = {}

    def compute_result(self, module: int, scope: int, position: int) -> Entities:
        callees = self._solver.get(("callees", module, scope, position))
        if not callees:
            return NOBODY
        key = SiteKey(module, scope, position)
        if len(callees) == 1:
            (entity,) = callees
            return self.result_of(entity, key)
        found: set[Entity] = set()
        for entity in callees:
            found |= self.result_of(entity, key)
        return frozenset(found)

    def result_of(self, entity: Entity, key: SiteKey | None) -> Entities:
        """What calling ``entity`` at ``key`` gives (before ``await``, for project functions)."""
        where = key or SiteKey(-1, -1, -1)
        if key is not None and key.index < 0:
            self._inference.functions.note_caller(entity, key)
        if isinstance(entity, (Func, Bound)):
            func = entity if isinstance(entity, Func) else entity.func
            if not func.raw and self._program.scope(func).decorators:
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
                for method in self._inference.attribute(entity, "__call__"):
                    found |= self.result_of(method, key)
                return frozenset(found)
            for klass in self._catalogue.traits(entity.of.path):
                if klass.call is not None and key is not None:
                    return self._inference.libraries.catalogued(klass.call, key, entity)
            return NOBODY
        if isinstance(entity, Ext):
            return self._inference.libraries.external_result(entity, key)
        if isinstance(entity, Member):
            meaning = self._catalogue.member(entity.of, entity.chain)
            if meaning is not None and key is not None:
                return self._inference.libraries.catalogued(meaning, key, entity)
            return NOBODY
        return NOBODY

    def _partial_result(self, entity: Partial, key: SiteKey | None) -> Entities:
        func = entity.target.func if isinstance(entity.target, Bound) else entity.target
        if isinstance(func, Func) and self._handed_back(func) and not self._program.scope(func).is_async:
            return self._solver.get(("returns", func.module, func.scope))
        return self.result_of(entity.target, key)

    def _decorated_result(self, func: Func, entity: Entity, key: SiteKey | None) -> Entities:
        where = key or SiteKey(-1, -1, -1)
        found: set[Entity] = set()
        for one in self._solver.get(("decorated", func.module, func.scope)):
            if isinstance(one, Func) and one.plain == func.plain:
                found |= self._function_result(func, entity, where)
            elif not (isinstance(one, Func) and one == func):
                found |= self.result_of(one, key if key is not None and key.index >= 0 else None)
        return frozenset(found)

    def _container_result(self, entity: ContainerMethod, key: SiteKey | None) -> Entities:
        name, base = entity.name, entity.base
        if isinstance(base, Cls):
            return frozenset(
                {
                    Many(
                        frozenset(
                            c for c in self._inference.subclasses(base) if base in self._inference.classes.parents(c)
                        )
                    )
                }
            )
        if isinstance(base, Mapp):
            if name == "values":
                return frozenset({Many(base.values)})
            if name == "items":
                return frozenset({Many(frozenset({Tup((TEXT, base.values))}))})
            argument = written_argument(self._program.site(key), "@0") if key and key.index >= 0 else None
            found = self._inference.expressions.mapping_item(base, argument)
            if (
                key
                and key.index >= 0
                and (default := written_argument(self._program.site(key), "default@1")) is not None
            ):
                found |= self._inference.of(key.module, key.scope, default)
            return found
        return self.elements(frozenset({base}))

    def _function_result(self, func: Func, entity: Entity, key: SiteKey) -> Entities:
        scope = self._program.scope(func)
        if scope.is_generator:
            flags = self._inference.flags(func)
            return frozenset({ManagedContext(entity, key) if "manager" in flags else Generator(entity, key)})
        if scope.is_async:
            return frozenset({Coro(entity, key)})
        return self._received(self._returned(func, 1 if isinstance(entity, Bound) else 0, key), entity)

    def _received(self, returned: Entities, target: Entity) -> Entities:
        """``cls()`` in a class method makes an instance of the class that it is called on."""
        if isinstance(target, Bound) and isinstance(target.owner, Cls):
            owner = self._program.owner(target.func)
            if owner is not None and owner != target.owner:
                made = Inst(owner, True)
                return frozenset(Inst(target.owner, True) if e == made else e for e in returned)
        return returned

    def _returned(self, func: Func, offset: int, key: SiteKey) -> Entities:
        """What one call returns: of a parameter that is handed back as it is, what this call gives for it."""
        passed = self._handed_back(func) if key.module >= 0 else ()
        if not passed:
            return self._solver.get(("returns", func.module, func.scope))
        parameters = self._program.scope(func).parameters
        found = self._solver.get(("own", func.module, func.scope))
        for position in passed:
            given = self._inference.argument(func, position, parameters[position], key, offset, None)
            found |= given or self._default(func, parameters[position])
        return found

    def _default(self, func: Func, parameter: Parameter) -> Entities:
        return (
            NOBODY
            if parameter.default is None
            else self._inference.of(func.module, self._program.scope(func).parent, parameter.default)
        )

    def _handed_back(self, func: Func) -> tuple[int, ...]:
        """The positions of parameters that a function returns under their own name and binds to nothing else."""
        known = self._passed_through.get(func.plain)
        if known is None:
            scope, index = self._program.scope(func), self._program.index(func)
            names = {value.name for value in index.returns if isinstance(value, Reference)}
            known = self._passed_through[func.plain] = tuple(
                position
                for position, parameter in enumerate(scope.parameters)
                if parameter.name in names
                and parameter.kind in ("positional", "normal", "keyword")
                and parameter.name not in index.names
                and not (position == 0 and self._program.owner(func) is not None)
            )
        return known

    def compute_returns(self, module: int, scope: int) -> Entities:
        return self._returns(Func(module, scope), frozenset())

    def compute_own_returns(self, module: int, scope: int) -> Entities:
        """What a function returns besides parameters that it hands back."""
        func = Func(module, scope)
        parameters = self._program.scope(func).parameters
        return self._returns(func, frozenset(parameters[position].name for position in self._handed_back(func)))

    def _returns(self, func: Func, left_out: frozenset[str]) -> Entities:
        one = self._program.scope(func)
        if one.is_generator and "manager" not in self._inference.flags(func):
            return frozenset({Generator(func, SiteKey(-1, -1, -1))})
        declared = NOBODY
        constructed = False
        if one.returns is not None:
            where = func.scope if one.type_parameters else one.parent
            declared = self._inference.annotations.instances(func.module, where, one.returns)
            concrete = declared - NONE
            if concrete and all(
                isinstance(e, (Inst, Plain)) and self._inference.parameters.is_concrete(e) for e in concrete
            ):
                if not any(isinstance(e, Inst) and self._is_client(e) for e in concrete):
                    return declared
                constructed = True
        found: set[Entity] = set()
        for value in self._program.index(func).returns:
            if value is not None and not (isinstance(value, Reference) and value.name in left_out):
                found |= self._inference.of(func.module, func.scope, value)
        if constructed and any(isinstance(e, Inst) and e.made is not None for e in found):
            return frozenset(found)  # where it is made says more than what it is
        if constructed and not self._inference.settled:
            self.held.setdefault(("own" if left_out else "returns", func.module, func.scope))
            return frozenset(found)
        return declared | found

    def _is_client(self, entity: Inst) -> bool:
        path = entity.of.path if isinstance(entity.of, Ext) else ""
        return (
            any(t.client or t.executor or t.queue is not None for t in self._catalogue.traits(path)) if path else False
        )

    def compute_yields(self, module: int, scope: int) -> Entities:
        func = Func(module, scope)
        one = self._program.scope(func)
        found: set[Entity] = set()
        if one.returns is not None:
            found |= self.elements(self._inference.annotations.instances(module, one.parent, one.returns))
        for value, is_from in self._program.index(func).yields:
            if value is not None:
                types = self._inference.of(module, scope, value)
                found |= self.elements(types) if is_from else types
        return frozenset(found)

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
                methods = self._inference.attribute(entity, "__await__")
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
                    found |= self._solver.get(("yields", func.module, func.scope))
            elif isinstance(entity, Inst) and isinstance(entity.of, Cls):
                for name in ("__iter__", "__aiter__"):
                    for method in self._inference.attribute(entity, name):
                        inner = self.result_of(method, None)
                        found |= self.elements(frozenset(e for e in inner if isinstance(e, (Generator, Many, Tup))))
                        for one in inner:
                            if isinstance(one, Inst) and isinstance(one.of, Cls):
                                for step in ("__next__", "__anext__"):
                                    for following in self._inference.attribute(one, step):
                                        found |= self.awaited(self.result_of(following, None))
                if self._inference.is_enum(entity.of):
                    found.add(entity)
            elif isinstance(entity, Cls) and self._inference.is_enum(entity):
                found.add(Inst(entity))
        return frozenset(found)

    def entered(self, entities: Entities) -> Entities:
        """What ``with`` binds."""
        found: set[Entity] = set()
        for entity in entities:
            if isinstance(entity, ManagedContext):
                found |= self.elements(frozenset({entity}))
            elif isinstance(entity, Inst) and isinstance(entity.of, Cls):
                methods = self._inference.attribute(entity, "__aenter__") | self._inference.attribute(
                    entity, "__enter__"
                )
                results: set[Entity] = set()
                for method in methods:
                    if isinstance(method, Member):
                        results.add(entity)
                    else:
                        results |= self.awaited(self.result_of(method, None))
                found |= results or {entity}
            elif isinstance(entity, Inst) and isinstance(entity.of, Ext):
                enters = next(
                    (k.enter.enters for k in self._catalogue.traits(entity.of.path) if k.enter and k.enter.enters), None
                )
                if enters and enters != "self":
                    found.add(Inst(Ext(self._catalogue.canonical(enters)), True))
                else:
                    found.add(entity)
            elif isinstance(entity, Coro):
                found |= self.entered(self.awaited(frozenset({entity})))
            else:
                found.add(entity)
        return frozenset(found)

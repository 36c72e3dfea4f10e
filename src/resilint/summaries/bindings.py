"""What a call binds in the function that it runs: receivers and functions that say more than the join over all calls.

A helper that calls its parameter, a wrapper that calls what it decorates, a base class's method that calls an override:
each is judged for the call at hand. A *context* is a small table from a name (module, scope that owns it, name) to what
it stands for on this path.
"""

from __future__ import annotations

from typing import TypeAlias

from resilint.facts import Attribute, Reference, Value
from resilint.link.entities import Bound, Cls, Entities, Entity, Func, Inst, Partial, SiteKey
from resilint.link.infer import written_argument
from resilint.link.linked import Linked

Name: TypeAlias = tuple[int, int, str]
Context: TypeAlias = tuple[tuple[Name, Entities], ...]

NOTHING: Context = ()
MOST = 8
"""More names than this and the context is dropped: the join over all calls holds."""


class Bindings:
    """Evaluates callees under a context and makes the context of what they run."""

    def __init__(self, linked: Linked) -> None:
        self.program = linked.program
        self.inference = linked.inference

    def of(self, module: int, scope: int, value: Value, context: Context) -> Entities | None:
        """What the value stands for under the context; None where the context says nothing of it."""
        if not context:
            return None
        if isinstance(value, Reference):
            owner = self.inference.owner_scope(module, scope, value.name)
            return dict(context).get((module, owner, value.name))
        if isinstance(value, Attribute):
            bases = self.of(module, scope, value.value, context)
            if bases is None:
                return None
            found: set[Entity] = set()
            for base in bases:
                found |= self.inference.attribute(base, value.name)
            return frozenset(found)
        return None

    def callees(self, key: SiteKey, context: Context) -> Entities:
        found = self.of(key.module, key.scope, self.program.site(key).callee, context)
        return self.inference.solver.get(("callees", *key)) if found is None else found

    def entering(
        self, entity: Entity, func: Func, offset: int, partial: SiteKey | None, key: SiteKey, context: Context
    ) -> Context:
        """The context in which ``func`` runs when the site calls ``entity``."""
        made: dict[Name, Entities] = {}
        self._bind_decorated(entity, func, made)
        scope = self.program.scope(func)
        if offset and scope.parameters and (owner := self._receiver(entity, func)) is not None:
            made[(func.module, func.scope, scope.parameters[0].name)] = frozenset({owner})
        if partial is None and not self._replaced(entity, func):
            self._bind_arguments(func, offset, key, context, made)
        lines = [self._ancestors(func)]
        for entities in made.values():
            lines += [self._ancestors(f) for f in map(_function, entities) if f is not None]
        kept = {name: types for name, types in context if any(name[:2] in line for line in lines)}
        kept.update(made)
        return tuple(sorted(kept.items(), key=lambda item: item[0])) if len(kept) <= MOST else NOTHING

    def receiving(self, owner: Inst, func: Func) -> Context:
        """The context of a property or special method read on ``owner``."""
        scope = self.program.scope(func)
        if not scope.parameters or owner.of == self.program.owner(func):
            return NOTHING
        return (((func.module, func.scope, scope.parameters[0].name), frozenset({owner})),)

    @staticmethod
    def _replaced(entity: Entity, func: Func) -> bool:
        """A decorator's wrapper runs instead: its parameters are others."""
        own = _function(entity)
        return own is not None and own.plain != func

    def _receiver(self, entity: Entity, func: Func) -> Inst | None:
        owner: Entity | None = None
        if isinstance(entity, Bound):
            owner = entity.owner
        elif isinstance(entity, Cls):
            owner = Inst(entity, True)
        elif isinstance(entity, Inst):
            owner = entity
        if isinstance(owner, Inst) and isinstance(owner.of, Cls) and owner.of != self.program.owner(func):
            return owner
        return None

    def _bind_decorated(self, entity: Entity, func: Func, made: dict[Name, Entities]) -> None:
        own = _function(entity)
        if own is None or own.plain == func:
            return
        raw: Entity = Func(own.module, own.scope, True)
        parent = self.program.scope(func).parent
        while parent > 0:
            above = self.program.modules[func.module].facts.scopes[parent]
            for position, parameter in enumerate(above.parameters):
                if above.kind == "function" and raw in self.inference.solver.get(
                    ("parameter", func.module, parent, position)
                ):
                    made[(func.module, parent, parameter.name)] = frozenset({raw})
                    return
            parent = above.parent

    def _bind_arguments(
        self, func: Func, offset: int, key: SiteKey, context: Context, made: dict[Name, Entities]
    ) -> None:
        site = self.program.site(key)
        for position, parameter in enumerate(self.program.scope(func).parameters):
            if position < offset or parameter.kind in ("variadic", "keywords"):
                continue
            place = f"@{position - offset}" if parameter.kind != "keyword" else ""
            value = written_argument(site, parameter.name + place)
            if value is None:
                continue
            types = self.of(key.module, key.scope, value, context)
            if types is None:
                types = self.inference.of(key.module, key.scope, value)
            if not types or not all(_says_more(entity) for entity in types):
                continue
            if types != self.inference.solver.get(("parameter", func.module, func.scope, position)):
                made[(func.module, func.scope, parameter.name)] = types

    def _ancestors(self, func: Func) -> frozenset[tuple[int, int]]:
        found = set()
        current = func.scope
        scopes = self.program.modules[func.module].facts.scopes
        while current > 0:
            current = scopes[current].parent
            found.add((func.module, current))
        return frozenset(found)


def _function(entity: Entity) -> Func | None:
    if isinstance(entity, Partial):
        return _function(entity.target)
    if isinstance(entity, Bound):
        return entity.func
    return entity if isinstance(entity, Func) else None


def _says_more(entity: Entity) -> bool:
    """Functions, and instances of classes of the project: on which one it is depends what is called."""
    return isinstance(entity, (Func, Bound, Partial)) or (isinstance(entity, Inst) and isinstance(entity.of, Cls))

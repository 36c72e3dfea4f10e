"""What calls into libraries give, as the catalogue states it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resilint.catalogue import Callable_
from resilint.facts import (
    Reference,
    Spread,
    Text,
)
from resilint.link.entities import (
    NOBODY,
    NUMBER,
    Bound,
    Cls,
    Coro,
    Entities,
    Entity,
    Ext,
    Func,
    Generator,
    Inst,
    Many,
    Member,
    Partial,
    Registrar,
    SiteKey,
    Task,
    Tup,
)
from resilint.link.written import argument_place, written_argument, written_arguments

if TYPE_CHECKING:
    from resilint.link.infer import Inference


class Libraries:
    """The equations of this module, a part of :class:`Inference`."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program
        self._catalogue = inference.catalogue
        self._resolving: set[tuple[Entity, SiteKey]] = set()

    def external_result(self, entity: Ext, key: SiteKey | None) -> Entities:
        meaning = self._catalogue.function(entity.path)
        klass = self._catalogue.klass(entity.path)
        if key is not None and key.index >= 0:
            builtin = self._inference.builtins.builtin_result(entity, key)
            if builtin is not None:
                return builtin
        if klass is not None:
            return frozenset(
                {
                    Inst(
                        entity,
                        True,
                        key
                        if key and key.index >= 0 and (klass.client or entity.path in self._catalogue.remembered)
                        else None,
                    )
                }
            )
        if meaning is not None and key is not None:
            return self.catalogued(meaning, key, entity)
        last = entity.path.rpartition(".")[2]
        if last[:1].isupper() and not last.isupper():
            return frozenset({Inst(entity, True)})
        return NOBODY

    def catalogued(self, meaning: Callable_, key: SiteKey, receiver: Entity) -> Entities:
        """The result that the catalogue states."""
        if key.index < 0:
            return self._inference.decorator_input(key)
        site = self._program.site(key)
        module, scope = key.module, key.scope
        if meaning.partial:
            target = written_argument(site, "@0")
            if target is None:
                return NOBODY
            return frozenset(Partial(t, key) for t in self._inference.of(module, scope, target))
        if meaning.injects is not None:
            return self._injected(meaning.injects, key)
        if meaning.cast is not None:
            kind = written_argument(site, "@0")
            value = written_argument(site, meaning.cast)
            if isinstance(kind, Text) and kind.value.isidentifier():
                kind = Reference(kind.value)
            found = self._inference.annotations.instances(module, scope, kind) if kind is not None else NOBODY
            return found or (self._inference.of(module, scope, value) if value is not None else NOBODY)
        if meaning.spawn is not None:
            tasks: set[Entity] = set()
            for value in written_arguments(site, meaning.spawn.what):
                skip = argument_place(meaning.spawn.what)[1] + 1
                for entity in self._inference.of(module, scope, value):
                    if isinstance(entity, (Coro, Task)):
                        tasks.add(Task(entity.target, key))
                    elif isinstance(entity, (Func, Bound, Partial, Cls)):
                        self._inference.note_call(entity, key, skip)
                        if meaning.is_async or meaning.spawn.task:
                            tasks |= (
                                self._inference.awaited(self._inference.result_of(entity, key))
                                if meaning.is_async
                                else {Task(entity, key)}
                            )
            returned = self._stated(meaning, key, receiver)
            return frozenset(tasks) | returned if tasks else returned
        if meaning.wraps is not None:
            value = written_argument(site, meaning.wraps)
            if value is not None:
                return self._inference.of(module, scope, value)
        if meaning.iterator:
            return self._iterated(meaning.iterator, key)
        return self._stated(meaning, key, receiver)

    def _stated(self, meaning: Callable_, key: SiteKey, receiver: Entity) -> Entities:
        spec = meaning.returns
        if spec is None:
            if any(registration.what is None for registration in meaning.register):
                return frozenset({Registrar(key)})
            return NOBODY
        site = self._program.site(key)
        module, scope = key.module, key.scope
        if spec == "self":
            if isinstance(receiver, Member):
                return frozenset({Inst(Ext(receiver.of), made=receiver.made)})
            return frozenset({receiver})
        if spec.startswith("argument:"):
            value = written_argument(site, spec.removeprefix("argument:"))
            return self._inference.awaited(self._inference.of(module, scope, value)) if value is not None else NOBODY
        if spec.startswith("entered:"):
            value = written_argument(site, spec.removeprefix("entered:"))
            return self._inference.entered(self._inference.of(module, scope, value)) if value is not None else NOBODY
        if spec.startswith("result:"):
            value = written_argument(site, spec.removeprefix("result:"))
            if value is None or (receiver, key) in self._resolving:
                return NOBODY  # ``map(to_thread, ...)``: the function given would be given to itself
            self._resolving.add((receiver, key))
            found: set[Entity] = set()
            for entity in self._inference.of(module, scope, value):
                if isinstance(entity, (Coro, Task)):
                    found |= self._inference.awaited(frozenset({entity}))
                    continue
                self._inference.note_call(entity, key, argument_place(spec.removeprefix("result:"))[1] + 1)
                found |= (
                    self._inference.awaited(self._inference.result_of(entity, key))
                    if meaning.is_async
                    else self._inference.result_of(entity, key)
                )
            self._resolving.discard((receiver, key))
            return frozenset(found)
        if spec.startswith("first:"):
            values = written_arguments(site, spec.removeprefix("first:"))
            parts = []
            for value in values:
                if isinstance(value, Spread):
                    types = self._inference.elements(self._inference.of(module, scope, value.value))
                    return frozenset({Many(self._inference.awaited(types))})
                parts.append(self._inference.awaited(self._inference.of(module, scope, value)))
            return frozenset({Tup(tuple(parts))})
        if spec.startswith("many:"):
            return frozenset({Many(frozenset({Inst(Ext(self._catalogue.canonical(spec.removeprefix("many:"))))}))})
        path = self._catalogue.canonical(spec)
        klass = self._catalogue.klass(path)
        return frozenset({Inst(Ext(path), True, key if klass and klass.client else None)})

    def _injected(self, spec: str, key: SiteKey) -> Entities:
        value = written_argument(self._program.site(key), spec)
        if value is None:
            return NOBODY
        found: set[Entity] = set()
        for entity in self._inference.of(key.module, key.scope, value):
            found |= self.injected_value(entity, key)
        return frozenset(found)

    def injected_value(self, entity: Entity, key: SiteKey | None) -> Entities:
        """What a parameter gets from a dependency: an instance, a return value, or what a generator yields."""
        found = self._inference.awaited(self._inference.result_of(entity, key))
        result: set[Entity] = set()
        for one in found:
            result |= self._inference.elements(frozenset({one})) if isinstance(one, Generator) else {one}
        return frozenset(result)

    def _iterated(self, kind: str, key: SiteKey) -> Entities:
        site = self._program.site(key)
        arguments = written_arguments(site, "*")
        if kind in ("range", "count"):
            return frozenset({Many(NUMBER)})
        parts = [
            self._inference.elements(self._inference.of(key.module, key.scope, a))
            for a in arguments
            if not isinstance(a, Spread)
        ]
        if kind == "enumerate":
            return frozenset({Many(frozenset({Tup((NUMBER, parts[0] if parts else NOBODY))}))})
        if kind == "zip":
            return frozenset({Many(frozenset({Tup(tuple(parts))}))})
        if kind == "chain":
            return frozenset({Many(frozenset().union(*parts))})
        if kind == "repeat" and arguments:
            return frozenset({Many(self._inference.of(key.module, key.scope, arguments[0]))})
        return frozenset({Many(parts[0])}) if parts else NOBODY

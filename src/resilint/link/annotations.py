"""What an annotation promises: instances, containers of them, and injected dependencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resilint.facts import Arithmetic, Attribute, Constant, Reference, Result, Sequence, Subscript, Text, Value
from resilint.link.entities import (
    NOBODY,
    NONE,
    Cls,
    Entities,
    Entity,
    Ext,
    Inst,
    Many,
    Mapp,
    Plain,
    SiteKey,
    Tup,
)
from resilint.link.index import PLAIN
from resilint.link.written import written_argument

if TYPE_CHECKING:
    from resilint.link.infer import Inference

_PLAIN = {
    "int": "number",
    "float": "number",
    "complex": "number",
    "bool": "bool",
    "str": "str",
    "bytes": "str",
    "bytearray": "str",
}
_MANY = frozenset({"list", "set", "frozenset"})
_SILENT = frozenset({"object", "type", "callable"})


class Annotations:
    """Reads annotation values. Depth is bounded: aliases may be recursive."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference

    def instances(self, module: int, scope: int, value: Value, depth: int = 0) -> Entities:
        """What a thing so annotated can be; the empty set for ``Any``, callables and names that lead nowhere."""
        if depth > 8:
            return NOBODY
        if isinstance(value, Constant):
            return NONE if value.value is None else NOBODY
        if isinstance(value, Arithmetic):
            if value.operator != "|":
                return NOBODY
            return self.instances(module, scope, value.left, depth + 1) | self.instances(
                module, scope, value.right, depth + 1
            )
        if isinstance(value, Subscript):
            return self._generic(module, scope, value, depth)
        if isinstance(value, (Reference, Attribute)):
            bound = self._type_variable(module, scope, value, depth)
            if bound is not None:
                return bound
            found: set[Entity] = set()
            for entity in self._inference.of(module, scope, value):
                found |= self._plain(entity, module, scope)
            if not found and isinstance(value, Reference):
                found |= self._alias(module, scope, value.name, depth)
            return frozenset(found)
        return NOBODY

    def _type_variable(self, module: int, scope: int, value: Value, depth: int) -> Entities | None:
        """A PEP 695 type parameter stands for its bound; ``Self`` for the class around."""
        if not isinstance(value, Reference):
            return None
        facts = self._inference.program.modules[module].facts
        current = scope
        while current >= 0:
            for parameter in facts.scopes[current].type_parameters:
                if parameter.name == value.name:
                    if parameter.bound is None:
                        return NOBODY
                    return self.instances(module, facts.scopes[current].parent, parameter.bound, depth + 1)
            current = facts.scopes[current].parent
        for entity in self._inference.of(module, scope, value):
            if isinstance(entity, Ext) and self._inference.catalogue.annotation(entity.path) == "self":
                current = scope
                while current >= 0:
                    if facts.scopes[current].kind == "class":
                        return frozenset({Inst(Cls(module, current))})
                    current = facts.scopes[current].parent
                return NOBODY
        return None

    def _plain(self, entity: Entity, module: int, scope: int) -> Entities:
        if isinstance(entity, Cls):
            return frozenset({Inst(entity)})
        if isinstance(entity, Ext):
            path = entity.path
            if self._inference.catalogue.annotation(path) is not None:
                return NOBODY
            if path.startswith("builtins."):
                name = path[9:]
                if name in _PLAIN:
                    return frozenset({Plain(_PLAIN[name])})
                if name == "dict":
                    return frozenset({Mapp(NOBODY)})
                if name in _MANY or name == "tuple":
                    return frozenset({Many(NOBODY)})
                return NOBODY
            last = path.rpartition(".")[2]
            if last in ("Any", "TypeVar", "ParamSpec") or last in _SILENT:
                return NOBODY
            return frozenset({Inst(entity)})
        if (
            isinstance(entity, Inst)
            and isinstance(entity.of, Ext)
            and entity.of.path.endswith((".TypeVar", ".NewType"))
        ):
            return NOBODY
        return NOBODY

    def _alias(self, module: int, scope: int, name: str, depth: int) -> Entities:
        """A name bound to a type expression (``Db = Annotated[Session, Depends(get)]``, ``type X = ...``, a TypeVar
        with a bound)."""
        place = self._definition(module, scope, name)
        if place is None:
            return NOBODY
        owner_module, owner_scope, value = place
        if isinstance(value, Result):
            site = self._inference.program.modules[owner_module].facts.scopes[owner_scope].sites[value.site]
            for entity in self._inference.of(owner_module, owner_scope, site.callee):
                if isinstance(entity, Ext) and entity.path.endswith(".TypeVar"):
                    for argument in site.arguments:
                        if argument.name == "bound":
                            return self.instances(owner_module, owner_scope, argument.value, depth + 1)
                if isinstance(entity, Ext) and entity.path.endswith(".NewType") and len(site.arguments) > 1:
                    return self.instances(owner_module, owner_scope, site.arguments[1].value, depth + 1)
            return NOBODY
        if isinstance(value, (Subscript, Arithmetic, Reference, Attribute)):
            return self.instances(owner_module, owner_scope, value, depth + 1)
        return NOBODY

    def _definition(self, module: int, scope: int, name: str, hops: int = 0) -> tuple[int, int, Value] | None:
        """Where the name is bound to an expression, through imports."""
        from resilint.facts import Imported

        inference = self._inference
        owner = inference.owner_scope(module, scope, name)
        if owner < 0 or hops > 6:
            return None
        bindings = inference.program.modules[module].index[owner].names.get(name, ())
        if len(bindings) != 1 or bindings[0].how != PLAIN or bindings[0].value is None:
            return None
        value = bindings[0].value
        if isinstance(value, Imported) and value.name:
            table = inference.program.table
            place = (
                table.relative(module, value.level, value.module)
                if value.level
                else table.absolute(module, value.module)
            )
            if place is None or place[0] < 0:
                return None
            return self._definition(place[0], 0, value.name, hops + 1)
        return module, owner, value

    def form(self, module: int, scope: int, value: Value) -> str:
        """The special form of a subscripted annotation (``optional``, ``annotated`` ...), empty for a class."""
        for entity in self._inference.of(module, scope, value):
            if isinstance(entity, Ext):
                if entity.path in ("builtins.tuple", "typing.Tuple"):
                    return "tuple"
                known = self._inference.catalogue.annotation(entity.path)
                if known:
                    return known
                if entity.path in ("builtins.list", "builtins.set", "builtins.frozenset"):
                    return "container"
                if entity.path == "builtins.dict":
                    return "mapping"
                if entity.path == "builtins.type":
                    return "class-of"
        return ""

    @staticmethod
    def _arguments(value: Subscript) -> tuple[Value, ...]:
        return value.index.items if isinstance(value.index, Sequence) else (value.index,)

    def _generic(self, module: int, scope: int, value: Subscript, depth: int) -> Entities:
        form = self.form(module, scope, value.value)
        arguments = self._arguments(value)
        inner = arguments[0] if arguments else None

        def read(one: Value | None) -> Entities:
            return NOBODY if one is None else self.instances(module, scope, one, depth + 1)

        if form in ("optional", "union"):
            found: Entities = NONE if form == "optional" else NOBODY
            for one in arguments:
                found |= read(one)
            return found
        if form in ("annotated", "final"):
            return read(inner)
        if form == "class-of":
            return frozenset(e.of for e in read(inner) if isinstance(e, Inst))
        if form in ("container", "iterator", "stream"):
            return frozenset({Many(frozenset(e for e in read(inner) if not isinstance(e, (Many, Mapp))))})
        if form == "mapping":
            values = read(arguments[1]) if len(arguments) > 1 else NOBODY
            return frozenset({Mapp(frozenset(e for e in values if not isinstance(e, (Many, Mapp, Tup))))})
        if form == "tuple":
            if len(arguments) == 2 and not isinstance(
                arguments[1], (Reference, Subscript, Attribute, Arithmetic, Constant)
            ):
                return frozenset({Many(read(inner))})
            return frozenset({Tup(tuple(read(one) for one in arguments))})
        if form in ("awaitable", "callable", "context"):
            return NOBODY
        found = NOBODY
        for entity in self._inference.of(module, scope, value.value):
            found |= self._plain(entity, module, scope)
        if not found and isinstance(value.value, Reference):
            found |= self._alias(module, scope, value.value.name, depth)
        return found

    def injections(self, module: int, scope: int, value: Value, depth: int = 0) -> Entities:
        """What ``Annotated[X, Depends(f)]`` injects, also through an alias."""
        found: set[Entity] = set()
        for key, entity in self.dependencies(module, scope, value, depth):
            found |= self._inference.injected_value(entity, key)
        return frozenset(found)

    def dependencies(self, module: int, scope: int, value: Value, depth: int = 0) -> list[tuple[SiteKey, Entity]]:
        """The functions and classes that an annotation injects, with the site of the ``Depends`` call."""
        if depth > 4:
            return []
        if isinstance(value, (Reference, Attribute)):
            if isinstance(value, Attribute):
                return []
            place = self._definition(module, scope, value.name)
            if place is None or not isinstance(place[2], Subscript):
                return []
            return self.dependencies(*place, depth + 1)
        if isinstance(value, Arithmetic) and value.operator == "|":
            return self.dependencies(module, scope, value.left, depth + 1) + self.dependencies(
                module, scope, value.right, depth + 1
            )
        if not isinstance(value, Subscript) or self.form(module, scope, value.value) != "annotated":
            return []
        found: list[tuple[SiteKey, Entity]] = []
        arguments = self._arguments(value)
        for one in arguments[1:]:
            if isinstance(one, Result):
                key = SiteKey(module, scope, one.site)
                found += self.injected_by(key, arguments[0])
        return found

    def injected_by(self, key: SiteKey, annotation: Value | None) -> list[tuple[SiteKey, Entity]]:
        """What a ``Depends(...)`` call injects; without an argument it is the annotated class."""
        inference = self._inference
        site = inference.program.site(key)
        found: list[tuple[SiteKey, Entity]] = []
        for entity in inference.of(key.module, key.scope, site.callee):
            if not isinstance(entity, Ext):
                continue
            meaning = inference.catalogue.function(entity.path)
            if meaning is None or meaning.injects is None:
                continue
            what = written_argument(site, meaning.injects)
            if what is not None:
                found += [(key, e) for e in inference.of(key.module, key.scope, what)]
            elif annotation is not None and not isinstance(annotation, Text):
                for one in self.instances(key.module, key.scope, annotation):
                    if isinstance(one, Inst) and isinstance(one.of, Cls):
                        found.append((key, one.of))
        return found

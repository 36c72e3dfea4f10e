"""What an expression stands for, by its form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

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
    Reference,
    Result,
    ScopeValue,
    Sequence,
    Spread,
    Subscript,
    Text,
    Value,
)
from resilint.link.entities import (
    BOOL,
    NOBODY,
    NONE,
    NUMBER,
    TEXT,
    Cls,
    Entities,
    Entity,
    Ext,
    Func,
    Inst,
    Many,
    Mapp,
    Plain,
    Tup,
)

if TYPE_CHECKING:
    from resilint.link.infer import Inference


class Expressions:
    """The equations of this module, a part of :class:`Inference`."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program
        self._catalogue = inference.catalogue
        self._solver = inference.solver
        self._types: dict[type, Callable[[int, int, Value], Entities]] = {
            Reference: self.reference_value,
            Attribute: self.attribute_value,
            Result: self.result_value,
            Awaited: self.awaited_value,
            Number: lambda m, s, v: NUMBER,
            Text: lambda m, s, v: TEXT,
            Format: lambda m, s, v: TEXT,
            Negative: lambda m, s, v: NUMBER,
            Not: lambda m, s, v: BOOL,
            Compare: lambda m, s, v: BOOL,
            Constant: self.constant_value,
            Choice: self.choice_value,
            Boolean: self.boolean_value,
            Sequence: self.sequence_value,
            Mapping: self.mapping_value,
            Subscript: self.subscript_value,
            ScopeValue: self.scope_value,
            Imported: self._inference.names.imported,
            Arithmetic: self.arithmetic_value,
            Spread: self.spread_value,
        }

    def of(self, module: int, scope: int, value: Value) -> Entities:
        """What ``value``, read in that scope, can stand for."""
        compute = self._types.get(type(value))
        return compute(module, scope, value) if compute else NOBODY

    def reference_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Reference)
        return self._inference.name(module, scope, value.name)

    def result_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Result)
        return self._solver.get(("result", module, scope, value.site))

    def awaited_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Awaited)
        return self._inference.awaited(self.of(module, scope, value.value))

    @staticmethod
    def constant_value(module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Constant)
        return NONE if value.value is None else BOOL

    def spread_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Spread)
        return self._inference.elements(self.of(module, scope, value.value))

    def attribute_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Attribute)
        bases = self.of(module, scope, value.value)
        if len(bases) == 1:
            (base,) = bases
            return self._inference.attribute(base, value.name)
        found: set[Entity] = set()
        for base in bases:
            found |= self._inference.attribute(base, value.name)
        return frozenset(found)

    def choice_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Choice)
        return self.of(module, scope, value.body) | self.of(module, scope, value.orelse)

    def boolean_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Boolean)
        found: Entities = NOBODY
        for position, part in enumerate(value.values):
            types = self.of(module, scope, part)
            if value.operator == "or" and position < len(value.values) - 1:
                types -= NONE
            found |= types
        return found

    def sequence_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Sequence)
        if value.kind == "tuple" and not any(isinstance(i, Spread) for i in value.items):
            return frozenset({Tup(tuple(self.of(module, scope, item) for item in value.items))})
        found: set[Entity] = set()
        for item in value.items:
            if isinstance(item, Spread):
                inner = self.of(module, scope, item.value)
                found |= inner if item.repeated else self._inference.elements(inner)
            else:
                found |= self.of(module, scope, item)
        return frozenset({Many(self.shallow(found))})

    @staticmethod
    def shallow(found: set[Entity] | Entities) -> Entities:
        """Containers nest two deep at most, so that sets stay finite."""
        return frozenset(
            e for e in found if not (isinstance(e, Many) and any(isinstance(x, (Many, Mapp, Tup)) for x in e.elements))
        )

    def mapping_value(self, module: int, scope: int, value: Value) -> Entities:
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
                items.append((key.value, self.shallow(types)))
        flat = frozenset(e for e in values if not isinstance(e, (Mapp, Many, Tup)))
        return frozenset({Mapp(flat, tuple(items) if len(items) <= 64 else ())})

    def subscript_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Subscript)
        found: set[Entity] = set()
        for base in self.of(module, scope, value.value):
            if isinstance(base, Tup) and isinstance(value.index, Number) and isinstance(value.index.value, int):
                if -len(base.items) <= value.index.value < len(base.items):
                    found |= base.items[value.index.value]
            elif isinstance(base, (Many, Tup)):
                found |= self._inference.elements(frozenset({base}))
            elif isinstance(base, Mapp):
                found |= self.mapping_item(base, value.index)
            elif isinstance(base, (Cls, Ext)):
                found.add(base)  # ``Queue[int]`` is still the class
            elif isinstance(base, Inst) and isinstance(base.of, Cls):
                for method in self._inference.attribute(base, "__getitem__"):
                    found |= self._inference.result_of(method, None)
        return frozenset(found)

    @staticmethod
    def mapping_item(base: Mapp, key: Value | None) -> Entities:
        if isinstance(key, Text):
            for name, types in base.items:
                if name == key.value:
                    return types
        return base.values

    def scope_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, ScopeValue)
        kind = self._program.modules[module].facts.scopes[value.scope].kind
        return frozenset({Cls(module, value.scope) if kind == "class" else Func(module, value.scope)})

    def arithmetic_value(self, module: int, scope: int, value: Value) -> Entities:
        assert isinstance(value, Arithmetic)
        left, right = self.of(module, scope, value.left), self.of(module, scope, value.right)
        again: set[Entity] = set()
        for entity in left | right:
            if isinstance(entity, Inst) and isinstance(entity.of, Ext):
                if any(value.operator in t.operators for t in self._catalogue.traits(entity.of.path)):
                    again.add(Inst(entity.of))
        if again:
            return frozenset(again)
        if value.operator in ("+", "|"):
            kept = frozenset(e for e in left | right if not isinstance(e, Plain))
            if kept:
                return kept
        numbers = all(isinstance(e, Plain) and e.kind == "number" for e in left | right)
        return NUMBER if numbers and left and right else NOBODY

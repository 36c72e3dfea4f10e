"""Which expressions can be SQL text at all, told by names alone: a cheap sieve before texts are put together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from resilint.facts import (
    Arithmetic,
    Attribute,
    Awaited,
    Choice,
    Format,
    Imported,
    Reference,
    Result,
    Sequence,
    Text,
    Value,
)
from resilint.link.linked import Linked
from resilint.link.program import Module, binding_scope
from resilint.summaries.texts import KEEPING

Name: TypeAlias = str | tuple[int, int, str]
"""A local variable with its function; of modules, classes, attributes and functions the name alone."""


class Sources:
    """The names that can hold or return SQL text."""

    def __init__(self, linked: Linked) -> None:
        self._linked = linked
        self._makers = {"join"} | {
            path.rpartition(".")[2]
            for library in linked.program.catalogue.libraries
            for path, said in (*library.function.items(), *((p, k.new) for p, k in library.klass.items()))
            if said is not None and said.query is not None and said.query.does in ("text", "string")
        }
        self._names = self._closed()

    def may_be_sql(self, module: int, scope: int, value: Value) -> bool:
        """False where the expression holds no such text, and no name that could."""
        return any(
            part is None or part in self._names
            for part in self._parts(self._linked.program.modules[module], scope, value)
        )

    def _bound(self) -> Iterator[tuple[Name, Module, int, Value]]:
        """All names with what they are bound to or return."""
        for module in self._linked.program.modules:
            for number, scope in enumerate(module.facts.scopes):
                index = module.index[number]
                local = scope.kind in ("function", "lambda")
                for name, bindings in index.names.items():
                    for binding in bindings:
                        if binding.value is not None:
                            key = (module.number, number, name) if local else name
                            yield key, module, binding_scope(binding, number), binding.value
                for store in index.stores:
                    if store.binding.value is not None:
                        yield store.name, module, number, store.binding.value
                for value in index.returns:
                    if value is not None:
                        yield scope.name, module, number, value

    def _closed(self) -> frozenset[Name]:
        """All names, until no more are found."""
        made: dict[Name, set[Name]] = {}
        found: set[Name] = set()
        for name, module, scope, value in self._bound():
            for part in self._parts(module, scope, value):
                if part is None:
                    found.add(name)
                elif part != name:
                    made.setdefault(part, set()).add(name)
        pending = list(found)
        while pending:
            for name in made.get(pending.pop(), ()):
                if name not in found:
                    found.add(name)
                    pending.append(name)
        return frozenset(found)

    def _parts(self, module: Module, scope: int, value: Value, depth: int = 0) -> Iterator[Name | None]:
        """None for a text that looks like SQL, and the names in the expression."""
        if depth > 12:
            return
        inner: tuple[Value, ...] = ()
        if isinstance(value, Text):
            if value.written is not None:
                yield None
        elif isinstance(value, Format):
            if value.written is not None:
                yield None
            inner = value.parts
        elif isinstance(value, Reference):
            owner = self._linked.inference.owner_scope(module.number, scope, value.name)
            local = owner > 0 and module.facts.scopes[owner].kind in ("function", "lambda")
            yield (module.number, owner, value.name) if local else value.name
        elif isinstance(value, Attribute):
            yield value.name
        elif isinstance(value, Imported):
            if value.name is not None:
                yield value.name
        elif isinstance(value, Arithmetic):
            inner = (value.left, value.right)
        elif isinstance(value, Choice):
            inner = (value.body, value.orelse)
        elif isinstance(value, Awaited):
            inner = (value.value,)
        elif isinstance(value, Sequence):
            inner = value.items[:64]
        elif isinstance(value, Result):
            site = module.facts.scopes[scope].sites[value.site]
            if isinstance(site.callee, (Reference, Attribute)):
                yield site.callee.name
                if site.callee.name in KEEPING and isinstance(site.callee, Attribute):
                    inner = (site.callee.value,)
                if site.callee.name in self._makers:
                    inner += tuple(argument.value for argument in site.arguments[:1])
        for part in inner:
            yield from self._parts(module, scope, part, depth + 1)

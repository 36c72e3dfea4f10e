"""What calls of builtin functions give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resilint.facts import (
    Arithmetic,
    Attribute,
    Format,
    Reference,
    Result,
    Site,
    Spread,
    Text,
    Value,
)
from resilint.link.entities import (
    BOOL,
    NOBODY,
    NUMBER,
    TEXT,
    Cls,
    Entities,
    Entity,
    Ext,
    Generator,
    Inst,
    Many,
    Mapp,
    SiteKey,
    Super,
    Tup,
)
from resilint.link.index import (
    PLAIN,
)
from resilint.link.written import written_argument, written_arguments

if TYPE_CHECKING:
    from resilint.link.infer import Inference

_KEEP_BEGINNING = frozenset({"format", "lower", "strip", "rstrip", "replace"})


class Builtins:
    """The equations of this module, a part of :class:`Inference`."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program
        self._solver = inference.solver

    def builtin_result(self, entity: Ext, key: SiteKey) -> Entities | None:
        if not entity.path.startswith("builtins."):
            return None
        name = entity.path[9:]
        site = self._program.site(key)
        module, scope = key.module, key.scope
        first = written_argument(site, "@0")
        if name == "super":
            return self._super(module, scope)
        if name == "getattr" and first is not None:
            return self._getattr(key, site, first)
        if name == "type" and first is not None and len(site.arguments) == 1:
            return frozenset(e.of for e in self._inference.of(module, scope, first) if isinstance(e, Inst))
        if name in ("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "aiter") and first is not None:
            types = self._inference.of(module, scope, first)
            if name in ("iter", "aiter") and any(isinstance(t, Generator) for t in types):
                return types
            return frozenset({Many(self._inference.expressions.shallow(self._inference.elements(types)))})
        if name == "dict":
            values: set[Entity] = set()
            items = []
            for argument in site.arguments:
                if argument.name and argument.name != "*":
                    types = self._inference.of(module, scope, argument.value)
                    if argument.name == "**":
                        values |= {e for m in types if isinstance(m, Mapp) for e in m.values}
                        continue
                    values |= types
                    items.append((argument.name, types))
            return frozenset({Mapp(frozenset(e for e in values if not isinstance(e, (Mapp, Many, Tup))), tuple(items))})
        if name in ("next", "anext") and first is not None:
            return self._inference.elements(self._inference.of(module, scope, first))
        if name in ("map", "filter") and first is not None:
            rest = written_argument(site, "@1")
            if name == "filter":
                return (
                    frozenset({Many(self._inference.elements(self._inference.of(module, scope, rest)))})
                    if rest is not None
                    else NOBODY
                )
            results: set[Entity] = set()
            for function in self._inference.of(module, scope, first):
                self._inference.note_call(function, key, 1)
                results |= self._inference.result_of(function, key)
            return frozenset({Many(self._inference.expressions.shallow(results))})
        if name in ("str", "repr", "format", "ascii", "chr", "input"):
            return TEXT
        if name in ("int", "float", "len", "sum", "abs", "round", "ord", "hash", "id", "pow", "divmod"):
            return NUMBER
        if name in ("bool", "isinstance", "issubclass", "hasattr", "callable", "any", "all"):
            return BOOL
        if name in ("min", "max") and first is not None:
            parts = [
                self._inference.of(module, scope, a) for a in written_arguments(site, "*") if not isinstance(a, Spread)
            ]
            if len(parts) == 1:
                return self._inference.elements(parts[0])
            return frozenset().union(*parts) if parts else NOBODY
        return None

    def _getattr(self, key: SiteKey, site: Site, first: Value) -> Entities:
        """``getattr(x, "name")``; ``getattr(x, "on_" + event)`` is any method of the class that begins with this."""
        module, scope = key.module, key.scope
        attribute = written_argument(site, "@1")
        found: set[Entity] = set()
        if isinstance(attribute, Text):
            for base in self._inference.of(module, scope, first):
                found |= self._inference.attribute(base, attribute.value)
        elif attribute is not None and (prefix := self._prefix(module, scope, attribute)):
            for base in self._inference.of(module, scope, first):
                cls = base.of if isinstance(base, Inst) else base
                if isinstance(cls, Cls):
                    for name in self._method_names(cls):
                        if name.startswith(prefix):
                            found |= self._inference.attribute(base, name)
        if (default := written_argument(site, "@2")) is not None:
            found |= self._inference.of(module, scope, default)
        return frozenset(found)

    def _method_names(self, cls: Cls) -> list[str]:
        names: dict[str, None] = {}
        for base in (*self._inference.mro(cls), *self._inference.subclasses(cls)):
            if isinstance(base, Cls):
                names.update(dict.fromkeys(self._program.layouts[base].methods))
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
            callee = self._program.modules[module].facts.scopes[scope].sites[value.site].callee
            if isinstance(callee, Attribute) and callee.name in _KEEP_BEGINNING:
                return self._prefix(module, scope, callee.value, depth + 1)
            return ""
        if isinstance(value, Reference):
            owner = self._inference.owner_scope(module, scope, value.name)
            bindings = self._program.modules[module].index[owner].names.get(value.name, ()) if owner >= 0 else ()
            if len(bindings) == 1 and bindings[0].value is not None and bindings[0].how == PLAIN:
                return self._prefix(module, owner, bindings[0].value, depth + 1)
        return ""

    def _super(self, module: int, scope: int) -> Entities:
        facts = self._program.modules[module].facts
        current = scope
        while current >= 0:
            one = facts.scopes[current]
            parent = one.parent
            if one.kind == "function" and parent >= 0 and facts.scopes[parent].kind == "class":
                cls = Cls(module, parent)
                if not one.parameters:
                    return NOBODY
                owners = self._solver.get(("parameter", module, current, 0))
                return frozenset(Super(cls, o) for o in owners if isinstance(o, (Inst, Cls)))
            current = parent
        return NOBODY

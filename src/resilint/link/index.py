"""What one scope binds, returns and yields, collected in one walk over its steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from resilint.domain import Span
from resilint.facts import (
    Attribute,
    Await,
    Bind,
    Branch,
    Compare,
    Constant,
    Define,
    Format,
    Imported,
    Invoke,
    Load,
    Loop,
    Match,
    ModuleFacts,
    Negative,
    Not,
    Number,
    Raise,
    Reference,
    Return,
    Scope,
    Sequence,
    Spread,
    Star,
    Step,
    Subscript,
    Text,
    Try,
    Value,
    With,
    WithItem,
    Yield,
)

_NOWHERE = Span(0, 0, 0, 0)

# How the bound value comes from the expression beside it.
PLAIN, ELEMENT, ENTERED, DEFINED, CAUGHT, UNPACKED, AUGMENTED, ADDED = range(8)

LITERALS = (Constant, Number, Text, Format, Compare, Not, Negative, type(None))
"""Values that are never a function, a client or a container of them."""

_ADDING = {"append": 0, "add": 0, "appendleft": 0, "insert": 1, "setdefault": 1, "put_nowait": 0}


class Binding(NamedTuple):
    """One way in which a name gets a value."""

    how: int
    value: Value | None
    scope: int = -1
    """Of a DEFINED one: the scope that is defined."""
    is_async: bool = False
    path: tuple[int, ...] = ()
    """Of an UNPACKED one: the way into the tuple; -1 for a starred rest."""
    inner: int = PLAIN
    """Of an UNPACKED one: how the tuple itself came (PLAIN, ELEMENT or ENTERED)."""
    certain: bool = True
    """At the top level of the scope: it replaces all bindings before it."""


class Store(NamedTuple):
    """``base.name = value``, or ``base.name[...] = value`` and ``base.name.append(value)`` (how ADDED)."""

    base: Value
    name: str
    binding: Binding
    annotation: Value | None
    span: Span = _NOWHERE


@dataclass(slots=True)
class ScopeIndex:
    """The index of one scope."""

    names: dict[str, list[Binding]] = field(default_factory=dict)
    annotations: dict[str, Value] = field(default_factory=dict)
    additions: dict[str, list[Binding]] = field(default_factory=dict)
    """What is put into a container of that name: ``name.append(value)``, ``name[k] = value``."""
    stores: list[Store] = field(default_factory=list)
    returns: list[Value | None] = field(default_factory=list)
    yields: list[tuple[Value | None, bool]] = field(default_factory=list)
    awaits: list[Await] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    withs: list[tuple[WithItem, bool]] = field(default_factory=list)
    stars: list[Star] = field(default_factory=list)
    defines: list[int] = field(default_factory=list)
    invokes: int = 0
    raises: int = 0
    raised: list[tuple[Value, Span]] = field(default_factory=list)
    """Classes that are raised without a call: ``raise Missing``."""
    other: int = 0
    """Steps beyond ``raise`` and the docstring: none of them makes a stub."""


def _targets(target: Value, path: tuple[int, ...] = ()) -> Iterator[tuple[Value, tuple[int, ...]]]:
    if isinstance(target, Sequence):
        for position, item in enumerate(target.items):
            if isinstance(item, Spread):
                yield from _targets(item.value, (*path, -1))
            else:
                yield from _targets(item, (*path, position))
    elif isinstance(target, Spread):
        yield from _targets(target.value, (*path, -1))
    else:
        yield target, path


def index_scope(facts: ModuleFacts, scope: Scope) -> ScopeIndex:
    """Collect the bindings of one scope, nested steps included and nested scopes left out."""
    index = ScopeIndex()

    def bind(target: Value, binding: Binding, annotation: Value | None, span: Span = _NOWHERE) -> None:
        for leaf, path in _targets(target):
            one = binding if not path else binding._replace(how=UNPACKED, path=path, inner=binding.how)
            if isinstance(leaf, Reference):
                if annotation is not None:
                    index.annotations[leaf.name] = annotation
                if one.value is not None or one.how in (DEFINED, CAUGHT):
                    known = index.names.setdefault(leaf.name, [])
                    if one.certain and scope.kind in ("module", "class") and one.how != AUGMENTED:
                        known.clear()
                    known.append(one)
            elif isinstance(leaf, Attribute):
                index.stores.append(Store(leaf.value, leaf.name, one, annotation, span))
            elif isinstance(leaf, Subscript) and one.value is not None and one.how == PLAIN:
                added = one._replace(how=ADDED, certain=False)
                if isinstance(leaf.value, Reference):
                    index.additions.setdefault(leaf.value.name, []).append(added)
                elif isinstance(leaf.value, Attribute):
                    index.stores.append(Store(leaf.value.value, leaf.value.name, added, None))

    def walk(steps: tuple[Step, ...], certain: bool) -> None:
        for step in steps:
            if isinstance(step, Invoke):
                index.invokes += 1
                site = scope.sites[step.site]
                callee = site.callee
                if isinstance(callee, Attribute) and callee.name in _ADDING:
                    position = _ADDING[callee.name]
                    if len(site.arguments) > position and not site.arguments[position].name:
                        element = Binding(ADDED, site.arguments[position].value, certain=False)
                        if isinstance(callee.value, Reference):
                            index.additions.setdefault(callee.value.name, []).append(element)
                        elif isinstance(callee.value, Attribute):
                            index.stores.append(Store(callee.value.value, callee.value.name, element, None))
            elif isinstance(step, Bind):
                how = AUGMENTED if step.augmented else PLAIN
                if step.value is not None or step.annotation is not None:
                    bind(step.target, Binding(how, step.value, certain=certain), step.annotation, step.span)
                index.other += 1
            elif isinstance(step, Load):
                index.loads.append(step)
            elif isinstance(step, Await):
                index.awaits.append(step)
                index.other += 1
            elif isinstance(step, Branch):
                index.other += 1
                dead = isinstance(step.test, Constant) and not step.test.value
                alive = isinstance(step.test, Constant) and step.test.value is True
                if not dead:
                    walk(step.body, certain and alive)
                if not alive:
                    walk(step.orelse, certain and dead)
            elif isinstance(step, Return):
                index.returns.append(step.value)
                if step.value is not None and not (isinstance(step.value, Constant) and step.value.value is None):
                    index.other += 1
            elif isinstance(step, Raise):
                index.raises += 1
                if isinstance(step.value, (Reference, Attribute)):
                    index.raised.append((step.value, step.span))
            elif isinstance(step, Define):
                index.defines.append(step.scope)
                bind(Reference(step.name), Binding(DEFINED, None, step.scope, certain=certain), None)
                index.other += 1
            elif isinstance(step, Loop):
                index.other += 1
                index.loops.append(step)
                walk(step.condition, False)
                if step.target is not None:
                    bind(step.target, Binding(ELEMENT, step.subject, is_async=step.is_async, certain=False), None)
                walk(step.body, False)
                walk(step.orelse, False)
            elif isinstance(step, With):
                index.other += 1
                for item in step.items:
                    walk(item.entering, certain)
                    index.withs.append((item, step.is_async))
                    if item.target is not None:
                        bind(item.target, Binding(ENTERED, item.value, is_async=step.is_async, certain=certain), None)
                walk(step.body, certain)
            elif isinstance(step, Try):
                index.other += 1
                walk(step.body, False)
                for handler in step.handlers:
                    if handler.name:
                        bind(Reference(handler.name), Binding(CAUGHT, None, certain=False), None)
                    walk(handler.body, False)
                walk(step.orelse, False)
                walk(step.final, certain)
            elif isinstance(step, Match):
                index.other += 1
                for case in step.cases:
                    walk(case.guarding, False)
                    walk(case.body, False)
            elif isinstance(step, Yield):
                index.yields.append((step.value, step.is_from))
                index.other += 1
            elif isinstance(step, Star):
                index.stars.append(step)

    walk(scope.body, True)
    return index


def is_import(binding: Binding) -> bool:
    return isinstance(binding.value, Imported)

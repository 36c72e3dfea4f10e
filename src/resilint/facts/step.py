"""A body as a small tree of steps that keeps order and nesting.

Steps come in the order in which Python evaluates them. What is evaluated only sometimes stands in a :class:`Branch`:
the right side of ``and``, both arms of a conditional expression. Step positions are exact (see ``syntax.positions``).
"""

from __future__ import annotations

from typing import Literal

import msgspec

from resilint.domain import Span
from resilint.facts.value import Value

LoopKind = Literal["for", "while", "comprehension", "generator"]


class _Step(msgspec.Struct, frozen=True, array_like=True, tag=True, gc=False):
    """Base of all steps; ``gc=False`` holds because steps form a tree."""


class Invoke(_Step, frozen=True, tag="c"):
    """The call ``scope.sites[site]`` is made; its arguments' own steps come before."""

    site: int


class Await(_Step, frozen=True, tag="a"):
    """``await value``; ``span`` is the whole await expression."""

    value: Value
    span: Span


class Load(_Step, frozen=True, tag="l"):
    """An attribute is read (not called, not bound); a property runs code here."""

    value: Value
    span: Span


class Bind(_Step, frozen=True, tag="b"):
    """``target = value``; also ``+=`` (the value is the arithmetic), walrus, imports, ``del`` (no value at all).

    The target is a Reference, Attribute, Subscript, Sequence of targets, or Spread of one. A bare annotation has no
    value.
    """

    target: Value
    value: Value | None
    annotation: Value | None
    span: Span
    augmented: bool = False


class Star(_Step, frozen=True, tag="*"):
    """``from module import *``."""

    module: str
    level: int


class Define(_Step, frozen=True, tag="d"):
    """A ``def`` or ``class`` statement binds ``name`` to ``module.scopes[scope]`` (decorators applied)."""

    name: str
    scope: int


class Loop(_Step, frozen=True, tag="L"):
    """A loop.

    ``for``: ``subject`` is the iterable, evaluated before the loop. ``while``: ``subject`` is the condition and
    ``condition`` holds its steps, which run before every iteration. ``generator`` is a generator expression: its body
    runs when somebody iterates; a ``comprehension`` runs at once. Filters of both are a :class:`Branch` around the
    rest.
    """

    kind: LoopKind
    target: Value | None
    subject: Value
    condition: tuple[Step, ...]
    body: tuple[Step, ...]
    orelse: tuple[Step, ...]
    is_async: bool
    span: Span
    """The header: from the keyword to behind the colon; of a comprehension its clause from ``for`` to the iterable."""


class Item(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One context manager of a ``with`` statement; ``span`` is its expression."""

    value: Value
    target: Value | None
    span: Span
    entering: tuple[Step, ...] = ()
    """The steps that evaluate the context expression, in the scopes of the items before it."""


class With(_Step, frozen=True, tag="w"):
    items: tuple[Item, ...]
    body: tuple[Step, ...]
    is_async: bool
    span: Span
    """The header."""


class Branch(_Step, frozen=True, tag="i"):
    """``if test: body else: orelse``. The test's own steps come before.

    ``assert t`` is ``if t: (nothing) else: raise``.
    """

    test: Value
    body: tuple[Step, ...]
    orelse: tuple[Step, ...]


class Case(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A ``case``. ``patterns`` are the values it compares the subject with (alternatives); none and ``irrefutable``
    for ``_``.

    A class pattern ``C(...)`` gives a Spread of the class's value. Names that the pattern binds are Bind steps at the
    start of ``body``, of ``guarding`` where there is a guard, with value Unknown (the whole subject for ``case x``/``as
    x``).
    """

    patterns: tuple[Value, ...]
    irrefutable: bool
    guard: Value | None
    guarding: tuple[Step, ...]
    body: tuple[Step, ...]


class Match(_Step, frozen=True, tag="m"):
    subject: Value
    cases: tuple[Case, ...]


class Handler(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An ``except`` clause; ``types`` are the exception classes (none for a bare ``except``)."""

    types: tuple[Value, ...]
    name: str | None
    body: tuple[Step, ...]


class Try(_Step, frozen=True, tag="t"):
    body: tuple[Step, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Step, ...]
    final: tuple[Step, ...]
    is_star: bool = False


class Return(_Step, frozen=True, tag="r"):
    value: Value | None
    span: Span


class Raise(_Step, frozen=True, tag="x"):
    """``raise value``; ``asserted`` for the failing side of an ``assert``."""

    value: Value | None
    span: Span
    asserted: bool = False


class Yield(_Step, frozen=True, tag="y"):
    """``yield value`` or, with ``is_from``, ``yield from value``."""

    value: Value | None
    span: Span
    is_from: bool = False


class Break(_Step, frozen=True, tag="B"):
    pass


class Continue(_Step, frozen=True, tag="C"):
    pass


Step = (
    Invoke
    | Await
    | Load
    | Bind
    | Star
    | Define
    | Loop
    | With
    | Branch
    | Match
    | Try
    | Return
    | Raise
    | Yield
    | Break
    | Continue
)

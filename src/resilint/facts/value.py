"""Expressions as small values.

They become numbers, types and functions only when linked, where other files are at hand.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from resilint.domain import Span

SequenceKind = Literal["tuple", "list", "set"]


class _Value(msgspec.Struct, frozen=True, array_like=True, tag=True, gc=False):
    """Base of all values; ``gc=False`` holds because values form a tree."""


class Number(_Value, frozen=True, tag="n"):
    """A literal number. Complex numbers are :class:`Unknown`."""

    value: int | float


class Written(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where a string that looks like SQL stands in the file: rules report it there, and mend it."""

    span: Span
    """The literal, with all its parts."""
    lock: tuple[int, int] | None = None
    """Line and column just behind its only ``FOR UPDATE``, where that says no more (``SKIP LOCKED``)."""
    tail: tuple[int, int] | None = None
    """Line and column just behind its last character that means something."""


class Text(_Value, frozen=True, tag="t"):
    """A literal string, adjacent parts joined. ``raw`` bytes literals are decoded as latin-1 with ``is_bytes``."""

    value: str
    is_bytes: bool = False
    written: Written | None = None
    """Only of what looks like SQL."""


class Constant(_Value, frozen=True, tag="c"):
    """``None``, ``True``, ``False``; ``...`` is :class:`Unknown`."""

    value: bool | None


class Reference(_Value, frozen=True, tag="r"):
    """A name read in the scope that the value stands in. Comprehension variables carry a suffix ``@n`` of their own."""

    name: str


class Attribute(_Value, frozen=True, tag="a"):
    """``value.name``."""

    value: Value
    name: str


class Subscript(_Value, frozen=True, tag="s"):
    """``value[index]``; several indices are a tuple :class:`Sequence`."""

    value: Value
    index: Value


class Slice(_Value, frozen=True, tag="S"):
    """``lower:upper:step`` inside a :class:`Subscript`."""

    lower: Value | None
    upper: Value | None
    step: Value | None


class Result(_Value, frozen=True, tag="R"):
    """What the call ``scope.sites[site]`` returns, in the scope that the value stands in."""

    site: int


class Awaited(_Value, frozen=True, tag="A"):
    """``await value``."""

    value: Value


class Yielded(_Value, frozen=True, tag="Y"):
    """What ``yield`` gives back; unknown in practice."""


class Arithmetic(_Value, frozen=True, tag="o"):
    """``left operator right`` for the binary operators, spelled as in Python (``+``, ``//``, ``|``, ``<<`` ...)."""

    operator: str
    left: Value
    right: Value


class Negative(_Value, frozen=True, tag="m"):
    """``-value`` (``+value`` is the value itself, ``~value`` is :class:`Unknown`)."""

    value: Value


class Not(_Value, frozen=True, tag="!"):
    value: Value


class Compare(_Value, frozen=True, tag="?"):
    """``left operator right`` (``<``, ``in``, ``is not`` ...). ``a < b < c`` is a :class:`Boolean` of two."""

    operator: str
    left: Value
    right: Value


class Boolean(_Value, frozen=True, tag="b"):
    """``a and b and c`` or ``a or b or c``."""

    operator: Literal["and", "or"]
    values: tuple[Value, ...]


class Choice(_Value, frozen=True, tag="i"):
    """``body if test else orelse``."""

    test: Value
    body: Value
    orelse: Value


class Sequence(_Value, frozen=True, tag="l"):
    """A tuple, list or set display."""

    kind: SequenceKind
    items: tuple[Value, ...]


class Mapping(_Value, frozen=True, tag="d"):
    """A dict display. A key of ``None`` (the Python value, no struct) marks ``**value``."""

    items: tuple[tuple[Value | None, Value], ...]


class Spread(_Value, frozen=True, tag="*"):
    """``*value`` inside a display or a subscript, and what a comprehension or generator expression makes.

    ``[f(x) for x in y]`` is ``Sequence("list", (Spread(element, lazy=False, repeated=True),))``: any number of
    ``element``. A generator expression has ``lazy=True``. For a dict comprehension the sequence stands in place of
    the mapping and its element is a pair. For ``*value`` itself ``repeated`` is false.
    """

    value: Value
    lazy: bool = False
    repeated: bool = False


class Format(_Value, frozen=True, tag="f"):
    """An f-string (or t-string): literal parts are :class:`Text`."""

    parts: tuple[Value, ...]
    written: Written | None = None
    """Only of what looks like SQL."""


class ScopeValue(_Value, frozen=True, tag="F"):
    """The function, lambda or class whose scope is ``module.scopes[scope]``, as a value."""

    scope: int


class Imported(_Value, frozen=True, tag="I"):
    """What an import statement binds.

    ``import a.b`` binds ``a`` to ``Imported("a", 0, None, "a.b")``; ``import a.b as c`` binds ``Imported("a.b", 0)``;
    ``from ..m import x`` binds ``Imported("m", 2, "x")``.
    """

    module: str
    level: int = 0
    name: str | None = None
    loads: str = ""
    """For ``import a.b``: the dotted name that is loaded besides the one that is bound."""


class Unknown(_Value, frozen=True, tag="u"):
    """An expression that no rule can use; calls inside it still are steps."""


Value = (
    Number
    | Text
    | Constant
    | Reference
    | Attribute
    | Subscript
    | Slice
    | Result
    | Awaited
    | Yielded
    | Arithmetic
    | Negative
    | Not
    | Compare
    | Boolean
    | Choice
    | Sequence
    | Mapping
    | Spread
    | Format
    | ScopeValue
    | Imported
    | Unknown
)

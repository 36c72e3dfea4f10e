"""Files, scopes and call sites."""

from __future__ import annotations

from typing import Literal

import msgspec

from resilint.domain import Span
from resilint.facts.step import Step
from resilint.facts.value import Value

FORMAT = 2
"""Raised with every change of these structs, so that older cache entries are misses."""

ScopeKind = Literal["module", "class", "function", "lambda"]
ParameterKind = Literal["positional", "normal", "variadic", "keyword", "keywords"]


class Argument(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One argument. ``name`` is the keyword, ``"*"`` for ``*value``, ``"**"`` for ``**value``, else empty."""

    name: str
    value: Value


class Site(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call expression. ``span`` covers it from the callee's first character to the closing parenthesis."""

    callee: Value
    arguments: tuple[Argument, ...]
    span: Span
    awaited: bool
    """It is the direct operand of ``await``."""
    dropped: bool
    """It is (or its await is) a whole expression statement: nobody looks at the result."""
    statement: int = 0
    """The first line of the simple statement, or of the compound statement's header, that it stands in."""


class Parameter(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """``annotation`` and ``default`` are values of the *enclosing* scope."""

    name: str
    kind: ParameterKind
    annotation: Value | None
    default: Value | None


class Decorator(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """``value`` belongs to the enclosing scope; ``span`` covers the expression without the ``@``."""

    value: Value
    span: Span


class TypeParameter(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """PEP 695: ``[T: bound]``; ``bound`` is a value of the enclosing scope."""

    name: str
    bound: Value | None


class Scope(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The module itself (always ``scopes[0]``), a class body, a function, or a lambda.

    Comprehensions are no scopes of their own: their steps stand where they run, their variables are renamed apart.
    """

    kind: ScopeKind
    name: str
    """``<lambda>`` for a lambda, empty for the module."""
    qualname: str
    """Dotted, as Python's ``__qualname__`` but without ``<locals>``; empty for the module."""
    parent: int
    """The enclosing scope; -1 for the module."""
    span: Span
    """For a definition the whole name: ``def`` line and column of the name; for a lambda the whole lambda."""
    lines: tuple[int, int, int]
    """First line (of the first decorator), line of the ``def`` or ``class`` keyword, last line."""
    is_async: bool
    is_generator: bool
    decorators: tuple[Decorator, ...]
    bases: tuple[Argument, ...]
    """Of a class: bases and keywords."""
    parameters: tuple[Parameter, ...]
    returns: Value | None
    type_parameters: tuple[TypeParameter, ...]
    outer: tuple[str, ...]
    """Names declared ``global``."""
    enclosing: tuple[str, ...]
    """Names declared ``nonlocal``."""
    sites: tuple[Site, ...]
    body: tuple[Step, ...]
    docstring: str = ""
    """Of a class or function: only its first line; nothing decides on it."""
    header_end: int = 0
    """The line of the colon that ends the ``def``/``class`` header."""


class Comment(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A comment that holds ``resilint:``."""

    span: Span
    text: str
    alone: bool
    """Nothing but white space stands before it on its line."""


class SyntaxProblem(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Why a file could not be lowered: it does not parse, cannot be decoded, or nests too deeply."""

    span: Span
    message: str


class ModuleFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All of one file."""

    scopes: tuple[Scope, ...]
    comments: tuple[Comment, ...]
    statements: tuple[tuple[int, int], ...]
    """First and last line of every simple statement, compound statement's header and decorator that spans several
    lines, in order; strings that are statements, such as docstrings, aside."""
    lines: int
    generated: bool
    """The file's head says that it is generated."""
    exports: tuple[str, ...] | None
    """``__all__`` where it is a literal."""
    problem: SyntaxProblem | None = None


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(ModuleFacts)


def encode(facts: ModuleFacts) -> bytes:
    """Facts as bytes; equal facts give equal bytes."""
    return _encoder.encode(facts)


def decode(data: bytes) -> ModuleFacts:
    """The inverse of :func:`encode`.

    Raises:
        msgspec.DecodeError: the bytes are no facts of this :data:`FORMAT`.
    """
    return _decoder.decode(data)

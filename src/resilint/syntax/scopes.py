"""Scopes while they are being filled."""

from __future__ import annotations

from resilint.domain import Span
from resilint.facts import Decorator, Parameter, Scope, ScopeKind, Site, Step, TypeParameter, Value
from resilint.facts.module import Argument

NOWHERE = Span(1, 1, 1, 1)


class Frame:
    """A :class:`~resilint.facts.Scope` whose body is being lowered."""

    __slots__ = (
        "bases",
        "comprehensions",
        "decorators",
        "docstring",
        "enclosing",
        "header_end",
        "index",
        "is_async",
        "is_generator",
        "kind",
        "lines",
        "name",
        "outer",
        "parameters",
        "parent",
        "qualname",
        "returns",
        "sites",
        "span",
        "type_parameters",
    )

    def __init__(self, kind: ScopeKind, name: str, parent: Frame | None, index: int) -> None:
        self.kind: ScopeKind = kind
        self.name = name
        self.parent = parent
        self.index = index
        self.qualname: str = f"{parent.qualname}.{name}" if parent is not None and parent.qualname else name
        self.span = NOWHERE
        self.lines = (1, 1, 1)
        self.is_async = False
        self.is_generator = False
        self.decorators: tuple[Decorator, ...] = ()
        self.bases: tuple[Argument, ...] = ()
        self.parameters: tuple[Parameter, ...] = ()
        self.returns: Value | None = None
        self.type_parameters: tuple[TypeParameter, ...] = ()
        self.outer: list[str] = []
        self.enclosing: list[str] = []
        self.sites: list[Site] = []
        self.docstring = ""
        self.header_end = 0
        # A lambda may read variables of a comprehension around it, so it goes on counting where that stopped.
        self.comprehensions: int = parent.comprehensions if kind == "lambda" and parent is not None else 0

    def finished(self, body: list[Step]) -> Scope:
        return Scope(
            kind=self.kind,
            name=self.name,
            qualname=self.qualname,
            parent=-1 if self.parent is None else self.parent.index,
            span=self.span,
            lines=self.lines,
            is_async=self.is_async,
            is_generator=self.is_generator,
            decorators=self.decorators,
            bases=self.bases,
            parameters=self.parameters,
            returns=self.returns,
            type_parameters=self.type_parameters,
            outer=tuple(self.outer),
            enclosing=tuple(self.enclosing),
            sites=tuple(self.sites),
            body=tuple(body),
            docstring=self.docstring,
            header_end=self.header_end,
        )

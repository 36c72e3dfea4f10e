"""Bases and subclasses, protocols and who implements them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from resilint.link.entities import (
    NOBODY,
    Cls,
    Entities,
    Ext,
    ordered,
)

if TYPE_CHECKING:
    from resilint.link.infer import Inference


class Classes:
    """The equations of this module, a part of :class:`Inference`."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program
        self._catalogue = inference.catalogue
        self._mro: dict[Cls, tuple[Cls | Ext, ...]] = {}
        self._subclasses: dict[Cls, list[Cls]] = {}
        self._implementers: dict[Cls, list[Cls]] = {}
        self._having: dict[str, list[Cls]] = {}
        """Classes by the methods that they define themselves."""

    def mro(self, cls: Cls) -> tuple[Cls | Ext, ...]:
        """The class and its bases in the order of look-up (depth first, each base once, last occurrence kept)."""
        known = self._mro.get(cls)
        if known is None:
            self._mro[cls] = (cls,)
            order: list[Cls | Ext] = []
            scope = self._program.scope(cls)
            for argument in scope.bases:
                if argument.name:
                    continue
                for base in ordered(self._inference.of(cls.module, scope.parent, argument.value)):
                    if isinstance(base, Cls):
                        chain: tuple[Cls | Ext, ...] = self.mro(base)
                    elif isinstance(base, Ext):
                        chain = tuple(Ext(p) for p in self._catalogue.mro(base.path))
                    else:
                        continue
                    order = [c for c in order if c not in chain] + list(chain)
            known = self._mro[cls] = (cls, *(c for c in order if c != cls))
        return known

    def parents(self, cls: Cls) -> Entities:
        """The classes that it names as bases."""
        scope = self._program.scope(cls)
        found: Entities = NOBODY
        for argument in scope.bases:
            if not argument.name:
                found |= self._inference.of(cls.module, scope.parent, argument.value)
        return found

    def external_bases(self, cls: Cls) -> Iterator[str]:
        for base in self.mro(cls):
            if isinstance(base, Ext):
                yield base.path

    def subclasses(self, cls: Cls) -> list[Cls]:
        return self._subclasses.get(cls, [])

    def _typing(self, cls: Cls, kind: str) -> bool:
        return any(t.typing == kind for path in self.external_bases(cls) for t in self._catalogue.traits(path))

    def is_enum(self, cls: Cls) -> bool:
        return self._typing(cls, "enum")

    def is_protocol(self, cls: Cls) -> bool:
        """A Protocol or ABC itself, not a class that implements one."""
        scope = self._program.scope(cls)
        for argument in scope.bases:
            for base in self._inference.of(cls.module, scope.parent, argument.value):
                if isinstance(base, Ext) and any(
                    t.typing in ("protocol", "abstract") for t in self._catalogue.traits(base.path)
                ):
                    return True
        return False

    def implementers(self, cls: Cls) -> list[Cls]:
        """Classes with all the methods of a protocol that nobody inherits from: at most four, else none."""
        known = self._implementers.get(cls)
        if known is None:
            known = self._implementers[cls] = self._find_implementers(cls)
        return known

    def _find_implementers(self, cls: Cls) -> list[Cls]:
        wanted = set(self._program.layouts[cls].methods)
        if not wanted or all(name.startswith("__") for name in wanted):
            return []
        found = []
        for other in {one: None for name in sorted(wanted) for one in self._having.get(name, ()) if one != cls}:
            methods: set[str] = set()
            for base in self.mro(other):
                if isinstance(base, Cls):
                    methods |= self._program.layouts[base].methods.keys()
            if wanted <= methods and not self.is_protocol(other):
                found.append(other)
        return sorted(found) if len(found) <= 4 else []

    def collect(self) -> None:
        """Find all subclasses."""
        for cls, layout in self._program.layouts.items():
            self.mro(cls)
            for name in layout.methods:
                self._having.setdefault(name, []).append(cls)
        for cls in self._program.layouts:
            for base in self.mro(cls)[1:]:
                if isinstance(base, Cls):
                    self._subclasses.setdefault(base, []).append(cls)

"""All catalogue files as one table."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib import resources
from pathlib import Path

import msgspec

from resilint.catalogue.schema import Callable_, Class_, Library
from resilint.domain import ConfigurationError


class Catalogue:
    """Looks up what a dotted name means. Later libraries win over earlier ones."""

    def __init__(self, libraries: Iterable[Library]) -> None:
        self.libraries = tuple(libraries)
        self._functions: dict[str, Callable_] = {}
        self._classes: dict[str, Class_] = {}
        self._aliases: dict[str, str] = {}
        self._canonical: dict[str, str] = {}
        self._annotations: dict[str, str] = {}
        self._constants: dict[str, bool | int | float | str] = {}
        self._patterns: list[tuple[re.Pattern[str], str]] = []
        self._members: dict[tuple[str, str], Callable_ | None] = {}
        self._mro: dict[str, tuple[str, ...]] = {}
        self._through: dict[str, Callable_ | None] = {}
        for library in self.libraries:
            self._add(library)

    def _add(self, library: Library) -> None:
        for path, function in library.function.items():
            self._functions[path] = function
            for alias in function.aliases:
                self._aliases[alias] = path
        for path, klass in library.klass.items():
            self._classes[path] = klass
            for alias in klass.aliases:
                self._aliases[alias] = path
            for pattern in klass.patterns:
                self._patterns.append((re.compile(fnmatch.translate(pattern)), path))
        self._annotations.update(library.annotation)
        self._constants.update(library.constant)

    @cached_property
    def roots(self) -> frozenset[str]:
        """The first parts of all dotted names: modules that are never looked up in the project by suffix."""
        names = (*self._functions, *self._classes, *self._aliases, *self._annotations)
        return frozenset(name.split(".")[0] for name in names)

    def canonical(self, path: str) -> str:
        """The name under which the catalogue knows ``path``; ``path`` itself where it does not."""
        known = self._canonical.get(path)
        if known is None:
            known = self._canonical[path] = self._aliases.get(path) or self._by_pattern(path)
        return known

    def _by_pattern(self, path: str) -> str:
        if path not in self._classes and path not in self._functions:
            for pattern, target in self._patterns:
                if pattern.match(path):
                    return target
        return path

    def function(self, path: str) -> Callable_ | None:
        """A function, or the constructor of a class."""
        found = self._functions.get(path)
        if found is None and path not in self._classes:
            return self._through_class(path)
        if found is None and (klass := self._classes.get(path)) is not None:
            for base in self.mro(path):
                if (parent := self._classes.get(base)) is not None and parent.new is not None:
                    return parent.new
            return klass.new
        if found is None:  # ``Repo.clone_from``: a method read on the class
            owner, _, name = path.rpartition(".")
            for base in self.mro(owner) if owner in self._classes else ():
                if (parent := self._classes.get(base)) is not None and name in parent.method:
                    return parent.method[name]
        return found

    def _through_class(self, path: str) -> Callable_ | None:
        """``datetime.datetime.now``: a method called on the class."""
        if path not in self._through:
            self._through[path] = None
            head, _, chain = path.rpartition(".")
            while head:
                if head in self._classes:
                    self._through[path] = self.member(head, chain)
                    break
                head, _, part = head.rpartition(".")
                chain = f"{part}.{chain}"
        return self._through[path]

    def klass(self, path: str) -> Class_ | None:
        return self._classes.get(path)

    def mro(self, path: str) -> tuple[str, ...]:
        """The class and the catalogued bases behind it."""
        known = self._mro.get(path)
        if known is None:
            order = [path]
            self._mro[path] = (path,)
            klass = self._classes.get(path)
            for base in klass.bases if klass else ():
                for name in self.mro(self.canonical(base)):
                    if name not in order:
                        order.append(name)
            known = self._mro[path] = tuple(order)
        return known

    def derives(self, path: str, base: str) -> bool:
        return base in self.mro(path)

    def member(self, path: str, chain: str) -> Callable_ | None:
        """The method ``chain`` of the class ``path`` or of a base."""
        key = (path, chain)
        if key not in self._members:
            self._members[key] = self._find_member(path, chain)
        return self._members[key]

    def _find_member(self, path: str, chain: str) -> Callable_ | None:
        for name in self.mro(path):
            klass = self._classes.get(name)
            if klass is not None and chain in klass.method:
                return klass.method[chain]
        for name in self.mro(path):
            klass = self._classes.get(name)
            if klass is not None and "*" in klass.method and not chain.startswith("_"):
                return klass.method["*"]
        return None

    def attribute(self, path: str, name: str) -> str | None:
        """The class of the instance that the attribute holds."""
        for base in self.mro(path):
            klass = self._classes.get(base)
            if klass is not None:
                found = klass.attribute.get(name) or klass.attribute.get("*")
                if found:
                    return self.canonical(found)
        return None

    def traits(self, path: str) -> Iterator[Class_]:
        """The class and its bases, as far as they are catalogued."""
        for name in self.mro(path):
            if (klass := self._classes.get(name)) is not None:
                yield klass

    def annotation(self, path: str) -> str | None:
        return self._annotations.get(path)

    def constant(self, path: str) -> bool | int | float | str | None:
        return self._constants.get(path)

    @cached_property
    def named_registries(self) -> dict[str, str]:
        """Class names that make a class an entry by themselves (``WorkerSettings``), to the catalogue class."""
        return {path.rpartition(".")[2]: path for path, klass in self._classes.items() if klass.named}

    @cached_property
    def remembered(self) -> frozenset[str]:
        """Classes whose construction matters later: its arguments bound a timeout, a pool or a queue, or keep it in
        memory."""
        deadlines = [k.total_timeout for k in self._classes.values()]
        deadlines += [f.deadline for f in self._functions.values()]
        deadlines += [m.deadline for k in self._classes.values() for m in k.method.values()]
        forms = {
            self.canonical(form.partition(":")[0])
            for d in deadlines
            if d is not None
            for form in d.counts
            if "." in form
        }
        return frozenset(
            forms | {path for path, k in self._classes.items() if k.executor or k.queue is not None or k.in_memory}
        )

    @cached_property
    def clients(self) -> tuple[str, ...]:
        return tuple(sorted(path for path, klass in self._classes.items() if klass.client))

    @cached_property
    def verbs(self) -> frozenset[str]:
        """Method names that make a call on a receiver named like a client an HTTP call."""
        return frozenset(
            name for klass in self._classes.values() for name, method in klass.method.items() if method.verb
        )


def read_library(text: bytes, name: str) -> Library:
    """One file's content.

    Raises:
        ConfigurationError: it is no TOML or breaks the schema.
    """
    try:
        return msgspec.convert(tomllib.loads(text.decode()), Library)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"not valid TOML: {error}", name) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"not valid UTF-8: {error}", name) from error
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"breaks the schema of catalogue files: {error}", name) from error


def load_catalogue(extra: Sequence[Path] = (), libraries: Sequence[Library] = ()) -> Catalogue:
    """The shipped files in order of their names, then ``extra`` ones (of the house), then ``libraries`` (of the
    configuration).

    Raises:
        ConfigurationError: a file cannot be read or breaks the schema.
    """
    found = []
    for entry in sorted(resources.files("resilint.catalogue").iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".toml"):
            found.append(read_library(entry.read_bytes(), f"catalogue/{entry.name}"))
    for path in extra:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ConfigurationError(f"cannot be read: {error.strerror}", str(path)) from error
        found.append(read_library(content, str(path)))
    return Catalogue([*found, *libraries])

"""Verifies the catalogue against the libraries themselves: does every class, function, method and argument named exist?

    python bench/catalogue_check.py --cache FOLDER [--import] [--offline] [LIBRARY...]

Wheels are taken with ``pip download --no-deps`` into ``FOLDER/wheels``, unpacked under ``FOLDER/unpacked`` and read
with the front end of resilint; nothing of them is imported. The standard library is that of the running interpreter,
and the stubs that mypy brings; what has no Python source there is imported.

``--import`` also installs each library that has entries marked ``dynamic`` into an environment of its own under
``FOLDER/environments``, and looks for those names there. Entries marked ``removed = "1.0"`` are looked for in a release
before that one.

What is compared: that the name exists (through re-exports, star imports and base classes), whether it is async, and
that the arguments named stand where the entry says. Exit 1 where something is missing or differs.
"""

from __future__ import annotations

import argparse
import builtins
import dataclasses
import importlib
import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import msgspec

from resilint.catalogue.schema import Callable_, Class_, Library
from resilint.facts import ModuleFacts, Scope, step, value
from resilint.syntax import lower

CATALOGUE = Path(__file__).parents[1] / "src" / "resilint" / "catalogue"


# --- what a dotted name is ---


@dataclasses.dataclass(frozen=True)
class Module:
    """A module or package; ``facts`` is empty for a namespace package."""

    name: str
    facts: ModuleFacts | None
    is_package: bool

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Module) and other.name == self.name

    @cached_property
    def names(self) -> dict[str, list[Any]]:
        return bound_names(self.facts.scopes[0]) if self.facts else {}

    @cached_property
    def stars(self) -> list[step.Star]:
        return [one for one in walk(self.facts.scopes[0].body) if isinstance(one, step.Star)] if self.facts else []


@dataclasses.dataclass(frozen=True)
class Found:
    """A definition: a class or function (``scope``), or another value. ``real`` is an imported object."""

    module: Module | None
    scope: Scope | None = None
    other: Any = None
    real: Any = None
    owner: Scope | None = None

    @property
    def is_class(self) -> bool:
        return inspect.isclass(self.real) or (self.scope is not None and self.scope.kind == "class")


def walk(body: Iterable[Any]) -> Iterator[Any]:
    """Every step of a body, nested ones included."""
    for one in body:
        yield one
        for name in one.__struct_fields__:
            part = getattr(one, name)
            if isinstance(part, tuple) and part and isinstance(part[0], step.Step.__args__):
                yield from walk(part)
            elif isinstance(part, tuple) and part and isinstance(part[0], (step.Handler, step.Case)):
                for arm in part:
                    yield from walk(arm.body)


def bound_names(scope: Scope) -> dict[str, list[Any]]:
    """What a module or class body binds each name to: a scope's number, or a value."""
    found: dict[str, list[Any]] = {}
    for one in walk(scope.body):
        if isinstance(one, step.Define):
            found.setdefault(one.name, []).append(one.scope)
        elif isinstance(one, step.Bind) and isinstance(one.target, value.Reference):
            if one.value is not None:
                found.setdefault(one.target.name, []).append(one.value)
            elif one.annotation is not None:
                found.setdefault(one.target.name, []).append(Annotation(one.annotation))
        elif isinstance(one, step.Bind) and isinstance(one.target, value.Sequence):
            for item in one.target.items:
                if isinstance(item, value.Reference):
                    found.setdefault(item.name, []).append(value.Unknown())
    return found


@dataclasses.dataclass(frozen=True)
class Annotation:
    """A name that is only declared: ``chat: Chat``."""

    value: Any


class Sources:
    """Modules by name, out of folders that are searched in order."""

    def __init__(self, roots: Iterable[Path], real_roots: frozenset[str] = frozenset()) -> None:
        self.roots = tuple(roots)
        self.real_roots = real_roots
        self._modules: dict[str, Module | None] = {}

    def module(self, name: str) -> Module | None:
        if name not in self._modules:
            self._modules[name] = self._load(name)
        return self._modules[name]

    def _load(self, name: str) -> Module | None:
        path = Path(*name.split("."))
        namespace = False
        for root in self.roots:
            for candidate, package in (
                (root / path / "__init__.py", True),
                (root / path.with_name(path.name + ".py"), False),
                (root / path / "__init__.pyi", True),
                (root / path.with_name(path.name + ".pyi"), False),
            ):
                if candidate.is_file():
                    facts = lower(candidate.read_bytes())
                    if facts.problem is not None:
                        print(f"  (not readable: {candidate}: {facts.problem.message})", file=sys.stderr)
                    return Module(name, facts, package)
            namespace = namespace or (root / path).is_dir()
        return Module(name, None, True) if namespace else None

    def resolve(self, dotted: str) -> list[Found]:
        """All definitions that the name can have; none where it does not exist."""
        parts = dotted.split(".")
        for cut in range(len(parts), 0, -1):
            module = self.module(".".join(parts[:cut]))
            if module is None:
                continue
            if cut == len(parts):
                return [Found(module)]
            found = self.attribute(module, parts[cut], set())
            for part in parts[cut + 1 :]:
                found = [one for owner in found for one in self.member(owner, part)]
            if found:
                return found
        return self._imported(parts)

    def _imported(self, parts: list[str]) -> list[Found]:
        """The standard library's own, where it has no Python source."""
        if parts[0] not in self.real_roots:
            return []
        for cut in range(len(parts), 0, -1):
            try:
                thing: Any = importlib.import_module(".".join(parts[:cut]))
            except ImportError:
                continue
            for part in parts[cut:]:
                thing = getattr(thing, part, None)
                if thing is None:
                    return []
            return [Found(None, real=thing)]
        return []

    def attribute(self, module: Module, name: str, seen: set[tuple[str, str]]) -> list[Found]:
        if (module.name, name) in seen:
            return []
        seen = seen | {(module.name, name)}
        found: list[Found] = []
        for bound in module.names.get(name, ()):
            found.extend(self.evaluate(module, bound, seen))
        if found:
            return found
        for star in module.stars:
            source = self.module(self.absolute(module, star.module, star.level))
            if source is not None:
                found.extend(self.attribute(source, name, seen))
        if found:
            return found
        if (inner := self.module(f"{module.name}.{name}")) is not None:
            return [Found(inner)]
        if name in module.names:
            return [Found(module, other=bound) for bound in module.names[name]]
        if not module.name.partition(".")[0] or module.name.split(".")[0] not in self.real_roots:
            return []
        return self._imported([*module.name.split("."), name])

    def absolute(self, module: Module, name: str, level: int) -> str:
        if not level:
            return name
        parts = module.name.split(".")
        parts = parts[: len(parts) - level + (1 if module.is_package else 0)]
        return ".".join([*parts, *([name] if name else [])])

    def evaluate(self, module: Module, bound: Any, seen: set[tuple[str, str]]) -> list[Found]:
        if isinstance(bound, int):
            assert module.facts is not None
            return [Found(module, scope=module.facts.scopes[bound])]
        if isinstance(bound, value.Imported):
            target = self.absolute(module, bound.module, bound.level)
            if bound.name is None:
                source = self.module(target)
                return [Found(source)] if source is not None else []
            source = self.module(target)
            if source is None:
                return self._imported([*target.split("."), bound.name])
            return self.attribute(source, bound.name, seen)
        if isinstance(bound, value.Reference):
            return self.attribute(module, bound.name, seen) or (
                [Found(None, real=getattr(builtins, bound.name))] if hasattr(builtins, bound.name) else []
            )
        if isinstance(bound, value.Attribute):
            return [one for owner in self.evaluate(module, bound.value, seen) for one in self.member(owner, bound.name)]
        if isinstance(bound, value.Subscript):
            return self.evaluate(module, bound.value, seen)
        if isinstance(bound, value.Constant):
            return []
        if isinstance(bound, value.Text):
            try:
                inner = lower(f"x = {bound.value}\n".encode())
            except (UnicodeError, ValueError):
                return []
            for one in inner.scopes[0].body:
                if isinstance(one, step.Bind) and one.value is not None and not isinstance(one.value, value.Text):
                    return self.evaluate(module, one.value, seen)
            return []
        return [Found(module, other=bound)]

    def member(self, owner: Found, name: str) -> list[Found]:
        """An attribute of a module or class."""
        if owner.real is not None:
            thing = (
                inspect.getattr_static(owner.real, name, None)
                if inspect.isclass(owner.real)
                else getattr(owner.real, name, None)
            )
            return [Found(None, real=thing)] if thing is not None else []
        if owner.module is not None and owner.scope is None and owner.other is None:
            return self.attribute(owner.module, name, set())
        if owner.is_class:
            return self.method(owner, name)
        return [one for made in self.made_by(owner) for one in self.method(made, name)]

    def bases(self, owner: Found) -> tuple[list[Found], bool]:
        """The base classes that could be found, and whether all could."""
        assert owner.scope is not None and owner.module is not None
        found: list[Found] = []
        known = True
        for base in owner.scope.bases:
            if base.name:
                continue
            here = self.evaluate(owner.module, base.value, set())
            here = [one for one in here if one.is_class]
            known = known and bool(here)
            found.extend(here)
        return found, known

    def mro(self, owner: Found, seen: frozenset[tuple[str, str]] = frozenset()) -> Iterator[Found]:
        yield owner
        if owner.real is not None:
            for one in owner.real.__mro__[1:]:
                yield Found(None, real=one)
            return
        assert owner.scope is not None and owner.module is not None
        key = (owner.module.name, owner.scope.qualname)
        if key in seen:
            return
        for base in self.bases(owner)[0]:
            yield from self.mro(base, seen | {key})

    def open_ended(self, owner: Found) -> bool:
        """Some base class could not be found, or attributes are made by code."""
        for one in self.mro(owner):
            if one.real is not None:
                continue
            assert one.scope is not None
            if not self.bases(one)[1] or "__getattr__" in self.class_names(one):
                return True
        return False

    @cache  # noqa: B019
    def class_names(self, owner: Found) -> dict[str, list[Any]]:
        assert owner.scope is not None
        return bound_names(owner.scope)

    def method(self, owner: Found, name: str) -> list[Found]:
        for one in self.mro(owner):
            if one.real is not None:
                if name in vars(one.real):
                    return [Found(None, real=vars(one.real)[name])]
                continue
            assert one.module is not None and one.module.facts is not None and one.scope is not None
            bound = self.class_names(one).get(name)
            if bound:
                found: list[Found] = []
                for here in bound:
                    if isinstance(here, value.Reference) and here.name in self.class_names(one):
                        here = self.class_names(one)[here.name][-1]
                    if isinstance(here, int):
                        found.append(Found(one.module, scope=one.module.facts.scopes[here], owner=one.scope))
                    else:
                        evaluated = [] if isinstance(here, Annotation) else self.evaluate(one.module, here, set())
                        found.extend(evaluated or [Found(one.module, other=here, owner=one.scope)])
                return found
            if set_here := self.set_on_self(one).get(name):
                return [Found(one.module, other=here, owner=one.scope) for here in set_here]
        return []

    @cache  # noqa: B019
    def set_on_self(self, owner: Found) -> dict[str, list[Any]]:
        """What methods of the class assign to attributes of ``self``."""
        assert owner.module is not None and owner.module.facts is not None
        scopes = owner.module.facts.scopes
        number = next(i for i, one in enumerate(scopes) if one is owner.scope)
        found: dict[str, list[Any]] = {}
        for one in scopes:
            if one.kind == "function" and one.parent == number and one.parameters:
                this = one.parameters[0].name
                for action in walk(one.body):
                    if (
                        isinstance(action, step.Bind)
                        and isinstance(action.target, value.Attribute)
                        and action.target.value == value.Reference(this)
                    ):
                        if action.annotation is not None:
                            found.setdefault(action.target.name, []).append(Annotation(action.annotation))
                        elif isinstance(action.value, value.Result):
                            found.setdefault(action.target.name, []).append(one.sites[action.value.site].callee)
                        elif action.value is not None:
                            found.setdefault(action.target.name, []).append(action.value)
        return found

    def made_by(self, found: Found) -> list[Found]:
        """The classes of the instance that reading the attribute ``found`` gives."""
        module = found.module
        if module is None:
            return []
        if found.is_class:
            return [found]
        if found.scope is not None:
            if found.scope.returns is not None:
                candidates = self.evaluate_annotation(module, found.scope.returns)
            else:
                made = [one.value for one in walk(found.scope.body) if isinstance(one, step.Return)]
                calls = [found.scope.sites[one.site].callee for one in made if isinstance(one, value.Result)]
                candidates = [one for callee in calls for one in self.evaluate_locally(module, found.scope, callee)]
        elif isinstance(found.other, Annotation):
            candidates = self.evaluate_annotation(module, found.other.value)
        elif isinstance(found.other, value.Result) and module.facts is not None:
            owner = found.owner or module.facts.scopes[0]
            candidates = self.evaluate(module, owner.sites[found.other.site].callee, set())
        else:
            candidates = self.evaluate(module, found.other, set())
        return [one for one in candidates if one.is_class]

    def evaluate_locally(self, module: Module, scope: Scope, bound: Any) -> list[Found]:
        """As :meth:`evaluate`, with the imports that stand in the function."""
        if isinstance(bound, value.Reference) and (inner := bound_names(scope).get(bound.name)):
            return [one for here in inner if not isinstance(here, int) for one in self.evaluate(module, here, set())]
        return self.evaluate(module, bound, set())

    def evaluate_annotation(self, module: Module, annotation: Any) -> list[Found]:
        if isinstance(annotation, value.Arithmetic):
            return [
                *self.evaluate_annotation(module, annotation.left),
                *self.evaluate_annotation(module, annotation.right),
            ]
        if isinstance(annotation, value.Subscript) and isinstance(annotation.value, value.Reference | value.Attribute):
            name = annotation.value.name
            if name in {"Optional", "Annotated", "ClassVar", "Final", "Union"}:
                inner = annotation.index
                items = inner.items if isinstance(inner, value.Sequence) else (inner,)
                return [one for item in items for one in self.evaluate_annotation(module, item)]
        return self.evaluate(module, annotation, set())

    def has_text(self, name: str, top: str) -> bool:
        """Some module of the package defines a function or property of this name (for chains with ``*``)."""
        pattern = re.compile(rb"def " + name.encode() + rb"\b")
        for root in self.roots:
            folder = root / top
            if folder.is_dir():
                for file in folder.rglob("*.py"):
                    if pattern.search(file.read_bytes()):
                        return True
        return False


# --- where the sources come from ---


def is_standard(library: Library) -> bool:
    return library.requires.startswith("Python ")


def distributions(library: Library) -> list[str]:
    """The distributions named by the file: its own, and those of ``requires``."""
    named = [] if is_standard(library) else [library.distribution or library.library]
    for part in library.requires.split(";")[0].split(","):
        words = part.split()
        if len(words) >= 2 and re.match(r"\d", words[1]) and words[0] not in [*named, "Python"]:
            named.append(words[0])
    return named


def stub_folders() -> list[Path]:
    """The stubs of the standard library that mypy brings, where it is installed."""
    spec = importlib.util.find_spec("mypy")
    return [Path(place) / "typeshed" / "stdlib" for place in (spec.submodule_search_locations or [])] if spec else []


class Store:
    """Wheels and what they hold, in the folder that the user gave."""

    def __init__(self, folder: Path, offline: bool) -> None:
        self.wheels = folder / "wheels"
        self.unpacked = folder / "unpacked"
        self.environments = folder / "environments"
        self.offline = offline
        for one in (self.wheels, self.unpacked, self.environments):
            one.mkdir(parents=True, exist_ok=True)

    def folder(self, requirement: str) -> Path | None:
        """The unpacked distribution; taken from the package index where it is not there yet."""
        target = self.unpacked / re.sub(r"[^A-Za-z0-9.<]+", "_", requirement).replace("<", "_before_")
        if target.is_dir():
            return target
        if self.offline:
            return None
        place = self.wheels / target.name
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(place), requirement]
        done = subprocess.run(command, capture_output=True, text=True)
        archives = sorted(place.glob("*.whl"))
        if done.returncode or not archives:
            print(
                f"  (no wheel of {requirement}: {done.stderr.strip().splitlines()[-1:] or 'only a source archive'})",
                file=sys.stderr,
            )
            return None
        with tempfile.TemporaryDirectory(dir=self.unpacked) as fresh:
            with zipfile.ZipFile(archives[-1]) as archive:
                archive.extractall(Path(fresh) / "all")
            if not target.is_dir():
                (Path(fresh) / "all").rename(target)
        return target

    def names_made(self, requirement: str, names: list[str], library: Library) -> dict[str, bool] | None:
        """Which of the names an import finds, in an environment that holds the distribution and what it needs."""
        target = self.environments / re.sub(r"[^A-Za-z0-9.]+", "_", requirement)
        python = target / ("Scripts" if os.name == "nt" else "bin") / "python"
        if not (target / "ready").is_file():
            if self.offline:
                return None
            venv.create(target, with_pip=True, clear=True)
            done = subprocess.run(
                [str(python), "-m", "pip", "install", "-q", requirement], capture_output=True, text=True
            )
            if done.returncode:
                print(f"  (cannot install {requirement}: {done.stderr.strip().splitlines()[-1:]})", file=sys.stderr)
                return None
            (target / "ready").touch()
        done = subprocess.run(
            [str(python), "-c", PROBE, json.dumps([names, library.probe])], capture_output=True, text=True, timeout=300
        )
        if done.returncode:
            print(f"  (probing {requirement} failed: {done.stderr.strip().splitlines()[-1:]})", file=sys.stderr)
            return None
        answer: dict[str, bool] = json.loads(done.stdout.splitlines()[-1])
        return answer


PROBE = """
import ast, asyncio, importlib, json, sys
names, probes = json.loads(sys.argv[1])

def reach(thing, parts):
    for part in parts:
        if not hasattr(thing, part):
            return False
        thing = getattr(thing, part)
    return True

def exists(dotted):
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:cut]))
        except Exception:
            continue
        if reach(thing, parts[cut:]):
            return True
    return False

class Modules(dict):
    def __missing__(self, name):
        return importlib.import_module(name)

async def among(owner, mine):
    "The names of ``owner`` that one of its instances has."
    found = set()
    for expression in probes[owner]:
        thing = eval(compile(expression, owner, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), {}, Modules())
        if asyncio.iscoroutine(thing):
            thing = await thing
        if hasattr(type(thing), "__aenter__"):
            async with thing as entered:
                found |= {name for name in mine if reach(entered, name[len(owner) + 1:].split("."))}
        else:
            found |= {name for name in mine if reach(thing, name[len(owner) + 1:].split("."))}
    return found

answer = {name: exists(name) for name in names}
for owner in probes:
    mine = [name for name, known in answer.items() if not known and name.startswith(owner + ".")]
    if mine:
        answer.update(dict.fromkeys(asyncio.run(among(owner, mine)), True))
print(json.dumps(answer))
"""


# --- the comparison ---


def is_async(found: Found) -> bool | None:
    """What a call gives is awaited; None: cannot be told."""
    if found.real is not None:
        function = found.real.__func__ if isinstance(found.real, classmethod | staticmethod) else found.real
        return inspect.iscoroutinefunction(function) if callable(function) else None
    if found.scope is None or found.scope.kind != "function":
        return None
    return found.scope.is_async and not found.scope.is_generator and not is_context_manager(found)


def is_context_manager(found: Found) -> bool:
    return found.scope is not None and any(
        "contextmanager" in getattr(one.value, "name", "") for one in found.scope.decorators
    )


def arguments_of(entry: Callable_) -> set[str]:
    """Every argument that the entry names."""
    named: set[str] = set()

    def take(thing: object) -> None:
        if isinstance(thing, tuple):
            for item in thing:
                take(item)
        elif isinstance(thing, msgspec.Struct) and (thing is entry or not getattr(thing, "removed", None)):
            for name in thing.__struct_fields__:
                part = getattr(thing, name)
                if isinstance(part, str) and name in ARGUMENT_KEYS:
                    named.update(part.split("|"))
                elif isinstance(part, msgspec.Struct | tuple):
                    take(part)

    take(entry)
    for key in ("returns", "enters"):
        form, _, argument = str(getattr(entry, key) or "").removeprefix("many:").partition(":")
        if form in {"argument", "result", "entered", "class", "first"}:
            named.add(argument)
    return {one for one in named if one not in {"*", "**", "self"} and not re.fullmatch(r"\*\d+", one)}


ARGUMENT_KEYS = {
    field.name
    for struct in (Callable_, *(t for t in vars(sys.modules[Callable_.__module__]).values() if isinstance(t, type)))
    if issubclass(struct, msgspec.Struct)
    for field in msgspec.structs.fields(struct)
    if "Argument" in str(struct.__annotations__.get(field.name, "")) or field.name == "argument"
}


def wrong_argument(written: str, found: Found, is_method: bool) -> str | None:
    """Why the argument is not one of the function's, or None."""
    name, _, position = written.partition("@")
    if found.real is not None:
        try:
            signature = inspect.signature(found.real)
        except (TypeError, ValueError):
            return None
        kinds = {
            inspect.Parameter.POSITIONAL_ONLY: "positional",
            inspect.Parameter.POSITIONAL_OR_KEYWORD: "normal",
            inspect.Parameter.VAR_POSITIONAL: "variadic",
            inspect.Parameter.KEYWORD_ONLY: "keyword",
            inspect.Parameter.VAR_KEYWORD: "keywords",
        }
        parameters = [(one.name, kinds[one.kind]) for one in signature.parameters.values()]
    else:
        assert found.scope is not None
        parameters = [(one.name, str(one.kind)) for one in found.scope.parameters]
        static = any(getattr(one.value, "name", "") == "staticmethod" for one in found.scope.decorators)
        if is_method and not static:
            parameters = parameters[1:]
            is_method = False
    if is_method and parameters and parameters[0][0] in {"self", "cls"}:
        parameters = parameters[1:]
    kinds_present = {kind for _, kind in parameters}
    positional = [one for one, kind in parameters if kind in {"positional", "normal"}]
    if position:
        number = int(position)
        if number < len(positional):
            if name and positional[number] != name and "positional" not in kinds_present:
                return f"position {number} is {positional[number]!r}"
            return None
        if "variadic" in kinds_present:
            return None
        return f"there is no position {number}"
    if name in {one for one, kind in parameters if kind in {"normal", "keyword"}} or "keywords" in kinds_present:
        return None
    return "no such keyword"


@dataclasses.dataclass
class Report:
    library: str
    checked: int = 0
    problems: dict[str, str] = dataclasses.field(default_factory=dict)
    """What is wrong, by its subject."""
    open_names: list[str] = dataclasses.field(default_factory=list)
    """Names that can neither be confirmed nor denied: a base class or an attribute's type is out of reach."""
    dynamic: list[str] = dataclasses.field(default_factory=list)
    removed: list[tuple[str, str]] = dataclasses.field(default_factory=list)


class Check:
    def __init__(self, sources: Sources, report: Report) -> None:
        self.sources = sources
        self.report = report

    def library(self, library: Library) -> None:
        for name, entry in library.function.items():
            self.function(name, entry)
        for name, klass in library.klass.items():
            self.klass(name, klass)
        for name in (*library.constant, *library.annotation):
            self.exists(name)

    def exists(self, name: str, what: str = "") -> list[Found]:
        self.report.checked += 1
        found = self.sources.resolve(name)
        if not found:
            self.report.problems[name] = f"does not exist{what}"
        return found

    def function(self, name: str, entry: Callable_) -> None:
        if entry.removed:
            self.report.removed.append((name, entry.removed))
            return
        if entry.dynamic:
            self.report.dynamic.append(name)
            return
        for alias in entry.aliases:
            self.exists(alias, " (an alias)")
        found = self.exists(name)
        if found:
            self.callable(name, entry, found, False)

    def callable(self, name: str, entry: Callable_, found: list[Found], is_method: bool) -> None:
        classes = [one for one in found if one.is_class]
        functions = [one for one in found if not one.is_class and (one.real is not None or one.scope is not None)]
        if classes and not functions:
            self.constructor(name, entry, classes)
            if entry.is_async and not entry.awaitable and not self.sources.method(classes[0], "__await__"):
                self.report.problems[name] = "a class that cannot be awaited"
            return
        known = [one for one in map(is_async, functions) if one is not None]
        if known:
            if entry.is_async and not entry.awaitable and not any(known):
                self.report.problems[name] = "is not async (mark it awaitable where it returns an awaitable)"
            if not entry.is_async and all(known):
                self.report.problems[name] = "is async"
            if entry.awaitable and all(known):
                self.report.problems[name] = "is async by itself, awaitable says nothing"
        self.arguments(name, entry, functions, is_method)

    def arguments(self, name: str, entry: Callable_, functions: list[Found], is_method: bool) -> None:
        if not functions:
            return
        for written in sorted(arguments_of(entry)):
            self.report.checked += 1
            reasons = [wrong_argument(written, one, is_method) for one in functions]
            if all(reasons):
                self.report.problems[f"{name}: argument {written!r}"] = str(reasons[-1])

    def constructor(self, name: str, entry: Callable_, classes: list[Found]) -> None:
        for one in classes:
            found = self.sources.method(one, "__init__") or self.sources.method(one, "__new__")
            found = [here for here in found if here.scope is not None or here.real is not None]
            if found and found[0].real is object.__init__:
                found = []
            if not found:
                names = set(self.fields(one))
                wanted = arguments_of(entry)
                missing = [w for w in wanted if w.partition("@")[0] and w.partition("@")[0] not in names]
                if missing and not self.sources.open_ended(one) and names:
                    self.report.problems[f"{name}: argument {missing[0]!r}"] = "no such field"
                continue
            self.arguments(name, entry, found, True)

    def fields(self, owner: Found) -> Iterator[str]:
        for one in self.sources.mro(owner):
            if one.real is None:
                yield from self.sources.class_names(one)

    def klass(self, name: str, entry: Class_) -> None:
        if entry.removed:
            self.report.removed.append((name, entry.removed))
            return
        if entry.dynamic:
            if not entry.patterns and not entry.named:
                self.report.dynamic.append(name)
            return
        for alias in entry.aliases:
            self.exists(alias, " (an alias)")
        found = self.exists(name)
        owners = [one for one in found if one.is_class]
        if not found:
            return
        if not owners:
            owners = [made for one in found for made in self.sources.made_by(one)]
        if not owners:
            if entry.method or entry.attribute or entry.enter or entry.call:
                self.report.open_names.append(name)
            self.report.dynamic.extend(f"{name}.{m}" for m, e in entry.method.items() if e.dynamic and "*" not in m)
            return
        if entry.new is not None:
            self.constructor(name, entry.new, owners)
        if entry.call is not None:
            self.member(f"{name}.__call__", owners, ["__call__"], entry.call)
        if entry.enter is not None:
            self.member(
                f"{name} as context manager", owners, ["__aenter__" if entry.enter.is_async else "__enter__"], None
            )
        for close in entry.close:
            self.member(f"{name}.{close} (closes it)", owners, close.split("."), None)
        for attribute in entry.attribute:
            if attribute != "*":
                self.member(f"{name}.{attribute}", owners, [attribute], None)
        for method, meaning in entry.method.items():
            self.method(name, method, meaning, owners)

    def method(self, name: str, method: str, meaning: Callable_, owners: list[Found]) -> None:
        dotted = f"{name}.{method}"
        if meaning.removed:
            self.report.removed.append((dotted, meaning.removed))
        elif method == "*":
            pass
        elif meaning.dynamic:
            if "*" not in method:
                self.report.dynamic.append(dotted)
        elif "*" in method:
            last = method.rpartition(".")[2]
            self.report.checked += 1
            if last != "*" and not self.sources.has_text(last, name.split(".")[0]):
                self.report.problems[dotted] = "nothing in the package is called so"
        else:
            self.member(dotted, owners, method.split("."), meaning)

    def member(self, dotted: str, owners: list[Found], chain: list[str], meaning: Callable_ | None) -> None:
        self.report.checked += 1
        here = owners
        for number, part in enumerate(chain):
            found = [one for owner in here for one in self.sources.method(owner, part)]
            if not found:
                if any(self.sources.open_ended(owner) for owner in here):
                    self.report.open_names.append(dotted)
                else:
                    self.report.problems[dotted] = "does not exist"
                return
            if number + 1 < len(chain):
                here = [made for one in found for made in self.sources.made_by(one)]
                if not here:
                    self.report.open_names.append(dotted)
                    return
        if meaning is not None:
            self.callable(dotted, meaning, found, True)


# --- the run ---


def read_catalogue(names: list[str]) -> dict[str, Library]:
    found = {}
    for file in sorted(CATALOGUE.glob("*.toml")):
        library = msgspec.convert(tomllib.loads(file.read_text("utf-8")), Library)
        if not names or file.stem in names or library.library in names:
            found[file.stem] = library
    return found


def check_removed(store: Store, roots: list[Path], own: str, report: Report) -> None:
    """What a later version took away is looked for in the last release before it."""
    for version in sorted({version for _, version in report.removed}):
        names = [name for name, its in report.removed if its == version]
        folder = store.folder(f"{own}<{version}")
        if folder is None:
            report.open_names.extend(names)
            continue
        older = Sources([folder, *roots])
        for name in names:
            report.checked += 1
            if not older.resolve(name):
                report.problems[name] = f"does not exist before {version} either"


def tally(name: str, row: Iterable[int]) -> str:
    kinds = ("checked", "wrong", "open", "dynamic", "removed")
    return f"{name:22}" + "".join(f" {number:5} {kind}" for number, kind in zip(row, kinds, strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("libraries", nargs="*", help="names of catalogue files; all without")
    parser.add_argument("--cache", type=Path, required=True, help="folder for wheels, their content and environments")
    parser.add_argument("--offline", action="store_true", help="use only what the folder holds already")
    parser.add_argument(
        "--import", dest="imports", action="store_true", help="verify entries marked dynamic by importing them"
    )
    parser.add_argument("--verbose", action="store_true", help="also list what cannot be confirmed")
    options = parser.parse_args()

    store = Store(options.cache, options.offline)
    everything = read_catalogue([])
    roots = [Path(sysconfig.get_paths()["stdlib"])]
    for library in everything.values():
        for one in distributions(library):
            if (folder := store.folder(one)) is not None and folder not in roots:
                roots.append(folder)
    standard = frozenset(sys.stdlib_module_names) | {"builtins"}
    sources = Sources(roots, standard)
    stubs = Sources([*stub_folders(), *roots])

    failed = 0
    totals = [0, 0, 0, 0, 0]
    for stem, library in read_catalogue(options.libraries).items():
        if any(store.folder(one) is None for one in distributions(library)):
            print(f"{stem:22} not checked: a distribution is not at hand")
            failed += 1
            continue
        report = Report(stem)
        Check(sources, report).library(library)
        if is_standard(library):
            # Names of later versions of Python, and what is written in C, stand in the stubs.
            second = Report(stem)
            Check(stubs, second).library(library)
            report.problems = {
                k: v for k, v in report.problems.items() if k in second.problems or k in second.open_names
            }
            report.open_names = [
                name for name in report.open_names if name in second.open_names or name in second.problems
            ]
        own = distributions(library)[0] if distributions(library) else ""
        if not is_standard(library):
            check_removed(store, roots, own, report)
            if options.imports and report.dynamic:
                answer = store.names_made(own, report.dynamic, library)
                for name in report.dynamic:
                    if answer is None:
                        report.open_names.append(name)
                    elif not answer[name]:
                        report.problems[name] = "an import does not find it either"
        row = (report.checked, len(report.problems), len(report.open_names), len(report.dynamic), len(report.removed))
        totals = [a + b for a, b in zip(totals, row, strict=True)]
        print(tally(stem, row))
        for subject, reason in sorted(report.problems.items()):
            print(f"    {subject}: {reason}")
        if options.verbose:
            for name in report.open_names:
                print(f"    ? {name}")
        failed += bool(report.problems)
    print(tally("in all", totals))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

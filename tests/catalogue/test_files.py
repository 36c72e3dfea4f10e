"""What holds of every catalogue file."""

from __future__ import annotations

import builtins
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib import resources
from typing import Any

import msgspec
import pytest

from resilint.catalogue import schema
from resilint.catalogue.schema import Callable_, Class_, Condition, Library

FILES = {
    entry.name: entry.read_text("utf-8")
    for entry in sorted(resources.files("resilint.catalogue").iterdir(), key=lambda one: one.name)
    if entry.name.endswith(".toml")
}
DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
ONE_ARGUMENT = re.compile(r"[A-Za-z_]\w*(@\d+)?|@\d+|\*|\*\d+|\*\*")
FORMS = re.compile(r"(argument|result|entered|class):(.+)")
MANY = "many:"
BLOCKING_GROUPS = {"core", "files", "threads", "clients"}
OUTBOUND_GROUPS = {
    *("http", "llm", "smtp", "chat", "cloud", "grpc", "websocket", "socket", "soap", "graphql", "mcp"),
    *("database", "broker", "cache"),
}


def read(text: str) -> Library:
    return msgspec.convert(tomllib.loads(text), Library)


LIBRARIES = {name: read(text) for name, text in FILES.items()}
KNOWN_CLASSES = {f"builtins.{name}" for name, thing in vars(builtins).items() if isinstance(thing, type)} | {
    name for library in LIBRARIES.values() for path, klass in library.klass.items() for name in (path, *klass.aliases)
}


@pytest.fixture(params=sorted(FILES))
def library(request: pytest.FixtureRequest) -> Library:
    return LIBRARIES[request.param]


def structs(thing: Any) -> Iterator[msgspec.Struct]:
    """Every table below ``thing``, itself included."""
    if isinstance(thing, msgspec.Struct):
        yield thing
        for name in thing.__struct_fields__:
            yield from structs(getattr(thing, name))
    elif isinstance(thing, dict):
        for item in thing.values():
            yield from structs(item)
    elif isinstance(thing, tuple):
        for item in thing:
            yield from structs(item)


def argument_fields(kind: type[msgspec.Struct]) -> set[str]:
    """The keys of a table that hold an argument."""
    return {name for name, annotation in kind.__annotations__.items() if "Argument" in str(annotation)}


def references(library: Library) -> Iterator[tuple[str, str]]:
    """Every class that the file names besides those that it defines, and where."""
    for path, klass in library.klass.items():
        yield from ((f"{path}: bases", base) for base in klass.bases)
        yield from ((f"{path}.{name}", target) for name, target in klass.attribute.items())
    for one in structs(library):
        if isinstance(one, Callable_):
            for key in ("returns", "enters"):
                text = (getattr(one, key) or "").removeprefix(MANY)
                if text and text not in {"self", "parameter", "first:*"} and not FORMS.fullmatch(text):
                    yield key, text
        elif isinstance(one, schema.Registration) and one.becomes:
            yield "becomes", one.becomes


def test_there_are_many_libraries() -> None:
    assert len(FILES) >= 60


def test_arguments_are_well_formed(library: Library) -> None:
    wrong = [
        (type(one).__name__, name, written)
        for one in structs(library)
        for name in argument_fields(type(one))
        for written in ([getattr(one, name)] if isinstance(getattr(one, name), str) else getattr(one, name) or ())
        if not all(ONE_ARGUMENT.fullmatch(part) for part in written.split("|"))
    ]
    assert wrong == []


def test_result_notation(library: Library) -> None:
    wrong = []
    for one in structs(library):
        for text in (one.returns, one.enters) if isinstance(one, Callable_) else ():
            if text is None or text in {"self", "parameter", "first:*"}:
                continue
            text = text.removeprefix(MANY)
            form = FORMS.fullmatch(text)
            if not (ONE_ARGUMENT.fullmatch(form[2]) if form else DOTTED.fullmatch(text)):
                wrong.append(text)
    assert wrong == []


def test_every_class_named_is_defined(library: Library) -> None:
    unknown = [(where, name) for where, name in references(library) if name not in KNOWN_CLASSES]
    assert unknown == []


def test_names_are_dotted(library: Library) -> None:
    names = [*library.function, *library.klass, *library.constant, *library.annotation]
    names += [alias for one in structs(library) if isinstance(one, Callable_ | Class_) for alias in one.aliases]
    assert [name for name in names if not DOTTED.fullmatch(name)] == []


def test_groups_are_known(library: Library) -> None:
    """A misspelled group would be looked at by nobody."""
    for one in structs(library):
        if isinstance(one, Callable_):
            assert one.blocking is None or one.blocking in BLOCKING_GROUPS, one
            assert one.outbound is None or one.outbound in OUTBOUND_GROUPS, one
        elif isinstance(one, Class_):
            assert one.client is None or one.client in OUTBOUND_GROUPS, one
    assert set(library.groups_off) <= {"database", "broker", "cache"}


def test_conditions_say_something(library: Library) -> None:
    for one in structs(library):
        if isinstance(one, Condition):
            assert (one.absent, one.none, one.equals, one.type) != (None, None, None, None), one.argument


def test_no_name_is_defined_twice() -> None:
    """A name stands for one thing: it is defined once, and an alias of one thing only."""
    defined = Counter(name for library in LIBRARIES.values() for name in (*library.function, *library.klass))
    aliases = Counter(
        alias
        for library in LIBRARIES.values()
        for one in (*library.function.values(), *library.klass.values())
        for alias in one.aliases
    )
    assert [name for name, count in (defined + aliases).items() if count > 1] == []


def test_constants_and_annotations_are_given_once() -> None:
    names = Counter(name for library in LIBRARIES.values() for name in (*library.constant, *library.annotation))
    assert [name for name, count in names.items() if count > 1] == []


def test_bases_make_no_circle() -> None:
    bases = {path: klass.bases for library in LIBRARIES.values() for path, klass in library.klass.items()}

    def above(path: str, seen: tuple[str, ...] = ()) -> None:
        assert path not in seen, f"{path} is its own base"
        for base in bases.get(path, ()):
            above(base, (*seen, path))

    for path in bases:
        above(path)


def test_every_client_can_be_told_from_its_calls(library: Library) -> None:
    """A class of a group has, itself or by a base, a call of that group."""
    classes = {path: klass for one in LIBRARIES.values() for path, klass in one.klass.items()}

    def calls(path: str) -> Iterator[str]:
        klass = classes.get(path)
        if klass is None:
            return
        for one in (klass.new, klass.enter, klass.call, *klass.method.values()):
            if one is not None and one.outbound:
                yield one.outbound
            for made in (one.returns, one.enters) if one is not None else ():
                if made and made != path and made in classes:
                    yield from (m.outbound for m in classes[made].method.values() if m.outbound)
                    if classes[made].call is not None and (outbound := classes[made].call.outbound):
                        yield outbound
        for base in klass.bases:
            yield from calls(base)
        for target in klass.attribute.values():
            if target != path:
                yield from calls(target)

    for path, klass in library.klass.items():
        if klass.client is not None:
            assert klass.client in set(calls(path)), path


@pytest.mark.parametrize(
    "text",
    [
        'library = "x"\nlibary = "x"',
        'library = "x"\n[function."x.f"]\nblokcing = "core"',
        'library = "x"\n[class."x.C".method.m]\noutbond = "http"',
        'library = "x"\n[class."x.C"]\nbase = ["x.B"]',
        'library = "x"\n[function."x.f"]\nwait = { second = "delay@0" }',
        'library = "x"\n[function."x.f"]\nwait = { seconds = 3 }',
        'library = "x"\n[function."x.f"]\nregister = [{ role = "boss" }]',
        'library = "x"\n[function."x.f"]\nregister = [{ what = "f@0" }]',
        'library = "x"\n[annotation]\n"x.T" = "optinal"',
        '[function."x.f"]\nasync = true',
    ],
)
def test_what_the_schema_does_not_know_is_refused(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(text)

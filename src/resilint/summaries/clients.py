"""Where clients of other systems are made, and which of them share a connection pool of somebody else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from resilint.catalogue import Class_, Condition
from resilint.facts import Attribute, Boolean, Choice, Constant, Parameter, Reference, Result, Subscript, Value
from resilint.link.entities import Cls, Entity, Ext, Func, Inst, Member, SiteKey
from resilint.link.infer import written_argument
from resilint.link.roles import is_test_path
from resilint.summaries.analysis import Analysis
from resilint.summaries.fates import Fates
from resilint.summaries.lifetimes import depends_on_parameter
from resilint.summaries.sites import Placed, callees, placed, said

_NAMED = re.compile(r"(^|_)(client|http|session)s?$", re.IGNORECASE)


class Made(NamedTuple):
    """A call that makes a client."""

    place: Placed
    path: str
    """The client's class."""
    trait: Class_
    entity: Entity


def made(analysis: Analysis) -> list[Made]:
    """All calls that make a client, in the order of files and lines."""

    def compute() -> list[Made]:
        found = []
        for place in placed(analysis):
            for entity in callees(analysis, place.key):
                client = _client(analysis, entity)
                if client is not None:
                    found.append(Made(place, *client, entity))
                    break
        return found

    return analysis.once("clients made", compute)


def _client(analysis: Analysis, entity: Entity) -> tuple[str, Class_] | None:
    """The client class that calling ``entity`` makes: a constructor, a subclass of the project, or a factory."""
    catalogue = analysis.linked.program.catalogue
    if isinstance(entity, Cls):
        for base in analysis.linked.inference.external_bases(entity):
            trait = trait_of(analysis, base)
            if trait is not None:
                return analysis.linked.program.qualname(entity), trait
        return None
    if isinstance(entity, Ext) and catalogue.klass(entity.path) is not None:
        trait = trait_of(analysis, entity.path)
        return (entity.path, trait) if trait is not None else None
    if isinstance(entity, Member) and trait_of(analysis, entity.of) is not None:
        return None  # a client's own method
    meaning = analysis.linked.calls.meaning(entity) if isinstance(entity, (Ext, Member)) else None
    if meaning is None:
        return None
    for returned in (meaning.callable.returns, meaning.callable.enters):
        path = catalogue.canonical(returned or "")
        trait = trait_of(analysis, path)
        if trait is not None:
            return path, trait
    return None


def trait_of(analysis: Analysis, path: str) -> Class_ | None:
    """What the catalogue says of a client class; None for any other."""
    traits = list(analysis.linked.program.catalogue.traits(path))
    if any(t.cheap for t in traits[:1]):
        return traits[0] if traits[0].client else next((t for t in traits if t.client), None)
    return next((t for t in traits if t.client), None)


def paths_of(analysis: Analysis, instance: Inst) -> list[str]:
    """The external class of an instance, or the external bases of its project class."""
    if isinstance(instance.of, Ext):
        return [instance.of.path]
    return list(analysis.linked.inference.external_bases(instance.of))


def on_given_transport(analysis: Analysis, one: Made) -> bool:
    """It is on an in-memory transport, or its connection pool comes from outside the call."""
    key = one.place.key
    site = one.place.site
    for condition in one.trait.in_memory:
        if _has(analysis, condition, key):
            return True
    for spec in one.trait.transports:
        value = written_argument(site, spec)
        if value is None or (isinstance(value, Constant) and value.value is None):
            continue
        if depends_on_parameter(analysis, key, value):
            return True
    return False


def _has(analysis: Analysis, condition: Condition, key: SiteKey) -> bool:
    """The argument is given and, where the condition names a type, of that type."""
    value = written_argument(analysis.linked.program.site(key), condition.argument)
    if value is None or (isinstance(value, Constant) and value.value is None):
        return False
    if condition.type is None:
        return True
    catalogue = analysis.linked.program.catalogue
    wanted = catalogue.canonical(condition.type)
    types = analysis.linked.inference.of(key.module, key.scope, value)
    return any(isinstance(e, Inst) and isinstance(e.of, Ext) and catalogue.derives(e.of.path, wanted) for e in types)


def is_fallback(analysis: Analysis, one: Made) -> bool:
    """The function also accepts such a client, and makes one only where none is given."""
    key = one.place.key
    program = analysis.linked.program
    scopes = program.modules[key.module].facts.scopes
    number = key.scope
    while number > 0 and scopes[number].kind in ("function", "lambda"):
        func = Func(key.module, number)
        if any(
            _accepts(analysis, func, p, parameter, one.trait) for p, parameter in enumerate(scopes[number].parameters)
        ):
            return True
        number = scopes[number].parent
    names = program.modules[key.module].index[key.scope].names
    parameters = {p.name for p in scopes[key.scope].parameters}
    for use in Fates.of(analysis).of_site(key):
        if use.name in parameters and use.kind == "name":
            return True
        for binding in names.get(use.name, ()) if use.kind in ("name", "enter") else ():
            if binding.value is not None and any(
                depends_on_parameter(analysis, key, other) for other in _others(binding.value, key.index)
            ):
                return True
    return False


def _others(value: Value, site: int) -> list[Value]:
    """The alternatives in ``a or b`` and ``a if t else b`` beside the call itself."""
    parts: tuple[Value, ...] = ()
    if isinstance(value, Boolean):
        parts = value.values
    elif isinstance(value, Choice):
        parts = (value.body, value.orelse)
    elif isinstance(value, Reference):
        parts = (value,)
    return [p for p in parts if not (isinstance(p, Result) and p.site == site)]


def _accepts(analysis: Analysis, func: Func, position: int, parameter: Parameter, trait: Class_) -> bool:
    if parameter.kind in ("variadic", "keywords"):
        return False
    owner = analysis.linked.program.owner(func)
    if owner is not None and position == 0:
        return False
    optional = isinstance(parameter.default, Constant) and parameter.default.value is None
    if optional and _NAMED.search(parameter.name):
        return True
    for entity in analysis.linked.inference.solver.get(("parameter", func.module, func.scope, position)):
        if isinstance(entity, Inst):
            traits = [trait_of(analysis, path) for path in paths_of(analysis, entity)]
            if any(t is not None and t.client == trait.client for t in traits):
                return True
    return False


# How clients end


def closed(analysis: Analysis) -> frozenset[SiteKey]:
    """Constructions of clients that the product closes somewhere: by a call, by ``async with``, by an exit stack."""
    return analysis.once("closed clients", lambda: frozenset(_closed(analysis)))


def _closed(analysis: Analysis) -> Iterator[SiteKey]:
    program = analysis.linked.program
    unnamed: set[str] = set()
    for place in placed(analysis):
        if is_test_path(program.path(place.key)):
            continue
        for entity in callees(analysis, place.key):
            if not isinstance(entity, Member) or not _closes(analysis, entity.of, entity.chain):
                continue
            if entity.made is not None:
                yield entity.made
            elif not any(isinstance(e, Member) and e.made is not None for e in callees(analysis, place.key)):
                unnamed.add(entity.of)
        for argument in place.site.arguments:  # ``stack.push_async_callback(client.aclose)``
            yield from _closers(analysis, place.key, argument.value)
        for meaning, _ in said(analysis, place.key):
            enters = meaning.callable.enters or ""
            spec = meaning.callable.exits
            if spec is None and enters.startswith("argument:"):
                spec = enters.removeprefix("argument:")
            if spec is not None:
                yield from _entered(analysis, place.key, written_argument(place.site, spec))
    for module in program.modules:
        if is_test_path(module.path):
            continue
        for number in range(len(module.facts.scopes)):
            for item, _ in module.index[number].withs:
                yield from _entered(analysis, SiteKey(module.number, number, 0), item.value)
    for one in made(analysis):  # a close of one of them, nobody knows which
        if one.path in unnamed:
            yield one.place.key


def _closes(analysis: Analysis, path: str, chain: str) -> bool:
    return any(chain in trait.close for trait in analysis.linked.program.catalogue.traits(path))


def _entered(analysis: Analysis, key: SiteKey, value: Value | None) -> Iterator[SiteKey]:
    if value is None:
        return
    if isinstance(value, Result):
        yield SiteKey(key.module, key.scope, value.site)
    for entity in analysis.linked.inference.of(key.module, key.scope, value):
        if isinstance(entity, Inst) and entity.made is not None:
            yield entity.made


def _closers(analysis: Analysis, key: SiteKey, value: Value) -> Iterator[SiteKey]:
    for entity in analysis.linked.inference.of(key.module, key.scope, value):
        if isinstance(entity, Member) and entity.made is not None and _closes(analysis, entity.of, entity.chain):
            yield entity.made


def _closed_by_name(analysis: Analysis) -> frozenset[str]:
    """Attributes and names of which nothing is known but that something closes them (``app.state.http.aclose()``)."""

    def compute() -> frozenset[str]:
        found = set()
        for place in placed(analysis):
            callee = place.site.callee
            if not isinstance(callee, Attribute) or not isinstance(callee.value, (Attribute, Reference)):
                continue
            if callee.name in ("close", "aclose") and not _is_known(analysis, place.key):
                found.add(callee.value.name)
        return frozenset(found)

    return analysis.once("closed by name", compute)


def _is_known(analysis: Analysis, key: SiteKey) -> bool:
    """The call means something to the catalogue or the project."""
    inference = analysis.linked.inference
    return any(True for _ in said(analysis, key)) or any(
        True for entity in callees(analysis, key) for _ in inference.targets(entity)
    )


def where_kept(analysis: Analysis, one: Made) -> str:
    """The module, attribute or registry that keeps the client; empty where none does for certain."""
    key = one.place.key
    fates = Fates.of(analysis)
    ends = fates.ends(key)
    if any(e.use.kind in ("return", "yield", "argument") for e in ends) or not isinstance(one.entity, (Ext, Member)):
        return ""
    for end in ends:
        target = end.use.target
        if end.use.kind != "store":
            continue
        container = isinstance(target, Subscript)
        while isinstance(target, Subscript):
            target = target.value
        if isinstance(target, (Attribute, Reference)) and target.name in _closed_by_name(analysis):
            return ""
        if isinstance(target, Attribute):
            return f"the {'registry' if container else 'attribute'} {target.name}"
        if isinstance(target, Reference):
            return f"the {'registry' if container else 'module as'} {target.name}"
    return ""


# The client of the house


def rejected(analysis: Analysis, entity: Ext | Cls, key: SiteKey) -> str:
    """The name of the HTTP client that ``entity`` makes or uses, where the house does not use it; else empty."""
    program = analysis.linked.program
    listed = [program.catalogue.canonical(name) for name in program.settings.rejected]
    paths = [entity.path] if isinstance(entity, Ext) else _names(analysis, entity)
    if listed:
        return next((p for p in paths for n in listed if p == n or p.startswith(n + ".")), "")
    house = program.catalogue.canonical(program.settings.house_client)
    if house in paths or _inside(analysis, key, house):
        return ""
    for path in paths:
        function = program.catalogue.function(path)
        if any(t.http_client for t in program.catalogue.traits(path)) or (function and function.http_client):
            return paths[0]
    return ""


def _names(analysis: Analysis, cls: Cls) -> list[str]:
    """The class and its bases by name."""
    mro = analysis.linked.inference.mro(cls)
    return [analysis.linked.program.qualname(b) if isinstance(b, Cls) else b.path for b in mro]


def _inside(analysis: Analysis, key: SiteKey, house: str) -> bool:
    """The house's own client is made of another one."""
    program = analysis.linked.program
    scopes = program.modules[key.module].facts.scopes
    number = key.scope
    while number > 0:
        if scopes[number].kind == "class" and program.qualname(Cls(key.module, number)) == house:
            return True
        number = scopes[number].parent
    return False

"""Where clients of other systems are made, and which of them share a connection pool of somebody else."""

from __future__ import annotations

import re
from typing import NamedTuple

from resilint.catalogue import Class_, Condition
from resilint.facts import Boolean, Choice, Constant, Parameter, Reference, Result, Value
from resilint.link.entities import Cls, Entity, Ext, Func, Inst, Member, SiteKey
from resilint.link.infer import written_argument
from resilint.summaries.analysis import Analysis
from resilint.summaries.fates import Fates
from resilint.summaries.lifetimes import depends_on_parameter
from resilint.summaries.sites import Placed, callees, placed

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
            paths = (
                [entity.of.path]
                if isinstance(entity.of, Ext)
                else list(analysis.linked.inference.external_bases(entity.of))
            )
            if any((t := trait_of(analysis, path)) is not None and t.client == trait.client for path in paths):
                return True
    return False

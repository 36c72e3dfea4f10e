"""Who hands work to threads, and how many threads an executor has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from resilint.catalogue import Callable_, Class_
from resilint.domain import Confidence, Interval
from resilint.facts import Attribute, Boolean, Branch, Choice, Compare, Constant, Not, Reference, Site, Step, Value
from resilint.link.calls import Meaning
from resilint.link.entities import Cls, Ext, Inst, Member, Partial, SiteKey, ordered
from resilint.link.roles import is_test_path
from resilint.summaries.analysis import Analysis
from resilint.summaries.sites import Placed, callees, evaluated, holds, opaque, place_of, placed, said, written
from resilint.summaries.values import options

ABSURD = 1000
"""Workers from which on a number bounds nothing."""


class Use(NamedTuple):
    """A call that hands work to a pool which is not the project's own."""

    key: SiteKey
    site: Site
    around: tuple[Step, ...]
    meaning: Meaning
    confidence: Confidence


def uses(analysis: Analysis) -> list[Use]:
    """Calls of functions that the catalogue marks with ``executor``, where their conditions hold."""
    return analysis.once("executor uses", lambda: list(_uses(analysis)))


def _uses(analysis: Analysis) -> Iterator[Use]:
    called = {e.site for place in placed(analysis) for e in callees(analysis, place.key) if isinstance(e, Partial)}
    for place in placed(analysis):
        found: dict[str, Use] = {}
        for meaning, partial in said(analysis, place.key):
            confidence = _concerns(analysis, meaning, place.key, partial)
            if confidence is not None:
                found.setdefault(meaning.callable.executor, Use(*place, meaning, confidence))
        if not found:
            found = {u.meaning.callable.executor: u for u in _as_argument(analysis, place, place.key in called)}
        if not found and not callees(analysis, place.key):
            found = {u.meaning.callable.executor: u for u in _by_name(analysis, place)}
        for kind in ("to-thread", "default", "offload-warning"):
            if kind in found:
                yield found[kind]
                break


def _concerns(analysis: Analysis, meaning: Meaning, key: SiteKey, partial: SiteKey | None) -> Confidence | None:
    """How sure it is that the call uses a shared pool; None where it does not."""
    kind = meaning.callable
    if not kind.executor or not holds(analysis, kind.executor_when, key, partial):
        return None
    if kind.executor_argument is None:
        return Confidence.HIGH
    values = evaluated(analysis, key, kind.executor_argument, partial)
    if values is None or None not in values:
        return None
    if len(values) == 1:
        return Confidence.HIGH
    # A parameter that some calls omit, an attribute that is nothing else. One that is filled later says nothing.
    place = written(analysis, key, kind.executor_argument, partial)
    assert place is not None
    if isinstance(place[1], Attribute):
        return Confidence.MEDIUM if _only_none(analysis, place[0], place[1]) else None
    scope = analysis.linked.program.modules[place[0].module].facts.scopes[place[0].scope]
    by_parameter = isinstance(place[1], Reference) and any(p.name == place[1].name for p in scope.parameters)
    return Confidence.MEDIUM if by_parameter and not _rebound(analysis, place[0], place[1]) else None


def _only_none(analysis: Analysis, key: SiteKey, value: Attribute) -> bool:
    """Every assignment to the attribute gives None, whatever its annotation allows."""
    program, found = analysis.linked.program, False
    for owner in analysis.linked.inference.of(key.module, key.scope, value.value):
        if not isinstance(owner, Inst) or not isinstance(owner.of, Cls):
            return False
        for base in analysis.linked.inference.mro(owner.of):
            if not isinstance(base, Cls):
                continue
            for scope, store in program.layouts[base].stores.get(value.name, ()):
                found = True
                given = analysis.interpreter.evaluator.binding(base.module, scope, store.binding)
                if tuple(options(given)) != (None,):
                    return False
    return found


def _rebound(analysis: Analysis, key: SiteKey, value: Value) -> bool:
    names = analysis.linked.program.modules[key.module].index[key.scope].names
    return isinstance(value, Reference) and value.name in names


def _as_argument(analysis: Analysis, place: Placed, called: bool) -> Iterator[Use]:
    """The function is given away: ``map(to_thread, fs)``, a ``partial`` of it that nobody in the project calls."""
    inference = analysis.linked.inference
    if called or any(True for e in callees(analysis, place.key) for _ in inference.targets(e)):
        return
    binds = any(m.callable.partial for m, _ in said(analysis, place.key))
    for argument in place.site.arguments:
        for entity in ordered(inference.of(place.key.module, place.key.scope, argument.value)):
            if not isinstance(entity, (Ext, Member)):
                continue
            meaning = analysis.linked.calls.meaning(entity)
            if meaning is None or not meaning.callable.executor:
                continue
            kind = meaning.callable
            conditional = kind.executor_argument is not None or bool(kind.executor_when)
            if conditional and not (binds and _concerns(analysis, meaning, place.key, place.key)):
                continue
            yield Use(*place, meaning, Confidence.HIGH)


def _by_name(analysis: Analysis, place: Placed) -> Iterator[Use]:
    """A call on a receiver of which nothing is known but that it is named like a loop, with a literal None."""
    callee = place.site.callee
    if not isinstance(callee, Attribute) or not is_loop_name(callee.value):
        return
    if analysis.linked.inference.of(place.key.module, place.key.scope, callee.value):
        return
    meaning = loop_method(analysis, callee.name)
    if meaning is None or meaning.callable.executor_argument is None:
        return
    value = written(analysis, place.key, meaning.callable.executor_argument)
    if value is not None and isinstance(value[1], Constant) and value[1].value is None:
        yield Use(*place, meaning, Confidence.MEDIUM)


def is_loop_name(value: Value) -> bool:
    """``loop``, ``self._loop``, ``event_loop``."""
    name = value.name if isinstance(value, (Attribute, Reference)) else ""
    return name.lower().split("_")[-1] == "loop"


def loop_method(analysis: Analysis, name: str) -> Meaning | None:
    """What the method means on an event loop: the class of the catalogue that can install a default executor."""
    catalogue = analysis.linked.program.catalogue
    for library in catalogue.libraries:
        for path, klass in library.klass.items():
            method = klass.method.get(name)
            if method is not None and any(m.installs_default_executor for m in klass.method.values()):
                return Meaning(f"{path}.{name}", method, Ext(path))
    return None


# Executors


def executor_class(analysis: Analysis, key: SiteKey) -> tuple[str, Class_] | None:
    """The executor class whose constructor the call is: its name, and the trait that says how many workers it has."""
    for entity in callees(analysis, key):
        if isinstance(entity, Ext):
            paths = [entity.path]
        elif isinstance(entity, Cls) and "__init__" not in analysis.linked.program.layouts[entity].methods:
            paths = [b.path for b in analysis.linked.inference.mro(entity) if isinstance(b, Ext)]
        else:
            continue
        for path in paths:
            for trait in analysis.linked.program.catalogue.traits(path):
                if trait.executor and trait.workers is not None:
                    return path, trait
    return None


def unbounded_workers(analysis: Analysis, key: SiteKey, trait: Class_) -> Confidence | None:
    """How sure it is that the executor has no sensible number of workers; None where it has one or nothing is known."""
    assert trait.workers is not None
    values = evaluated(analysis, key, trait.workers)
    if values is None:
        return None if opaque(analysis, key) else Confidence.HIGH
    place = written(analysis, key, trait.workers)
    assert place is not None
    if _is_tested(analysis, key, place[1]):
        values = tuple(v for v in values if v is not None)
    absurd = [v is None or (isinstance(v, Interval) and v.reach is not None and v.reach >= ABSURD) for v in values]
    if not any(absurd):
        return Confidence.MEDIUM if _may_be_none(place[1]) else None
    literal = not isinstance(place[1], (Reference, Attribute))
    return Confidence.HIGH if all(absurd) and literal else Confidence.MEDIUM


def _is_tested(analysis: Analysis, key: SiteKey, value: Value) -> bool:
    """A branch around the call tests the value (``if size: ThreadPoolExecutor(size)``)."""
    place = place_of(analysis, key)
    tests = [step.test for step in place.around if isinstance(step, Branch)] if place is not None else []
    return isinstance(value, (Reference, Attribute)) and any(_mentions(test, value) for test in tests)


def _mentions(test: Value, value: Value) -> bool:
    if test == value:
        return True
    if isinstance(test, Boolean):
        return any(_mentions(part, value) for part in test.values)
    if isinstance(test, Compare):
        return _mentions(test.left, value) or _mentions(test.right, value)
    return isinstance(test, Not) and _mentions(test.value, value)


def _may_be_none(value: Value) -> bool:
    """An alternative is written as None: ``workers or None``."""
    if isinstance(value, Boolean):
        last = value.values[-1]
        return value.operator == "or" and isinstance(last, Constant) and last.value is None
    if isinstance(value, Choice):
        return any(isinstance(v, Constant) and v.value is None for v in (value.body, value.orelse))
    return False


def has_bounded_default(analysis: Analysis) -> bool:
    """The product installs a bounded executor as the loop's default one."""
    return analysis.once("bounded default executor", lambda: any(_installs(analysis, p) for p in placed(analysis)))


def _installs(analysis: Analysis, place: Placed) -> bool:
    if is_test_path(analysis.linked.program.path(place.key)):
        return False
    meanings = [m.callable for m, _ in said(analysis, place.key)]
    callee = place.site.callee
    if not callees(analysis, place.key) and isinstance(callee, Attribute) and is_loop_name(callee.value):
        named = loop_method(analysis, callee.name)
        meanings = [named.callable] if named is not None else []
    return any(_is_bounded(analysis, place.key, m) for m in meanings if m.installs_default_executor is not None)


def _is_bounded(analysis: Analysis, key: SiteKey, said_of: Callable_) -> bool:
    assert said_of.installs_default_executor is not None
    found = written(analysis, key, said_of.installs_default_executor)
    if found is None:
        return False
    place, value = found
    made = {
        e.made
        for e in analysis.linked.inference.of(place.module, place.scope, value)
        if isinstance(e, Inst) and e.made is not None
    }
    for construction in sorted(made):
        one = executor_class(analysis, construction)
        if one is not None and unbounded_workers(analysis, construction, one[1]) is None:
            return True
    return False

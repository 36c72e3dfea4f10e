"""What the body of an answer holds, read as it is written, and whether it stands for work that was only queued."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from resilint.facts import (
    Arithmetic,
    Attribute,
    Awaited,
    Bind,
    Boolean,
    Choice,
    Constant,
    Format,
    Mapping,
    Reference,
    Result,
    Sequence,
    Spread,
    Subscript,
    Text,
    Value,
)
from resilint.facts.walk import inside
from resilint.link.entities import Bound, Cls, Ext, Func, Inst, SiteKey, ordered
from resilint.link.index import ELEMENT, ENTERED, PLAIN, UNPACKED
from resilint.link.infer import written_argument, written_arguments
from resilint.link.program import binding_scope
from resilint.summaries.analysis import Analysis
from resilint.summaries.enqueues import Enqueues, enqueues, words
from resilint.summaries.values import Abstract, Member, options

WORK = frozenset({"task", "job", "run", "execution", "import", "export"})
"""What an id or a class is called that stands for work."""
_WORK = WORK | {f"{word}s" for word in WORK}
_FORMS = frozenset(
    {
        "accepted", "created", "detail", "details", "dto", "entity", "handle", "info", "item", "model", "out", "queued",
        "read", "record", "ref", "response", "result", "row", "schema", "started", "state", "status", "view",
    }
)  # fmt: skip
"""Words behind the name of a thing that say in which form it comes."""
IDS = frozenset({"id", "ids", "uuid", "guid"})
_STATES = frozenset({"status", "state", "stage", "phase"})
QUEUED = frozenset(
    {
        "queued", "pending", "accepted", "scheduled", "submitted", "enqueued", "processing", "importing", "running",
        "started", "in_progress", "inprogress", "queueing", "exporting", "in_queue", "initiated", "dispatched",
        "triggered", "waiting",
    }
)  # fmt: skip
"""States of work that is not done yet."""
_COPIES = frozenset(
    {"model_dump", "model_dump_json", "dict", "json", "to_dict", "as_dict", "asdict", "to_json", "dumps"}
)
_COPYING = frozenset({"asdict", "dumps", "jsonable_encoder", "to_dict", "astuple"})
"""Calls that give the fields of their receiver, or of what they are given, in another form."""
CALLS = 5
"""Functions of the project that a value is followed through, one in the other."""


class Environment(NamedTuple):
    """Where a value is read: the scope, and what its parameters were given on this path."""

    module: int
    scope: int
    given: tuple[tuple[str, Value, Environment], ...] = ()
    level: int = 0
    """How many calls lie between."""

    def parameter(self, name: str) -> tuple[Value, Environment] | None:
        for known, value, where in self.given:
            if known == name:
                return value, where
        return None


class Field(NamedTuple):
    """A key of the body and its value. ``owner``: the class that holds it; None for a dict."""

    name: str
    value: Value | None
    where: Environment
    owner: Cls | None = None


class Bodies:
    """Reads bodies: dicts, data classes, models, and what functions of the project return."""

    def __init__(self, analysis: Analysis) -> None:
        self.program = analysis.linked.program
        self.inference = analysis.linked.inference
        self.calls = analysis.linked.calls
        self.evaluator = analysis.interpreter.evaluator
        self.enqueues: Enqueues = enqueues(analysis)
        self._fields: dict[tuple[int, int, int, int], tuple[Value, Environment, tuple[Field, ...]]] = {}
        self._enqueued: dict[tuple[int, int, int, int], tuple[Value, Environment, bool]] = {}

    # Following values

    def site(self, value: Value, where: Environment) -> SiteKey | None:
        if isinstance(value, Awaited):
            value = value.value
        return SiteKey(where.module, where.scope, value.site) if isinstance(value, Result) else None

    def project_callees(self, key: SiteKey, where: Environment) -> Iterator[tuple[Func, int]]:
        """The functions that the call runs and their bound parameters; a decorated one returns what it does bare."""
        if where.level >= CALLS:
            return
        for entity in ordered(self.inference.solver.get(("callees", *key))):
            if isinstance(entity, Func):
                yield entity.plain, 0
            elif isinstance(entity, Bound):
                yield entity.func.plain, 1
            elif not isinstance(entity, Cls):
                for func, offset, partial in self.inference.targets(entity):
                    if partial is None:
                        yield func, offset

    def enter(self, func: Func, offset: int, key: SiteKey, where: Environment) -> Environment:
        site = self.program.site(key)
        given: list[tuple[str, Value, Environment]] = []
        parameters = self.program.scope(func).parameters
        for position, parameter in enumerate(parameters):
            if position < offset or parameter.kind in ("variadic", "keywords"):
                continue
            place = f"@{position - offset}" if parameter.kind != "keyword" else ""
            value = written_argument(site, parameter.name + place)
            if value is not None:
                given.append((parameter.name, value, where))
            elif parameter.default is not None:
                parent = Environment(func.module, self.program.scope(func).parent)
                given.append((parameter.name, parameter.default, parent))
        return Environment(func.module, func.scope, tuple(given), where.level + 1)

    def bound(self, name: Reference, where: Environment) -> Iterator[tuple[Value, Environment]]:
        """What a local name, a parameter or a constant was bound to."""
        given = where.parameter(name.name)
        if given is not None:
            yield given
            return
        owner = self.inference.owner_scope(where.module, where.scope, name.name)
        if owner < 0:
            return
        for binding in self.program.modules[where.module].index[owner].names.get(name.name, ()):
            if binding.how not in (PLAIN, UNPACKED, ENTERED) or binding.value is None:
                continue
            place = where if owner == where.scope else Environment(where.module, owner)
            source = binding_scope(binding, owner)
            if source != owner:
                place = Environment(where.module, source)
            value = binding.value
            if binding.how == UNPACKED:
                if (
                    not isinstance(value, Sequence)
                    or len(binding.path) != 1
                    or not 0 <= binding.path[0] < len(value.items)
                ):
                    continue
                value = value.items[binding.path[0]]
            yield value, place

    def _iterated(self, name: Reference, where: Environment) -> Iterator[tuple[Value, Environment]]:
        """What a loop takes the name's values from."""
        if self.inference.owner_scope(where.module, where.scope, name.name) == where.scope:
            for binding in self.program.modules[where.module].index[where.scope].names.get(name.name, ()):
                if binding.how == ELEMENT and binding.value is not None:
                    yield binding.value, where

    def body_values(self, key: SiteKey, spec: str) -> list[Value]:
        site = self.program.site(key)
        found: list[Value] = []
        for one in spec.split("|"):
            if one == "**":
                pairs = tuple(
                    (Text(a.name) if a.name != "**" else None, a.value)
                    for a in site.arguments
                    if a.name not in ("", "*")
                )
                if pairs:
                    found.append(Mapping(pairs))
            elif (value := written_argument(site, one)) is not None:
                found.append(value)
        return found

    # Bodies

    def fields(self, value: Value, where: Environment) -> tuple[Field, ...]:
        """The fields of a body: of dicts, data classes, models, and what functions of the project return."""
        key = (id(value), id(where.given), where.module, where.scope)
        known = self._fields.get(key)
        if known is None:
            self._fields[key] = (value, where, ())  # what refers to itself adds nothing
            known = self._fields[key] = (value, where, tuple(self._find_fields(value, where)))
        return known[2]

    def _find_fields(self, value: Value, where: Environment) -> Iterator[Field]:
        if isinstance(value, Mapping):
            for key, item in value.items:
                if key is None:
                    yield from self.fields(item, where)
                elif isinstance(key, Text):
                    yield Field(key.value, item, where)
                    if isinstance(item, (Mapping, Result)):
                        yield from self.fields(item, where)
        elif isinstance(value, (Choice, Boolean, Arithmetic, Sequence)):
            parts: tuple[Value, ...]
            if isinstance(value, Choice):
                parts = (value.body, value.orelse)
            elif isinstance(value, Boolean):
                parts = value.values
            elif isinstance(value, Arithmetic):
                parts = (value.left, value.right) if value.operator == "|" else ()
            else:
                parts = value.items
            for part in parts:
                yield from self.fields(part, where)
        elif isinstance(value, Spread):
            yield from self.fields(value.value, where)
        elif isinstance(value, Reference):
            for one, place in self.bound(value, where):
                yield from self.fields(one, place)
            yield from self._items_set(value, where)
            yield from self._typed(value, where)
        elif isinstance(value, (Result, Awaited)):
            yield from self._result_fields(value, where)
        elif isinstance(value, Attribute):
            for inner, place in self._attribute(value, where):
                yield from self.fields(inner, place)

    def _items_set(self, name: Reference, where: Environment) -> Iterator[Field]:
        """``body["task_id"] = ...``."""
        scope = self.program.modules[where.module].facts.scopes[where.scope]
        for step in inside(scope.body):
            if not isinstance(step, Bind) or not isinstance(step.target, Subscript) or step.target.value != name:
                continue
            if isinstance(step.target.index, Text):
                yield Field(step.target.index.value, step.value, where)

    def _result_fields(self, value: Value, where: Environment) -> Iterator[Field]:
        key = self.site(value, where)
        if key is None:
            if isinstance(value, Awaited):
                yield from self.fields(value.value, where)
            return
        site = self.program.site(key)
        callee = site.callee
        name = callee.name if isinstance(callee, (Attribute, Reference)) else ""
        if name in (_COPIES if isinstance(callee, Attribute) else _COPYING):
            if site.arguments and not site.arguments[0].name:
                yield from self.fields(site.arguments[0].value, where)
            elif isinstance(callee, Attribute):
                yield from self.fields(callee.value, where)
            return
        meanings = self.calls.meanings(key)
        bodies = [v for m in meanings if m.callable.body is not None for v in self.body_values(key, m.callable.body)]
        for body in bodies:
            yield from self.fields(body, where)
        if any(m.callable.mapping for m in meanings):
            pairs = tuple(
                (Text(a.name) if a.name != "**" else None, a.value) for a in site.arguments if a.name not in ("", "*")
            )
            first = [a.value for a in site.arguments if not a.name]
            yield from self.fields(Mapping((*((None, v) for v in first), *pairs)), where)
            return
        for entity in ordered(self.inference.solver.get(("callees", *key))):
            if isinstance(entity, Cls):
                yield from self._constructed(entity, key, where)
        if isinstance(callee, Attribute) and name == "model_validate" and site.arguments:
            yield from self.fields(site.arguments[0].value, where)
        found = False
        for func, offset in self.project_callees(key, where):
            inner = self.enter(func, offset, key, where)
            for returned in self.program.index(func).returns:
                if returned is not None:
                    found = True
                    yield from self.fields(returned, inner)
        if not found:
            yield from self._typed(value, where)

    def _constructed(self, cls: Cls, key: SiteKey, where: Environment) -> Iterator[Field]:
        site = self.program.site(key)
        order = self.evaluator.fields(cls)
        init = next((f for f, _, _ in self.inference.targets(cls) if self.program.scope(f).name == "__init__"), None)
        if init is not None:
            order = [p.name for p in self.program.scope(init).parameters[1:]]
        told = set()
        for position, argument in enumerate(a for a in site.arguments if not a.name):
            if position < len(order):
                told.add(order[position])
                yield Field(order[position], argument.value, where, cls)
        for argument in site.arguments:
            if argument.name == "**":
                for field in self.fields(argument.value, where):
                    told.add(field.name)
                    yield field._replace(owner=cls)
            elif argument.name and argument.name != "*":
                told.add(argument.name)
                yield Field(argument.name, argument.value, where, cls)
        for base in self.inference.mro(cls):
            if isinstance(base, Cls):
                for name, bindings in self.program.index(base).names.items():
                    if name not in told and bindings and bindings[-1].value is not None and not name.startswith("_"):
                        told.add(name)
                        yield Field(name, bindings[-1].value, Environment(base.module, base.scope), cls)

    def _typed(self, value: Value, where: Environment) -> Iterator[Field]:
        """By its class alone, where that is one: the names of its fields."""
        classes = {
            entity.of: None
            for entity in ordered(self.inference.of(where.module, where.scope, value))
            if isinstance(entity, Inst) and isinstance(entity.of, Cls) and not entity.exact
        }
        if len(classes) == 1 and self.evaluator.model_kind(cls := next(iter(classes))):
            for name in self.evaluator.fields(cls):
                yield Field(name, None, Environment(cls.module, cls.scope), cls)

    def _attribute(self, value: Attribute, where: Environment) -> Iterator[tuple[Value, Environment]]:
        """``result.status`` where ``result`` is built by code that can be read."""
        for field in self.fields(value.value, where):
            if field.name == value.name and field.value is not None:
                yield field.value, field.where

    # What a body says

    def says_queued(self, value: Value, where: Environment) -> bool:
        """It stands for work that was only queued."""
        if self.is_enqueued(value, where):
            return True
        if isinstance(value, Reference) and self._is_work_id(value.name):
            return True
        return any(self._field_says(field) for field in self.fields(value, where))

    def _field_says(self, field: Field) -> bool:
        if field.value is not None and self.is_enqueued(field.value, field.where):
            return True
        resource = field.owner is not None and self.is_resource(field.owner)
        if resource and field.value is None:
            return False
        if self._is_work_id(field.name) and not (isinstance(field.value, Constant) and field.value.value is None):
            return True
        if words(field.name)[-1:] in (["id"], ["ids"], ["uuid"]):
            if field.owner is not None and self._is_work_class(self.program.scope(field.owner).name):
                return True
            if field.value is not None and self._is_id_of_work(field.value, field.where):
                return True
        last = words(field.name)[-1:]
        return bool(last) and last[0] in _STATES and not resource and self._is_queued_state(field.value, field.where)

    @staticmethod
    def _is_work_id(name: str) -> bool:
        parts = words(name)
        return len(parts) > 1 and parts[-1] in IDS and parts[-2] in _WORK

    @staticmethod
    def _is_work_class(name: str) -> bool:
        parts = words(name)
        while parts and parts[-1] in _FORMS:
            parts.pop()
        return bool(parts) and parts[-1] in WORK

    def _is_id_of_work(self, value: Value, where: Environment) -> bool:
        """``job.id``, or the id of an instance of a class so named."""
        if isinstance(value, Result):
            site = self.program.modules[where.module].facts.scopes[where.scope].sites[value.site]
            return bool(site.arguments) and self._is_id_of_work(site.arguments[0].value, where)
        if not isinstance(value, Attribute) or value.name not in IDS | {"pk"}:
            return False
        base = value.value
        for entity in self.inference.of(where.module, where.scope, base):
            if isinstance(entity, Inst):
                name = (
                    entity.of.path.rpartition(".")[2]
                    if isinstance(entity.of, Ext)
                    else self.program.scope(entity.of).name
                )
                if self._is_work_class(name):
                    return True
        name = base.name if isinstance(base, (Reference, Attribute)) else ""
        return bool(words(name)) and words(name)[-1] in WORK

    def is_resource(self, cls: Cls) -> bool:
        """A thing with an id of its own that is no task: its own status says nothing of the work."""
        if self._is_work_class(self.program.scope(cls).name):
            return False
        indexes = [self.program.index(base) for base in self.inference.mro(cls) if isinstance(base, Cls)]
        return any("id" in index.annotations or "id" in index.names for index in indexes)

    def _is_queued_state(self, value: Value | None, where: Environment) -> bool:
        if value is None:
            return False
        if isinstance(value, Reference) and (given := where.parameter(value.name)) is not None:
            return self._is_queued_state(*given)
        if isinstance(value, Attribute):
            if value.name == "value":
                return self._is_queued_state(value.value, where)
            found = list(self._attribute(value, where))
            for field in self.fields(value.value, where):
                if field.owner is not None and self.is_resource(field.owner):
                    return False
            if any(self._is_queued_state(one, place) for one, place in found):
                return True
            if found or not self._is_constant(value, where):
                return False
        known = self.evaluator.value(where.module, where.scope, value, None)
        return any(self._is_queued_word(one) for one in options(known))

    def _is_constant(self, value: Attribute, where: Environment) -> bool:
        """A member of a class or module, not of an instance."""
        return not any(isinstance(e, Inst) for e in self.inference.of(where.module, where.scope, value.value))

    def _is_queued_word(self, value: Abstract) -> bool:
        if isinstance(value, str):
            return value.strip().lower().replace("-", "_").replace(" ", "_") in QUEUED
        if isinstance(value, Member):
            if value.name.lower() in QUEUED:
                return True
            if isinstance(value.cls, Cls):
                for binding in self.program.index(value.cls).names.get(value.name, ()):
                    if isinstance(binding.value, Text) and binding.value.value.lower() in QUEUED:
                        return True
        return False

    # What the enqueue returned

    def is_enqueued(self, value: Value, where: Environment) -> bool:
        """The value, or what it is made of, was returned by a call that queues work."""
        key = (id(value), id(where.given), where.module, where.scope)
        known = self._enqueued.get(key)
        if known is None:
            self._enqueued[key] = (value, where, False)
            known = self._enqueued[key] = (value, where, self._find_enqueued(value, where))
        return known[2]

    def _find_enqueued(self, value: Value, where: Environment) -> bool:
        if isinstance(value, (Awaited, Attribute, Subscript)):
            return self.is_enqueued(value.value, where) or (
                isinstance(value, Attribute) and any(self.is_enqueued(v, w) for v, w in self._attribute(value, where))
            )
        if isinstance(value, Format):
            return any(self.is_enqueued(part, where) for part in value.parts)
        if isinstance(value, (Choice, Boolean)):
            parts = (value.body, value.orelse) if isinstance(value, Choice) else value.values
            return any(self.is_enqueued(part, where) for part in parts)
        if isinstance(value, Sequence):
            return any(self.is_enqueued(item, where) for item in value.items)
        if isinstance(value, Spread):
            return self.is_enqueued(value.value, where)
        if isinstance(value, Reference):
            return any(self.is_enqueued(v, w) for v, w in (*self.bound(value, where), *self._iterated(value, where)))
        if isinstance(value, Result):
            return self._returned_by_enqueue(value, where)
        return False

    def _returned_by_enqueue(self, value: Result, where: Environment) -> bool:
        if value.site in self.enqueues.own(Func(where.module, where.scope)):
            return True
        key = SiteKey(where.module, where.scope, value.site)
        site = self.program.site(key)
        for func, offset in self.project_callees(key, where):
            if self.enqueues.reaches(func, where.level + 1):
                inner = self.enter(func, offset, key, where)
                for returned in self.program.index(func).returns:
                    if returned is not None and self.is_enqueued(returned, inner):
                        return True
        if isinstance(site.callee, Result) and self.is_enqueued(site.callee, where):
            return True  # ``queue.add(f)(x)``
        for meaning in self.calls.meanings(key):
            if meaning.callable.awaits is not None:  # ``gather(queue.add(1), queue.add(2))``
                given = written_arguments(site, meaning.callable.awaits)
                return any(self.is_enqueued(argument, where) for argument in given)
        waits = site.awaited or any(
            m.callable.blocking or m.callable.is_async or m.callable.task_result for m in self.calls.meanings(key)
        )
        if waits:
            return False  # ``job.get()``: what was queued is done by then
        if isinstance(site.callee, Attribute) and self.is_enqueued(site.callee.value, where):
            return True  # ``job.get_id()``
        if isinstance(site.callee, Reference) and len(site.arguments) == 1 and not site.arguments[0].name:
            plain = all(isinstance(e, Ext) for e in self.inference.solver.get(("callees", *key)))
            return plain and self.is_enqueued(site.arguments[0].value, where)  # ``str(job.id)``
        return False

"""What an HTTP handler answers: the status of each way out, what its body holds, and whether work was queued before.

Values are read as they are written and followed through names, results of the project's functions, displays and
constructors; what cannot be read says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from resilint.catalogue import Registration
from resilint.domain import Span
from resilint.facts import (
    Arithmetic,
    Attribute,
    Await,
    Awaited,
    Bind,
    Boolean,
    Branch,
    Choice,
    Constant,
    Format,
    Invoke,
    Loop,
    Mapping,
    Match,
    Raise,
    Reference,
    Result,
    Return,
    Sequence,
    Spread,
    Step,
    Subscript,
    Text,
    Try,
    Value,
    With,
)
from resilint.facts.walk import inside
from resilint.link.calls import Meaning
from resilint.link.entities import Bound, Cls, Ext, Func, Inst, SiteKey, ordered
from resilint.link.index import ENTERED, PLAIN, UNPACKED
from resilint.link.infer import written_argument
from resilint.link.program import binding_scope
from resilint.summaries.analysis import Analysis
from resilint.summaries.enqueues import Enqueues, enqueues, follows, words
from resilint.summaries.live import reached
from resilint.summaries.values import Abstract, Interval, Member, options

WORK = frozenset({"task", "job", "run", "execution", "import", "export"})
"""What an id or a class is called that stands for work."""
_WORK = WORK | {f"{word}s" for word in WORK}
_IDS = frozenset({"id", "ids", "uuid", "guid"})
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
DEPTH = 8


class Environment(NamedTuple):
    """Where a value is read: the scope, and what its parameters were given on this path."""

    module: int
    scope: int
    given: tuple[tuple[str, Value, Environment], ...] = ()  # type: ignore[misc]

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


UNCERTAIN = -1
"""A status that is set to something unknown, or not on every path."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One way in which a handler answers."""

    handler: Func
    status: int
    """:data:`UNCERTAIN` where it cannot be read."""
    body: tuple[tuple[Value, Environment], ...]
    headers: tuple[tuple[Value, Environment], ...]
    queued: bool
    """Work may have been queued on the way."""
    set_by: str
    """``response``, ``handler`` (assigned or in the tuple), ``decorator`` or ``default``."""
    response: SiteKey | None = None
    """The call that made the response."""
    status_argument: str = ""
    registration: Registration | None = None
    site: SiteKey | None = None
    """The registration's call."""


class _Out(NamedTuple):
    value: Value | None
    queued: bool
    status: int | None
    headers: bool
    """``Location`` was set."""


class _State(NamedTuple):
    queued: bool = False
    status: int | None = None
    located: bool = False


class Answers:
    """Reads the answers of all handlers of a program."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.program = analysis.linked.program
        self.inference = analysis.linked.inference
        self.calls = analysis.linked.calls
        self.evaluator = analysis.interpreter.evaluator
        self.enqueues: Enqueues = enqueues(analysis)
        self._status_attributes = {
            k.status_attribute
            for lib in self.program.catalogue.libraries
            for k in lib.klass.values()
            if k.status_attribute
        }

    # Handlers

    def of(self, handler: Func) -> list[Answer]:
        """The answers under each HTTP registration of the handler."""
        entry = self.analysis.linked.roles.entries.get(handler)
        found: list[Answer] = []
        if entry is None:
            return found
        outs = self._outs(handler)
        for registration, site in entry.extra:
            if registration.default_status <= 0:
                continue
            status, by = self._registered(registration, site)
            for out in outs:
                found += self._answers(handler, out, status, by, registration, site)
        return found

    def _registered(self, registration: Registration, site: SiteKey | None) -> tuple[int, str]:
        if registration.status is not None and site is not None:
            written = written_argument(self.program.site(site), registration.status)
            if written is not None and not (isinstance(written, Constant) and written.value is None):
                return self._status(written, Environment(site.module, site.scope)), "decorator"
            if any(a.name == "**" for a in self.program.site(site).arguments):
                return UNCERTAIN, "decorator"
        return registration.default_status, "default"

    def _answers(
        self, handler: Func, out: _Out, status: int, by: str, registration: Registration, site: SiteKey | None
    ) -> Iterator[Answer]:
        if out.status is not None:
            status, by = out.status, "handler"
        where = Environment(handler.module, handler.scope)
        if out.value is None:
            located = ((Text("Location"), where),) if out.headers else ()
            yield Answer(handler, status, (), located, out.queued, by, registration=registration, site=site)
            return
        for part in self._responses(out.value, where, 0):
            own, set_by = part.status, part.set_by
            if own is None or out.status is not None and set_by == "response":
                own, set_by = status, by
            headers = part.headers
            if out.headers:
                headers = (*headers, (Text("Location"), where))
            yield Answer(
                handler, own, part.body, headers, out.queued, set_by, part.response, part.argument, registration, site
            )

    # Ways out

    def _outs(self, handler: Func) -> list[_Out]:
        scope = self.program.scope(handler)
        edges: dict[Span, bool] = {}
        for edge in self.calls.outgoing.get(handler, ()):
            if follows(edge.attached, edge.kind) and edge.callee in self.enqueues.reaching:
                edges[edge.span] = True
        outs: list[_Out] = []
        written: list[Value] = []
        walker = _Walker(self, handler, edges, outs, written)
        end = walker.block(scope.body, _State())
        anywhere = bool(edges) or bool(self.enqueues.own(handler))
        if end is not None and not written:
            outs.append(_Out(None, end.queued, end.status, end.located))
        last = end if end is not None else _State(anywhere, walker.status, walker.located)
        outs += [_Out(value, anywhere, last.status, last.located) for value in written]
        return outs

    # Responses

    class _Part(NamedTuple):
        status: int | None
        set_by: str
        body: tuple[tuple[Value, Environment], ...]
        headers: tuple[tuple[Value, Environment], ...] = ()
        response: SiteKey | None = None
        argument: str = ""

    def _responses(self, value: Value, where: Environment, depth: int) -> Iterator[Answers._Part]:
        if depth > DEPTH:
            return
        if isinstance(value, Choice):
            yield from self._responses(value.body, where, depth + 1)
            yield from self._responses(value.orelse, where, depth + 1)
            return
        if isinstance(value, Sequence) and value.kind == "tuple" and len(value.items) >= 2:
            for position in (1, 0):
                status = self._status(value.items[position], where)
                if 100 <= status < 600:
                    headers = tuple((item, where) for item in value.items[2:])
                    for part in self._responses(value.items[1 - position], where, depth + 1):
                        yield part._replace(status=status, set_by="handler", headers=(*part.headers, *headers))
                    return
            if self._makes_response(value.items[0], where):
                for part in self._responses(value.items[0], where, depth + 1):
                    yield part._replace(status=UNCERTAIN, set_by="handler")
                return
        if isinstance(value, (Result, Awaited)):
            key = self._site(value, where)
            if key is not None:
                for meaning in self.calls.meanings(key):
                    if meaning.callable.default_status or meaning.callable.status is not None:
                        yield from self._made(meaning, key, where, depth)
                        return
                callees = list(self._project_callees(key))
                if callees and self._any_response(callees):
                    for func, offset in callees:
                        inner = self._enter(func, offset, key, where)
                        for returned in self.program.index(func).returns:
                            if returned is not None:
                                yield from self._responses(returned, inner, depth + 1)
                    return
        if isinstance(value, Reference):
            bound = list(self._bound(value, where))
            if bound and any(self._makes_response(one, place) for one, place in bound):
                for one, place in bound:
                    for part in self._responses(one, place, depth + 1):
                        mutated = self._mutated(value, where)
                        yield part._replace(status=mutated, set_by="handler") if mutated is not None else part
                return
        yield Answers._Part(None, "default", ((value, where),))

    def _made(self, meaning: Meaning, key: SiteKey, where: Environment, depth: int) -> Iterator[Answers._Part]:
        said = meaning.callable
        site = self.program.site(key)
        status: int | None = None
        by = "response"
        if said.status is not None:
            written = _first(site, said.status)
            if written is not None:
                status = self._status(written, where)
        body: list[tuple[Value, Environment]] = []
        if said.body is not None:
            body = [(value, where) for value in self._body_values(key, said.body)]
        headers: tuple[tuple[Value, Environment], ...] = ()
        if said.headers is not None and (written := _first(site, said.headers)) is not None:
            headers = ((written, where),)
        if status is None:
            inner = list(self._responses(body[0][0], where, depth + 1)) if len(body) == 1 else []
            if inner and inner[0].status is not None:  # ``make_response(jsonify(...))``, ``make_response((body, 202))``
                for part in inner:
                    yield part._replace(headers=(*part.headers, *headers))
                return
            status = said.default_status or None
        argument = (said.status or "").partition("@")[0].partition("|")[0]
        yield Answers._Part(status, by, tuple(body), headers, key, argument)

    def _body_values(self, key: SiteKey, spec: str) -> list[Value]:
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

    def _makes_response(self, value: Value, where: Environment) -> bool:
        """It is, or can be, a response that has a status of its own."""
        if isinstance(value, Sequence) and value.kind == "tuple" and len(value.items) >= 2:
            return any(100 <= self._status(item, where) < 600 for item in value.items[:2])
        for entity in self.inference.of(where.module, where.scope, value):
            if isinstance(entity, Inst):
                paths = (
                    [entity.of.path] if isinstance(entity.of, Ext) else list(self.inference.external_bases(entity.of))
                )
                if any(t.status_attribute for path in paths for t in self.program.catalogue.traits(path)):
                    return True
        key = self._site(value, where)
        return key is not None and any(m.callable.status or m.callable.default_status for m in self.calls.meanings(key))

    def _any_response(self, callees: list[tuple[Func, int]]) -> bool:
        return any(
            self._makes_response(returned, Environment(func.module, func.scope))
            for func, _ in callees
            for returned in self.program.index(func).returns
            if returned is not None
        )

    def _mutated(self, name: Reference, where: Environment) -> int | None:
        """A status assigned to the response that the name holds, in its own scope."""
        found: int | None = None
        scope = self.program.modules[where.module].facts.scopes[where.scope]
        for step in inside(scope.body):
            if isinstance(step, Bind) and isinstance(step.target, Attribute) and step.target.value == name:
                if step.target.name in self._status_attributes and step.value is not None:
                    status = self._status(step.value, where)
                    found = status if found in (None, status) else UNCERTAIN
        return found

    # Statuses

    def _status(self, value: Value, where: Environment) -> int:
        if isinstance(value, Reference) and (given := where.parameter(value.name)) is not None:
            return self._status(*given)
        if isinstance(value, Attribute) and value.name in ("value", "real"):
            inner = self._status(value.value, where)
            if inner != UNCERTAIN:
                return inner
        known = {self._number(one) for one in options(self.evaluator.value(where.module, where.scope, value, None))}
        return known.pop() if len(known) == 1 else UNCERTAIN

    @staticmethod
    def _number(value: Abstract) -> int:
        if isinstance(value, Interval) and value.exact is not None and float(value.exact).is_integer():
            return int(value.exact)
        if isinstance(value, str) and value[:3].isdigit():  # "202 Accepted"
            return int(value[:3])
        return UNCERTAIN

    # Following values

    def _site(self, value: Value, where: Environment) -> SiteKey | None:
        if isinstance(value, Awaited):
            value = value.value
        return SiteKey(where.module, where.scope, value.site) if isinstance(value, Result) else None

    def _project_callees(self, key: SiteKey) -> Iterator[tuple[Func, int]]:
        for entity in ordered(self.inference.solver.get(("callees", *key))):
            if isinstance(entity, Cls):
                continue
            for func, offset, partial in self.inference.targets(entity):
                if partial is None:
                    yield func, offset

    def _enter(self, func: Func, offset: int, key: SiteKey, where: Environment) -> Environment:
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
        return Environment(func.module, func.scope, tuple(given))

    def _bound(self, name: Reference, where: Environment) -> Iterator[tuple[Value, Environment]]:
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

    # Bodies

    def fields(self, value: Value, where: Environment, depth: int = 0) -> Iterator[Field]:
        """The fields of a body: of dicts, data classes, models, and what functions of the project return."""
        if depth > DEPTH:
            return
        if isinstance(value, Mapping):
            for key, item in value.items:
                if key is None:
                    yield from self.fields(item, where, depth + 1)
                elif isinstance(key, Text):
                    yield Field(key.value, item, where)
                    if isinstance(item, (Mapping, Result)):
                        yield from self.fields(item, where, depth + 2)
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
                yield from self.fields(part, where, depth + 1)
        elif isinstance(value, Spread):
            yield from self.fields(value.value, where, depth + 1)
        elif isinstance(value, Reference):
            for one, place in self._bound(value, where):
                yield from self.fields(one, place, depth + 1)
            yield from self._items_set(value, where)
            yield from self._typed(value, where)
        elif isinstance(value, (Result, Awaited)):
            yield from self._result_fields(value, where, depth)
        elif isinstance(value, Attribute):
            for inner, place in self._attribute(value, where, depth):
                yield from self.fields(inner, place, depth + 1)

    def _items_set(self, name: Reference, where: Environment) -> Iterator[Field]:
        """``body["task_id"] = ...``."""
        scope = self.program.modules[where.module].facts.scopes[where.scope]
        for step in inside(scope.body):
            if isinstance(step, Bind) and isinstance(step.target, Subscript) and step.target.value == name:
                if isinstance(step.target.index, Text):
                    yield Field(step.target.index.value, step.value, where)

    def _result_fields(self, value: Value, where: Environment, depth: int) -> Iterator[Field]:
        key = self._site(value, where)
        if key is None:
            if isinstance(value, Awaited):
                yield from self.fields(value.value, where, depth + 1)
            return
        site = self.program.site(key)
        callee = site.callee
        name = callee.name if isinstance(callee, (Attribute, Reference)) else ""
        if name in (_COPIES if isinstance(callee, Attribute) else _COPYING):
            if site.arguments and not site.arguments[0].name:
                yield from self.fields(site.arguments[0].value, where, depth + 1)
            elif isinstance(callee, Attribute):
                yield from self.fields(callee.value, where, depth + 1)
            return
        meanings = self.calls.meanings(key)
        bodies = [v for m in meanings if m.callable.body is not None for v in self._body_values(key, m.callable.body)]
        for body in bodies:
            yield from self.fields(body, where, depth + 1)
        if any(m.callable.mapping for m in meanings):
            pairs = tuple(
                (Text(a.name) if a.name != "**" else None, a.value) for a in site.arguments if a.name not in ("", "*")
            )
            first = [a.value for a in site.arguments if not a.name]
            yield from self.fields(Mapping((*((None, v) for v in first), *pairs)), where, depth + 1)
            return
        for entity in ordered(self.inference.solver.get(("callees", *key))):
            if isinstance(entity, Cls):
                yield from self._constructed(entity, key, where, depth)
        if isinstance(callee, Attribute) and name == "model_validate" and site.arguments:
            yield from self.fields(site.arguments[0].value, where, depth + 1)
        found = False
        for func, offset in self._project_callees(key):
            inner = self._enter(func, offset, key, where)
            for returned in self.program.index(func).returns:
                if returned is not None:
                    found = True
                    yield from self.fields(returned, inner, depth + 1)
        if not found:
            yield from self._typed(value, where)

    def _constructed(self, cls: Cls, key: SiteKey, where: Environment, depth: int) -> Iterator[Field]:
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
                for field in self.fields(argument.value, where, depth + 1):
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
        """By its class alone: the names of its fields, and their defaults."""
        for entity in ordered(self.inference.of(where.module, where.scope, value)):
            if isinstance(entity, Inst) and isinstance(entity.of, Cls) and not entity.exact:
                cls = entity.of
                if not self.evaluator.model_kind(cls):
                    continue
                for name in self.evaluator.fields(cls):
                    yield Field(name, None, Environment(cls.module, cls.scope), cls)

    def _attribute(self, value: Attribute, where: Environment, depth: int) -> Iterator[tuple[Value, Environment]]:
        """``result.status`` where ``result`` is built by code that can be read."""
        for field in self.fields(value.value, where, depth + 1):
            if field.name == value.name and field.value is not None:
                yield field.value, field.where

    # What a body says

    def says_queued(self, answer: Answer) -> bool:
        """The body stands for work that was only queued."""
        return any(self._says(value, where) for value, where in answer.body)

    def _says(self, value: Value, where: Environment) -> bool:
        if self.is_enqueued(value, where):
            return True
        if isinstance(value, Reference) and self._is_work_id(value.name):
            return True
        return any(self._field_says(field) for field in self.fields(value, where))

    def _field_says(self, field: Field) -> bool:
        if field.value is not None and self.is_enqueued(field.value, field.where):
            return True
        if field.owner is not None and self.is_resource(field.owner):
            return False
        if self._is_work_id(field.name) and not (isinstance(field.value, Constant) and field.value.value is None):
            return True
        if words(field.name)[-1:] in (["id"], ["ids"], ["uuid"]):
            if field.owner is not None and self._is_work_class(self.program.scope(field.owner).name):
                return True
            if field.value is not None and self._is_id_of_work(field.value, field.where):
                return True
        return (
            words(field.name)[-1:]
            and words(field.name)[-1] in _STATES
            and self._is_queued_state(field.value, field.where)
        )  # type: ignore[return-value]

    @staticmethod
    def _is_work_id(name: str) -> bool:
        parts = words(name)
        return len(parts) > 1 and parts[-1] in _IDS and any(part in _WORK for part in parts[:-1])

    @staticmethod
    def _is_work_class(name: str) -> bool:
        return any(part in WORK for part in words(name))

    def _is_id_of_work(self, value: Value, where: Environment) -> bool:
        """``job.id``, or the id of an instance of a class so named."""
        if isinstance(value, Result):
            site = self.program.modules[where.module].facts.scopes[where.scope].sites[value.site]
            return bool(site.arguments) and self._is_id_of_work(site.arguments[0].value, where)
        if not isinstance(value, Attribute) or value.name not in _IDS | {"pk"}:
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
        return "id" in self.evaluator.fields(cls)

    def _is_queued_state(self, value: Value | None, where: Environment, depth: int = 0) -> bool:
        if value is None or depth > DEPTH:
            return False
        if isinstance(value, Reference) and (given := where.parameter(value.name)) is not None:
            return self._is_queued_state(*given, depth + 1)
        if isinstance(value, Attribute):
            if value.name == "value":
                return self._is_queued_state(value.value, where, depth + 1)
            found = list(self._attribute(value, where, depth))
            for field in self.fields(value.value, where):
                if field.owner is not None and self.is_resource(field.owner):
                    return False
            if any(self._is_queued_state(one, place, depth + 1) for one, place in found):
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

    def is_enqueued(self, value: Value, where: Environment, depth: int = 0) -> bool:
        """The value, or what it is made of, was returned by a call that queues work."""
        if depth > DEPTH:
            return False
        if isinstance(value, (Awaited, Attribute, Subscript)):
            return self.is_enqueued(value.value, where, depth + 1) or (
                isinstance(value, Attribute)
                and any(self.is_enqueued(v, w, depth + 2) for v, w in self._attribute(value, where, DEPTH - 2))
            )
        if isinstance(value, Format):
            return any(self.is_enqueued(part, where, depth + 1) for part in value.parts)
        if isinstance(value, (Choice, Boolean)):
            parts = (value.body, value.orelse) if isinstance(value, Choice) else value.values
            return any(self.is_enqueued(part, where, depth + 1) for part in parts)
        if isinstance(value, Reference):
            return any(self.is_enqueued(v, w, depth + 1) for v, w in self._bound(value, where))
        if isinstance(value, Result):
            return self._returned_by_enqueue(value, where, depth)
        return False

    def _returned_by_enqueue(self, value: Result, where: Environment, depth: int) -> bool:
        if value.site in self.enqueues.own(Func(where.module, where.scope)):
            return True
        key = SiteKey(where.module, where.scope, value.site)
        site = self.program.site(key)
        for func, offset in self._project_callees(key):
            if func in self.enqueues.reaching:
                inner = self._enter(func, offset, key, where)
                for returned in self.program.index(func).returns:
                    if returned is not None and self.is_enqueued(returned, inner, depth + 1):
                        return True
        if isinstance(site.callee, Result) and self.is_enqueued(site.callee, where, depth + 1):
            return True  # ``queue.add(f)(x)``
        waits = site.awaited or any(
            m.callable.blocking or m.callable.is_async or m.callable.task_result for m in self.calls.meanings(key)
        )
        if waits:
            return False  # ``job.get()``: what was queued is done by then
        if isinstance(site.callee, Attribute) and self.is_enqueued(site.callee.value, where, depth + 1):
            return True  # ``job.get_id()``
        if isinstance(site.callee, Reference) and len(site.arguments) == 1 and not site.arguments[0].name:
            plain = all(isinstance(e, Ext) for e in self.inference.solver.get(("callees", *key)))
            return plain and self.is_enqueued(site.arguments[0].value, where, depth + 1)  # ``str(job.id)``
        return False

    # A 202 and its id

    def has_id(self, answer: Answer) -> bool | None:
        """Whether the body names what was accepted, or the headers say where; None where it cannot be read."""
        for value, where in answer.headers:
            if isinstance(value, Text) and value.value.lower() == "location":
                return True
            for field in self.fields(value, where):
                if field.name.lower() == "location":
                    return True
            if not isinstance(value, (Mapping, Text)):
                return None
        unread = False
        for value, where in answer.body:
            if isinstance(value, Constant) and value.value is None:
                continue
            if self.is_enqueued(value, where):
                return True
            names = [field.name for field in self.fields(value, where)]
            if any(
                words(name) and words(name)[-1] in _IDS | {"key", "location", "url", "href", "link"} for name in names
            ):
                return True
            if any(
                field.value is not None and self.is_enqueued(field.value, field.where)
                for field in self.fields(value, where)
            ):
                return True
            if (
                not names
                and not isinstance(value, Mapping)
                and not (isinstance(value, Text) and not _IDS & set(words(value.value)))
            ):
                unread = True
        return None if unread else False


class _Walker:
    """Follows the ways through a handler: was work queued, was the status set?"""

    def __init__(
        self, answers: Answers, handler: Func, edges: dict[Span, bool], outs: list[_Out], written: list[Value]
    ) -> None:
        self.answers = answers
        self.handler = handler
        self.edges = edges
        self.outs = outs
        self.written = written
        self.own = answers.enqueues.own(handler)
        self.status: int | None = None
        self.located = False

    def block(self, steps: tuple[Step, ...], state: _State) -> _State | None:
        """The state behind the steps; None where nothing goes on."""
        current: _State | None = state
        for step in reached(steps):
            assert current is not None
            current = self.step(step, current)
            if current is None:
                return None
        return current

    def step(self, step: Step, state: _State) -> _State | None:
        if isinstance(step, Invoke):
            return self.invoke(step, state)
        if isinstance(step, Await):
            return state._replace(queued=True) if step.span in self.edges else state
        if isinstance(step, Bind):
            return self.bind(step, state)
        if isinstance(step, Return):
            self.outs.append(_Out(step.value, state.queued, state.status, state.located))
            return None
        if isinstance(step, Raise):
            return None
        if isinstance(step, Branch):
            return _join(self.block(step.body, state), self.block(step.orelse, state))
        if isinstance(step, Loop):
            once = self.block((*step.condition, *step.body), state)
            after = _join(state, once) if not isinstance(step.subject, Constant) else once or state
            return self.block(step.orelse, after or state)
        if isinstance(step, With):
            for item in step.items:
                state = self.block(item.entering, state) or state
                if item.span in self.edges:
                    state = state._replace(queued=True)
            return self.block(step.body, state)
        if isinstance(step, Try):
            body = self.block(step.body, state)
            after = self.block(step.orelse, body) if body is not None else None
            for handler in step.handlers:
                after = _join(after, self.block(handler.body, _join(state, body) or state))
            if not step.final:
                return after
            final = self.block(step.final, after or state)
            return final if after is not None else None
        if isinstance(step, Match):
            found: _State | None = state
            for case in step.cases:
                found = _join(found, self.block(case.body, state))
            return found
        return state

    def invoke(self, step: Invoke, state: _State) -> _State:
        site = self.answers.program.scope(self.handler).sites[step.site]
        if step.site in self.own or site.span in self.edges:
            state = state._replace(queued=True)
        key = SiteKey(self.handler.module, self.handler.scope, step.site)
        where = Environment(self.handler.module, self.handler.scope)
        for meaning in self.answers.calls.meanings(key):
            said = meaning.callable
            if said.sets_status is not None and (value := written_argument(site, said.sets_status)) is not None:
                state = self.note(state, self.answers._status(value, where))
            if (
                said.body is not None
                and not said.default_status
                and said.returns is None
                and isinstance(site.callee, Attribute)
            ):
                self.written += [v for one in said.body.split("|") if (v := written_argument(site, one)) is not None]
        return state

    def bind(self, step: Bind, state: _State) -> _State:
        target = step.target
        where = Environment(self.handler.module, self.handler.scope)
        if (
            isinstance(target, Subscript)
            and isinstance(target.index, Text)
            and target.index.value.lower() == "location"
        ):
            self.located = True
            return state._replace(located=True)
        if not isinstance(target, Attribute) or step.value is None:
            return state
        statuses, bodies = self.attributes(target.value)
        if target.name in statuses:
            return self.note(state, self.answers._status(step.value, where))
        if target.name in bodies:
            self.written.append(step.value)
        return state

    def attributes(self, base: Value) -> tuple[set[str], set[str]]:
        """The names by which the value's status and body are set, where it is a response."""
        statuses: set[str] = set()
        bodies: set[str] = set()
        inference = self.answers.inference
        types = inference.of(self.handler.module, self.handler.scope, base)
        for entity in types:
            if isinstance(entity, Inst):
                paths = [entity.of.path] if isinstance(entity.of, Ext) else list(inference.external_bases(entity.of))
                for path in paths:
                    for trait in self.answers.program.catalogue.traits(path):
                        if trait.status_attribute:
                            statuses.add(trait.status_attribute)
                        bodies.update(trait.body_attributes)
        if not types and isinstance(base, Reference) and words(base.name)[-1:] in (["response"], ["resp"], ["res"]):
            statuses |= self.answers._status_attributes
            bodies |= {
                name
                for library in self.answers.program.catalogue.libraries
                for klass in library.klass.values()
                for name in klass.body_attributes
            }
        return statuses, bodies

    def note(self, state: _State, status: int) -> _State:
        self.status = status if self.status in (None, status) else UNCERTAIN
        return state._replace(status=status)


def _join(first: _State | None, second: _State | None) -> _State | None:
    if first is None or second is None:
        return first if second is None else second
    status = first.status if first.status == second.status else UNCERTAIN
    return _State(first.queued or second.queued, status, first.located and second.located)


def _first(site: object, spec: str) -> Value | None:
    for one in spec.split("|"):
        value = written_argument(site, one)  # type: ignore[arg-type]
        if value is not None:
            return value
    return None


def answers(analysis: Analysis) -> Answers:
    """Computed once."""
    return analysis.once("answers", lambda: Answers(analysis))


__all__ = ["UNCERTAIN", "Answer", "Answers", "Bound", "Environment", "Field", "answers"]

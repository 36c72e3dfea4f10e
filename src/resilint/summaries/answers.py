"""What an HTTP handler answers: the status of each way out, what its body holds, and whether work was queued before.

Values are read as they are written and followed through names, results of the project's functions, displays and
constructors; what cannot be read says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from resilint.catalogue import Registration
from resilint.domain import Interval, Role, Span
from resilint.facts import (
    Attribute,
    Await,
    Awaited,
    Bind,
    Branch,
    Choice,
    Constant,
    Invoke,
    Loop,
    Mapping,
    Match,
    Raise,
    Reference,
    Result,
    Return,
    Sequence,
    Step,
    Subscript,
    Text,
    Try,
    Value,
    With,
)
from resilint.facts.walk import inside
from resilint.link.calls import Meaning
from resilint.link.entities import Ext, Func, Inst, SiteKey
from resilint.link.infer import written_argument
from resilint.summaries.analysis import Analysis
from resilint.summaries.bodies import IDS, Bodies, Environment
from resilint.summaries.enqueues import Enqueues, enqueues, follows, words
from resilint.summaries.live import reached
from resilint.summaries.values import Abstract, options

DEPTH = 8
_READING = frozenset({"get", "head", "options"})

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
        self.bodies = Bodies(analysis)
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
        for registration, site in entry.extra:
            if registration.default_status <= 0:
                continue
            status, by = self._registered(registration, site)
            for out in self._outs(handler, not self._only_reads(registration, site)):
                found += self._answers(handler, out, status, by, registration, site)
        return found

    def _only_reads(self, registration: Registration, site: SiteKey | None) -> bool:
        """It serves GET and the like: a task far below does something on the side."""
        verbs = {verb.lower() for verb in registration.verbs}
        if registration.verbs_argument is not None and site is not None:
            written = _first(self.program.site(site), registration.verbs_argument)
            items = written.items if isinstance(written, Sequence) else (written,)
            verbs |= {item.value.lower() if isinstance(item, Text) else "any" for item in items if item is not None}
        return bool(verbs) and verbs <= _READING

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
            if own is None or (out.status is not None and set_by == "response"):
                own, set_by = status, by
            headers = part.headers
            if out.headers:
                headers = (*headers, (Text("Location"), where))
            yield Answer(
                handler, own, part.body, headers, out.queued, set_by, part.response, part.argument, registration, site
            )

    # Ways out

    def _outs(self, handler: Func, tasks: bool) -> list[_Out]:
        """``tasks``: tasks that the callees start count as queued work."""
        scope = self.program.scope(handler)
        edges: dict[Span, bool] = {}
        for edge in self.calls.outgoing.get(handler, ()):
            if follows(edge.attached, edge.kind) and self.enqueues.reaches(edge.callee, 1, tasks):
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
            key = self.bodies.site(value, where)
            if key is not None:
                for meaning in self.calls.meanings(key):
                    if meaning.callable.default_status or meaning.callable.status is not None:
                        yield from self._made(meaning, key, where, depth)
                        return
                callees = list(self.bodies.project_callees(key, where))
                if callees and self._any_response(callees):
                    for func, offset in callees:
                        inner = self.bodies.enter(func, offset, key, where)
                        for returned in self.program.index(func).returns:
                            if returned is not None:
                                yield from self._responses(returned, inner, depth + 1)
                    return
        if isinstance(value, Reference):
            bound = list(self.bodies.bound(value, where))
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
            body = [(value, where) for value in self.bodies.body_values(key, said.body)]
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
        key = self.bodies.site(value, where)
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
            if not isinstance(step, Bind) or not isinstance(step.target, Attribute) or step.target.value != name:
                continue
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

    def says_queued(self, answer: Answer) -> bool:
        """The body stands for work that was only queued."""
        return any(self.bodies.says_queued(value, where) for value, where in answer.body)

    # A 202 and its id

    def has_id(self, answer: Answer) -> bool | None:
        """Whether the body names what was accepted, or the headers say where; None where it cannot be read."""
        for value, where in answer.headers:
            if isinstance(value, Text) and value.value.lower() == "location":
                return True
            for field in self.bodies.fields(value, where):
                if field.name.lower() == "location":
                    return True
            if not isinstance(value, (Mapping, Text)):
                return None
        unread = False
        for value, where in answer.body:
            if isinstance(value, Constant) and value.value is None:
                continue
            if self.bodies.is_enqueued(value, where):
                return True
            names = [field.name for field in self.bodies.fields(value, where)]
            if any(
                words(name) and words(name)[-1] in IDS | {"key", "location", "url", "href", "link"} for name in names
            ):
                return True
            if any(
                field.value is not None and self.bodies.is_enqueued(field.value, field.where)
                for field in self.bodies.fields(value, where)
            ):
                return True
            if (
                not names
                and not isinstance(value, Mapping)
                and not (isinstance(value, Text) and not IDS & set(words(value.value)))
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


def queued_as_done(analysis: Analysis) -> list[Answer]:
    """Of each handler the first answer with status 200 that stands for work which was only queued."""

    def wrong(reading: Answers, answer: Answer) -> bool:
        return answer.queued and answer.status == 200 and reading.says_queued(answer)

    return analysis.once("queued as done", lambda: _first_answers(analysis, wrong))


def nameless(analysis: Analysis) -> list[Answer]:
    """Of each handler the first answer with status 202 that names nothing to ask for."""

    def wrong(reading: Answers, answer: Answer) -> bool:
        return answer.status == 202 and reading.has_id(answer) is False

    return analysis.once("nameless answers", lambda: _first_answers(analysis, wrong))


def _first_answers(analysis: Analysis, wrong: Callable[[Answers, Answer], bool]) -> list[Answer]:
    reading = analysis.once("answers", lambda: Answers(analysis))
    found = []
    for handler in analysis.functions(Role.HANDLER):
        answer = next((a for a in reading.of(handler) if wrong(reading, a)), None)
        if answer is not None:
            found.append(answer)
    return found


__all__ = ["UNCERTAIN", "Answer", "Answers", "nameless", "queued_as_done"]

"""Endless loops in worker code that ask something outside for its status until it changes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from resilint.domain import Role, Span
from resilint.facts import (
    Attribute,
    Awaited,
    Bind,
    Boolean,
    Branch,
    Break,
    Choice,
    Compare,
    Constant,
    Continue,
    Invoke,
    Loop,
    Match,
    Not,
    Number,
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
from resilint.link.entities import Cls, Ext, Func, Inst, Member, SiteKey, ordered
from resilint.link.infer import written_argument
from resilint.sql import words
from resilint.summaries.analysis import Analysis
from resilint.summaries.attempts import Limits, limits, name_of, parts
from resilint.summaries.sites import leaves
from resilint.summaries.texts import Expression

DEEPEST = 4
_LOCAL = frozenset(
    {
        *("is_set", "empty", "qsize", "full", "done", "is_alive", "locked", "get_nowait", "monotonic", "time", "now"),
        *("is_closed", "poll", "wait", "keys", "items", "values", "pop", "popleft", "append", "sleep", "add", "strip"),
        *("lower", "upper", "split", "join", "format", "encode", "decode", "info", "debug", "warning", "error"),
        *("exception", "update", "put", "put_nowait", "notify", "set", "clear", "close", "start", "stop"),
    }
)
_BUSY = frozenset({"running", "pending", "busy", "active", "processing", "alive", "progress", "queued", "incomplete"})
_STOPS = frozenset(
    {"stop", "stopped", "stopping", "shutdown", "quit", "exit", "terminate", "cancel", "cancelled", "closing", "closed"}
)
_ERRORS = frozenset({"error", "errors", "fail", "failed", "failure", "failures", "fails", "exception", "exceptions"})
_SLEEPS = frozenset({"sleep", "pause", "backoff"})


class Poll(NamedTuple):
    """A loop that nothing ends but the status that it waits for."""

    func: Func
    span: Span
    asks: str
    """What it calls."""
    repeats: bool
    """It repeats a failing call until that succeeds."""


@dataclass(slots=True)
class Polls:
    """Finds the polls of a program."""

    analysis: Analysis
    limits: Limits
    _outside: dict[Func, bool] = field(default_factory=dict)
    _waits: dict[Func, bool] = field(default_factory=dict)

    def find(self) -> Iterator[Poll]:
        for func in self.analysis.functions(Role.WORKER):
            for loop in self.analysis.linked.program.index(func).loops:
                if loop.kind == "while" or (loop.kind == "for" and self._counts_for_ever(func, loop)):
                    found = _Loop(self, func, loop).poll()
                    if found is not None and not self._bounded(func, loop):
                        yield found

    def _counts_for_ever(self, func: Func, loop: Loop) -> bool:
        if not isinstance(loop.subject, Result):
            return False
        key = SiteKey(func.module, func.scope, loop.subject.site)
        return any(meaning.callable.iterator == "count" for meaning in self.analysis.linked.calls.meanings(key))

    def _bounded(self, func: Func, loop: Loop) -> bool:
        """A deadline around it, in the function or in all its callers, or a bound of its own."""
        first, last = loop.span.line, _last_line(self.analysis, func, loop)
        own = [self.analysis.joined(func), self.analysis.entry(func)]
        for summary in own:
            waits = [w for w in summary.waits if w.place.func == func and first <= w.place.span.line <= last]
            if waits and all(w.looped and not w.loop_total.unbounded and w.loop_total.hi is not None for w in waits):
                return True
        callers = {e.caller for e in self.analysis.product_edges(func) if e.attached and e.caller != func}
        if not callers or func in self.analysis.linked.roles.entries:
            return False
        for caller in callers:
            waits = [w for w in self.analysis.joined(caller).waits if w.place.func == func]
            waits = [w for w in waits if first <= w.place.span.line <= last]
            if not waits or any(w.loop_total.unbounded or w.loop_total.hi is None for w in waits if w.looped):
                return False
        return True

    # Calls

    def outside(self, func: Func, number: int, depth: int = 0) -> bool:
        """The call asks something outside this process."""
        linked = self.analysis.linked
        key = SiteKey(func.module, func.scope, number)
        site = linked.program.site(key)
        meanings = linked.calls.meanings(key)
        if meanings:
            return any(
                m.callable.outbound or (m.callable.blocking and m.callable.blocking != "files")
                for m in meanings
                if not m.callable.wait
            )
        name = name_of(site.callee)
        callees = ordered(linked.inference.solver.get(("callees", *key)))
        targets = [t for e in callees for t, _, _ in linked.inference.targets(e)]
        if targets:
            return any(self.reaches_outside(target, depth + 1) for target in targets)
        if name in _LOCAL or name.startswith("__"):
            return False
        for entity in callees:
            if isinstance(entity, Ext):
                top = entity.path.partition(".")[0]
                if top in sys.stdlib_module_names or top == "builtins":
                    return False
                if entity.path.rpartition(".")[2][:1].isupper():
                    return False
            elif isinstance(entity, Member):
                if linked.program.catalogue.klass(entity.of) is not None and entity.chain != "*":
                    return False
            else:
                return False
        if not isinstance(site.callee, Attribute) and not callees:
            return site.awaited
        receiver = site.callee.value if isinstance(site.callee, Attribute) else None
        return not isinstance(receiver, (Text, Number, Sequence))

    def reaches_outside(self, func: Func, depth: int = 0) -> bool:
        if func not in self._outside:
            self._outside[func] = False
            scope = self.analysis.linked.program.scope(func)
            if depth <= DEEPEST:
                self._outside[func] = any(self.outside(func, n, depth) for n in range(len(scope.sites)))
        return self._outside[func]

    def waits(self, func: Func, number: int, depth: int = 0) -> bool:
        """The call waits for some time."""
        linked = self.analysis.linked
        key = SiteKey(func.module, func.scope, number)
        for meaning in linked.calls.meanings(key):
            if meaning.callable.wait is not None:
                spec = meaning.callable.wait.seconds
                given = written_argument(linked.program.site(key), spec) if spec is not None else None
                return not (isinstance(given, Number) and given.value == 0)
        callees = ordered(linked.inference.solver.get(("callees", *key)))
        targets = [t for e in callees for t, _, _ in linked.inference.targets(e)]
        if targets and depth < DEEPEST:
            return any(self.function_waits(target, depth + 1) for target in targets)
        return not callees and not _SLEEPS.isdisjoint(words(name_of(linked.program.site(key).callee)))

    def function_waits(self, func: Func, depth: int) -> bool:
        if func not in self._waits:
            self._waits[func] = False
            sites = self.analysis.linked.program.scope(func).sites
            self._waits[func] = any(self.waits(func, n, depth) for n in range(len(sites)))
        return self._waits[func]


class Exit(NamedTuple):
    """A way out of the loop: the tests that lead to it, each with the outcome that it needs."""

    tests: tuple[tuple[Value, bool], ...]
    caught: bool
    """In an ``except`` clause."""


class _Loop:
    """One loop."""

    def __init__(self, polls: Polls, func: Func, loop: Loop) -> None:
        self.polls = polls
        self.limits = polls.limits
        self.func = func
        self.loop = loop
        self.steps = list(_within((*loop.condition, *loop.body)))
        self.bound: dict[str, list[Value]] = {}
        for step, _ in self.steps:
            if isinstance(step, Bind) and isinstance(step.target, Reference) and step.value is not None:
                self.bound.setdefault(step.target.name, []).append(step.value)

    def poll(self) -> Poll | None:
        exits = list(self._exits())
        if not exits:
            return None
        waits = [caught for step, caught in self.steps if isinstance(step, Invoke) and self._waits(step.site)]
        if not waits:
            return None
        asked = next((a for a in (self._status(one) for one in exits if not one.caught) if a), None)
        repeats = False
        if asked is not None:
            if all(waits) and not self._in_try():
                return None
        else:
            asked = self._repeated()
            repeats = asked is not None
        if asked is None or self._limited(repeats):
            return None
        return Poll(self.func, self.loop.span, asked, repeats)

    def _waits(self, number: int) -> bool:
        return self.polls.waits(self.func, number)

    def _in_try(self) -> bool:
        return any(isinstance(step, Try) for step, _ in self.steps)

    # Ways out

    def _exits(self) -> Iterator[Exit]:
        if self.loop.kind == "while" and not _is_true(self.loop.subject):
            yield Exit(((self.loop.subject, False),), False)
        yield from _leaving(self.loop.body, (), False, True)

    def _status(self, one: Exit) -> str:
        """What is asked for the status that decides the exit; empty where no status does."""
        for test, outcome in one.tests:
            asked = self._decides(test, outcome)
            if asked:
                return asked
        return ""

    def _decides(self, test: Value, outcome: bool) -> str:
        if isinstance(test, Not):
            return self._decides(test.value, not outcome)
        if isinstance(test, Boolean):
            return next((a for a in (self._decides(v, outcome) for v in test.values) if a), "")
        if isinstance(test, Awaited):
            return self._decides(test.value, outcome)
        if isinstance(test, Compare):
            return self._compared(test, outcome)
        if isinstance(test, (Result, Reference, Attribute, Subscript)):
            name = self._called(test)
            if not outcome and _BUSY.isdisjoint(words(name)):
                return ""  # it ends when nothing is left
            if not _STOPS.isdisjoint(words(name)):
                return ""
            return self._asked(test)
        return ""

    def _called(self, value: Value) -> str:
        if isinstance(value, Result):
            return name_of(self.limits.site(self.func, value.site).callee)
        if isinstance(value, Subscript) and isinstance(value.index, Text):
            return value.index.value
        return name_of(value)

    def _compared(self, test: Compare, outcome: bool) -> str:
        operator = test.operator
        if operator in ("<", "<=", ">", ">="):
            return ""
        equal = outcome == (operator in ("==", "is", "in"))
        for side, other in ((test.left, test.right), (test.right, test.left)):
            if isinstance(other, Constant):
                wanted = other.value is None or other.value is False
                if equal and wanted:
                    return ""
                return self._asked(side)
            if isinstance(other, Number) and other.value == 0 and equal:
                if {"code", "pending", "remaining", "left", "status"}.isdisjoint(words(self._called(side))):
                    return ""  # nothing is left
            if not self._is_status(other) and _state_word(self._called(side)) == "":
                continue
            if (
                isinstance(other, Text)
                and not _STOPS.isdisjoint(words(other.value))
                and equal
                and other.value in _STOPS
            ):
                return ""
            asked = self._asked(side)
            if asked:
                return asked
        return ""

    def _is_status(self, value: Value) -> bool:
        """A text, a number, a member of an enum, or several of them."""
        if isinstance(value, (Text, Number)):
            return not (isinstance(value, Text) and value.value == "")
        if isinstance(value, Sequence):
            return any(map(self._is_status, value.items))
        if isinstance(value, (Reference, Attribute)):
            if name_of(value).isupper() or (name_of(value) == "value" and isinstance(value, Attribute)):
                return True
            known = self.limits.claims.texts.resolved(Expression(self.func.module, self.func.scope, value)).value
            if isinstance(known, (Text, Number, Sequence)):
                return True
            inference = self.polls.analysis.linked.inference
            return any(
                isinstance(e, Inst) and isinstance(e.of, Cls) and inference.is_enum(e.of)
                for e in inference.of(self.func.module, self.func.scope, value)
            )
        return False

    # What is asked

    def _asked(self, value: Value, depth: int = 0) -> str:
        """The call outside, made in the loop, that the value comes from; empty where there is none, or where each
        iteration asks for something else."""
        if depth > DEEPEST:
            return ""
        if isinstance(value, Result):
            site = self.limits.site(self.func, value.site)
            if not any(isinstance(s, Invoke) and s.site == value.site for s, _ in self.steps):
                return ""
            if self.polls.outside(self.func, value.site):
                moving = any(self._moves(argument.value) for argument in site.arguments)
                return "" if moving else name_of(site.callee) or "a call"
            found = self._asked(site.callee.value, depth + 1) if isinstance(site.callee, Attribute) else ""
            return found or next((a for a in (self._asked(x.value, depth + 1) for x in site.arguments) if a), "")
        if isinstance(value, Reference):
            for one in self.bound.get(value.name, ()):
                if found := self._asked(one, depth + 1):
                    return found
            return self._refreshed(value)
        if isinstance(value, Attribute):
            return self._asked(value.value, depth + 1) or self._refreshed(value)
        if isinstance(value, (Subscript, Awaited)):
            return self._asked(value.value, depth + 1)
        if isinstance(value, Boolean):
            return next((a for a in (self._asked(v, depth + 1) for v in value.values) if a), "")
        if isinstance(value, Choice):
            return self._asked(value.body, depth + 1) or self._asked(value.orelse, depth + 1)
        return ""

    def _refreshed(self, value: Value) -> str:
        """The thing is read again in the loop (``job.reload()``, ``session.refresh(job)``)."""
        if name_of(value) in ("self", "cls"):
            return ""
        for step, _ in self.steps:
            if not isinstance(step, Invoke):
                continue
            site = self.limits.site(self.func, step.site)
            name = name_of(site.callee)
            if not {"refresh", "reload", "update", "fetch", "sync"} & set(words(name)):
                continue
            if isinstance(site.callee, Attribute) and site.callee.value == value:
                return name
            if any(argument.value == value for argument in site.arguments):
                return name
        return ""

    def _moves(self, value: Value) -> bool:
        """It is another one in each iteration: a page, a cursor."""
        return any(isinstance(part, Reference) and part.name in self.bound for part in parts(value))

    def _repeated(self) -> str | None:
        """The failing call that the loop repeats until it succeeds."""
        if self.loop.kind == "while" and not _is_true(self.loop.subject):
            return None
        for position, step in enumerate(self.loop.body):
            if not isinstance(step, Try) or not step.handlers:
                continue
            if all(any(map(leaves_loop, handler.body)) for handler in step.handlers):
                continue
            rest = self.loop.body[position + 1 :]
            after = (*step.body, *step.orelse, *rest)
            if not any(isinstance(s, (Break, Return)) for s in after):
                continue
            if any(isinstance(s, Invoke) and self._local_wait(s) for s, _ in _within(step.body)):
                return None
            for inner, _ in _within(step.body):
                if isinstance(inner, Invoke) and self.polls.outside(self.func, inner.site):
                    return name_of(self.limits.site(self.func, inner.site).callee) or "a call"
        return None

    def _local_wait(self, step: Invoke) -> bool:
        """A queue's ``get``: it waits for work, not for success."""
        name = name_of(self.limits.site(self.func, step.site).callee)
        return name in ("get", "receive", "recv", "pop", "blpop", "brpop", "consume") and not self.polls.outside(
            self.func, step.site
        )

    # Limits

    def _limited(self, repeats: bool) -> bool:
        errors = self._error_counters() if not repeats else frozenset()
        counters = self._counters()
        for step, _ in self.steps:
            for value in _values(step, self.func, self.limits):
                for part in parts(value):
                    if isinstance(part, Compare) and self._is_limit(part, counters, errors):
                        return True
            if isinstance(step, Invoke):
                if any(self.limits.below(inner, frozenset()) for inner in self.limits.called(self.func, step)):
                    return True
                said = set(words(name_of(self.limits.site(self.func, step.site).callee)))
                if said & {"deadline", "expired", "exceeded", "exhausted", "budget"}:
                    return True
        return any(
            isinstance(part, Compare) and self._is_limit(part, counters, errors) for part in parts(self.loop.subject)
        )

    def _is_limit(self, part: Compare, counters: frozenset[str], errors: frozenset[str]) -> bool:
        names = {name_of(p) for p in (*parts(part.left), *parts(part.right)) if name_of(p)}
        if names & errors:
            return False
        if names & counters:
            return True
        return self.limits.compare(self.func, part)

    def _counters(self) -> frozenset[str]:
        """Names that are raised in the loop."""
        found = set()
        for step, _ in self.steps:
            if isinstance(step, Bind) and (name := name_of(step.target)) and _raises(step, name):
                found.add(name)
        if self.loop.target is not None and (name := name_of(self.loop.target)):
            found.add(name)
        return frozenset(found)

    def _error_counters(self) -> frozenset[str]:
        """Counters that only errors raise: they say nothing of how long it stays pending."""
        calm: set[str] = set()
        upset: set[str] = set()
        for step, caught in _marked(self.loop.body, False):
            if isinstance(step, Bind) and (name := name_of(step.target)) and _raises(step, name):
                (upset if caught or not _ERRORS.isdisjoint(words(name)) else calm).add(name)
        return frozenset(upset - calm)


def leaves_loop(step: Step) -> bool:
    return leaves(step) and not isinstance(step, Continue)


def _within(steps: tuple[Step, ...], caught: bool = False) -> Iterator[tuple[Step, bool]]:
    """All steps, and whether in an ``except`` clause."""
    for step in steps:
        yield step, caught
        if isinstance(step, Branch):
            yield from _within(step.body, caught)
            yield from _within(step.orelse, caught)
        elif isinstance(step, Loop):
            yield from _within((*step.condition, *step.body, *step.orelse), caught)
        elif isinstance(step, With):
            for item in step.items:
                yield from _within(item.entering, caught)
            yield from _within(step.body, caught)
        elif isinstance(step, Try):
            yield from _within((*step.body, *step.orelse, *step.final), caught)
            for handler in step.handlers:
                yield from _within(handler.body, True)
        elif isinstance(step, Match):
            for case in step.cases:
                yield from _within((*case.guarding, *case.body), caught)


def _marked(steps: tuple[Step, ...], upset: bool) -> Iterator[tuple[Step, bool]]:
    """All steps, and whether only an error leads to them."""
    for step in steps:
        yield step, upset
        if isinstance(step, Branch):
            yield from _marked(step.body, upset or _is_error(step.test))
            yield from _marked(step.orelse, upset)
        elif isinstance(step, (Loop, With)):
            yield from _marked(step.body, upset)
        elif isinstance(step, Try):
            yield from _marked((*step.body, *step.orelse, *step.final), upset)
            for handler in step.handlers:
                yield from _marked(handler.body, True)
        elif isinstance(step, Match):
            for case in step.cases:
                yield from _marked(case.body, upset)


def _is_error(test: Value) -> bool:
    """The test asks whether something went wrong."""
    for part in parts(test):
        if isinstance(part, Compare):
            numbers = [s.value for s in (part.left, part.right) if isinstance(s, Number)]
            if part.operator in (">", ">=", "!=", "==") and any(value >= 200 for value in numbers):
                return True
        if isinstance(part, Not) and name_of(part.value) in ("ok", "is_success", "success"):
            return True
        if not _ERRORS.isdisjoint(words(name_of(part))):
            return True
    return False


def _leaving(steps: tuple[Step, ...], tests: tuple[tuple[Value, bool], ...], caught: bool, own: bool) -> Iterator[Exit]:
    """Ways out by ``break`` and ``return``; ``own``: a ``break`` here belongs to the loop looked at."""
    for step in steps:
        if isinstance(step, Return) or (isinstance(step, Break) and own):
            yield Exit(tests, caught)
        elif isinstance(step, Branch):
            yield from _leaving(step.body, (*tests, (step.test, True)), caught, own)
            yield from _leaving(step.orelse, (*tests, (step.test, False)), caught, own)
            if any(isinstance(s, Continue) for s in step.body):
                tests = (*tests, (step.test, False))
        elif isinstance(step, Loop):
            yield from _leaving(step.body, tests, caught, False)
        elif isinstance(step, With):
            yield from _leaving(step.body, tests, caught, own)
        elif isinstance(step, Try):
            yield from _leaving((*step.body, *step.orelse, *step.final), tests, caught, own)
            for handler in step.handlers:
                yield from _leaving(handler.body, tests, True, own)
        elif isinstance(step, Match):
            for case in step.cases:
                for pattern in case.patterns or ():
                    yield from _leaving(case.body, (*tests, (Compare("==", step.subject, pattern), True)), caught, own)


def _values(step: Step, func: Func, limits: Limits) -> Iterator[Value]:
    if isinstance(step, Branch):
        yield step.test
    elif isinstance(step, Loop):
        yield step.subject
    elif isinstance(step, Bind) and step.value is not None:
        yield step.value
    elif isinstance(step, Match):
        yield from (case.guard for case in step.cases if case.guard is not None)
    elif isinstance(step, Invoke):
        yield from (argument.value for argument in limits.site(func, step.site).arguments)


def _raises(step: Bind, name: str) -> bool:
    """``n += 1``, ``n = n + 1``, ``delay *= 2``."""
    if step.augmented:
        return True
    return step.value is not None and any(name_of(part) == name for part in parts(step.value) if part is not step.value)


def _is_true(value: Value) -> bool:
    return (isinstance(value, Constant) and value.value is True) or (isinstance(value, Number) and value.value != 0)


def _state_word(name: str) -> str:
    return next((w for w in words(name) if w in ("status", "state", "phase", "stage")), "")


def _last_line(analysis: Analysis, func: Func, loop: Loop) -> int:
    """The last line of the loop, as far as its steps have places."""
    scope = analysis.linked.program.scope(func)
    last = loop.span.end_line
    for step, _ in _within((*loop.condition, *loop.body)):
        if isinstance(step, Invoke):
            last = max(last, scope.sites[step.site].span.end_line)
        elif isinstance(step, (Bind, Return)):
            last = max(last, step.span.end_line)
    return last


def polls(analysis: Analysis) -> list[Poll]:
    """All loops in worker code that may poll for ever."""
    return analysis.once("polls", lambda: list(Polls(analysis, limits(analysis)).find()))

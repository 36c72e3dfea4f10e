"""Workers that try again: whether something on the way compares the attempts with a limit, and whether loops that poll
end at last.

Two kinds of places are found. A *rescheduling* gives a task another time or raises its count; on the way to it, through
its callers, a limit is looked for. A *poll* is a loop that asks something outside for its status, waits, and leaves
when
it changes. In doubt nothing is found: nearly all real code has a limit, in one of many forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from resilint.domain import Role, Span
from resilint.facts import (
    Arithmetic,
    Attribute,
    Await,
    Awaited,
    Bind,
    Boolean,
    Branch,
    Choice,
    Compare,
    Constant,
    Invoke,
    Load,
    Loop,
    Mapping,
    Match,
    Negative,
    Not,
    Number,
    Raise,
    Reference,
    Result,
    Return,
    Sequence,
    Site,
    Spread,
    Step,
    Subscript,
    Text,
    Try,
    Value,
    With,
)
from resilint.link.entities import Cls, Entity, Func, Inst, SiteKey, ordered
from resilint.sql import is_attempts, is_due, is_state, words
from resilint.summaries.analysis import Analysis
from resilint.summaries.claims import Claims, claims
from resilint.summaries.sites import leaves
from resilint.summaries.texts import Expression

DEEPEST = 4
_ORDERED = frozenset({"<", "<=", ">", ">="})
_LIMITS = frozenset({"max", "maximum", "limit", "limits", "deadline", "cutoff", "budget", "ttl"})
_SPENT = frozenset({"exhausted", "exceeded", "expired", "overdue", "exceeds", "depleted"})
_LEFT = frozenset({"left", "remaining", "remain"})
_MAY = frozenset({"can", "may", "should", "allow", "allowed", "allows"})
_NEW = frozenset({"create", "insert", "add", "enqueue", "new", "make", "build", "from", "dict", "submit"})
_TALLIES = frozenset({"stats", "statistics", "metrics", "counters", "counter", "report", "summary", "metric"})
_TAKEN = frozenset(
    {"progress", "running", "processing", "working", "executing", "started"}
    | {"claimed", "taken", "leased", "locked", "reserved", "acquired"}
)
"""Words of states in which somebody works on a task."""

Arms: TypeAlias = tuple[tuple[int, int], ...]
"""The compound steps around a step and the arm of each that it stands in."""


class Rescheduling(NamedTuple):
    """A place where a task is given another try without a limit on the way."""

    func: Func
    span: Span
    kind: Literal["call", "due", "count"]
    what: str
    uncapped: bool
    """The time until then grows without a cap."""


class Placed(NamedTuple):
    """A step and where it stands."""

    step: Step
    arms: Arms


def placed(steps: tuple[Step, ...], arms: Arms = ()) -> Iterator[Placed]:
    """All steps with the arms around them. What follows an arm that leaves stands in the other one."""
    for step in steps:
        yield Placed(step, arms)
        number = id(step)
        if isinstance(step, Branch):
            yield from placed(step.body, (*arms, (number, 0)))
            yield from placed(step.orelse, (*arms, (number, 1)))
            if any(map(leaves, step.body)) and not any(map(leaves, step.orelse)):
                arms = (*arms, (number, 1))
            elif step.orelse and any(map(leaves, step.orelse)) and not any(map(leaves, step.body)):
                arms = (*arms, (number, 0))
        elif isinstance(step, Loop):
            yield from placed(step.condition, arms)
            yield from placed(step.body, arms)
            yield from placed(step.orelse, arms)
        elif isinstance(step, With):
            for item in step.items:
                yield from placed(item.entering, arms)
            yield from placed(step.body, arms)
        elif isinstance(step, Try):
            yield from placed(step.body, (*arms, (number, 0)))
            yield from placed(step.orelse, (*arms, (number, 0)))
            for position, handler in enumerate(step.handlers):
                yield from placed(handler.body, (*arms, (number, position + 1)))
            yield from placed(step.final, arms)
            if step.handlers and all(any(map(leaves, handler.body)) for handler in step.handlers):
                arms = (*arms, (number, 0))
        elif isinstance(step, Match):
            for position, case in enumerate(step.cases):
                yield from placed(case.guarding + case.body, (*arms, (number, position)))


def _apart(first: Arms, second: Arms) -> bool:
    """They stand in different arms of one step: no path has both."""
    arms = dict(first)
    return any(arms.get(number, arm) != arm for number, arm in second)


def _on_the_way(step: Placed, arms: Arms, tries: frozenset[int]) -> bool:
    """The step can run on a path that comes by ``arms``. The body of a ``try`` runs before its handlers."""
    mine = dict(step.arms)
    for number, arm in arms:
        other = mine.get(number, arm)
        if other != arm and not (number in tries and other == 0):
            return False
    return True


def parts(value: Value | None) -> Iterator[Value]:
    """A value and what it is made of, calls left closed."""
    if value is None:
        return
    yield value
    if isinstance(value, (Compare, Arithmetic)):
        yield from parts(value.left)
        yield from parts(value.right)
    elif isinstance(value, Boolean):
        for one in value.values:
            yield from parts(one)
    elif isinstance(value, (Not, Awaited, Negative, Spread, Attribute)):
        yield from parts(value.value)
    elif isinstance(value, Subscript):
        yield from parts(value.value)
        yield from parts(value.index)
    elif isinstance(value, Choice):
        for one in (value.test, value.body, value.orelse):
            yield from parts(one)
    elif isinstance(value, Sequence):
        for one in value.items:
            yield from parts(one)
    elif isinstance(value, Mapping):
        for _, item in value.items:
            yield from parts(item)


def name_of(value: Value | None) -> str:
    return value.name if isinstance(value, (Attribute, Reference)) else ""


@dataclass(slots=True)
class Limits:
    """Finds what compares attempts, or the time spent, with a limit."""

    analysis: Analysis
    claims: Claims
    _known: dict[Func, bool] = field(default_factory=dict)
    _busy: set[Func] = field(default_factory=set)

    def step(self, func: Func, step: Step) -> bool:
        """The step itself, what is nested in it left out, compares with a limit."""
        values: list[Value | None] = []
        if isinstance(step, Branch):
            values = [step.test]
            if self._tested_strategy(func, step.test):
                return True
        elif isinstance(step, Loop):
            values = [step.subject]
        elif isinstance(step, (Return, Await, Bind)):
            values = [step.value]
        elif isinstance(step, Match):
            values = [case.guard for case in step.cases]
        elif isinstance(step, Try):
            for handler in step.handlers:
                for kind in handler.types:
                    if not _SPENT.isdisjoint(words(name_of(kind))) or not _LIMITS.isdisjoint(words(name_of(kind))):
                        return True
                    if name_of(kind) == "IndexError" and self._runs_out(func, step.body):
                        return True
        elif isinstance(step, Invoke):
            site = self.site(func, step.site)
            values = [argument.value for argument in site.arguments]
            if self._says_limit(func, step.site, site):
                return True
        return any(self.value(func, value) for value in values if value is not None)

    def site(self, func: Func, number: int) -> Site:
        return self.analysis.linked.program.scope(func).sites[number]

    def value(self, func: Func, value: Value) -> bool:
        for part in parts(value):
            if isinstance(part, Compare) and self.compare(func, part):
                return True
            if isinstance(part, Subscript) and self.counts(func, part.index):
                return True
        return False

    def compare(self, func: Func, value: Compare) -> bool:
        """It compares a number of attempts, a clock, or something with what is called a limit."""
        if value.operator in ("is", "is not", "in", "not in"):
            return False
        if value.operator in ("==", "!=") and is_attempts(name_of(value.left)) and is_attempts(name_of(value.right)):
            if name_of(value.left) == name_of(value.right):
                return False  # the same count here and in the table: whether another worker was faster
        for side, other in ((value.left, value.right), (value.right, value.left)):
            said = self.counts(func, side)
            if said and isinstance(other, Number) and other.value == 0:
                return not _LEFT.isdisjoint(words(name_of(side)))
            if said:
                return True
            if value.operator in _ORDERED:
                parts_of = words(name_of(side))
                if not _LIMITS.isdisjoint(parts_of) or not _LEFT.isdisjoint(parts_of):
                    return True
                if self.claims.texts.is_now(Expression(func.module, func.scope, side)):
                    return not any(_is_due_time(name_of(p)) for p in parts(other))
        return False

    def counts(self, func: Func, value: Value, depth: int = 0) -> bool:
        """It is a number of attempts."""
        for part in parts(value):
            if isinstance(part, (Attribute, Reference)) and is_attempts(name_of(part)):
                return True
            if isinstance(part, Subscript) and isinstance(part.index, Text) and is_attempts(part.index.value):
                return True
            if isinstance(part, Reference) and depth < 3:
                for one in self.claims.texts.definitions(Expression(func.module, func.scope, part))[0]:
                    if (one.module, one.scope) == (func.module, func.scope) and not isinstance(one.value, Result):
                        if self.counts(func, one.value, depth + 1):
                            return True
            if isinstance(part, Result) and depth < 3:
                site = self.site(func, part.site)
                if name_of(site.callee) in ("int", "len", "get", "getattr") and any(
                    self.counts(func, a.value, depth + 1) or (isinstance(a.value, Text) and is_attempts(a.value.value))
                    for a in site.arguments
                ):
                    return True
        return False

    def _tested_strategy(self, func: Func, test: Value) -> bool:
        """The test asks what a call made of the attempts (``delay = policy.delay(task.retry_count)``)."""
        for part in parts(test):
            if isinstance(part, Result) and self._given_attempts(func, part):
                return True
            if isinstance(part, Reference):
                for one in self.claims.texts.definitions(Expression(func.module, func.scope, part))[0]:
                    value = one.value.value if isinstance(one.value, Awaited) else one.value
                    if isinstance(value, Result) and (one.module, one.scope) == (func.module, func.scope):
                        if self._given_attempts(func, value):
                            return True
        return False

    def _given_attempts(self, func: Func, value: Result) -> bool:
        site = self.site(func, value.site)
        if isinstance(site.callee, Reference) and site.callee.name in ("int", "str", "min", "max", "print"):
            return False
        return any(self.counts(func, argument.value) for argument in site.arguments)

    def _runs_out(self, func: Func, steps: tuple[Step, ...]) -> bool:
        """An index that is a number of attempts."""
        return any(
            isinstance(part, Subscript) and self.counts(func, part.index)
            for one in placed(steps)
            if isinstance(one.step, Bind)
            for part in parts(one.step.value)
        )

    def _says_limit(self, func: Func, number: int, site: Site) -> bool:
        key = SiteKey(func.module, func.scope, number)
        if any(statement.limits for _, _, statement, _ in self.claims.statements.get(key, ())):
            return True
        for argument in site.arguments:
            column, _, suffix = argument.name.rpartition("__")
            if suffix in ("lt", "lte", "gt", "gte") and is_attempts(column):
                return True
        called = words(name_of(site.callee))
        known = any(True for e in self._callees(key) for _ in self.analysis.linked.inference.targets(e))
        if not known and (
            not _SPENT.isdisjoint(called) or (not _MAY.isdisjoint(called) and {"retry", "retries"} & set(called))
        ):
            return True
        return not known and not _LEFT.isdisjoint(called) and bool({"retries", "attempts", "tries"} & set(called))

    def _callees(self, key: SiteKey) -> list[Entity]:
        return list(ordered(self.analysis.linked.inference.solver.get(("callees", *key))))

    def load(self, step: Load) -> bool:
        """An attribute that says by its name that a limit is reached."""
        said = set(words(name_of(step.value)))
        return (
            bool(said & _SPENT)
            or bool(said & _MAY and said & {"retry", "retries"})
            or (bool(said & _LEFT) and bool(said & {"retries", "attempts", "tries"}))
        )

    # Functions

    def below(self, func: Func, skipped: frozenset[Func], depth: int = 0) -> bool:
        """Something in the function, or in what it calls, compares with a limit."""
        if func in skipped or depth > DEEPEST or func in self._busy:
            return False
        if func not in self._known:
            self._busy.add(func)
            try:
                scope = self.analysis.linked.program.scope(func)
                self._known[func] = any(
                    self.step(func, one.step)
                    or (isinstance(one.step, Load) and self.load(one.step))
                    or any(self.below(inner, skipped, depth + 1) for inner in self.called(func, one.step))
                    for one in placed(scope.body)
                )
            finally:
                self._busy.discard(func)
        return self._known[func]

    def called(self, func: Func, step: Step) -> Iterator[Func]:
        """The functions of the project that a step runs."""
        inference = self.analysis.linked.inference
        if isinstance(step, Invoke):
            for entity in self._callees(SiteKey(func.module, func.scope, step.site)):
                for target, _, _ in inference.targets(entity):
                    yield target
        elif isinstance(step, Load) and isinstance(step.value, Attribute):
            for base in ordered(inference.of(func.module, func.scope, step.value.value)):
                if isinstance(base, Inst) and isinstance(base.of, Cls):
                    yield from self.analysis.linked.calls.property_getters(base, step.value.name)

    def on_the_way(self, func: Func, arms: Arms, skipped: frozenset[Func]) -> bool:
        """A limit is compared on a path through the function that comes by ``arms``."""
        body = self.analysis.linked.program.scope(func).body
        steps = list(placed(body))
        tries = frozenset(id(one.step) for one in steps if isinstance(one.step, Try))
        for one in steps:
            if not _on_the_way(one, arms, tries):
                continue
            if self.step(func, one.step) or (isinstance(one.step, Load) and self.load(one.step)):
                return True
            if any(self.below(inner, skipped) for inner in self.called(func, one.step)):
                return True
        return False


@dataclass(slots=True)
class Attempts:
    """Reschedulings without a limit."""

    analysis: Analysis
    limits: Limits
    claims: Claims
    _candidates: dict[Func, list[tuple[Rescheduling, Arms]]] = field(default_factory=dict)

    def find(self) -> Iterator[Rescheduling]:
        workers = list(self.analysis.functions(Role.WORKER))
        for func in workers:
            self._candidates[func] = list(self._in(func))
        rescheduling = frozenset(func for func, found in self._candidates.items() if found)
        for func in workers:
            for one, arms in self._chosen(func):
                if not self._limited(func, arms, one, rescheduling, frozenset({func})):
                    yield one

    def _limited(
        self, func: Func, arms: Arms, one: Rescheduling | None, rescheduling: frozenset[Func], seen: frozenset[Func]
    ) -> bool:
        """Each way to the place goes by a limit."""
        skipped = rescheduling
        if one is not None and one.kind == "call":
            skipped = rescheduling - frozenset(self._targets(func, one.span))
        if self.limits.on_the_way(func, arms, skipped):
            return True
        calls = self.analysis.linked.calls
        edges = [e for e in calls.incoming.get(func, ()) if e in self.analysis.product_edges(func)]
        callers = {(e.caller, e.span): e for e in edges if e.caller not in seen}
        if not callers or len(seen) > DEEPEST:
            return False
        for (caller, span), edge in callers.items():
            if self.analysis.linked.program.scope(caller).kind in ("module", "class") or not edge.attached:
                return False
            if not self._limited(caller, self._arms_of(caller, span), None, rescheduling, seen | {caller}):
                return False
        return True

    def _targets(self, func: Func, span: Span) -> list[Func]:
        for number, site in enumerate(self.analysis.linked.program.scope(func).sites):
            if site.span == span:
                return list(self.limits.called(func, Invoke(number)))
        return []

    def _arms_of(self, func: Func, span: Span) -> Arms:
        scope = self.analysis.linked.program.scope(func)
        for one in placed(scope.body):
            if isinstance(one.step, Invoke) and scope.sites[one.step.site].span == span:
                return one.arms
            if isinstance(one.step, Await) and one.step.span == span:
                return one.arms
        return ()

    # Candidates

    def _in(self, func: Func) -> Iterator[tuple[Rescheduling, Arms]]:
        scope = self.analysis.linked.program.scope(func)
        if scope.kind != "function":
            return
        uncapped = self._grows(func)
        steps = list(placed(scope.body))
        claimed = [
            (one.step.target.value, one.arms)
            for one in steps
            if isinstance(one.step, Bind) and isinstance(one.step.target, Attribute) and one.step.value is not None
            if is_state(one.step.target.name) and _is_taken(one.step.value)
        ]
        for one in steps:
            step = one.step
            if isinstance(step, Invoke):
                site = scope.sites[step.site]
                kind = self._call_kind(func, step.site, site)
                if kind is not None:
                    yield Rescheduling(func, site.span, kind, name_of(site.callee), uncapped), one.arms
            elif isinstance(step, Bind) and isinstance(step.target, Attribute):
                bound = self._bind_kind(func, step, step.target)
                if any(base == step.target.value and not _apart(one.arms, arms) for base, arms in claimed):
                    continue
                if bound is not None:
                    yield Rescheduling(func, step.span, bound, step.target.name, uncapped), one.arms

    def _call_kind(self, func: Func, number: int, site: Site) -> Literal["call", "due", "count"] | None:
        key = SiteKey(func.module, func.scope, number)
        name = name_of(site.callee)
        said = words(name)
        if _is_rescheduling(name):
            return None if self.analysis.linked.calls.meanings(key) else "call"
        for _, _, statement, _ in self.claims.statements.get(key, ()):
            if any(selection.lock for selection in statement.selections):
                continue  # a claim: the time is the end of its lease
            for update in statement.updates:
                if any(map(is_due, update.sets)):
                    return "due"
                if any(map(is_attempts, update.raises)):
                    return "count"
        if name[:1].isupper() or not _NEW.isdisjoint(said) or self._inserts(func, site):
            return None
        if any(is_state(argument.name) and _is_taken(argument.value) for argument in site.arguments):
            return None
        for argument in site.arguments:
            if is_due(argument.name) and not isinstance(argument.value, Constant):
                if name in ("values", "update", "aupdate", "replace", "set", "_replace", "copy", "model_copy"):
                    return "due"
            if is_attempts(argument.name) and isinstance(argument.value, Arithmetic) and argument.value.operator == "+":
                if name in ("values", "update", "aupdate", "replace", "set", "_replace", "copy", "model_copy"):
                    return "count"
        return None

    def _inserts(self, func: Func, site: Site) -> bool:
        """``insert(T).values(...)``."""
        callee = site.callee
        while isinstance(callee, Attribute):
            inner = callee.value
            if isinstance(inner, Result):
                callee = self.limits.site(func, inner.site).callee
                if "insert" in words(name_of(callee)):
                    return True
            else:
                return False
        return False

    def _bind_kind(self, func: Func, step: Bind, target: Attribute) -> Literal["due", "count"] | None:
        base = target.value
        if isinstance(base, Reference) and base.name in ("self", "cls"):
            owner = self.analysis.linked.program.owner(func)
            name = self.analysis.linked.program.scope(owner).name if owner is not None else ""
            if name.endswith(("Worker", "Scheduler", "Consumer", "Client", "Connection", "Service", "Job", "Runner")):
                return None
            if not is_due(target.name) or is_attempts(target.name):
                return None
        if not _TALLIES.isdisjoint(words(name_of(base))):
            return None
        if is_due(target.name):
            return None if step.value is None or isinstance(step.value, Constant) else "due"
        if is_attempts(target.name) and step.value is not None and self._raises(func, step.value):
            return "count"
        return None

    def _raises(self, func: Func, value: Value, depth: int = 0) -> bool:
        if isinstance(value, Arithmetic):
            return value.operator == "+"
        if isinstance(value, Boolean):
            return any(self._raises(func, one, depth) for one in value.values)
        if isinstance(value, Reference) and depth < 3:
            found = self.claims.texts.definitions(Expression(func.module, func.scope, value))[0]
            return any(self._raises(func, one.value, depth + 1) for one in found)
        return False

    def _grows(self, func: Func) -> bool:
        """The function computes a delay that doubles, and nothing keeps it below a cap."""
        scope = self.analysis.linked.program.scope(func)
        values = [one.step.value for one in placed(scope.body) if isinstance(one.step, Bind)]
        values += [argument.value for site in scope.sites for argument in site.arguments]
        grows = any(isinstance(p, Arithmetic) and p.operator == "**" for value in values for p in parts(value))
        return grows and not any(name_of(site.callee) in ("min", "clamp") for site in scope.sites)

    def _chosen(self, func: Func) -> list[tuple[Rescheduling, Arms]]:
        """One a branch: the call, else the time, else the count."""
        found = []
        for one, arms in self._candidates.get(func, ()):
            if one.kind == "call":
                inner = [t for t in self._targets(func, one.span) if self._judged_inside(t)]
                if inner:
                    continue
            elif self._called_so(func):
                continue
            found.append((one, arms))
        order = ("call", "due", "count")
        found.sort(key=lambda item: (order.index(item[0].kind), item[0].span.line, item[0].span.column))
        kept: list[tuple[Rescheduling, Arms]] = []
        for one, arms in found:
            if all(_apart(arms, other) for _, other in kept):
                kept.append((one, arms))
        return sorted(kept, key=lambda item: item[0].span)

    def _judged_inside(self, func: Func) -> bool:
        """The function reschedules by a call itself, in worker code: that call is the place."""
        return not self.claims.is_access(func) and any(one.kind == "call" for one, _ in self._candidates.get(func, ()))

    def _called_so(self, func: Func) -> bool:
        """The function is called as something that reschedules: its callers are the place."""
        named = _is_rescheduling(self.analysis.linked.program.scope(func).name)
        return named and any(self.analysis.role(e.caller) is Role.WORKER for e in self.analysis.product_edges(func))


def _is_rescheduling(name: str) -> bool:
    """``schedule_retry``, ``schedule_next_attempt``, ``reschedule``; not ``reschedule_job``, which changes a
    schedule."""
    said = words(name)
    if said[:1] == ("reschedule",):
        return "job" not in said
    rest = said[2:] if said[1:2] == ("next",) else said[1:]
    return said[:1] == ("schedule",) and rest[:1] in (("retry",), ("attempt",))


def _is_taken(value: Value) -> bool:
    """A state in which somebody works on the task: who sets it claims, and the time is the end of the lease."""
    if isinstance(value, Attribute) and value.name == "value":
        return _is_taken(value.value)
    said = value.value if isinstance(value, Text) else name_of(value)
    return not _TAKEN.isdisjoint(words(said))


def _is_due_time(name: str) -> bool:
    said = words(name)
    return is_due(name) or bool({"run", "scheduled", "visible", "available", "due", "eta", "after"} & set(said))


def reschedulings(analysis: Analysis) -> list[Rescheduling]:
    """All reschedulings in worker code without a limit on the way."""

    def compute() -> list[Rescheduling]:
        known = claims(analysis)
        return list(Attempts(analysis, limits(analysis), known).find())

    return analysis.once("reschedulings", compute)


def limits(analysis: Analysis) -> Limits:
    return analysis.once("limits of attempts", lambda: Limits(analysis, claims(analysis)))


__all__ = ["Limits", "Raise", "Rescheduling", "limits", "name_of", "parts", "placed", "reschedulings"]

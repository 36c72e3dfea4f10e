"""What rules ask: functions with their roles, their waits, and the outbound calls that reach somebody uncovered."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from resilint.domain import Hop, Role, Span, Witness
from resilint.facts import Result, Value
from resilint.link.calls import Edge
from resilint.link.entities import Func, SiteKey
from resilint.link.linked import Linked
from resilint.link.roles import is_test_path
from resilint.summaries.interpreter import Interpreter
from resilint.summaries.model import Place, Summary
from resilint.summaries.values import Abstract, may_be_none, options

T = TypeVar("T")


@dataclass(slots=True)
class Analysis:
    """The linked program and everything that is computed from it, each thing once and when it is first asked for."""

    linked: Linked
    interpreter: Interpreter
    _joined: dict[Func, Summary] = field(default_factory=dict)
    _entries: dict[Func, Summary] = field(default_factory=dict)
    _roots: dict[Func, str] | None = None
    _memo: dict[str, Any] = field(default_factory=dict)

    # Roles

    def role(self, func: Func) -> Role:
        return self.linked.roles.role(func).role

    def functions(self, *roles: Role) -> Iterator[Func]:
        """Functions and lambdas in order; only of the given roles, if any."""
        for func in self.linked.program.functions():
            if not roles or self.role(func) in roles:
                yield func

    # Summaries

    def joined(self, func: Func) -> Summary:
        """With the join of its parameters over all calls."""
        known = self._joined.get(func)
        if known is None:
            known = self._joined[func] = self._deep(lambda: self.interpreter.joined(func))
        return known

    def entry(self, func: Func) -> Summary:
        """As an entry: defaults, and nothing known of what it is given."""
        known = self._entries.get(func)
        if known is None:
            known = self._deep(lambda: self.interpreter.entry(func))
            if self._runs_under_deadline(func):
                known = replace(known, exposures=tuple(e for e in known.exposures if e.shielded))
            self._entries[func] = known
        return known

    def _runs_under_deadline(self, func: Func) -> bool:
        """A job's own timeout, written where it is registered."""
        entry = self.linked.roles.entries.get(func)
        if entry is None:
            return False
        for registration, site in entry.extra:
            if registration.deadline is not None and site is not None:
                value = self.interpreter.evaluator.argument(site, registration.deadline, None)
                if value is not None and not may_be_none(value):
                    return True
        return False

    def elsewhere(self, hops: tuple[Hop, ...]) -> tuple[tuple[str, Span], ...]:
        """The calls on the way, nearest first: where a report stands whose own file is not reported."""
        return tuple((h.path, Span(h.line, h.column, h.line, h.column + 1)) for h in reversed(hops))

    @staticmethod
    def _deep(compute: Callable[[], T]) -> T:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, 30_000))
        try:
            return compute()
        finally:
            sys.setrecursionlimit(limit)

    def value(self, key: SiteKey, value: Value) -> tuple[Abstract, ...]:
        """The alternatives of an expression of the scope of ``key``, by itself; a literal None is one of them."""
        evaluator = self.interpreter.evaluator
        return tuple(options(self._deep(lambda: evaluator.value(key.module, key.scope, value, None))))

    def once(self, name: str, compute: Callable[[], T]) -> T:
        """Something that several rules share."""
        if name not in self._memo:
            self._memo[name] = self._deep(compute)
        return self._memo[name]  # type: ignore[no-any-return]

    # Who is entered from outside

    def product_edges(self, func: Func) -> list[Edge]:
        """Calls of the function, those from tests left out."""
        program = self.linked.program
        return [e for e in self.linked.calls.incoming.get(func, ()) if not is_test_path(program.path(e.caller))]

    def roots(self) -> dict[Func, str]:
        """Functions that run without a caller in the project, and why: entries, detached ones, those nobody calls,
        and cycles
        that nobody enters."""
        if self._roots is None:
            self._roots = self._deep(self._find_roots)
        return self._roots

    def _find_roots(self) -> dict[Func, str]:
        program = self.linked.program
        found: dict[Func, str] = {}
        functions = [f for f in program.functions() if self.role(f) is not Role.TEST]
        for func in functions:
            edges = self.product_edges(func)
            if func in self.linked.roles.entries:
                found[func] = "an entry"
            elif func in self.linked.calls.escaping:
                found[func] = "given to code outside the project"
            elif any(not e.attached and not (e.kind == "task" and self._awaited(e, edges)) for e in edges):
                found[func] = "runs detached"
            elif any(program.scope(e.caller).kind in ("module", "class") for e in edges):
                found[func] = "runs at import"
            elif not [e for e in edges if e.caller != func] or self._only_wrapped(func):
                found[func] = "nobody calls it"
        reached = set(found)
        pending = list(found)
        while True:
            while pending:
                func = pending.pop()
                for edge in self.linked.calls.outgoing.get(func, ()):
                    if edge.callee not in reached:
                        reached.add(edge.callee)
                        pending.append(edge.callee)
            cycle = [f for f in functions if f not in reached]
            if not cycle:
                return found
            for func in cycle:
                found[func] = "only a cycle calls it"
                reached.add(func)

    def _only_wrapped(self, func: Func) -> bool:
        """A decorator of the project replaces it, and nobody calls its name."""
        replaced = bool(self.linked.inference.replacements(func))
        return replaced and func not in self.interpreter.evaluator.calls_by_name()

    @staticmethod
    def _awaited(task: Edge, edges: list[Edge]) -> bool:
        """The function that starts the task awaits it, too."""
        return any(e.attached and e.caller == task.caller for e in edges)

    def waits_itself(self, func: Func) -> bool:
        """A wait can stand in the function's own lines: a sleep, a retry, a call of a function that only waits."""
        program = self.linked.program
        scope = program.scope(func)
        if scope.decorators or not all(isinstance(a.value, Result) for a in program.index(func).awaits):
            return True
        for position in range(len(scope.sites)):
            key = SiteKey(func.module, func.scope, position)
            for meaning in self.linked.calls.meanings(key):
                said = meaning.callable
                if said.wait or said.retry or said.deadline or said.awaits or said.spawn:
                    return True
            for entity in self.linked.inference.solver.get(("callees", *key)):
                for target, _, _ in self.linked.inference.targets(entity):
                    if self.interpreter.only_waits(target) or program.scope(target).kind == "lambda":
                        return True
        return False

    def is_transparent(self, func: Func) -> bool:
        """It only waits, and the project calls it: the wait is its callers'."""
        return self.interpreter.only_waits(func) and any(e.attached for e in self.product_edges(func))

    def runs_alone(self, func: Func) -> bool:
        """A task, thread, job or start-up hook runs it, directly or through its callers."""
        return func in self.once("alone", self._running_alone)

    def _running_alone(self) -> frozenset[Func]:
        found: set[Func] = set()
        for func in self.linked.program.functions():
            entry = self.linked.roles.entries.get(func)
            if any(not e.attached and e.kind != "stream" for e in self.product_edges(func)) or (
                entry is not None and entry.role is Role.WORKER
            ):
                found.add(func)
        pending = list(found)
        while pending:
            func = pending.pop()
            for edge in self.linked.calls.outgoing.get(func, ()):
                if edge.attached and edge.callee not in found:
                    found.add(edge.callee)
                    pending.append(edge.callee)
        return frozenset(found)

    def reached_from(self, *roles: Role) -> frozenset[Func]:
        """Functions of these roles and everything they call while attached."""

        def compute() -> frozenset[Func]:
            found = set(self.functions(*roles))
            pending = list(found)
            while pending:
                func = pending.pop()
                for edge in self.linked.calls.outgoing.get(func, ()):
                    if edge.attached and edge.callee not in found:
                        found.add(edge.callee)
                        pending.append(edge.callee)
            return frozenset(found)

        return self.once("reached " + " ".join(roles), compute)

    # Places and names

    def path(self, func: Func) -> str:
        return self.linked.program.path(func)

    def name(self, func: Func) -> str:
        """The function's name inside its module; the path for module code."""
        return self.linked.program.local_name(func) or self.path(func)

    def qualname(self, func: Func) -> str:
        return self.linked.program.qualname(func)

    def site_span(self, key: SiteKey) -> Span:
        return self.linked.program.site(key).span

    def witness(self, entry: Func, hops: tuple[Hop, ...], place: Place, last: str) -> Witness:
        """The path from an entry to a place, for a finding's trace; empty where one function is all there is."""
        if not hops:
            return ()
        span = self.linked.program.scope(entry).span
        start = Hop(self.path(entry), span.line, span.column, f"{self.role(entry)} {self.name(entry)}")
        end = Hop(self.path(place.func), place.span.line, place.span.column, last)
        return (start, *hops, end)


def analyse(linked: Linked) -> Analysis:
    """The analysis of a linked program."""
    return Analysis(linked, Interpreter(linked))

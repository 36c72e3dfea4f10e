"""Tasks that can vanish: who starts one, and whether anybody awaits, stores or returns it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from resilint.domain import Confidence
from resilint.facts import Attribute, Reference
from resilint.link.entities import Coro, Func, SiteKey, Task
from resilint.link.infer import written_argument
from resilint.summaries.analysis import Analysis
from resilint.summaries.executors import is_loop_name, loop_method
from resilint.summaries.fates import MAX_DEPTH, End, Fates
from resilint.summaries.sites import Placed, callees, placed, said


class Started(NamedTuple):
    """A call that gives a new task, directly or through a function that returns one."""

    place: Placed
    path: str
    """Qualified name of what makes the task."""
    through: Func | None
    """The project function that returns it."""
    confidence: Confidence
    awaited: bool = False
    """The task is what awaiting the call gives (``await spawn(f())``)."""


class Forgotten(NamedTuple):
    started: Started
    local: bool
    """It is kept in a local name, not dropped."""


def forgotten(analysis: Analysis) -> list[Forgotten]:
    """Tasks that nobody awaits, stores or returns."""
    tasks = Tasks(analysis)
    found = []
    for started in tasks.started():
        ends = tasks.fates.ends(started.place.key, started.awaited)
        if not any(tasks.keeps(end, 0) for end in ends):
            direct = tasks.fates.of_site(started.place.key, started.awaited)
            local = any(u.kind == "name" and u.name != "_" for u in direct)
            found.append(Forgotten(started, local))
    return found


class Tasks:
    """Follows tasks; ``makers`` are project functions that do nothing with a task but return it."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.fates = Fates.of(analysis)
        self.makers: dict[Func, str] = {}

    def started(self) -> list[Started]:
        found = list(self._direct())
        known = {s.place.key for s in found}
        fresh = found
        while fresh:
            makers: dict[Func, str] = {}
            for started in fresh:
                func = Func(started.place.key.module, started.place.key.scope)
                if func not in self.makers and self._only_returns(started):
                    makers[func] = started.path
            self.makers.update(makers)
            fresh = [s for s in self._through(makers) if s.place.key not in known] if makers else []
            known |= {s.place.key for s in fresh}
            found += fresh
        return found

    def _direct(self) -> Iterator[Started]:
        for place in placed(self.analysis):
            for meaning, _ in said(self.analysis, place.key):
                spawn = meaning.callable.spawn
                if spawn is not None and spawn.task and not spawn.tracked:
                    if spawn.adopts and self._is_kept_already(place, spawn.what):
                        break
                    yield Started(place, meaning.path, None, Confidence.HIGH)
                    break
            else:
                named = self._by_name(place)
                if named is not None:
                    yield named

    def _is_kept_already(self, place: Placed, spec: str) -> bool:
        """``ensure_future(task)``: no new task, and the old one is kept."""
        key = place.key
        value = written_argument(place.site, spec)
        if value is None:
            return False
        found = self.analysis.linked.inference.of(key.module, key.scope, value)
        if any(isinstance(e, Task) for e in found) and not any(isinstance(e, Coro) for e in found):
            return True
        if not isinstance(value, Reference) or found:
            return False
        ends = self.fates.ends_of_parameter(Func(key.module, key.scope), value.name)
        return any(end.use.kind in ("store", "await", "return", "yield") for end in ends)

    def _by_name(self, place: Placed) -> Started | None:
        """On a receiver of which nothing is known but that it is named like a loop."""
        callee = place.site.callee
        if not isinstance(callee, Attribute) or not is_loop_name(callee.value):
            return None
        if callees(self.analysis, place.key):
            return None
        if self.analysis.linked.inference.of(place.key.module, place.key.scope, callee.value):
            return None
        meaning = loop_method(self.analysis, callee.name)
        spawn = meaning.callable.spawn if meaning is not None else None
        if meaning is None or spawn is None or not spawn.task or spawn.tracked:
            return None
        return Started(place, meaning.path, None, Confidence.MEDIUM)

    def _only_returns(self, started: Started) -> bool:
        """The function keeps the task nowhere, it only hands it back."""
        ends = self.fates.ends(started.place.key, started.awaited)
        returned = [e for e in ends if e.use.kind == "return" and e.use.scope == started.place.key.scope]
        return bool(returned) and not any(self.keeps(e, 0) for e in ends if e.use.kind != "return")

    def _through(self, makers: dict[Func, str]) -> Iterator[Started]:
        program = self.analysis.linked.program
        for place in placed(self.analysis):
            entities = callees(self.analysis, place.key)
            targets = [f for e in entities for f, _, _ in self.analysis.linked.inference.targets(e)]
            if not targets or not all(f in self.makers for f in targets) or targets[0] not in makers:
                continue
            awaited = program.scope(targets[0]).is_async
            if awaited and not place.site.awaited:
                continue  # the coroutine goes elsewhere
            yield Started(place, makers[targets[0]], targets[0], Confidence.HIGH, awaited)

    def keeps(self, end: End, depth: int) -> bool:
        """Whether a use of the task is one that awaits, stores or returns it."""
        use = end.use
        if use.kind in ("await", "store", "yield", "loop test"):
            return True
        if use.kind == "enter":
            return not use.name
        if use.kind == "return":
            return not self._returned_to_nobody(Func(end.module, use.scope))
        if use.kind == "receiver":
            return self._method_keeps(end)
        if use.kind == "argument":
            return self._argument_keeps(end, depth)
        return False

    def _method_keeps(self, end: End) -> bool:
        """``task.cancel()``, ``task.result()``: whoever does that has not forgotten it."""
        meanings = [m.callable for m, _ in said(self.analysis, end.key)]
        return any(m.cancels_task or m.task_result for m in meanings)

    def _argument_keeps(self, end: End, depth: int) -> bool:
        parameters = self.fates.parameters(end)
        if parameters is None:
            meanings = [m.callable for m, _ in said(self.analysis, end.key)]
            return not (meanings and all(m.forgets for m in meanings))
        if depth > MAX_DEPTH:
            return True
        return all(
            any(self.keeps(inner, depth + 1) for inner in self.fates.ends_of_parameter(func, name))
            for func, name in parameters
        )

    def _returned_to_nobody(self, func: Func) -> bool:
        """A lambda whose caller is outside the project, or a callback: nobody looks at what it returns."""
        calls = self.analysis.linked.calls
        edges = calls.incoming.get(func, ())
        if any(e.kind in ("callback", "thread", "background") for e in edges):
            return True
        if self.analysis.linked.program.scope(func).kind != "lambda":
            return False
        return func in calls.escaping and not [e for e in edges if e.attached]


def coroutine_name(analysis: Analysis, key: SiteKey) -> str:
    """The project function that the task runs, for the message; empty where it is not known."""
    for meaning, _ in said(analysis, key):
        if meaning.callable.spawn is None:
            continue
        for entity in sorted(analysis.linked.inference.solver.get(("result", *key)), key=repr):
            target = getattr(entity, "target", None)
            for func, _, _ in analysis.linked.inference.targets(target) if target is not None else ():
                return analysis.name(func)
    return ""

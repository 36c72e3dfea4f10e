"""Tests the oracle: faults put into the linker and the summaries one at a time, each of which it has to find.

``python -m tests.oracle.faults`` says which are found, and after how many programs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest import mock

from resilint.domain import ZERO, Interval
from resilint.facts import Branch, Break, Continue, Raise, Return, Try
from resilint.link.attributes import Attributes
from resilint.summaries import analysis, evaluate, interpreter, state
from resilint.summaries.evaluate import Evaluator
from resilint.summaries.interpreter import Activation, Interpreter
from resilint.summaries.state import Flow
from resilint.summaries.values import UNKNOWN, Foreign
from tests.oracle.compare import differences, happen, say
from tests.oracle.draws import Seeded
from tests.oracle.generator import generate

SEED = 7_000_000


class Fault(NamedTuple):
    name: str
    break_it: Callable[[], ExitStack]


FAULTS: list[Fault] = []


def fault(name: str) -> Callable[[Callable[[ExitStack], None]], None]:
    """Register a fault: a function that puts patches on a stack."""

    def register(function: Callable[[ExitStack], None]) -> None:
        def break_it() -> ExitStack:
            stack = ExitStack()
            function(stack)
            return stack

        FAULTS.append(Fault(name, break_it))

    return register


def put(stack: ExitStack, owner: Any, name: str, replacement: Any) -> Any:
    """Replace an attribute that must exist; gives what was there."""
    old = getattr(owner, name)
    if isinstance(owner, type) and isinstance(owner.__dict__.get(name), staticmethod):
        replacement = staticmethod(replacement)
    stack.enter_context(mock.patch.object(owner, name, replacement))
    return old


def step(stack: ExitStack, kind: type, replacement: Any) -> Any:
    """Replace how a kind of step is followed."""
    old = interpreter._STEPS[kind]
    stack.enter_context(mock.patch.dict(interpreter._STEPS, {kind: replacement}))
    return old


# Link


@fault("a name imported from another file is unknown")
def _(stack: ExitStack) -> None:
    put(stack, Evaluator, "_imported", lambda self, module, scope, value: UNKNOWN)


@fault("instance attributes have no value")
def _(stack: ExitStack) -> None:
    put(stack, Evaluator, "_instance_value", lambda self, inst, name: UNKNOWN)


@fault("decorators do nothing")
def _(stack: ExitStack) -> None:
    put(stack, Interpreter, "_apply_decorators", lambda self, func, current, state: current)


@fault("attributes of instances have no type")
def _(stack: ExitStack) -> None:
    old: Any = put(
        stack, Attributes, "attribute", lambda self, e, name: frozenset() if name == "_upstream" else old(self, e, name)
    )


@fault("outbound calls of tasks that nobody awaits are lost")
def _(stack: ExitStack) -> None:
    def roots(self: Any) -> Any:
        return {f: why for f, why in old(self).items() if "detached" not in why}

    def spawn(self: Any, *arguments: Any) -> Any:
        made = old_spawn(self, *arguments)
        self.loose.clear()
        return made

    old: Any = put(stack, analysis.Analysis, "_find_roots", roots)
    old_spawn: Any = put(stack, Activation, "_spawn", spawn)


# Values


@fault("defaults are ignored")
def _(stack: ExitStack) -> None:
    put(stack, Evaluator, "default", lambda self, func, position: None)


@fault("keyword arguments are ignored")
def _(stack: ExitStack) -> None:
    def bind(self: Any, func: Any, target: Any, positional: Any, keywords: Any) -> Any:
        return old(self, func, target, positional, ())

    old: Any = put(stack, Interpreter, "_bind_arguments", bind)


@fault("positional arguments are ignored")
def _(stack: ExitStack) -> None:
    def bind(self: Any, func: Any, target: Any, positional: Any, keywords: Any) -> Any:
        return old(self, func, target, (), keywords)

    old: Any = put(stack, Interpreter, "_bind_arguments", bind)


@fault("one context for all calls")
def _(stack: ExitStack) -> None:
    def summary(self: Any, target: Any, positional: Any, keywords: Any) -> Any:
        func = getattr(target.target, "func", target.target)
        return self.default_summary(func.plain) if not target.free else old(self, target, positional, keywords)

    old: Any = put(stack, Interpreter, "summary", summary)


@fault("< is <=")
def _(stack: ExitStack) -> None:
    stack.enter_context(mock.patch.dict(evaluate._COMPARE, {"<": evaluate._COMPARE["<="]}))


@fault(">= is >")
def _(stack: ExitStack) -> None:
    stack.enter_context(mock.patch.dict(evaluate._COMPARE, {">=": evaluate._COMPARE[">"]}))


@fault("== is !=")
def _(stack: ExitStack) -> None:
    old: Any = put(
        stack, Evaluator, "compare", lambda self, sign, a, b: old(self, "!=" if sign == "==" else sign, a, b)
    )


@fault("* is +")
def _(stack: ExitStack) -> None:
    old: Any = put(stack, Evaluator, "_numbers", lambda self, sign, a, b: old(self, "+" if sign == "*" else sign, a, b))


@fault("seconds of a timedelta are minutes")
def _(stack: ExitStack) -> None:
    stack.enter_context(mock.patch.dict(evaluate._SECONDS, {"seconds": 60.0}))


@fault("the first of several alternatives is the only one")
def _(stack: ExitStack) -> None:
    put(stack, Evaluator, "_choice", lambda self, m, s, value, st: self.value(m, s, value.orelse, st))


@fault("decided branches are taken both")
def _(stack: ExitStack) -> None:
    def branch(self: Any, one: Any, at: Any) -> Any:
        with mock.patch.object(Evaluator, "truth", lambda *a: None):
            return old(self, one, at)

    old: Any = step(stack, Branch, branch)


@fault("a loop goes over one item less")
def _(stack: ExitStack) -> None:
    old: Any = put(
        stack,
        Activation,
        "_unrolled",
        lambda self, one, at, items, least: old(self, one, at, items[:-1], max(least - 1, 0)),
    )


@fault("an iterator of numbers starts one later")
def _(stack: ExitStack) -> None:
    def unrolled(self: Any, one: Any, at: Any, items: Any, least: Any) -> Any:
        return old(self, one, at, [i + Interval.exactly(1.0) if isinstance(i, Interval) else i for i in items], least)

    old: Any = put(stack, Activation, "_unrolled", unrolled)


# Flow


@fault("join instead of worst")
def _(stack: ExitStack) -> None:
    for module in (state, interpreter):
        put(stack, module, "worst", lambda a, b: a.join(b))


@fault("the shorter of two paths")
def _(stack: ExitStack) -> None:
    for module in (state, interpreter):
        put(stack, module, "worst", lambda a, b: a.minimum(b))


@fault("break goes on")
def _(stack: ExitStack) -> None:
    step(stack, Break, lambda self, one, at: Flow(normal=at))


@fault("continue goes on")
def _(stack: ExitStack) -> None:
    step(stack, Continue, lambda self, one, at: Flow(normal=at))


@fault("return goes on")
def _(stack: ExitStack) -> None:
    step(stack, Return, lambda self, one, at: Flow(normal=at))


@fault("raise goes on")
def _(stack: ExitStack) -> None:
    step(stack, Raise, lambda self, one, at: Flow(normal=at))


@fault("handlers of exceptions never run")
def _(stack: ExitStack) -> None:
    def follow(self: Any, one: Any, at: Any) -> Any:
        return old(self, Try(one.body, (), one.orelse, one.final), at)

    old: Any = step(stack, Try, follow)


@fault("what is raised waits nothing")
def _(stack: ExitStack) -> None:
    old: Any = put(stack, Flow, "longest", lambda self: _without_raised(self, old))


def _without_raised(flow: Flow, longest: Callable[[Flow], Interval]) -> Interval:
    raised, flow.raised = flow.raised, None
    try:
        return longest(flow)
    finally:
        flow.raised = raised


# Deadlines


@fault("deadlines do not cap")
def _(stack: ExitStack) -> None:
    put(stack, interpreter, "_capped", lambda value, cap: value)


@fault("deadlines cover no call")
def _(stack: ExitStack) -> None:
    put(stack, interpreter, "_covers", lambda seconds: False)


@fault("a deadline of None is one")
def _(stack: ExitStack) -> None:
    put(stack, interpreter, "_covers", lambda seconds: True)


@fault("an expired deadline raises nothing")
def _(stack: ExitStack) -> None:
    def cap(self: Any, flow: Any, *rest: Any) -> None:
        raised = flow.raised
        old(self, flow, *rest)
        flow.raised = raised

    old: Any = put(stack, Activation, "_cap", cap)


@fault("shield does not hide")
def _(stack: ExitStack) -> None:
    def run(self: Any, foreign: Foreign, at: Any, span: Any) -> Any:
        what = foreign.meaning.callable.shields
        if what is None:
            return old(self, foreign, at, span)
        return self.run_awaitable(interpreter._argument(dict(foreign.arguments), what), at, span, None)

    old: Any = put(stack, Activation, "run_foreign", run)


@fault("wait_for has no deadline")
def _(stack: ExitStack) -> None:
    def run(self: Any, meaning: Any, arguments: Any, at: Any, span: Any) -> Any:
        return self.run_awaitable(interpreter._argument(arguments, meaning.callable.deadline.covers), at, span, None)

    put(stack, Activation, "_wait_for", run)


@fault("deadlines around a yield are forgotten")
def _(stack: ExitStack) -> None:
    put(stack, Interpreter, "limits_at_yield", lambda self, pending: ())


# Concurrency


@fault("gather waits for one after the other")
def _(stack: ExitStack) -> None:
    def together(self: Any, values: Any, at: Any, span: Any) -> Any:
        return [self.run_awaitable(v, at, span, None) for v in values] and UNKNOWN

    put(stack, Activation, "run_together", together)


@fault("a task that nobody awaits is awaited")
def _(stack: ExitStack) -> None:
    def spawn(self: Any, meaning: Any, key: Any, site: Any, at: Any) -> Any:
        made = old(self, meaning, key, site, at)
        if not meaning.callable.spawn.attached:
            self.run_awaitable(made, at, site.span, None)
        return made

    old: Any = put(stack, Activation, "_spawn", spawn)


@fault("a task starts when it is awaited")
def _(stack: ExitStack) -> None:
    def run(self: Any, started: Any, at: Any, span: Any) -> Any:
        return old(self, started._replace(since=at.clock), at, span)

    old: Any = put(stack, Activation, "run_started", run)


@fault("an awaited task takes no time")
def _(stack: ExitStack) -> None:
    put(stack, Activation, "run_started", lambda self, started, at, span: UNKNOWN)


@fault("a cancelled task is awaited to its end")
def _(stack: ExitStack) -> None:
    put(stack, Activation, "_note_cancel", lambda self, site, at: None)


@fault("a group does not wait for its tasks")
def _(stack: ExitStack) -> None:
    put(stack, Activation, "_finish_tasks", lambda spawned, flow: None)


# Calls


@fault("waits of callees do not count")
def _(stack: ExitStack) -> None:
    def apply(self: Any, summary: Any, callee: Any, at: Any, span: Any, concurrent: bool = False) -> Any:
        return old(self, summary, callee, at, span, True)

    old: Any = put(stack, Activation, "apply", apply)


@fault("outbound calls of callees are lost")
def _(stack: ExitStack) -> None:
    def apply(self: Any, summary: Any, *rest: Any) -> Any:
        return old(self, summary if not summary.exposures else interpreter.Summary(summary.total, summary.waits), *rest)

    old: Any = put(stack, Activation, "apply", apply)


@fault("iterating a generator takes no time")
def _(stack: ExitStack) -> None:
    put(stack, Activation, "run_iteration", lambda self, value, at, span: None)


@fault("recursion ends at once")
def _(stack: ExitStack) -> None:
    def in_context(self: Any, func: Any, env: Any, free: Any) -> Any:
        if self.memo.followed(func):
            return interpreter.EMPTY
        return old(self, func, env, free)

    old: Any = put(stack, Interpreter, "_in_context", in_context)


@fault("a function that only waits is like any other")
def _(stack: ExitStack) -> None:
    put(stack, Interpreter, "only_waits", lambda self, func: False)


@fault("a loop around a call does not count")
def _(stack: ExitStack) -> None:
    def loop(self: Any, one: Any, at: Any) -> Any:
        before = dict(self.waits.items())
        flow = old(self, one, at)
        for place, wait in self.waits.items():
            if wait.depth and wait.entered_loop and place not in before:
                self.waits[place] = wait._replace(looped=False, loop_total=ZERO)
        return flow

    old: Any = step(stack, interpreter.Loop, loop)


@contextmanager
def broken(one: Fault) -> Iterator[None]:
    with one.break_it():
        yield


def hunt(faults: list[Fault], programs: int, seed: int = SEED) -> dict[str, int | None]:
    """After how many programs each fault is found; what the unbroken analyser disagrees on does not count."""
    found: dict[str, int | None] = {one.name: None for one in faults}
    open_ = list(faults)
    for number in range(1, programs + 1):
        if not open_:
            break
        program = generate(Seeded(seed + number))
        happened = happen(program)
        usual = set(differences(program, happened, say(program)))
        for one in list(open_):
            with broken(one):
                fresh = set(differences(program, happened, say(program))) - usual
            if fresh:
                found[one.name] = number
                open_.remove(one)
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.faults", description=__doc__)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    found = hunt(FAULTS, options.programs, options.seed)
    for name, number in sorted(found.items(), key=lambda item: (item[1] is None, item[1] or 0, item[0])):
        print(f"{'missed' if number is None else number:>7}  {name}")
    missed = [name for name, number in found.items() if number is None]
    print(f"{len(found) - len(missed)} of {len(found)} faults found within {options.programs} programs")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

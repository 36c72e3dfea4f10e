"""Which steps of a body can run: what stands after a ``return`` or under ``if False`` cannot."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.facts import Branch, Break, Constant, Continue, Loop, Match, Number, Raise, Return, Step, Try, Value, With

_ENDS = (Return, Raise, Break, Continue)


def _decided(test: Value) -> bool | None:
    if isinstance(test, Constant):
        return bool(test.value)
    if isinstance(test, Number):
        return bool(test.value)
    return None


def ends(steps: tuple[Step, ...]) -> bool:
    """No path goes on behind these steps."""
    for step in steps:
        if isinstance(step, _ENDS):
            return True
        if isinstance(step, Branch):
            decided = _decided(step.test)
            taken = [step.body] if decided is True else [step.orelse] if decided is False else [step.body, step.orelse]
            if all(ends(arm) for arm in taken):
                return True
        elif isinstance(step, Try):
            if ends(step.final) or (
                (ends(step.body) or ends(step.orelse)) and all(ends(handler.body) for handler in step.handlers)
            ):
                return True
        elif isinstance(step, With):
            if ends(step.body):
                return True
        elif isinstance(step, Match):
            whole = any(case.irrefutable and case.guard is None for case in step.cases)
            if whole and all(ends(case.body) for case in step.cases):
                return True
    return False


def arms(branch: Branch) -> tuple[tuple[Step, ...], ...]:
    """The sides of a branch that can be taken."""
    decided = _decided(branch.test)
    if decided is True:
        return (branch.body,)
    if decided is False:
        return (branch.orelse,)
    return (branch.body, branch.orelse)


def reached(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps of one block up to the one behind which nothing goes on."""
    for position, step in enumerate(steps):
        if ends((step,)):
            return steps[: position + 1]
    return steps


def live(steps: tuple[Step, ...]) -> Iterator[Step]:
    """All steps that can run, nested ones after their header."""
    for step in reached(steps):
        yield step
        if isinstance(step, Branch):
            for arm in arms(step):
                yield from live(arm)
        elif isinstance(step, Loop):
            yield from live(step.condition)
            if not (step.kind == "while" and _decided(step.subject) is False):
                yield from live(step.body)
            yield from live(step.orelse)
        elif isinstance(step, With):
            for item in step.items:
                yield from live(item.entering)
            yield from live(step.body)
        elif isinstance(step, Try):
            yield from live(step.body)
            for handler in step.handlers:
                yield from live(handler.body)
            yield from live(step.orelse)
            yield from live(step.final)
        elif isinstance(step, Match):
            for case in step.cases:
                yield from live(case.guarding)
                yield from live(case.body)

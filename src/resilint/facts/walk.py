"""Walk over steps, nested ones included."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.facts.step import Branch, Loop, Match, Step, Try, With


def inside(steps: tuple[Step, ...]) -> Iterator[Step]:
    """All steps in source order, those of nested blocks after their header."""
    for step in steps:
        yield step
        if isinstance(step, Branch):
            yield from inside(step.body)
            yield from inside(step.orelse)
        elif isinstance(step, Loop):
            yield from inside(step.condition)
            yield from inside(step.body)
            yield from inside(step.orelse)
        elif isinstance(step, With):
            for item in step.items:
                yield from inside(item.entering)
            yield from inside(step.body)
        elif isinstance(step, Try):
            yield from inside(step.body)
            for handler in step.handlers:
                yield from inside(handler.body)
            yield from inside(step.orelse)
            yield from inside(step.final)
        elif isinstance(step, Match):
            for case in step.cases:
                yield from inside(case.guarding)
                yield from inside(case.body)

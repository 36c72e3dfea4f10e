"""Where a path stands: what its names hold and how long it has waited; and how paths part and join."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from resilint.domain import ANY, ZERO, Interval
from resilint.summaries.values import Abstract, join


def worst(first: Interval, second: Interval) -> Interval:
    """The wait of the worse of two paths: the one that can wait longer; where one is unknown, a known minimum
    counts."""
    if first.hi is not None and second.hi is not None:
        return max(first, second, key=lambda i: (i.hi, i.lo if i.lo is not None else -1.0))
    return first.maximum(second)


class State:
    """One path, or several joined. ``env`` maps names, and the numbers of call sites, to what they hold."""

    __slots__ = ("clock", "ended", "env", "wait")

    def __init__(
        self, env: dict[Any, Abstract], wait: Interval = ZERO, clock: Interval = ZERO, ended: bool = False
    ) -> None:
        self.env = env
        self.wait = wait
        """Seconds waited since the start of the current region (function, loop or deadline)."""
        self.clock = clock
        """Seconds waited since the start of the function, on whichever of the joined paths: what clocks show."""
        self.ended = ended
        """What it has just awaited certainly ends by an exception: a deadline expires in it."""

    def copy(self) -> State:
        return State(dict(self.env), self.wait, self.clock, self.ended)

    def pause(self, seconds: Interval, least: float | None = None) -> None:
        """Wait. ``seconds`` is the worst path's wait; where others wait less, ``least`` is what all of them wait."""
        self.wait += seconds
        self.clock += seconds if least is None else Interval(least, seconds.hi, seconds.seen)

    def follow(self, other: State) -> None:
        """Go on where ``other`` stands."""
        self.env, self.wait, self.clock, self.ended = other.env, other.wait, other.clock, other.ended


def merge(first: State | None, second: State | None) -> State | None:
    """The state after two paths meet; None is a path that does not get there."""
    if first is None:
        return second
    if second is None:
        return first
    env = first.env
    other = second.env
    if env is not other:
        merged = dict(env)
        for name, value in other.items():
            known = merged.get(name, value)
            if known is not value:
                merged[name] = join(known, value)
            else:
                merged[name] = value
        env = merged
    return State(env, worst(first.wait, second.wait), first.clock.join(second.clock), first.ended and second.ended)


def passed(now: Interval, since: Interval) -> Interval:
    """The time between two readings of the clock of one path, of which the second led to the first."""
    lo = None if now.lo is None or since.lo is None else now.lo - since.lo
    hi = None if now.hi is None or since.hi is None else now.hi - since.hi
    return Interval(
        max(lo, 0.0) if lo is not None and not math.isnan(lo) else 0.0, None if hi is None or math.isnan(hi) else hi
    )


def between(first: Interval, second: Interval) -> Interval:
    """``first - second`` of two readings of the clock of one path, whichever was taken first."""
    lo = None if first.lo is None or second.lo is None else first.lo - second.lo
    hi = None if first.hi is None or second.hi is None else first.hi - second.hi
    if lo is None or hi is None or math.isnan(lo) or math.isnan(hi):
        return ANY
    return Interval(min(lo, hi), max(lo, hi))


def later(clock: Interval, at_most: Interval) -> Interval:
    """The clock after up to so many seconds."""
    return Interval(clock.lo, (clock + at_most).hi)


@dataclass(slots=True)
class Flow:
    """How a piece of code can be left; None: not in that way."""

    normal: State | None = None
    broken: State | None = None
    continued: State | None = None
    returned: State | None = None
    raised: State | None = None
    diverged: Interval | None = None
    """It loops for ever: the wait until then (infinite, or capped by a deadline around)."""
    extra: dict[str, Any] = field(default_factory=dict)

    def absorb(self, other: Flow) -> None:
        """Add the abrupt exits of ``other``; its normal exit is for the caller to take."""
        self.broken = merge(self.broken, other.broken)
        self.continued = merge(self.continued, other.continued)
        self.returned = merge(self.returned, other.returned)
        self.raised = merge(self.raised, other.raised)
        if other.diverged is not None:
            self.diverged = other.diverged if self.diverged is None else worst(self.diverged, other.diverged)

    def states(self) -> list[State]:
        return [s for s in (self.normal, self.broken, self.continued, self.returned, self.raised) if s is not None]

    def longest(self) -> Interval:
        """The worst wait over all ways out."""
        total: Interval | None = self.diverged
        for state in self.states():
            total = state.wait if total is None else worst(total, state.wait)
        return ZERO if total is None else total

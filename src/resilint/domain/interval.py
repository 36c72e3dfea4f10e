"""Intervals of numbers, mostly of seconds, in which the unknown is a value of its own.

``lo`` and ``hi`` bound what can happen: ``None`` means that no bound is known, ``inf`` means that there is none
(an endless loop). ``seen`` is a value that can occur although ``hi`` is not known: in ``8 if c else x`` with an unknown
``x`` nothing bounds the value, and yet 8 is one of the values it takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

Bound = float | None


def _add(a: Bound, b: Bound) -> Bound:
    if a is None or b is None:
        known = b if a is None else a
        return known if known is not None and math.isinf(known) else None
    total = a + b
    return None if math.isnan(total) else total


def _mul(a: Bound, b: Bound) -> Bound:
    if a is None or b is None:
        return None
    if a == 0 or b == 0:
        return 0.0
    return a * b


class Interval(NamedTuple):
    """``[lo, hi]``, both ends included; see the module for ``None``, ``inf`` and ``seen``."""

    lo: Bound
    hi: Bound
    seen: Bound = None

    @classmethod
    def exactly(cls, value: float) -> Interval:
        return cls(value, value)

    @property
    def exact(self) -> float | None:
        """The only value, where there is only one."""
        return self.lo if self.lo is not None and self.lo == self.hi else None

    @property
    def unknown(self) -> bool:
        """Nothing at all is known."""
        return self.lo is None and self.hi is None and self.seen is None

    @property
    def unbounded(self) -> bool:
        return self.hi == math.inf

    @property
    def reach(self) -> Bound:
        """The greatest value that is known to be possible: the cap, else a known alternative, else the minimum."""
        if self.hi is not None:
            return self.hi
        if self.seen is not None and (self.lo is None or self.seen >= self.lo):
            return self.seen
        return self.lo

    def __add__(self, other: object) -> Interval:
        if not isinstance(other, Interval):
            return NotImplemented
        if self.hi is not None and other.hi is not None:
            return Interval(_add(self.lo, other.lo), _add(self.hi, other.hi))
        seen = _add(self.reach, other.reach) if (self.seen is not None or other.seen is not None) else None
        return Interval(_add(self.lo, other.lo), _add(self.hi, other.hi), seen)

    def __neg__(self) -> Interval:
        return Interval(None if self.hi is None else -self.hi, None if self.lo is None else -self.lo)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def times(self, other: Interval) -> Interval:
        """The product. Ends that are not known stay so."""
        if self.exact == 0 or other.exact == 0:
            return ZERO
        ends = [_mul(a, b) for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        known = [e for e in ends if e is not None]
        if len(known) == 4:
            return Interval(min(known), max(known))
        lo = hi = None
        if (self.lo or 0) >= 0 and (other.lo or 0) >= 0 and self.lo is not None and other.lo is not None:
            lo = self.lo * other.lo if not (math.isinf(self.lo) or math.isinf(other.lo)) else None
            hi = _mul(self.hi, other.hi)
        elif (self.lo is None and self.hi is not None and self.hi >= 0 and other.lo is not None and other.lo >= 0) or (
            other.lo is None and other.hi is not None and other.hi >= 0 and self.lo is not None and self.lo >= 0
        ):
            hi = _mul(self.hi, other.hi)
        seen = None
        if hi is None and (self.seen is not None or other.seen is not None):
            seen = _mul(self.reach, other.reach)
        return Interval(lo, hi, seen)

    def divided_by(self, other: Interval) -> Interval:
        if other.lo is None or other.hi is None or other.lo <= 0 <= other.hi:
            return ANY
        return self.times(Interval(1 / other.hi, 1 / other.lo))

    def floor_divided_by(self, other: Interval) -> Interval:
        return self.divided_by(other).mapped(math.floor)

    def modulo(self, other: Interval) -> Interval:
        if self.exact is not None and other.exact:
            return Interval.exactly(
                math.fmod(self.exact, other.exact) if self.exact >= 0 < other.exact else self.exact % other.exact
            )
        if other.lo is not None and other.lo > 0:
            return Interval(0.0, other.hi)
        return ANY

    def power(self, other: Interval) -> Interval:
        """``self ** other`` for bases of at least 0; anything else is unknown."""
        if self.exact == 1 or other.exact == 0:
            return Interval.exactly(1.0)
        if self.lo is None or self.lo < 0:
            return ANY
        try:
            lo = self.lo**other.lo if other.lo is not None and self.lo >= 1 else None
            hi = self.hi**other.hi if self.hi is not None and other.hi is not None and self.hi >= 1 else None
            if self.exact is not None and other.exact is not None and (self.exact or other.exact > 0):
                return Interval.exactly(float(self.exact**other.exact))
        except OverflowError:
            return Interval(None, math.inf) if self.lo < 1 else Interval(self.lo, math.inf)
        if other.lo is not None and other.lo >= 0 and lo is None and self.lo >= 0:
            lo = 0.0
        return Interval(lo, hi)

    def mapped(self, monotone: Callable[[float], float]) -> Interval:
        """Apply a function that never falls."""

        def end(value: Bound) -> Bound:
            return value if value is None or math.isinf(value) else float(monotone(value))

        return Interval(end(self.lo), end(self.hi), end(self.seen))

    def absolute(self) -> Interval:
        if self.lo is not None and self.lo >= 0:
            return self
        if self.lo is None or self.hi is None:
            return Interval(0.0, None, self.seen if self.seen is not None and self.seen >= 0 else None)
        top = max(abs(self.lo), abs(self.hi))
        return Interval(0.0 if self.hi >= 0 else -self.hi, top)

    def join(self, other: Interval) -> Interval:
        """What holds if either does. A known alternative beside an unknown one survives as ``seen``."""
        lo = None if self.lo is None or other.lo is None else min(self.lo, other.lo)
        if self.hi is not None and other.hi is not None:
            return Interval(lo, max(self.hi, other.hi))
        reaches = [r for r in (self.reach, other.reach) if r is not None]
        return Interval(lo, None, max(reaches) if reaches else None)

    def minimum(self, other: Interval) -> Interval:
        """Python's ``min(self, other)``: one known cap is enough for a cap."""
        his = [h for h in (self.hi, other.hi) if h is not None]
        lo = None if self.lo is None or other.lo is None else min(self.lo, other.lo)
        return Interval(lo, min(his) if his else None)

    def maximum(self, other: Interval) -> Interval:
        """Python's ``max(self, other)``: one known floor is enough for a floor."""
        los = [x for x in (self.lo, other.lo) if x is not None]
        hi = None if self.hi is None or other.hi is None else max(self.hi, other.hi)
        if math.inf in (self.hi, other.hi):
            hi = math.inf
        seen = None
        if hi is None:
            reaches = [r for r in (self.reach, other.reach) if r is not None]
            seen = max(reaches) if reaches else None
        return Interval(max(los) if los else None, hi, seen)

    def at_least_zero(self) -> Interval:
        """As a wait: nobody sleeps for less than 0 s."""
        return self.maximum(ZERO) if (self.lo is None or self.lo < 0) and self.hi is not None else self

    def __str__(self) -> str:
        def end(value: Bound) -> str:
            return "?" if value is None else format(value, "g")

        text = f"[{end(self.lo)}, {end(self.hi)}]"
        return text if self.seen is None else f"{text[:-1]} seen {end(self.seen)}]"


ZERO = Interval(0.0, 0.0)
ANY = Interval(None, None)
"""Nothing is known."""
UNBOUNDED = Interval(math.inf, math.inf)
"""An endless loop with a wait."""

"""How durations are put into words in messages."""

from __future__ import annotations

import math

from resilint.domain import Interval
from resilint.summaries.model import Wait


def plain(value: float) -> str:
    """A number as a person writes it: at most three decimals, no trailing zeros."""
    return format(round(value, 3), "g") if abs(value) < 1e6 else format(value, ".3g")


def seconds(interval: Interval) -> str:
    """``15 s``, ``up to 300 s``, ``at least 4 s``, ``without a bound``."""
    if interval.reach == math.inf:
        return "without a bound"
    if interval.exact is not None:
        return f"{plain(interval.exact)} s"
    if interval.reach is None:
        return "for an unknown time"
    if interval.hi is None and interval.seen is None:
        return f"at least {plain(interval.reach)} s"
    return f"up to {plain(interval.reach)} s"


def product(wait: Wait) -> str:
    """``30 x 1 s``, where the total is that; else empty."""
    times, once, total = wait.times.exact, wait.once.exact, wait.loop_total.reach
    if times is None or once is None or total is None or math.isinf(total) or times <= 1:
        return ""
    return f"{plain(times)} x {plain(once)} s" if math.isclose(times * once, total, rel_tol=1e-6) else ""

"""How long a retry waits between its attempts (tenacity, backoff, stamina), as the catalogue describes them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from resilint.catalogue.schema import Retry, Stop, WaitShape
from resilint.domain import ANY, UNBOUNDED, ZERO, Interval
from resilint.link.calls import Meaning
from resilint.link.entities import Ext
from resilint.summaries.values import Abstract, Combined, Either, Foreign, Items, Things, Unknown, number, options

if TYPE_CHECKING:
    from resilint.summaries.evaluate import Evaluator

_EXACT = 400
"""Up to so many attempts the waits are summed one by one."""

Waiter = Callable[[int], Interval]
"""The wait before attempt ``k + 1``, for k from 1."""


class Plan(NamedTuple):
    """What a retry does: ``attempts`` in all, and waits between them."""

    subject: str
    attempts: Interval
    pauses: Interval
    """The sum of the waits, in seconds."""
    longest: Interval
    """One wait, whichever."""
    gaps: Interval
    """How many waits."""
    limited: Interval | None = None
    """It gives up after so many seconds."""

    @property
    def repeats(self) -> bool:
        return self.attempts.exact is None or self.attempts.exact > 1

    def total(self, each: Interval) -> Interval:
        """With attempts that wait ``each`` themselves."""
        if each.exact == 0:
            return self.pauses
        if self.attempts.unbounded:
            return UNBOUNDED
        if self.attempts.hi is None:
            return Interval((self.pauses.lo or 0.0) + (each.lo or 0.0), None)
        return self.pauses + each.times(self.attempts)


NEVER = Plan("", Interval.exactly(1.0), ZERO, ZERO, ZERO)


def plan(foreign: Foreign, evaluator: Evaluator) -> Plan:
    """The plan of one retry decorator or iterator."""
    said = foreign.meaning.callable.retry
    assert said is not None
    arguments = dict(foreign.arguments)
    attempts, seconds = _stop(said, arguments, evaluator)
    waiter = _waiter(said, arguments, evaluator)
    return _planned(foreign.meaning.path, attempts, seconds, waiter)


def _planned(subject: str, attempts: Interval, seconds: Interval | None, waiter: Waiter) -> Plan:
    first = waiter(1)
    if attempts.exact is not None and attempts.exact <= _EXACT:
        pauses, longest = ZERO, ZERO
        count = max(int(attempts.exact) - 1, 0)
        for k in range(1, count + 1):
            one = waiter(k)
            pauses += one
            longest = one if k == 1 else longest.join(one)
        gaps = Interval.exactly(float(count))
    elif attempts.unbounded:
        far = waiter(_EXACT)
        longest = first.join(far)
        pauses = ZERO if longest.exact == 0 else UNBOUNDED
        gaps = Interval(None, math.inf)
    else:
        far = waiter(int(min(attempts.hi, _EXACT)) if attempts.hi is not None else 8)
        longest = first.join(far)
        gaps = Interval(
            0.0 if attempts.lo is None else max(attempts.lo - 1, 0.0), None if attempts.hi is None else attempts.hi - 1
        )
        pauses = (
            ZERO
            if longest.exact == 0
            else longest.times(gaps)
            if gaps.hi is not None
            else Interval((first.lo or 0.0) * (gaps.lo or 0.0), None)
        )
    if seconds is not None and longest.exact != 0:
        cap = seconds + longest
        pauses = pauses.minimum(cap) if pauses.hi is not None else Interval(pauses.lo, cap.hi)
        if attempts.unbounded:
            pauses = Interval(seconds.lo, cap.hi)
            attempts = Interval(1.0, None)
            gaps = ANY
    return Plan(subject, attempts, pauses, longest, gaps, seconds)


def _written(arguments: dict[str, Abstract], spec: str | None) -> Abstract | None:
    """The argument as a value; Python's None where it is not written (a literal None comes as Either)."""
    if spec is None:
        return None
    name, _, position = spec.partition("@")
    for key in (name, position):
        if key and key in arguments:
            value = arguments[key]
            return Either((None,)) if value is None else value
    return None


def _number(arguments: dict[str, Abstract], spec: str | None, default: float | None) -> Interval | None:
    value = _written(arguments, spec)
    if value is None or (isinstance(value, Either) and value.options == (None,)):
        return None if default is None else Interval.exactly(default)
    return number(value)


def _stop(said: Retry, arguments: dict[str, Abstract], evaluator: Evaluator) -> tuple[Interval, Interval | None]:
    """The number of attempts, and the seconds after which it gives up (None: never)."""
    if said.stop is not None:
        value = _written(arguments, said.stop)
        if value is None:
            return Interval(math.inf, math.inf), None
        return _strategy(value, evaluator)
    attempts = _number(arguments, said.attempts, float(said.absent_attempts) or None)
    limit = _number(arguments, said.limit, said.absent_limit or None)
    return attempts or Interval(math.inf, math.inf), limit


def _meaning(value: Abstract, evaluator: Evaluator) -> tuple[Meaning | None, dict[str, Abstract]]:
    if isinstance(value, Foreign):
        return value.meaning, dict(value.arguments)
    if isinstance(value, Things):
        for entity in sorted(value.entities, key=repr):
            if isinstance(entity, Ext):
                return evaluator.linked.calls.meaning(entity), {}
    return None, {}


def _strategy(value: Abstract, evaluator: Evaluator) -> tuple[Interval, Interval | None]:
    """A stop strategy; one that is not known stops some time."""
    unknown: tuple[Interval, Interval | None] = (Interval(1.0, None), None)
    if isinstance(value, Combined):
        left, right = _strategy(value.left, evaluator), _strategy(value.right, evaluator)
        return _either(left, right) if value.operator == "|" else _both(left, right)
    found = list(options(value))
    if len(found) > 1:
        result = _strategy(found[0], evaluator)
        for one in found[1:]:
            attempts, seconds = _strategy(one, evaluator)
            result = (result[0].join(attempts), seconds if result[1] is None else result[1])
        return result
    meaning, arguments = _meaning(value, evaluator)
    stop: Stop | None = meaning.callable.stop if meaning is not None else None
    if stop is None:
        return unknown
    if stop.combine:
        parts = [_strategy(v, evaluator) for k, v in sorted(arguments.items()) if k.isdigit()]
        if not parts:
            return unknown
        result = parts[0]
        for part in parts[1:]:
            result = _either(result, part) if stop.combine == "any" else _both(result, part)
        return result
    if stop.never:
        return Interval(math.inf, math.inf), None
    if stop.attempts is not None:
        return _number(arguments, stop.attempts, None) or ANY, None
    if stop.seconds is not None:
        return Interval(math.inf, math.inf), _number(arguments, stop.seconds, None) or ANY
    return unknown


def _either(
    a: tuple[Interval, Interval | None], b: tuple[Interval, Interval | None]
) -> tuple[Interval, Interval | None]:
    seconds = a[1] if b[1] is None else b[1] if a[1] is None else a[1].minimum(b[1])
    return _minimum(a[0], b[0]), seconds


def _both(a: tuple[Interval, Interval | None], b: tuple[Interval, Interval | None]) -> tuple[Interval, Interval | None]:
    if a[1] is not None and b[1] is not None:
        return a[0].maximum(b[0]), a[1].maximum(b[1])
    return Interval(1.0, None), None


def _minimum(a: Interval, b: Interval) -> Interval:
    if a.unbounded:
        return b
    return a if b.unbounded else a.minimum(b)


def _waiter(said: Retry, arguments: dict[str, Abstract], evaluator: Evaluator) -> Waiter:
    if said.wait is not None:
        value = _written(arguments, said.wait)
        return _shape(value, evaluator) if value is not None else lambda k: ZERO
    if said.delay is not None:
        value = _written(arguments, said.delay)
        if value is None:
            return lambda k: ANY
        waiter = _shape(value, evaluator, arguments)
        if said.full_jitter is not None:
            jitter = _written(arguments, said.full_jitter)
            if not (isinstance(jitter, Either) and jitter.options == (None,)):
                return lambda k: Interval(0.0, waiter(k).hi, waiter(k).seen)
        return waiter
    if said.first is not None:
        first = _number(arguments, said.first, said.first_default) or ANY
        base = _number(arguments, said.base, said.base_default) or ANY
        cap = _number(arguments, said.cap, said.cap_default or None)
        jitter = _number(arguments, said.jitter, said.jitter_default) or ZERO

        def exponential(k: int) -> Interval:
            one = first.times(base.power(Interval.exactly(float(k - 1)))) + Interval(0.0, jitter.hi)
            return one.minimum(cap) if cap is not None else one

        return exponential
    return lambda k: ZERO


def _shape(value: Abstract, evaluator: Evaluator, outer: dict[str, Abstract] | None = None) -> Waiter:
    """A wait strategy as a function of the attempt."""
    if isinstance(value, Combined) and value.operator == "+":
        left, right = _shape(value.left, evaluator), _shape(value.right, evaluator)
        return lambda k: left(k) + right(k)
    if isinstance(value, Interval):
        return lambda k: value
    found = list(options(value))
    if len(found) > 1:
        parts = [_shape(f, evaluator) for f in found if f is not None]

        def joined(k: int) -> Interval:
            result = parts[0](k)
            for part in parts[1:]:
                result = result.join(part(k))
            return result

        return joined if parts else lambda k: ZERO
    meaning, arguments = _meaning(value, evaluator)
    shape = meaning.callable.wait_shape if meaning is not None else None
    if shape is None:
        return (lambda k: ZERO) if isinstance(value, Either) and not isinstance(value, Unknown) else (lambda k: ANY)
    if outer is not None:
        arguments = {**{k: v for k, v in outer.items() if not k.isdigit()}, **arguments}
    return _waits(shape, arguments, evaluator)


def _waits(shape: WaitShape, arguments: dict[str, Abstract], evaluator: Evaluator) -> Waiter:
    kind = shape.kind
    if kind == "none":
        return lambda k: ZERO
    low = _number(arguments, shape.low, shape.low_default) or ZERO
    cap = _number(arguments, shape.cap, shape.cap_default)

    def clamp(one: Interval) -> Interval:
        if cap is not None:
            one = one.minimum(cap)
        return one.maximum(low)

    if kind == "fixed":
        seconds = _number(arguments, shape.seconds, shape.seconds_default) or ANY
        return lambda k: seconds
    if kind == "random":
        high = cap if cap is not None else ANY
        return lambda k: Interval(low.lo, high.hi, high.seen)
    if kind in ("chain", "combine"):
        values: list[Abstract] = []
        for name, value in sorted(arguments.items()):
            if name.isdigit():
                values.append(value)
            elif name == "*" and isinstance(value, Items):
                values.extend(value.items)
        parts = [_shape(v, evaluator) for v in values]
        if not parts:
            return lambda k: ANY
        if kind == "chain":
            return lambda k: parts[min(k, len(parts)) - 1](k)

        def summed(k: int) -> Interval:
            total = ZERO
            for part in parts:
                total += part(k)
            return total

        return summed
    multiplier = _number(arguments, shape.multiplier, shape.multiplier_default) or ANY
    if kind == "incrementing":
        start = _number(arguments, shape.start, shape.start_default) or ANY
        increment = _number(arguments, shape.increment, shape.increment_default) or ANY
        return lambda k: clamp(start + increment.times(Interval.exactly(float(k - 1))))
    if kind == "fibonacci":

        def fibonacci(k: int) -> Interval:
            a, b = 1.0, 1.0
            for _ in range(min(k, 80) - 1):
                a, b = b, a + b
            return clamp(Interval.exactly(a))

        return fibonacci
    base = _number(arguments, shape.base, shape.base_default) or ANY
    jitter = _number(arguments, shape.jitter, shape.jitter_default) or ZERO

    def exponential(k: int) -> Interval:
        one = multiplier.times(base.power(Interval.exactly(float(k - 1))))
        if kind == "exponential-jitter":
            one = one + Interval(0.0, jitter.hi)
        one = clamp(one)
        return Interval(low.lo, one.hi, one.seen) if kind == "random-exponential" else one

    return exponential

"""Abstract values: what a name holds on the path that is being followed.

Numbers are :class:`~resilint.domain.Interval`; ``None``, ``True``, ``False`` and texts stand for themselves; the
rest are the small
classes below. ``UNKNOWN`` is a value: nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from resilint.domain import ANY, Interval
from resilint.link.entities import Entities, Entity, Func, SiteKey, ordered

if TYPE_CHECKING:
    from resilint.link.calls import Meaning


class Unknown(NamedTuple):
    tag: str = "unknown"


UNKNOWN = Unknown()


class Delta(NamedTuple):
    """A ``timedelta``, in seconds."""

    seconds: Interval
    tag: str = "delta"


class Moment(NamedTuple):
    """A reading of a clock: ``at`` seconds of waiting after the start of the path, plus ``offset``."""

    at: Interval
    offset: Interval
    tag: str = "moment"


class Things(NamedTuple):
    """No more is known than what the linker says."""

    entities: Entities
    tag: str = "things"

    def __repr__(self) -> str:
        return f"Things({ordered(self.entities)!r})"


class Closure(NamedTuple):
    """A function of the project as a value, with what its free names hold."""

    target: Entity
    """A Func or Bound."""
    free: tuple[tuple[str, Abstract], ...] = ()
    tag: str = "closure"


class Bundle(NamedTuple):
    """``functools.partial``."""

    target: Abstract
    positional: tuple[Abstract, ...]
    keywords: tuple[tuple[str, Abstract], ...]
    tag: str = "bundle"


class Retried(NamedTuple):
    """A callable under a retry decorator, at that decorator's site."""

    target: Abstract
    site: SiteKey
    decorated: Func
    position: int
    tag: str = "retried"


class Pending(NamedTuple):
    """A coroutine (or generator) of the project that has not been run: the callable and its arguments."""

    target: Abstract
    positional: tuple[Abstract, ...]
    keywords: tuple[tuple[str, Abstract], ...]
    site: SiteKey
    kind: str = "coroutine"
    """``coroutine``, ``generator``, ``manager``."""
    tag: str = "pending"


class Foreign(NamedTuple):
    """An awaitable of a library, made at ``site``; its effect comes when it is awaited or entered."""

    meaning: Meaning
    site: SiteKey
    arguments: tuple[tuple[str, Abstract], ...]
    """Name or position (as text), and value."""
    confidence: str = "high"
    tag: str = "foreign"

    def __repr__(self) -> str:
        return f"Foreign({self.meaning.path}, {self.site!r}, {self.arguments!r})"


class Started(NamedTuple):
    """A task: what it runs, where it was made, and the reading of the path's clock then."""

    what: Abstract
    site: SiteKey
    since: Interval
    tag: str = "started"


class Limit(NamedTuple):
    """A deadline scope as a value. ``seconds`` of None: none at all."""

    seconds: Abstract
    swallows: bool
    site: SiteKey
    tag: str = "limit"


class Items(NamedTuple):
    """A tuple or list whose items are known."""

    items: tuple[Abstract, ...]
    tag: str = "items"


class Repeated(NamedTuple):
    """A list or generator of an unknown number of ``element``."""

    element: Abstract
    lazy: bool = False
    tag: str = "repeated"


class Table(NamedTuple):
    """A dict with known text or number keys."""

    items: tuple[tuple[Abstract, Abstract], ...]
    complete: bool = True
    tag: str = "table"


class Count(NamedTuple):
    """An iterator of numbers from ``start`` by ``step``, ``length`` of them."""

    start: Interval
    step: Interval
    length: Interval
    tag: str = "count"

    @property
    def listed(self) -> tuple[Abstract, ...] | None:
        """Its numbers one by one, where they are known and not many."""
        start, step, length = self.start.exact, self.step.exact, self.length.exact
        if start is None or step is None or length is None or length > 256:
            return None
        return tuple(Interval.exactly(start + i * step) for i in range(int(length)))

    @property
    def span(self) -> Interval:
        """All its numbers."""
        if self.step.lo is None or self.step.lo < 0 or self.length.lo is None or self.length.hi == 0:
            return ANY
        last = self.start + self.step.times(
            Interval(max(self.length.lo - 1, 0.0), None if self.length.hi is None else self.length.hi - 1)
        )
        return Interval(self.start.lo, last.hi)


class Elapsed(NamedTuple):
    """The difference of two readings of a clock, in seconds of waiting."""

    seconds: Interval
    tag: str = "elapsed"


class Combined(NamedTuple):
    """Two strategies of a retry joined by an operator."""

    operator: str
    left: Abstract
    right: Abstract
    tag: str = "combined"


class Late(NamedTuple):
    """What a call without effects returns: computed when asked for."""

    target: Abstract
    positional: tuple[Abstract, ...]
    keywords: tuple[tuple[str, Abstract], ...]
    site: SiteKey
    tag: str = "late"


class Member(NamedTuple):
    """A member of an enum of the project."""

    cls: Entity
    name: str
    tag: str = "enum member"


class Either(NamedTuple):
    """One of several."""

    options: tuple[Abstract, ...]
    tag: str = "either"


Abstract: TypeAlias = (
    Unknown
    | Interval
    | str
    | bool
    | Delta
    | Moment
    | Things
    | Closure
    | Bundle
    | Retried
    | Pending
    | Foreign
    | Started
    | Limit
    | Items
    | Repeated
    | Table
    | Count
    | Elapsed
    | Combined
    | Late
    | Member
    | Either
    | None
)

MOST = 12
"""Alternatives that are kept apart; more are UNKNOWN."""


def options(value: Abstract) -> Iterator[Abstract]:
    """The alternatives of a value."""
    if isinstance(value, Either):
        yield from value.options
    else:
        yield value


def join(first: Abstract, second: Abstract) -> Abstract:
    """What holds if either does; numbers join to an interval, the rest to alternatives."""
    if first is second or (first == second and type(first) is type(second)):
        return first
    return either([*options(first), *options(second)])


def either(values: Iterable[Abstract]) -> Abstract:
    """The join of several."""
    numbers: Interval | None = None
    deltas: Interval | None = None
    things: frozenset[Entity] = frozenset()
    rest: dict[tuple[type, Abstract], Abstract] = {}
    open_ended = False
    for value in values:
        if isinstance(value, Either):
            raise AssertionError("alternatives do not nest")
        if isinstance(value, Unknown):
            open_ended = True
        elif isinstance(value, Interval):
            numbers = value if numbers is None else numbers.join(value)
        elif isinstance(value, Delta):
            deltas = value.seconds if deltas is None else deltas.join(value.seconds)
        elif isinstance(value, Things):
            things |= value.entities
        else:
            rest[(type(value), value)] = value
    found: list[Abstract] = list(rest.values()) if len(rest) < 2 else sorted(rest.values(), key=_order)
    if numbers is not None:
        found.append(numbers.join(ANY) if open_ended and not found and deltas is None and not things else numbers)
        open_ended = open_ended and not (not rest and deltas is None and not things)
    if deltas is not None:
        found.append(Delta(deltas))
    if things:
        found.append(Things(things))
    if open_ended:
        found.append(UNKNOWN)
    if not found:
        return UNKNOWN
    if len(found) > MOST:
        return UNKNOWN
    return found[0] if len(found) == 1 else Either(tuple(found))


def _order(value: Abstract) -> str:
    return f"{type(value).__name__}{value!r}"


def number(value: Abstract) -> Interval:
    """As a number of seconds or a count; ANY where it is none. Alternatives that are no numbers make it open."""
    if isinstance(value, Interval):
        return value
    if isinstance(value, bool):
        return Interval.exactly(float(value))
    if isinstance(value, Either):
        parts = [number(v) for v in value.options if v is not None]
        if not parts:
            return ANY
        result = parts[0]
        for part in parts[1:]:
            result = result.join(part)
        return result
    if isinstance(value, (Delta, Elapsed)):
        return value.seconds
    return ANY


def may_be_none(value: Abstract) -> bool:
    return any(v is None for v in options(value))

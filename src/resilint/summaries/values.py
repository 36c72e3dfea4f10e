"""Abstract values: what a name holds on the path that is being followed.

Numbers are :class:`~resilint.domain.Interval`; ``None``, ``True``, ``False`` and texts stand for themselves; the
rest are the small
classes below. ``UNKNOWN`` is a value: nothing is guessed.

Of equal composite values there is one object. So they are compared and hashed by identity, however deep they are and
however many ways lead to the same part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from resilint.domain import ANY, Interval
from resilint.link.entities import Entities, Entity, Func, SiteKey, ordered

if TYPE_CHECKING:
    from resilint.link.calls import Meaning


_VALUES: dict[Hashable, Any] = {}
"""Every composite value, by its class and fields."""


class _OneOfEach(type):
    """Makes a value once."""

    def __call__(cls, *args: Any, **named: Any) -> Any:
        if named or len(args) != cls._arity:  # type: ignore[attr-defined]
            args = cls._complete(args, named)  # type: ignore[attr-defined]
        key = cls._identity(args)  # type: ignore[attr-defined]
        known = _VALUES.get(key)
        if known is None:
            known = _VALUES[key] = super().__call__(*args)
            object.__setattr__(known, "nesting", 1 + max(map(_nesting, args), default=0))
        return known


def _nesting(part: Any) -> int:
    if isinstance(part, Composite):
        return part.nesting
    if type(part) is tuple:
        return max(map(_nesting, part), default=0)
    return 0


class Composite(metaclass=_OneOfEach):
    """A value with parts."""

    __slots__ = ("_digest", "nesting")
    _digest: str
    nesting: int
    """How many composite values stand within one another."""
    _arity = -1
    _names: tuple[str, ...] = ()
    _defaults: tuple[Any, ...] = ()

    @classmethod
    def _complete(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        if cls._arity < 0:
            declared = fields(cls)  # type: ignore[arg-type]
            cls._names = tuple(f.name for f in declared)
            cls._defaults = tuple(f.default for f in declared)
            cls._arity = len(declared)
        rest = []
        for name, default in zip(cls._names[len(args) :], cls._defaults[len(args) :], strict=True):
            value = named.pop(name, default)
            if value is MISSING:
                raise TypeError(f"{cls.__name__} needs {name}")
            rest.append(value)
        if named or len(args) > cls._arity:
            raise TypeError(f"{cls.__name__} takes {', '.join(cls._names)}")
        return (*args, *rest)

    @classmethod
    def _identity(cls, fields: tuple[Any, ...]) -> Hashable:
        return (cls, fields)

    def _replace(self, **changes: Any) -> Self:
        """As of a named tuple."""
        return type(self)(*(changes.get(name, getattr(self, name)) for name in self._names))

    def _text(self) -> str:
        return "\0".join(_digest(getattr(self, name)) for name in self._names)

    @property
    def digest(self) -> str:
        """The same for equal values in every run; what values are sorted by."""
        try:
            return self._digest
        except AttributeError:
            text = f"{type(self).__name__}\0{self._text()}"
            found = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
            object.__setattr__(self, "_digest", found)
            return found


def _digest(part: Any) -> str:
    if isinstance(part, Composite):
        return part.digest
    if type(part) is tuple:
        return f"({','.join(map(_digest, part))})"
    return repr(part)


MOST_NESTING = 8
"""How deep the values are that waits are computed from; beyond, nothing is known."""


def shallow(value: Abstract) -> Abstract:
    """The value, or nothing where it nests deeper than anything that a wait depends on: what a loop wraps round by
    round (``handler = wrap(handler)``) ends there."""
    return UNKNOWN if isinstance(value, Composite) and value.nesting > MOST_NESTING else value


@dataclass(frozen=True, slots=True, eq=False)
class Unknown(Composite):
    """Nothing is known."""


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True, eq=False)
class Delta(Composite):
    """A ``timedelta``, in seconds."""

    seconds: Interval


@dataclass(frozen=True, slots=True, eq=False)
class Moment(Composite):
    """A reading of a clock: ``at`` seconds of waiting after the start of the path, plus ``offset``."""

    at: Interval
    offset: Interval


@dataclass(frozen=True, slots=True, eq=False)
class Things(Composite):
    """No more is known than what the linker says."""

    entities: Entities

    def _text(self) -> str:
        return repr(ordered(self.entities))


@dataclass(frozen=True, slots=True, eq=False)
class Closure(Composite):
    """A function of the project as a value, with what its free names hold."""

    target: Entity
    """A Func or Bound."""
    free: tuple[tuple[str, Abstract], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Bundle(Composite):
    """``functools.partial``."""

    target: Abstract
    positional: tuple[Abstract, ...]
    keywords: tuple[tuple[str, Abstract], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Retried(Composite):
    """A callable under a retry decorator, at that decorator's site."""

    target: Abstract
    site: SiteKey
    decorated: Func
    position: int


@dataclass(frozen=True, slots=True, eq=False)
class Pending(Composite):
    """A coroutine (or generator) of the project that has not been run: the callable and its arguments."""

    target: Abstract
    positional: tuple[Abstract, ...]
    keywords: tuple[tuple[str, Abstract], ...]
    site: SiteKey
    kind: str = "coroutine"
    """``coroutine``, ``generator``, ``manager``."""


@dataclass(frozen=True, slots=True, eq=False)
class Foreign(Composite):
    """An awaitable of a library, made at ``site``; its effect comes when it is awaited or entered."""

    meaning: Meaning
    site: SiteKey
    arguments: tuple[tuple[str, Abstract], ...]
    """Name or position (as text), and value."""
    confidence: str = "high"

    @classmethod
    def _identity(cls, fields: tuple[Any, ...]) -> Hashable:
        meaning = fields[0]  # what the catalogue says is long, and there once
        return (cls, meaning.path, id(meaning.callable), meaning.receiver, *fields[1:])

    def _text(self) -> str:
        return "\0".join(map(_digest, (self.meaning.path, self.site, self.arguments, self.confidence)))


@dataclass(frozen=True, slots=True, eq=False)
class Started(Composite):
    """A task: what it runs, where it was made, and the reading of the path's clock then."""

    what: Abstract
    site: SiteKey
    since: Interval


@dataclass(frozen=True, slots=True, eq=False)
class Limit(Composite):
    """A deadline scope as a value. ``seconds`` of None: none at all."""

    seconds: Abstract
    swallows: bool
    site: SiteKey


@dataclass(frozen=True, slots=True, eq=False)
class Items(Composite):
    """A tuple or list whose items are known."""

    items: tuple[Abstract, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Repeated(Composite):
    """A list or generator of an unknown number of ``element``."""

    element: Abstract
    lazy: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Table(Composite):
    """A dict with known text or number keys."""

    items: tuple[tuple[Abstract, Abstract], ...]
    complete: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Count(Composite):
    """An iterator of numbers from ``start`` by ``step``, ``length`` of them."""

    start: Interval
    step: Interval
    length: Interval

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


@dataclass(frozen=True, slots=True, eq=False)
class Elapsed(Composite):
    """The difference of two readings of a clock, in seconds of waiting."""

    seconds: Interval


@dataclass(frozen=True, slots=True, eq=False)
class Combined(Composite):
    """Two strategies of a retry joined by an operator."""

    operator: str
    left: Abstract
    right: Abstract


@dataclass(frozen=True, slots=True, eq=False)
class Late(Composite):
    """What a call without effects returns: computed when asked for."""

    target: Abstract
    positional: tuple[Abstract, ...]
    keywords: tuple[tuple[str, Abstract], ...]
    site: SiteKey


@dataclass(frozen=True, slots=True, eq=False)
class Never(Composite):
    """What a call gives that does not come back; ``total`` is its wait, None for without a bound."""

    total: Interval | None


@dataclass(frozen=True, slots=True, eq=False)
class Member(Composite):
    """A member of an enum of the project."""

    cls: Entity
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Either(Composite):
    """One of several."""

    options: tuple[Abstract, ...]


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
    | Never
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
    if first is second or (type(first) is type(second) and first == second):
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
    return f"{type(value).__name__}{_digest(value)}"


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

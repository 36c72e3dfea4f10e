"""What holds of a function for whoever calls it: its waits and the outbound calls that it leaves without a deadline."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from resilint.domain import ZERO, Confidence, Hop, Interval, Span
from resilint.link.entities import Func
from resilint.summaries.values import UNKNOWN, Abstract, Limit

MAX_HOPS = 24


class Place(NamedTuple):
    """Where a wait or call stands: the scope's function and the span."""

    func: Func
    span: Span


class Wait(NamedTuple):
    """One wait as seen from a function: its own, or one of a callee."""

    place: Place
    what: str
    """Qualified name of what waits (``asyncio.sleep``)."""
    kind: str
    """``sleep``, ``blocking`` (``time.sleep``), ``retry``, ``poll`` (a swallowed timeout)."""
    once: Interval
    """The duration of one wait, over all iterations that reach it; seconds."""
    total: Interval
    """What it adds to the function's total."""
    looped: bool
    loop_total: Interval
    """Where ``looped``: the total wait of the loop that counts for it."""
    times: Interval
    """How often it is reached."""
    hops: tuple[Hop, ...] = ()
    """The calls from the function to the wait."""
    depth: int = 0
    endless: bool = False
    """The loop around it, in its own function, never ends by itself."""
    interruptible: bool = False
    """``wait_for(stop.wait(), interval)``."""
    entered_loop: bool = False
    """A loop of a caller counts for it."""


class Exposure(NamedTuple):
    """An outbound call that no deadline inside the function covers."""

    place: Place
    subject: str
    """Qualified name of what is called (``httpx.AsyncClient.get``)."""
    group: str
    phases: str
    confidence: Confidence
    hops: tuple[Hop, ...] = ()
    shielded: bool = False
    """A ``shield`` hides it from every deadline further out."""
    chain: tuple[Func, ...] = ()
    """The functions on the way, nearest last."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A function in one context. ``total`` is the wait of its worst path, in seconds."""

    total: Interval = ZERO
    waits: tuple[Wait, ...] = ()
    exposures: tuple[Exposure, ...] = ()
    returned: Abstract = UNKNOWN
    yielded: Abstract = UNKNOWN
    endless: bool = False
    """No path returns: it loops until it is cancelled."""
    terms: tuple[str, ...] = ()
    """How the total comes about, for messages: ``("3 x 30",)``."""
    before_yield: Interval = field(default=ZERO)
    recursive: bool = False
    raises_always: bool = False
    limits: tuple[Limit, ...] = ()
    """Of a context manager: the deadlines around its ``yield``."""
    least: float = 0.0
    """Whichever path it takes, it waits so long."""
    expires: bool = False
    """A deadline in it certainly expires and nothing catches that."""


EMPTY = Summary()

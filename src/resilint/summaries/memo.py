"""Summaries by function and context, and the calls that are being followed while they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from resilint.domain import Interval
from resilint.link.entities import Func
from resilint.summaries.model import Summary
from resilint.summaries.values import Abstract, Bundle, Closure, Foreign, Pending, Retried, Started, options

Context = tuple[Any, ...]
Key = tuple[Func, Context]

_CALLABLE = (Closure, Bundle, Retried, Pending, Foreign, Started)


class _Provisional(NamedTuple):
    summary: Summary
    head: int


class Memo:
    """What is known, and the stack of what is being followed.

    A call that is met again while it is followed is a recursion: its *head* is the first of the two on the stack. A
    summary made on the way depends on what is not known yet, so it holds only until the head is done.
    """

    def __init__(self) -> None:
        self._known: dict[Key, Summary] = {}
        self._provisional: dict[Key, _Provisional] = {}
        self._under: dict[int, list[Key]] = {}
        """The provisional ones by the place of their head on the stack."""
        self._stack: list[Key] = []
        self._places: dict[Key, int] = {}
        self._frames: dict[Func, list[int]] = {}
        self._heads: list[int] = []
        """Of each call on the stack, the lowest head that it has met."""
        self._recursive: set[int] = set()

    @property
    def depth(self) -> int:
        return len(self._stack)

    def get(self, key: Key) -> Summary | None:
        known = self._known.get(key)
        if known is None and self._provisional:
            held = self._provisional.get(key)
            if held is not None:
                self._meet(held.head)
                return held.summary
        return known

    def is_followed(self, key: Key) -> bool:
        """Whether the call is on the stack; if so, it is a recursion."""
        place = self._places.get(key)
        if place is None:
            return False
        self._recur(place)
        return True

    def followed(self, func: Func) -> int:
        """How often the function is on the stack, in whatever context."""
        return len(self._frames.get(func, ()))

    def collapse(self, key: Key) -> None:
        """Take the call for its function's last one on the stack."""
        self._recur(self._frames[key[0]][-1])

    def _recur(self, place: int) -> None:
        """Only a function that calls itself is a loop (RULES.md: direct recursion): a cycle through many functions is
        one that somebody may go round once."""
        func = self._stack[place][0]
        if all(between == func for between, _ in self._stack[place + 1 :]):
            self._recursive.add(place)
        self._meet(place)

    def counts(self, key: Key) -> bool:
        """Whether it differs from the function's last call on the stack by a number, a function or a receiver, so
        that following it can come to an end."""
        last = self._stack[self._frames[key[0]][-1]][1]
        for entry in set(key[1]) ^ set(last):
            if isinstance(entry, frozenset):
                return True
            value: Abstract = entry[-1] if isinstance(entry, tuple) else None
            if any(isinstance(o, (Interval, *_CALLABLE)) for o in options(value)):
                return True
        return False

    def follow(self, key: Key, run: Callable[[], Summary], loop: Callable[[Summary], Summary] | None = None) -> Summary:
        """Run, with the call on the stack, and remember what comes of it; of a recursion, what ``loop`` makes of it."""
        place = len(self._stack)
        func = key[0]
        self._stack.append(key)
        self._places[key] = place
        self._heads.append(place)
        self._frames.setdefault(func, []).append(place)
        try:
            result = run()
        finally:
            self._stack.pop()
            del self._places[key]
            head = self._heads.pop()
            self._frames[func].pop()
            met = place in self._recursive
            self._recursive.discard(place)
            for held in self._under.pop(place, ()):
                self._provisional.pop(held, None)
        if met and loop is not None:
            result = loop(result)
        if head == place:
            self._known[key] = result
        else:
            self._provisional[key] = _Provisional(result, head)
            self._under.setdefault(head, []).append(key)
            self._meet(head)
        return result

    def _meet(self, place: int) -> None:
        if self._heads and place < self._heads[-1]:
            self._heads[-1] = place

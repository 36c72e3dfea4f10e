"""Where the generator's decisions come from: a seed, a recorded list, or hypothesis."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Draws(Protocol):
    """A stream of decisions. 0 is the simplest, so that lists of decisions shrink towards small programs."""

    def below(self, limit: int) -> int:
        """A number of at least 0, below ``limit``."""
        ...


class Seeded:
    """Decisions from a seed; ``taken`` remembers them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.taken: list[int] = []

    def below(self, limit: int) -> int:
        number = self._random.randrange(limit)
        self.taken.append(number)
        return number


class Recorded:
    """Decisions from a list; 0 where it ends."""

    def __init__(self, decisions: Sequence[int]) -> None:
        self._decisions = decisions
        self.taken: list[int] = []

    def below(self, limit: int) -> int:
        place = len(self.taken)
        number = min(self._decisions[place], limit - 1) if place < len(self._decisions) else 0
        self.taken.append(number)
        return number


class Drawn:
    """Decisions that hypothesis draws: ``Drawn(lambda limit: draw(integers(0, limit - 1)))``."""

    def __init__(self, draw: Callable[[int], int]) -> None:
        self.below = draw

"""Make a list of decisions small while it still disagrees: shorter first, then smaller."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def shrink(decisions: Sequence[int], fails: Callable[[list[int]], bool], tries: int = 1200) -> list[int]:
    """The smallest list found within so many tries that still ``fails``."""
    best = list(decisions)
    left = tries

    def accepts(candidate: list[int]) -> bool:
        nonlocal best, left
        if left <= 0 or candidate == best:
            return False
        left -= 1
        if fails(candidate):
            best = candidate
            return True
        return False

    changed = True
    while changed and left > 0:
        changed = False
        size = max(len(best) // 2, 1)
        while size:
            place = 0
            while place < len(best):
                if accepts(best[:place] + best[place + size :]) or accepts(
                    best[:place] + [0] * min(size, len(best) - place) + best[place + size :]
                ):
                    changed = True
                else:
                    place += size
            size //= 2
        for place in range(len(best)):
            while place < len(best) and best[place] > 0:
                if not accepts([*best[:place], best[place] // 2, *best[place + 1 :]]) and not accepts(
                    [*best[:place], best[place] - 1, *best[place + 1 :]]
                ):
                    break
                changed = True
        while best and best[-1] == 0 and accepts(best[:-1]):
            pass
    return best

"""Compare what a project claims with what was reported."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from tests.pages.markers import Marker

Reveal = Callable[[str, int], dict[str, list[str]]]


class Report(NamedTuple):
    """The part of a diagnostic that a marker can speak of."""

    path: str
    line: int
    name: str
    severity: str
    message: str = ""


class Problem(NamedTuple):
    """A claim that does not hold, or a report that nobody claimed."""

    path: str
    line: int
    text: str


def compare(markers: Iterable[Marker], reports: Iterable[Report], reveal: Reveal | None = None) -> list[Problem]:
    """All that differs, in the order of places. ``reveal`` is asked only where a marker does."""
    claimed: dict[tuple[str, int, str], list[Marker]] = defaultdict(list)
    problems: list[Problem] = []
    for marker in markers:
        if marker.kind == "reveal":
            problems += _revealed(marker, reveal)
        else:
            claimed[marker.path, marker.line, marker.subject].append(marker)
    reported: dict[tuple[str, int, str], list[Report]] = defaultdict(list)
    for report in reports:
        reported[report.path, report.line, report.name].append(report)
    for key in sorted(claimed.keys() | reported.keys()):
        for text in _differences(claimed[key], reported[key]):
            problems.append(Problem(key[0], key[1], text))
    return sorted(problems)


def _differences(markers: list[Marker], reports: list[Report]) -> list[str]:
    """The differences at one line for one rule. Two reports need two claims."""
    texts: list[str] = []
    wanted: Counter[str] = Counter()
    for marker in markers:
        name = marker.subject
        if marker.kind == "missed-alarm":
            if reports:
                texts.append(f"{name} is reported now: replace '# missed-alarm: {name}' by '# expect: {name}'")
                wanted[""] += 1
        elif marker.kind == "false-alarm":
            if reports:
                wanted[""] += 1
            else:
                texts.append(f"{name} is no longer reported: remove '# false-alarm: {name}'")
        else:
            wanted[marker.value] += 1
    left = list(reports)
    for severity in sorted(wanted, reverse=True):  # those without a severity take what remains
        for _ in range(wanted[severity]):
            hit = next((r for r in left if severity in ("", r.severity)), None)
            if hit is None:
                said = f"{markers[0].subject}:{severity}" if severity else markers[0].subject
                instead = f", but as {left[0].severity}" if left else ""
                texts.append(f"expected {said}, not reported{instead}")
                left = left[1:]
            else:
                left.remove(hit)
    texts += [f"unexpected {r.name}:{r.severity}: {r.message}" for r in left]
    return texts


def _revealed(marker: Marker, reveal: Reveal | None) -> list[Problem]:
    if reveal is None:
        return [Problem(marker.path, marker.line, "reveal is not available here")]
    concluded = reveal(marker.path, marker.line).get(marker.subject, [])
    if marker.value in concluded or (marker.value == "none" and not concluded):
        return []
    said = "; ".join(concluded) or "nothing"
    return [Problem(marker.path, marker.line, f"reveal {marker.subject}: expected {marker.value}, concluded {said}")]

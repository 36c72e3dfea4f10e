"""Print the known gaps: ``python -m tests.pages.gaps``. Each is a line of a page marked as missed or false alarm."""

from __future__ import annotations

from collections import Counter

from tests.pages.corpus import REPOSITORY, pages
from tests.pages.markers import GAPS, Marker, read_markers
from tests.pages.reader import Case, read_page


def gaps() -> list[tuple[Case, Marker]]:
    """Every gap with the case that it stands in."""
    return [
        (case, marker)
        for page in pages()
        for case in read_page(page)
        for file in case.files
        for marker in read_markers(file.path, file.text)
        if marker.kind in GAPS
    ]


def main() -> None:
    found = gaps()
    for case, marker in found:
        place = case.place(marker.path, marker.line).removeprefix(f"{REPOSITORY}/")
        print(f"{place}: {marker.kind} {marker.subject}")
    kinds = Counter(marker.kind for _, marker in found)
    print(f"known gaps: {len(found)} ({kinds['missed-alarm']} missed alarms, {kinds['false-alarm']} false alarms)")


if __name__ == "__main__":
    main()

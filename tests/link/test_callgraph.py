"""The pages under ``tests/fixtures/callgraph``: there every edge of the call graph is claimed, and no other exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from resilint.link import Linked
from resilint.link.entities import Func
from tests.pages import runner
from tests.pages.corpus import FIXTURES
from tests.pages.markers import read_markers
from tests.pages.reader import Case, read_page

CASES = [(page, case) for page in sorted((FIXTURES / "callgraph").glob("*.md")) for case in read_page(page)]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{page.stem}::{case.title}") for page, case in CASES])
def test_every_edge_is_claimed(case: Case, tmp_path: Path) -> None:
    claimed = {
        (marker.path, marker.line, marker.value)
        for file in case.files
        for marker in read_markers(file.path, file.text)
        if marker.subject == "calls" and marker.value != "none"
    }
    runner.write(case.files, tmp_path)
    assert _edges(runner.linked(tmp_path)) == claimed


def test_there_are_enough() -> None:
    assert len(CASES) >= 40


def _edges(linked: Linked) -> set[tuple[str, int, str]]:
    program = linked.program
    return {
        (
            program.path(edge.caller),
            edge.span.line,
            f"{_name(linked, edge.callee)} {'at' if edge.attached else 'de'}tached",
        )
        for edges in linked.calls.outgoing.values()
        for edge in edges
    }


def _name(linked: Linked, func: Func) -> str:
    return linked.program.qualname(func)

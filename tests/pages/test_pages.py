"""Every page says the truth: its projects are analysed, and each of their lines is held to what it claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages import runner
from tests.pages.corpus import REPOSITORY, pages
from tests.pages.markers import MarkerError, read_markers
from tests.pages.matcher import compare
from tests.pages.reader import Case, read_page

CASES = [(page, case) for page in pages() for case in read_page(page)]


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{page.relative_to(REPOSITORY).as_posix()}::{case.title}") for page, case in CASES]
)
def test_case(case: Case, tmp_path: Path) -> None:
    problems = examine(case, tmp_path)
    assert not problems, "\n" + "\n".join(problems)


def examine(case: Case, root: Path) -> list[str]:
    """All that is wrong with a case, a line each, with the place in the page."""
    try:
        markers = [marker for file in case.files for marker in read_markers(file.path, file.text)]
    except MarkerError as error:
        return [f"{case.place(error.path, error.line)}: {error}"]
    runner.write(case.files, root)
    run = runner.Run(root)
    found = compare(markers, run.reports(), run.reveal)
    problems = [f"{case.place(problem.path, problem.line)}: {problem.text}" for problem in found]
    for output in case.outputs:
        if run.printed(output.format) != output.text:
            command = "python -m tests.pages.bless"
            problems.append(f"{case.page}:{output.start}: the output block is out of date ({command} rewrites it)")
    return problems

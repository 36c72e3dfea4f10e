"""From a page to its verdict: a page that lies must fail, whatever the analyser says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages import runner
from tests.pages.matcher import Report
from tests.pages.reader import read_text
from tests.pages.test_pages import examine

PAGE = Path("page.md")


def verdict(monkeypatch: pytest.MonkeyPatch, root: Path, text: str, *reports: Report, printed: str = "") -> list[str]:
    class Run:
        def __init__(self, root: Path) -> None:
            self.reveal = None

        def reports(self) -> list[Report]:
            return list(reports)

        def printed(self, output_format: str) -> str:
            return printed

    monkeypatch.setattr(runner, "Run", Run)
    (case,) = read_text(PAGE, text)
    return examine(case, root)


REPORT = Report("app/main.py", 1, "to-thread", "error", "said")


def test_a_page_that_is_right(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = "# A\n```python file=app/main.py\nf()  # expect: to-thread\n```\n```output\nsaid\n```\n"
    assert verdict(monkeypatch, tmp_path, page, REPORT, printed="said\n") == []
    assert (tmp_path / "app" / "main.py").read_text(encoding="utf-8") == "f()  # expect: to-thread\n"


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ("# A\n```python file=app/main.py\nf()\n```\n", "page.md:3: unexpected to-thread:error: said"),
        (
            "# A\n```python file=app/main.py\nf()  # expect: to-thread\ng()  # expect: to-thread\n```\n",
            "page.md:4: expected to-thread, not reported",
        ),
        ("# A\n```python file=app/main.py\nf()  # expcet: to-thread\n```\n", "page.md:3: '# expcet:' is no marker"),
        (
            "# A\n```python file=app/main.py\nf()  # missed-alarm: to-thread\n```\n",
            "page.md:3: to-thread is reported now",
        ),
        (
            "# A\n```python file=app/main.py\nf()  # expect: to-thread\ng()  # false-alarm: to-thread\n```\n",
            "page.md:4: to-thread is no longer reported",
        ),
        (
            "# A\n```python file=app/main.py\nf()  # expect: to-thread\n```\n```output\nelse\n```\n",
            "page.md:5: the output block is out of date",
        ),
    ],
)
def test_a_page_that_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page: str, problem: str) -> None:
    (found,) = verdict(monkeypatch, tmp_path, page, REPORT, printed="said\n")
    assert found.startswith(problem)

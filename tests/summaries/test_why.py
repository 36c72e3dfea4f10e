"""``resilint why`` tells what is known about a line, and for which reasons."""

from __future__ import annotations

from pathlib import Path

import pytest

from resilint.summaries import Analysis
from resilint.summaries.why import explain
from tests.summaries.project import analysed
from tests.summaries.test_debug import line


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    return analysed(Path(tmp_path_factory.mktemp("project")))


def said(analysis: Analysis, path: str, text: str) -> list[str]:
    return explain(analysis, path, line(path, text)).splitlines()


def test_a_handler(analysis: Analysis) -> None:
    lines = said(analysis, "app/api.py", "await poll")
    assert lines[0] == "app.api.handler  app/api.py:13"
    assert lines[1] == "role: handler (the decorator fastapi.FastAPI.get)"
    assert "called by: nobody in the project" in lines
    assert "  app/api.py:16  poll, attached: it is awaited" in lines
    assert any("later, detached: " in text for text in lines)
    assert "waits: 1.5 s" in lines
    assert "holds its request: up to 6.5 s: 1.5 s of waits, 5 s until the deadline in app/api.py:14" in lines
    assert "calls outside under a deadline: httpx.AsyncClient.get" in lines


def test_a_callee(analysis: Analysis) -> None:
    lines = said(analysis, "app/polls.py", "def poll")
    assert "  app/api.py:16  handler, attached: it is awaited" in lines
    assert "waits: 1.5 s" in lines
    assert not any("holds" in text for text in lines)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("def bare", "without a bound, by httpx.AsyncClient.get, which nothing cancels"),
        ("def endless", "without a bound, by its waits"),
        ("def unknown", "for a time of which only parts are known"),
        ("def quick", "up to 0 s"),
    ],
)
def test_the_worst_hold(analysis: Analysis, text: str, held: str) -> None:
    assert f"holds its request: {held}" in said(analysis, "app/api.py", text)


def test_what_is_left_without_a_deadline(analysis: Analysis) -> None:
    lines = said(analysis, "app/api.py", "def bare")
    start = lines.index("leaves without a deadline:")
    assert lines[start + 1].startswith("  app/api.py:22  httpx.AsyncClient.get (its own timeout only bounds ")
    assert lines[start + 2] == "  reached without one from bare"


def test_what_runs_detached(analysis: Analysis) -> None:
    lines = said(analysis, "app/polls.py", "def later")
    assert lines[1].startswith("role: worker (only runs detached")
    assert "begins here: runs detached" in lines
    assert "waits: not at all" in lines


def test_no_function(analysis: Analysis) -> None:
    assert said(analysis, "app/api.py", "client =") == ["app/api.py:9 is in no function"]
    assert explain(analysis, "nowhere.py", 1) == "nowhere.py is not part of the project that was read"

"""``reveal`` and ``resilint debug summary`` say what was concluded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from resilint.summaries import Analysis
from resilint.summaries.debug import reveal, summary
from tests.summaries.project import FILES, analysed


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    return analysed(Path(tmp_path_factory.mktemp("project")))


def line(path: str, text: str, number: int = 1) -> int:
    """The line of the ``number``-th occurrence of a text."""
    lines = [n for n, content in enumerate(FILES[path].splitlines(), 1) if text in content]
    return lines[number - 1]


def test_a_header(analysis: Analysis) -> None:
    said = reveal(analysis, "app/api.py", line("app/api.py", "def handler"))
    assert said["role"] == ["handler"]
    assert said["wait"] == ["[1.5, 1.5]"]
    assert "exposed" not in said


def test_an_exposed_call(analysis: Analysis) -> None:
    said = reveal(analysis, "app/api.py", line("app/api.py", "def bare"))
    assert said["exposed"] == ["httpx.AsyncClient.get"]


def test_a_wait(analysis: Analysis) -> None:
    said = reveal(analysis, "app/polls.py", line("app/polls.py", "asyncio.sleep"))
    assert said["value"] == ["[0.5, 0.5]"]
    assert said["loop"] == ["[1.5, 1.5]"]
    assert "role" not in said


def test_calls(analysis: Analysis) -> None:
    assert reveal(analysis, "app/api.py", line("app/api.py", "await poll"))["calls"] == ["app.polls.poll attached"]
    assert reveal(analysis, "app/api.py", line("app/api.py", "add_task"))["calls"] == ["app.polls.later detached"]


def test_a_type(analysis: Analysis) -> None:
    assert reveal(analysis, "app/api.py", line("app/api.py", "client ="))["type"] == ["httpx.AsyncClient"]


def test_nothing(analysis: Analysis) -> None:
    assert reveal(analysis, "app/api.py", 2) == {}
    assert reveal(analysis, "nowhere.py", 1) == {}


def test_the_summary_as_json(analysis: Analysis) -> None:
    said = json.loads(summary(analysis, "json"))
    handler = said["app.api.handler"]
    assert handler["role"] == "handler" and handler["wait"] == "[1.5, 1.5]"
    assert [wait["path"] for wait in handler["waits"]] == ["app/polls.py"]
    assert said["app.api.bare"]["exposed"] == ["httpx.AsyncClient.get"]
    assert said["app.api.endless"]["endless"] is True


def test_the_summary_as_text(analysis: Analysis) -> None:
    lines = summary(analysis, "text").splitlines()
    start = lines.index(f"app.api.bare  app/api.py:{line('app/api.py', 'def bare')}")
    assert lines[start + 1].startswith("    role handler: ")
    assert lines[start + 2] == "    wait [0, 0]"
    assert lines[start + 3] == "    exposed httpx.AsyncClient.get"
    assert "    wait [inf, inf], never ends by itself" in lines

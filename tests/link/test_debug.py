"""``resilint debug calls``: the call graph in words."""

from __future__ import annotations

import json
from pathlib import Path

from resilint.link.debug import calls
from tests.summaries.project import analysed


def test_as_json(tmp_path: Path) -> None:
    graph = json.loads(calls(analysed(tmp_path).linked, "json"))
    assert graph["app.api.handler"] == ["app.polls.later", "app.polls.poll"]
    assert graph["app.polls.poll"] == []


def test_as_text(tmp_path: Path) -> None:
    lines = calls(analysed(tmp_path).linked, "text").splitlines()
    start = lines.index("app.api.handler  app/api.py:13  handler: the decorator fastapi.FastAPI.get")
    assert lines[start + 1] == "    16: app.polls.poll attached: it is awaited"
    assert lines[start + 2].startswith("    17: app.polls.later detached: ")

"""A run over the same program makes no analysis, and says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from resilint.check.remembered import KEPT
from resilint.check.session import Outcome, Request, analyse

_HANDLER = """\
import asyncio
from fastapi import FastAPI
from waiting import rest

app = FastAPI()


@app.get("/")
async def index():
    while True:
        await asyncio.sleep(1)


@app.get("/rest")
async def other():
    await rest()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.resilint]\n")
    (tmp_path / "app.py").write_text(_HANDLER)
    (tmp_path / "waiting.py").write_text("import asyncio\n\n\nasync def rest():\n    await asyncio.sleep(1)\n")
    return tmp_path


def run(project: Path, **named: object) -> Outcome:
    return analyse(Request((project,), project, jobs=1, **named))  # type: ignore[arg-type]


def names(outcome: Outcome) -> list[tuple[str, str, int]]:
    return [(d.name, d.path, d.span.line) for d in outcome.diagnostics]


def entries(project: Path) -> list[Path]:
    return sorted((project / ".resilint_cache").rglob("findings-*"))


def test_a_second_run_does_not_link(project: Path) -> None:
    first, second = run(project), run(project)
    assert "link" in first.seconds and "link" not in second.seconds
    assert first.diagnostics == second.diagnostics != []
    assert first.projects[0].roles() == second.projects[0].roles() != {}


def test_how_it_is_reported_is_not_remembered(project: Path) -> None:
    run(project)
    (project / "pyproject.toml").write_text(
        '[tool.resilint.per-file-ignores]\n"app.py" = ["sleep-loop-in-handler"]\n[tool.resilint]\n'
    )
    quiet = run(project)
    assert "link" not in quiet.seconds
    assert not any(d.name == "sleep-loop-in-handler" for d in quiet.diagnostics)


@pytest.mark.parametrize("overrides", [{"long-sleep-threshold": 0.5}, {"select": ["long-sleep"]}])
def test_what_changes_the_findings_is_analysed_anew(project: Path, overrides: dict[str, object]) -> None:
    run(project)
    assert "link" in run(project, overrides=overrides).seconds


def test_another_file_can_change_them(project: Path) -> None:
    before = names(run(project))
    (project / "waiting.py").write_text("import asyncio\n\n\nasync def rest():\n    await asyncio.sleep(30)\n")
    after = names(run(project))
    assert set(after) - set(before)
    assert after == names(run(project, cached=False))


@pytest.mark.parametrize("damage", [b"", b"resilint cache 1\n", b"\x00" * 64])
def test_a_damaged_entry_is_a_miss(project: Path, damage: bytes) -> None:
    first = run(project)
    (entry,) = entries(project)
    entry.write_bytes(damage)
    told: list[str] = []
    second = run(project, warn=told.append)
    assert "link" in second.seconds and second.diagnostics == first.diagnostics
    assert any("damaged" in message for message in told)
    assert "link" not in run(project).seconds


def test_only_a_few_are_kept(project: Path) -> None:
    for seconds in range(KEPT + 3):
        run(project, overrides={"long-sleep-threshold": seconds + 10})
    assert len(entries(project)) == KEPT


def test_without_a_cache_nothing_is_written(project: Path) -> None:
    run(project, cached=False)
    assert not (project / ".resilint_cache").exists()

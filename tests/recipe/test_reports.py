"""resilint is silent on the recipe, in strict mode too, and reports each wrong twin."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.pages import runner
from tests.pages.corpus import REPOSITORY
from tests.project.registry import rules

EXAMPLES = REPOSITORY / "examples"
TWINS = {
    "api.py": {"sleep-loop-in-handler", "queued-work-returns-200", "accepted-without-task-id"},
    "blocking.py": {"to-thread", "default-executor", "unbounded-executor", "blocking-call-in-async"},
    "carrier.py": {"rejected-client", "blocking-call-in-async", "wait-budget-exceeded"},
    "repository.py": {"polling-without-skip-locked"},
    "running.py": {"unbounded-queue", "untracked-task"},
    "schedulers/attempts.py": {"polling-without-max-attempts"},
    "schedulers/with_apscheduler.py": {"polling-without-max-attempts"},
    "schedulers/with_asyncio.py": {"long-sleep"},
    "settings.py": {"timeout-hierarchy"},
    "system.py": {"outbound-without-timeout", "timeout-inside-bulkhead", "client-per-call", "client-never-closed"},
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    root = Path(shutil.copytree(EXAMPLES, tmp_path_factory.mktemp("recipe") / "examples"))
    found: dict[str, set[str]] = {}
    for report in runner.Run(root).reports():
        found.setdefault(report[0], set()).add(report[2])
    return found


def test_the_recipe_alone_is_silent(tmp_path: Path) -> None:
    root = Path(shutil.copytree(EXAMPLES / "polling", tmp_path / "polling"))
    assert "strict = true" in (root / "pyproject.toml").read_text(encoding="utf-8")
    assert runner.Run(root).reports() == []


def test_the_recipe_among_the_examples_is_silent(reports: dict[str, set[str]]) -> None:
    assert {path: names for path, names in reports.items() if path.startswith("polling/")} == {}


@pytest.mark.parametrize("file", TWINS)
def test_the_wrong_twin_is_reported(file: str, reports: dict[str, set[str]]) -> None:
    assert reports.get(f"polling_wrong/labels_wrong/{file}") == TWINS[file]
    assert (EXAMPLES / "polling" / "labels" / file).exists()


def test_no_twin_is_forgotten(reports: dict[str, set[str]]) -> None:
    prefix = "polling_wrong/labels_wrong/"
    assert {path.removeprefix(prefix) for path in reports if path.startswith(prefix)} == set(TWINS)


def test_every_rule_about_code_has_a_wrong_twin() -> None:
    about_resilint = {"unused-suppression", "unknown-rule", "missing-reason", "syntax-error", "internal-error"}
    assert set(rules()) - about_resilint == set().union(*TWINS.values())

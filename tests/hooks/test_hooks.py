"""The hooks as their users meet them: installed by pre-commit and by prek into environments of their own.

The hook repository is a copy of this working tree, committed in a temporary folder: what is tested is what stands here
now, and neither this repository's history nor its index is touched.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages.corpus import REPOSITORY

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

SHIPPED = ("src", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
BAD = """\
import asyncio

from fastapi import FastAPI

app = FastAPI()


@app.get("/label")
async def label(labels):
    return await wait_for(labels)


async def wait_for(labels):
    while not labels.done():
        await asyncio.sleep(1)
"""
GOOD = BAD.replace("    while not labels.done():\n        await asyncio.sleep(1)\n", "    await asyncio.sleep(0)\n")


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=tests", "-c", "user.email=tests@example.invalid", "-c", "commit.gpgsign=false")
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path) -> str:
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message", "state")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def hook_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that offers the hooks."""
    home = tmp_path_factory.mktemp("hooks") / "resilint"
    home.mkdir()
    for name in SHIPPED:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, home / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(source, home / name)
    commit(home)
    return home


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Both runners keep what they install in one temporary folder; git's own variables would point them elsewhere."""
    home = tmp_path_factory.mktemp("home")
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") and key != "PYTHONPATH"}
    return kept | {
        "PRE_COMMIT_HOME": str(home / "pre-commit"),
        "PREK_HOME": str(home / "prek"),
        "PRE_COMMIT_COLOR": "never",
        "NO_COLOR": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one file that has a mistake, reached from another, and one that has none."""
    home = tmp_path / "project"
    home.mkdir()
    (home / "pyproject.toml").write_text(
        '[project]\nname = "shop"\nversion = "0"\n\n[tool.resilint]\n', encoding="utf-8"
    )
    (home / "bad.py").write_text(BAD, encoding="utf-8")
    (home / "good.py").write_text(GOOD, encoding="utf-8")
    commit(home)
    return home


def run(tool: str, *arguments: str, cwd: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name(tool)), *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600)


def test_try_repo(hook_repository: Path, project: Path, environment: dict[str, str]) -> None:
    def attempt(file: str) -> subprocess.CompletedProcess[str]:
        arguments = ("try-repo", str(hook_repository), "resilint", "--verbose", "--files", file)
        return run("pre-commit", *arguments, cwd=project, environment=environment)

    bad = attempt("bad.py")
    assert bad.returncode == 1, bad.stdout + bad.stderr
    assert "bad.py:15" in bad.stdout and "sleep-loop-in-handler" in bad.stdout
    good = attempt("good.py")
    assert good.returncode == 0, good.stdout + good.stderr


@pytest.mark.parametrize("tool", ["pre-commit", "prek"])
def test_configured(tool: str, hook_repository: Path, project: Path, environment: dict[str, str]) -> None:
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {hook_repository.as_posix()}\n  rev: {git(hook_repository, 'rev-parse', 'HEAD')}\n"
        "  hooks:\n  - id: resilint\n    args: [--output-format, json]\n    verbose: true\n  - id: resilint-full\n",
        encoding="utf-8",
    )
    commit(project)

    def attempt(hook: str, *files: str) -> subprocess.CompletedProcess[str]:
        return run(tool, "run", hook, "--files", *files, cwd=project, environment=environment)

    bad = attempt("resilint", "bad.py")
    assert bad.returncode == 1, bad.stdout + bad.stderr
    good = attempt("resilint", "good.py")
    assert good.returncode == 0, good.stdout + good.stderr
    full = attempt("resilint-full", "good.py")
    assert full.returncode == 1, full.stdout + full.stderr
    assert "sleep-loop-in-handler" in full.stdout

    one = [row for row in reports(bad.stdout) if row["path"] == "bad.py"]
    everything = [row for row in reports(attempt("resilint", "bad.py", "good.py").stdout) if row["path"] == "bad.py"]
    assert one == everything != []


def reports(text: str) -> list[dict[str, object]]:
    """The diagnostics of the JSON object in what a hook printed."""
    lines = [line.strip() for line in text.splitlines()]
    start = next(number for number, line in enumerate(lines) if line.startswith("{"))
    value, _ = json.JSONDecoder().raw_decode("\n".join(lines[start:]))
    diagnostics: list[dict[str, object]] = value["diagnostics"]
    return diagnostics

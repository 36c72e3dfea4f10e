"""The README's commands exist, and its headings are those that ``.ci/run`` looks for."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.pages.corpus import REPOSITORY

PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
WHOLE = [pytest.param(page, id=page.name) for page in PAGES]


def shell_lines(page: Path) -> list[str]:
    blocks = re.findall(r"^```(?:sh|console)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line and line[0] != "#"]


@cache
def described(command: str) -> str:
    """What a command says about itself."""
    program = str(Path(sys.executable).with_name("resilint"))
    return subprocess.run([program, command, "--help"], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("page", WHOLE)
def test_every_resilint_command_exists(page: Path) -> None:
    for line in shell_lines(page):
        words = shlex.split(line, comments=True)
        for index, word in enumerate(words):
            if word != "resilint" or words[index - 1 : index] not in ([], ["&&"], [";"]):
                continue
            arguments = [w for w in words[index + 1 :] if w not in ("&&", "|", ";")]
            shown = described(arguments[0])
            for argument in arguments:
                if argument.startswith("--"):
                    assert argument.partition("=")[0] in shown, line


@pytest.mark.parametrize("page", WHOLE)
def test_every_module_that_is_run_exists(page: Path) -> None:
    for module in re.findall(r"python -m (tests[\w.]*)", page.read_text(encoding="utf-8")):
        path = REPOSITORY.joinpath(*module.split("."))
        assert path.with_suffix(".py").exists() or path.is_dir(), module


@pytest.mark.parametrize("page", WHOLE)
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_checks_read_the_commands_from_the_readme() -> None:
    headings = re.findall(r'run_readme "([^"]+)"', (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8"))
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert sorted(headings) == ["Run the tests", "Try it"]
    for heading in headings:
        assert re.search(rf"^## {heading}$", readme, re.MULTILINE)


def test_the_hooks() -> None:
    hooks = {hook["id"]: hook for hook in yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    assert hooks["resilint"]["require_serial"] and hooks["resilint"]["types_or"] == ["python", "pyi"]
    assert hooks["resilint-full"]["always_run"] and hooks["resilint-full"]["pass_filenames"] is False
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert all(f"id: {name}" in readme for name in hooks)

"""``action.yml`` and the pieces of docs/ci.md: valid for those who read them, and run where a shell can."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from resilint.reports import as_json
from tests.cli.conftest import REPOSITORY
from tests.reports.consumers import commands, sarif_run
from tests.reports.made import diagnostic, report

ACTION = REPOSITORY / "action.yml"
PAGE = (REPOSITORY / "docs" / "ci.md").read_text(encoding="utf-8")
SCHEMAS = {".github/workflows/resilint.yml": "vendor.github-workflows", ".gitlab-ci.yml": "vendor.gitlab-ci"}
PIECES = re.findall(r"^```yaml file=(\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

shell = pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="needs bash")


def accepted(schema: str, file: Path) -> None:
    """The file is valid under a schema that check-jsonschema brings along."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def action() -> dict[str, Any]:
    document = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def step(name: str) -> dict[str, Any]:
    (found,) = (each for each in action()["runs"]["steps"] if each["name"] == name)
    assert isinstance(found, dict)
    return found


def test_the_action_is_one() -> None:
    accepted("vendor.github-actions", ACTION)


@pytest.mark.parametrize(("file", "text"), PIECES, ids=[f"{n}-{Path(f).name}" for n, (f, _) in enumerate(PIECES)])
def test_the_pieces_in_the_docs(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / "piece.yml").write_text(text, encoding="utf-8")
    accepted(SCHEMAS[file], tmp_path / "piece.yml")


def test_every_service_has_its_piece() -> None:
    assert {file for file, _ in PIECES} == SCHEMAS.keys()


def test_the_docs_name_every_input() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (?:`(.*?)`)? ?\|", PAGE[PAGE.index("| input |") :], re.MULTILINE)
    assert rows == [(name, value["default"]) for name, value in action()["inputs"].items()]


def test_no_input_stands_in_a_script() -> None:
    scripts = [each["run"] for each in action()["runs"]["steps"] if "run" in each]
    assert scripts and [script for script in scripts if "${{" in script] == []


def test_the_object_in_the_docs_has_the_keys_of_json() -> None:
    (block,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    shown, made = json.loads(block), json.loads(as_json(report(diagnostic())))
    assert shown.keys() == made.keys() and shown["summary"].keys() == made["summary"].keys()
    assert shown["diagnostics"][0].keys() == made["diagnostics"][0].keys()


def checked(project: Path, **inputs: str) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    """Run the action's own step as the runner would, with this resilint for the installed one."""
    temporary = project.parent / "runner"
    (temporary / "box" / "bin").mkdir(parents=True, exist_ok=True)
    program = temporary / "box" / "bin" / "resilint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m resilint "$@"\n')
    program.chmod(0o755)
    given = {name: value["default"] for name, value in action()["inputs"].items()} | inputs
    environment = {
        "PATH": os.environ["PATH"],
        "BOX": str(temporary / "box"),
        "CACHE": str(temporary / "cache"),
        "REPORT": str(temporary / "resilint.sarif"),
        "GITHUB_OUTPUT": str(temporary / "output"),
        "PATHS": given["paths"],
        "ARGS": given["args"],
        "CACHED": given["cache"],
        "ANNOTATIONS": given["annotations"],
    }
    assert environment.keys() - {"PATH", "GITHUB_OUTPUT"} == step("Check")["env"].keys()
    (temporary / "output").write_text("")
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step("Check")["run"]]
    ended = subprocess.run(script, cwd=project, env=environment, capture_output=True, text=True, check=False)
    output = (temporary / "output").read_text().splitlines()
    return ended, dict(line.split("=", 1) for line in output)


@pytest.fixture
def service(project: Path) -> Path:
    (project / "b.py").write_text("import asyncio\n\n\nasync def f():\n    await asyncio.sleep(30)\n")
    return project


@shell
def test_the_action_annotates_and_writes_sarif(service: Path) -> None:
    ended, output = checked(service)
    assert (ended.returncode, ended.stderr) == (0, "") and output["exit-code"] == "1"
    assert [command.properties["file"] for command in commands(ended.stdout)] == ["b.py"]
    assert len(sarif_run(Path(output["sarif-file"]).read_text())["results"]) == 1
    assert (service.parent / "runner" / "cache").is_dir() and not (service / ".resilint_cache").exists()


@shell
def test_the_action_takes_paths_and_options_as_they_are(service: Path) -> None:
    odd = service / "a b; touch owned; $(touch owned).py"
    (service / "b.py").rename(odd)
    ended, output = checked(
        service, paths=f"{odd.name}\n", args="--fail-on=never\n--select=long-sleep", annotations="false"
    )
    assert ended.stdout.startswith(f"{odd.name}:5:5 ") and output["exit-code"] == "0"
    assert not (service / "owned").exists()
    ended, output = checked(service, paths="--version", cache="false")
    assert output == {"exit-code": "2"} and "--version does not exist" in ended.stderr


@shell
@pytest.mark.parametrize(("code", "expected"), [("0", 0), ("1", 1), ("2", 2), ("", 2)])
def test_the_action_ends_as_resilint_did(code: str, expected: int) -> None:
    script = step("Fail where there are reports")["run"]
    assert subprocess.run(["bash", "-c", script], env={"CODE": code}, check=False).returncode == expected

"""The other commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from resilint import __version__
from resilint.rule import Rule
from tests.check import fakes
from tests.cli.conftest import REPOSITORY, Run


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules with pages."""
    import resilint.rules

    def all_rules() -> tuple[Rule, ...]:
        return fakes.RULES

    def page(name: str) -> str:
        return f"# {name}\n\nWhat *it* means.\n"

    monkeypatch.setattr(resilint.rules, "all_rules", all_rules, raising=False)
    monkeypatch.setattr(resilint.rules, "page", page, raising=False)


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"resilint {__version__}\n"


def test_help(run: Run) -> None:
    assert "Commands:" in run("--help").stdout
    for command in ("check", "rule", "rules", "config", "baseline", "clean", "why", "debug"):
        result = run(command, "--help")
        assert result.exit_code == 0 and result.stdout.startswith(f"Usage: resilint {command}")


def test_no_command(run: Run) -> None:
    result = run()
    assert result.exit_code == 2 and result.stdout == "" and "Commands:" in result.stderr


def test_a_mistyped_command(run: Run) -> None:
    result = run("chekc")
    assert result.exit_code == 2 and 'no command "chekc"; did you mean "check"?' in result.stderr


@pytest.mark.usefixtures("registry")
def test_rules(run: Run) -> None:
    lines = run("rules").stdout.splitlines()
    assert lines[0].split() == ["R-1", "loop", "error", "A", "rule."]
    assert any(line.split()[:4] == ["R-3", "inside", "info", "strict"] for line in lines)


@pytest.mark.usefixtures("registry")
def test_rule(run: Run) -> None:
    assert run("rule", "loop").stdout == "# loop\n\nWhat *it* means.\n"
    assert run("rule", "r-3").stdout == "# send\n\nWhat *it* means.\n\n# inside\n\nWhat *it* means.\n"
    result = run("rule", "lopo")
    assert result.exit_code == 2 and 'no rule "lopo"; did you mean "loop"?' in result.stderr
    coloured = run("rule", "loop", "--color", "always", color=True).stdout
    assert "*it*" not in coloured and "\x1b[" in coloured


def test_config(run: Run, project: Path) -> None:
    (project / "pyproject.toml").write_text(
        "[tool.resilint]\nstrict = true\n[tool.resilint.roles]\nworker = ['app/*.py']\n"
        "[tool.resilint.per-role]\nscript = {select = ['x']}\n"
    )
    lines = run("config", "--min-confidence", "low").stdout.splitlines()
    assert lines[0] == f"# root: {project}"
    assert "strict = true  # pyproject.toml:2" in lines
    assert 'min-confidence = "low"  # command line' in lines
    assert "wait-budget = 2  # default" in lines
    assert 'worker = ["app/*.py"]  # pyproject.toml:4'.replace("worker", '"worker"') in lines
    assert '"script" = {ignore = [], select = ["x"]}  # pyproject.toml:6' in lines


def test_config_can_be_read_again(run: Run, project: Path) -> None:
    import tomllib

    from resilint.config.keys import KEYS

    assert tomllib.loads(run("config").stdout).keys() == {key.name for key in KEYS}


def test_config_schema(run: Run) -> None:
    assert json.loads(run("config", "--schema").stdout)["title"] == "resilint"


def test_debug_facts(run: Run) -> None:
    (first, second) = run("debug", "facts", "--format", "json").stdout.splitlines()
    assert json.loads(first)["path"] == "a.py" and json.loads(second)["path"] == "b.py"


def fake_module(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    module = ModuleType(name)
    vars(module).update(members)
    monkeypatch.setitem(sys.modules, name, module)


def test_debug_and_why_call_the_layers(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def calls(program: Sequence[object], output: str) -> str:
        return f"{len(program)} {output}"

    def explain(analysis: Sequence[object], path: str, line: int) -> str:
        return f"{len(analysis)} {path} {line}\n"

    fake_module(monkeypatch, "resilint.link.debug", calls=calls)
    fake_module(monkeypatch, "resilint.summaries.debug", summary=calls)
    fake_module(monkeypatch, "resilint.summaries.why", explain=explain)
    assert run("debug", "calls").stdout == "2 text\n"
    assert run("debug", "summary", "--format", "json").stdout == "2 json\n"
    assert run("why", "a.py:2").stdout == "2 a.py 2\n"
    assert run("why", "a.py").exit_code == 2


def imported(*arguments: str, cwd: Path) -> set[str]:
    """The modules that a command imports."""
    code = (
        "import sys\n"
        "from resilint.cli import main\n"
        "try:\n    main()\nexcept SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=cwd, check=True)
    return set(run.stderr.split())


HEAVY = {"libcst", "rich", "pathspec", "multiprocessing", "tomllib", "msgspec"}


def test_version_and_help_import_little(project: Path) -> None:
    assert imported("--version", cwd=project) & HEAVY == set()
    assert imported("--help", cwd=project) & HEAVY == set()


def test_a_warm_run_imports_no_parser(project: Path) -> None:
    def check() -> set[str]:
        code = (
            "import sys\n"
            "import resilint.check.session as session\n"
            "from tests.check.fakes import passes\n"
            "session.Passes = passes\n"
            "from resilint.cli import main\n"
            "try:\n    main()\nexcept SystemExit: pass\n"
            "print(*sys.modules, file=sys.stderr)\n"
        )
        command = [sys.executable, "-c", code, "check"]
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        run = subprocess.run(command, capture_output=True, text=True, cwd=project, check=True, env=environment)
        return set(run.stderr.split())

    assert "libcst" in check()
    assert check() & {"libcst", "rich", "sqlglot", "pathspec"} == set()


def test_as_a_module(project: Path) -> None:
    run = subprocess.run([sys.executable, "-m", "resilint", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout == f"resilint {__version__}\n"

"""A command line over stand-ins for the layers below ``check``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from resilint.cli import main
from tests.check import fakes

REPOSITORY = Path(__file__).parents[2]
DRIVER = (
    "import resilint.check.session as session\n"
    "from tests.check.fakes import passes\n"
    "session.Passes = passes\n"
    "from resilint.cli import main\n"
    "main()\n"
)

Run = Callable[..., Result]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, a project with one error and one warning."""
    home = tmp_path / "project"
    home.mkdir()
    (home / "pyproject.toml").write_text("[tool.resilint]\n")
    (home / "a.py").write_text("def f():\n    sleep(1)\n")
    (home / "b.py").write_text("send()\n")
    monkeypatch.chdir(home)
    for name in ("NO_COLOR", "FORCE_COLOR", "RESILINT_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call the command in this process."""
    monkeypatch.setattr("resilint.check.session.Passes", fakes.passes)

    def call(*arguments: str, **named: Any) -> Result:
        result = CliRunner().invoke(main, arguments, **named)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        return result

    return call


def start(arguments: Sequence[str], **named: Any) -> subprocess.Popen[bytes]:
    """Call the command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), **named.pop("env", {})}
    named = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **named}
    return subprocess.Popen([sys.executable, "-c", DRIVER, *arguments], env=environment, **named)

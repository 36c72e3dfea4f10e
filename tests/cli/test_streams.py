"""Pipes that close, disks that are full, keys that are pressed: a clear message, the right exit code, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from tests.cli.conftest import Run, start
from tests.reports.consumers import commands, dangerous

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX")


def test_a_reader_that_goes_away(project: Path) -> None:
    (project / "many.py").write_text("send()\n" * 20000)
    process = start(["check", "--output-format", "concise"])
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline().startswith(b"a.py:2:5")
    process.stdout.close()
    errors = process.stderr.read()
    assert (process.wait(60), errors) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("output", ["text", "json", "concise"])
def test_a_full_disk(project: Path, output: str) -> None:
    with open("/dev/full", "wb") as full:
        process = start(["check", "--output-format", output], stdout=full)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert errors == b"error: cannot write to standard output: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_standard_error(project: Path) -> None:
    (project / "gone.py").symlink_to("nowhere")
    with open("/dev/full", "wb") as full:
        process = start(["check"], stderr=full)
        shown, _ = process.communicate(timeout=60)
    assert process.returncode == 1 and shown.startswith(b"a.py:2:5")


@posix
def test_closed_streams(project: Path) -> None:
    script = f'"{sys.executable}" -m resilint --version >&-'
    run = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert "Traceback" not in run.stderr


@posix
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupted(project: Path, jobs: str) -> None:
    for number in range(60):
        (project / f"m{number}.py").write_text(f"def f{number}():\n    send({number})\n" * 400)
    process = start(["check", "--jobs", jobs, "--no-cache"], start_new_session=True)
    time.sleep(1.0)
    if process.poll() is not None:
        pytest.skip("was done already")
    os.killpg(process.pid, signal.SIGINT)
    shown, errors = process.communicate(timeout=60)
    if process.returncode == 1:
        pytest.skip("was done already")
    assert b"Traceback" not in errors
    assert (process.returncode, shown, errors.strip()) == (130, b"", b"interrupted")


def test_a_terminal_without_unicode(project: Path) -> None:
    (project / "a.py").write_text("x = '\u540d'; send()\n", encoding="utf-8")
    environment = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    shown, errors = start(["check"], env=environment).communicate(timeout=60)
    assert b"x = '\\u540d'; send()" in shown and errors == b""


def test_an_internal_error_of_the_command_itself(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("resilint.check.session.analyse", broken)
    result = run("check")
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("internal error: RuntimeError: boom") and "Traceback" not in result.stderr


def test_a_report_of_an_internal_error_gives_2(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.check import fakes

    def broken(analysis: object) -> list[object]:
        raise RuntimeError("boom")

    rules = [fakes.rule("wrong", check=broken), *fakes.RULES]
    monkeypatch.setattr("resilint.check.session.Passes", lambda: fakes.passes(rules))
    assert run("check").exit_code == 2
    assert run("check", "--exit-zero").exit_code == 2


def test_source_cannot_speak_to_the_terminal(run: Run, project: Path) -> None:
    (project / "a.py").write_bytes(b"x = '\x1b]0;owned\x07\xe2\x80\xae'; send()\n")
    (project / "\x1b[2Jz.py").write_text("send()  # resilint: ignore[\x1b[31mred] \x1b\n")
    for output in ("text", "concise", "json"):
        result = run("check", "--output-format", output)
        assert "\x1b" not in result.stdout + result.stderr and "\u202e" not in result.stdout
        assert result.exit_code in (0, 1)


@posix
def test_names_cannot_command_a_log(run: Run, project: Path) -> None:
    (project / "a\n::error::owned.py").symlink_to("nowhere")
    (project / "::error::owned.py").symlink_to("nowhere")
    shown = run("check", "--baseline", "a\n::error::owned.json").stderr + run("check").stderr
    shown += run("check", "a\n::error::gone.py").stderr
    shown += run("debug", "facts", "--stdin-filename", "::error::x.py", "-", input="x = 1\n").stdout
    assert "owned" in shown and "gone" in shown and "x.py" in shown
    assert commands(shown) == [] and dangerous(shown) == []


@posix
def test_an_explanation_cannot_command_a_log(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("resilint.summaries.why")
    vars(module)["explain"] = lambda analysis, path, line: "  ::error::owned\n##[error]owned \x1b[2J\u202e\n"
    monkeypatch.setitem(sys.modules, "resilint.summaries.why", module)
    shown = run("why", "a.py:2").stdout
    assert commands(shown) == [] and dangerous(shown) == [] and shown.count("\n") == 2


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_project(run: Run, project: Path) -> None:
    project.chmod(0o500)
    try:
        result = run("check")
    finally:
        project.chmod(0o700)
    assert result.exit_code == 1 and "cannot be written" in result.stderr

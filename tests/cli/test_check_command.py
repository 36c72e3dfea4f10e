"""``resilint check``: options, streams, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def rows(text: str) -> list[tuple[str, int, str]]:
    return [(r["path"], r["line"], r["name"]) for r in json.loads(text)["diagnostics"]]


def test_text(run: Run) -> None:
    result = run("check")
    assert result.exit_code == 1 and result.stderr == ""
    assert result.stdout.startswith(
        "a.py:2:5 R-1 (loop) sleep is called\n"
        "  2 |     sleep(1)\n"
        "    |     ^^^^^^^^\n"
        "  hint: Do something else.\n"
        "\n"
        "b.py:1:1 "
    )
    assert "1 error, 1 warning in 2 files in " in result.stdout


def test_concise_and_json(run: Run) -> None:
    assert run("check", "--output-format", "concise").stdout == (
        "a.py:2:5 R-1 (loop) sleep is called\nb.py:1:1 R-3 (send) send is called\n"
    )
    result = run("check", "--output-format", "json")
    assert rows(result.stdout) == [("a.py", 2, "loop"), ("b.py", 1, "send")]
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 1),
        (["b.py"], 0),
        (["b.py", "--fail-on", "warning"], 1),
        (["--fail-on", "never"], 0),
        (["--exit-zero"], 0),
        (["--select", "send"], 0),
        (["--ignore", "loop,long"], 0),
        (["--ignore", "loop"], 1),
        (["--exclude", "a.py"], 0),
        (["--extend-exclude", "a.py"], 0),
        (["--exclude", "a.py", "a.py"], 1),
        (["--exclude", "a.py", "a.py", "--force-exclude"], 0),
    ],
)
def test_exit_codes(run: Run, arguments: list[str], code: int) -> None:
    assert run("check", *arguments).exit_code == code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gone.py"], "gone.py does not exist"),
        (["--select", "lop"], '--select: no rule "lop"; did you mean "loop"?'),
        (["--bogus"], "No such option '--bogus'"),
        (["--output-format", "xml"], "Invalid value for '--output-format'"),
        (["--jobs", "0"], "Invalid value for '--jobs'"),
        (["--config", "nowhere.toml"], "cannot read the configuration nowhere.toml: No such file or directory"),
        (["--root", "nowhere"], "is no folder"),
        (["--baseline", "b.json"], "b.json does not exist; make it with: resilint baseline"),
        (["--prune"], "--prune needs a baseline"),
        (["--stdin-filename", "a.py"], "--stdin-filename goes with -"),
        ([".."], "the project's root"),
    ],
)
def test_wrong_use(run: Run, project: Path, arguments: list[str], message: str) -> None:
    if arguments == [".."]:
        arguments = ["--root", ".", ".."]
    result = run("check", *arguments)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("error: ") and message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_broken_configuration(run: Run, project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.resilint]\nlong-sleep-treshold = 3\n")
    result = run("check")
    assert result.exit_code == 2
    assert result.stderr == (
        'error: pyproject.toml:2: unknown key "long-sleep-treshold"; did you mean "long-sleep-threshold"?\n'
    )


def test_another_configuration(run: Run, project: Path) -> None:
    (project / "other.toml").write_text("ignore = ['loop', 'long']\n")
    assert run("check", "--config", "other.toml").exit_code == 0


def test_standard_input(run: Run) -> None:
    result = run("check", "--output-format", "json", "-", "--stdin-filename", "a.py", input="\n\n\nsleep()\n")
    assert rows(result.stdout) == [("a.py", 4, "loop")]
    assert json.loads(result.stdout)["summary"]["files"] == 2
    result = run("check", "--output-format", "json", "-", input="send()\n")
    assert rows(result.stdout) == [("stdin.py", 1, "send")]


def test_skipped_files_are_told(run: Run, project: Path) -> None:
    (project / "gone.py").symlink_to("nowhere")
    result = run("check", "--output-format", "json")
    assert result.stderr == "warning: skipped gone.py: a link to nothing\n"
    assert json.loads(result.stdout)["summary"]["skipped"] == [{"path": "gone.py", "reason": "a link to nothing"}]
    assert run("check", "--quiet").stderr == ""


def test_no_python_files(run: Run, project: Path) -> None:
    for name in ("a.py", "b.py"):
        (project / name).unlink()
    result = run("check")
    assert (result.exit_code, result.stderr) == (0, "warning: no Python files found\n")


def test_quiet_and_verbose(run: Run) -> None:
    assert " in 2 files in " not in run("check", "--quiet").stdout
    result = run("check", "--verbose", "--no-cache")
    assert "2 of 2 files were lowered" in result.stderr and "judge" in result.stderr
    assert result.stdout.startswith("a.py:2:5")


def test_statistics(run: Run, project: Path) -> None:
    lines = run("check", "--statistics").stdout.splitlines()
    assert lines[-2:] == ["role      functions  withheld", "handler           2         0"]
    (project / "tests").mkdir()
    (project / "tests" / "t.py").write_text("send()\nsend()\n")
    lines = run("check", "--statistics").stdout.splitlines()
    assert lines[-2:] == ["test              0         2", "  send                              2"]


def test_colour(run: Run) -> None:
    assert "\x1b[" not in run("check").stdout
    assert "\x1b[" in run("check", "--color", "always", color=True).stdout
    assert "\x1b[" in run("check", env={"FORCE_COLOR": "1"}, color=True).stdout
    assert "\x1b[" not in run("check", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}, color=True).stdout
    assert "\x1b[" in run("check", "--color", "always", env={"NO_COLOR": "1"}, color=True).stdout


def test_the_cache(run: Run, project: Path) -> None:
    run("check", "--no-cache")
    assert not (project / ".resilint_cache").exists()
    run("check", "--cache-dir", "../kept")
    assert not (project / ".resilint_cache").exists() and (project.parent / "kept").exists()
    run("check")
    assert (project / ".resilint_cache").exists()
    result = run("clean")
    assert (result.exit_code, result.stdout) == (0, f"removed {project / '.resilint_cache'}\n")
    assert run("clean").stdout == f"no cache at {project / '.resilint_cache'}\n"
    assert run("clean", "--cache-dir", "../kept").stdout == f"removed {project / '../kept'}\n"


def test_a_folder_that_is_no_cache_is_not_removed(run: Run, project: Path) -> None:
    assert run("clean", "--cache-dir", str(project)).stdout.startswith("no cache at")
    assert (project / "a.py").exists()


def test_a_cache_that_cannot_be_written(run: Run, project: Path) -> None:
    (project / ".resilint_cache").write_text("in the way")
    result = run("check")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"warning: the cache {project / '.resilint_cache'} cannot be written: ")


def test_several_projects(run: Run, project: Path) -> None:
    other = project.parent / "other"
    other.mkdir()
    (other / "resilint.toml").write_text("fail-on = 'never'")
    (other / "c.py").write_text("sleep()\n")
    result = run("check", "--output-format", "json", ".", "../other")
    assert rows(result.stdout) == [("../other/c.py", 1, "loop"), ("a.py", 2, "loop"), ("b.py", 1, "send")]


# Baselines.


def test_baseline(run: Run, project: Path) -> None:
    result = run("baseline")
    assert (result.exit_code, result.stdout) == (0, f"2 reports in {project / 'resilint-baseline.json'}\n")
    result = run("check", "--baseline", "resilint-baseline.json")
    assert result.exit_code == 0 and "2 in the baseline" in result.stdout
    (project / "a.py").write_text("import x\n\ndef f():\n    sleep( 1 )\n\ndef g():\n    sleep(1)\n")
    result = run("check", "--baseline", "resilint-baseline.json", "--output-format", "json")
    assert rows(result.stdout) == [("a.py", 7, "loop")]


def test_entries_in_vain(run: Run, project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.resilint]\nbaseline = 'old.json'\n")
    run("baseline")
    (project / "b.py").write_text("pass\n")
    result = run("check")
    assert "note: the baseline accepts send of b.py, which no longer occurs\n" in result.stderr
    assert "note: --prune removes it from the baseline\n" in result.stderr
    assert "no longer occurs" not in run("check", "a.py").stderr
    assert "note: 1 removed from " in run("check", "--prune").stderr
    assert run("check").stderr == ""
    assert len(json.loads((project / "old.json").read_text())["entries"]) == 1


def test_a_renamed_file(run: Run, project: Path) -> None:
    run("baseline")
    (project / "b.py").rename(project / "c.py")
    result = run("check", "--baseline", "resilint-baseline.json")
    assert "note: b.py of the baseline seems to be c.py now" in result.stderr


def test_a_baseline_of_some_files_keeps_the_others(run: Run, project: Path) -> None:
    run("baseline")
    (project / "a.py").write_text("pass\n")
    assert run("baseline", "a.py").stdout.startswith("1 report in ")
    assert run("check", "--baseline", "resilint-baseline.json").exit_code == 0


def test_a_baseline_elsewhere(run: Run, project: Path) -> None:
    assert run("baseline", "--output", "x.json").exit_code == 0
    assert run("check", "--baseline", "x.json").exit_code == 0
    result = run("baseline", "--output", "no/where.json")
    assert result.exit_code == 2 and "cannot write the baseline" in result.stderr

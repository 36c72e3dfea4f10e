"""Which formats ``resilint check`` writes, and where: several in one run, files whole or not at all."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from resilint.check.whole import FileError, write_whole
from resilint.cli.output import linked
from tests.cli.conftest import REPOSITORY, Run
from tests.reports.consumers import commands, dangerous, gitlab_entries, junit_cases, sarif_run, sarif_tools

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX")


def formats(*values: str) -> list[str]:
    return [word for value in values for word in ("--output-format", value)]


def left(folder: Path) -> list[str]:
    """Temporary files that nobody removed."""
    return [file.name for file in folder.iterdir() if file.name.startswith(".resilint-")]


def test_every_format_is_accepted(run: Run, project: Path) -> None:
    files = {name: f"report.{name}" for name in ("json", "jsonl", "sarif", "github", "gitlab", "junit", "concise")}
    result = run("check", *formats("text", *(f"{name}:{file}" for name, file in files.items())))
    assert result.exit_code == 1 and result.stdout.startswith("a.py:2:5 R-1 (loop) sleep is called\n")
    read = {name: (project / file).read_text(encoding="utf-8") for name, file in files.items()}
    assert [row["name"] for row in json.loads(read["json"])["diagnostics"]] == ["loop", "send"]
    assert [json.loads(line)["name"] for line in read["jsonl"].splitlines()] == ["loop", "send"]
    log = sarif_run(read["sarif"])
    assert [r["ruleId"] for r in log["results"]] == ["R-1/loop", "R-3/send"]
    assert log["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{project.as_uri()}/"
    assert "R-RES-ASYNC-X2/long-sleep" in [rule["id"] for rule in log["tool"]["driver"]["rules"]]
    assert len(sarif_tools(read["sarif"]).get_results()) == 2
    assert [c.name for c in commands(read["github"])] == ["error", "warning"]
    assert [e["location"]["path"] for e in gitlab_entries(read["gitlab"])] == ["a.py", "b.py"]
    assert [case[2] for case in junit_cases(read["junit"])] == ["Failure", "Skipped"]
    assert read["concise"].count("\n") == 2


def test_output_file(run: Run, project: Path) -> None:
    result = run("check", *formats("json"), "--output-file", "out.json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert len(json.loads((project / "out.json").read_text())["diagnostics"]) == 2
    result = run("check", "-o", "out.txt", "--color", "always")
    assert "\x1b[" in (project / "out.txt").read_text() and result.stdout == ""
    run("check", "-o", "out.txt", env={"FORCE_COLOR": "1", "FORCE_HYPERLINK": "1"})
    assert "\x1b" not in (project / "out.txt").read_text()
    assert run("check", "-o", "-").stdout.startswith("a.py:2:5")
    assert run("check", *formats("sarif:r.sarif", "json"), "-o", "out.json").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            formats("text", "json"),
            "both text and json would go to standard output: name a file, --output-format json:FILE",
        ),
        (formats("json:a.out", "sarif:./a.out"), "both json and sarif would go to a.out"),
        ([*formats("json:a.out", "sarif"), "-o", "a.out"], "both json and sarif would go to a.out"),
        ([*formats("json:a.out"), "-o", "b.out"], "every --output-format names one"),
        (formats("sarif:"), '"sarif:" names no file after the colon'),
        (formats("sarfi"), 'no format "sarfi"; did you mean "sarif"?'),
        (formats("xml:r.xml"), 'no format "xml"; known: text, concise, json'),
        (["-o", "."], "cannot write .: it is a folder"),
        (["-o", "no/where.txt"], "cannot write no/where.txt: there is no folder no"),
        (formats("sarif:no/where.sarif", "text"), "there is no folder no"),
    ],
)
def test_wrong_use(run: Run, arguments: Sequence[str], message: str) -> None:
    result = run("check", *arguments)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("error: ") and message in result.stderr.replace("\n", " ")


def test_suppressed_reports(run: Run, project: Path) -> None:
    (project / "b.py").write_text("send()  # resilint: ignore[send] it is meant\n")
    run("baseline", "a.py")
    arguments = ["check", "--baseline", "resilint-baseline.json", "--output-format", "sarif"]
    result = run(*arguments)
    shown = [(r["ruleId"], r["suppressions"]) for r in sarif_run(result.stdout)["results"]]
    assert result.exit_code == 0 and shown == [
        ("R-1/loop", [{"kind": "external", "status": "accepted", "justification": "accepted by the baseline"}]),
        ("R-3/send", [{"kind": "inSource", "status": "accepted", "justification": "it is meant"}]),
    ]
    assert sarif_run(run(*arguments, "--no-suppressed").stdout)["results"] == []


@pytest.mark.parametrize(
    ("fail_on", "endings"),
    [("warning", ["Failure", "Failure"]), ("never", ["Skipped", "Skipped"])],
)
def test_failures_are_what_makes_the_exit_code(run: Run, fail_on: str, endings: list[str]) -> None:
    cases = junit_cases(run("check", "--fail-on", fail_on, "--output-format", "junit").stdout)
    assert [case[2] for case in cases] == endings


@pytest.mark.parametrize(("name", "output"), [("GITHUB_WORKSPACE", "github"), ("CI_PROJECT_DIR", "gitlab")])
def test_a_service_says_where_the_repository_is(run: Run, project: Path, name: str, output: str) -> None:
    shown = run("check", "--output-format", output, env={name: str(project.parent)}).stdout
    assert "project/a.py" in shown and "project/b.py" in shown


# Files.


def test_a_file_keeps_its_permissions_and_a_link_stays(run: Run, project: Path) -> None:
    (project / "real.json").write_text("old")
    (project / "real.json").chmod(0o640)
    (project / "link.json").symlink_to("real.json")
    run("check", *formats("json:link.json"))
    assert (project / "link.json").is_symlink()
    assert "diagnostics" in (project / "real.json").read_text()
    assert stat.S_IMODE((project / "real.json").stat().st_mode) == 0o640


@posix
def test_a_new_file_is_as_the_mask_says(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_whole(tmp_path / "new", "text")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_what_the_encoding_does_not_have(tmp_path: Path) -> None:
    write_whole(tmp_path / "f", "\u540d\udcff")
    assert (tmp_path / "f").read_bytes() == "\u540d\\udcff".encode()


def test_an_interrupted_file_is_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f").write_text("old")

    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "f", "new")
    assert (tmp_path / "f").read_text() == "old" and left(tmp_path) == []


def test_the_message_names_the_file_that_was_given(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=re.escape(f"cannot write {tmp_path / 'no' / 'f'}: No such file or directory")):
        write_whole(tmp_path / "no" / "f", "new")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_that_is_full(run: Run, project: Path) -> None:
    result = run("check", *formats("text", "sarif:/dev/full", "json:r.json"))
    assert result.exit_code == 2 and result.stderr == "error: cannot write /dev/full: No space left on device\n"
    assert result.stdout.startswith("a.py:2:5") and "diagnostics" in (project / "r.json").read_text()


@posix
def test_a_disk_that_fills_up(project: Path) -> None:
    """A limit on the size of files stands for the disk: the first part can be written, the rest cannot."""
    (project / "r.json").write_text("old")
    code = (
        "import resource, resilint.cli\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "resilint.cli.main(['check', '--no-cache', '--output-format', 'sarif:r.json'])\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "error: cannot write r.json: File too large\n")
    assert (project / "r.json").read_text() == "old" and left(project) == []


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everything")
def test_a_folder_without_permission(run: Run, project: Path) -> None:
    (project / "closed").mkdir(mode=0o500)
    result = run("check", *formats("sarif:closed/r.sarif"))
    assert result.exit_code == 2 and "cannot write closed/r.sarif: no permission" in result.stderr


def test_a_missing_permission_is_told_before_the_analysis(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resilint.cli.targets.os.access", lambda *given: False)
    result = run("check", *formats("sarif:r.sarif"))
    assert (result.exit_code, result.stderr) == (2, "error: cannot write r.sarif: no permission to write in .\n")


@posix
def test_a_pipe_is_written_to(run: Run, project: Path) -> None:
    os.mkfifo(project / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((project / "pipe").read_text()))
    reader.start()
    assert run("check", *formats("json:pipe")).exit_code == 1
    reader.join(10)
    assert len(json.loads(read[0])["diagnostics"]) == 2 and stat.S_ISFIFO((project / "pipe").stat().st_mode)


# Links for terminals.


@pytest.mark.parametrize(
    ("environment", "terminal", "choice", "expected"),
    [
        ({"TERM_PROGRAM": "vscode"}, True, "auto", True),
        ({"TERM_PROGRAM": "vscode"}, False, "auto", False),
        ({"TERM_PROGRAM": "vscode"}, True, "never", False),
        ({"TERM_PROGRAM": "vscode", "NO_COLOR": "1"}, True, "auto", False),
        ({"TERM_PROGRAM": "Apple_Terminal"}, True, "auto", False),
        ({"VTE_VERSION": "7600"}, True, "auto", True),
        ({"VTE_VERSION": "4999"}, True, "auto", False),
        ({"VTE_VERSION": "new"}, True, "auto", False),
        ({"WT_SESSION": "1"}, True, "auto", True),
        ({"TERM": "xterm-kitty"}, True, "auto", True),
        ({"TERM": "xterm-256color"}, True, "auto", False),
        ({"TERM": "dumb", "WT_SESSION": "1"}, True, "auto", False),
        ({"FORCE_HYPERLINK": "1"}, False, "auto", True),
        ({"FORCE_HYPERLINK": "0", "WT_SESSION": "1"}, True, "auto", False),
    ],
)
def test_links_where_the_terminal_can(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], terminal: bool, choice: str, expected: bool
) -> None:
    monkeypatch.setattr("resilint.cli.output.os.environ", environment)
    monkeypatch.setattr("resilint.cli.output.on_terminal", lambda: terminal)
    assert linked(choice) is expected


def test_links(run: Run) -> None:
    shown = run("check", env={"FORCE_HYPERLINK": "1"}, color=True).stdout
    assert "\x1b]8;;https://github.com/resilint/resilint/blob/main/src/resilint/rules/loop.md\x1b\\R-1 (loop)" in shown


# A whole project that means harm, through the real analysis.

HOSTILE_FILES = [
    "::error file=x,line=1::owned.py",
    " ::add-mask::owned.py",
    "##[error]owned.py",
    "##vso[task.setvariable variable=x]owned.py",
    "%0A::error::owned.py",
    "a,b=c:d.py",
    "<script>owned&amp;.py",
    "]]> --> \"'.py",
    "[owned](https:owned.example).py",
    "![x](y) `code` | *x* _y_.py",
    "$(owned) `owned` ${{ owned }} ;owned.py",
    "--owned.py",
    "{0}.py",
    "gr\u00fc\u00dfe \u540d.py",
]
UNPRINTABLE_FILES = [
    b"a\n::error::owned.py",
    b"a\r##[error]b.py",
    b"\x1b[2J\x1b]0;owned\x07.py",
    b"\x01\x08\x0b\x0c\x7f.py",
    b"not-\xff-utf8.py",
    "\u202eyp.denwo\u2066.py".encode(),
    "\u2028\u2029\x85\x9b.py".encode(),
    "\uffff.py".encode(),
]
HOSTILE_SOURCE = """\
import asyncio


async def \u05d0\u05d1_owned():  # ##[error]owned \u202e ]]> <script> \x1b[31m ::error::owned
    await asyncio.sleep(30)  # ##vso[task.complete result=Failed] \x9b
    await asyncio.sleep(30)  # resilint: ignore[long-sleep] ]]> [owned](x) ##[error] \u202e \x1b]0;owned\x07
    await asyncio.sleep(1)  # resilint: ignore[##[error]\u202e\x1b] <x>
"""


@posix
@pytest.mark.usefixtures("project")
def test_a_hostile_project(project: Path) -> None:
    from resilint.cli import main

    for name in ("a.py", "b.py"):
        (project / name).unlink()
    names = [os.fsencode(name) for name in HOSTILE_FILES] + UNPRINTABLE_FILES
    for raw in names:
        Path(os.fsdecode(os.path.join(os.fsencode(project), raw))).write_text(HOSTILE_SOURCE, encoding="utf-8")
    outputs = ["concise", "json", "jsonl", "sarif", "github", "gitlab", "junit"]
    targets = formats("text", *(f"{name}:out.{name}" for name in outputs))
    result = CliRunner().invoke(main, ["check", "--no-cache", "--jobs", "1", *targets])
    assert result.exit_code == 1, result.stderr
    read = {name: (project / f"out.{name}").read_text(encoding="utf-8") for name in outputs}
    for name, text in {**read, "text": result.stdout, "errors": result.stderr}.items():
        assert dangerous(text) == [], name
        assert name == "github" or commands(text) == [], name

    reported = json.loads(read["json"])["diagnostics"]
    sleeps = [row for row in reported if row["name"] == "long-sleep"]
    assert len(sleeps) == len(names), "one in each file"
    assert len(read["jsonl"].splitlines()) == len(reported) == len(read["concise"].splitlines())
    assert {row["path"] for row in sleeps} >= set(HOSTILE_FILES)

    results = sarif_run(read["sarif"])["results"]
    assert sum(not r["suppressions"] for r in results) == len(reported)
    assert sum(bool(r["suppressions"]) for r in results) == len(names)
    assert len(sarif_tools(read["sarif"]).get_results()) == len(results)

    told = commands(read["github"])
    assert len(told) == len(reported) and {command.name for command in told} == {"error", "warning"}
    exact = {name for name in HOSTILE_FILES if "##" not in name} | {"a\n::error::owned.py"}
    assert {command.properties["file"] for command in told} >= exact

    assert len(gitlab_entries(read["gitlab"])) == len(reported)
    assert len(junit_cases(read["junit"])) == len(reported)


def test_the_lists_of_formats_agree() -> None:
    from resilint.cli.check import check_command
    from resilint.reports import FORMATS

    (option,) = (parameter for parameter in check_command.params if parameter.name == "output_format")
    said = getattr(option, "help", "")
    assert [name for name in FORMATS if not re.search(rf"\b{name}\b", said)] == []
    page = (REPOSITORY / "docs" / "ci.md").read_text(encoding="utf-8")
    assert [name for name in FORMATS if f"| `{name}` |" not in page] == []

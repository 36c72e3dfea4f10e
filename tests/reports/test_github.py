"""Annotations: what GitHub's runner makes of the log."""

from __future__ import annotations

from pathlib import Path

from resilint.domain import Hop, Severity, Span
from resilint.reports import formatted
from tests.reports.consumers import commands
from tests.reports.made import diagnostic, report


def test_a_command_a_report() -> None:
    made = diagnostic(
        "app/a.py",
        span=Span(3, 5, 3, 9),
        hint="Store it.",
        trace=(Hop("api.py", 1, 1, "handler f"), Hop("app/a.py", 3, 5, "waits")),
    )
    warned = diagnostic("b.py", severity=Severity.WARNING, span=Span(3, 5, 7, 2))
    told = diagnostic("c.py", severity=Severity.INFO)
    log = formatted("github", report(made, warned, told))
    assert log.count("\n") == 3
    first, second, third = commands(log)
    assert first.name == "error"
    assert first.properties == {
        "title": "R-1 (long-sleep)",
        "file": "app/a.py",
        "line": "3",
        "endLine": "3",
        "col": "5",
        "endColumn": "9",
    }
    assert first.data == "waits 9 s\npath: api.py:1  handler f\n  -> app/a.py:3  waits\nhint: Store it."
    assert second.name == "warning" and third.name == "notice"
    assert "col" not in second.properties and second.properties["endLine"] == "7"


def test_files_are_named_from_the_root_of_the_repository() -> None:
    made = report(diagnostic("a.py"), working=Path("/srv/app/service"), repository=Path("/srv/app"))
    assert commands(formatted("github", made))[0].properties["file"] == "service/a.py"
    made = report(diagnostic("../../x.py"), working=Path("/srv/app/service"), repository=Path("/srv/app"))
    assert commands(formatted("github", made))[0].properties["file"] == "../../x.py"


def test_what_goes_wrong_in_resilint_names_no_file() -> None:
    (command,) = commands(formatted("github", report(diagnostic(".", name="internal-error"))))
    assert "file" not in command.properties and command.name == "error"


def test_a_name_with_a_line_end_stays_exact() -> None:
    (command,) = commands(formatted("github", report(diagnostic("a\nb,c:d%0A.py"))))
    assert command.properties["file"] == "a\nb,c:d%0A.py"


def test_nothing_to_report() -> None:
    assert formatted("github", report()) == ""

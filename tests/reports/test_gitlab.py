"""GitLab's Code Quality report: the documented fields, and what the widget shows of them."""

from __future__ import annotations

import json
from pathlib import Path

from resilint.domain import Severity, Span
from resilint.reports import formatted
from tests.reports.consumers import gitlab_entries
from tests.reports.made import diagnostic, report


def test_an_entry() -> None:
    made = diagnostic("app/a.py", span=Span(3, 5, 4, 9), hint="Store it.")
    assert gitlab_entries(formatted("gitlab", report(made))) == [
        {
            "description": "waits 9 s. Store it.",
            "check_name": "R-1/long-sleep",
            "fingerprint": "f00",
            "severity": "major",
            "location": {"path": "app/a.py", "lines": {"begin": 3, "end": 4}},
        }
    ]


def test_severities() -> None:
    made = [diagnostic(fingerprint=str(n), severity=severity) for n, severity in enumerate(Severity)]
    assert [e["severity"] for e in gitlab_entries(formatted("gitlab", report(*made)))] == ["info", "minor", "major"]


def test_every_report_is_shown() -> None:
    made = [
        diagnostic("one/a.py"),
        diagnostic("two/a.py"),
        diagnostic("two/a.py"),
        diagnostic(".", name="internal-error", fingerprint=""),
        diagnostic(".", name="internal-error", fingerprint="", message="another"),
    ]
    shown = gitlab_entries(formatted("gitlab", report(*made)))
    assert len(shown) == 5 and shown[0]["fingerprint"] == "f00"
    assert gitlab_entries(formatted("gitlab", report(*made))) == shown


def test_paths_are_those_of_the_repository() -> None:
    made = report(diagnostic("a.py"), working=Path("/builds/x/service"), repository=Path("/builds/x"))
    assert gitlab_entries(formatted("gitlab", made))[0]["location"]["path"] == "service/a.py"


def test_nothing_to_report() -> None:
    assert json.loads(formatted("gitlab", report())) == []

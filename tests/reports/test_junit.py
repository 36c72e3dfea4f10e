"""JUnit's XML: what junitparser reads."""

from __future__ import annotations

from resilint.domain import Hop, Severity
from resilint.reports import formatted
from tests.reports.consumers import junit_cases
from tests.reports.made import diagnostic, report


def test_a_case_a_report() -> None:
    made = [
        diagnostic("a.py", 3, 5, hint="Store it.", trace=(Hop("b.py", 1, 1, "handler f"), Hop("a.py", 3, 5, "waits"))),
        diagnostic("a.py", 9, severity=Severity.WARNING),
        diagnostic("b.py", name="internal-error", id="resilint", message="failed"),
    ]
    assert junit_cases(formatted("junit", report(*made))) == [
        (
            "a.py",
            "R-1 (long-sleep) 3:5",
            "Failure",
            "waits 9 s",
            "a.py:3:5 waits 9 s\npath: b.py:1  handler f\n   -> a.py:3  waits\nhint: Store it.",
        ),
        ("a.py", "R-1 (long-sleep) 9:1", "Skipped", "warning: waits 9 s", "a.py:9:1 waits 9 s"),
        ("b.py", "resilint (internal-error) 1:1", "Error", "failed", "b.py:1:1 failed"),
    ]


def test_what_makes_the_run_fail_is_a_failure() -> None:
    made = [diagnostic(line=n, severity=severity) for n, severity in enumerate(Severity, 1)]

    def endings(fails: Severity | None) -> list[str]:
        return [case[2] for case in junit_cases(formatted("junit", report(*made, fails=fails)))]

    assert endings(Severity.ERROR) == ["Skipped", "Skipped", "Failure"]
    assert endings(Severity.INFO) == ["Failure", "Failure", "Failure"]
    assert endings(None) == ["Skipped", "Skipped", "Skipped"]


def test_several_reports_at_one_place_have_names_of_their_own() -> None:
    cases = junit_cases(formatted("junit", report(diagnostic(), diagnostic(), diagnostic())))
    assert [case[1].removeprefix("R-1 (long-sleep) ") for case in cases] == ["1:1", "1:1 (2)", "1:1 (3)"]


def test_nothing_to_report_is_a_test_that_passes() -> None:
    assert junit_cases(formatted("junit", report())) == [("resilint", "no reports", "", "", "")]

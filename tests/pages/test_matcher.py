from __future__ import annotations

from tests.pages.markers import read_markers
from tests.pages.matcher import Report, compare


def problems(line: str, *reports: tuple[str, str], concluded: dict[str, list[str]] | None = None) -> list[str]:
    rows = [Report("main.py", 1, name, severity, "said") for name, severity in reports]
    return [p.text for p in compare(read_markers("main.py", line), rows, lambda path, line: concluded or {})]


def test_what_is_expected_and_reported_is_right() -> None:
    assert problems("f()  # expect: to-thread", ("to-thread", "error")) == []
    assert problems("f()  # expect: to-thread:error", ("to-thread", "error")) == []
    assert problems("f()  # expect: to-thread, long-sleep", ("long-sleep", "error"), ("to-thread", "error")) == []


def test_a_line_that_claims_nothing_must_be_silent() -> None:
    assert problems("f()") == []
    assert problems("f()", ("to-thread", "error")) == ["unexpected to-thread:error: said"]


def test_a_wrong_expectation_fails() -> None:
    assert problems("f()  # expect: to-thread") == ["expected to-thread, not reported"]
    assert problems("f()  # expect: long-sleep", ("to-thread", "error")) == [
        "expected long-sleep, not reported",
        "unexpected to-thread:error: said",
    ]


def test_a_wrong_severity_fails() -> None:
    assert problems("f()  # expect: to-thread:warning", ("to-thread", "error")) == [
        "expected to-thread:warning, not reported, but as error"
    ]


def test_another_line_or_file_does_not_count() -> None:
    markers = read_markers("main.py", "f()  # expect: to-thread\n")
    assert len(compare(markers, [Report("main.py", 2, "to-thread", "error")])) == 2
    assert len(compare(markers, [Report("other.py", 1, "to-thread", "error")])) == 2


def test_two_reports_need_two_claims() -> None:
    twice = (("to-thread", "error"), ("to-thread", "error"))
    assert problems("f()  # expect: to-thread", *twice) == ["unexpected to-thread:error: said"]
    assert problems("f()  # expect: to-thread, to-thread", *twice) == []
    assert problems("f()  # expect: to-thread, to-thread", twice[0]) == ["expected to-thread, not reported"]


def test_severities_are_matched_before_the_claims_without_one() -> None:
    both = (("to-thread", "error"), ("to-thread", "warning"))
    assert problems("f()  # expect: to-thread, to-thread:error", *both) == []
    assert problems("f()  # expect: to-thread:warning, to-thread:error", *both) == []


def test_a_missed_alarm_is_silent_and_fails_when_it_closes() -> None:
    assert problems("f()  # missed-alarm: to-thread") == []
    assert problems("f()  # missed-alarm: to-thread", ("to-thread", "error")) == [
        "to-thread is reported now: replace '# missed-alarm: to-thread' by '# expect: to-thread'"
    ]


def test_a_false_alarm_is_reported_and_fails_when_it_closes() -> None:
    assert problems("f()  # false-alarm: to-thread", ("to-thread", "error")) == []
    assert problems("f()  # false-alarm: to-thread") == [
        "to-thread is no longer reported: remove '# false-alarm: to-thread'"
    ]


def test_a_right_and_a_false_alarm_on_one_line() -> None:
    twice = (("to-thread", "error"), ("to-thread", "error"))
    line = "f()  # expect: to-thread  # false-alarm: to-thread"
    assert problems(line, *twice) == []
    assert problems(line, twice[0]) == ["expected to-thread, not reported"]


def test_what_was_concluded() -> None:
    calls = {"calls": ["app.poll attached", "app.log detached"], "role": ["handler"]}
    assert problems("f()  # reveal: calls=app.poll attached", concluded=calls) == []
    assert problems("f()  # reveal: wait=none", concluded=calls) == []
    assert problems("f()  # reveal: role=worker", concluded=calls) == [
        "reveal role: expected worker, concluded handler"
    ]
    assert problems("f()  # reveal: role=none", concluded=calls) == ["reveal role: expected none, concluded handler"]
    assert problems("f()  # reveal: wait=[0, 1]", concluded=calls) == [
        "reveal wait: expected [0, 1], concluded nothing"
    ]


def test_reveal_needs_somebody_to_ask() -> None:
    (problem,) = compare(read_markers("main.py", "f()  # reveal: role=handler"), [], None)
    assert problem.text == "reveal is not available here"

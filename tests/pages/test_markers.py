from __future__ import annotations

import pytest

from tests.pages.markers import Marker, MarkerError, read_markers


def claims(text: str) -> list[tuple[int, str, str, str]]:
    return [(marker.line, marker.kind, marker.subject, marker.value) for marker in read_markers("main.py", text)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("f()", []),
        ("f()  # an ordinary comment: nothing", []),
        ("f()  # expect: long-sleep", [(1, "expect", "long-sleep", "")]),
        ("f()  # expect: long-sleep:warning", [(1, "expect", "long-sleep", "warning")]),
        ("f()  # expect: to-thread, long-sleep", [(1, "expect", "to-thread", ""), (1, "expect", "long-sleep", "")]),
        ("f()  # resilint: ignore[x] # expect: missing-reason", [(1, "expect", "missing-reason", "")]),
        ("f()  # missed-alarm: to-thread", [(1, "missed-alarm", "to-thread", "")]),
        ("f()  # false-alarm: to-thread", [(1, "false-alarm", "to-thread", "")]),
        ("f()  # reveal: wait=[?, 300]", [(1, "reveal", "wait", "[?, 300]")]),
        (
            "f()  # reveal: role=worker; calls=app.poll attached",
            [(1, "reveal", "role", "worker"), (1, "reveal", "calls", "app.poll attached")],
        ),
        (
            "f()  # expect: to-thread  # reveal: role=handler",
            [(1, "expect", "to-thread", ""), (1, "reveal", "role", "handler")],
        ),
    ],
)
def test_reading(line: str, found: list[tuple[int, str, str, str]]) -> None:
    assert claims(line) == found


def test_every_kind_of_line_end_counts() -> None:
    assert claims("a\r\nb\rc\nd # expect: to-thread\n") == [(4, "expect", "to-thread", "")]
    assert read_markers("m.py", "a\x0cb\u2028c # expect: to-thread\n") == [Marker("m.py", 1, "expect", "to-thread")]


def test_alone_on_its_line_it_speaks_of_the_next() -> None:
    assert claims('# expect: to-thread\n# reveal: role=handler\n\nsql = """\n') == [
        (4, "expect", "to-thread", ""),
        (4, "reveal", "role", "handler"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "f()  # expcet: to-thread",
        "f()  # expects: to-thread",
        "f()  # Expect: to-thread",
        "f()  # expect to-thread",
        "f()  # missed_alarm: to-thread",
        "f()  # missing-alarm: to-thread",
        "f()  # false-alarms: to-thread",
        "f()  # reveals: role=handler",
        "f()  # expect:",
        "f()  # expect: to-thread,",
        "f()  # expect: R-RES-ASYNC-X2",
        "f()  # expect: to-thread because of that",
        "f()  # expect: to-thread:fatal",
        "f()  # missed-alarm: to-thread:error",
        "f()  # reveal: role",
        "f()  # reveal: rule=handler",
        "f()  # reveal: role=",
        "# expect: to-thread\n",
    ],
)
def test_what_has_no_meaning_is_refused(line: str) -> None:
    with pytest.raises(MarkerError):
        claims(line)


def test_the_refusal_names_the_place() -> None:
    with pytest.raises(MarkerError) as caught:
        claims("ok()\nf()  # expcet: to-thread")
    assert (caught.value.path, caught.value.line) == ("main.py", 2)
    assert "did you mean '# expect:'" in str(caught.value)

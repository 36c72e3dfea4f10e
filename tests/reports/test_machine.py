"""The formats that machines read."""

from __future__ import annotations

import json

from resilint.domain import Applicability, Confidence, Edit, FixPlan, Hop, Severity, Span
from resilint.reports import as_json, concise, url
from tests.reports.made import diagnostic, report


def test_json_is_the_object_that_is_promised() -> None:
    plan = FixPlan(Applicability.SAFE, "Do it", (Edit("a.py", Span(1, 2, 3, 4), "\tx\n"),))
    made = diagnostic(
        hint="h", confidence=Confidence.MEDIUM, trace=(Hop("b.py", 3, 4, "calls f"),), fix=plan, subject="s", cover="c"
    )
    other = diagnostic("b.py", severity=Severity.INFO, name="to-thread")
    text = as_json(report(made, other, files=7, suppressed=2, baselined=3, skipped=[("x.py", "no")], seconds=1.23456))
    assert json.loads(text) == {
        "version": 1,
        "diagnostics": [
            {
                "path": "a.py",
                "line": 1,
                "column": 1,
                "end_line": 1,
                "end_column": 4,
                "id": "R-1",
                "name": "long-sleep",
                "severity": "error",
                "confidence": "medium",
                "message": "waits 9 s",
                "hint": "h",
                "fingerprint": "f00",
                "url": "https://github.com/resilint/resilint/blob/main/src/resilint/rules/long_sleep.md",
                "trace": [{"path": "b.py", "line": 3, "column": 4, "text": "calls f"}],
                "fix": {
                    "applicability": "safe",
                    "message": "Do it",
                    "edits": [
                        {
                            "path": "a.py",
                            "start": {"line": 1, "column": 2},
                            "end": {"line": 3, "column": 4},
                            "text": "\tx\n",
                        }
                    ],
                },
            },
            json.loads(as_json(report(other)))["diagnostics"][0],
        ],
        "summary": {
            "files": 7,
            "errors": 1,
            "warnings": 0,
            "infos": 1,
            "suppressed": 2,
            "baselined": 3,
            "skipped": [{"path": "x.py", "reason": "no"}],
            "seconds": 1.235,
        },
    }
    assert text.endswith("}\n")


def test_json_is_plain_ascii_and_valid_for_everyone() -> None:
    nasty = diagnostic("dir\udcff/\x1b\x7f\u202e.py", message="\x1b[31m\u202e\ud800 \u540d", hint="\x00")
    text = as_json(report(nasty))
    assert text.isascii() and all(c.isprintable() or c == "\n" for c in text)
    (row,) = json.loads(text)["diagnostics"]
    json.dumps(row, ensure_ascii=False).encode("utf-8")  # no lone surrogates: other readers refuse them
    assert row["path"] == "dir\\xff/\x1b\x7f\u202e.py"
    assert row["message"] == "\\x1b[31m\\u202e\\ud800 \u540d"


def test_no_reports() -> None:
    assert json.loads(as_json(report()))["diagnostics"] == []
    assert concise(report()) == ""


def test_concise() -> None:
    assert concise(report(diagnostic(line=3, column=7), diagnostic("\x1b.py", message="a\nb"))) == (
        "a.py:3:7 R-1 (long-sleep) waits 9 s\n\\x1b.py:1:1 R-1 (long-sleep) a b\n"
    )


def test_url() -> None:
    assert url("a-b-c").endswith("/rules/a_b_c.md")

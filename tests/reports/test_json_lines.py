"""JSON Lines: every line is a row of the JSON format."""

from __future__ import annotations

import json

from resilint.domain import Hop
from resilint.reports import as_json, formatted
from tests.reports.made import diagnostic, report


def test_a_line_a_report() -> None:
    made = report(diagnostic(message="a\nb", trace=(Hop("b.py", 1, 1, "x"),)), diagnostic("b.py"))
    lines = formatted("jsonl", made).split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == json.loads(as_json(made))["diagnostics"]


def test_nothing_to_report() -> None:
    assert formatted("jsonl", report()) == ""

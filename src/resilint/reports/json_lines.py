"""JSON Lines: one object a report, for tools that read line by line. It has no summary."""

from __future__ import annotations

from resilint.reports.ascii_json import dumped
from resilint.reports.json_object import row
from resilint.reports.summary import Report


def as_json_lines(report: Report) -> str:
    """The rows of the JSON format, a line each."""
    return "".join(f"{dumped(row(diagnostic), None)}\n" for diagnostic in report.diagnostics)

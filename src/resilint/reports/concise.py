"""A line a report, for editors and ``grep``."""

from __future__ import annotations

from resilint.domain import Diagnostic
from resilint.reports.safe import safe, safe_path
from resilint.reports.summary import Report


def concise(report: Report) -> str:
    """``path:line:column: id (name) message``, a line each."""
    return "".join(f"{headline(d)}\n" for d in report.diagnostics)


def headline(diagnostic: Diagnostic) -> str:
    """What stands alone in a line."""
    at = diagnostic.span
    place = f"{safe_path(diagnostic.path)}:{at.line}:{at.column}"
    return f"{place} {diagnostic.id} ({diagnostic.name}) {safe(diagnostic.message)}"

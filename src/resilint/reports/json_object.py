"""JSON: one object with every report and the summary."""

from __future__ import annotations

from typing import Any

from resilint.domain import Diagnostic, FixPlan, Severity
from resilint.reports.ascii_json import dumped
from resilint.reports.safe import decodable, safe
from resilint.reports.summary import Report, url

VERSION = 1


def as_json(report: Report) -> str:
    """The object that docs/ci.md describes."""
    summary = report.summary
    document = {
        "version": VERSION,
        "diagnostics": [row(d) for d in report.diagnostics],
        "summary": {
            "files": summary.files,
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARNING),
            "infos": report.count(Severity.INFO),
            "suppressed": summary.suppressed,
            "baselined": summary.baselined,
            "skipped": [{"path": decodable(path), "reason": safe(reason)} for path, reason in summary.skipped],
            "seconds": round(summary.seconds, 3),
        },
    }
    return dumped(document) + "\n"


def row(diagnostic: Diagnostic) -> dict[str, Any]:
    """One report, with every key always there."""
    at = diagnostic.span
    return {
        "path": decodable(diagnostic.path),
        "line": at.line,
        "column": at.column,
        "end_line": at.end_line,
        "end_column": at.end_column,
        "id": diagnostic.id,
        "name": diagnostic.name,
        "severity": diagnostic.severity.value,
        "confidence": diagnostic.confidence.value,
        "message": safe(diagnostic.message),
        "hint": safe(diagnostic.hint),
        "fingerprint": diagnostic.fingerprint,
        "url": url(diagnostic.name),
        "trace": [
            {"path": decodable(hop.path), "line": hop.line, "column": hop.column, "text": safe(hop.text)}
            for hop in diagnostic.trace
        ],
        "fix": _fix(diagnostic.fix) if diagnostic.fix is not None else None,
    }


def _fix(plan: FixPlan) -> dict[str, Any]:
    return {
        "applicability": plan.applicability.value,
        "message": safe(plan.message),
        "edits": [
            {
                "path": decodable(edit.path),
                "start": {"line": edit.span.line, "column": edit.span.column},
                "end": {"line": edit.span.end_line, "column": edit.span.end_column},
                "text": edit.text,
            }
            for edit in plan.edits
        ],
    }

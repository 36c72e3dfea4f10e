"""Formats for machines: JSON as one object, and concise with a line a report."""

from __future__ import annotations

import json
from typing import Any

from resilint.domain import Diagnostic, FixPlan, Severity
from resilint.reports.safe import escaped, safe
from resilint.reports.summary import Report, url

VERSION = 1


def concise(report: Report) -> str:
    """``path:line:column: id (name) message``, a line each."""
    return "".join(f"{headline(d)}\n" for d in report.diagnostics)


def headline(diagnostic: Diagnostic) -> str:
    """What stands alone in a line."""
    at = diagnostic.span
    return (
        f"{safe(diagnostic.path)}:{at.line}:{at.column} {diagnostic.id} ({diagnostic.name}) {safe(diagnostic.message)}"
    )


def as_json(report: Report) -> str:
    """The object that DESIGN promises. ASCII only, so that nothing in it can move a terminal's cursor."""
    summary = report.summary
    document = {
        "version": VERSION,
        "diagnostics": [_diagnostic(d) for d in report.diagnostics],
        "summary": {
            "files": summary.files,
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARNING),
            "infos": report.count(Severity.INFO),
            "suppressed": summary.suppressed,
            "baselined": summary.baselined,
            "skipped": [{"path": _path(path), "reason": safe(reason)} for path, reason in summary.skipped],
            "seconds": round(summary.seconds, 3),
        },
    }
    return json.dumps(document, indent=2).replace("\x7f", "\\u007f") + "\n"


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    at = diagnostic.span
    return {
        "path": _path(diagnostic.path),
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
            {"path": _path(hop.path), "line": hop.line, "column": hop.column, "text": safe(hop.text)}
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
                "path": _path(edit.path),
                "start": {"line": edit.span.line, "column": edit.span.column},
                "end": {"line": edit.span.end_line, "column": edit.span.end_column},
                "text": edit.text,
            }
            for edit in plan.edits
        ],
    }


def _path(path: str) -> str:
    """A path as it is, but for bytes that are no text: those would make the document no JSON for others."""
    return "".join(escaped(c) if 0xD800 <= ord(c) <= 0xDFFF else c for c in path)

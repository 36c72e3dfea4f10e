"""GitLab's Code Quality report: the part of the Code Climate format that its merge requests read."""

from __future__ import annotations

import hashlib
from typing import Any

from resilint.domain import Diagnostic, Severity
from resilint.reports.ascii_json import dumped
from resilint.reports.safe import decodable, safe
from resilint.reports.summary import Report

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def as_gitlab(report: Report) -> str:
    """A list with an entry a report."""
    seen: set[str] = set()
    return dumped([_entry(diagnostic, report, seen) for diagnostic in report.diagnostics]) + "\n"


def _entry(diagnostic: Diagnostic, report: Report, seen: set[str]) -> dict[str, Any]:
    at = diagnostic.span
    hint = f". {safe(diagnostic.hint)}" if diagnostic.hint else ""
    return {
        "description": f"{safe(diagnostic.message)}{hint}",
        "check_name": f"{diagnostic.id}/{diagnostic.name}",
        "fingerprint": _fingerprint(diagnostic, report, seen),
        "severity": _SEVERITIES[diagnostic.severity],
        "location": {
            "path": decodable(report.in_repository(diagnostic.path)),
            "lines": {"begin": at.line, "end": max(at.end_line, at.line)},
        },
    }


def _fingerprint(diagnostic: Diagnostic, report: Report, seen: set[str]) -> str:
    """The report's own; where two projects of a run agree in it, or it has none, one with the place in it.

    GitLab shows one entry a fingerprint only.
    """
    fingerprint, number = diagnostic.fingerprint, 0
    while not fingerprint or fingerprint in seen:
        parts = (diagnostic.fingerprint, report.in_repository(diagnostic.path), diagnostic.name, diagnostic.message)
        data = "\x1f".join((*parts, str(number))).encode("utf-8", "surrogatepass")
        fingerprint, number = hashlib.sha256(data).hexdigest()[:24], number + 1
    seen.add(fingerprint)
    return fingerprint

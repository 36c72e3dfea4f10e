"""Diagnostics made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from resilint.domain import Confidence, Diagnostic, Severity, Span
from resilint.reports import Report, Summary


def diagnostic(path: str = "a.py", line: int = 1, column: int = 1, **named: Any) -> Diagnostic:
    defaults: dict[str, Any] = {
        "span": Span(line, column, line, column + 3),
        "id": "R-1",
        "name": "long-sleep",
        "severity": Severity.ERROR,
        "confidence": Confidence.HIGH,
        "message": "waits 9 s",
        "fingerprint": "f00",
    }
    return Diagnostic(path=path, **{**defaults, **named})


def report(*diagnostics: Diagnostic, source: str = "", **named: Any) -> Report:
    def lines(path: str) -> Sequence[str]:
        return source.split("\n")

    own = {key: named.pop(key) for key in ("silenced", "working", "repository", "fails") if key in named}
    rules = named.pop("rules", ())
    return Report(diagnostics, Summary(**{"files": 1, "seconds": 0.25, **named}), lines, rules=lambda: rules, **own)

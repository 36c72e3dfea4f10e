"""Annotations of GitHub: workflow commands that its runner reads from the log of a step.

The runner shows ten errors, ten warnings and ten notices a step; more of them stand in the log only.
"""

from __future__ import annotations

import re

from resilint.domain import Diagnostic, Severity
from resilint.reports.safe import safe
from resilint.reports.summary import Report

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def as_github(report: Report) -> str:
    """One command a report."""
    return "".join(f"{_command(diagnostic, report)}\n" for diagnostic in report.diagnostics)


def _command(diagnostic: Diagnostic, report: Report) -> str:
    at = diagnostic.span
    properties = {"title": f"{diagnostic.id} ({diagnostic.name})"}
    if diagnostic.path != ".":  # what goes wrong in resilint itself stands nowhere
        properties |= {"file": _file(report.in_repository(diagnostic.path)), "line": str(at.line)}
        properties["endLine"] = str(max(at.end_line, at.line))
        if at.end_line == at.line:  # the service refuses columns of several lines
            properties |= {"col": str(at.column), "endColumn": str(max(at.end_column, at.column))}
    listed = ",".join(f"{key}={_escaped(value, _PROPERTY)}" for key, value in properties.items())
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{_escaped(_message(diagnostic), _DATA)}"


def _file(path: str) -> str:
    """The exact path where a command can say it: line ends have an escape in it, other control characters have none."""
    return "".join(part if part in "\r\n" else safe(part) for part in re.split(r"([\r\n])", path))


def _message(diagnostic: Diagnostic) -> str:
    hops = [f"{safe(hop.path)}:{hop.line}  {safe(hop.text)}" for hop in diagnostic.trace]
    lines = [safe(diagnostic.message), *([f"path: {hops[0]}"] if hops else []), *(f"  -> {hop}" for hop in hops[1:])]
    if diagnostic.hint:
        lines.append(f"hint: {safe(diagnostic.hint)}")
    return "\n".join(lines)


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(char, char) for char in text)

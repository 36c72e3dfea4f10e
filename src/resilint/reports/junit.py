"""JUnit's XML, which nearly every CI service shows as test results: a suite a file, a case a report.

What makes the exit code 1 is a failure; other reports are skipped cases, whose text the services show without failing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from resilint.domain import Diagnostic
from resilint.reports.safe import safe, safe_path
from resilint.reports.summary import Report

INTERNAL_ERROR = "internal-error"
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even by number."""
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}


def as_junit(report: Report) -> str:
    """The document, in ASCII: other characters stand by their number, so that no encoding can go wrong."""
    suites = [_suite(path, list(group), report) for path, group in groupby(report.diagnostics, key=lambda d: d.path)]
    if not suites:  # several readers take a document without cases for a broken one
        suites = [_Suite("resilint", ['    <testcase classname="resilint" name="no reports" time="0"/>'])]
    total = _attributes(
        name="resilint",
        tests=sum(len(suite.cases) for suite in suites),
        failures=sum(suite.failures for suite in suites),
        errors=sum(suite.errors for suite in suites),
        skipped=sum(suite.skipped for suite in suites),
        time=f"{report.summary.seconds:.3f}",
    )
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{total}>"]
    for suite in suites:
        lines += suite.lines()
    return "\n".join([*lines, "</testsuites>\n"])


class _Suite:
    """The cases of one file, and how they ended."""

    def __init__(self, name: str, cases: Sequence[str], outcomes: Sequence[str] = ()) -> None:
        self.name = name
        self.cases = cases
        self.failures = sum(outcome == "failure" for outcome in outcomes)
        self.errors = sum(outcome == "error" for outcome in outcomes)
        self.skipped = sum(outcome == "skipped" for outcome in outcomes)

    def lines(self) -> Iterator[str]:
        counts = {"failures": self.failures, "errors": self.errors, "skipped": self.skipped}
        yield f"  <testsuite{_attributes(name=self.name, tests=len(self.cases), **counts, time=0)}>"
        yield from self.cases
        yield "  </testsuite>"


def _suite(path: str, diagnostics: Sequence[Diagnostic], report: Report) -> _Suite:
    names: Counter[str] = Counter()
    cases, outcomes = [], []
    for diagnostic in diagnostics:
        at = diagnostic.span
        name = f"{diagnostic.id} ({diagnostic.name}) {at.line}:{at.column}"
        names[name] += 1
        if names[name] > 1:  # readers keep the last of several cases with one name
            name += f" ({names[name]})"
        outcomes.append(_outcome(diagnostic, report))
        cases.append(_case(name, diagnostic, outcomes[-1], report))
    return _Suite(path, cases, outcomes)


def _outcome(diagnostic: Diagnostic, report: Report) -> str:
    if diagnostic.name == INTERNAL_ERROR:
        return "error"
    fails = report.fails is not None and diagnostic.severity.ordinal >= report.fails.ordinal
    return "failure" if fails else "skipped"


def _case(name: str, diagnostic: Diagnostic, outcome: str, report: Report) -> str:
    opening = _attributes(
        classname=diagnostic.path,
        name=name,
        file=report.in_repository(diagnostic.path),
        line=diagnostic.span.line,
        time=0,
    )
    kind = {} if outcome == "skipped" else {"type": diagnostic.severity.value}
    message = f"{diagnostic.severity.value}: {diagnostic.message}" if outcome == "skipped" else diagnostic.message
    body = "\n".join(_body(diagnostic))
    return (
        f"    <testcase{opening}>\n"
        f"      <{outcome}{_attributes(message=message, **kind)}>{_text(body)}</{outcome}>\n"
        "    </testcase>"
    )


def _body(diagnostic: Diagnostic) -> Iterator[str]:
    at = diagnostic.span
    yield f"{safe_path(diagnostic.path)}:{at.line}:{at.column} {safe(diagnostic.message)}"
    for number, hop in enumerate(diagnostic.trace):
        yield f"{'path:' if number == 0 else '   ->'} {safe(hop.path)}:{hop.line}  {safe(hop.text)}"
    if diagnostic.hint:
        yield f"hint: {safe(diagnostic.hint)}"


def _attributes(**named: object) -> str:
    return "".join(f' {key}="{_text(safe(str(value)))}"' for key, value in named.items())


def _text(text: str) -> str:
    """Text that XML reads back as it is."""
    legal = _ILLEGAL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    entities = "".join(_ENTITIES.get(char, char) for char in legal)
    return entities.encode("ascii", "xmlcharrefreplace").decode("ascii")

"""SARIF 2.1.0 (OASIS standard, with errata 01): results for code scanning services, editors and archives.

No text of a stranger stands where Markdown is read: only the pages of the rules are Markdown. Messages are plain text,
in which SARIF still knows links; what looks like one is escaped.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from resilint import __version__
from resilint.domain import Applicability, Diagnostic, Edit, FixPlan, Hop, Severity, Silenced, Silencer, Span
from resilint.reports.ascii_json import dumped
from resilint.reports.safe import safe
from resilint.reports.summary import HOME, Described, Report, url

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE = "%SRCROOT%"
"""The name that GitHub and others know for the folder against which paths are resolved."""
INTERNAL_ERROR = "internal-error"

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}
"""GitHub's words for the severity of a rule."""
_KINDS = {Silencer.COMMENT: "inSource", Silencer.BASELINE: "external"}

Json = dict[str, Any]


def as_sarif(report: Report) -> str:
    """A log with one run, without indentation: that would treble its size and the time it takes."""
    run = _Run(report).run()
    return dumped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, None) + "\n"


def rule_id(diagnostic: Diagnostic) -> str:
    """The guide's id and the rule's name: several rules share an id, and SARIF wants one that is unique."""
    return f"{diagnostic.id}/{diagnostic.name}"


# The tool.


def _descriptors(
    described: Sequence[Described], diagnostics: Iterable[Diagnostic]
) -> tuple[list[Json], dict[str, int]]:
    """The descriptors, and where each stands. What no rule describes is described by its first report."""
    rules = {f"{each.rule.id}/{each.rule.name}": _descriptor(each) for each in described}
    for diagnostic in diagnostics:
        key = rule_id(diagnostic)
        if key not in rules:
            rules[key] = {"id": key, "name": _pascal(diagnostic.name), "helpUri": url(diagnostic.name)}
    return list(rules.values()), {key: index for index, key in enumerate(rules)}


def _descriptor(described: Described) -> Json:
    rule, page = described
    configuration: Json = {"level": _LEVELS[rule.severity]}
    if rule.strict:
        configuration["enabled"] = False
    why = _why(page)
    descriptor: Json = {
        "id": f"{rule.id}/{rule.name}",
        "name": _pascal(rule.name),
        "shortDescription": _plain(rule.summary),
        "fullDescription": _plain(why or rule.summary),
        "helpUri": url(rule.name),
        "help": _plain(f"{why or rule.summary}\n\nMore: {url(rule.name)}"),
        "defaultConfiguration": configuration,
        "properties": {"tags": ["resilience", "asyncio", rule.id], "problem.severity": _PROBLEMS[rule.severity]},
    }
    if page:
        descriptor["help"]["markdown"] = page
    return descriptor


def _why(page: str) -> str:
    """The text under the heading "Why", a line a paragraph, without code blocks and Markdown's marks."""
    _, _, text = page.partition("\n## Why\n")
    text = re.sub(r"^```.*?^```$", "", text.partition("\n## ")[0], flags=re.MULTILINE | re.DOTALL)
    paragraphs = [" ".join(block.split()) for block in text.split("\n\n")]
    return "\n\n".join(paragraph.replace("`", "") for paragraph in paragraphs if paragraph)


def _pascal(name: str) -> str:
    """``long-sleep`` as ``LongSleep``: names of rules are written so in SARIF."""
    return "".join(word.capitalize() for word in name.split("-"))


# The run.


class _Run:
    """One run: what is the same for all results, and the results."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._internal = [d for d in report.diagnostics if d.name == INTERNAL_ERROR]
        told: list[tuple[Diagnostic, Silenced | None]] = [
            (d, None) for d in report.diagnostics if d.name != INTERNAL_ERROR
        ]
        told += [(silenced.diagnostic, silenced) for silenced in report.silenced]
        self._told = sorted(told, key=lambda row: row[0].sort_key)
        self._rules, self._indices = _descriptors(report.rules(), [d for d, _ in self._told])

    def run(self) -> Json:
        base: Json = {"description": _plain("The folder in which resilint was called.")}
        if self._report.working is not None:
            base = {"uri": f"{self._report.working.as_uri().rstrip('/')}/", **base}
        driver = {
            "name": "resilint",
            "version": __version__,
            "semanticVersion": __version__,
            "informationUri": HOME,
            "rules": self._rules,
        }
        return {
            "tool": {"driver": driver},
            "invocations": [self._invocation()],
            "originalUriBaseIds": {BASE: base},
            "columnKind": "unicodeCodePoints",
            "results": [self._result(diagnostic, silenced) for diagnostic, silenced in self._told],
        }

    def _invocation(self) -> Json:
        """What went wrong on the way: it is said of the run, not of the code."""
        notifications = [
            {"level": "error", "message": _message(d), **self._locations(d.path, d.span)} for d in self._internal
        ]
        notifications += [
            {"level": "warning", "message": _plain(f"skipped: {safe(reason)}"), **self._locations(path, None)}
            for path, reason in self._report.summary.skipped
        ]
        return {"executionSuccessful": not self._internal, "toolExecutionNotifications": notifications}

    def _result(self, diagnostic: Diagnostic, silenced: Silenced | None) -> Json:
        result: Json = {
            "ruleId": rule_id(diagnostic),
            "ruleIndex": self._indices[rule_id(diagnostic)],
            "level": _LEVELS[diagnostic.severity],
            "message": _message(diagnostic),
            **self._locations(diagnostic.path, diagnostic.span),
        }
        if diagnostic.fingerprint:
            # Under a name of its own: GitHub adds the one it goes by itself, and warns where it finds that to differ.
            result["partialFingerprints"] = {"resilint/v1": diagnostic.fingerprint}
        if diagnostic.trace:
            result["codeFlows"] = [self._flow(diagnostic.trace)]
        if silenced is not None:
            result["suppressions"] = [_suppression(silenced)]
        elif self._report.silenced:  # where any result has some, an empty list says "not this one"
            result["suppressions"] = []
        if diagnostic.fix is not None and diagnostic.fix.applicability is not Applicability.DISPLAY:
            result["fixes"] = [self._fix(diagnostic.fix)]
        result["properties"] = {"confidence": diagnostic.confidence.value}
        return result

    def _flow(self, trace: Sequence[Hop]) -> Json:
        """The call path, from the entry to the place."""
        steps = []
        for depth, hop in enumerate(trace):
            region = {"startLine": max(hop.line, 1), "startColumn": max(hop.column, 1)}
            place = {"artifactLocation": self._artifact(hop.path), "region": region}
            location = {"physicalLocation": place, "message": _plain(_unlinked(safe(hop.text)))}
            steps.append({"location": location, "nestingLevel": depth})
        return {"threadFlows": [{"locations": steps}]}

    def _fix(self, plan: FixPlan) -> Json:
        by_path: dict[str, list[Edit]] = {}
        for edit in plan.edits:
            by_path.setdefault(edit.path, []).append(edit)
        changes = [
            {"artifactLocation": self._artifact(path), "replacements": [_replacement(edit) for edit in edits]}
            for path, edits in by_path.items()
        ]
        return {"description": _plain(_unlinked(safe(plan.message))), "artifactChanges": changes}

    def _locations(self, path: str, span: Span | None) -> Json:
        """Where something stands; nothing for what stands in no file."""
        if path == ".":
            return {}
        place: Json = {"artifactLocation": self._artifact(path)}
        if span is not None:
            place["region"] = _region(span)
        return {"locations": [{"physicalLocation": place}]}

    def _artifact(self, path: str) -> Json:
        """A path below the base as a relative reference; another one as an absolute one, for none may go upwards."""
        working = self._report.working
        outside = path.split("/", 1)[0] == ".." or PurePath(path).is_absolute()
        if outside and working is not None:
            return {"uri": Path(os.path.normpath(working / path)).as_uri()}
        # With ":" percent-encoded too, no first segment looks like a scheme.
        return {"uri": quote(_bytes(path), safe="/"), "uriBaseId": BASE}


def _message(diagnostic: Diagnostic) -> Json:
    hint = f". {safe(diagnostic.hint)}" if diagnostic.hint else ""
    return _plain(_unlinked(f"{safe(diagnostic.message)}{hint}"))


def _suppression(silenced: Silenced) -> Json:
    reason = "accepted by the baseline" if silenced.by is Silencer.BASELINE else safe(silenced.reason)
    return {"kind": _KINDS[silenced.by], "status": "accepted", **({"justification": reason} if reason else {})}


def _replacement(edit: Edit) -> Json:
    inserted = {"insertedContent": _plain(edit.text)} if edit.text else {}
    return {"deletedRegion": _region(edit.span), **inserted}


def _region(span: Span) -> Json:
    line, column = max(span.line, 1), max(span.column, 1)
    end_line, end_column = max((span.end_line, span.end_column), (line, column))
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": max(end_column, 1)}


def _bytes(path: str) -> bytes:
    """The bytes of the name. Half of a character, which no file system gives, is spelled out."""
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return path.encode("utf-8", "backslashreplace")


def _plain(text: str) -> Json:
    return {"text": text}


def _unlinked(text: str) -> str:
    """``[text](target)`` in a message is a link; escaped brackets are not."""
    if "](" not in text:
        return text
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")

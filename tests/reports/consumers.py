"""Those who read the formats: real readers where one can be installed, else what a service says that it does."""

from __future__ import annotations

import json
import tempfile
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft4Validator, Draft202012Validator
from junitparser import JUnitXml
from sarif.loader import load_sarif_file
from sarif.sarif_file import SarifFile

SCHEMAS = Path(__file__).parent / "schemas"
JOINERS = "\u200c\u200d"


@cache
def _validator(name: str) -> Any:
    schema = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
    kind = Draft4Validator if "draft-04" in schema["$schema"] else Draft202012Validator
    kind.check_schema(schema)
    return kind(schema, format_checker=kind.FORMAT_CHECKER)


def _valid(text: str, schema: str) -> Any:
    document = json.loads(text)
    assert [f"{e.json_path}: {e.message}"[:300] for e in _validator(schema).iter_errors(document)] == []
    return document


def sarif_run(text: str) -> dict[str, Any]:
    """The only run of a log that the standard's schema accepts."""
    (run,) = _valid(text, "sarif-2.1.0.json")["runs"]
    assert isinstance(run, dict)
    return run


def sarif_tools(text: str) -> SarifFile:
    """The log as sarif-tools reads it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.sarif")
        file.write_text(text, encoding="utf-8")
        return load_sarif_file(str(file))


def gitlab_entries(text: str) -> list[dict[str, Any]]:
    """The entries that GitLab shows: of several with one fingerprint the first."""
    entries = _valid(text, "gitlab-code-quality.json")
    shown = {entry["fingerprint"]: entry for entry in reversed(entries)}
    return [entry for entry in entries if shown[entry["fingerprint"]] is entry]


def junit_cases(text: str) -> list[tuple[str, str, str, str, str]]:
    """Suite, name, how it ended (the element's name), message and text of each case."""
    document = JUnitXml.fromstring(text.encode("utf-8"))
    counts = (document.tests, document.failures, document.errors, document.skipped)
    rows = []
    for suite in document:
        for case in suite:
            (result,) = case.result or [None]
            ending = ("", "", "") if result is None else (type(result).__name__, result.message, result.text or "")
            rows.append((suite.name or "", case.name or "", *ending))
    ends = [row[2] for row in rows]
    assert counts == (len(rows), ends.count("Failure"), ends.count("Error"), ends.count("Skipped"))
    names = [row[:2] for row in rows]
    assert len(set(names)) == len(names), "readers keep the last of several cases with one name"
    return rows


class Command(NamedTuple):
    """A workflow command."""

    name: str
    properties: dict[str, str]
    data: str


def commands(log: str) -> list[Command]:
    """What runners obey in a log: ``::name key=value::data``, else ``##[name key=value;]data`` anywhere in a line."""
    found = []
    for line in log.split("\n"):
        trimmed = line.lstrip()
        if trimmed.startswith("::") and (end := trimmed.find("::", 2)) >= 0:
            name, _, listed = trimmed[2:end].partition(" ")
            pairs = [pair.partition("=") for pair in listed.split(",") if "=" in pair]
            properties = {key.strip(): _unescaped(value, ":,") for key, _, value in pairs}
            found.append(Command(name, properties, _unescaped(trimmed[end + 2 :])))
        elif "##[" in line or "##vso[" in line or "##teamcity[" in line:
            found.append(Command(line[line.find("##") :], {}, ""))
    return found


def _unescaped(text: str, more: str = "") -> str:
    for char in "\r\n" + more:
        text = text.replace(f"%{ord(char):02X}", char)
    return text.replace("%25", "%")


def dangerous(text: str, allowed: str = "\n") -> list[str]:
    """The characters that move a cursor, begin a sequence of a terminal or turn the line around."""
    return sorted(
        {
            f"U+{ord(char):04X}"
            for char in text
            if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in allowed + JOINERS
        }
    )

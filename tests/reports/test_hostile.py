"""Nothing that a stranger writes is obeyed by whoever reads a report, in any format; and it can still be read."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resilint.domain import Applicability, Diagnostic, Edit, FixPlan, Hop, Silenced, Silencer, Span
from resilint.reports import FORMATS, TEXT, Report, Style, formatted, text
from resilint.reports.safe import safe
from tests.reports.consumers import commands, dangerous, gitlab_entries, junit_cases, sarif_run, sarif_tools
from tests.reports.hostile import SEQUENCES
from tests.reports.made import diagnostic, report

ALL = [pytest.param(sequence, id=name) for name, sequence in SEQUENCES.items()]


def made_of(sequence: str) -> Diagnostic:
    """A report with the sequence wherever a text can stand."""
    return diagnostic(
        f"{sequence}.py",
        message=sequence,
        hint=sequence,
        trace=(Hop(f"{sequence}.py", 1, 1, sequence), Hop("a.py", 1, 1, sequence)),
        fix=FixPlan(Applicability.SAFE, sequence, (Edit(f"{sequence}.py", Span(1, 1, 1, 2), sequence),)),
        subject=sequence,
        cover=sequence,
    )


def report_of(sequence: str) -> Report:
    made = made_of(sequence)
    silenced = [Silenced(made, Silencer.COMMENT, sequence)]
    return report(made, source=sequence, skipped=[(f"{sequence}.py", sequence)], silenced=silenced)


def shown(name: str, made: Report) -> str:
    return text(made, Style(False)) if name == TEXT else formatted(name, made)


def without_separators(message: str) -> str:
    """A message without what XML and the formats spell in their own way."""
    return re.sub(r"[\ufffe\uffff]", lambda match: f"\\u{ord(match[0]):04x}", safe(message))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("sequence", ALL)
def test_no_character_does_anything(name: str, sequence: str) -> None:
    assert dangerous(shown(name, report_of(sequence))) == []


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "github"])
@pytest.mark.parametrize("sequence", ALL)
def test_no_line_is_a_command(name: str, sequence: str) -> None:
    assert commands(shown(name, report_of(sequence))) == []


@pytest.mark.parametrize("sequence", ALL)
def test_github(sequence: str) -> None:
    (command,) = commands(formatted("github", report_of(sequence)))
    assert command.name == "error"
    assert command.properties.keys() == {"title", "file", "line", "endLine", "col", "endColumn"}
    assert command.properties["title"] == "R-1 (long-sleep)" and command.properties["line"] == "1"
    assert command.data.split("\n")[0] == safe(sequence)
    if not dangerous(sequence, "\r\n") and "##" not in sequence:
        assert command.properties["file"] == f"{sequence}.py"


@pytest.mark.parametrize("sequence", ALL)
def test_sarif(sequence: str) -> None:
    log = formatted("sarif", report_of(sequence))
    run = sarif_run(log)
    assert len(run["results"]) == len(sarif_tools(log).get_results()) == 2
    for result in run["results"]:
        said = result["message"]["text"]
        assert re.findall(r"(?<!\\)\[[^\]\\]*\]\(", said) == [], "a link"
        plain = re.sub(r"\\([\\\[\]])", r"\1", said) if "](" in sequence else said
        assert plain == f"{safe(sequence)}. {safe(sequence)}"
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[\w.~/%-]+", uri, re.ASCII)
    assert '"markdown"' not in log


@pytest.mark.parametrize("sequence", ALL)
def test_gitlab(sequence: str) -> None:
    (entry,) = gitlab_entries(formatted("gitlab", report_of(sequence)))
    assert entry["description"] == f"{safe(sequence)}. {safe(sequence)}"
    assert entry["location"]["lines"] == {"begin": 1, "end": 1}


@pytest.mark.parametrize("sequence", ALL)
def test_junit(sequence: str) -> None:
    (case,) = junit_cases(formatted("junit", report_of(sequence)))
    assert case[1:4] == ("R-1 (long-sleep) 1:1", "Failure", without_separators(sequence))


@pytest.mark.parametrize("name", ["json", "jsonl"])
@pytest.mark.parametrize("sequence", ALL)
def test_json(name: str, sequence: str) -> None:
    read: dict[str, Any] = json.loads(formatted(name, report_of(sequence)))
    (row,) = read["diagnostics"] if name == "json" else [read]
    assert row["message"] == row["hint"] == row["trace"][0]["text"] == safe(sequence)
    if not re.search("[\ud800-\udfff]", sequence):
        assert row["path"] == f"{sequence}.py"


@pytest.mark.parametrize("sequence", ALL)
def test_concise_stays_one_line(sequence: str) -> None:
    assert formatted("concise", report_of(sequence)).count("\n") == 1


@pytest.mark.parametrize("sequence", ALL)
def test_links_of_a_terminal_go_where_resilint_says(sequence: str) -> None:
    linked = text(report_of(sequence), Style(False, links=True))
    targets = re.findall("\x1b\\]8;;(.*?)\x1b\\\\", linked)
    assert len(targets) == 2 and targets[1] == "" and targets[0].endswith("/rules/long_sleep.md")
    assert dangerous(re.sub("\x1b\\]8;;.*?\x1b\\\\", "", linked)) == []


anything = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\x00\x1b\x9b\u202e\u2066\u2028\ufffe\ud800\udcff#[]():,%;&<>\"'`\\{}\n\r\t@="),
    ),
    min_size=1,
    max_size=30,
).filter(lambda text: text[0] not in "/.")


@settings(max_examples=60, deadline=None)
@given(anything)
def test_any_text_at_all(sequence: str) -> None:
    made = report_of(sequence)
    for name in FORMATS:
        written = shown(name, made)
        assert dangerous(written) == []
        assert len(commands(written)) == (1 if name == "github" else 0)
    assert len(sarif_run(formatted("sarif", made))["results"]) == 2
    assert junit_cases(formatted("junit", made))[0][3] == without_separators(sequence)
    assert len(gitlab_entries(formatted("gitlab", made))) == 1

"""SARIF: what the standard's schema and sarif-tools accept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from resilint.domain import Applicability, Confidence, Edit, FixPlan, Hop, Severity, Silenced, Silencer, Span
from resilint.reports import Described, Report, formatted, url
from resilint.rules import all_rules, page
from tests.reports.consumers import sarif_run, sarif_tools
from tests.reports.made import diagnostic, report


def run_of(made: Report) -> dict[str, Any]:
    return sarif_run(formatted("sarif", made))


def uri(place: dict[str, Any]) -> tuple[str, str | None]:
    artifact = place["physicalLocation"]["artifactLocation"]
    return artifact["uri"], artifact.get("uriBaseId")


def test_a_result() -> None:
    made = diagnostic(
        "app/a b.py",
        span=Span(3, 5, 4, 9),
        message="waits 9 s",
        hint="Store it.",
        severity=Severity.INFO,
        confidence=Confidence.MEDIUM,
    )
    run = run_of(report(made))
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["results"] == [
        {
            "ruleId": "R-1/long-sleep",
            "ruleIndex": 0,
            "level": "note",
            "message": {"text": "waits 9 s. Store it."},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "app/a%20b.py", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 3, "startColumn": 5, "endLine": 4, "endColumn": 9},
                    }
                }
            ],
            "partialFingerprints": {"resilint/v1": "f00"},
            "properties": {"confidence": "medium"},
        }
    ]


def test_rules_come_with_their_pages() -> None:
    made = report(diagnostic(id="R-RES-ASYNC-X2"), rules=[Described(rule, page(rule.name)) for rule in all_rules()])
    run = run_of(made)
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules) == len(all_rules())
    rule = rules[run["results"][0]["ruleIndex"]]
    assert (rule["id"], rule["name"]) == ("R-RES-ASYNC-X2/long-sleep", "LongSleep")
    assert rule["helpUri"] == url("long-sleep") and rule["help"]["markdown"] == page("long-sleep")
    assert rule["fullDescription"]["text"].startswith("Whoever sleeps for more than 5 s has given up")
    assert rule["defaultConfiguration"] == {"level": "error"}
    for each in rules:
        for text in (each["shortDescription"]["text"], each["fullDescription"]["text"], each["help"]["text"]):
            assert text and "```" not in text
    strict = [each["id"] for each in rules if not each["defaultConfiguration"].get("enabled", True)]
    assert strict == [f"{each.id}/{each.name}" for each in all_rules() if each.strict]


def test_a_rule_that_nobody_describes() -> None:
    (rule,) = run_of(report(diagnostic(), diagnostic(line=2)))["tool"]["driver"]["rules"]
    assert rule == {"id": "R-1/long-sleep", "name": "LongSleep", "helpUri": url("long-sleep")}


def test_the_call_path_is_a_code_flow() -> None:
    trace = (Hop("api.py", 3, 1, "handler f"), Hop("../lib/a.py", 7, 5, "waits"))
    (result,) = run_of(report(diagnostic(trace=trace), working=Path("/srv/app")))["results"]
    (flow,) = result["codeFlows"]
    steps = flow["threadFlows"][0]["locations"]
    assert [uri(step["location"]) for step in steps] == [("api.py", "%SRCROOT%"), ("file:///srv/lib/a.py", None)]
    assert [step["location"]["message"]["text"] for step in steps] == ["handler f", "waits"]
    assert [step["nestingLevel"] for step in steps] == [0, 1]
    assert steps[1]["location"]["physicalLocation"]["region"] == {"startLine": 7, "startColumn": 5}


def test_the_base_is_the_working_folder() -> None:
    bases = run_of(report(working=Path("/srv/my app/#1")))["originalUriBaseIds"]
    assert bases["%SRCROOT%"]["uri"] == "file:///srv/my%20app/%231/"
    assert "uri" not in run_of(report())["originalUriBaseIds"]["%SRCROOT%"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a#b?c%d.py", "a%23b%3Fc%25d.py"),
        ("http:/x.py", "http%3A/x.py"),
        ("//host/x.py", "file:////host/x.py"),
        ("n\u00e9e.py", "n%C3%A9e.py"),
        ("a\udcff.py", "a%FF.py"),
        ("a\n\x1b\u202e.py", "a%0A%1B%E2%80%AE.py"),
    ],
)
def test_paths_are_references(path: str, expected: str) -> None:
    (result,) = run_of(report(diagnostic(path), working=Path("/srv")))["results"]
    assert uri(result["locations"][0])[0] == expected


def test_silenced_reports_are_results_with_a_suppression() -> None:
    silenced = [
        Silenced(diagnostic(line=1), Silencer.COMMENT, "the device needs it"),
        Silenced(diagnostic(line=3), Silencer.BASELINE),
        Silenced(diagnostic(line=4), Silencer.COMMENT),
    ]
    made = report(diagnostic(line=2), silenced=silenced)
    results = run_of(made)["results"]
    assert [result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in results] == [1, 2, 3, 4]
    assert [result["suppressions"] for result in results] == [
        [{"kind": "inSource", "status": "accepted", "justification": "the device needs it"}],
        [],
        [{"kind": "external", "status": "accepted", "justification": "accepted by the baseline"}],
        [{"kind": "inSource", "status": "accepted"}],
    ]
    assert "suppressions" not in run_of(report(diagnostic()))["results"][0]


def test_a_fix() -> None:
    edits = (
        Edit("a.py", Span(1, 2, 1, 5), ""),
        Edit("b.py", Span(2, 1, 2, 1), "x\n"),
        Edit("a.py", Span(9, 1, 9, 2), "y"),
    )
    (result,) = run_of(report(diagnostic(fix=FixPlan(Applicability.SAFE, "Remove it", edits))))["results"]
    (fix,) = result["fixes"]
    assert fix["description"] == {"text": "Remove it"}
    assert [len(change["replacements"]) for change in fix["artifactChanges"]] == [2, 1]
    assert fix["artifactChanges"][1]["replacements"] == [
        {
            "deletedRegion": {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 1},
            "insertedContent": {"text": "x\n"},
        }
    ]
    shown = FixPlan(Applicability.DISPLAY, "Think", edits)
    assert "fixes" not in run_of(report(diagnostic(fix=shown)))["results"][0]


def test_what_goes_wrong_in_resilint_is_said_of_the_run() -> None:
    broken = diagnostic(".", id="resilint", name="internal-error", message="the rule x failed: KeyError: 'y'")
    in_file = diagnostic("a.py", id="resilint", name="internal-error", message="failed")
    run = run_of(report(broken, in_file, diagnostic("b.py"), skipped=[("c.py", "a link to nothing")]))
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"] and len(run["results"]) == 1
    said = [
        (n["level"], n["message"]["text"], len(n.get("locations", [])))
        for n in invocation["toolExecutionNotifications"]
    ]
    assert said == [
        ("error", "the rule x failed: KeyError: 'y'", 0),
        ("error", "failed", 1),
        ("warning", "skipped: a link to nothing", 1),
    ]
    assert run_of(report())["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("list[int] waits", "list[int] waits"),
        ("see [here](1)", "see \\[here\\](1)"),
        ("\\[a](x)", "\\\\\\[a\\](x)"),
    ],
)
def test_nothing_in_a_message_is_a_link(message: str, expected: str) -> None:
    trace = (Hop("a.py", 1, 1, message),)
    (result,) = run_of(report(diagnostic(message=message, trace=trace)))["results"]
    assert result["message"]["text"] == expected
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert flow[0]["location"]["message"]["text"] == expected


def test_sarif_tools_reads_it() -> None:
    made = report(
        diagnostic("app/a b.py", 7, message="waits 9 s"),
        diagnostic("b.py", 2, severity=Severity.WARNING, name="to-thread", message="a thread"),
        diagnostic("c.py", 2, severity=Severity.INFO, name="rejected-client"),
        working=Path("/srv"),
    )
    read = sarif_tools(formatted("sarif", made))
    assert read.get_distinct_tool_names() == ["resilint"]
    rows = [(r["Severity"], r["Location"], r["Line"], r["Code"], r["Description"]) for r in read.get_records()]
    assert sorted(rows)[0] == ("error", "app/a%20b.py", 7, "R-1/long-sleep", "waits 9 s")
    assert [row[0] for row in sorted(rows)] == ["error", "note", "warning"]


def test_the_command_of_sarif_tools_reads_it(tmp_path: Path) -> None:
    (tmp_path / "r.sarif").write_text(formatted("sarif", report(diagnostic(), diagnostic(line=2))), encoding="ascii")
    command = [sys.executable, "-m", "sarif", "--check", "error", "summary", str(tmp_path / "r.sarif")]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 2 and "error: 2" in said.stdout, said.stdout + said.stderr

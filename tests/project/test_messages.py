"""How a report speaks, held to every report that the fixtures give.

The headline stands alone: what, with the numbers. The hint says what to do instead.
"""

from __future__ import annotations

import re

import pytest

from resilint.domain import Diagnostic
from tests import fixtures_status
from tests.pages import runner
from tests.project.registry import rules


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[Diagnostic]:
    """Every report of every case."""
    found: list[Diagnostic] = []
    for case in fixtures_status.cases():
        found += runner.Run(fixtures_status.copied(case, tmp_path_factory.mktemp("case"))).diagnostics
    return found


def refused(reports: list[Diagnostic], key: str, pattern: str) -> list[str]:
    """The texts under ``key`` in which ``pattern`` is found, each once."""
    return sorted({f"{d.name}: {getattr(d, key)}" for d in reports if re.search(pattern, getattr(d, key))})


def test_there_are_reports(reports: list[Diagnostic]) -> None:
    assert len(reports) > 50


def test_a_message_is_a_headline(reports: list[Diagnostic]) -> None:
    assert refused(reports, "message", r"^$") == []
    assert refused(reports, "message", r"[.!]$") == [], "no final full stop"
    assert refused(reports, "message", r"[\n\r\t]|  ") == [], "one line"
    assert refused(reports, "message", r"R-RES-|ADR-\d") == [], "no rule id"
    assert refused(reports, "message", r"(?i)\b(please|sorry|you should|might want)\b") == []
    assert refused(reports, "message", r"^.{161}") == [], "short enough to be read"


def test_a_message_shows_no_value_as_resilint_holds_it(reports: list[Diagnostic]) -> None:
    assert refused(reports, "message", r"\b(nan|inf)\b|\[\?|<[\w.]+ object|Interval\(") == []


def test_a_hint_says_what_to_do(reports: list[Diagnostic]) -> None:
    others = [d for d in reports if d.id != "resilint"]
    assert refused(others, "hint", r"^$") == []
    assert refused(reports, "hint", r"[\n\r\t]|  ") == []
    assert refused(others, "hint", r"[^.)]$") == [], "sentences"
    assert refused(others, "hint", r"^[a-z]") == [], "sentences"
    assert refused(others, "hint", r"^(You|We|It|This|The|A|An) ") == [], "begins with what to do"


def test_ids_and_names_are_the_rules(reports: list[Diagnostic]) -> None:
    known = {(rule.id, name) for name, rule in rules().items()}
    assert {(d.id, d.name) for d in reports} <= known


def test_every_report_can_be_found_again(reports: list[Diagnostic]) -> None:
    assert [d for d in reports if not d.fingerprint] == []


def test_a_call_path_ends_where_the_report_stands(reports: list[Diagnostic]) -> None:
    ends = [(d.trace[-1], d) for d in reports if d.trace]
    assert [d for hop, d in ends if (hop.path, hop.line) != (d.path, d.span.line)] == []

"""resilint's own: a suppression suppresses nothing. ``check.judge`` reports it."""

from __future__ import annotations

from resilint.domain import Severity
from resilint.rule import Rule

RULE = Rule(
    id="resilint",
    name="unused-suppression",
    severity=Severity.WARNING,
    summary="a suppression suppresses nothing",
    check=lambda analysis: (),
    exempt=frozenset(),
)

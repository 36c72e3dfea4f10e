"""resilint's own: a suppression names a rule that does not exist. ``check.judge`` reports it."""

from __future__ import annotations

from resilint.domain import Severity
from resilint.rule import Rule

RULE = Rule(
    id="resilint",
    name="unknown-rule",
    severity=Severity.WARNING,
    summary="a suppression names a rule that does not exist",
    check=lambda analysis: (),
    exempt=frozenset(),
)

"""resilint's own: a suppression gives no reason. ``check.judge`` reports it."""

from __future__ import annotations

from resilint.domain import Severity
from resilint.rule import Rule

RULE = Rule(
    id="resilint",
    name="missing-reason",
    severity=Severity.WARNING,
    summary="a suppression gives no reason",
    check=lambda analysis: (),
    exempt=frozenset(),
)

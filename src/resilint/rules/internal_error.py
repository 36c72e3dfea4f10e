"""resilint's own: resilint itself failed. ``check.judge`` reports it."""

from __future__ import annotations

from resilint.domain import Severity
from resilint.rule import Rule

RULE = Rule(
    id="resilint",
    name="internal-error",
    severity=Severity.ERROR,
    summary="resilint itself failed",
    check=lambda analysis: (),
    exempt=frozenset(),
)

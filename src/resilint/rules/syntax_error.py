"""resilint's own: a file cannot be read or parsed. ``check.judge`` reports it."""

from __future__ import annotations

from resilint.domain import Severity
from resilint.rule import Rule

RULE = Rule(
    id="resilint",
    name="syntax-error",
    severity=Severity.ERROR,
    summary="a file cannot be read or parsed",
    check=lambda analysis: (),
    exempt=frozenset(),
)

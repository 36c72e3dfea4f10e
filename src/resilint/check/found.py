"""A rule's finding on its way to the user."""

from __future__ import annotations

from typing import NamedTuple

from resilint.domain import Diagnostic, Severity
from resilint.rule import Finding, Rule


class Found(NamedTuple):
    """A finding and whose it is."""

    rule: Rule
    finding: Finding

    @property
    def severity(self) -> Severity:
        return self.finding.severity or self.rule.severity

    def diagnostic(self, fingerprint: str = "") -> Diagnostic:
        """The finding as the user is told."""
        rule, finding = self
        return Diagnostic(
            path=finding.path,
            span=finding.span,
            id=rule.id,
            name=rule.name,
            severity=self.severity,
            confidence=finding.confidence,
            message=finding.message,
            hint=finding.hint,
            fingerprint=fingerprint,
            trace=finding.witness,
            fix=finding.fix,
            subject=finding.subject,
            cover=finding.cover,
        )

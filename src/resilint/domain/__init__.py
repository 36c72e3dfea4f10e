"""Small frozen values that every layer speaks: places, intervals, roles, diagnostics.

Nothing here knows how Python is read or how a report is printed.
"""

from resilint.domain.diagnostic import (
    Applicability,
    Confidence,
    Diagnostic,
    Edit,
    FixPlan,
    Hop,
    Severity,
    Silenced,
    Silencer,
    Witness,
)
from resilint.domain.errors import ConfigurationError, ResilintError, UsageError
from resilint.domain.interval import ANY, UNBOUNDED, ZERO, Interval
from resilint.domain.role import Role, RoleReason
from resilint.domain.span import Span

__all__ = [
    "ANY",
    "UNBOUNDED",
    "ZERO",
    "Applicability",
    "Confidence",
    "ConfigurationError",
    "Diagnostic",
    "Edit",
    "FixPlan",
    "Hop",
    "Interval",
    "ResilintError",
    "Role",
    "RoleReason",
    "Severity",
    "Silenced",
    "Silencer",
    "Span",
    "UsageError",
    "Witness",
]

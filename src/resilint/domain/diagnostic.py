"""What the user is told, and what can be done about it."""

import enum
from typing import NamedTuple

from resilint.domain.span import Span


class Severity(enum.StrEnum):
    """How bad it is. ``ordinal`` orders them, the worst highest."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def ordinal(self) -> int:
        return {"info": 0, "warning": 1, "error": 2}[self.value]


class Confidence(enum.StrEnum):
    """How sure it is: by type and value, by convention, or by less than that."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def ordinal(self) -> int:
        return {"low": 0, "medium": 1, "high": 2}[self.value]


class Applicability(enum.StrEnum):
    """Whether a fix keeps what the program does (safe), may change it, or is only shown."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


class Hop(NamedTuple):
    """One step of a witness: a place and what happens there."""

    path: str
    line: int
    column: int
    text: str


Witness = tuple[Hop, ...]
"""The call path that makes a report true, from the entry to the place reported."""


class Edit(NamedTuple):
    """Replace ``span`` of ``path`` by ``text``."""

    path: str
    span: Span
    text: str


class FixPlan(NamedTuple):
    """Edits that belong together: all are applied, or none."""

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...]


class Diagnostic(NamedTuple):
    """One report. ``path`` is relative to the project's root, with ``/``."""

    path: str
    span: Span
    id: str
    name: str
    severity: Severity
    confidence: Confidence
    message: str
    hint: str = ""
    fingerprint: str = ""
    trace: Witness = ()
    fix: FixPlan | None = None
    subject: str = ""
    """The qualified name of the thing reported; with ``cover`` it groups repeats in text output."""
    cover: str = ""
    """The one place that would settle this report and others."""

    @property
    def sort_key(self) -> tuple[str, int, int, str, str, str]:
        return (self.path, self.span.line, self.span.column, self.id, self.name, self.message)


class Silencer(enum.StrEnum):
    """What keeps a report from being told."""

    COMMENT = "comment"
    BASELINE = "baseline"


class Silenced(NamedTuple):
    """A report that is not told, for formats that show such ones as well."""

    diagnostic: Diagnostic
    by: Silencer
    reason: str = ""
    """What the comment says."""

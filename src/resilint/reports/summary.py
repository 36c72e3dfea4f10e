"""What a report needs besides the diagnostics: counts, and where source lines come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from resilint.domain import Diagnostic, Severity

RULE_PAGE = "https://github.com/resilint/resilint/blob/main/src/resilint/rules/{name}.md"


def url(name: str) -> str:
    """The page of a rule."""
    return RULE_PAGE.format(name=name.replace("-", "_"))


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers at the end."""

    files: int
    suppressed: int = 0
    baselined: int = 0
    skipped: Sequence[tuple[str, str]] = ()
    """Paths that could not be read, with the reason."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Report:
    """All that is to be told. Paths are relative to the working folder."""

    diagnostics: Sequence[Diagnostic]
    summary: Summary
    lines: Callable[[str], Sequence[str]]
    """The source lines of a path."""

    def count(self, severity: Severity) -> int:
        return sum(1 for diagnostic in self.diagnostics if diagnostic.severity == severity)


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"

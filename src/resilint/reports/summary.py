"""What a report needs besides the diagnostics: counts, and where source lines, rules and paths come from."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from resilint.domain import Diagnostic, Severity, Silenced
from resilint.rule import Rule

HOME = "https://github.com/resilint/resilint"
RULE_PAGE = HOME + "/blob/main/src/resilint/rules/{name}.md"


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


class Described(NamedTuple):
    """A rule and its page, in Markdown."""

    rule: Rule
    page: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All that is to be told. Paths are relative to the working folder."""

    diagnostics: Sequence[Diagnostic]
    summary: Summary
    lines: Callable[[str], Sequence[str]]
    """The source lines of a path."""
    silenced: Sequence[Silenced] = ()
    """What suppressions and baselines keep quiet."""
    rules: Callable[[], Sequence[Described]] = tuple
    """The rules, in order; asked for by the formats that describe them."""
    working: Path | None = None
    """The working folder, absolute."""
    repository: Path | None = None
    """The root of the repository, where a CI service tells it: what it reads must be relative to that."""
    fails: Severity | None = Severity.ERROR
    """The least severity that makes the exit code 1; None: no report does."""

    def count(self, severity: Severity) -> int:
        return sum(1 for diagnostic in self.diagnostics if diagnostic.severity == severity)

    def in_repository(self, path: str) -> str:
        """``path`` as seen from the root of the repository; as it is where that is unknown or not above it."""
        if self.working is None or self.repository is None:
            return path
        seen = os.path.relpath(self.working / path, self.repository).replace(os.sep, "/")
        return path if seen.split("/", 1)[0] == ".." else seen


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"

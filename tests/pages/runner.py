"""Analyse a project in this process: the session of ``resilint check``, without processes and without a cache."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from resilint.catalogue import load_catalogue
from resilint.check import session
from resilint.check.passes import Passes
from resilint.domain import Diagnostic
from resilint.reports import Report, Style, Summary, as_json, concise, text
from tests.pages import matcher
from tests.pages.reader import SourceFile


class RunError(Exception):
    """The run ended with a defect instead of reports."""


@lru_cache(maxsize=1)
def _shipped() -> Any:
    return load_catalogue(())


def _catalogue(extra: Sequence[Path]) -> Any:
    """The shipped catalogue is read once for all runs."""
    return load_catalogue(extra) if extra else _shipped()


def write(files: Iterable[SourceFile], root: Path) -> None:
    """Lay the files out below ``root``."""
    for file in files:
        target = root / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.text, encoding="utf-8", newline="")


def linked(root: Path) -> Any:
    """The program of the project in ``root``, without its analysis."""
    request = session.Request(paths=(root,), working=root, root=root, jobs=1, cached=False)
    (project,) = session.open_projects(request, Passes(catalogue=_catalogue))
    return project.program()


class Run:
    """One analysis of the project in ``root``, which is its own root whatever stands above it.

    Raises:
        RunError: resilint itself failed.
        ResilintError: the configuration is broken.
    """

    def __init__(self, root: Path) -> None:
        request = session.Request(paths=(root,), working=root, root=root, jobs=1, cached=False)
        self._outcome = session.analyse(request, Passes(catalogue=_catalogue))
        self._analysis: Any = None
        if self._outcome.broken:
            raise RunError("\n".join(d.message for d in self.diagnostics if d.name == "internal-error"))

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return self._outcome.diagnostics

    def reports(self) -> list[matcher.Report]:
        """The diagnostics in the part that a marker can speak of."""
        return [matcher.Report(d.path, d.span.line, d.name, d.severity, d.message) for d in self.diagnostics]

    def printed(self, output_format: str) -> str:
        """What the command prints, without colour, as if it had taken 0.1 s."""
        summary = Summary(
            self._outcome.files, self._outcome.suppressed, self._outcome.baselined, self._outcome.skipped, seconds=0.1
        )
        report = Report(self.diagnostics, summary, self._outcome.lines)
        if output_format == "json":
            return as_json(report)
        return concise(report) if output_format == "concise" else text(report, Style())

    def reveal(self, path: str, line: int) -> dict[str, list[str]]:
        """What the linker and the summaries concluded about a line."""
        from resilint.summaries.debug import reveal

        if self._analysis is None:
            (project,) = self._outcome.projects
            self._analysis = project.analysis(project.program())
        concluded: dict[str, list[str]] = reveal(self._analysis, path, line)
        return concluded

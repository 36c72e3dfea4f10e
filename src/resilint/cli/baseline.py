"""``resilint baseline``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from resilint.cli.exits import OK, WRONG
from resilint.cli.options import policy_options, project_options, request_of, tell_skipped
from resilint.cli.output import complain, emit
from resilint.domain import UsageError
from resilint.reports.summary import counted


@click.command("baseline")
@project_options
@policy_options
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    help="The file; by default the configured one, else resilint-baseline.json.",
)
def baseline_command(output: Path | None, **options: Any) -> int:
    """Accept the reports that there are now: later runs with this baseline tell only of new ones."""
    from resilint.check.baseline import NAME, Baseline, load, save
    from resilint.check.session import analyse

    outcome = analyse(replace(request_of(options), subtract_baseline=False))
    tell_skipped(outcome)
    if outcome.broken:
        complain("error: resilint itself failed, so no baseline is written; see: resilint check")
        return WRONG
    if output is not None and len(outcome.projects) > 1:
        raise UsageError("the paths belong to several projects, which have a baseline each: leave out --output")
    for project, judged in zip(outcome.projects, outcome.judged, strict=True):
        path = output or Path(project.configuration.baseline or project.root / NAME)
        entries = Baseline.of(judged.identities).entries
        if project.selection.reported < set(project.files.facts) and path.exists():
            others = load(path).entries  # of the files that were not asked for
            entries |= {key: kept for key, kept in others.items() if kept.path not in project.selection.reported}
        save(Baseline(entries), path)
        emit(f"{counted(len(entries), 'report')} in {path}\n")
    return OK

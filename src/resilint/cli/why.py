"""``resilint why``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from resilint.cli.options import project_options, request_of
from resilint.cli.output import emit, tamed
from resilint.domain import UsageError


@click.command("why")
@project_options
def why_command(paths: tuple[Path, ...], **options: Any) -> int:
    """Explain what is known about FILE:LINE: roles, callers, waits, deadlines, and for which reasons."""
    from resilint.check.discover import relative
    from resilint.check.session import open_projects
    from resilint.summaries.why import explain

    for place in paths:
        file, _, number = str(place).rpartition(":")
        if not file or not number.isdecimal():
            raise UsageError(f"{place} is no FILE:LINE")
        for project in open_projects(request_of({**options, "paths": (Path(file),)})):
            name = relative(Path(os.path.abspath(file)), project.root)
            text = explain(project.analysis(project.program()), name or file, int(number))
            emit(tamed(text))
    return 0

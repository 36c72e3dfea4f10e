"""Which formats are written, and where each goes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from resilint.domain import UsageError
from resilint.reports.formats import FORMATS, TEXT

STANDARD = "-"
"""Standard output, where a file could be named."""


class Target(NamedTuple):
    """One format and its file; None: standard output."""

    name: str
    file: Path | None = None


if TYPE_CHECKING:
    _TargetType = click.ParamType[Target]
else:
    _TargetType = click.ParamType  # not generic in every version that will do


class TargetType(_TargetType):
    """``FORMAT``, or ``FORMAT:FILE``."""

    name = "format"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "FORMAT[:FILE]"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Target:
        """Read one value of the option."""
        if isinstance(value, Target):
            return value
        name, colon, file = str(value).partition(":")
        if name not in FORMATS:
            from resilint.config import nearest

            known = nearest(name, FORMATS) or f"; known: {', '.join(FORMATS)}"
            self.fail(f'no format "{name}"{known}', param, ctx)
        if colon and not file:
            self.fail(f'"{value}" names no file after the colon', param, ctx)
        return Target(name, Path(file) if file and file != STANDARD else None)


def targets(given: Sequence[Target], output_file: Path | None) -> list[Target]:
    """What to write. ``output_file`` is where the format goes that names no file of its own.

    Raises:
        UsageError: two would be written to one place, or a place cannot be written to.
    """
    chosen = list(given) or [Target(TEXT)]
    if output_file is not None and str(output_file) != STANDARD:
        if all(target.file is not None for target in chosen):
            raise UsageError("--output-file is for the format without a file, and every --output-format names one")
        chosen = [Target(name, file or output_file) for name, file in chosen]
    seen: dict[str, str] = {}
    for name, file in chosen:
        place = os.path.realpath(file) if file is not None else STANDARD
        if place in seen:
            where = "standard output" if file is None else str(file)
            raise UsageError(
                f"both {seen[place]} and {name} would go to {where}: name a file, --output-format {name}:FILE"
            )
        seen[place] = name
        if file is not None:
            _expect_writable(file)
    return chosen


def _expect_writable(file: Path) -> None:
    """Find out before the analysis, which can take long, what would be wrong after it."""
    folder = Path(os.path.realpath(file)).parent
    if file.is_dir():
        raise UsageError(f"cannot write {file}: it is a folder")
    if not folder.is_dir():
        raise UsageError(f"cannot write {file}: there is no folder {file.parent}")
    if not file.exists() and not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {file}: no permission to write in {file.parent}")

"""``resilint clean``."""

from __future__ import annotations

from pathlib import Path

import click

from resilint.cli.output import emit
from resilint.domain import UsageError

_PATH = click.Path(path_type=Path)


@click.command("clean")
@click.argument("paths", nargs=-1, type=_PATH)
@click.option("--root", type=_PATH, help="The project's root; by default it is found from the paths.")
@click.option("--cache-dir", type=_PATH, help="Where the cache is, instead of .resilint_cache in the root.")
def clean_command(paths: tuple[Path, ...], root: Path | None, cache_dir: Path | None) -> int:
    """Remove the cache of the project of PATHS (default: the working folder)."""
    from resilint.check.cache import NAME, clean
    from resilint.check.roots import group

    if cache_dir is not None:
        folders = [Path.cwd() / cache_dir]
    else:
        folders = [each.root / NAME for each in group(paths or (Path(),), Path.cwd(), root)]
    for folder in folders:
        try:
            emit(f"removed {folder}\n" if clean(folder) else f"no cache at {folder}\n")
        except OSError as problem:
            raise UsageError(f"cannot remove {folder}: {problem.strerror or problem}") from None
    return 0

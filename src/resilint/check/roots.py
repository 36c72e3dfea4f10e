"""Which project a path belongs to. Paths of several projects are grouped, each under its own configuration."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from resilint.config import file_in
from resilint.domain import UsageError


@dataclass(frozen=True, slots=True)
class Group:
    """The given paths of one project."""

    root: Path
    configuration: Path | None
    """The file that configures it, if there is one."""
    paths: tuple[Path, ...]
    """Absolute and normalised, in the order given; links are not resolved."""


def group(paths: Sequence[Path], working: Path, root: Path | None = None) -> list[Group]:
    """Group paths by their project's root."""
    absolute = [Path(os.path.normpath(working / path)) for path in paths]
    configuration = cache(file_in)
    if root is not None:
        top = Path(os.path.normpath(working / root))
        if not top.is_dir():
            raise UsageError(f"the root {top} is no folder")
        return [Group(top, configuration(top), tuple(absolute))]
    top_of = cache(lambda folder: _root_of(folder, working, configuration))
    grouped: dict[Path, list[Path]] = {}
    for path in absolute:
        grouped.setdefault(top_of(path if path.is_dir() else path.parent), []).append(path)
    return [Group(top, configuration(top), tuple(members)) for top, members in sorted(grouped.items())]


def _root_of(folder: Path, working: Path, configuration: Callable[[Path], Path | None]) -> Path:
    """The nearest folder with a configuration, else with ``.git``, else with ``pyproject.toml``, else the working one.

    The working folder is no root of what lies outside it; then the folder itself is.
    """
    lineage = [folder, *folder.parents]
    for candidate in lineage:
        if configuration(candidate) is not None:
            return candidate
    for marker in (".git", "pyproject.toml"):
        for candidate in lineage:
            if (candidate / marker).exists():
                return candidate
    return working if working in lineage else folder

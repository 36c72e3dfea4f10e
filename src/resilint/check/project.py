"""One project being read: its files' facts, and on demand the program and its analysis."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from resilint.check.cache import Cache
from resilint.check.discover import Selection, Skipped, discover, overlay_names
from resilint.check.groups import check_groups
from resilint.check.lowering import Files, lower_all
from resilint.check.passes import Passes
from resilint.check.remembered import Analysis, Remembered
from resilint.check.roots import Group
from resilint.check.settings import settings
from resilint.check.sources import Sources
from resilint.config import Configuration
from resilint.link.inputs import SourceFacts


class Clock:
    """Seconds by layer."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def timed(self, layer: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[layer] += time.perf_counter() - started


@dataclass(slots=True)
class Project:
    """A root with what was read below it."""

    root: Path
    configuration: Configuration
    selection: Selection
    files: Files
    sources: Sources
    passes: Passes
    clock: Clock = field(default_factory=Clock)
    linked: Any = None
    """The program, once it has been asked for."""
    cache: Path | None = None
    """The folder of the cache; None for none."""
    remembered: Analysis | None = None
    """What an earlier run found in the same program, once it has been asked for."""

    @property
    def skipped(self) -> list[Skipped]:
        return sorted({*self.selection.skipped, *self.files.skipped})

    def program(self) -> Any:
        """Names, types, calls and roles of all files together."""
        with self.clock.timed("catalogue"):
            catalogue = self.passes.catalogue([Path(path) for path in self.configuration.catalogue])
            check_groups(self.configuration, catalogue)
        with self.clock.timed("link"):
            files = [SourceFacts(name, facts) for name, facts in self.files.facts.items()]
            self.linked = self.passes.link(files, catalogue, settings(self.configuration))
            return self.linked

    def roles(self) -> Mapping[str, int]:
        """How many functions have each role, as far as the program was linked."""
        if self.linked is not None:
            return self.passes.roles(self.linked)
        return self.remembered.roles if self.remembered is not None else {}

    def remember(self, rules: Sequence[str], warn: Callable[[str], None]) -> Remembered | None:
        """The findings of these rules in an earlier run; None where nothing is to be remembered."""
        if self.cache is None or self.files.failures or self.passes != Passes():
            return None
        extra = [Path(path) for path in self.configuration.catalogue]
        return Remembered(self.cache, self.files.digests, settings(self.configuration), extra, rules, warn)

    def analysis(self, program: Any) -> Any:
        """What holds of each function, its callees and callers included."""
        with self.clock.timed("summaries"):
            return self.passes.summarise(program)


def open_project(
    group: Group,
    configuration: Configuration,
    overlay: Mapping[Path, bytes],
    passes: Passes,
    warn: Callable[[str], None],
    *,
    jobs: int,
    cache: Path | None,
    force_exclude: bool,
) -> Project:
    """Find and lower a project's files. ``cache`` is the folder of the cache, None for none."""
    clock = Clock()
    held = overlay_names(overlay, group.root)
    with clock.timed("discover"):
        exclude = (*configuration.exclude, *configuration.extend_exclude)
        selection = discover(group.root, group.paths, exclude, force_exclude=force_exclude, overlay=held)
    with clock.timed("lower"):
        opened = Cache(cache, warn) if cache is not None else None
        files = lower_all(group.root, selection.files, held, opened, jobs)
    return Project(group.root, configuration, selection, files, Sources(group.root, held), passes, clock, cache=cache)

"""Which files are read, and which of them are reported.

The whole project is read; the paths given on the command line select what is reported. Nothing in a tree can stop the
walk: what cannot be read is skipped, with its reason.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from resilint.check.ignorefiles import IgnoreFiles, Patterns, git_files
from resilint.domain import UsageError

SUFFIXES = (".py", ".pyi")
# fmt: off
CACHES = frozenset({
    ".git", ".hg", ".svn", ".venv", "venv", "node_modules", "site-packages", "__pycache__", "__pypackages__",
    ".resilint_cache", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".pytype", ".hypothesis", ".tox", ".nox",
    ".eggs", ".cache", ".direnv", ".ipynb_checkpoints", ".pants.d",
})
# fmt: on
"""Folders that are never read unless named."""
OUTPUTS = frozenset({"build", "dist"})
"""Likewise, but only beside a ``pyproject.toml`` or ``setup.py``: elsewhere they are source."""


class Skipped(NamedTuple):
    """A path that should have been read."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """What discovery found below one root."""

    files: tuple[str, ...]
    """All files to read, sorted, relative to the root, with ``/``."""
    reported: frozenset[str]
    """Those whose reports the user asked for."""
    skipped: tuple[Skipped, ...]


def relative(path: Path, root: Path) -> str | None:
    """``path`` below ``root`` with ``/``; None where it lies elsewhere. Links are not followed."""
    try:
        inner = path.relative_to(root)
    except ValueError:
        return None
    return inner.as_posix()


def discover(
    root: Path,
    paths: Sequence[Path],
    exclude: Sequence[str] = (),
    *,
    force_exclude: bool = False,
    overlay: Iterable[str] = (),
) -> Selection:
    """Find the project's files and those that ``paths`` (absolute) name.

    Raises:
        UsageError: a path does not exist, or lies outside ``root``.
    """
    finder = _Finder(root, Patterns(exclude))
    held = set(overlay)
    files = {name for name in finder.below("") if name not in held}
    everything = frozenset(files)
    reported: set[str] = set()
    for path in paths:
        name = relative(path, root)
        if name is None:
            raise UsageError(f"{path} is outside the project's root {root}; name another with --root")
        name = "" if name == "." else name
        if name in held:
            continue
        if not os.path.lexists(path):
            raise UsageError(f"{path} does not exist")
        if path.is_dir():
            inside = {f for f in everything if not name or f.startswith(name + "/")}
            if name and not inside and not force_exclude:
                inside = set(finder.walked(name, named=True))
            files |= inside
            reported |= inside
        elif not (force_exclude and name not in everything and finder.hidden(name)) and finder.readable(
            name, named=True
        ):
            files.add(name)
            reported.add(name)
    files |= held
    reported |= held
    return Selection(tuple(sorted(files)), frozenset(reported), tuple(sorted(set(finder.skipped))))


class _Finder:
    def __init__(self, root: Path, exclude: Patterns) -> None:
        self.root = root
        self.exclude = exclude
        self.skipped: list[Skipped] = []
        self._never: dict[str, bool] = {"": False}

    def below(self, folder: str) -> Iterator[str]:
        """Files below ``folder``, by git where there is one."""
        names = git_files(self.root / folder)
        if not names:
            yield from self.walked(folder)
            return
        submodules = (self.root / folder / ".gitmodules").exists()
        for inner in names:
            name = f"{folder}/{inner}" if folder else inner
            if inner.endswith(SUFFIXES):
                if (
                    not self._never_read(name.rpartition("/")[0])
                    and not self.exclude.match(name)
                    and self.readable(name)
                ):
                    yield name
            elif inner.endswith("/") or (submodules and self._is_folder(name)):
                name = name.rstrip("/")
                if not self._never_read(name):
                    yield from self.below(name)

    def walked(self, folder: str, *, named: bool = False) -> Iterator[str]:
        """Files below ``folder`` by walking, with .gitignore files read on the way.

        ``folder`` itself is not judged; where the user ``named`` it, neither the configuration nor a .gitignore above
        has a say.
        """
        ignore_files = IgnoreFiles(self.root / folder)
        if named:
            self._never = {
                known: verdict for known, verdict in self._never.items() if not known.startswith(folder + "/")
            }
            self._never[folder] = False
        pending = [""]
        while pending:
            here = pending.pop()
            try:
                with os.scandir(self.root / folder / here) as found:
                    entries = sorted(found, key=lambda e: e.name)
            except OSError as problem:
                self._skip(_joined(folder, here) or ".", _words(problem))
                continue
            for entry in entries:
                inner = _joined(here, entry.name)
                name = _joined(folder, inner)
                try:
                    is_folder = entry.is_dir(follow_symlinks=False)
                except OSError as problem:
                    self._skip(name, _words(problem))
                    continue
                if ignore_files.ignored(inner, folder=is_folder):
                    continue
                if is_folder:
                    if not self._never_read(name, configured=not named):
                        pending.append(inner)
                elif name.endswith(SUFFIXES) and (named or not self.exclude.match(name)) and self.readable(name):
                    yield name

    def readable(self, name: str, *, named: bool = False) -> bool:
        """Whether it is a file that can be read; a link to a file of the same tree is not: that file is read itself."""
        path = self.root / name
        try:
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                status = os.stat(path)
                if stat.S_ISDIR(status.st_mode):
                    return False
                if not named and relative(Path(os.path.realpath(path)), Path(os.path.realpath(self.root))) is not None:
                    return False
        except FileNotFoundError:
            if os.path.islink(path):
                self._skip(name, "a link to nothing")
            return False
        except OSError as problem:
            self._skip(name, _words(problem))
            return False
        if stat.S_ISDIR(status.st_mode):
            return False
        if not stat.S_ISREG(status.st_mode):
            self._skip(name, "not a regular file")
            return False
        return True

    def hidden(self, name: str) -> bool:
        """Whether a named file that discovery did not find is one that is not read by itself."""
        return name.endswith(SUFFIXES) or self._never_read(name.rpartition("/")[0]) or self.exclude.match(name)

    def _never_read(self, folder: str, *, configured: bool = True) -> bool:
        """Whether a folder or one above it is excluded, a cache, an environment, or a build's output."""
        known = self._never.get(folder)
        if known is None:
            above, _, own = folder.rpartition("/")
            known = (
                self._never_read(above, configured=configured)
                or own in CACHES
                or self._built(above, own)
                or self._environment(folder)
                or (configured and self.exclude.match(folder, folder=True))
            )
            self._never[folder] = known
        return known

    def _built(self, above: str, own: str) -> bool:
        return own in OUTPUTS and any((self.root / above / f).exists() for f in ("pyproject.toml", "setup.py"))

    def _environment(self, folder: str) -> bool:
        return os.path.exists(os.path.join(self.root, folder, "pyvenv.cfg"))

    def _is_folder(self, name: str) -> bool:
        path = self.root / name
        return path.is_dir() and not path.is_symlink()

    def _skip(self, name: str, reason: str) -> None:
        self.skipped.append(Skipped(name, reason))


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder and name else folder or name


def _words(problem: OSError) -> str:
    return (problem.strerror or str(problem)).lower()


def overlay_names(overlay: Mapping[Path, bytes], root: Path) -> dict[str, bytes]:
    """An overlay's files below ``root``, by relative name."""
    named = {relative(path, root): data for path, data in overlay.items()}
    return {name: data for name, data in named.items() if name is not None}

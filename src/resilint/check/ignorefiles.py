"""Patterns in the manner of .gitignore: the configuration's own, and .gitignore files where git cannot be asked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class Patterns:
    """Patterns relative to one folder. Compiled when first asked: most projects have none."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        self._spec: GitIgnoreSpec | None = None

    def match(self, path: str, *, folder: bool = False) -> bool:
        """Whether ``path`` (relative, with ``/``) or a folder above it is matched."""
        if not self.lines:
            return False
        if self._spec is None:
            from pathspec import GitIgnoreSpec

            self._spec = GitIgnoreSpec.from_lines(self.lines)
        return self._spec.match_file(path + "/" if folder else path)


@lru_cache(maxsize=64)
def patterns(*lines: str) -> Patterns:
    """Patterns, compiled once."""
    return Patterns(lines)


class IgnoreFiles:
    """The .gitignore files of a tree, read as folders are entered. The nearest file that decides wins."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._specs: dict[str, GitIgnoreSpec | None] = {}

    def ignored(self, path: str, *, folder: bool = False) -> bool:
        parts = path.split("/")
        for depth in range(len(parts) - 1, -1, -1):
            spec = self._spec("/".join(parts[:depth]))
            if spec is not None:
                inner = "/".join(parts[depth:]) + ("/" if folder else "")
                verdict = spec.check_file(inner).include
                if verdict is not None:
                    return verdict
        return False

    def _spec(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            self._specs[folder] = self._read(folder)
        return self._specs[folder]

    def _read(self, folder: str) -> GitIgnoreSpec | None:
        try:
            text = (self.root / folder / ".gitignore").read_text("utf-8", "surrogateescape")
        except OSError:
            return None
        from pathspec import GitIgnoreSpec

        return GitIgnoreSpec.from_lines(text.splitlines())


def git_files(folder: Path) -> list[str] | None:
    """What git knows or would not ignore below ``folder``, relative to it with ``/``; None where git cannot say.

    A nested repository comes as one entry that ends with ``/``, a submodule as one that looks like a file.
    """
    if not any((above / ".git").exists() for above in (folder, *folder.parents)):
        return None
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    try:
        run = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "ls-files", "-z", "-co", "--exclude-standard"],
            cwd=folder,
            env=environment | {"GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError:
        return None
    if run.returncode != 0:
        return None
    names = [os.fsdecode(name) for name in run.stdout.split(b"\0") if name]
    return list(dict.fromkeys(names))

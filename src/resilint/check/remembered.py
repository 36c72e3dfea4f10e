"""The findings of earlier runs, beside the cache of facts: a run over the same facts with the same rules, catalogue
and settings finds the same. They are findings, before selection by confidence, suppressions and baseline, so changing
how something is reported costs no analysis.

One file an analysis, replaced atomically and named by everything it depends on. What cannot be read is a miss.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib.metadata
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from resilint.check import cache as caches
from resilint.link.inputs import Settings
from resilint.rule import Finding

KEPT = 8
"""Analyses that are kept: of several configurations, selections, branches."""
_ELSEWHERE = frozenset({"cli", "domain", "facts", "reports", "syntax"})
"""Packages whose code is no part of the name: it finds nothing, or the folder is named by it."""


class Analysis(msgspec.Struct, array_like=True):
    """What came of it."""

    findings: dict[str, list[Finding]]
    """By rule, in the order found."""
    roles: dict[str, int]
    """How many functions have each role."""


def _code() -> bytes:
    """Names the code and the catalogue that find what is found."""
    found = hashlib.sha256()
    here = Path(__file__).parent.parent
    for path in sorted(here.rglob("*")):
        place = path.relative_to(here)
        if path.suffix in (".py", ".toml") and place.parts[0] not in _ELSEWHERE:
            found.update(place.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    found.update(importlib.metadata.version("sqlglot").encode())
    return found.digest()


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value


class Remembered:
    """What is known of one analysis, in one folder."""

    def __init__(
        self,
        folder: Path,
        digests: Mapping[str, bytes],
        settings: Settings,
        catalogue: Sequence[Path],
        rules: Sequence[str],
        warn: Callable[[str], None],
    ) -> None:
        key = hashlib.sha256(_code())
        options = [(f.name, _plain(getattr(settings, f.name))) for f in dataclasses.fields(settings)]
        texts = [(path.name, path.read_bytes()) for path in catalogue if path.is_file()]
        key.update(msgspec.msgpack.encode([options, texts, list(rules), sorted(digests.items())]))
        self._folder = folder
        self._path = folder / caches.version() / f"findings-{key.hexdigest()[:32]}"
        self._warn = warn

    def load(self) -> Analysis | None:
        """None where the analysis has to be made."""
        try:
            data = self._path.read_bytes()
        except OSError:
            return None
        try:
            found = msgspec.msgpack.decode(caches.opened(data), type=Analysis)
        except (ValueError, msgspec.DecodeError, RecursionError):
            self._warn(f"{self._path} is damaged; the analysis is made anew")
            return None
        with contextlib.suppress(OSError):
            os.utime(self._path)
        return found

    def save(self, analysis: Analysis) -> None:
        """Remember; the oldest beyond :data:`KEPT` are removed. Where the facts could not be kept, nor are these."""
        if not self._path.parent.is_dir():
            return
        try:
            caches.replace(self._path, caches.sealed(msgspec.msgpack.encode(analysis)))
            known = sorted(self._path.parent.glob("findings-*"), key=lambda p: p.stat().st_mtime, reverse=True)
            for old in known[KEPT:]:
                old.unlink(missing_ok=True)
        except OSError as problem:
            self._warn(f"the cache {self._folder} cannot be written: {problem.strerror or problem}")

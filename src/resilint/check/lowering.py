"""From files to facts: from the cache where it knows them, else lowered, in processes where that pays.

The result never depends on the number of jobs, the order of files or the state of the cache: facts always come back
through their bytes.
"""

from __future__ import annotations

import gc
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from resilint.check import pool
from resilint.check.cache import Cache, Stamp, digest_of, stamp_of
from resilint.check.collector import collector_paused
from resilint.check.discover import Skipped
from resilint.facts import ModuleFacts, decode

CHUNK = 100_000
"""Bytes of source a task: smaller ones pay for messages, bigger ones leave workers idle at the end."""
IN_PROCESS = 200_000
"""Below this many bytes of source, starting processes costs more than it saves."""


class Job(NamedTuple):
    """A file to lower; ``source`` where it is not the one on disk."""

    name: str
    path: str
    size: int
    source: bytes | None = None


class Lowered(NamedTuple):
    """One file's outcome. ``facts`` are encoded; without them ``failure`` says why."""

    name: str
    facts: bytes | None
    digest: bytes = b""
    stamp: Stamp | None = None
    failure: str = ""
    vanished: str = ""
    """Why it could not be read after all."""


@dataclass(slots=True)
class Files:
    """The facts of a project."""

    facts: dict[str, ModuleFacts] = field(default_factory=dict)
    """By relative path, sorted."""
    failures: dict[str, str] = field(default_factory=dict)
    """Files at which lowering itself broke: internal errors."""
    skipped: list[Skipped] = field(default_factory=list)
    lowered: int = 0
    """How many were not in the cache."""
    digests: dict[str, bytes] = field(default_factory=dict)
    """Of the encoded facts."""


def lower_all(
    root: Path,
    names: Sequence[str],
    overlay: Mapping[str, bytes],
    cache: Cache | None,
    jobs: int,
) -> Files:
    """The facts of all ``names``, relative to ``root``."""
    files = Files()
    encoded: dict[str, bytes] = {}
    todo: list[Job] = []
    for name in names:
        path = os.path.join(root, name)
        source = overlay.get(name)
        if source is not None:
            known = cache.by_digest(digest_of(source)) if cache else None
            if known is None:
                todo.append(Job(name, path, len(source), source))
            else:
                encoded[name] = known
            continue
        try:
            status = os.stat(path)
            hit = cache.lookup(name, path, status) if cache else None
        except OSError as problem:
            files.skipped.append(Skipped(name, (problem.strerror or str(problem)).lower()))
            continue
        if hit is None:
            todo.append(Job(name, path, status.st_size))
        else:
            encoded[name] = hit
    for result in _lowered(todo, jobs):
        if result.vanished:
            files.skipped.append(Skipped(result.name, result.vanished))
        elif result.facts is None:
            files.failures[result.name] = result.failure
        else:
            encoded[result.name] = result.facts
            if cache is not None:
                cache.store(result.name, result.digest, result.stamp, result.facts)
    files.lowered = len(todo)
    with collector_paused():
        for name in sorted(encoded):
            files.facts[name] = decode(encoded[name])
            files.digests[name] = digest_of(encoded[name])
    if cache is not None:
        cache.save(set(names))
    return files


def _lowered(todo: Sequence[Job], jobs: int) -> Iterator[Lowered]:
    if not todo:
        return
    if jobs <= 1 or len(todo) == 1 or sum(job.size for job in todo) < IN_PROCESS:
        with collector_paused():
            yield from map(lower_one, todo)
        return
    if pool.start_method() == "fork":
        import resilint.syntax.lowering  # noqa: F401  # LibCST, once for all workers

        gc.freeze()
    try:
        for result in pool.run(lower_one, chunked(todo), jobs, _prepare):
            if isinstance(result, pool.Died):
                yield Lowered(result.item.name, None, failure=f"the process that read it died twice ({result.how})")
            else:
                yield result
    finally:
        gc.unfreeze()


def _prepare() -> None:
    gc.disable()


def chunked(todo: Sequence[Job]) -> list[list[Job]]:
    """Tasks of about :data:`CHUNK` bytes, the biggest files first."""
    chunks: list[list[Job]] = []
    room = 0
    for job in sorted(todo, key=lambda job: (-job.size, job.name)):
        if job.size > room or not chunks:
            chunks.append([])
            room = CHUNK
        chunks[-1].append(job)
        room -= job.size
    return chunks


def lower_one(job: Job) -> Lowered:
    """Lower one file; whatever goes wrong is part of the result."""
    from resilint.facts import encode
    from resilint.syntax import lower

    stamp: Stamp | None = None
    source = job.source
    if source is None:
        try:
            source, stamp = read(job.path)
        except OSError as problem:
            return Lowered(job.name, None, vanished=(problem.strerror or str(problem)).lower())
    try:
        return Lowered(job.name, encode(lower(source, job.name)), digest_of(source), stamp)
    except (Exception, RecursionError) as problem:
        if os.environ.get("RESILINT_DEBUG") == "1":
            raise
        from resilint.check.internal import describe

        return Lowered(job.name, None, failure=describe(problem))


def read(path: str) -> tuple[bytes, Stamp]:
    """A regular file's bytes, with the stamp it had before they were read."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "not a regular file")
        parts = []
        while part := os.read(handle, 1 << 20):
            parts.append(part)
        return b"".join(parts), stamp_of(status)
    finally:
        os.close(handle)

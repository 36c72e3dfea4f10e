"""Worker processes that turn items into results one by one, and of which one may die without taking the rest along.

``concurrent.futures`` gives up the whole pool when a worker is killed; here each worker has a pipe of its own, so that
it is known which item it was at. That item is tried once more, alone in a fresh process.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, NamedTuple, TypeVar

I = TypeVar("I")  # noqa: E741
R = TypeVar("R")


class Died(NamedTuple, Generic[I]):
    """A worker died twice at this item."""

    item: I
    how: str


class _Worker(NamedTuple):
    process: Any
    pipe: Connection


def start_method() -> str:
    """``fork`` is quick and inherits what is loaded, but is safe only on Linux and while there are no other threads."""
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


def run(
    work: Callable[[I], R], chunks: Sequence[Sequence[I]], jobs: int, prepare: Callable[[], None]
) -> Iterator[R | Died[I]]:
    """The result of ``work`` for every item, in no particular order. ``prepare`` runs once in each process first."""
    context: Any = multiprocessing.get_context(start_method())
    pending = [list(chunk) for chunk in reversed(chunks)]
    suspects: list[I] = []
    workers: dict[Connection, _Worker] = {}
    tasks: dict[Connection, list[I]] = {}

    def hire() -> Connection:
        ours: Connection
        ours, theirs = context.Pipe()
        inherited = [w.pipe for w in workers.values()] + [ours] if context.get_start_method() == "fork" else []
        process = context.Process(target=_serve, args=(theirs, inherited, work, prepare), daemon=True)
        process.start()
        theirs.close()
        workers[ours] = _Worker(process, ours)
        return ours

    def assign(pipe: Connection) -> None:
        """Give the next chunk to a worker that has nothing to do, or let it go."""
        if pending:
            tasks[pipe] = pending.pop()
            with contextlib.suppress(OSError):  # it has died: the pipe reports that next
                pipe.send(list(tasks[pipe]))
        else:
            dismiss(pipe)

    def dismiss(pipe: Connection) -> str:
        """Let a worker end, and say how it did."""
        worker = workers.pop(pipe)
        tasks.pop(pipe, None)
        pipe.close()
        worker.process.join()
        return _how(worker.process.exitcode)

    try:
        for _ in range(min(jobs, len(pending))):
            assign(hire())
        while workers:
            for ready in wait(list(workers)):
                assert isinstance(ready, Connection)
                try:
                    result = ready.recv()
                except (EOFError, OSError):
                    left = tasks.get(ready, [])
                    dismiss(ready)
                    if left:
                        suspects.append(left[0])
                    if left[1:]:
                        pending.append(left[1:])
                    while pending and len(workers) < jobs:
                        assign(hire())
                    continue
                tasks[ready].pop(0)
                yield result
                if not tasks[ready]:
                    assign(ready)
        for suspect in suspects:
            pending.append([suspect])
            alone = hire()
            assign(alone)
            try:
                yield alone.recv()
            except (EOFError, OSError):
                yield Died(suspect, dismiss(alone))
            else:
                dismiss(alone)
    finally:
        for worker in workers.values():
            worker.process.terminate()
            worker.pipe.close()
        for worker in workers.values():
            worker.process.join()


def _serve(
    pipe: Connection, inherited: Sequence[Connection], work: Callable[[I], R], prepare: Callable[[], None]
) -> None:
    """What a worker does: chunks in, one result an item out, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in inherited:  # else this process would keep its siblings' pipes open
        other.close()
    prepare()
    try:
        while True:
            for item in pipe.recv():
                pipe.send(work(item))
    except (EOFError, OSError):
        return


def _how(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        try:
            return f"killed by {signal.Signals(-exitcode).name}"
        except ValueError:
            return f"killed by signal {-exitcode}"
    return f"exit code {exitcode}"

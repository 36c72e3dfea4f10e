"""Blocking calls: a bounded executor with a name for each kind of them."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


class Executors:
    def __init__(self, workers: Mapping[str, int]) -> None:
        self._executors = {
            kind: ThreadPoolExecutor(max_workers=number, thread_name_prefix=kind) for kind, number in workers.items()
        }
        self._free = {kind: asyncio.Semaphore(number) for kind, number in workers.items()}

    async def run_blocking(self, kind: str, fn: Callable[..., T], *args: object) -> T:
        """Run it in a thread of that kind; where all are busy, wait here and not in a queue that nobody sees.

        The caller's deadline ends the wait for a thread. It cannot end the thread, which counts as busy until it is done.
        """
        loop = asyncio.get_running_loop()
        free = self._free[kind]
        await free.acquire()
        try:
            work = self._executors[kind].submit(fn, *args)
        except BaseException:
            free.release()
            raise

        def release(_: object) -> None:
            with suppress(RuntimeError):  # the loop is closed, and nobody waits
                loop.call_soon_threadsafe(free.release)

        work.add_done_callback(release)
        return await asyncio.wrap_future(work)

    def close(self) -> None:
        for executor in self._executors.values():
            executor.shutdown(wait=False, cancel_futures=True)

"""Work that this process does after it has answered. Every task is kept, and a shutdown leaves none without a word."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from uuid import UUID

from labels.repository import TaskRepository
from labels.table import Status

log = logging.getLogger(__name__)


class RunningTasks:
    def __init__(self, tasks: TaskRepository, limit: int) -> None:
        self._tasks = tasks
        self._limit = limit
        self._running: dict[UUID, asyncio.Task[None]] = {}

    @property
    def full(self) -> bool:
        return len(self._running) >= self._limit

    def start(self, task_id: UUID, work: Callable[[], Awaitable[str]]) -> None:
        running = asyncio.create_task(self._follow(task_id, work))
        self._running[task_id] = running
        running.add_done_callback(lambda _: self._running.pop(task_id, None))

    async def stop(self, grace: float) -> None:
        """Let what runs finish within the grace; cancel the rest, and mark it CANCELLED."""
        running = dict(self._running)
        if not running:
            return
        _, late = await asyncio.wait(running.values(), timeout=grace)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        # Here and not in the tasks: one that is cancelled before its first step never gets to an `except`.
        await self._tasks.end_running(running.keys(), Status.CANCELLED)

    async def _follow(self, task_id: UUID, work: Callable[[], Awaitable[str]]) -> None:
        try:
            result = await work()
        except Exception:
            log.exception("task %s failed", task_id)
            await self._tasks.end_running([task_id], Status.FAILED)
        else:
            await self._tasks.end_running([task_id], Status.DONE, result)

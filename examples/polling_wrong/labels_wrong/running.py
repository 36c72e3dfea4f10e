"""Work after the answer that nobody knows of, and a backlog without an end."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID


class RunningTasks:
    def __init__(self) -> None:
        self._waiting: asyncio.Queue[UUID] = asyncio.Queue()  # unbounded-queue: grows as long as orders come in

    def start(self, task_id: UUID, work: Callable[[], Awaitable[str]]) -> None:
        self._waiting.put_nowait(task_id)
        asyncio.create_task(self._follow(work))  # untracked-task: a shutdown cannot mark it CANCELLED

    def start_all(self, task_ids: list[UUID]) -> None:
        for task_id in task_ids:
            self._waiting.put_nowait(task_id)

    async def _follow(self, work: Callable[[], Awaitable[str]]) -> None:
        await work()
        await self._waiting.get()

"""One pass over the tasks that are due: claim a few, make an attempt at each, and say how it ended."""

import asyncio
import logging
import random
from typing import Any

import httpx
from purgatory.domain.model import OpenedState

from labels.carrier import CarrierClient
from labels.pager import Pager
from labels.repository import TaskRepository
from labels.settings import Settings
from labels.table import Task

log = logging.getLogger(__name__)
OUTAGE = (TimeoutError, httpx.HTTPError, OpenedState)


def backoff(attempt: int, first: float, cap: float) -> float:
    """Twice as long each time, up to the cap, and spread out, so that tasks of one outage do not come back together."""
    return min(first * 2 ** (attempt - 1), cap) * random.uniform(0.8, 1.0)


class LabelAttempts:
    def __init__(self, tasks: TaskRepository, carrier: CarrierClient, pager: Pager, settings: Settings) -> None:
        self._tasks = tasks
        self._carrier = carrier
        self._pager = pager
        self._settings = settings
        self._passes: set[asyncio.Task[Any]] = set()
        self._stopping = False

    async def run_due(self) -> None:
        current = asyncio.current_task()
        assert current is not None
        self._passes.add(current)
        try:
            await self._tasks.cancel_lost()
            # No more than there are slots: what is claimed is worked on now, within its lease.
            claimed = await self._tasks.claim("label", self._settings.carrier_slots, self._settings.lease)
            async with asyncio.TaskGroup() as group:
                for task in claimed:
                    group.create_task(self._attempt(task))
        except asyncio.CancelledError:
            if not self._stopping:
                raise
            log.info("a pass was cut short; its tasks are handed back")
        finally:
            self._passes.discard(current)

    async def stop(self) -> None:
        """Let attempts finish within the grace, and hand back the tasks of those that do not."""
        self._stopping = True
        if not self._passes:
            return
        _, late = await asyncio.wait(self._passes, timeout=self._settings.shutdown_grace)
        for each in late:
            each.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def _attempt(self, task: Task) -> None:
        try:
            if task.retry_count > self._settings.max_attempts:
                await self._give_up(task, "the worker of the last attempt died")
                return
            try:
                label = await self._carrier.label_of(task.subject)
            except OUTAGE as problem:
                await self._again(task, f"{type(problem).__name__}: {problem}")
                return
            if label is None:
                await self._again(task, "not printed yet")
            else:
                await self._tasks.complete(task, label)
        except asyncio.CancelledError:
            await self._tasks.hand_back(task)
            raise
        except Exception:
            # Whatever it is, it is this task's: the others go on, and this one is due again when its lease is over.
            log.exception("attempt at task %s", task.id)

    async def _again(self, task: Task, reason: str) -> None:
        if task.retry_count >= self._settings.max_attempts:
            await self._give_up(task, reason)
            return
        pause = backoff(task.retry_count, self._settings.backoff_first, self._settings.backoff_cap)
        await self._tasks.schedule_retry(task, pause, reason)

    async def _give_up(self, task: Task, reason: str) -> None:
        if await self._tasks.fail(task, reason):
            log.error("task %s failed after %d attempts: %s", task.id, task.retry_count, reason)
            await self._pager.alert(task, reason)

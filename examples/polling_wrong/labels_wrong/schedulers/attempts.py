"""Attempts without a limit: a task that cannot succeed is tried for ever, and nobody is told."""

from labels.carrier import CarrierClient
from labels.repository import TaskRepository
from labels.settings import Settings
from labels.table import Task


class LabelAttempts:
    def __init__(self, tasks: TaskRepository, carrier: CarrierClient, settings: Settings) -> None:
        self._tasks = tasks
        self._carrier = carrier
        self._settings = settings

    async def run_due(self) -> None:
        for task in await self._tasks.claim("label", self._settings.carrier_slots, self._settings.lease):
            await self._attempt(task)

    async def _attempt(self, task: Task) -> None:
        label = await self._carrier.label_of(task.subject)
        if label is not None:
            await self._tasks.complete(task, label)
            return
        pause = self._settings.backoff_first * 2**task.retry_count
        await self._tasks.schedule_retry(task, pause, "not printed yet")  # polling-without-max-attempts: no FAILED

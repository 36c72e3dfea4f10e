"""Whom a failed task is told."""

from labels.system import System
from labels.table import Task


class Pager:
    def __init__(self, system: System) -> None:
        self._system = system

    async def alert(self, task: Task, reason: str) -> None:
        body = {"task": str(task.id), "kind": task.kind, "subject": task.subject, "reason": reason}
        (await self._system.request("POST", "/alerts", json=body)).raise_for_status()

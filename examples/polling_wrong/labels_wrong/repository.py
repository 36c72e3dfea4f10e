"""Claims that give a task to two workers, or make the second worker wait for the first."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from labels.table import Status, Task


class TaskRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def claim_twice(self, limit: int) -> Sequence[Task]:
        due = select(Task).where(  # polling-without-skip-locked: the next worker reads the same rows
            Task.status == Status.PENDING, Task.next_attempt_at <= func.now()
        )
        claimed = (await self._session.scalars(due.order_by(Task.next_attempt_at).limit(limit))).all()
        for task in claimed:
            task.status = Status.IN_PROGRESS
        await self._session.commit()
        return claimed

    async def claim_waiting(self, limit: int) -> Sequence[Task]:
        due = select(Task).where(  # polling-without-skip-locked: the next worker waits until this one has committed
            Task.status == Status.PENDING, Task.next_attempt_at <= func.now()
        )
        locked = due.order_by(Task.next_attempt_at).limit(limit).with_for_update()
        return (await self._session.scalars(locked)).all()

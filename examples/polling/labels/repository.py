"""All that happens to tasks in the database. Every method is one short transaction; no work is done inside of one."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from labels.table import Status, Task


class TaskRepository:
    def __init__(self, sessions: async_sessionmaker[AsyncSession]) -> None:
        self._sessions = sessions

    async def add(self, kind: str, subject: str) -> Task:
        """A task for the workers, due now."""
        return await self._insert(Task(kind=kind, subject=subject, status=Status.PENDING))

    async def add_running(self, kind: str, subject: str, seconds: float) -> Task:
        """A task that this process works on, for at most so many seconds."""
        over = func.now() + timedelta(seconds=seconds)
        return await self._insert(Task(kind=kind, subject=subject, status=Status.RUNNING, next_attempt_at=over))

    async def get(self, task_id: UUID) -> Task | None:
        async with self._sessions() as session:
            return await session.get(Task, task_id)

    async def claim(self, kind: str, limit: int, lease: float) -> Sequence[Task]:
        """Take tasks that are due: those of no other worker, and those whose worker's lease is over.

        SKIP LOCKED leaves alone what another worker is claiming at this moment, instead of waiting for it. The CTE is
        evaluated once; as a sub-select in the WHERE clause a plan may run it again for each row, and the limit with it.
        """
        due = (
            select(Task.id)
            .where(
                Task.kind == kind,
                Task.status.in_((Status.PENDING, Status.IN_PROGRESS)),
                Task.next_attempt_at <= func.now(),
            )
            .order_by(Task.next_attempt_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
            .cte("due")
        )
        claimed = (
            update(Task)
            .where(Task.id == due.c.id)
            .values(
                status=Status.IN_PROGRESS,
                next_attempt_at=func.now() + timedelta(seconds=lease),
                retry_count=Task.retry_count + 1,
            )
            .returning(Task)
        )
        async with self._sessions.begin() as session:
            return (await session.scalars(claimed)).all()

    async def complete(self, task: Task, result: str) -> bool:
        return await self._end_attempt(task, status=Status.DONE, result=result, reason=None)

    async def fail(self, task: Task, reason: str) -> bool:
        return await self._end_attempt(task, status=Status.FAILED, reason=reason)

    async def schedule_retry(self, task: Task, pause: float, reason: str | None) -> bool:
        at = func.now() + timedelta(seconds=pause)
        return await self._end_attempt(task, status=Status.PENDING, next_attempt_at=at, reason=reason)

    async def hand_back(self, task: Task) -> bool:
        """A shutdown interrupts the attempt: it does not count, and the next worker takes the task at once."""
        return await self._end_attempt(
            task, status=Status.PENDING, next_attempt_at=func.now(), retry_count=Task.retry_count - 1
        )

    async def end_running(self, task_ids: Iterable[UUID], status: Status, result: str | None = None) -> None:
        ended = update(Task).where(Task.id.in_(list(task_ids)), Task.status == Status.RUNNING)
        async with self._sessions.begin() as session:
            await session.execute(ended.values(status=status, result=result))

    async def cancel_lost(self) -> None:
        """Mark what was running in a process that died: its time is over, and nobody has said how it ended."""
        lost = update(Task).where(Task.status == Status.RUNNING, Task.next_attempt_at <= func.now())
        async with self._sessions.begin() as session:
            await session.execute(lost.values(status=Status.CANCELLED, reason="the process died"))

    async def _insert(self, task: Task) -> Task:
        async with self._sessions.begin() as session:
            session.add(task)
        return task

    async def _end_attempt(self, task: Task, **values: object) -> bool:
        """False where the attempt is no longer this worker's: its lease was over, and another has taken the task."""
        ended = update(Task).where(
            Task.id == task.id, Task.status == Status.IN_PROGRESS, Task.retry_count == task.retry_count
        )
        async with self._sessions.begin() as session:
            return (await session.execute(ended.values(**values))).rowcount == 1

"""Claims: no task twice, no waiting for each other, and what goes wrong without SKIP LOCKED."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import labels_wrong.repository as wrong
from labels.database import open_database
from labels.repository import TaskRepository
from labels.settings import Settings
from labels.table import Status, Task
from sqlalchemy import func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

WORKERS = 4
Sessions = async_sessionmaker[AsyncSession]


async def fill(sessions: Sessions, number: int, status: Status = Status.PENDING) -> None:
    rows = [{"kind": "label", "subject": str(n), "status": status} for n in range(number)]
    async with sessions.begin() as session:
        await session.execute(insert(Task), rows)


def test_four_workers_never_claim_a_task_twice(database: str, measured: Callable[[str, object], None]) -> None:
    async def claims_of(tasks: TaskRepository) -> list[str]:
        mine: list[str] = []
        while claimed := await tasks.claim("label", 10, lease=60):
            mine += [task.subject for task in claimed]
            await asyncio.sleep(0)
        return mine

    async def scenario() -> list[list[str]]:
        async with open_database(Settings()) as sessions:
            await fill(sessions, 2000)
            return await asyncio.gather(*(claims_of(TaskRepository(sessions)) for _ in range(WORKERS)))

    shares = asyncio.run(scenario())
    times = Counter(order for share in shares for order in share)
    measured("claimed by each worker", [len(share) for share in shares])
    assert len(times) == 2000 and set(times.values()) == {1}
    assert min(map(len, shares)) > 200, "all four took part"


def test_a_claim_never_takes_more_than_its_limit(database: str) -> None:
    async def scenario() -> list[int]:
        async with open_database(Settings()) as sessions:
            await fill(sessions, 500)
            tasks = TaskRepository(sessions)
            return [len(c) for c in await asyncio.gather(*(tasks.claim("label", 7, 60) for _ in range(20)))]

    assert max(asyncio.run(scenario())) == 7


def test_the_claim_goes_by_the_partial_index(database: str) -> None:
    async def scenario() -> int:
        async with open_database(Settings()) as sessions:
            await fill(sessions, 20_000, Status.DONE)
            await fill(sessions, 100)
            async with sessions.begin() as session:
                await session.execute(text("ANALYZE task"))
            for _ in range(8):
                await TaskRepository(sessions).claim("label", 5, 60)
        async with open_database(Settings()) as sessions, sessions() as session:
            uses = text("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'task_due'")
            return int((await session.execute(uses)).scalar_one())

    assert asyncio.run(scenario()) >= 8


def test_a_plain_select_gives_a_task_to_two_workers(database: str) -> None:
    """The wrong twin: both read before either has marked anything."""

    async def at_once() -> Counter[str]:
        async with open_database(Settings()) as sessions:
            await fill(sessions, 200)
            seen: Counter[str] = Counter()

            async def claims() -> None:
                for _ in range(5):
                    async with sessions() as session:
                        seen.update(t.subject for t in await wrong.TaskRepository(session).claim_twice(10))

            await asyncio.gather(*(claims() for _ in range(WORKERS)))
            return seen

    assert max(asyncio.run(at_once()).values()) > 1


async def lock_waits(sessions: Sessions, until: asyncio.Event) -> int:
    """How often, looking every few milliseconds, a session was seen waiting for a lock of another."""
    waiting = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    seen = 0
    async with sessions() as session:
        while not until.is_set():
            seen += (await session.execute(waiting)).scalar_one()
            await session.rollback()
            with suppress(TimeoutError):
                await asyncio.wait_for(until.wait(), 0.005)
    return seen


async def work_off(sessions: Sessions, claim: Callable[[AsyncSession, int], object]) -> tuple[float, int]:
    """Four workers, 400 tasks, ten at a time; each batch is 20 ms of work in the transaction that has claimed it."""
    await fill(sessions, 400)
    done = 0

    async def worker() -> None:
        nonlocal done
        while done < 400:
            async with sessions.begin() as session:
                claimed = await claim(session, 10)  # type: ignore[misc]
                if claimed:
                    await asyncio.sleep(0.02)
                ids = [task.id for task in claimed]
                await session.execute(update(Task).where(Task.id.in_(ids)).values(status=Status.DONE))
            done += len(ids)

    over = asyncio.Event()
    watching = asyncio.create_task(lock_waits(sessions, over))
    begin = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(WORKERS)))
    taken = time.perf_counter() - begin
    over.set()
    return taken, await watching


async def claim_skipping(session: AsyncSession, limit: int) -> object:
    """The query of the wrong twin with nothing changed but SKIP LOCKED."""
    due = select(Task).where(Task.status == Status.PENDING, Task.next_attempt_at <= func.now())
    locked = due.order_by(Task.next_attempt_at).limit(limit).with_for_update(skip_locked=True)
    return (await session.scalars(locked)).all()


async def claim_waiting(session: AsyncSession, limit: int) -> object:
    return await wrong.TaskRepository(session).claim_waiting(limit)


def test_without_skip_locked_workers_wait_for_each_other(
    database: str, measured: Callable[[str, object], None]
) -> None:
    async def scenario() -> tuple[tuple[float, int], tuple[float, int]]:
        async with open_database(Settings()) as sessions:
            waiting = await work_off(sessions, claim_waiting)
            return waiting, await work_off(sessions, claim_skipping)

    (slow, waits), (fast, none) = asyncio.run(scenario())
    measured("without SKIP LOCKED", f"{slow:.2f} s, {waits} lock waits seen")
    measured("with SKIP LOCKED", f"{fast:.2f} s, {none} lock waits seen")
    measured("ratio", f"{slow / fast:.1f}")
    assert waits > 20 and none == 0
    assert slow / fast > 1.8

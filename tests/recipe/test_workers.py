"""Worker processes as they are started in earnest: four at once, one that is killed, one that is asked to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest
from labels.database import open_database
from labels.settings import Settings
from labels.table import Status, Task
from sqlalchemy import func, insert, select

from tests.recipe.conftest import PACKAGES
from tests.recipe.outside import HANG, Outside


@contextmanager
def workers(outside: Outside, schedulers: Sequence[str], **settings: object) -> Iterator[list[subprocess.Popen[bytes]]]:
    environment = os.environ | {
        "PYTHONPATH": PACKAGES[0],
        "LABELS_CARRIER_URL": outside.url,
        "LABELS_PAGER_URL": outside.url,
        "LABELS_POLL_INTERVAL": "0.1",
        **{f"LABELS_{name.upper()}": str(value) for name, value in settings.items()},
    }
    command = [sys.executable, "-m", "labels.worker", "--scheduler"]
    started = [subprocess.Popen([*command, each], env=environment) for each in schedulers]
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()


def add(number: int) -> None:
    async def insert_all() -> None:
        async with open_database(Settings()) as sessions, sessions.begin() as session:
            rows = [{"kind": "label", "subject": str(n), "status": Status.PENDING} for n in range(number)]
            await session.execute(insert(Task), rows)

    asyncio.run(insert_all())


def tasks() -> list[Task]:
    async def read() -> list[Task]:
        async with open_database(Settings()) as sessions, sessions() as session:
            return list(await session.scalars(select(Task)))

    return asyncio.run(read())


def states() -> Counter[str]:
    async def read() -> Counter[str]:
        async with open_database(Settings()) as sessions, sessions() as session:
            counts = await session.execute(select(Task.status, func.count()).group_by(Task.status))
            return Counter(dict(counts.tuples().all()))

    return asyncio.run(read())


def wait_until(holds: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


def test_four_processes_ask_for_each_label_once(database: str, measured: Callable[[str, object], None]) -> None:
    add(2000)
    schedulers = ["loop", "loop", "apscheduler", "apscheduler"]
    with Outside(lambda order: f"L-{order}") as outside:
        begin = time.monotonic()
        with workers(outside, schedulers, carrier_slots=25, database_pool=5):
            wait_until(lambda: states()[Status.DONE] == 2000, 60)
            measured("2,000 tasks by four processes", f"{time.monotonic() - begin:.1f} s with their start")
        assert len(outside.asked) == 2000 and set(outside.asked.values()) == {1}
        assert outside.alerts == []


@pytest.mark.parametrize("scheduler", ["loop", "apscheduler"])
def test_a_killed_worker_loses_no_task(database: str, scheduler: str) -> None:
    """SIGKILL between the claim and the end of the attempts: the tasks are due again when the lease is over."""
    add(20)
    with Outside(lambda order: HANG) as outside:
        with workers(outside, [scheduler], lease=1.5) as (first,):
            wait_until(lambda: len(outside.asked) == 10)
            first.kill()
            first.wait()
        left = states()
        assert left == {Status.IN_PROGRESS: 10, Status.PENDING: 10}
        outside.answer = lambda order: f"L-{order}"
        with workers(outside, [scheduler], lease=1.5):
            wait_until(lambda: states()[Status.DONE] == 20)
    assert Counter(task.retry_count for task in tasks()) == {1: 10, 2: 10}
    assert all(task.result == f"L-{task.subject}" for task in tasks())


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM kills there")
@pytest.mark.parametrize("scheduler", ["loop", "apscheduler"])
def test_a_worker_that_is_stopped_hands_its_tasks_back(database: str, scheduler: str) -> None:
    add(5)
    with Outside(lambda order: HANG) as outside, workers(outside, [scheduler], shutdown_grace=0.2) as (only,):
        wait_until(lambda: len(outside.asked) == 5)
        only.send_signal(signal.SIGTERM)
        assert only.wait(10) == 0
    assert [(task.status, task.retry_count) for task in tasks()] == [(Status.PENDING, 0)] * 5


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM kills there")
@pytest.mark.parametrize("scheduler", ["loop", "apscheduler"])
def test_a_worker_that_is_stopped_finishes_what_ends_within_the_grace(database: str, scheduler: str) -> None:
    add(5)

    def slowly(order: str) -> str:
        time.sleep(0.1)
        return "L"

    with Outside(slowly) as outside, workers(outside, [scheduler], shutdown_grace=5) as (only,):
        wait_until(lambda: len(outside.asked) > 0)
        only.send_signal(signal.SIGTERM)
        assert only.wait(10) == 0
    assert states() == {Status.DONE: 5}

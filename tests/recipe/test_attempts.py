"""What becomes of a task: backoff with a cap, a limit that ends in FAILED and an alert, leases, and late workers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import httpx
from labels.carrier import CarrierClient
from labels.database import open_database
from labels.pager import Pager
from labels.repository import TaskRepository
from labels.schedulers.attempts import LabelAttempts, backoff
from labels.settings import Settings
from labels.system import System
from labels.table import Status, Task
from purgatory import AsyncCircuitBreakerFactory
from sqlalchemy import select


class World:
    """The recipe's attempts on a database, with a carrier and a pager inside the test."""

    def __init__(self, tasks: TaskRepository, settings: Settings, carrier: Callable[[str], httpx.Response]) -> None:
        self.tasks = tasks
        self.calls = 0
        self.alerts: list[str] = []
        self.carrier = carrier
        breakers = AsyncCircuitBreakerFactory(settings.breaker_threshold, settings.breaker_pause)

        def answer(request: httpx.Request) -> httpx.Response:
            if request.url.path == "/alerts":
                self.alerts.append(request.content.decode())
                return httpx.Response(200)
            self.calls += 1
            return self.carrier(request.url.path.rpartition("/")[2])

        def system(name: str) -> System:
            client = httpx.AsyncClient(base_url="http://outside", transport=httpx.MockTransport(answer))
            return System(name, client, breakers, settings.carrier_slots, settings.carrier_total_timeout)

        self.attempts = LabelAttempts(tasks, CarrierClient(system("carrier")), Pager(system("pager")), settings)


@asynccontextmanager
async def world(carrier: Callable[[str], httpx.Response], **changed: object) -> AsyncIterator[World]:
    settings = Settings(backoff_first=0.001, backoff_cap=0.002, **changed)  # type: ignore[arg-type]
    async with open_database(settings) as sessions:
        yield World(TaskRepository(sessions), settings, carrier)


async def passes(here: World, number: int) -> None:
    for _ in range(number):
        await here.attempts.run_due()
        await asyncio.sleep(0.005)


async def state(here: World, task: Task) -> Task:
    found = await here.tasks.get(task.id)
    assert found is not None
    return found


def unprinted(order: str) -> httpx.Response:
    return httpx.Response(200, json={"label": None})


def printed(order: str) -> httpx.Response:
    return httpx.Response(200, json={"label": f"L-{order}"})


def test_the_pause_doubles_up_to_the_cap() -> None:
    pauses = [backoff(attempt, first=2, cap=300) for attempt in range(1, 21)]
    assert all(0.8 * min(2**n, 300) <= pause <= min(2**n, 300) for n, pause in enumerate(pauses, 1))


def test_a_label_that_is_printed_is_done(database: str) -> None:
    async def scenario() -> Task:
        async with world(printed) as here:
            task = await here.tasks.add("label", "7")
            await passes(here, 2)
            assert here.calls == 1 and here.alerts == []
            return await state(here, task)

    task = asyncio.run(scenario())
    assert (task.status, task.result, task.retry_count) == (Status.DONE, "L-7", 1)


def test_the_limit_of_attempts_ends_in_failed_and_an_alert(database: str) -> None:
    async def scenario() -> Task:
        async with world(unprinted, max_attempts=4) as here:
            task = await here.tasks.add("label", "7")
            await passes(here, 10)
            assert here.calls == 4
            assert len(here.alerts) == 1 and str(task.id) in here.alerts[0]
            return await state(here, task)

    task = asyncio.run(scenario())
    assert (task.status, task.reason, task.retry_count) == (Status.FAILED, "not printed yet", 4)


def test_a_carrier_that_fails_costs_attempts_and_opens_the_breaker(database: str) -> None:
    async def scenario() -> Task:
        async with world(lambda _: httpx.Response(503), max_attempts=6, breaker_threshold=3) as here:
            task = await here.tasks.add("label", "7")
            await passes(here, 10)
            assert here.calls == 3, "after three failures the breaker lets no call through"
            assert len(here.alerts) == 1, "the pager is another system, with a breaker of its own"
            return await state(here, task)

    task = asyncio.run(scenario())
    assert task.status == Status.FAILED and task.reason is not None and "is open" in task.reason


def test_attempts_whose_worker_died_count_too(database: str) -> None:
    """A task that kills whoever works on it must come to its limit all the same."""

    async def scenario() -> Task:
        async with world(printed, max_attempts=3) as here:
            task = await here.tasks.add("label", "7")
            for _ in range(3):
                assert len(await here.tasks.claim("label", 1, lease=0)) == 1  # and nothing more is heard of them
            await passes(here, 1)
            assert here.calls == 0 and len(here.alerts) == 1
            return await state(here, task)

    assert asyncio.run(scenario()).status == Status.FAILED


def test_a_claimed_task_is_due_again_when_its_lease_is_over(database: str) -> None:
    async def scenario() -> list[int]:
        async with world(printed) as here:
            await here.tasks.add("label", "7")
            found: list[Sequence[Task]] = [await here.tasks.claim("label", 1, lease=0.2)]
            found.append(await here.tasks.claim("label", 1, lease=0.2))
            await asyncio.sleep(0.25)
            found.append(await here.tasks.claim("label", 1, lease=0.2))
            return [len(tasks) for tasks in found]

    assert asyncio.run(scenario()) == [1, 0, 1]


def test_a_worker_that_comes_back_after_its_lease_changes_nothing(database: str) -> None:
    async def scenario() -> tuple[Task, list[bool]]:
        async with world(printed) as here:
            task = await here.tasks.add("label", "7")
            (late,) = await here.tasks.claim("label", 1, lease=0)
            (mine,) = await here.tasks.claim("label", 1, lease=60)
            ends = [
                await here.tasks.complete(late, "late"),
                await here.tasks.fail(late, "late"),
                await here.tasks.schedule_retry(late, 0, "late"),
                await here.tasks.hand_back(late),
                await here.tasks.complete(mine, "mine"),
            ]
            return await state(here, task), ends

    task, ends = asyncio.run(scenario())
    assert ends == [False, False, False, False, True]
    assert (task.status, task.result) == (Status.DONE, "mine")


def test_what_ran_in_a_process_that_died_is_cancelled(database: str) -> None:
    async def scenario() -> list[str]:
        async with world(printed) as here:
            lost = await here.tasks.add_running("manifest", "3 orders", seconds=0)
            running = await here.tasks.add_running("manifest", "4 orders", seconds=60)
            await passes(here, 1)
            return [(await state(here, task)).status for task in (lost, running)]

    assert asyncio.run(scenario()) == [Status.CANCELLED, Status.RUNNING]


def test_one_bad_task_does_not_hold_up_the_others(database: str) -> None:
    def answer(order: str) -> httpx.Response:
        return httpx.Response(200, text="no JSON") if order == "bad" else printed(order)

    async def scenario() -> dict[str, str]:
        async with world(answer) as here:
            for order in ("1", "bad", "2"):
                await here.tasks.add("label", order)
            await passes(here, 1)
            async with here.tasks._sessions() as session:
                return {task.subject: task.status for task in await session.scalars(select(Task))}

    assert asyncio.run(scenario()) == {"1": Status.DONE, "2": Status.DONE, "bad": Status.IN_PROGRESS}

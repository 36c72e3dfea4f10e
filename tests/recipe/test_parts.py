"""The handlers, the executors, the tasks of the process and the systems outside, each by itself."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from uuid import UUID

import httpx
import pytest
from fastapi.testclient import TestClient
from labels import api
from labels.blocking import Executors
from labels.database import open_database
from labels.repository import TaskRepository
from labels.settings import Settings
from labels.system import System
from labels.table import Status, Task
from purgatory import AsyncCircuitBreakerFactory


def read(task_id: str) -> Task:
    async def get() -> Task | None:
        async with open_database(Settings()) as sessions:
            return await TaskRepository(sessions).get(UUID(task_id))

    found = asyncio.run(get())
    assert found is not None
    return found


# The handlers


def test_an_order_is_accepted_with_an_id_and_a_location(database: str) -> None:
    with TestClient(api.app) as client:
        answer = client.post("/orders/7/label")
        assert answer.status_code == 202
        body = answer.json()
        assert answer.headers["Location"] == f"/tasks/{body['task_id']}"
        state = client.get(answer.headers["Location"])
        assert state.json() == {"task_id": body["task_id"], "status": "PENDING", "result": None, "reason": None}
        assert state.headers["Retry-After"] == "1"
        assert client.get("/tasks/00000000-0000-0000-0000-000000000000").status_code == 404


def test_a_manifest_is_made_after_the_answer(database: str) -> None:
    with TestClient(api.app) as client:
        answer = client.post("/manifests", json=["1", "2"])
        assert answer.status_code == 202 and answer.json()["status"] == "RUNNING"
        end = time.monotonic() + 10
        while (state := client.get(answer.headers["Location"]).json())["status"] == "RUNNING":
            assert time.monotonic() < end
            time.sleep(0.02)
    assert (state["status"], state["result"]) == ("DONE", "Manifest\n1\n2")


def test_a_shutdown_marks_what_runs_cancelled(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABELS_SHUTDOWN_GRACE", "0.2")
    with TestClient(api.app) as client:
        slow = [client.post("/manifests", json=[str(n) for n in range(100)]).json()["task_id"] for _ in range(3)]
        quick = client.post("/orders/7/label").json()["task_id"]
    assert [read(task_id).status for task_id in slow] == [Status.CANCELLED] * 3
    assert read(quick).status == Status.PENDING, "the table has it, no process does: nothing to cancel"


def test_a_shutdown_lets_finish_what_ends_within_the_grace(database: str) -> None:
    with TestClient(api.app) as client:
        task_id = client.post("/manifests", json=[str(n) for n in range(20)]).json()["task_id"]
    assert read(task_id).status == Status.DONE


def test_too_many_manifests_are_refused(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABELS_MANIFESTS_AT_ONCE", "2")
    monkeypatch.setenv("LABELS_SHUTDOWN_GRACE", "0")
    with TestClient(api.app) as client:
        answers = [client.post("/manifests", json=["1"] * 50) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [202, 202, 503]
    assert answers[2].headers["Retry-After"] == "5"


# The executors


def test_an_executor_runs_no_more_than_its_workers() -> None:
    at_once = most = 0
    lock = threading.Lock()

    def work() -> str:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.02)
        with lock:
            at_once -= 1
        return threading.current_thread().name

    async def scenario() -> list[str]:
        executors = Executors({"render": 2, "files": 4})
        names = await asyncio.gather(*(executors.run_blocking("render", work) for _ in range(10)))
        executors.close()
        return list(names)

    names = asyncio.run(scenario())
    assert most == 2 and {name.partition("_")[0] for name in names} == {"render"}


def test_a_full_executor_holds_up_no_other_kind_and_nobody_for_ever() -> None:
    async def scenario() -> float:
        executors = Executors({"render": 1, "files": 1})
        busy = asyncio.create_task(executors.run_blocking("render", time.sleep, 0.5))
        await asyncio.sleep(0.05)
        begin = time.monotonic()
        await executors.run_blocking("files", time.sleep, 0)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await executors.run_blocking("render", time.sleep, 0)
        taken = time.monotonic() - begin
        await busy
        executors.close()
        return taken

    assert asyncio.run(scenario()) < 0.4


def test_a_thread_counts_as_busy_after_its_caller_has_gone() -> None:
    at_once = most = 0

    def work() -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        time.sleep(0.1)
        at_once -= 1

    async def scenario() -> None:
        executors = Executors({"render": 1})
        for _ in range(3):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.03):
                    await executors.run_blocking("render", work)
        await executors.run_blocking("render", work)
        executors.close()

    asyncio.run(scenario())
    assert most == 1


def test_what_fails_in_the_thread_fails_in_the_caller_and_frees_the_thread() -> None:
    async def scenario() -> int:
        executors = Executors({"render": 1})
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await executors.run_blocking("render", lambda: 1 // 0)
        result = await executors.run_blocking("render", int, "7")
        executors.close()
        return result

    assert asyncio.run(scenario()) == 7


# The systems outside


async def system(handler: Callable[[httpx.Request], object], slots: int, total: float, threshold: int = 5) -> System:
    client = httpx.AsyncClient(base_url="http://outside", transport=httpx.MockTransport(handler))  # type: ignore
    return System("carrier", client, AsyncCircuitBreakerFactory(threshold, 30), slots, total)


def test_the_deadline_covers_the_wait_for_a_slot() -> None:
    async def hangs(request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    async def scenario() -> tuple[list[object], float]:
        carrier = await system(hangs, slots=1, total=0.2, threshold=100)
        begin = time.monotonic()
        calls = (carrier.request("GET", "/") for _ in range(5))
        return list(await asyncio.gather(*calls, return_exceptions=True)), time.monotonic() - begin

    ends, taken = asyncio.run(scenario())
    assert [type(end) for end in ends] == [TimeoutError] * 5
    assert taken < 0.6, "one after the other they would take 1 s"


def test_calls_that_the_deadline_ends_open_the_breaker() -> None:
    calls = 0

    async def hangs(request: httpx.Request) -> httpx.Response:
        nonlocal calls
        calls += 1
        await asyncio.Event().wait()
        raise AssertionError

    async def scenario() -> list[str]:
        carrier = await system(hangs, slots=5, total=0.02, threshold=2)
        ends = []
        for _ in range(4):
            try:
                await carrier.request("GET", "/")
            except Exception as end:
                ends.append(type(end).__name__)
        return ends

    assert asyncio.run(scenario()) == ["TimeoutError", "TimeoutError", "OpenedState", "OpenedState"]
    assert calls == 2


def test_the_settings_keep_the_hierarchy() -> None:
    settings = Settings()
    for name in ("carrier", "pager"):
        connect, read_, total = (getattr(settings, f"{name}_{kind}_timeout") for kind in ("connect", "read", "total"))
        assert connect < read_ < total < 60
    attempt = settings.carrier_total_timeout + settings.pager_total_timeout + 2 * settings.database_total_timeout
    assert settings.lease > attempt, "or a task is due again while somebody still works on it"

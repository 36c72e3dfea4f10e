"""Worker processes, and what happens when one dies."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from resilint.check import pool


def double(item: str) -> str:
    if item == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if item == "exit":
        os._exit(7)
    if item.startswith("once:"):
        mark = Path(item.removeprefix("once:"))
        if not mark.exists():
            mark.touch()
            os._exit(1)
    return item * 2


def pid(item: str) -> str:
    return f"{item}:{os.getpid()}"


def prepare() -> None:
    pass


def spawn() -> str:
    return "spawn"


@pytest.fixture(params=[pool.start_method, spawn], ids=["default", "spawn"])
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "start_method", request.param)


def run(work: Callable[[str], str], chunks: list[list[str]], jobs: int) -> list[str | pool.Died[str]]:
    return list(pool.run(work, chunks, jobs, prepare))


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.usefixtures("method")
def test_every_item_has_a_result(jobs: int) -> None:
    chunks = [["a", "b"], ["c"], ["d", "e", "f"]]
    assert sorted(map(str, run(double, chunks, jobs))) == ["aa", "bb", "cc", "dd", "ee", "ff"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.usefixtures("method")
def test_a_death_costs_its_item_only() -> None:
    results = run(double, [["a", "kill", "b"], ["c", "exit"], ["d"]], 2)
    died = {r.item: r.how for r in results if isinstance(r, pool.Died)}
    assert died == {"kill": "killed by SIGKILL", "exit": "exit code 7"}
    assert sorted(r for r in results if isinstance(r, str)) == ["aa", "bb", "cc", "dd"]


def test_the_second_attempt_counts(tmp_path: Path) -> None:
    item = f"once:{tmp_path / 'mark'}"
    assert sorted(map(str, run(double, [[item, "a"]], 1))) == sorted([item * 2, "aa"])


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_all_dying_ends_too() -> None:
    results = run(double, [["kill"], ["kill"], ["kill", "kill"]], 2)
    assert [type(r) for r in results] == [pool.Died] * 4


def test_the_work_is_done_elsewhere() -> None:
    results = map(str, run(pid, [["a"], ["b"]], 2))
    assert all(int(r.split(":")[1]) != os.getpid() for r in results)


def test_an_abandoned_run_leaves_no_process() -> None:
    results = pool.run(double, [["a"], ["b"], ["c"]], 2, prepare)
    next(results)
    results.close()  # type: ignore[attr-defined]
    import multiprocessing

    assert multiprocessing.active_children() == []


@pytest.mark.skipif(sys.platform != "linux", reason="fork")
def test_fork_only_without_threads() -> None:
    if threading.active_count() > 1:
        pytest.skip("other threads run already")
    assert pool.start_method() == "fork"
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        assert pool.start_method() == "spawn"
    finally:
        stop.set()
        thread.join()

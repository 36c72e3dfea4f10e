"""A handler that waits in a loop of sleeps against one that answers 202, under load.

    python bench/handlers.py [--orders N] [--connections N] [--printing SECONDS]

The wrong handler is that of examples/polling_wrong, the right one that of examples/polling with one worker process.
Each runs on uvicorn in one process, on a real PostgreSQL, against a carrier on loopback that prints a label some
seconds after it is ordered. The same number of connections order the same number of labels. Needs the extra ``dev``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGES = [str(REPOSITORY / "examples" / name) for name in ("polling", "polling_wrong")]
sys.path[:0] = [str(REPOSITORY), *PACKAGES]

from labels.table import Base  # noqa: E402
from sqlalchemy.ext.asyncio import create_async_engine  # noqa: E402
from tests.recipe import postgres  # noqa: E402
from tests.recipe.outside import Outside  # noqa: E402


class Answer(NamedTuple):
    seconds: float
    status: int
    location: str
    body: bytes


class Figures(NamedTuple):
    orders: list[Answer]
    taken: float
    """Until the last order was answered."""
    known: float
    """Until the clients knew all labels."""
    questions: list[Answer]
    """The questions for the state of a task."""


class Connection:
    """One connection that is kept open, and one request on it at a time."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def open(self) -> Connection:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    def close(self) -> None:
        self._writer.close()

    async def ask(self, method: str, path: str) -> Answer:
        begin = time.perf_counter()
        self._writer.write(f"{method} {path} HTTP/1.1\r\nHost: bench\r\nContent-Length: 0\r\n\r\n".encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body = await self._reader.readexactly(int(fields.get("content-length", 0)))
        return Answer(time.perf_counter() - begin, int(head[0].split()[1]), fields.get("location", ""), body)


async def ask_all(connections: Sequence[Connection], method: str, paths: Sequence[str]) -> list[Answer]:
    """Ask for each path once; every connection takes the next as soon as it has its answer."""
    left = iter(paths)

    async def client(connection: Connection) -> list[Answer]:
        return [await connection.ask(method, path) for path in left]

    return [answer for each in await asyncio.gather(*map(client, connections)) for answer in each]


async def load(port: int, orders: int, clients: int) -> Figures:
    connections = [await Connection(port).open() for _ in range(clients)]
    begin = time.perf_counter()
    answers = await ask_all(connections, "POST", [f"/orders/{n}/label" for n in range(orders)])
    taken = time.perf_counter() - begin
    questions: list[Answer] = []
    open_ = [answer.location for answer in answers if answer.location]
    while open_:
        await asyncio.sleep(1)  # the states' Retry-After
        states = await ask_all(connections, "GET", open_)
        questions += states
        open_ = [
            f"/tasks/{state['task_id']}"
            for state in (json.loads(answer.body) for answer in states)
            if state["status"] in ("PENDING", "IN_PROGRESS")
        ]
    known = time.perf_counter() - begin
    for connection in connections:
        connection.close()
    return Figures(answers, taken, known, questions)


@contextmanager
def process(command: Sequence[str], environment: dict[str, str]) -> Iterator[None]:
    started = subprocess.Popen(command, env=os.environ | environment)
    try:
        yield
    finally:
        started.terminate()
        started.wait(20)


async def reachable(port: int) -> None:
    end = time.monotonic() + 20
    while True:
        try:
            (await Connection(port).open()).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            await asyncio.sleep(0.05)


async def empty(url: str) -> None:
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.drop_all)
        await connection.run_sync(Base.metadata.create_all)
    await engine.dispose()


def run(app: str, url: str, options: argparse.Namespace, worker: bool) -> Figures:
    first: dict[str, float] = {}

    def printed(order: str) -> str | None:
        return f"L-{order}" if time.monotonic() - first.setdefault(order, time.monotonic()) > options.printing else None

    asyncio.run(empty(url))
    port = postgres.free_port()
    uvicorn = [sys.executable, "-m", "uvicorn", app, "--port", str(port), "--log-level", "warning"]
    with Outside(printed) as outside:
        environment = {
            "PYTHONPATH": os.pathsep.join(PACKAGES),
            "LABELS_DATABASE_URL": url,
            "LABELS_CARRIER_URL": outside.url,
            "LABELS_PAGER_URL": outside.url,
            "LABELS_CARRIER_SLOTS": "50",
            "LABELS_BACKOFF_FIRST": "1",
            "LABELS_POLL_INTERVAL": "0.1",
            "POLL_INTERVAL": "0.5",
        }
        with process(uvicorn, environment):
            asyncio.run(reachable(port))
            if not worker:
                return asyncio.run(load(port, options.orders, options.connections))
            with process([sys.executable, "-m", "labels.worker"], environment):
                return asyncio.run(load(port, options.orders, options.connections))


def percentile(answers: Sequence[Answer], share: float) -> float:
    seconds = sorted(answer.seconds for answer in answers)
    return seconds[max(0, math.ceil(share * len(seconds)) - 1)]


def time_of(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def row(name: str, figures: Figures) -> str:
    wrong = sorted({answer.status for answer in figures.orders} - {200, 202})
    cells = [
        name,
        f"{len(figures.orders) / figures.taken:.0f}",
        time_of(percentile(figures.orders, 0.5)),
        time_of(percentile(figures.orders, 0.99)),
        f"{figures.known:.1f} s",
    ]
    return f"| {' | '.join(cells)} |" + (f" statuses {wrong}" if wrong else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--orders", type=int, default=1000)
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--printing", type=float, default=2.0, help="seconds until a label is printed")
    parser.add_argument(
        "--database", help="postgresql+asyncpg://... instead of a server of its own; its table is dropped"
    )
    options = parser.parse_args()

    def measure(url: str) -> None:
        print(f"{options.orders} orders over {options.connections} connections; a label takes {options.printing:g} s")
        print(f"Python {platform.python_version()}, {os.cpu_count()} processors for all of it\n")
        print("| handler | orders answered a second | median | 99th percentile | all labels known after |")
        print("|---|---|---|---|---|")
        print(row("loop of sleeps", run("labels_wrong.api:app", url, options, worker=False)), flush=True)
        right = run("labels.api:app", url, options, worker=True)
        print(row("202 and a scheduler", right))
        asked = right.questions
        print(f"\n{len(asked)} questions for a state besides, 99th percentile {time_of(percentile(asked, 0.99))}")

    if options.database:
        measure(options.database)
    else:
        with postgres.running() as url:
            measure(url)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""A small project that is analysed in the test's own process."""

from __future__ import annotations

from pathlib import Path

from resilint.check.passes import Passes
from resilint.check.session import Request, open_projects
from resilint.summaries import Analysis

FILES = {
    "app/api.py": """\
import asyncio

import httpx
from fastapi import BackgroundTasks, FastAPI

from app.polls import later, poll, short_poll

app = FastAPI()
client = httpx.AsyncClient()


@app.get("/a")
async def handler(tasks: BackgroundTasks) -> None:
    async with asyncio.timeout(5):
        await client.get("https://example.com")
    await poll(3)
    tasks.add_task(later)


@app.get("/b")
async def bare() -> None:
    await client.get("https://example.com")


@app.get("/c")
async def endless() -> None:
    while True:
        await asyncio.sleep(1)


@app.get("/d/{n}")
async def unknown(n: int) -> None:
    await short_poll(n)


@app.get("/e")
async def quick() -> None:
    print("at once")
""",
    "app/polls.py": """\
import asyncio


async def poll(n: int) -> None:
    for _ in range(n):
        print("polls")
        await asyncio.sleep(0.5)


async def short_poll(n: int) -> None:
    for _ in range(n):
        print("polls")
        await asyncio.sleep(0.5)


async def later() -> None:
    print("later")
""",
}


def analysed(root: Path) -> Analysis:
    """The analysis of the project, laid out below ``root``."""
    for path, text in FILES.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    (opened,) = open_projects(Request(paths=(root,), working=root, root=root, jobs=1, cached=False), Passes())
    analysis = opened.analysis(opened.program())
    assert isinstance(analysis, Analysis)
    return analysis

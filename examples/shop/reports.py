"""Reports, built after the answer was sent."""

import asyncio
from pathlib import Path


def render(task_id: str) -> bytes:
    return f"report {task_id}".encode()


def store(task_id: str, document: bytes) -> None:
    Path(f"/var/reports/{task_id}").write_bytes(document)


async def build_report(task_id: str) -> None:
    await asyncio.sleep(20)  # long-sleep: a restart in these 20 s loses the task
    document = render(task_id)
    await asyncio.to_thread(store, task_id, document)  # to-thread: the default pool is shared by everything

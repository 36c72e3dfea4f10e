"""Blocking calls in threads that everything shares, or of which there may be any number."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from labels.manifests import render

RENDERERS = ThreadPoolExecutor()  # unbounded-executor: as many as the machine happens to suggest


async def shared(orders: Sequence[str]) -> str:
    return await asyncio.to_thread(render, orders)  # to-thread: no back-pressure, one pool for everything


async def shared_too(orders: Sequence[str]) -> str:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(None, render, orders)  # default-executor: the same pool by another name


async def no_thread(orders: Sequence[str]) -> str:
    return render(orders)  # blocking-call-in-async: no thread at all, and every request waits


async def loose(orders: Sequence[str]) -> str:
    return await asyncio.get_running_loop().run_in_executor(RENDERERS, render, orders)

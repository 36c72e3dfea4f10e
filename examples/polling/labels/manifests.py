"""The list of parcels that a driver signs: rendered here, by code that blocks."""

import asyncio
import time
from collections.abc import Sequence

from labels.blocking import Executors


def render(orders: Sequence[str]) -> str:
    """Stands for a library that draws a PDF."""
    time.sleep(0.01 * len(orders))
    return "\n".join(["Manifest", *orders])


async def make_manifest(executors: Executors, orders: Sequence[str], seconds: float) -> str:
    async with asyncio.timeout(seconds):
        return await executors.run_blocking("render", render, orders)

"""The passes as a job of APScheduler."""

import asyncio

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from labels.schedulers.attempts import LabelAttempts


async def run_until(stop: asyncio.Event, attempts: LabelAttempts, interval: float) -> None:
    scheduler = AsyncIOScheduler()
    # One pass at a time; a late one is not made up for by several.
    scheduler.add_job(attempts.run_due, "interval", seconds=interval, max_instances=1, coalesce=True)
    scheduler.start()
    await stop.wait()
    scheduler.pause()
    await attempts.stop()
    scheduler.shutdown()

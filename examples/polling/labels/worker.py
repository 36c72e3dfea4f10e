"""A worker process: python -m labels.worker [--scheduler apscheduler]. Any number of them share the table."""

import argparse
import asyncio
import signal
from contextlib import AsyncExitStack

from purgatory import AsyncCircuitBreakerFactory

from labels.carrier import CarrierClient
from labels.database import open_database
from labels.pager import Pager
from labels.repository import TaskRepository
from labels.schedulers import with_apscheduler, with_asyncio
from labels.schedulers.attempts import LabelAttempts
from labels.settings import Settings
from labels.system import open_system


async def work(scheduler: str) -> None:
    settings = Settings()
    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    breakers = AsyncCircuitBreakerFactory(settings.breaker_threshold, settings.breaker_pause)
    async with AsyncExitStack() as opened:
        sessions = await opened.enter_async_context(open_database(settings))
        carrier = await opened.enter_async_context(
            open_system(
                "carrier",
                settings.carrier_url,
                settings.carrier_connect_timeout,
                settings.carrier_read_timeout,
                settings.carrier_total_timeout,
                settings.carrier_slots,
                breakers,
            )
        )
        pager = await opened.enter_async_context(
            open_system(
                "pager",
                settings.pager_url,
                settings.pager_connect_timeout,
                settings.pager_read_timeout,
                settings.pager_total_timeout,
                settings.pager_slots,
                breakers,
            )
        )
        attempts = LabelAttempts(TaskRepository(sessions), CarrierClient(carrier), Pager(pager), settings)
        if scheduler == "apscheduler":
            await with_apscheduler.run_until(stop, attempts, settings.poll_interval)
        else:
            await with_asyncio.run_until(stop, attempts, settings.poll_interval)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scheduler", choices=["loop", "apscheduler"], default="loop")
    asyncio.run(work(parser.parse_args().scheduler))

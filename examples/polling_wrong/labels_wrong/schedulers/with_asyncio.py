"""A loop that sleeps: a shutdown has to wait for it, or to kill it."""

import asyncio

from labels.schedulers.attempts import LabelAttempts


async def run_for_ever(attempts: LabelAttempts) -> None:
    while True:
        await attempts.run_due()
        await asyncio.sleep(30)  # long-sleep: an interval of the scheduler, or a wait that `stop` ends

"""The passes as a loop, for a service that wants no scheduler."""

import asyncio
import logging
from contextlib import suppress

from labels.schedulers.attempts import LabelAttempts

log = logging.getLogger(__name__)


async def run_until(stop: asyncio.Event, attempts: LabelAttempts, interval: float) -> None:
    passes = asyncio.create_task(_pass_by_pass(stop, attempts, interval))
    await stop.wait()
    await attempts.stop()
    await asyncio.gather(passes, return_exceptions=True)


async def _pass_by_pass(stop: asyncio.Event, attempts: LabelAttempts, interval: float) -> None:
    while not stop.is_set():
        try:
            await attempts.run_due()
        except Exception:
            log.exception("a pass failed; the next one is in %s s", interval)
        with suppress(TimeoutError):  # ends at once when the process is to stop
            await asyncio.wait_for(stop.wait(), interval)

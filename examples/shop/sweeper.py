"""Looks for labels that the carrier has finished."""

import asyncio

from shop.carrier import CarrierClient


class LabelSweeper:
    def __init__(self, carrier: CarrierClient) -> None:
        self._carrier = carrier
        self._pending: list[int] = []

    async def run(self) -> None:
        while True:
            await self.sweep()
            await asyncio.sleep(30)  # long-sleep: a warning in a worker's own loop; a scheduler's interval says it better

    async def sweep(self) -> None:
        async with asyncio.timeout(10):
            for order_id in list(self._pending):
                if await self._carrier.label(order_id):
                    self._pending.remove(order_id)

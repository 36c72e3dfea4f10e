"""The client of the carrier's HTTP API."""

import asyncio

import httpx

POLL_SECONDS = 1
POLLS = 30


class CarrierClient:
    def __init__(self) -> None:
        self._http = httpx.AsyncClient(base_url="https://carrier.example", timeout=10)

    async def label(self, order_id: int) -> str | None:
        # The client's timeout starts again with every chunk: a slow answer can take forever.
        response = await self._http.get(f"/labels/{order_id}")  # outbound-without-timeout: no deadline around it
        return response.json().get("label")

    async def wait_for_label(self, order_id: int) -> str | None:
        for _ in range(POLLS):
            if label := await self.label(order_id):
                return label
            await asyncio.sleep(POLL_SECONDS)  # sleep-loop-in-handler: 30 s within the request of api.create_label
        return None

    async def cancel(self, order_id: int) -> None:
        # As it should be: whatever happens, this is over after two seconds.
        async with asyncio.timeout(2):
            await self._http.delete(f"/labels/{order_id}")

    async def aclose(self) -> None:
        await self._http.aclose()

"""The carrier: a client that blocks the loop, and retries that the caller has to wait for."""

import asyncio

import httpx
import requests

from labels.system import System


class BlockingCarrierClient:
    def __init__(self, url: str) -> None:
        self._url = url
        self._http = requests.Session()  # rejected-client: not the house's, and without asyncio

    async def label_of(self, order: str) -> str | None:
        return self._http.put(f"{self._url}/labels/{order}").json()["label"]  # blocking-call-in-async: all wait

    def close(self) -> None:
        self._http.close()


class PatientCarrierClient:
    def __init__(self, system: System) -> None:
        self._system = system

    async def label_of(self, order: str) -> str | None:
        for pause in (0.5, 1.0, 2.0):
            try:
                response = await self._system.request("PUT", f"/labels/{order}")
                return response.json()["label"]
            except httpx.HTTPError:
                await asyncio.sleep(pause)  # wait-budget-exceeded: 3.5 s that the caller does not know of
        return None

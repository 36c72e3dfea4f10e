"""An outside system: one client, so many slots and one breaker for all calls to it, and a deadline around all three."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from purgatory import AsyncCircuitBreakerFactory


class System:
    def __init__(
        self, name: str, http: httpx.AsyncClient, breakers: AsyncCircuitBreakerFactory, slots: int, total: float
    ) -> None:
        self._name = name
        self._http = http
        self._breakers = breakers
        self._slots = asyncio.Semaphore(slots)
        self._total = total

    async def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        # The deadline is outermost: it also bounds the wait for a slot. The breaker is innermost: it counts what the
        # system did (and a call that the deadline ends), not the wait for a slot that never came.
        async with asyncio.timeout(self._total), self._slots, await self._breakers.get_breaker(self._name):
            response = await self._http.request(method, path, **options)
            if response.is_server_error:
                response.raise_for_status()
            return response


@asynccontextmanager
async def open_system(
    name: str, url: str, connect: float, read: float, total: float, slots: int, breakers: AsyncCircuitBreakerFactory
) -> AsyncIterator[System]:
    """Open the one client of a system, and close it at the end."""
    phases = httpx.Timeout(read, connect=connect, pool=connect)
    async with httpx.AsyncClient(base_url=url, timeout=phases) as http:
        yield System(name, http, breakers, slots, total)

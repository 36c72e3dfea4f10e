"""Outside systems with a deadline in the wrong place, or none, and clients that nobody keeps or closes."""

import asyncio
from typing import Any

import httpx
from purgatory import AsyncCircuitBreakerFactory


class NoDeadline:
    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        # The client's own timeout starts again with every byte.
        return await self._http.request(method, path, **options)  # outbound-without-timeout: can take for ever


class DeadlineInside:
    def __init__(self, http: httpx.AsyncClient, breakers: AsyncCircuitBreakerFactory, slots: int) -> None:
        self._http = http
        self._breakers = breakers
        self._slots = asyncio.Semaphore(slots)

    async def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        async with self._slots, await self._breakers.get_breaker("carrier"):
            async with asyncio.timeout(6):  # timeout-inside-bulkhead: begins when the wait for a slot is over
                return await self._http.request(method, path, **options)


class ClientPerCall:
    async def request(self, method: str, url: str) -> httpx.Response:
        async with asyncio.timeout(6):
            async with httpx.AsyncClient() as http:  # client-per-call: a new connection and handshake for every call
                return await http.request(method, url)


class NeverClosed:
    def __init__(self, url: str) -> None:
        self._http = httpx.AsyncClient(base_url=url)  # client-never-closed: a shutdown breaks off what is in flight

    async def request(self, method: str, path: str) -> httpx.Response:
        async with asyncio.timeout(6):
            return await self._http.request(method, path)

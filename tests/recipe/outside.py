"""The systems outside, on loopback: a carrier that prints labels and a pager that takes alerts. It counts the calls."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Any

HANG = "hang"
"""An answer that never comes."""


class Outside:
    """An HTTP server in a thread of its own. ``answer`` says what an order's label is: a text, None (not yet), HANG."""

    def __init__(self, answer: Callable[[str], str | None]) -> None:
        self.answer = answer
        self.asked: Counter[str] = Counter()
        self.alerts: list[dict[str, Any]] = []
        self.port = 0
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Outside:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None and self._end is not None
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = next(
                    (int(line[15:]) for line in head.split("\r\n") if line.lower().startswith("content-length:")), 0
                )
                body = await reader.readexactly(length)
                said = self._answered(head.split(" ", 2)[1], body)
                if said["label"] == HANG:
                    await reader.read()  # until the other side has had enough
                    return
                answer = json.dumps(said).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    + f"Content-Length: {len(answer)}\r\n\r\n".encode()
                    + answer
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the other side has gone
        finally:
            writer.close()

    def _answered(self, path: str, body: bytes) -> dict[str, Any]:
        if path == "/alerts":
            self.alerts.append(json.loads(body))
            return {"label": None}
        order = path.rpartition("/")[2]
        self.asked[order] += 1
        return {"label": self.answer(order)}

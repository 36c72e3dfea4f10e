"""Requests that are held until the work is done, and answers that say too little. It runs: bench/handlers.py loads it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request
from purgatory import AsyncCircuitBreakerFactory

from labels.carrier import CarrierClient
from labels.database import open_database
from labels.repository import TaskRepository
from labels.settings import Settings
from labels.system import open_system
from labels_wrong.settings import Settings as Polling

POLLING = Polling()


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings = Settings()
    breakers = AsyncCircuitBreakerFactory(settings.breaker_threshold, settings.breaker_pause)
    carrier = open_system(
        "carrier",
        settings.carrier_url,
        settings.carrier_connect_timeout,
        settings.carrier_read_timeout,
        settings.carrier_total_timeout,
        settings.carrier_slots,
        breakers,
    )
    async with open_database(settings) as sessions, carrier as system:
        app.state.tasks = TaskRepository(sessions)
        app.state.carrier = CarrierClient(system)
        yield


def tasks_of(request: Request) -> TaskRepository:
    return request.app.state.tasks


def carrier_of(request: Request) -> CarrierClient:
    return request.app.state.carrier


app = FastAPI(lifespan=lifespan)
Tasks = Annotated[TaskRepository, Depends(tasks_of)]
Carrier = Annotated[CarrierClient, Depends(carrier_of)]


@app.post("/orders/{order}/label")
async def order_label(order: str, carrier: Carrier):
    for _ in range(POLLING.polls):
        if label := await carrier.label_of(order):
            return {"label": label}
        await asyncio.sleep(POLLING.poll_interval)  # sleep-loop-in-handler: holds the request up to 30 s
    raise HTTPException(504, "not printed in time")


@app.post("/orders/{order}/queued-label")
async def queue_label(order: str, tasks: Tasks):  # queued-work-returns-200: nothing is done yet
    task = await tasks.add("label", order)
    return {"task_id": str(task.id), "status": task.status}


@app.post("/orders/{order}/nameless-label", status_code=202)
async def order_nameless_label(order: str, tasks: Tasks):  # accepted-without-task-id: what shall the client ask for?
    await tasks.add("label", order)
    return {"status": "queued"}

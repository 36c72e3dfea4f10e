"""The routes. Each says beside it what is wrong with it, or why nothing is."""

import asyncio
import uuid
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Annotated

from fastapi import BackgroundTasks, Depends, FastAPI

from shop.carrier import CarrierClient
from shop.reports import build_report
from shop.sweeper import LabelSweeper


@lru_cache
def get_carrier() -> CarrierClient:
    return CarrierClient()


@asynccontextmanager
async def lifespan(app: FastAPI):
    app.state.sweeper = asyncio.create_task(LabelSweeper(get_carrier()).run())
    yield
    app.state.sweeper.cancel()
    await get_carrier().aclose()


app = FastAPI(lifespan=lifespan)
Carrier = Annotated[CarrierClient, Depends(get_carrier)]


# This request is held for as long as the carrier takes. The loop is in another file: the report stands there,
# with the way from here to it.
@app.post("/orders/{order_id}/label")
async def create_label(order_id: int, carrier: Carrier):
    return {"label": await carrier.wait_for_label(order_id)}


# The answer says "queued", its status says "done" (200 is the default).
@app.post("/reports")
async def request_report(background: BackgroundTasks):  # queued-work-returns-200: should be 202
    task_id = uuid.uuid4().hex
    background.add_task(build_report, task_id)
    return {"task_id": task_id, "status": "queued"}


# As it should be: 202 and an id to ask for.
@app.post("/reports/monthly", status_code=202)
async def request_monthly_report(background: BackgroundTasks):
    task_id = uuid.uuid4().hex
    background.add_task(build_report, task_id)
    return {"task_id": task_id, "status": "queued"}

"""The routes. Each answers at once: what takes long is a task, and its id is the answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from pydantic import BaseModel

from labels.blocking import Executors
from labels.database import open_database
from labels.manifests import make_manifest
from labels.repository import TaskRepository
from labels.running import RunningTasks
from labels.settings import Settings
from labels.table import Status


@dataclass(frozen=True)
class Services:
    settings: Settings
    tasks: TaskRepository
    running: RunningTasks
    executors: Executors


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings = Settings()
    async with open_database(settings) as sessions:
        tasks = TaskRepository(sessions)
        running = RunningTasks(tasks, settings.manifests_at_once)
        executors = Executors({"render": settings.render_workers})
        app.state.services = Services(settings, tasks, running, executors)
        try:
            yield
        finally:
            await running.stop(settings.shutdown_grace)
            executors.close()


def services_of(request: Request) -> Services:
    return request.app.state.services


app = FastAPI(lifespan=lifespan)
Given = Annotated[Services, Depends(services_of)]


class Accepted(BaseModel):
    task_id: UUID
    status: str


class State(Accepted):
    result: str | None
    reason: str | None


@app.post("/orders/{order}/label", status_code=202)
async def order_label(order: str, given: Given, response: Response) -> Accepted:
    task = await given.tasks.add("label", order)
    response.headers["Location"] = f"/tasks/{task.id}"
    return Accepted(task_id=task.id, status=task.status)


@app.post("/manifests", status_code=202)
async def order_manifest(orders: list[str], given: Given, response: Response) -> Accepted:
    if given.running.full:
        raise HTTPException(503, "too many manifests at once", headers={"Retry-After": "5"})
    seconds = given.settings.manifest_time
    task = await given.tasks.add_running("manifest", f"{len(orders)} orders", seconds)
    given.running.start(task.id, lambda: make_manifest(given.executors, orders, seconds))
    response.headers["Location"] = f"/tasks/{task.id}"
    return Accepted(task_id=task.id, status=task.status)


@app.get("/tasks/{task_id}")
async def task_state(task_id: UUID, given: Given, response: Response) -> State:
    task = await given.tasks.get(task_id)
    if task is None:
        raise HTTPException(404, "no such task")
    if task.status in (Status.PENDING, Status.IN_PROGRESS, Status.RUNNING):
        response.headers["Retry-After"] = "1"
    return State(task_id=task.id, status=task.status, result=task.result, reason=task.reason)

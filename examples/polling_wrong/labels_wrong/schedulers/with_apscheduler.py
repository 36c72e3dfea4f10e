"""A job that is a loop of its own: the scheduler cannot see it, and it has neither a count nor a deadline."""

import asyncio

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from labels.carrier import CarrierClient
from labels.repository import TaskRepository
from labels.table import Task


def follow(scheduler: AsyncIOScheduler, tasks: TaskRepository, carrier: CarrierClient, task: Task) -> None:
    scheduler.add_job(wait_for_label, args=[tasks, carrier, task])


async def wait_for_label(tasks: TaskRepository, carrier: CarrierClient, task: Task) -> None:
    while True:  # polling-without-max-attempts: until the label is printed, if it takes for ever
        label = await carrier.label_of(task.subject)
        if label is not None:
            break
        await asyncio.sleep(2)
    await tasks.complete(task, label)

"""The table of tasks."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID, uuid4

from sqlalchemy import DateTime, Index, func, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Status(StrEnum):
    PENDING = "PENDING"
    """Due at next_attempt_at."""
    IN_PROGRESS = "IN_PROGRESS"
    """Claimed by a worker, whose lease ends at next_attempt_at."""
    RUNNING = "RUNNING"
    """Work in the process that accepted it, over at next_attempt_at whatever happens."""
    DONE = "DONE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class Base(DeclarativeBase): ...


class Task(Base):
    __tablename__ = "task"
    # Only what is open is in the index: it stays as small as the backlog, however many tasks there were.
    __table_args__ = (
        Index(
            "task_due",
            "kind",
            "next_attempt_at",
            postgresql_where=text("status IN ('PENDING', 'IN_PROGRESS', 'RUNNING')"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    kind: Mapped[str]
    subject: Mapped[str]
    status: Mapped[str]
    next_attempt_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    retry_count: Mapped[int] = mapped_column(server_default=text("0"))
    result: Mapped[str | None]
    reason: Mapped[str | None]

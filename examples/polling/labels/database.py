"""The engine. The pool is bounded, and no statement waits longer than the settings say."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine

from labels.settings import Settings


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncIterator[async_sessionmaker[AsyncSession]]:
    engine = create_async_engine(
        settings.database_url,
        pool_size=settings.database_pool,
        max_overflow=0,
        pool_timeout=settings.database_total_timeout,
        connect_args={"timeout": settings.database_connect_timeout, "command_timeout": settings.database_total_timeout},
    )
    try:
        yield async_sessionmaker(engine, expire_on_commit=False)
    finally:
        await engine.dispose()

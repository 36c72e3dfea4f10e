"""The database of the recipe, and the recipe on the path."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.pages.corpus import REPOSITORY
from tests.recipe import postgres

PACKAGES = [str(REPOSITORY / "examples" / name) for name in ("polling", "polling_wrong")]
sys.path[:0] = [path for path in PACKAGES if path not in sys.path]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    reason = postgres.platform_without_wheel()
    if reason is not None:
        pytest.skip(reason)
    if postgres.programs() is None:
        pytest.fail(postgres.MISSING)
    with postgres.running() as url:
        yield url


@pytest.fixture
def database(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a database with an empty table of tasks. The recipe's settings name it."""
    from labels.table import Base
    from sqlalchemy.ext.asyncio import create_async_engine

    async def make() -> None:
        engine = create_async_engine(server)
        async with engine.begin() as connection:
            await connection.run_sync(Base.metadata.drop_all)
            await connection.run_sync(Base.metadata.create_all)
        await engine.dispose()

    asyncio.run(make())
    monkeypatch.setenv("LABELS_DATABASE_URL", server)
    return server


@pytest.fixture
def measured(record_property: Callable[[str, object], None]) -> Callable[[str, object], None]:
    """Keeps a figure: pytest shows them with ``-rP`` and writes them into ``--junit-xml``."""

    def keep(name: str, value: object) -> None:
        record_property(name, value)
        print(f"{name}: {value}")

    return keep

"""The catalogue check itself, on a small package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest
from bench.catalogue_check import Check, Report, Sources

from resilint.catalogue.schema import Library

PACKAGE = {
    "shop/__init__.py": """
from ._client import Client
from ._client import *
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from .lazy import fetch
def __getattr__(name): ...
""",
    "shop/_client.py": """
import contextlib
from .parts import Base as _Base

__all__ = ["connect"]

class Client(_Base):
    orders: "Orders"

    def __init__(self, base, *, timeout=None):
        self.items = Items()

    @property
    def baskets(self):
        from .parts import Baskets
        return Baskets(self)

    async def get(self, url, *, timeout=None): ...
    async def listen(self):
        yield 1
    @contextlib.asynccontextmanager
    async def stream(self, url):
        yield url
    def later(self, *args, **options): ...
    async def __aenter__(self): ...
    head = get

class Orders:
    async def create(self, order): ...

class Items:
    def add(self, item): ...

def connect(url, limit=3): ...
""",
    "shop/parts.py": """
class Base:
    async def close(self): ...

class Baskets:
    async def open(self, name): ...
""",
    "shop/lazy.py": "async def fetch(url): ...",
    "shop/worn.py": "from missing import Lost\nclass Worn(Lost): ...",
}


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return Sources([tmp_path])


def check(sources: Sources, text: str) -> Report:
    report = Report("shop")
    Check(sources, report).library(msgspec.convert(tomllib.loads('library = "shop"\n' + text), Library))
    return report


RIGHT = """
[function]
"shop.connect" = { deadline = { seconds = "limit@1" } }
"shop.fetch" = { async = true }

[class."shop.Client"]
new = { register = [{ role = "worker", what = "timeout" }] }
enter = { async = true }
close = ["close"]
attribute = { items = "shop.Items" }

[class."shop.Client".method]
get = { async = true, deadline = { seconds = "timeout" } }
head = { async = true }
close = { async = true }
listen = {}
stream = {}
later = { calls = "@0", status = "anything" }
"orders.create" = { async = true, body = "order@0" }
"items.add" = { body = "item@0" }
"baskets.open" = { async = true }
"*.create" = { async = true }
"*" = { async = true }
"""


def test_what_is_right(sources: Sources) -> None:
    report = check(sources, RIGHT)
    assert (report.problems, report.open_names) == ({}, [])
    assert report.checked > 15


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ('[function]\n"shop.conect" = {}', "shop.conect"),
        ('[function]\n"shop.connect" = { aliases = ["shop.dial"] }', "shop.dial"),
        ('[function]\n"shop.connect" = { async = true }', "shop.connect"),
        ('[function]\n"shop.fetch" = {}', "shop.fetch"),
        ('[function]\n"shop.connect" = { calls = "url@1" }', "shop.connect: argument 'url@1'"),
        ('[function]\n"shop.connect" = { calls = "limits" }', "shop.connect: argument 'limits'"),
        ('[class."shop.Client"]\nnew = { calls = "timeot" }', "shop.Client: argument 'timeot'"),
        ('[class."shop.Client"]\nenter = {}', "shop.Client as context manager"),
        ('[class."shop.Client"]\nclose = ["aclose"]', "shop.Client.aclose (closes it)"),
        ('[class."shop.Client"]\nattribute = { item = "shop.Items" }', "shop.Client.item"),
        ('[class."shop.Client".method]\ngett = {}', "shop.Client.gett"),
        ('[class."shop.Client".method]\nstream = { async = true }', "shop.Client.stream"),
        ('[class."shop.Client".method]\nget = { async = true, awaitable = true }', "shop.Client.get"),
        ('[class."shop.Client".method]\n"orders.creat" = {}', "shop.Client.orders.creat"),
        ('[class."shop.Client".method]\n"baskets.close" = {}', "shop.Client.baskets.close"),
        ('[class."shop.Client".method]\n"*.destroy" = {}', "shop.Client.*.destroy"),
    ],
)
def test_what_is_wrong(sources: Sources, text: str, subject: str) -> None:
    assert list(check(sources, text).problems) == [subject]


def test_what_is_out_of_reach(sources: Sources) -> None:
    """A base class that cannot be read may define anything: neither right nor wrong."""
    report = check(sources, '[class."shop.worn.Worn".method]\nfix = {}')
    assert (report.problems, report.open_names) == ({}, ["shop.worn.Worn.fix"])


def test_what_is_marked(sources: Sources) -> None:
    report = check(sources, '[class."shop.Client".method]\nnew = { dynamic = true }\nold = { removed = "2.0" }')
    assert (report.problems, report.dynamic) == ({}, ["shop.Client.new"])
    assert report.removed == [("shop.Client.old", "2.0")]

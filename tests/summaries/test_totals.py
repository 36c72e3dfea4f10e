"""What paths that a deadline ends, and decorators of the project, add to a total."""

from __future__ import annotations

from resilint.catalogue import load_catalogue
from resilint.domain import Interval
from resilint.link import link
from resilint.link.inputs import Settings, SourceFacts
from resilint.summaries import analyse
from resilint.syntax import lower

RETRY = """
def retry(attempts, pause):
    def wrap(function):
        async def again(*args):
            for attempt in range(attempts):
                try:
                    return await function(*args)
                except TimeoutError:
                    if attempt == attempts - 1:
                        raise
                await asyncio.sleep(pause)
        return again
    return wrap
"""


def total(text: str) -> Interval:
    """Of the function ``f``."""
    files = [SourceFacts("app.py", lower(("import asyncio\nfrom other import check\n" + text).encode(), "app.py"))]
    analysis = analyse(link(files, load_catalogue(()), Settings()))
    (func,) = [f for f in analysis.functions() if analysis.name(f) == "f"]
    return analysis.entry(func).total


def test_a_coroutine_that_is_made_cannot_fail() -> None:
    body = "        try:\n            await asyncio.sleep(3)\n        except ValueError:\n            pass\n"
    text = f"async def f():\n    async with asyncio.timeout(2):\n{body}    await asyncio.sleep(9)\n"
    assert total(text) == Interval(2, 2)


def test_a_decorator_waits_around_a_function_that_does_nothing() -> None:
    assert total(RETRY + "@retry(2, 0.5)\nasync def f():\n    check()\n").hi == 0.5


def test_the_caller_goes_on_where_no_deadline_expires() -> None:
    helper = "async def helper():\n    async with asyncio.timeout(0.8):\n        await asyncio.sleep(0.5)\n"
    helper += "        try:\n            check()\n            await asyncio.sleep(0.5)\n"
    helper += "        except TimeoutError:\n            pass\n"
    found = total(helper + "async def f():\n    await helper()\n    await asyncio.sleep(0.5)\n")
    assert found.lo is not None and found.lo <= 1

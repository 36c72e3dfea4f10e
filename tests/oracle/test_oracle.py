"""The oracle itself: what it runs, what it draws, and that it finds what is broken on purpose.

What resilint says still differs from what happens in about one program of a hundred; ``python -m tests.oracle`` shows
which. Only programs that agree are asked for here.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from tests.oracle import faults
from tests.oracle.compare import compare, happen, say
from tests.oracle.draws import Drawn, Recorded, Seeded
from tests.oracle.generator import Program, generate
from tests.oracle.shrink import shrink

PROGRAMS = 2000
SHARE = 20
"""One program in so many has each construct."""


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """A run that is cut leaves coroutines behind."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="coroutine .* was never awaited")
        yield


def test_every_construct_is_tried() -> None:
    used = Counter(name for number in range(PROGRAMS) for name in generate(Seeded(number)).used)
    assert not {name: count for name, count in used.items() if count * SHARE < PROGRAMS}
    assert used["other file"] * 2 >= PROGRAMS
    assert used["argument"] * 2 >= PROGRAMS


@settings(
    max_examples=200,
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def test_programs_drawn_by_hypothesis(data: st.DataObject) -> None:
    program = generate(Drawn(lambda limit: data.draw(st.integers(0, limit - 1))))
    note(program.text)
    assert not compare(program)


def test_a_seed_gives_one_program() -> None:
    assert generate(Seeded(5)).files == generate(Seeded(5)).files


def test_decisions_give_the_program_again() -> None:
    draws = Seeded(5)
    program = generate(draws)
    assert generate(Recorded(draws.taken)).files == program.files


def test_the_smallest_program_is_one_handler_that_sleeps() -> None:
    program = generate(Recorded([]))
    assert program.handlers == ["handle1"]
    assert program.files["app/routes.py"].endswith("async def handle1():\n    await asyncio.sleep(0.5)\n")


def test_shrinking_keeps_what_fails() -> None:
    assert shrink([7, 3, 9, 40, 2], lambda d: any(x >= 10 for x in d)) == [10]


def _program(text: str, *handlers: str) -> Program:
    head = "import asyncio\nimport httpx\nfrom fastapi import APIRouter\nfrom oracle_env import oracle\n"
    head += "client = httpx.AsyncClient()\nrouter = APIRouter()\n"
    files = {"app/__init__.py": "", "app/routes.py": head + text}
    return Program(files, list(handlers), [("app.routes", h) for h in handlers], frozenset(), Counter(), set())


def test_time_is_virtual_and_every_choice_is_tried() -> None:
    text = '@router.get("/h")\nasync def h():\n    if oracle.choose(2):\n        await asyncio.sleep(300)\n'
    runs = happen(_program(text, "h")).runs["app.routes", "h"]
    assert sorted(run.elapsed for run in runs) == [0, 300]


def test_a_deadline_covers_a_call_and_a_shield_hides_it() -> None:
    call = "client.get('/x')"
    covered = f'@router.get("/h")\nasync def h():\n    async with asyncio.timeout(1):\n        await {call}\n'
    hidden = covered.replace(call, f"asyncio.shield({call})")
    assert happen(_program(covered, "h")).uncovered == set()
    assert happen(_program(hidden, "h")).uncovered == {("app/routes.py", 10)}


def test_a_wait_that_resilint_must_report_is_seen_by_the_oracle() -> None:
    text = '@router.get("/h")\nasync def h():\n    for _ in range(3):\n        await asyncio.sleep(6)\n'
    program = _program(text, "h")
    assert compare(program) == []
    assert {name for name, findings in say(program).findings.items() if findings} == {
        "sleep-loop-in-handler",
        "long-sleep",
    }


def test_there_are_thirty_faults_and_all_can_be_put_in() -> None:
    assert len(faults.FAULTS) >= 30
    assert len({fault.name for fault in faults.FAULTS}) == len(faults.FAULTS)
    for fault in faults.FAULTS:
        with faults.broken(fault):
            pass


def test_faults_are_found() -> None:
    """Most within 150 programs; ``python -m tests.oracle.faults`` goes on until all are."""
    found = faults.hunt(faults.FAULTS, 150)
    missed = [name for name, number in found.items() if number is None]
    assert len(missed) <= 5, missed

"""Functions that are called from many places: their calls are looked at in parts."""

from __future__ import annotations

import pytest

from resilint.catalogue import load_catalogue
from resilint.link import Settings, SourceFacts, link
from resilint.link.entities import Func
from resilint.link.parameters import MANY
from resilint.syntax import lower

CATALOGUE = load_catalogue()


@pytest.mark.parametrize("calls", [1, MANY, MANY + 1, 3 * MANY, 3 * MANY + 1])
def test_the_first_and_the_last_call_count(calls: int) -> None:
    lines = ["class First: ...", "class Last: ...", "def take(value): value.go()", "take(First())"]
    lines += ["take(First())"] * (calls - 1) + ["take(Last())"]
    linked = link([SourceFacts("app.py", lower("\n".join(lines).encode()))], CATALOGUE, Settings())
    take = next(f for f in linked.program.functions() if linked.program.local_name(f) == "take")
    assert isinstance(take, Func)
    found = linked.inference.solver.get(("parameter", take.module, take.scope, 0))
    assert sorted(linked.program.local_name(e.of) for e in found if hasattr(e, "of")) == ["First", "Last"]

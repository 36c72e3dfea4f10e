"""Which lines a suppression covers."""

from __future__ import annotations

import pytest

from resilint.check.sources import lines_of
from resilint.check.suppress import Suppression, meet, suppressions
from resilint.syntax import lower


def read(source: str) -> list[Suppression]:
    facts = lower(source.encode())
    assert facts.problem is None, facts.problem
    return suppressions(facts, lambda: lines_of(source), lambda word: frozenset({word}))


def covered(source: str) -> list[str]:
    """The lines with anything on them that the only suppression covers."""
    (only,) = read(source)
    return [line for number, line in enumerate(lines_of(source), 1) if line.strip() and only.covers(number)]


CASES = {
    "a line": """
x = f()
y = f()  # resilint: ignore[a] !
z = f()
""",
    "any line of the statement": """
await_ = f(  # !
    1,  # resilint: ignore[a] !
    2,  # !
)  # !
y = 1
""",
    "its first line": """
x = f(  # resilint: ignore[a] !
    1  # !
)  # !
""",
    "its last line": """
x = f(  # !
    1  # !
)  # resilint: ignore[a] !
y = 2
""",
    "alone inside a statement": """
x = f(  # !
    # resilint: ignore[a] !
    1  # !
)  # !
y = 2
""",
    "alone above": """
x = 1
# resilint: ignore[a]
x = f(  # !
    1  # !
)  # !
y = 2
""",
    "alone above other comments": """
# resilint: ignore[a]
# and a word about it
x = f()  # !
y = f()
""",
    "a blank line ends it": """
# resilint: ignore[a]

x = f()
""",
    "a def line": """
def other(): pass
def g():  # resilint: ignore[a] !
    x = 1  # !
    def inner():  # !
        y = 2  # !
    return x  # !
z = 3
""",
    "the last line of a long header": """
def g(  # !
    a,  # !
):  # resilint: ignore[a] !
    x = 1  # !
z = 3
""",
    "above a decorator": """
# resilint: ignore[a] !
@first  # !
@second(  # !
    1  # !
)  # !
async def g():  # !
    x = 1  # !
z = 3
""",
    "on a decorator": """
@first  # resilint: ignore[a] !
def g():  # !
    x = 1  # !
z = 3
""",
    "between decorator and def": """
@first  # !
# resilint: ignore[a] !
def g():  # !
    x = 1  # !
z = 3
""",
    "an inner function only": """
def g():
    x = 1
    def inner():  # resilint: ignore[a] !
        y = 2  # !
    return x
""",
    "a while header": """
while f():  # resilint: ignore[a] !
    x = f()
""",
    "a long with header": """
with f(  # !
    1  # resilint: ignore[a] !
):  # !
    x = f()
""",
    "above a for header": """
# resilint: ignore[a]
for x in f():  # !
    y = f()
""",
    "a class header": """
@d  # !
class A(  # resilint: ignore[a] !
    B  # !
):  # !
    x = 1
    def g(self):
        pass
""",
    "one line of everything": """
def g(): x = f()  # resilint: ignore[a] !
y = 1
""",
    "the last comment of a file": """
x = f()
# resilint: ignore[a]""",
}


@pytest.mark.parametrize("name", CASES)
def test_covered_lines(name: str) -> None:
    """Those that are marked with an exclamation mark."""
    assert covered(CASES[name]) == [line for line in lines_of(CASES[name]) if "!" in line]


def test_strings_are_no_comments() -> None:
    assert read('x = "# resilint: ignore[a] y"\ny = """\n# resilint: ignore[a] x\n"""\n') == []


@pytest.mark.parametrize(
    ("source", "counts"),
    [
        ("# resilint: ignore-file[a] x\ny = 1\n", True),
        ("x = 1  # resilint: ignore-file[a] x\n", True),
        ("x = 1\n" * 8 + "# resilint: ignore-file[a] x\n", True),
        ("x = 1\n" * 10 + "# resilint: ignore-file[a] x\n", False),
        ("#!/usr/bin/env python\n" + "# licence\n" * 40 + "\n# resilint: ignore-file[a] x\nx = 1\n", True),
        ('"""A\n' + "long\n" * 40 + 'text."""\n\n# resilint: ignore-file[a] x\nx = 1\n', True),
        ("'one'\n" + "# licence\n" * 20 + "# resilint: ignore-file[a] x\n", True),
        ('"""A."""\n"""B."""\n' + "# licence\n" * 20 + "# resilint: ignore-file[a] x\n", False),
    ],
)
def test_ignore_file_stands_near_the_top(source: str, counts: bool) -> None:
    (only,) = read(source)
    assert only.misplaced is not counts
    assert only.covers(1) is counts and only.covers(lower(source.encode()).lines) is counts


def test_uses_are_noted_item_by_item() -> None:
    found = read("x = f()  # resilint: ignore[a, b] why\n")
    assert meet(found, "a", 1) is not None
    assert meet(found, "c", 1) is None
    assert meet(found, "b", 2) is None
    assert [item.word for item in found[0].used] == ["a"]


def test_every_suppression_that_covers_is_used() -> None:
    found = read("# resilint: ignore-file[a] x\ndef f():  # resilint: ignore[a] x\n    x()  # resilint: ignore[a] x\n")
    assert meet(found, "a", 3)
    assert all(s.used for s in found)

"""What is left of a statement when its layout is taken away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resilint.check.statement import essence, tokens


def of(source: str, line: int = 1, column: int = 1) -> tuple[str, ...]:
    return essence(source.split("\n"), 1, (line, column))


ALIKE = [
    ("await sleep(1)", "await  sleep( 1 )"),
    ("await sleep(1)", "await sleep(  # why\n    1\n)"),
    ("await sleep(1)", "await sleep(1,)"),
    ("await sleep(\n  1\n)", "await sleep(\n  1,\n)"),
    ("x = a + b", "x = (\n    a\n    + b\n)"),
    ("x = a + b", "x = a + \\\n  b"),
    ("f('a')", 'f("a")'),
    ("f('a\"b')", 'f("a\\"b")'),
    ("f('''a''')", 'f("""a""")'),
    ("f(F'a')", "f(f'a')"),
    ("f(u'a')", "f('a')"),
    ("f(0XFF, 1E3)", "f(0xff, 1e3)"),
    ("\tx = 1", "    x = 1"),
    ("return await g()", "return (await g())"),
]
DIFFERENT = [
    ("sleep(1)", "sleep(2)"),
    ("sleep(1)", "sleep('1')"),
    ("f('a')", "f(a)"),
    ("f('a b')", "f('ab')"),
    ("f(b'a')", "f('a')"),
    ("a - b", "a + b"),
    ("f(a, b)", "f(a, c)"),
    ("f('# a')", "f('# b')"),
    ("x[1,]", "x[2]"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_alike(one: str, other: str) -> None:
    assert of(one) == of(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different(one: str, other: str) -> None:
    assert of(one) != of(other)


def test_a_line_with_several_statements() -> None:
    assert of("a(); b()", 1, 6) == of("b()")
    assert of("a(); b()", 1, 1) == of("a()")
    assert of("if x: await y()", 1, 7) == of("await y()")
    assert of("if x: await y()", 1, 4) == of("if x:")
    assert of("while f(lambda a: b): g()", 1, 23) == of("g()")
    assert of("x: int = f()", 1, 10) == of("x: int = f()")
    assert of("f = lambda: g()", 1, 13) == of("f = lambda: g()")


def test_places_in_later_lines() -> None:
    lines = ["x = f(", "  '''a", "b''',", "  g)"]
    assert tokens(lines, 7)[-2:] == [("g", 10, 3), (")", 10, 4)]


@given(st.text("ab1.'\"\\#()[]{}:;, \n\t\u00e9", max_size=40))
def test_any_text_ends(text: str) -> None:
    assert isinstance(of(text), tuple)
    assert isinstance(essence([], 1, (1, 1)), tuple)

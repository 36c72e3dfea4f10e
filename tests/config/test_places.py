"""Lines of keys in a TOML text."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resilint.config.places import key_lines

TEXT = '''\
# [tool.resilint] in a comment
title = """
[tool.resilint]
select = 1
"""

[tool.resilint]
select = [
    "a",  # one ] "
    'b',
    ["x", { deep = 1 }],
]
"long-sleep-threshold" = 3
'quoted # key' = "="
a . "b.c" = 1
inline = { x = 1, "y z" = [1,
  2] }
date = 1979-05-27 07:32:00

[tool.resilint.roles]
worker = ["]", "}"]

[[tool.thing]]
name = 1
[[tool.thing]]
name = 2
'''


def test_lines_of_all_sorts() -> None:
    lines = key_lines(TEXT)
    tool = ("tool", "resilint")
    assert lines[tool] == 7
    assert lines[(*tool, "select")] == 8
    assert [lines[(*tool, "select", index)] for index in range(3)] == [9, 10, 11]
    assert lines[(*tool, "select", 2, 1, "deep")] == 11
    assert lines[(*tool, "long-sleep-threshold")] == 13
    assert lines[(*tool, "quoted # key")] == 14
    assert lines[(*tool, "a", "b.c")] == 15
    assert lines[(*tool, "inline", "y z", 1)] == 17
    assert lines[(*tool, "date")] == 18
    assert lines[(*tool, "roles", "worker", 1)] == 21
    assert lines[("tool", "thing", 1, "name")] == 26
    assert ("select",) not in lines


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_line_ends_do_not_matter(ends: str) -> None:
    assert key_lines(TEXT.replace("\n", ends)) == key_lines(TEXT)


def paths(value: Any, prefix: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    found = set()
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found |= {(*prefix, key)} | paths(inner, (*prefix, key))
    return found


def test_every_key_has_a_line() -> None:
    assert paths(tomllib.loads(TEXT)) <= key_lines(TEXT).keys()


_SIMPLE = st.one_of(
    st.integers(-9, 9).map(str),
    st.booleans().map(lambda b: "true" if b else "false"),
    st.text("ab#]}\\[{=,", max_size=6).map(lambda t: "'" + t + "'"),
    st.text("ab#]}[{=,'", max_size=6).map(lambda t: '"' + t + '"'),
    st.text("ab#]\n}[{=,", max_size=6).map(lambda t: '"""' + t + '"""'),
)
_VALUE = st.recursive(
    _SIMPLE, lambda v: st.lists(v, max_size=3).map(lambda vs: "[" + ",\n ".join(vs) + "]"), max_leaves=5
)


@given(st.lists(_VALUE, max_size=6))
def test_generated_texts(values: list[str]) -> None:
    text = "".join(f"'k.{i}' = {value} # [x] = 1\n" for i, value in enumerate(values))
    lines = key_lines(text)
    assert paths(tomllib.loads(text)) <= lines.keys()
    counted = 1
    for i, value in enumerate(values):
        assert lines[(f"k.{i}",)] == counted
        counted += value.count("\n") + 1


def test_no_toml_gives_what_was_found() -> None:
    assert key_lines("a = 1\n= = =\n") == {("a",): 1}

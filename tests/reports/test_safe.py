"""Text of strangers cannot do anything to a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resilint.reports.safe import decodable, expanded, safe, safe_path, width


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain [bold]text[/bold]", "plain [bold]text[/bold]"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]8;;http://x\x07", "\\x1b]8;;http://x\\x07"),
        ("a\x00b\x7fc\x9b", "a\\x00b\\x7fc\\x9b"),
        ("a\tb\nc\r", "a b c "),
        ("a\u202eb\u2066c\u200ed", "a\\u202eb\\u2066c\\u200ed"),
        ("a\u2028b\u2029", "a\\u2028b\\u2029"),
        ("a\udcffb\ud800", "a\\xffb\\ud800"),
        ("a\U000e0041", "a\\U000e0041"),
        ("\ufeffx", "\\ufeffx"),
        ("gr\u00fc\u00dfe \u540d\u524d", "gr\u00fc\u00dfe \u540d\u524d"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
        ("x = [] ##[error]a ##vso[b] ## c", "x = [] \\x23#[error]a \\x23#vso[b] ## c"),
    ],
)
def test_made_safe(text: str, expected: str) -> None:
    assert safe(text) == expected


@given(st.text())
def test_nothing_dangerous_is_left(text: str) -> None:
    for made in (safe(text), expanded(text)[0]):
        for char in made:
            assert unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
            assert unicodedata.category(char) != "Cf" or char in "\u200c\u200d"


def test_width() -> None:
    assert width("abc") == 3
    assert width("\u540d\u524d") == 4
    assert width("e\u0301") == 1
    assert width("\uff21") == 2


@given(st.text(max_size=20))
def test_cells_end_where_the_line_ends(line: str) -> None:
    shown, cells = expanded(line)
    assert len(cells) == len(line) + 1
    assert cells[-1] == width(shown)
    assert cells == sorted(cells)


def test_tabs() -> None:
    assert expanded("\ta\tb") == ("    a   b", [0, 4, 5, 8, 9])


def test_a_command_in_source_is_shown_and_not_obeyed() -> None:
    assert expanded("# ##[a]") == ("# \\x23#[a]", [0, 1, 2, 6, 7, 8, 9, 10])


def test_a_path_that_begins_like_a_command() -> None:
    assert safe_path("::error::a.py") == "./::error::a.py"
    assert safe_path(" \t::error::a.py") == "./  ::error::a.py"
    assert safe_path("a::b.py") == "a::b.py"


def test_a_path_that_can_be_decoded() -> None:
    assert decodable("a\udcff\x1b\u202e") == "a\\xff\x1b\u202e"

"""What a ``# resilint:`` comment says."""

from __future__ import annotations

import pytest

from resilint.check.pragma import Pragma, pragmas
from resilint.domain import Span
from resilint.facts import Comment


def read(text: str) -> Pragma:
    (only,) = pragmas(Comment(Span(3, 10, 3, 10 + len(text)), text, False))
    return only


@pytest.mark.parametrize(
    ("text", "words", "reason"),
    [
        (
            "# resilint: ignore[R-RES-ASYNC-X1] the device has no callback",
            ["R-RES-ASYNC-X1"],
            "the device has no callback",
        ),
        ("#resilint:ignore[a]x", ["a"], "x"),
        ("#   resilint:  ignore [ a , b,c ]  - why", ["a", "b", "c"], "why"),
        ("# resilint: ignore[a] why # noqa: E501", ["a"], "why"),
        ("# resilint: ignore[a] # expect: missing-reason", ["a"], ""),
        ("# resilint: ignore[a]", ["a"], ""),
        ("# resilint: ignore[a]:  ", ["a"], ""),
        ("# noqa: E501  # resilint: ignore[a] why", ["a"], "why"),
        ("# resilint: ignore-file[a,] why", ["a"], "why"),
        ("# resilint: ignore_file[a] why", ["a"], "why"),
        ("# resilint: ignore[a] \u00fcber caf\u00e9", ["a"], "\u00fcber caf\u00e9"),
    ],
)
def test_lists(text: str, words: list[str], reason: str) -> None:
    pragma = read(text)
    assert pragma.problem == ""
    assert [item.word for item in pragma.items] == words
    assert pragma.reason == reason
    for item in pragma.items:
        assert text[item.offset :].startswith(item.word)


def test_kinds() -> None:
    assert read("# resilint: ignore[a] x").kind == "ignore"
    assert read("# resilint: ignore-file[a] x").kind == "ignore-file"
    assert read("# resilint: role=worker (started by cron)").kind == "role"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("# resilint: ignroe[a] x", 'no pragma "ignroe"; did you mean "ignore"?'),
        ("# resilint: noqa", 'no pragma "noqa"'),
        ("# resilint:", 'nothing after "resilint:" (known: ignore, ignore-file, role)'),
        ("# resilint: # x", 'nothing after "resilint:" (known: ignore, ignore-file, role)'),
        ("# resilint: ignore", '"ignore" needs a list of rules in brackets'),
        ("# resilint: ignore a", '"ignore" needs a list of rules in brackets'),
        ("# resilint: ignore[a", '"ignore" needs a list of rules in brackets'),
        ("# resilint: ignore[] x", 'the list of "ignore" is empty'),
        ("# resilint: role", '"role" needs a role'),
        ("# resilint: role=wroker", 'no role "wroker"; did you mean "worker"?'),
        ("# resilint: role=Worker", 'no role "Worker"; did you mean "worker"?'),
        ("# resilint: role=boss", 'no role "boss" (known: handler, stream'),
    ],
)
def test_mistakes(text: str, problem: str) -> None:
    assert read(text).problem.startswith(problem)


def test_ends_before_the_next_hash() -> None:
    text = "# resilint: ignore[a] why  # noqa"
    pragma = read(text)
    assert text[pragma.start : pragma.end] == "# resilint: ignore[a] why"
    assert pragma.span(pragma.start, pragma.end) == Span(3, 10, 3, 35)


def test_several_in_one_comment() -> None:
    text = "# resilint: ignore[a] x # resilint: ignore[b] y"
    first, second = pragmas(Comment(Span(1, 1, 1, 50), text, True))
    assert (first.items[0].word, second.items[0].word) == ("a", "b")


def test_prose_is_none() -> None:
    assert pragmas(Comment(Span(1, 1, 1, 50), "# see resilint: ignore[a] in the docs", True)) == []
    assert pragmas(Comment(Span(1, 1, 1, 50), "## resilint: ignore[a] x", True)) == []

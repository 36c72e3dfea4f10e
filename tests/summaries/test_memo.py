"""Recursion in the table of summaries."""

from __future__ import annotations

from resilint.domain import Interval
from resilint.link.entities import Func
from resilint.summaries.memo import Key, Memo
from resilint.summaries.model import Summary

F, G = Func(0, 1), Func(0, 2)


def key(func: Func, *context: object) -> Key:
    return (func, context)


def follow(memo: Memo, *keys: Key, last: Key) -> bool:
    """Follow the calls inside each other; ``last`` is asked for innermost. Whether the outermost met itself."""

    def run() -> Summary:
        if keys[1:]:
            follow(memo, *keys[1:], last=last)
        else:
            assert memo.is_followed(last)
        return Summary()

    met: list[Summary] = []

    def loop(result: Summary) -> Summary:
        met.append(result)
        return result

    memo.follow(keys[0], run, loop)
    return bool(met)


def test_a_function_that_calls_itself_is_a_loop() -> None:
    assert follow(Memo(), key(F), last=key(F))


def test_a_cycle_through_another_function_is_none() -> None:
    assert not follow(Memo(), key(F), key(G), last=key(F))


def test_what_depends_on_the_head_is_forgotten_with_it() -> None:
    memo = Memo()
    follow(memo, key(F), key(G), last=key(F))
    assert memo.get(key(G)) is None
    assert memo.get(key(F)) == Summary()


def test_a_context_that_counts() -> None:
    memo = Memo()
    one, two = ("n", Interval.exactly(1.0)), ("n", Interval.exactly(2.0))

    def run() -> Summary:
        assert memo.counts(key(F, two))
        assert not memo.counts(key(F, one, ("text", "x")))
        return Summary()

    memo.follow(key(F, one), run)
    assert memo.depth == 0

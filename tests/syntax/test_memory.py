"""Files are lowered with the collector off: what is left of them has to go by itself."""

from __future__ import annotations

import gc

import pytest

from resilint.syntax import lower

SOURCES = {
    "a file": b"@a.b\ndef f(x: 'list[g()]' = [y for y in z]):\n    if x: pass\n    elif y: return lambda: f\n",
    "a file that LibCST does not reproduce": b"\fx = f()\n",
    "an annotation in such a file": b"\fx: 'g[h()]'",
    "a syntax error": b"x = = 1\n",
    "a wrong encoding": b"\xff",
    "too deep": b"x = " + b"(" * 1000,
    "too deep for its facts": b"x = a" + b".a" * 400,
}


@pytest.mark.parametrize("name", SOURCES)
def test_nothing_is_left_to_the_collector(name: str) -> None:
    lower(SOURCES[name])
    gc.collect()
    gc.disable()
    try:
        lower(SOURCES[name])
        assert gc.collect() == 0
    finally:
        gc.enable()

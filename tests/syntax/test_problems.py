"""Files that cannot be read have a problem with a place; nothing raises."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from resilint.facts import decode, encode
from resilint.facts.dump import dump
from resilint.syntax import lower


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"x = = 1\n", "1:5: cannot be parsed: invalid syntax near '='"),
        (b"def f(:\n  pass\n", "1:7: cannot be parsed: invalid syntax near ':'"),
        (b"x = (1,\n", "1:7: cannot be parsed: invalid syntax near ','"),
        (b"a\r\nb c\r\n", "2:3: cannot be parsed: invalid syntax near 'c'"),
        (b"if a:\npass\n", "2:1: cannot be parsed: invalid syntax near 'pass'"),
        (b"\n\nx = 'abc\n", "3:1: cannot be parsed: unterminated string literal"),
        (b"x\n'''a'''\ny = '''\nabc", "3:1: cannot be parsed: unterminated triple-quoted string literal"),
        (b"def f():\n    x\n  y\n", "3:1: cannot be parsed: no matching outer block for dedent"),
        (b"# c\nx = $\n", "2:1: cannot be parsed: '$' is not a valid character in this position"),
        (b"x = '\0'\n", "1:6: the file holds null bytes: it is no Python source"),
        (b"x = '\xff'\n", "1:6: the file is not in its encoding, utf-8: invalid start byte"),
        (b"#\n# coding: nonsense\n", "2:1: the encoding 'nonsense' is not known"),
        (b"# coding: rot13\n", "1:1: Python source cannot be in the encoding 'rot13'"),
        (b"# coding: utf-16\n", "1:1: Python source cannot be in the encoding 'utf-16'"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "1:1: the encoding 'iso8859-1' contradicts the byte order mark"),
    ],
)
def test_problem(source: bytes, problem: str) -> None:
    facts = lower(source)
    assert dump(facts).startswith(f"problem: {problem}\n")
    assert len(facts.scopes) == 1
    assert facts.scopes[0].body == ()
    assert decode(encode(facts)) == facts


@pytest.mark.parametrize(
    "source",
    [
        "# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"),
        "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = 'é'\n".encode("cp1252"),
        "\ufeffx = 'é'\n".encode(),
        "\ufeff# coding: utf-8\nx = 'é'\n".encode(),
        "x = 'é'\n# coding: nonsense\n".encode(),
        b"# coding: utf8\nx = '\\xe9'\n",
    ],
)
def test_encodings(source: bytes) -> None:
    facts = lower(source)
    assert facts.problem is None
    assert dump(facts, places=False) == "#0 module\n  x = 'é'\n"


def test_identifiers_are_compared_as_python_does() -> None:
    assert dump(lower("ﬁ = ｆ.ﬁ(ﬁ=1)\n".encode()), places=False) == "#0 module\n  $0 = f.fi(fi=1)\n  fi = $0\n"


PUNCTUATION = "x()[]{}'\"\\\n\r\t\f\0#:=,.*é1@!"
WORDS = ["def ", "class ", "if ", "else", "match x", "case ", "lambda ", "await ", "async ", "return", "yield", "with "]
MORE = ["try:", "except ", " as ", ":=", "->", "for x in y", "import a", "from . import b", '"""', "f'", "  "]
FRAGMENTS = st.sampled_from([*PUNCTUATION, *WORDS, *MORE])


@settings(max_examples=400, deadline=None)
@given(st.lists(FRAGMENTS, max_size=40).map(lambda parts: "".join(parts).encode()) | st.binary(max_size=60))
@example(b"f'{")
@example(b"# coding: raw_unicode_escape\n'\\ud800'")
@example(b"'\\ud800'")
@example(b"x = 1" + b"0" * 6000)
@example(b"x = 1e999, 0xffffffffffffffffffff, -9223372036854775809")
@example(b"x: '\\0'")
def test_nothing_raises(source: bytes) -> None:
    facts = lower(source)
    assert decode(encode(facts)) == facts

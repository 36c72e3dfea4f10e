"""Positions against LibCST's own providers, and where LibCST does not reproduce a file against the text."""

from __future__ import annotations

import random
import sysconfig
from itertools import product
from pathlib import Path

import libcst as cst
import pytest
from bench.positions import compare

from resilint.domain import Span
from resilint.facts import Await, Bind, Loop, Try, With
from resilint.syntax import lower
from resilint.syntax.positions import Positions, line_starts

STDLIB = Path(sysconfig.get_path("stdlib"))
LARGEST = 10_000


def sample() -> list[Path]:
    files = [path for path in sorted(STDLIB.rglob("*.py")) if "site-packages" not in path.parts]
    files = [path for path in files if path.stat().st_size < LARGEST]
    return random.Random(7).sample(files, min(150, len(files)))


@pytest.mark.parametrize("part", range(5))
def test_stdlib(part: int) -> None:
    for path in sample()[part::5]:
        _, _, differences = compare(path)
        assert differences == []


@pytest.mark.parametrize(
    "source",
    [
        "@ a . b (\n  1 ) \n\n@(c)\nasync  def f [T : (int)] ( a : int = (1) , / , * , b ) -> ( x ) : pass\n",
        "with ( a ( ) as b , c ( ) ) : pass\nwith (a()), (b): pass\n",
        "f\"{a()!r:>{b()}} {{ {c()=} {'x' + d()}\" rf'''{\n e() # comment\n}'''\n",
        "x = [ y ( ) for  z in ( a ( ) ) if b ( ) async  for c in d ( ) ]\n",
        "match ( a ( ) ) :\n    case { 'k' : [ x , * y ] , ** z } if b ( ) : c ( )\n"
        "    case A . B | ( C ( d , e = f ) as g ) : pass\n",
        "try :\n  a ( )\nexcept * ( B , c . D ) as e : f ( )\n",
        "lambda  a , * b , c = d ( ) , ** e : ( f ( ) )\nyield_ = ( yield  from a ( ) )\n",
        "if a ( ) : b ( ) ; c ( )  ;\nelif  d ( ) :\n\te ( )\nelse : f ( )\n",
        "x = ( # c\n  ( a ( ) ) . b  [ c ( ) : d ( ) : , * e ( ) ]\n  )\n",
        "type X [ T : int = str , * U , ** V ] = list [ T ]\ndel ( a ( ) . b ) , c [ d ( ) ]\n",
        "été = naïve ( 'ü' , ñ . ö ( ) )  # ß\n",
        "x = '''a\nb''' . f ( )\ny ( )\n",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_odd_layouts(source: str, newline: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_bytes(source.replace("\n", newline).encode())
    outcome, count, differences = compare(path)
    # LibCST loses the last line end of files that have carriage returns alone.
    assert outcome == ("same" if newline != "\r" else "lossy")
    assert (differences, count > 5) == ([], newline != "\r")


BEFORE = ["", "\f", "\f\f", " \f", "\f\n"]
AFTER = ["", "\n", "\n\n", "\n  ", "\n\f", "\f\n"]
LOSSY = [
    "x = f(1)",
    "# c\nx = f(1)",
    "def f():\n    return g(\n  1)\n\n# end",
    "x()\n\f\ny()\n\f",
    "class A:\n\n    def f(self): a()\n\f\n    def g(self): b()",
    "@a()\n\fdef f(): b()\n\f\n\fx()",
    "if a():\n  b()\n\felif c():\n  d()\n\felse:\n  e()\n\ftry:\n    f()\n\fexcept A():\n    g()",
    "match a():\n\f  case b():\n    c()",
    "\\\nx()\n\\\ny()",
    "x()\n\f# resilint: ignore\ny()  # resilint: too",
]


@pytest.mark.parametrize("source", LOSSY)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_form_feeds_and_missing_line_ends(source: str, newline: str) -> None:
    for before, after in product(BEFORE, AFTER):
        text = before + source.replace("\n", newline) + after.replace("\n", newline)
        try:
            module = cst.parse_module(text)
        except cst.ParserSyntaxError:
            continue
        positions = Positions(module, text)
        stack: list[cst.CSTNode] = [module]
        while stack:
            node = stack.pop()
            stack.extend(node.children)
            if isinstance(node, (cst.Call, cst.Return)):
                begin, end = positions.at[id(node)]
                assert text[begin:end] == module.code_for_node(node), repr(text)
        for offset, comment in positions.comments:
            assert text.startswith(comment, offset), repr(text)


def test_spans_of_steps() -> None:
    facts = lower(
        b"async def f():\n"
        b"    async  for x in (\n"
        b"        y):\n"
        b"        await  z( )\n"
        b"    with a as b: pass\n"
        b"    try: pass\n"
        b"    except E: q = r = 1\n"
    )
    loop, manager, trial = facts.scopes[1].body
    assert isinstance(loop, Loop) and isinstance(manager, With) and isinstance(trial, Try)
    assert loop.span == Span(2, 5, 3, 12)
    waiting = loop.body[-1]
    assert isinstance(waiting, Await)
    assert waiting.span == Span(4, 9, 4, 20)
    assert facts.scopes[1].sites[0].span == Span(4, 16, 4, 20)
    assert manager.span == Span(5, 5, 5, 17)
    assert manager.items[0].span == Span(5, 10, 5, 11)
    first, second = trial.handlers[0].body
    assert isinstance(first, Bind) and isinstance(second, Bind)
    assert (first.span, second.span) == (Span(7, 15, 7, 24), Span(7, 19, 7, 24))


def test_lines_of_definitions_and_statements() -> None:
    facts = lower(
        b'"""Long\nstring."""\n'
        b"@a(\n    1)\n@b\ndef f(\n    x=g(),\n) -> (\n    int\n):\n    return h(\n        1,\n    )\n\n# end\n"
    )
    function = facts.scopes[1]
    assert function.lines == (3, 6, 13)
    assert function.header_end == 10
    assert function.span == Span(6, 5, 6, 6)
    assert facts.statements == ((3, 4), (6, 10), (11, 13))
    assert [site.statement for site in facts.scopes[0].sites] == [3, 6]
    assert function.sites[0].statement == 11
    assert facts.lines == 15


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("", [0]),
        ("a", [0]),
        ("a\n", [0, 2]),
        ("a\r\nb\rc\nd", [0, 3, 5, 7]),
        ("a\x0bb\x0c\x1c\nc", [0, 6]),
        ("é\u2028\nb\r\n\r", [0, 3, 6, 7]),
    ],
)
def test_lines_end_as_in_python(text: str, starts: list[int]) -> None:
    assert line_starts(text) == starts

"""What would end the process in LibCST's parser is refused, and cheaply; what only looks like it is not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from resilint.facts import decode, encode
from resilint.syntax import lower
from resilint.syntax.nesting import MOST_BRACKETS, examine, first_open_string

TOO_DEEP = {
    "parentheses": "x = " + "(" * 3000 + "1" + ")" * 3000,
    "open parentheses": "x = " + "(" * 3000,
    "brackets on lines": "x = " + "[\n" * 3000 + "1" + "]\n" * 3000,
    "calls": "x = " + "f(" * 3000 + "1" + ")" * 3000,
    "closing brackets in strings": "x = " + '( ")" + ' * 3000 + "1" + ")" * 3000,
    "closing brackets in comments": "x = " + "( # )\n" * 3000 + "1" + ")" * 3000,
    "attributes": "x = a" + ".a" * 20000,
    "attributes on lines": "x = (a" + "\n.a" * 20000 + ")",
    "continued lines": "x = a" + " + \\\na" * 20000,
    "calls of calls": "x = a" + "()" * 20000,
    "calls with commas": "x = a" + ".f(b, c)" * 20000,
    "operators": "x = a" + " + a" * 20000,
    "operators that could be decorators": "x = (a" + "\n@a" * 20000 + ")",
    "powers": "x = a" + "**a" * 20000,
    "and": "x = a" + " and a" * 20000,
    "not": "x = " + "not " * 20000 + "a",
    "minus": "x = " + "-" * 20000 + "a",
    "lambda": "x = " + "lambda:" * 20000 + "a",
    "conditional": "x = " + "a if b else " * 20000 + "c",
    "elif": "if a: pass\n" + "elif a: pass\n" * 20000,
    "comprehension": "x = [a " + "for a in a " * 20000 + "]",
    "dotted import": "import a" + ".a" * 20000,
    "f-strings": "x = " + "f'{" * 3000 + "1" + "}'" * 3000,
    "f-strings and calls": "x = " + 'f"{f(' * 3000 + "1" + ')}"' * 3000,
    "format specifications": 'x = f"' + "{a:" * 3000 + "1" + "}" * 3000 + '"',
    "brackets in an f-string": "x = f'{" + "(" * 3000 + "1" + ")" * 3000 + "}'",
    "brackets behind an f-string with quotes": "x = f'{d['}']}', " + "(" * 3000 + ")" * 3000,
    "chain through strings that look like statements": "x = (a" + '\n+ """\nreturn"""' * 20000 + ")",
    "operators within brackets": "x = " + "(" * 100 + "a" + (" + a" * 200 + ")") * 100,
    "patterns": "match a:\n case " + "(" * 40 + "a" + ")" * 40 + ": pass",
    "pattern classes": "match a:\n case " + "A(k=" * 40 + "a" + ")" * 40 + ": pass",
}


@pytest.mark.parametrize("name", TOO_DEEP)
def test_too_deep(name: str) -> None:
    problem = lower(TOO_DEEP[name].encode()).problem
    assert problem is not None
    assert problem.message.startswith("nests too deeply")


STRANGE_BUT_FINE = {
    "brackets": "x = " + "[" * 150 + "]" * 150,
    "brackets in a string": "x = '" + "(" * 5000 + "'",
    "brackets in a comment": "x = 1 # " + "(" * 5000,
    "brackets in a raw string": "x = r'" + "(" * 5000 + "\\'('",
    "brackets in a long string": 'x = """\n' + "(\n" * 5000 + '"""',
    "braces in an f-string": "x = f'" + "{{" * 5000 + "'",
    "a table": "x = [" + "(1, -2, 'a', f(b, c.d)),\n" * 2000 + "]",
    "a long text": "x = (" + "'a'\n" * 2000 + ")",
    "a text in which dots are": "x = '" + "a." * 20000 + "'",
    "many statements": "a.b(c) + d\n" * 3000,
    "many statements on a line": "a;" * 3000,
    "many handlers": "try: pass\n" + "except a: pass\n" * 2000,
    "a chain of calls": "x = (a" + "\n.f(b, 'c')" * 100 + ")",
    "a text with operators": "x = a" + " + 'b'" * 1000,
    "a formula": "x = a" + " + b*c" * 500,
    "branches": "if a: pass\n" + "elif a: pass\n" * 150,
    "a nested pattern": "match a:\n case {'b': [C({'d': (e, f)})]}: pass",
    "a call called case": "x = case(a[b(c((((((((d)))))))))])",
    "f-strings in f-strings": """x = f"{a[f'{b:{c}}']!r:>{d}} {{ {f'{"e"}'}" """,
    "an if before a string": 'x = a if"{"else b',
}


@pytest.mark.parametrize("name", STRANGE_BUT_FINE)
def test_fine(name: str) -> None:
    facts = lower(STRANGE_BUT_FINE[name].encode())
    assert facts.problem is None
    assert decode(encode(facts)) == facts


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "(a.b+" * MOST_BRACKETS + "1" + ")" * MOST_BRACKETS,
        "x = " + "(" * 190 + "a" + "+a+a+a+a+a+a+a+a)" * 190,
        "x = " + "not " * 3900 + "a",
        "x = a" + "()" * 1900,
        "x = a" + ".a" * 1900,
        "x = a" + " + '' " * 1900,
    ],
)
def test_what_is_let_through_ends_no_process(source: str) -> None:
    code = "import sys\nfrom resilint.syntax import lower\nlower(sys.stdin.buffer.read())"
    done = subprocess.run([sys.executable, "-c", code], input=source.encode(), check=False, timeout=60)
    assert not examine(source).message
    assert done.returncode == 0


def test_place() -> None:
    text = 'a\n"""\n\n"""\nb = f(\n1)\nc = (\\\n' + "(" * 300 + ")" * 300 + ")\n"
    found = examine(text)
    assert found.line == 7
    assert found.message == f"nests too deeply: 301 brackets within each other (at most {MOST_BRACKETS} can be read)"
    assert first_open_string("a = '''b'''\n# '\nc = f'''{d}\n") == 3

"""What is linked does not depend on the order of files, nor on that of definitions in them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from resilint.catalogue import load_catalogue
from resilint.link import Settings, SourceFacts, link
from resilint.syntax import lower
from tests.pages.corpus import FIXTURES
from tests.pages.reader import Case, read_page

CATALOGUE = load_catalogue()
CASES = [case for page in sorted((FIXTURES / "callgraph").glob("*.md")) for case in read_page(page)]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{Path(case.page).stem}::{case.title}") for case in CASES])
def test_order(case: Case) -> None:
    sources = {file.path: file.text for file in case.files if file.path.endswith(".py")}
    expected = _graph(sources)
    assert _graph(dict(reversed(sources.items()))) == expected
    assert _graph({path: _reversed(text) for path, text in sources.items()}) == expected


def _graph(sources: dict[str, str]) -> set[tuple[str, str, bool, str]]:
    files = [SourceFacts(path, lower(text.encode())) for path, text in sources.items()]
    linked = link(files, CATALOGUE, Settings())
    name = linked.program.qualname
    edges = {
        (name(e.caller), name(e.callee), e.attached, e.kind) for out in linked.calls.outgoing.values() for e in out
    }
    roles = {(name(f), str(linked.roles.role(f).role), False, "role") for f in linked.program.functions()}
    return edges | roles


def _reversed(text: str) -> str:
    """The file with its functions and classes in reverse order, each in the place of another."""
    try:
        tree = ast.parse(text)
    except SyntaxError:  # newer than the interpreter
        return text
    definitions = [n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]
    if len({n.name for n in definitions}) < len(definitions):
        return text  # the last one of a name counts
    order = iter(reversed(definitions))
    body = [next(order) if node in definitions else node for node in tree.body]
    return "\n".join(ast.unparse(node) for node in body)

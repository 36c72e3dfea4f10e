"""The project's own words: none that says nothing, and no library's name where only the catalogue may know it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages.corpus import REPOSITORY

SOURCES = REPOSITORY / "src" / "resilint"
FILES = sorted(SOURCES.rglob("*.py"))
EMPTY_WORDS = {"util", "utils", "helper", "helpers", "common", "manager", "misc"}
OWN = {"click", "libcst", "msgspec", "pathspec", "rich", "sqlglot", "lsprotocol", "pygls", "resilint"}
"""What resilint itself is built on."""
ALSO_WORDS = {
    "grpc": "a group of outbound calls",
    "mcp": "likewise",
    "git": "the program that lists the files",
    "backoff": "a word in names of project functions",
}
"""Names of libraries that resilint uses as words of its own."""


def words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)}


def test_nothing_has_an_empty_name() -> None:
    found = [file for file in SOURCES.rglob("*") if words(file.stem) & EMPTY_WORDS]
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            # "Context manager" is Python's own word.
            if words(node.name.replace("context_manager", "").replace("ContextManager", "")) & EMPTY_WORDS:
                found.append(file / node.name)
    assert found == []


def libraries() -> set[str]:
    """The top-level modules that the catalogue names, without the standard library's."""
    names: set[str] = set()
    for file in sorted((SOURCES / "catalogue").glob("*.toml")):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        names.add(table["library"])
        for kind in ("function", "class", "constant", "annotation"):
            names |= set(table.get(kind, {}))
    tops = {name.partition(".")[0] for name in names}
    return {top for top in tops if top.isidentifier()} - set(sys.stdlib_module_names) - OWN


def literals(file: Path) -> Iterator[tuple[int, str]]:
    """The strings of a file, docstrings left out."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.lineno, node.value


@pytest.mark.parametrize("file", [pytest.param(f, id=f.relative_to(SOURCES).as_posix()) for f in FILES])
def test_no_library_is_named_in_python(file: Path) -> None:
    known = libraries()
    found = []
    for line, text in literals(file):
        for name in [*re.findall(r"(?<![\w.-])([A-Za-z_]\w*)(?=\.[A-Za-z_])", text), text]:
            if name in known and name not in ALSO_WORDS:
                found.append(f"{file}:{line}: {text!r} names {name}")
    assert found == [], "what a library means belongs into src/resilint/catalogue"


def test_libcst_stands_in_the_front_end_and_the_fixer_only() -> None:
    found = set()
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                imported = [node.module or ""]
            if any(name.partition(".")[0] == "libcst" for name in imported):
                found.add(file.relative_to(SOURCES).parts[0])
    assert found <= {"syntax", "fixes"}


def test_the_catalogue_is_not_empty() -> None:
    assert "fastapi" in libraries()

"""The layouts of nodes against LibCST: their children, in the order in which LibCST visits them."""

from __future__ import annotations

import inspect
import re

import libcst as cst
import pytest

from resilint.syntax.expressions import Expressions
from resilint.syntax.positions import LAYOUT, Positions

CHILD = re.compile(r"visit_\w+\(\s*self,\s*\"(\w+)\"")
SPECIAL = {
    "&guard": ["whitespace_after_if", "guard"],
    "&star": ["name"],
    "&rest": ["whitespace_before_rest", "rest", "trailing_comma"],
    "&as": ["pattern", "whitespace_before_as", "whitespace_after_as", "name"],
}
UNORDERED = {"AsName", "Del", "ParamSlash", "ParamSpec", "TypeVarTuple"}
"""LibCST visits white space of these in another order than it writes it in."""


def children(layout: str) -> list[str]:
    fields: list[str] = []
    for word in layout.split():
        if word == "(":
            fields.append("lpar")
        elif word == ")":
            fields.append("rpar")
        elif word in SPECIAL:
            fields.extend(SPECIAL[word])
        elif word[0] in ".?*~-%!^":
            fields.append(word[1:].lstrip("?"))
    return fields


def visited(name: str) -> list[str]:
    return CHILD.findall(inspect.getsource(getattr(cst, name)._visit_and_replace_children))


@pytest.mark.parametrize("name", sorted(LAYOUT))
def test_layout_has_the_children_of_libcst_in_order(name: str) -> None:
    mine, theirs = children(LAYOUT[name]), visited(name)
    if name in ("ImportFrom", "LazyImportFrom"):
        theirs.remove("names")  # twice there: the names may be a star
    if name in UNORDERED:
        assert mine != theirs
        mine.sort()
        theirs.sort()
    assert mine == theirs


def test_every_node_class_can_be_measured() -> None:
    functions = Positions(cst.parse_module(""), "")._functions
    nodes = {
        value
        for value in vars(cst).values()
        if isinstance(value, type) and issubclass(value, cst.CSTNode) and not inspect.isabstract(value)
    }
    leaves = {cst.Comment, cst.Newline, cst.ParenthesizedWhitespace}  # within white space
    assert {node.__name__ for node in nodes - set(functions) - leaves} <= {"CSTNode"}


def test_every_expression_has_a_visitor() -> None:
    expressions = {
        name
        for name, value in vars(cst).items()
        if isinstance(value, type) and issubclass(value, cst.BaseExpression) and not inspect.isabstract(value)
    }
    assert {name for name in expressions if not hasattr(Expressions, f"visit_{name}")} == set()

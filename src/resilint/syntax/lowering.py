"""One file: bytes to facts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import libcst as cst
import msgspec

from resilint.domain import Span
from resilint.facts import ModuleFacts, SyntaxProblem
from resilint.syntax.comments import is_generated, suppressions
from resilint.syntax.decoding import UndecodableError, decode_source
from resilint.syntax.errors import explained
from resilint.syntax.exports import exports
from resilint.syntax.nesting import examine
from resilint.syntax.positions import Positions, line_starts
from resilint.syntax.scopes import NOWHERE, Frame
from resilint.syntax.statements import Statements

_TOO_DEEP = "nests too deeply to be read"
_DEEPEST = 250
"""Facts that nest deeper could not be written or walked over by those who read them."""
_RECURSION = 20_000
"""Frames that the walks may take. Calls from Python to Python take no room on the machine's stack."""


def lower_source(source: bytes) -> ModuleFacts:
    """The facts of a file; whatever cannot be read becomes its ``problem``."""
    try:
        text = decode_source(source)
    except UndecodableError as error:
        return _unreadable(Span(error.line, error.column, error.line, error.column), str(error), 1)
    lines = len(line_starts(text)) - (text[-1:] in ("\n", "\r"))
    nesting = examine(text)
    if nesting.message:
        return _unreadable(Span(nesting.line, 1, nesting.line, 1), nesting.message, lines)
    try:
        with _deep_recursion():
            facts = _lower_module(cst.parse_module(text), text, lines)
            if nesting.is_deep and _depth(facts) > _DEEPEST:
                return _unreadable(NOWHERE, _TOO_DEEP, lines)
            return facts
    except cst.ParserSyntaxError as error:
        return _unreadable(*explained(error, text), lines)
    except RecursionError:
        return _unreadable(NOWHERE, _TOO_DEEP, lines)
    except BaseException as error:
        # A panic of LibCST's Rust part is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        return _unreadable(NOWHERE, f"cannot be read: {type(error).__name__}: {_first_line(str(error))}", lines)


def _lower_module(module: cst.Module, text: str, lines: int) -> ModuleFacts:
    positions = Positions(module, text)
    lowering = Statements(module, text, positions)
    try:
        lowering.block(module.body)
    finally:
        lowering.close()
    frame = lowering.frame
    frame.lines = (1, 1, lines)
    lowering.scopes[0] = frame.finished(lowering.steps)
    return ModuleFacts(
        scopes=tuple([scope for scope in lowering.scopes if scope is not None]),
        comments=suppressions(positions, text) if positions.comments else (),
        statements=tuple(sorted(lowering.statements)),
        lines=lines,
        generated=is_generated(module),
        exports=exports(lowering.steps),
    )


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _depth(facts: ModuleFacts) -> int:
    """How many structs stand within each other at most."""
    deepest = 0
    stack: list[tuple[object, int]] = [(facts, 0)]
    while stack:
        part, depth = stack.pop()
        if isinstance(part, msgspec.Struct):
            if depth > deepest:
                deepest = depth
            stack.extend([(value, depth + 1) for value in msgspec.structs.astuple(part)])
        elif isinstance(part, tuple) and not isinstance(part, Span):
            stack.extend([(value, depth) for value in part])
    return deepest


def _first_line(message: str) -> str:
    return message.strip().partition("\n")[0]


def _unreadable(span: Span, message: str, lines: int) -> ModuleFacts:
    frame = Frame("module", "", None, 0)
    frame.lines = (1, 1, lines)
    return ModuleFacts((frame.finished([]),), (), (), lines, False, None, SyntaxProblem(span, message))

"""Compares every position that the front end records with LibCST's own position providers.

    python bench/positions.py [--sample N] [--jobs N] PATHS...

Two things are held against LibCST: the offsets of ``resilint.syntax.positions``, node by node, and the spans in the
facts, as multisets a node class. Files that LibCST does not reproduce byte for byte are counted apart.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import libcst as cst
import msgspec
from libcst.metadata import MetadataWrapper, PositionProvider, WhitespaceInclusivePositionProvider

from resilint.domain import Span
from resilint.facts import Await, Load, ModuleFacts, WithItem, Yield
from resilint.facts.step import _Step
from resilint.facts.value import _Value
from resilint.syntax import lower
from resilint.syntax.decoding import decode_source
from resilint.syntax.positions import Positions


def nodes_of(module: cst.Module) -> Iterator[cst.CSTNode]:
    stack: list[cst.CSTNode] = [module]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.children)


def expected(node: cst.CSTNode, semantic: Any, inclusive: Any) -> tuple[tuple[int, int], ...]:
    """What LibCST says of a node, in the shape in which it is recorded."""

    def start(one: cst.CSTNode, provider: Any = semantic) -> tuple[int, int]:
        return provider[one].start.line, provider[one].start.column + 1

    def end(one: cst.CSTNode, provider: Any = semantic) -> tuple[int, int]:
        return provider[one].end.line, provider[one].end.column + 1

    if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        first = start(node.decorators[0]) if node.decorators else start(node)
        return first, start(node), start(node.body, inclusive), end(node)
    if isinstance(
        node, (cst.ExceptHandler, cst.ExceptStarHandler, cst.If, cst.While, cst.For, cst.With, cst.MatchCase)
    ):
        if isinstance(node.body, cst.IndentedBlock):
            return start(node), start(node.body.header, inclusive)
        assert isinstance(node.body, cst.SimpleStatementSuite)
        return start(node), start(node.body.leading_whitespace, inclusive)
    if isinstance(node, cst.Match):
        return start(node), start(node.whitespace_after_colon, inclusive)
    if isinstance(node, cst.CompFor):
        return end(node.whitespace_before, inclusive), end(node.iter, inclusive)
    if isinstance(node, cst.ImportFrom) and node.rpar is not None:
        return start(node), end(node.rpar, inclusive)
    return start(node), end(node)


def spans_in(facts: ModuleFacts) -> dict[str, Counter[Span]]:
    """The spans of calls, awaits, attribute loads and so on in the facts."""
    found: dict[str, Counter[Span]] = {
        name: Counter() for name in ("Call", "Await", "Attribute", "Yield", "name", "item")
    }

    def walk(part: object) -> None:
        if isinstance(part, Await):
            found["Await"][part.span] += 1
        elif isinstance(part, Load):
            found["Attribute"][part.span] += 1
        elif isinstance(part, Yield):
            found["Yield"][part.span] += 1
        elif isinstance(part, WithItem):
            found["item"][part.span] += 1
        if isinstance(part, (_Step, WithItem)) or type(part).__name__ in ("Case", "Handler"):
            for value in msgspec.structs.astuple(part):  # type: ignore[arg-type]
                if not isinstance(value, _Value):
                    walk(value)
        elif isinstance(part, tuple) and not isinstance(part, Span):
            for value in part:
                walk(value)

    for scope in facts.scopes:
        for site in scope.sites:
            found["Call"][site.span] += 1
        if scope.kind in ("class", "function"):
            found["name"][scope.span] += 1
        walk(scope.body)
    return found


def compare(path: Path) -> tuple[str, int, list[str]]:
    """``same``, ``skipped`` or ``lossy``, how many positions were compared, and the differences."""
    gc.disable()
    sys.setrecursionlimit(20_000)
    source = path.read_bytes()
    facts = lower(source, str(path))
    if facts.problem is not None:
        return "skipped", 0, []
    text = decode_source(source)
    module = cst.parse_module(text)
    if module.code != text:
        return "lossy", 0, []
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    semantic = wrapper.resolve(PositionProvider)
    inclusive = wrapper.resolve(WhitespaceInclusivePositionProvider)
    positions = Positions(module, text)
    differences = []
    count = 0
    by_class: dict[str, Counter[Span]] = {
        name: Counter() for name in ("Call", "Await", "Attribute", "Yield", "name", "item")
    }
    for node in nodes_of(module):
        kind = type(node).__name__
        if kind in by_class:
            by_class[kind][_span(semantic[node])] += 1
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            by_class["name"][_span(semantic[node.name])] += 1
        elif isinstance(node, cst.WithItem):
            by_class["item"][_span(semantic[node.item])] += 1
        places = positions.at.get(id(node))
        if places is None:
            continue
        count += 1
        found = tuple(positions.span(place, place)[:2] for place in places)
        wanted = expected(node, semantic, inclusive)
        if found != wanted:
            differences.append(f"{path}: {kind}: {found} instead of {wanted}")
    for name, spans in spans_in(facts).items():
        extra = spans - by_class[name]
        # Calls in annotations that are strings are seen by the front end alone.
        differences.extend(
            f"{path}: {name} at {span} is in the facts alone" for span in extra if not _in_string(text, span)
        )
        if name != "Attribute":
            differences.extend(f"{path}: {name} at {span} is not in the facts" for span in by_class[name] - spans)
        count += spans.total()
    return "same", count, differences


def _in_string(text: str, span: Span) -> bool:
    line = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[span.line - 1]
    return any(quote in line[: span.column] for quote in "'\"")


def _span(place: Any) -> Span:
    return Span(place.start.line, place.start.column + 1, place.end.line, place.end.column + 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--sample", type=int, default=0, help="how many files, chosen at random (0: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    files: list[Path] = []
    for path in map(Path, options.paths):
        files.extend(sorted(path.rglob("*.py")) if path.is_dir() else [path])
    if options.sample:
        files = random.Random(options.seed).sample(files, min(options.sample, len(files)))
    outcomes: Counter[str] = Counter()
    total = 0
    wrong: list[str] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for outcome, count, differences in pool.map(compare, files, chunksize=8):
            outcomes[outcome] += 1
            total += count
            wrong.extend(differences)
    for line in wrong[:50]:
        print(line)
    print(
        f"{outcomes['same']} files compared, {outcomes['lossy']} that LibCST does not reproduce, "
        f"{outcomes['skipped']} that it does not read; {total} positions, {len(wrong)} differences"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""A least fixpoint over sets, computed on demand.

A node is computed when it is first asked for, and again when something it asked for has grown. All computations are
monotone, so the result is the least fixpoint whatever the order: results depend neither on the order of files nor on
that of definitions.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, TypeAlias

from resilint.link.containers import normal
from resilint.link.entities import NOBODY, Entities

Node: TypeAlias = tuple[Any, ...]

DEEPEST = 500
"""Nodes that are computed inside each other; what lies deeper waits in the queue, so that the interpreter's stack
suffices."""

LIMIT = 24
"""A set that grows beyond this says nothing useful any more; it stops growing (a registry of everything)."""

_SINGLE = frozenset({"returns", "own"})
"""What a function returns: more than ``LIMIT`` alternatives, also where they come at once, are as good as none. A
parameter that is called may stand for many functions all the same (that of a decorator)."""

_LAST = 1 << 40
_UNRANKED = 1 << 39


class _Cell:
    """What is known of a node: one look-up a question instead of one a table."""

    __slots__ = ("node", "queued", "rank", "readers", "value")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.value: Entities | None = None
        """None before it is first computed."""
        self.readers: dict[_Cell, None] = {}
        self.rank = _UNRANKED
        """In which order nodes were first finished: what a node is made of comes before it."""
        self.queued = False


class Solver:
    """``compute`` maps the first field of a node to the function that computes it from the other fields."""

    def __init__(self) -> None:
        self.compute: dict[str, Callable[..., Entities]] = {}
        self._cells: dict[Node, _Cell] = {}
        self._queue: list[tuple[int, Node, _Cell]] = []
        self._current: _Cell | None = None
        self._depth = 0
        self._finished = 0
        self._deferred: list[_Cell] = []
        self.settled = False
        """The fixpoint is reached: what is asked for from now on is computed to the end at once."""
        self._draining = False

    def get(self, node: Node) -> Entities:
        """The value so far; whoever is being computed is computed again when it grows."""
        cell = self._cells.get(node)
        if cell is None:
            cell = self._cells[node] = _Cell(node)
        current = self._current
        if current is not None:
            cell.readers[current] = None
        value = cell.value
        return self._first(cell) if value is None else value

    def _first(self, cell: _Cell) -> Entities:
        cell.value = NOBODY
        if self._depth >= DEEPEST:  # later, from the queue: whoever reads it now is told when it is known
            self._deferred.append(cell)
            return NOBODY
        self._depth += 1
        try:
            self._evaluate(cell)
        finally:
            self._depth -= 1
        self._finish(cell)
        if self.settled and self._current is None and (self._queue or self._deferred) and not self._draining:
            self.drain()
        return cell.value

    def _finish(self, cell: _Cell) -> None:
        cell.rank = self._finished
        self._finished += 1

    def _evaluate(self, cell: _Cell) -> None:
        outer = self._current
        self._current = cell
        node = cell.node
        try:
            new = self.compute[node[0]](*node[1:])
        finally:
            self._current = outer
        old = cell.value
        if new and not (old and new <= old):
            merged = normal(old | new if old else new)
            if merged == old or (len(merged) > LIMIT and (old or node[0] in _SINGLE)):
                return
            cell.value = merged
            for reader in cell.readers:
                if not reader.queued and reader.value is not None:
                    self._enqueue(reader)

    def _enqueue(self, cell: _Cell) -> None:
        cell.queued = True
        # Parameters come last, so that all their callers are known by then: each looks at every call.
        heapq.heappush(self._queue, (cell.rank + _LAST if cell.node[0] == "parameter" else cell.rank, cell.node, cell))

    def touch(self, node: Node) -> None:
        """Everything that read ``node`` is computed again."""
        cell = self._cells.get(node)
        if cell is not None:
            for reader in cell.readers:
                if not reader.queued and reader.value is not None:
                    self._enqueue(reader)

    def again(self, node: Node) -> None:
        """The node is computed again, if it was before."""
        cell = self._cells.get(node)
        if cell is not None and not cell.queued and cell.value is not None:
            self._enqueue(cell)

    def watch(self, node: Node) -> None:
        """The current computation depends on ``node``, which is no set but something ``touch``-ed by hand."""
        if self._current is not None:
            cell = self._cells.get(node)
            if cell is None:
                cell = self._cells[node] = _Cell(node)
            cell.readers[self._current] = None

    def drain(self) -> None:
        """Compute everything that waits."""
        self._draining = True
        try:
            while self._queue or self._deferred:
                if self._deferred:
                    cell = self._deferred.pop()
                    self._evaluate(cell)
                    self._finish(cell)
                    continue
                cell = heapq.heappop(self._queue)[2]
                cell.queued = False
                self._evaluate(cell)
        finally:
            self._draining = False

    def empty(self, kind: str) -> list[Node]:
        """Nodes of a kind about which nothing is known yet."""
        return [
            node for node, cell in self._cells.items() if node[0] == kind and cell.value is not None and not cell.value
        ]

"""A least fixpoint over sets, computed on demand.

A node is computed when it is first asked for, and again when something it asked for has grown. All computations are
monotone, so the
result is the least fixpoint whatever the order: results depend neither on the order of files nor on that of
definitions.
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


class Solver:
    """``compute`` maps the first field of a node to the function that computes it from the other fields."""

    def __init__(self, compute: dict[str, Callable[..., Entities]]) -> None:
        self._compute = compute
        self._values: dict[Node, Entities] = {}
        self._dependents: dict[Node, dict[Node, None]] = {}
        self._queue: list[tuple[int, Node]] = []
        self._queued: set[Node] = set()
        self._rank: dict[Node, int] = {}
        """In which order nodes were first finished: what a node is made of comes before it."""
        self._current: Node | None = None
        self._depth = 0
        self._deferred: list[Node] = []
        self.settled = False
        """The fixpoint is reached: what is asked for from now on is computed to the end at once."""
        self._draining = False

    def get(self, node: Node) -> Entities:
        """The value so far; whoever is being computed is computed again when it grows."""
        if self._current is not None:
            readers = self._dependents.get(node)
            if readers is None:
                self._dependents[node] = {self._current: None}
            else:
                readers[self._current] = None
        value = self._values.get(node)
        if value is None:
            self._values[node] = NOBODY
            if self._depth >= DEEPEST:  # later, from the queue: whoever reads it now is told when it is known
                self._deferred.append(node)
                return NOBODY
            self._depth += 1
            try:
                self._evaluate(node)
            finally:
                self._depth -= 1
            self._rank[node] = len(self._rank)
            if self.settled and self._current is None and (self._queue or self._deferred) and not self._draining:
                self.drain()
            return self._values[node]
        return value

    def _evaluate(self, node: Node) -> None:
        outer = self._current
        self._current = node
        try:
            new = self._compute[node[0]](*node[1:])
        finally:
            self._current = outer
        old = self._values[node]
        if new and not new <= old:
            merged = normal(old | new if old else new)
            if merged == old or (len(merged) > LIMIT and old):
                return
            self._values[node] = merged
            self.touch(node)

    def touch(self, node: Node) -> None:
        """Everything that read ``node`` is computed again."""
        for reader in self._dependents.get(node, ()):
            self.again(reader)

    def again(self, node: Node) -> None:
        if node in self._values and node not in self._queued:
            self._queued.add(node)
            # Parameters come last, so that all their callers are known by then: each looks at every call.
            last = 1 << 40 if node[0] == "parameter" else 0
            heapq.heappush(self._queue, (last + self._rank.get(node, 1 << 39), node))

    def watch(self, node: Node) -> None:
        """The current computation depends on ``node``, which is no set but something ``touch``-ed by hand."""
        if self._current is not None:
            self._dependents.setdefault(node, {})[self._current] = None

    def drain(self) -> None:
        self._draining = True
        try:
            while self._queue or self._deferred:
                if self._deferred:
                    node = self._deferred.pop()
                    self._evaluate(node)
                    self._rank[node] = len(self._rank)
                    continue
                _, node = heapq.heappop(self._queue)
                self._queued.discard(node)
                self._evaluate(node)
        finally:
            self._draining = False

    def empty(self, kind: str) -> list[Node]:
        """Nodes of a kind about which nothing is known yet."""
        return [node for node, value in self._values.items() if node[0] == kind and not value]

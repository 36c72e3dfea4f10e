"""The effective configuration: every key's value, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from resilint.config.keys import BLOCKING_GROUPS, KEYS, OUTBOUND_GROUPS

Table = tuple[tuple[str, tuple[str, ...]], ...]
"""Names and their texts, in the order written."""


class Origin(NamedTuple):
    """Where a value was written."""

    kind: Literal["default", "file", "command line"]
    path: str = ""
    line: int = 0

    def __str__(self) -> str:
        if self.kind == "file":
            return f"{self.path}:{self.line}" if self.line else self.path
        return self.kind


class Switches(NamedTuple):
    """Rules switched in one role."""

    ignore: tuple[str, ...] = ()
    select: tuple[str, ...] = ()


DEFAULT = Origin("default")
COMMAND_LINE = Origin("command line")


@dataclass(frozen=True, slots=True)
class Configuration:
    """One field a key of :data:`~resilint.config.keys.KEYS`; rule names are not yet looked up here."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    strict: bool = False
    min_confidence: str = "medium"
    fail_on: str = "error"
    src: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    extend_exclude: tuple[str, ...] = ()
    per_file_ignores: Table = ()
    per_role: tuple[tuple[str, Switches], ...] = ()
    long_sleep_threshold: float = 5.0
    wait_budget: float = 2.0
    handler_wait_allowance: float = 0.0
    client_deadlines: Literal["accept", "reject"] = "accept"
    outbound_groups: tuple[str, ...] = OUTBOUND_GROUPS
    blocking_groups: tuple[str, ...] = BLOCKING_GROUPS
    run_blocking: str = ""
    timeout_expression: str = ""
    house_client: str = ""
    worker_deadlines: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    sql_dialects: tuple[str, ...] = ()
    roles: Table = ()
    outbound: Table = ()
    blocking: Table = ()
    enqueue: Table = ()
    catalogue: tuple[str, ...] = ()
    """Absolute paths."""
    baseline: str = ""
    """An absolute path, or empty."""
    extend: str = ""
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """By key; a key of a table has an entry ``table.name`` of its own, an element ``key[0]``."""
    files: tuple[Path, ...] = ()
    """The files read, the nearest first."""

    def origin(self, key: str) -> Origin:
        return self.origins.get(key, DEFAULT)

    def items(self) -> list[tuple[str, Any, Origin]]:
        """Key, value, origin, in the order of the documentation."""
        return [(key.name, getattr(self, key.attribute), self.origin(key.name)) for key in KEYS]

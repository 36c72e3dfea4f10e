"""What the linker is given besides the catalogue: lowered files and the part of the configuration that changes
verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from resilint.facts import ModuleFacts


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """One file: its path relative to the root, with ``/``, and its facts."""

    path: str
    facts: ModuleFacts


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration as the analysis sees it; durations in seconds. Defaults are RULES.md's."""

    src: tuple[str, ...] = ()
    """Import roots, relative to the root; empty: inferred."""
    long_sleep_threshold: float = 5.0
    wait_budget: float = 2.0
    handler_wait_allowance: float = 0.0
    client_deadlines: Literal["accept", "reject"] = "accept"
    outbound_groups: frozenset[str] = frozenset(
        {"http", "llm", "smtp", "chat", "cloud", "grpc", "websocket", "socket", "soap", "graphql", "mcp"}
    )
    """Groups of outbound calls that are looked at (off by default: database, broker, cache)."""
    blocking_groups: frozenset[str] = frozenset({"core", "files"})
    run_blocking: str = ""
    timeout_expression: str = ""
    house_client: str = ""
    worker_deadlines: tuple[str, ...] = ()
    roles: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Role name and its patterns (paths and qualified names), in the order configured."""
    outbound: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Class or function, and methods (none: the call itself)."""
    blocking: tuple[tuple[str, tuple[str, ...]], ...] = ()
    enqueue: tuple[tuple[str, tuple[str, ...]], ...] = ()
    rejected: tuple[str, ...] = ()
    sql_dialects: tuple[str, ...] = ()
    extra: dict[str, object] = field(default_factory=dict)

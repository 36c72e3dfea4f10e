"""What the names of columns say."""

from __future__ import annotations

import re
from functools import lru_cache

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_STATES = frozenset({"status", "state", "phase", "stage"})
_NOW = frozenset({"now", "utcnow"})
_ATTEMPTS = frozenset({"attempt", "attempts", "retry", "retries", "tries", "retrycount"})
_DUE = frozenset({"attempt", "retry", "try"})
_FILLED_WORDS = frozenset({"at", "on", "by", "time", "date", "ts", "timestamp", "until"})
_TAKEN = frozenset(
    [
        "lock",
        "locked",
        "locker",
        "claim",
        "claimed",
        "lease",
        "leased",
        "worker",
        "owner",
        "pick",
        "picked",
        "taken",
        "take",
        "processed",
        "processing",
        "sent",
        "started",
        "finished",
        "done",
        "completed",
        "delivered",
        "dispatched",
        "handled",
        "published",
        "acquired",
        "reserved",
        "fetched",
        "executed",
        "consumed",
        "run",
        "assigned",
        "holder",
        "executor",
        "consumer",
    ]
)
_GONE = frozenset(
    [
        "delete",
        "deleted",
        "archive",
        "archived",
        "remove",
        "removed",
        "revoke",
        "revoked",
        "expire",
        "expired",
        "expires",
        "expiry",
        "expiration",
        "cancel",
        "cancelled",
        "canceled",
        "disable",
        "disabled",
        "banned",
        "suspended",
        "deactivated",
        "trashed",
        "discarded",
        "error",
        "parent",
    ]
)
_KEYS = frozenset({"id", "pk", "uuid", "guid", "oid", "rowid", "ctid"})


@lru_cache(maxsize=8192)
def words(name: str) -> tuple[str, ...]:
    """``nextAttempt_at`` as ``next``, ``attempt``, ``at``."""
    return tuple(part.lower() for part in _PARTS.findall(name))


def is_state(column: str) -> bool:
    """``status``, ``state``, ``phase``, ``stage``, with or without a word before it."""
    return words(column)[-1:] != () and words(column)[-1] in _STATES


def is_now(name: str) -> bool:
    """A name for the current time: ``now``, ``utcnow``, ``now_utc``."""
    parts = words(name)
    return bool(parts) and (not _NOW.isdisjoint(parts) or parts in (("current", "time"), ("current", "timestamp")))


def is_marker(column: str) -> bool:
    """A column that is filled when somebody takes or finishes the row (``locked_at``, ``worker_id``). Not those of rows
    that are out of use (``deleted_at``)."""
    parts = words(column)
    if not parts or not _GONE.isdisjoint(parts):
        return False
    return parts[-1] in _FILLED_WORDS or not _TAKEN.isdisjoint(parts)


def is_attempts(name: str) -> bool:
    """A number of attempts: ``retry_count``, ``attempts``, ``num_tries``; no time (``next_attempt_at``), no limit."""
    parts = words(name)
    if _ATTEMPTS.isdisjoint(parts) or not _FILLED_WORDS.isdisjoint(parts):
        return False
    return _LIMITS.isdisjoint(parts) and "next" not in parts and "after" not in parts and "delay" not in parts


_LIMITS = frozenset({"max", "limit", "maximum", "allowed", "cap"})


def is_due(name: str) -> bool:
    """The time of the next attempt: ``next_attempt_at``, ``retry_at``, ``next_retry``, ``retry_after``."""
    parts = words(name)
    if _DUE.isdisjoint(parts):
        return False
    if "last" in parts or "first" in parts or not _LIMITS.isdisjoint(parts):
        return False
    return parts[-1] in ("at", "on", "time", "after", "ts", "date") or "next" in parts


def is_key(column: str, table: str = "") -> bool:
    """``id``, or ``task_id`` of a table of tasks."""
    parts = words(column)
    if parts and len(parts) == 1 and parts[0] in _KEYS:
        return True
    if len(parts) < 2 or parts[-1] not in _KEYS:
        return False
    rest = parts[:-1]
    of = words(table.rpartition(".")[2])
    singular = tuple(word[:-1] if word.endswith("s") else word for word in of)
    return bool(of) and (rest == of[-len(rest) :] or rest == singular[-len(rest) :])

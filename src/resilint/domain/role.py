"""What a function is for; it decides which rules apply to it (RULES.md, section 2)."""

import enum
from typing import NamedTuple


class Role(enum.StrEnum):
    """The roles of RULES.md section 2."""

    HANDLER = "handler"
    STREAM = "stream"
    ADAPTER = "adapter"
    WORKER = "worker"
    SCRIPT = "script"
    TEST = "test"
    PLAIN = "plain"


class RoleReason(NamedTuple):
    """A role, how it was found, and why in words that a user reads."""

    role: Role
    source: str
    """One of ``pragma``, ``configuration``, ``framework``, ``callers``, ``convention``, ``default``."""
    text: str

"""The linked program with everything that the linker concluded."""

from __future__ import annotations

from dataclasses import dataclass

from resilint.link.calls import CallGraph
from resilint.link.infer import Inference
from resilint.link.program import Program
from resilint.link.roles import Roles


@dataclass(frozen=True, slots=True)
class Linked:
    """What ``link.link`` returns: later layers ask it, none changes it."""

    program: Program
    inference: Inference
    calls: CallGraph
    roles: Roles

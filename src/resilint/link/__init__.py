"""The linker: facts of all files become one program with names, types, calls and roles."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from resilint.catalogue import Catalogue
from resilint.link.calls import CallGraph
from resilint.link.configured import with_configured
from resilint.link.infer import Inference
from resilint.link.inputs import Settings, SourceFacts
from resilint.link.linked import Linked
from resilint.link.program import Program
from resilint.link.roles import Roles

__all__ = ["Linked", "Settings", "SourceFacts", "link"]


def link(files: Sequence[SourceFacts], catalogue: Catalogue, settings: Settings) -> Linked:
    """Link all files. The result depends on their content alone, not on their order."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 40_000))
    try:
        program = Program(files, with_configured(catalogue, settings), settings)
        inference = Inference(program)
        inference.solve()
        calls = CallGraph(program, inference)
        roles = Roles(program, inference, calls)
    finally:
        sys.setrecursionlimit(limit)
    return Linked(program, inference, calls, roles)

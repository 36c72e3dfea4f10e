"""The front end: a file's bytes to its facts.

LibCST is imported when the first file is lowered, not before: a run that finds everything in the cache goes without it.
"""

from __future__ import annotations

from resilint.facts import ModuleFacts

__all__ = ["lower"]


def lower(source: bytes, path: str = "") -> ModuleFacts:
    """The facts of a file, a pure function of its bytes.

    It never raises: a file that cannot be decoded or parsed, or that nests too deeply, has one empty scope and a
    :class:`~resilint.facts.SyntaxProblem`. ``path`` has no influence.
    """
    from resilint.syntax.lowering import lower_source

    return lower_source(source)

"""What comments say: suppressions, and that a file is generated."""

from __future__ import annotations

import re
from itertools import islice

import libcst as cst

from resilint.facts import Comment
from resilint.syntax.literals import string_value
from resilint.syntax.positions import Positions

_HEAD = 40
"""A notice stands in the first lines of a file."""
_GENERATED = re.compile(
    r"""
    @generated\b
    | \bgenerated\ by\ the\ (?:protocol\ buffer|grpc)
    | \bgenerated\ protocol\ buffer\ code\b
    | \bcode\ generated\ (?:by|from|using|with)\b
    | ^\W* (?:auto[-\ ]?|automatically\ ) generated\b
    | ^\W* generated\ (?:by|from|using|with)\b
    | ^\W* (?:this|the)\ (?:\w+\ ){0,2} (?:file|code|module|class|stub|client|model)s?
        \ (?:is|was|are|were|has\ been)\ (?:auto[-\ ]?|automatically\ )? generated\b
    | ^\W* file\ (?:auto[-\ ]?|automatically\ )? generated\b
    | \bgenerated\b [\s\S]{0,80} \bdo\ not\ (?:edit|modify|change)\b
    | \bdo\ not\ (?:edit|modify|change)\b [\s\S]{0,60} \bgenerated\b
    | ^\W* do\ not\ (?:edit|modify) (?:\ this\ file|\ by\ hand|\ manually|\ directly)? \W*$
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""The conventional notices; a sentence that only speaks of something generated is none."""


def suppressions(positions: Positions, text: str) -> tuple[Comment, ...]:
    """The comments that hold ``resilint:``."""
    made = []
    for offset, comment in positions.comments:
        span = positions.span(offset, offset + len(comment))
        made.append(Comment(span, comment, not text[offset - span.column + 1 : offset].strip()))
    return tuple(made)


def is_generated(module: cst.Module) -> bool:
    """Whether the comments or the docstring at the head of a file say that it is generated."""
    lines = [*module.header]
    docstring = ""
    if module.body:
        first = module.body[0]
        lines.extend(getattr(first, "leading_lines", ()))
        if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr):
            value = first.body[0].value
            if isinstance(value, cst.SimpleString):
                docstring = "\n".join(string_value(value.value).value.splitlines()[:_HEAD])
                if len(module.body) > 1:
                    lines.extend(getattr(module.body[1], "leading_lines", ()))
    comments = [line.comment.value for line in islice(lines, _HEAD) if line.comment is not None]
    return any(_GENERATED.search(part) for part in ("\n".join(comments), docstring) if part)

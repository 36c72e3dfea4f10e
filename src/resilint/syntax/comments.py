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
    | \bcode\ generated\b (?:.*\bdo\ not\ edit\b | \ by\b)
    | \bgenerated\ by\ the\ (?:protocol\ buffer|grpc|gRPC\ Python)
    | \b(?:this\ (?:file|code|module|class|model|is)|file|code)\b [\w\s]{0,40}? \b(?:auto(?:matically)?[-\s]?)?generated\b (?!\s+(?:if|when|from\ user))
    | \b(?:auto(?:matically)?[-\s]?)generated\b .{0,60} (?:\bby\b|\bfrom\b|\bdo\ not\ (?:edit|modify|change)\b|\bfile\b|\bcode\b)
    | ^\W*(?:auto(?:matically)?[-\s]?)generated\b
    | \bgenerated\b .{0,80} \bdo\ not\ (?:edit|modify|change|touch)\b
    | \bdo\ not\ (?:edit|modify|change)\b (?:\ (?:this\ file|manually|by\ hand|directly|it))? \W* (?:.{0,40}\bgenerated\b)
    | ^\W*do\ not\ (?:edit|modify)\W*$
    | \bgenerated\ by\ (?:django|openapi|swagger|datamodel-codegen|fern|stainless|speakeasy|betterproto|thrift|antlr|autorest|pyuic|cython|sqlc)\b
    | \bfile\ generated\ (?:from\ our\ openapi\ spec|by)\b
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


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

"""How a defect of resilint itself is told: what broke, where, and where to report it; no traceback unless asked for."""

from __future__ import annotations

import os
import traceback

REPORT_AT = "https://github.com/resilint/resilint/issues"
HINT = (
    f"A defect of resilint, not of your code. Please report it at {REPORT_AT}; RESILINT_DEBUG=1 prints the traceback."
)


def debugging() -> bool:
    """Whether exceptions are to be raised instead of told."""
    return os.environ.get("RESILINT_DEBUG") == "1"


def describe(problem: BaseException) -> str:
    """The exception and the innermost place in resilint, in one line."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame for frame in frames if f"{os.sep}resilint{os.sep}" in frame.filename] or list(frames)
    place = ""
    if own:
        inner = own[-1].filename.replace(os.sep, "/").rpartition("/resilint/")[2]
        place = f" at {inner}:{own[-1].lineno}"
    text = " ".join(str(problem).split())
    return f"{type(problem).__name__}{f': {text[:300]}' if text else ''}{place}"

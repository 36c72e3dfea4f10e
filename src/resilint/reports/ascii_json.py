"""JSON that is plain ASCII: nothing in it moves a cursor, turns a line around or is a command to a log."""

from __future__ import annotations

import json
from typing import Any


def dumped(document: Any, indent: int | None = 2) -> str:
    """A document as JSON, without a line end. ``##`` is written by number, which a reader of JSON does not notice."""
    text = json.dumps(document, indent=indent, separators=None if indent else (",", ":"))
    return text.replace("##", "\\u0023\\u0023")

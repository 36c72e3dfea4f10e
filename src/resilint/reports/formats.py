"""The formats by name. A format is imported when it is used: a plain run needs one of them."""

from __future__ import annotations

import importlib

from resilint.reports.summary import Report

TEXT = "text"
MACHINE = {
    "concise": ("concise", "concise"),
    "json": ("json_object", "as_json"),
    "jsonl": ("json_lines", "as_json_lines"),
    "sarif": ("sarif", "as_sarif"),
    "github": ("github", "as_github"),
    "gitlab": ("gitlab", "as_gitlab"),
    "junit": ("junit", "as_junit"),
}
"""Name of a format to its module here and the function in it. All take a report and nothing else."""
FORMATS = (TEXT, *MACHINE)


def formatted(name: str, report: Report) -> str:
    """The report in the format ``name``, which is one of :data:`MACHINE`."""
    module, function = MACHINE[name]
    made: str = getattr(importlib.import_module(f"resilint.reports.{module}"), function)(report)
    return made

"""The rules as the folder lists them: a module each, with one ``RULE``, and a page beside it."""

from __future__ import annotations

import importlib
from pathlib import Path

from resilint.rule import Rule
from tests.pages.corpus import RULES


def rule_modules() -> list[Path]:
    return sorted(file for file in RULES.glob("*.py") if not file.stem.startswith("_"))


def rules() -> dict[str, Rule]:
    """Name to rule, for every module."""
    found: dict[str, Rule] = {}
    for file in rule_modules():
        rule = importlib.import_module(f"resilint.rules.{file.stem}").RULE
        assert isinstance(rule, Rule), file
        found[rule.name] = rule
    return found

"""The rules: one module and one page each. This folder's listing is the list of rules."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib import resources

from resilint.rule import Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, in order of id and name."""
    found = [importlib.import_module(f"{__name__}.{module.name}").RULE for module in pkgutil.iter_modules(__path__)]
    return tuple(sorted(found, key=lambda rule: (rule.id, rule.name)))


def page(name: str) -> str:
    """The rule's page as Markdown.

    Raises:
        FileNotFoundError: there is no such rule.
    """
    return resources.files(__name__).joinpath(name.replace("-", "_") + ".md").read_text(encoding="utf-8")

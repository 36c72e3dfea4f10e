"""The layers below, as functions that a session calls. Imported when first called, and replaceable in tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from resilint.link.inputs import Settings, SourceFacts
from resilint.rule import Rule


def _catalogue(extra: Sequence[Path]) -> Any:
    from resilint.catalogue import load_catalogue

    return load_catalogue(extra)


def _link(files: Sequence[SourceFacts], catalogue: Any, settings: Settings) -> Any:
    from resilint.link import link

    return link(files, catalogue, settings)


def _summarise(program: Any) -> Any:
    from resilint.summaries import analyse

    return analyse(program)


def _roles(program: Any) -> Mapping[str, int]:
    return Counter(reason.role.value for reason in program.roles.roles.values())


def _rules() -> tuple[Rule, ...]:
    from resilint.rules import all_rules

    rules: tuple[Rule, ...] = all_rules()
    return rules


@dataclass(frozen=True, slots=True)
class Passes:
    """What happens between facts and findings."""

    catalogue: Callable[[Sequence[Path]], Any] = _catalogue
    link: Callable[[Sequence[SourceFacts], Any, Settings], Any] = _link
    summarise: Callable[[Any], Any] = _summarise
    rules: Callable[[], tuple[Rule, ...]] = _rules
    roles: Callable[[Any], Mapping[str, int]] = _roles
    """How many functions of a program have each role."""

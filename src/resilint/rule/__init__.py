"""How a rule is declared, and what it yields.

A rule is one module ``rules/<name>.py`` with one :class:`Rule` called ``RULE``, beside its page ``rules/<name>.md``.
A rule reads the
linked program and its summaries and yields findings; whether a finding becomes a report (roles, precedence, confidence,
suppression, baseline) is decided once, in ``check.judge``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from resilint.domain import Confidence, FixPlan, Role, Severity, Span, Witness

EXEMPT: frozenset[Role] = frozenset({Role.TEST, Role.SCRIPT})
"""Roles that no rule reports in unless it says otherwise (RULES.md, section 2)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found. It becomes a diagnostic unless policy says otherwise."""

    path: str
    """The file it stands in, relative to the project's root."""
    span: Span
    message: str
    """A headline that can stand alone: what, with the numbers. No final full stop, no rule id."""
    role: Role
    """The role that decides: of the entry, for a rule that follows calls; else of the function it stands in."""
    subject: str
    """The qualified name of the thing reported (``asyncio.sleep``, ``httpx.AsyncClient.get``); part of the
    fingerprint."""
    function: str = ""
    """The qualified name of the function it stands in, empty at module level; part of the fingerprint."""
    hint: str = ""
    """What to do instead, in an imperative sentence or two."""
    confidence: Confidence = Confidence.HIGH
    severity: Severity | None = None
    """Where it differs from the rule's own."""
    witness: Witness = ()
    """The call path, from the entry to the place; empty where one function is all there is."""
    fix: FixPlan | None = None
    precedence_key: tuple[str, int, int] | None = None
    """Findings with one key compete: a rule yields to those in its ``yields_to``. None: it competes with nobody."""
    elsewhere: tuple[tuple[str, Span], ...] = ()
    """Last calls outside a generated file, nearest first: where it is reported if ``path`` is one that is not
    reported."""
    cover: str = ""
    """The helper whose deadline would cover this and others (``BaseClient._request``); groups repeats in text
    output."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The declaration of a rule.

    ``check`` receives the analysis (``summaries.Analysis``: the program, its configuration, waits, exposure) and may
    keep no state. A ``check`` that raises becomes one ``internal-error`` diagnostic; the other rules go on.
    """

    id: str
    """The guide's own id (``R-RES-ASYNC-X1``); several rules may share one."""
    name: str
    """Kebab-case, unique, and the module's name with ``-`` for ``_``."""
    severity: Severity
    summary: str
    """One line for ``resilint rules``."""
    check: Callable[[Any], Iterable[Finding]]
    strict: bool = False
    """Runs only under ``--strict`` or when selected by name."""
    yields_to: tuple[str, ...] = ()
    """Names of rules that win at the same wait."""
    exempt: frozenset[Role] = EXEMPT
    """Roles in which it reports nothing."""
    options: tuple[str, ...] = ()
    """The configuration keys that it reads, for its page."""

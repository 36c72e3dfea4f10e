"""ADR-0011: a client made per request or per call.

Each one pays for its own connections, and nothing limits how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Severity
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.clients import is_fallback, made, on_given_transport
from resilint.summaries.lifetimes import Lifetimes, stays_up
from resilint.summaries.sites import function_of, scope_role

HINT = "Make one client per system when the service starts, pass it in, and close it at shutdown."


def check(analysis: Analysis) -> Iterator[Finding]:
    """Each construction of a client that does not outlive the call it is made for."""
    lifetimes = Lifetimes.of(analysis)
    for one in made(analysis):
        place = one.place
        if one.trait.cheap or is_fallback(analysis, one) or on_given_transport(analysis, one):
            continue
        verdict = lifetimes.per_call(place.key)
        if verdict is None or stays_up(analysis, place.key, place.around):
            continue
        yield Finding(
            path=analysis.linked.program.path(place.key),
            span=place.site.span,
            message=f"a new {one.path} each time: {verdict.text}",
            role=scope_role(analysis, place.key, place.around),
            subject=one.path,
            function=function_of(analysis, place.key),
            hint=HINT,
            confidence=verdict.confidence,
        )


RULE = Rule(
    id="ADR-0011",
    name="client-per-call",
    severity=Severity.WARNING,
    summary="a client is made per request or per call",
    check=check,
)

"""ADR-0011: a client that is kept for the life of the service and that nothing closes at its end."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Severity
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.clients import closed, made, on_given_transport, where_kept
from resilint.summaries.sites import function_of, scope_role

HINT = "Close it in the lifespan's shutdown: await client.{close}()."


def check(analysis: Analysis) -> Iterator[Finding]:
    """Each construction of a client that is kept and for which the project has no close."""
    for one in made(analysis):
        if not one.trait.close or one.place.key in closed(analysis) or on_given_transport(analysis, one):
            continue
        kept = where_kept(analysis, one)
        if not kept:
            continue
        place = one.place
        yield Finding(
            path=analysis.linked.program.path(place.key),
            span=place.site.span,
            message=f"{one.path} is kept in {kept}, and nothing in the project closes it",
            role=scope_role(analysis, place.key, place.around),
            subject=one.path,
            function=function_of(analysis, place.key),
            hint=HINT.format(close=one.trait.close[0]),
        )


RULE = Rule(
    id="ADR-0011",
    name="client-never-closed",
    severity=Severity.INFO,
    summary="a client is kept and never closed",
    check=check,
    strict=True,
)

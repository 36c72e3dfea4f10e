"""ADR-0011: an HTTP client family beside the one that the house has chosen."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Severity
from resilint.link.entities import Cls, Ext
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.clients import rejected
from resilint.summaries.sites import callees, function_of, placed, scope_role


def check(analysis: Analysis) -> Iterator[Finding]:
    """Each construction of an HTTP client, and each request without one, that is not the house's."""
    settings = analysis.linked.program.settings
    house = settings.house_client
    hint = f"Use {house}, the client of the house." if house and not settings.rejected else ""
    hint = hint or "Use one client family for all; the configuration names it (house-client)."
    for place in placed(analysis):
        for entity in callees(analysis, place.key):
            if not isinstance(entity, (Ext, Cls)):
                continue
            name = rejected(analysis, entity, place.key)
            if not name:
                continue
            yield Finding(
                path=analysis.linked.program.path(place.key),
                span=place.site.span,
                message=f"{name} is not the HTTP client of the house"
                if not settings.rejected
                else f"{name} is rejected",
                role=scope_role(analysis, place.key, place.around),
                subject=name,
                function=function_of(analysis, place.key),
                hint=hint,
            )
            break


RULE = Rule(
    id="ADR-0011",
    name="rejected-client",
    severity=Severity.WARNING,
    summary="an HTTP client that the house does not use",
    check=check,
    strict=True,
    options=("house-client", "rejected"),
)

"""Stand-ins for the layers below ``check``: rules that look at call sites directly, and findings made by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from resilint.catalogue import Catalogue
from resilint.check.found import Found
from resilint.check.passes import Passes
from resilint.domain import Confidence, Role, Severity, Span
from resilint.facts import Attribute, Reference, Value
from resilint.link.inputs import SourceFacts
from resilint.rule import Finding, Rule

ROLES = {"tests": Role.TEST, "scripts": Role.SCRIPT, "workers": Role.WORKER}


def dotted(value: Value) -> str:
    if isinstance(value, Reference):
        return value.name
    if isinstance(value, Attribute):
        return f"{dotted(value.value)}.{value.name}"
    return "?"


def calls_of(name: str, confidence: Confidence = Confidence.HIGH, *, wait: bool = False) -> Any:
    """A check that finds every call of ``name``. With ``wait`` the findings compete by place."""

    def check(analysis: Sequence[SourceFacts]) -> Iterator[Finding]:
        for file in analysis:
            for scope in file.facts.scopes:
                for site in scope.sites:
                    if dotted(site.callee) == name:
                        yield Finding(
                            path=file.path,
                            span=site.span,
                            message=f"{name} is called",
                            role=ROLES.get(file.path.split("/")[0], Role.HANDLER),
                            subject=name,
                            function=scope.qualname,
                            hint="Do something else.",
                            confidence=confidence,
                            precedence_key=(file.path, site.span.line, site.span.column) if wait else None,
                        )

    return check


def nothing(analysis: object) -> Iterable[Finding]:
    return ()


def rule(name: str, **named: Any) -> Rule:
    defaults: dict[str, Any] = {
        "id": f"ID-{name.upper()}",
        "severity": Severity.ERROR,
        "summary": "A rule.",
        "check": calls_of(name),
    }
    return Rule(name=name, **{**defaults, **named})


OWN = tuple(
    Rule("resilint", name, Severity.ERROR if name.endswith("error") else Severity.WARNING, "Own.", nothing)
    for name in ("unused-suppression", "unknown-rule", "missing-reason", "syntax-error", "internal-error")
)

RULES = (
    rule("loop", id="R-1", check=calls_of("sleep", wait=True)),
    rule("long", id="R-2", check=calls_of("sleep", wait=True), yields_to=("loop",)),
    rule("send", id="R-3", severity=Severity.WARNING),
    rule("inside", id="R-3", strict=True, severity=Severity.INFO, check=calls_of("guard")),
    rule("maybe", id="R-4", check=calls_of("maybe", Confidence.LOW)),
    *OWN,
)


def passes(rules: Sequence[Rule] = RULES) -> Passes:
    return Passes(
        catalogue=lambda extra: Catalogue(()),
        link=lambda files, catalogue, settings: list(files),
        summarise=lambda program: program,
        rules=lambda: tuple(rules),
        roles=lambda program: {"handler": len(program)},
    )


def finding(path: str = "a.py", line: int = 1, **named: Any) -> Finding:
    defaults: dict[str, Any] = {
        "span": Span(line, 1, line, 5),
        "message": "something",
        "role": Role.HANDLER,
        "subject": "it",
    }
    return Finding(path=path, **{**defaults, **named})


def found(rule_: Rule, path: str = "a.py", line: int = 1, **named: Any) -> Found:
    return Found(rule_, finding(path, line, **named))

"""Every call that can be made, where it stands, and what is written for its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from resilint.catalogue import Condition
from resilint.domain import Role
from resilint.facts import (
    Attribute,
    Bind,
    Branch,
    Break,
    Compare,
    Constant,
    Continue,
    Imported,
    Invoke,
    Loop,
    Match,
    Raise,
    Reference,
    Return,
    Site,
    Step,
    Try,
    Value,
    With,
)
from resilint.link.calls import Meaning
from resilint.link.entities import Entity, Func, Partial, SiteKey, ordered
from resilint.link.infer import written_argument
from resilint.summaries.analysis import Analysis
from resilint.summaries.values import Abstract, either


class Placed(NamedTuple):
    """A call and the compound steps around it in its own scope, outermost first."""

    key: SiteKey
    site: Site
    around: tuple[Step, ...]


class Said(NamedTuple):
    """What the catalogue says of a call, and the ``partial`` through which it is made."""

    meaning: Meaning
    partial: SiteKey | None


def alive(steps: tuple[Step, ...], around: tuple[Step, ...] = ()) -> Iterator[tuple[Step, tuple[Step, ...]]]:
    """All steps that can run (none after ``return``, none under ``if False``), with the compound steps around each."""
    for step in steps:
        yield step, around
        inner = (*around, step)
        if isinstance(step, Branch):
            known = step.test.value if isinstance(step.test, Constant) else None
            if known is not False or not isinstance(step.test, Constant):
                yield from alive(step.body, inner)
            if known is not True:
                yield from alive(step.orelse, inner)
        elif isinstance(step, Loop):
            yield from alive(step.condition, inner)
            yield from alive(step.body, inner)
            yield from alive(step.orelse, around)
        elif isinstance(step, With):
            for item in step.items:
                yield from alive(item.entering, around)
            yield from alive(step.body, inner)
        elif isinstance(step, Try):
            for part in (step.body, *(h.body for h in step.handlers), step.orelse, step.final):
                yield from alive(part, inner)
        elif isinstance(step, Match):
            for case in step.cases:
                yield from alive(case.guarding, inner)
                yield from alive(case.body, inner)
        if leaves(step):
            return


def leaves(step: Step) -> bool:
    """Nothing after the step runs."""
    if isinstance(step, (Return, Raise, Break, Continue)):
        return True
    if isinstance(step, Branch):
        return any(leaves(s) for s in step.body) and any(leaves(s) for s in step.orelse)
    return isinstance(step, With) and any(isinstance(s, Return) for s in step.body)


def placed(analysis: Analysis) -> list[Placed]:
    """All calls of the program, in the order of files and lines."""

    def compute() -> list[Placed]:
        found = []
        for module in analysis.linked.program.modules:
            for number, scope in enumerate(module.facts.scopes):
                if not scope.sites:
                    continue
                seen = set()
                for step, around in alive(scope.body):
                    if isinstance(step, Invoke) and step.site not in seen:
                        seen.add(step.site)
                        key = SiteKey(module.number, number, step.site)
                        found.append(Placed(key, scope.sites[step.site], around))
        return found

    return analysis.once("placed calls", compute)


def place_of(analysis: Analysis, key: SiteKey) -> Placed | None:
    """Where the call stands; None where it cannot run."""
    places = analysis.once("places", lambda: {p.key: p for p in placed(analysis)})
    return places.get(key)


def callees(analysis: Analysis, key: SiteKey) -> list[Entity]:
    """What the call can mean, in a fixed order."""
    return list(ordered(analysis.linked.inference.solver.get(("callees", *key))))


def said(analysis: Analysis, key: SiteKey) -> Iterator[Said]:
    """What the catalogue says of the call, also where it is made through a ``partial``."""
    for entity in callees(analysis, key):
        meaning = analysis.linked.calls.meaning(entity)
        if meaning is not None:
            yield Said(meaning, entity.site if isinstance(entity, Partial) else None)


def written(
    analysis: Analysis, key: SiteKey, spec: str, partial: SiteKey | None = None
) -> tuple[SiteKey, Value] | None:
    """The value of an argument and the call that writes it: this one, or the ``partial`` that it goes through."""
    program = analysis.linked.program
    bound = 0
    if partial is not None:
        binder = program.site(partial)
        value = written_argument(binder, spec, 1)
        if value is not None:
            return partial, value
        bound = sum(1 for a in binder.arguments if a.name == "") - 1
    value = written_argument(program.site(key), spec, -bound)
    return None if value is None else (key, value)


def evaluated(
    analysis: Analysis, key: SiteKey, spec: str, partial: SiteKey | None = None
) -> tuple[Abstract, ...] | None:
    """The alternatives of an argument (None among them for a literal None); no tuple where it is not written."""
    found = written(analysis, key, spec, partial)
    if found is None:
        return None
    return analysis.value(*found)


def opaque(analysis: Analysis, key: SiteKey, partial: SiteKey | None = None) -> bool:
    """``*args`` or ``**kwargs`` may hold what is not written."""
    program = analysis.linked.program
    sites = [program.site(key)] if partial is None else [program.site(key), program.site(partial)]
    return any(a.name in ("*", "**") for site in sites for a in site.arguments)


def holds(analysis: Analysis, conditions: tuple[Condition, ...], key: SiteKey, partial: SiteKey | None = None) -> bool:
    """Whether all conditions hold for certain. An argument that is the literal None counts as absent."""
    for condition in conditions:
        values = evaluated(analysis, key, condition.argument, partial)
        nothing = values is None or values == (None,)
        if condition.absent is not None:
            if values is None and any(a.name == "**" for a in analysis.linked.program.site(key).arguments):
                return False
            if nothing != condition.absent:
                return False
        if condition.none is not None and (values == (None,)) != condition.none:
            return False
        if condition.equals is not None and (values is None or either(values) != condition.equals):
            return False
    return True


def scope_role(analysis: Analysis, key: SiteKey, around: tuple[Step, ...] = ()) -> Role:
    """The role of the code that makes the call: of its function; of module and class code by its path."""
    program = analysis.linked.program
    scopes = program.modules[key.module].facts.scopes
    number = key.scope
    while number > 0:
        if scopes[number].kind in ("function", "lambda"):
            return analysis.role(Func(key.module, number))
        number = scopes[number].parent
    if any(isinstance(step, Branch) and _is_main_guard(step.test) for step in around):
        return Role.SCRIPT
    role = analysis.linked.roles.convention(Func(key.module, 0)).role
    return role if role in (Role.TEST, Role.SCRIPT) else Role.PLAIN


def _is_main_guard(test: Value) -> bool:
    return isinstance(test, Compare) and any(
        isinstance(side, Reference) and side.name == "__name__" for side in (test.left, test.right)
    )


def in_loop(around: tuple[Step, ...]) -> bool:
    return any(isinstance(step, Loop) for step in around)


def in_async(analysis: Analysis, key: SiteKey) -> bool:
    """The call stands in an ``async def``, or in a lambda of one."""
    scopes = analysis.linked.program.modules[key.module].facts.scopes
    number = key.scope
    while number > 0 and scopes[number].kind == "lambda":
        number = scopes[number].parent
    return scopes[number].is_async


def function_of(analysis: Analysis, key: SiteKey) -> str:
    """The qualified name of the function that the call stands in; empty at module level."""
    if key.scope == 0:
        return ""
    return analysis.qualname(Func(key.module, key.scope))


def dotted(value: Value) -> str:
    """``a.b.c`` as it is written; empty for anything else."""
    if isinstance(value, Reference):
        return value.name
    if isinstance(value, Attribute) and (base := dotted(value.value)):
        return f"{base}.{value.name}"
    return ""


def imports_end(body: tuple[Step, ...]) -> int:
    """The last line of the imports at the head of a module; 0 where there are none."""
    line = 0
    for step in body:
        if not isinstance(step, Bind) or not isinstance(step.value, Imported):
            break
        line = max(line, step.span.end_line)
    return line

"""Whether the conditions that the catalogue puts on a call hold where it is written."""

from __future__ import annotations

from resilint.catalogue import Condition
from resilint.facts import Mapping, Sequence
from resilint.link.entities import Cls, Entity, Ext, Inst, SiteKey
from resilint.link.infer import written_argument
from resilint.link.linked import Linked
from resilint.summaries.evaluate import Evaluator
from resilint.summaries.values import number, options


def holds(condition: Condition, linked: Linked, evaluator: Evaluator, key: SiteKey) -> bool | None:
    """None: it depends on a value that is not known."""
    site = linked.program.site(key)
    written = next(
        (w for spec in condition.argument.split("|") if (w := written_argument(site, spec)) is not None), None
    )
    verdict: bool | None = True
    if condition.absent is not None and (written is None) != condition.absent:
        return False
    if condition.none is None and condition.equals is None and condition.type is None:
        return verdict
    if written is None:
        return False
    known = list(options(evaluator.value(key.module, key.scope, written, None)))
    if condition.none is not None:
        nothing = [one is None for one in known]
        verdict = _all(nothing, condition.none)
    if condition.equals is not None:
        wanted = condition.equals
        equal: list[bool | None] = []
        for one in known:
            if isinstance(wanted, (bool, str)):
                equal.append(one == wanted if isinstance(one, (bool, str)) else None)
            else:
                exact = number(one).exact
                equal.append(None if exact is None else exact == float(wanted))
        verdict = None if any(e is None for e in equal) else _all([bool(e) for e in equal], True)
    if condition.type is not None:
        target = linked.program.catalogue.canonical(condition.type)
        items = [written]
        if isinstance(written, Mapping):
            items += [item for _, item in written.items]
        elif isinstance(written, Sequence):
            items += list(written.items)
        return any(
            _is(linked, entity, target) for item in items for entity in linked.inference.of(key.module, key.scope, item)
        )
    return verdict


def _all(found: list[bool], wanted: bool) -> bool | None:
    if all(one == wanted for one in found):
        return True
    return None if any(one == wanted for one in found) else False


def _is(linked: Linked, entity: Entity, target: str) -> bool:
    of = entity.of if isinstance(entity, Inst) else entity
    if isinstance(of, Ext):
        return linked.program.catalogue.derives(of.path, target)
    if isinstance(of, Cls):
        return any(linked.program.catalogue.derives(p, target) for p in linked.inference.external_bases(of))
    return False

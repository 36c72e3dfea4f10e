"""What the linker and the summaries concluded, in words: for tests and for those who work on resilint."""

from __future__ import annotations

import json
from collections.abc import Iterator

from resilint.facts import Bind
from resilint.facts.walk import inside
from resilint.link.entities import Bound, Cls, Entity, Ext, Func, Inst, Member, ordered
from resilint.summaries.analysis import Analysis
from resilint.summaries.model import Wait


def reveal(analysis: Analysis, path: str, line: int) -> dict[str, list[str]]:
    """What was concluded about a line.

    Of the function whose header stands there: ``role``, ``wait`` (its total, with its parameters joined over all calls)
    and ``exposed`` (the outbound calls that no deadline inside covers). Of the calls that stand there: ``calls``
    (``app.poll attached``). Of the waits that stand there: ``value`` (of one wait) and ``loop`` (of the loop around it,
    in all). Of the names that are bound there: ``type``.
    """
    found: dict[str, list[str]] = {}

    def say(key: str, text: str) -> None:
        texts = found.setdefault(key, [])
        if text not in texts:
            texts.append(text)

    for func in _scopes(analysis, path):
        for edge in analysis.linked.calls.outgoing.get(func, ()):
            if edge.span.line == line:
                attached = "attached" if edge.attached else "detached"
                say("calls", f"{analysis.qualname(edge.callee)} {attached}")
        for entity in _bound(analysis, func, line):
            say("type", _type_name(analysis, entity))
        if analysis.linked.program.scope(func).kind not in ("function", "lambda"):
            continue
        for wait in _own_waits(analysis, func):
            if wait.place.span.line == line:
                say("value", str(wait.once))
                if wait.looped:
                    say("loop", str(wait.loop_total))
        if _heads(analysis, func, line):
            summary = analysis.joined(func)
            say("role", analysis.role(func))
            say("wait", str(summary.total))
            for exposure in summary.exposures:
                say("exposed", exposure.subject)
    return found


def summary(analysis: Analysis, output: str) -> str:
    """What holds of every function: as text, or as a JSON object by qualified name."""
    if output == "json":
        said = {analysis.qualname(func): _as_data(analysis, func) for func in analysis.functions()}
        return json.dumps(said, ensure_ascii=False)
    return "\n".join(line for func in analysis.functions() for line in _as_lines(analysis, func))


def _as_data(analysis: Analysis, func: Func) -> dict[str, object]:
    joined = analysis.joined(func)
    reason = analysis.linked.roles.role(func)
    return {
        "path": analysis.path(func),
        "line": analysis.linked.program.scope(func).span.line,
        "role": str(reason.role),
        "reason": reason.text,
        "wait": str(joined.total),
        "endless": joined.endless,
        "waits": [
            {
                "path": analysis.path(wait.place.func),
                "line": wait.place.span.line,
                "what": wait.what,
                "once": str(wait.once),
                "total": str(wait.total),
                "loop": str(wait.loop_total) if wait.looped else None,
            }
            for wait in joined.waits
        ],
        "exposed": [exposure.subject for exposure in joined.exposures],
    }


def _as_lines(analysis: Analysis, func: Func) -> Iterator[str]:
    joined = analysis.joined(func)
    reason = analysis.linked.roles.role(func)
    yield f"{analysis.qualname(func)}  {analysis.path(func)}:{analysis.linked.program.scope(func).span.line}"
    yield f"    role {reason.role}: {reason.text}"
    yield f"    wait {joined.total}" + (", never ends by itself" if joined.endless else "")
    for wait in joined.waits:
        loop = f", loop {wait.loop_total}" if wait.looped else ""
        place = f"{analysis.path(wait.place.func)}:{wait.place.span.line}"
        yield f"        {place} {wait.what} {wait.once}, total {wait.total}{loop}"
    if joined.exposures:
        yield f"    exposed {', '.join(exposure.subject for exposure in joined.exposures)}"


def _scopes(analysis: Analysis, path: str) -> Iterator[Func]:
    """All scopes of a file; of a module or class body its own number."""
    number = analysis.linked.program.by_path.get(path)
    if number is not None:
        for scope in range(len(analysis.linked.program.modules[number].facts.scopes)):
            yield Func(number, scope)


def _heads(analysis: Analysis, func: Func, line: int) -> bool:
    scope = analysis.linked.program.scope(func)
    return scope.span.line == line or scope.lines[1] <= line <= scope.header_end


def _own_waits(analysis: Analysis, func: Func) -> Iterator[Wait]:
    for wait in analysis.joined(func).waits:
        if wait.place.func == func:
            yield wait


def _bound(analysis: Analysis, func: Func, line: int) -> Iterator[Entity]:
    for step in inside(analysis.linked.program.scope(func).body):
        if isinstance(step, Bind) and step.span.line == line and step.value is not None:
            yield from ordered(analysis.linked.inference.of(func.module, func.scope, step.value))


def _type_name(analysis: Analysis, entity: Entity) -> str:
    if isinstance(entity, Inst):
        return (
            entity.of.path if isinstance(entity.of, Ext) else analysis.qualname(Func(entity.of.module, entity.of.scope))
        )
    if isinstance(entity, Bound):
        return _type_name(analysis, entity.func)
    if isinstance(entity, (Func, Cls)):
        return analysis.qualname(Func(entity.module, entity.scope))
    if isinstance(entity, Ext):
        return entity.path
    if isinstance(entity, Member):
        return f"{entity.of}.{entity.chain}"
    return entity.tag

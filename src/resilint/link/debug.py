"""The call graph in words, for those who work on resilint."""

from __future__ import annotations

import json

from resilint.link.calls import Edge
from resilint.link.entities import Func
from resilint.link.linked import Linked


def calls(linked: Linked, output: str) -> str:
    """Who calls whom: as text with roles and reasons, or as a JSON object ``{"caller": ["callee", ...]}``.

    Names are dotted and begin with the module; code of a module or class body has the name of the module or class.
    """
    program = linked.program
    graph: dict[str, list[str]] = {}
    lines: list[str] = []
    for module in program.modules:
        for number, scope in enumerate(module.facts.scopes):
            func = Func(module.number, number)
            edges = sorted(linked.calls.outgoing.get(func, ()), key=lambda e: (e.span, e.callee))
            if scope.kind not in ("function", "lambda") and not edges:
                continue
            name = program.qualname(func)
            graph[name] = sorted({*graph.get(name, ()), *(program.qualname(edge.callee) for edge in edges)})
            lines.append(_head(linked, func, name))
            lines += [f"    {_described(linked, edge)}" for edge in edges]
    return json.dumps(graph, ensure_ascii=False) if output == "json" else "\n".join(lines)


def _head(linked: Linked, func: Func, name: str) -> str:
    scope = linked.program.scope(func)
    text = f"{name}  {linked.program.path(func)}:{scope.span.line}"
    if scope.kind in ("function", "lambda"):
        reason = linked.roles.role(func)
        text += f"  {reason.role}: {reason.text}"
    return text


def _described(linked: Linked, edge: Edge) -> str:
    attached = "attached" if edge.attached else "detached"
    several = f" (one of {edge.candidates})" if edge.candidates > 1 else ""
    return f"{edge.span.line}: {linked.program.qualname(edge.callee)} {attached}: {edge.reason}{several}"

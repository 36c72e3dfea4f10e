"""Steps come in the order in which Python evaluates them: each case is run, and lowered."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from resilint.facts import Invoke, Number, Reference, Scope
from resilint.syntax import lower

CASES = [
    "t(1)(t(2), t(3))",
    "t(1)(k=t(3), *t(2))",
    "t(1)(t(2), *t(3), k=t(4), **t(5))",
    "t(1)[t(2)]",
    "t(1)[t(2):t(3):t(4), t(5)]",
    "t(1).a.b(t(2)).c",
    "t(1) + t(2) * t(3) - t(4)",
    "-t(1), not t(2)",
    "t(1) and t(2) and t(3)",
    "no(1) or t(2) or t(3)",
    "no(1) or t(2) and t(3)",
    "t(1) < t(2) < t(3) < t(4)",
    "t(2) if t(1) else 0",
    "0 if no(1) else t(2)",
    "[t(1), *t(2), t(3)], {t(4): t(5), **t(6), t(7): t(8)}, {t(9)}",
    "x = y = t(1)",
    "t(2).a = t(3)[t(4)] = t(1)",
    "t(2)[t(3)], (t(4).b, *t(5).c) = t(1), [0, 0]",
    "t(1).a += t(2)",
    "t(1)[t(2)] += t(3)",
    "x: t(2) = t(1)",
    "t(2).a: t(3) = t(1)",
    "t(2)[t(3)]: t(4) = t(1)",
    "(x := t(1)) + t(2)",
    "f'{t(1)} {t(2)!r:>{int(t(3))}} {t(4)}' f'{t(5)}'",
    "[t(2) for x in t(1)]",
    "[t(5) for x in t(1) if t(2) for y in t(3) if t(4)]",
    "{t(2): t(3) for x in t(1)}",
    "list(t(2) for x in t(1))",
    "[[t(3) for y in t(2)] for x in t(1)]",
    "for x in t(1): t(2)\nelse: t(3)",
    "for t(2)[t(3)] in t(1): t(4)",
    "while t(1):\n    t(2)\n    break",
    "with t(1) as t(2).a, t(3) as t(4)[t(5)]: t(6)",
    "with (t(1), t(2)): t(3)",
    "@t(1)\n@t(2)\ndef f(a: t(5) = t(3), *b: t(6), c: t(7) = t(4), **d: t(8)) -> t(9): pass",
    "@t(1)\nclass A(t(2).base, metaclass=t(3).meta):\n    x = t(4)\n    def f(self, a=t(5)): pass",
    "lambda a=t(1), *, b=t(2): t(9)",
    "assert t(1), t(9)",
    "try: assert no(1), t(2)\nexcept AssertionError: t(3)",
    "try: raise error(1) from error(2)\nexcept t(3).error: t(4)",
    "try: t(1)\nfinally: t(2)",
    "del t(1).a, t(2)[t(3)]",
    "match t(1):\n    case x if no(2): pass\n    case y if t(3): t(4)",
    "await c(1)",
    "[await c(2) for x in t(1)]",
    "async with t(1) as t(2).a: await c(3)",
    "async for t(2).a in t(1): t(3)",
    "if t(1): t(2)\nelse: t(9)",
    "if no(1): t(9)\nelif t(2): t(3)",
    "return (t(1), t(2))[t(3)]",
]


class Anything:
    """Takes part in whatever is done to it."""

    base = object
    meta = type
    error = ValueError

    def __getattr__(self, name: str) -> Anything:
        if name not in ("a", "b", "c"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: object, **kwargs: object) -> Any:
        decorates = args and (inspect.isroutine(args[0]) or isinstance(args[0], type))
        return args[0] if decorates else self

    def __getitem__(self, index: object) -> int:
        return 0

    def __setitem__(self, index: object, value: object) -> None: ...

    def __delitem__(self, index: object) -> None: ...

    def __delattr__(self, name: str) -> None: ...

    def __iter__(self) -> Iterator[int]:
        return iter([0])

    def keys(self) -> list[str]:
        return ["key"]

    def __aiter__(self) -> Any:
        async def one() -> Any:
            yield 0

        return one()

    def __enter__(self) -> Anything:
        return self

    def __exit__(self, *args: object) -> None: ...

    async def __aenter__(self) -> Anything:
        return self

    async def __aexit__(self, *args: object) -> None: ...

    def __add__(self, other: object) -> Anything:
        return self

    __radd__ = __iadd__ = __sub__ = __mul__ = __add__

    def __neg__(self) -> Anything:
        return self

    def __lt__(self, other: object) -> bool:
        return True

    def __int__(self) -> int:
        return 3

    def __index__(self) -> int:
        return 0


def executed(source: str) -> list[int]:
    order: list[int] = []

    def t(number: int) -> Anything:
        order.append(number)
        return Anything()

    def no(number: int) -> bool:
        order.append(number)
        return False

    def error(number: int) -> ValueError:
        order.append(number)
        return ValueError()

    async def c(number: int) -> Anything:
        order.append(number)
        return Anything()

    body = "\n".join("    " + line for line in source.split("\n"))
    namespace: dict[str, Any] = {"t": t, "no": no, "error": error, "c": c}
    exec(f"async def main():\n{body}\n", namespace)
    if source.startswith("x: "):
        # In functions annotations of names are not evaluated, in modules they are.
        exec(source, namespace)
    else:
        asyncio.run(namespace["main"]())
    return order


def lowered(source: str) -> list[int]:
    body = "\n".join("    " + line for line in source.split("\n"))
    facts = lower(f"async def main():\n{body}\n".encode())
    assert facts.problem is None
    order: list[int] = []

    def walk(part: object, scope: Scope) -> None:
        if isinstance(part, Invoke):
            site = scope.sites[part.site]
            if isinstance(site.callee, Reference) and site.callee.name in ("t", "no", "error", "c"):
                number = site.arguments[0].value
                assert isinstance(number, Number)
                order.append(int(number.value))
        elif isinstance(part, msgspec.Struct):
            if type(part).__name__ == "Define":
                defined = facts.scopes[part.scope]  # type: ignore[attr-defined]
                if defined.kind == "class":
                    walk(defined.body, defined)
            elif type(part).__name__ == "Loop":
                walk((part.condition, part.body, part.orelse), scope)  # type: ignore[attr-defined]
            elif type(part).__name__ == "Item":
                walk(part.entering, scope)  # type: ignore[attr-defined]
            else:
                for field in msgspec.structs.astuple(part):
                    walk(field, scope)
        elif isinstance(part, tuple):
            for one in part:
                walk(one, scope)

    walk(facts.scopes[1].body, facts.scopes[1])
    return order


@pytest.mark.parametrize("source", CASES)
def test_order_is_that_of_python(source: str) -> None:
    ran = executed(source)
    assert ran == sorted(ran), "the case itself is numbered wrongly"
    # What is not reached in this run comes somewhere, too.
    assert [number for number in lowered(source) if number in ran] == ran

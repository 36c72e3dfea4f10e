"""``__all__`` where it is a literal."""

from __future__ import annotations

from resilint.facts import Arithmetic, Bind, Branch, Reference, Sequence, Step, Text, Try, Value

_NAME = "__all__"


def exports(body: list[Step]) -> tuple[str, ...] | None:
    """The names that a module's steps put into ``__all__``; ``None`` if there is none, or one that is computed."""
    names: list[str] = []
    found = False
    for bind in _bindings(body):
        value = bind.value
        if bind.augmented and isinstance(value, Arithmetic):
            more = _names(value.right) if value.operator == "+" else None
        else:
            more = None if value is None else _names(value)
            names.clear()
        if more is None:
            return None
        found = True
        names.extend(more)
    return tuple(names) if found else None


def _bindings(steps: list[Step] | tuple[Step, ...]) -> list[Bind]:
    found: list[Bind] = []
    for step in steps:
        if isinstance(step, Bind):
            if isinstance(step.target, Reference) and step.target.name == _NAME and (step.value or not step.annotation):
                found.append(step)
        elif isinstance(step, Branch):
            found.extend([*_bindings(step.body), *_bindings(step.orelse)])
        elif isinstance(step, Try):
            found.extend(_bindings(step.body))
    return found


def _names(value: Value) -> list[str] | None:
    if isinstance(value, Arithmetic) and value.operator == "+":
        left, right = _names(value.left), _names(value.right)
        return None if left is None or right is None else left + right
    if not isinstance(value, Sequence):
        return None
    names = []
    for item in value.items:
        if not isinstance(item, Text) or item.is_bytes:
            return None
        names.append(item.value)
    return names

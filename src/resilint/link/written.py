"""The arguments that a catalogue entry names, where they are written out at a call."""

from __future__ import annotations

from functools import lru_cache

from resilint.facts import (
    Site,
    Spread,
    Value,
)


@lru_cache(maxsize=4096)
def argument_place(spec: str) -> tuple[str, int]:
    """``delay@0`` as keyword and position (-1: keyword only)."""
    name, _, position = spec.partition("@")
    return name, int(position) if position else -1


def written_argument(site: Site, spec: str, offset: int = 0) -> Value | None:
    """The value of the argument that ``spec`` names, where it is written out; None where it is not given."""
    name, position = argument_place(spec)
    if name:
        for argument in site.arguments:
            if argument.name == name:
                return argument.value
    if position >= 0:
        seen = 0
        for argument in site.arguments:
            if argument.name == "":
                if seen == position + offset:
                    return argument.value
                seen += 1
            elif argument.name == "*":
                return None
    return None


def written_arguments(site: Site, spec: str) -> list[Value]:
    """All values that ``spec`` names: ``*`` for every positional one, ``*1`` from position 1 on."""
    if spec.startswith("*"):
        start = int(spec[1:] or 0)
        found, seen = [], 0
        for argument in site.arguments:
            if argument.name == "":
                if seen >= start:
                    found.append(argument.value)
                seen += 1
            elif argument.name == "*":
                found.append(Spread(argument.value))
        return found
    value = written_argument(site, spec)
    return [] if value is None else [value]

"""The JSON schema of the configuration, made from the list of keys; ``schema.json`` is its copy that editors read."""

from __future__ import annotations

from typing import Any

from resilint.config.keys import KEYS, SWITCHES, Key

_TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}


def _of(key: Key) -> dict[str, Any]:
    table: dict[str, Any] = {"type": "object"}
    if key.kind in ("table", "switches"):
        value = _TEXTS
        if key.kind == "switches":
            switches = {"type": "object", "additionalProperties": False, "properties": dict.fromkeys(SWITCHES, _TEXTS)}
            value = {"anyOf": [_TEXTS, switches]}
        if key.choices:
            return table | {"properties": dict.fromkeys(key.choices, value), "additionalProperties": False}
        return table | {"additionalProperties": value}
    simple: dict[str, dict[str, Any]] = {
        "flag": {"type": "boolean"},
        "seconds": {"type": "number", "minimum": 0},
        "text": {"type": "string"},
        "choice": {"type": "string", "enum": list(key.choices)},
        "texts": _TEXTS,
    }
    return simple[key.kind]


def schema() -> dict[str, Any]:
    """The schema of ``resilint.toml`` and of ``[tool.resilint]``."""
    properties = {}
    for key in KEYS:
        entry = {"description": key.about, **_of(key)}
        if key.default is not None:
            entry["default"] = list(key.default) if isinstance(key.default, tuple) else key.default
        properties[key.name] = entry
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "resilint",
        "description": "Configuration of resilint: [tool.resilint] in pyproject.toml, or the whole of resilint.toml.",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }

"""Read configuration files: one layer a file, checked key by key, then laid over each other."""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from resilint.config.configuration import COMMAND_LINE, Configuration, Origin, Switches
from resilint.config.keys import BY_NAME, SWITCHES, Key
from resilint.config.places import Path as KeyPath
from resilint.config.places import key_lines
from resilint.domain import ConfigurationError

OWN_FILE = "resilint.toml"
SHARED_FILE = "pyproject.toml"


@dataclass(slots=True)
class _Layer:
    """What one file says, in the fields' own types."""

    path: Path
    values: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a message: the nearest known word, or nothing."""
    matches = difflib.get_close_matches(word.replace("_", "-"), list(known), n=1, cutoff=0.5)
    return f'; did you mean "{matches[0]}"?' if matches else ""


def own_table(path: Path) -> bool:
    """Whether a file configures resilint: ``resilint.toml`` always, ``pyproject.toml`` with ``[tool.resilint]``.

    Raises:
        ConfigurationError: it mentions resilint and is no TOML.
    """
    if path.name == OWN_FILE:
        return path.is_file()
    try:
        data = path.read_bytes()
    except OSError:
        return False
    if b"resilint" not in data:
        return False
    document = _parsed(path, data)
    tool = document.get("tool")
    return isinstance(tool, dict) and "resilint" in tool


def file_in(folder: Path) -> Path | None:
    """The configuration file of a folder, if it has one."""
    return next((p for p in (folder / OWN_FILE, folder / SHARED_FILE) if own_table(p)), None)


def load(path: Path | None, overrides: Mapping[str, Any] | None = None, base: Path | None = None) -> Configuration:
    """The configuration of ``path`` and of the files it extends, under the command line's ``overrides`` (by key name).

    ``base`` is the folder that paths in messages are relative to.

    Raises:
        ConfigurationError: a file is missing, no TOML, or says something that is not understood.
    """
    layers = _layers(path, base) if path is not None else []
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for layer in reversed(layers):
        for name, value in layer.values.items():
            key = BY_NAME[name]
            if name == "extend-exclude":
                value = (*values.get(key.attribute, ()), *value)
            elif key.kind in ("table", "switches"):
                value = tuple({**dict(values.get(key.attribute, ())), **dict(value)}.items())
            else:
                _forget_elements(origins, name)
            values[key.attribute] = value
        origins.update(layer.origins)
    for name, value in (overrides or {}).items():
        key = BY_NAME[name]
        if name in ("extend-exclude", "ignore"):
            value = (*values.get(key.attribute, ()), *value)
        else:
            _forget_elements(origins, name)
        values[key.attribute] = value
        origins[name] = COMMAND_LINE
    return Configuration(**values, origins=origins, files=tuple(layer.path for layer in layers))


def _forget_elements(origins: dict[str, Origin], name: str) -> None:
    for stale in [o for o in origins if o.startswith(f"{name}[")]:
        del origins[stale]


def _layers(path: Path, base: Path | None) -> list[_Layer]:
    layers: list[_Layer] = []
    seen: list[Path] = []
    following: Path | None = path
    told = Origin("command line")
    while following is not None:
        resolved = following.resolve()
        if resolved in seen:
            chain = " -> ".join(p.name for p in [*seen, resolved])
            raise ConfigurationError(f'"extend" goes round in a circle: {chain}', told.path, told.line)
        seen.append(resolved)
        layer = _layer(following, base, told)
        layers.append(layer)
        extended = layer.values.get("extend")
        following = Path(os.path.join(following.parent, extended)) if extended else None
        told = layer.origins.get("extend", told)
    return layers


def _layer(path: Path, base: Path | None, told: Origin) -> _Layer:
    shown = _shown(path, base)
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise ConfigurationError(
            f"cannot read the configuration {shown}: {problem.strerror}", told.path, told.line
        ) from None
    document = _parsed(path, data, shown)
    tool = document.get("tool")
    prefix: KeyPath
    if isinstance(tool, dict) and "resilint" in tool:
        table, prefix = tool["resilint"], ("tool", "resilint")
    elif path.name == SHARED_FILE:
        table, prefix = {}, ()
    else:
        table, prefix = document, ()
    lines = key_lines(data.decode("utf-8-sig", "replace")) if table else {}
    layer = _Layer(path)
    if not isinstance(table, dict):
        raise ConfigurationError('"tool.resilint" must be a table', shown, lines.get(prefix, 0))
    reader = _Reader(shown, lines, prefix, path.parent)
    for name, value in table.items():
        key = BY_NAME.get(name)
        if key is None:
            raise reader.error(f'unknown key "{name}"{nearest(name, BY_NAME)}', (name,))
        layer.values[name] = reader.value(key, value)
        layer.origins[name] = reader.origin((name,))
        for part in value if isinstance(value, dict) else ():
            layer.origins[f"{name}.{part}"] = reader.origin((name, part))
        for index in range(len(value)) if isinstance(value, list) else ():
            layer.origins[f"{name}[{index}]"] = reader.origin((name, index))
    return layer


def _parsed(path: Path, data: bytes, shown: str = "") -> dict[str, Any]:
    import tomllib

    shown = shown or str(path)
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ConfigurationError("not UTF-8, so no TOML", shown) from None
    except tomllib.TOMLDecodeError as problem:
        message, _, place = str(problem).partition(" (at ")
        number = place.removeprefix("line ").partition(",")[0]
        line = int(number) if number.isdecimal() else data.rstrip().count(b"\n") + 1
        raise ConfigurationError(f"no TOML: {message}", shown, line) from None
    except RecursionError:
        raise ConfigurationError("no TOML: nested too deeply", shown) from None


def _shown(path: Path, base: Path | None) -> str:
    if base is not None:
        try:
            return os.path.relpath(path, base).replace(os.sep, "/")
        except ValueError:
            pass
    return str(path)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns TOML values into the fields' types, or says where they are wrong."""

    shown: str
    lines: Mapping[KeyPath, int]
    prefix: KeyPath
    folder: Path

    def line(self, path: KeyPath) -> int:
        full = (*self.prefix, *path)
        while full and full not in self.lines:
            full = full[:-1]
        return self.lines.get(full, 0)

    def origin(self, path: KeyPath) -> Origin:
        return Origin("file", self.shown, self.line(path))

    def error(self, message: str, path: KeyPath) -> ConfigurationError:
        return ConfigurationError(message, self.shown, self.line(path))

    def value(self, key: Key, value: object) -> object:
        read = {
            "flag": self._flag,
            "seconds": self._seconds,
            "text": self._text,
            "choice": self._choice,
            "texts": self._texts_of,
            "table": self._table,
            "switches": self._switches,
        }[key.kind]
        result: object = read(key, value)
        if key.name == "catalogue" and isinstance(result, tuple):
            return tuple(os.path.abspath(os.path.join(self.folder, text)) for text in result)
        if key.name == "baseline" and isinstance(result, str) and result:
            return os.path.abspath(os.path.join(self.folder, result))
        return result

    def _wrong(self, path: KeyPath, wanted: str, value: object) -> ConfigurationError:
        name = ".".join(str(part) for part in path if isinstance(part, str))
        return self.error(f'"{name}" must be {wanted}, not {_toml(value)}', path)

    def _flag(self, key: Key, value: object) -> bool:
        if isinstance(value, bool):
            return value
        raise self._wrong((key.name,), "true or false", value)

    def _seconds(self, key: Key, value: object) -> float:
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and math.isfinite(value):
            return float(value)
        raise self._wrong((key.name,), "a number of seconds, 0 or more", value)

    def _text(self, key: Key, value: object) -> str:
        if isinstance(value, str):
            return value
        raise self._wrong((key.name,), "a string", value)

    def _choice(self, key: Key, value: object) -> str:
        if isinstance(value, str) and value in key.choices:
            return value
        hint = nearest(value, key.choices) if isinstance(value, str) else ""
        known = ", ".join(key.choices)
        raise self.error(f'"{key.name}" must be one of {known}, not {_toml(value)}{hint}', (key.name,))

    def _texts_of(self, key: Key, value: object) -> tuple[str, ...]:
        return self._texts((key.name,), value)

    def _texts(self, path: KeyPath, value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise self._wrong(path, "a list of strings", value)
        for index, item in enumerate(value):
            if not isinstance(item, str):
                raise self._wrong((*path, index), "a list of strings", item)
        return tuple(value)

    def _entries(self, key: Key, value: object) -> Sequence[tuple[str, object]]:
        if not isinstance(value, dict):
            raise self._wrong((key.name,), "a table", value)
        for name in value:
            if key.choices and name not in key.choices:
                known = ", ".join(key.choices)
                raise self.error(
                    f'unknown role "{name}" in "{key.name}"{nearest(name, key.choices) or f" (known: {known})"}',
                    (key.name, name),
                )
        return list(value.items())

    def _table(self, key: Key, value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple((name, self._texts((key.name, name), texts)) for name, texts in self._entries(key, value))

    def _switches(self, key: Key, value: object) -> tuple[tuple[str, Switches], ...]:
        rows: list[tuple[str, Switches]] = []
        for name, switches in self._entries(key, value):
            path = (key.name, name)
            if isinstance(switches, dict):
                for part in switches:
                    if part not in SWITCHES:
                        raise self.error(
                            f'unknown key "{part}" in "{key.name}.{name}"{nearest(part, SWITCHES)}', (*path, part)
                        )
                rows.append((name, Switches(**{p: self._texts((*path, p), texts) for p, texts in switches.items()})))
            else:
                rows.append((name, Switches(ignore=self._texts(path, switches))))
        return tuple(rows)


def _toml(value: object) -> str:
    """A value as the user wrote it, near enough for a message."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return str(value)

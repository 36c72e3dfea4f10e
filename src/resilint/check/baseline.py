"""Old reports that are accepted: a file of fingerprints without line numbers, so that only new reports fail."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from resilint.check.whole import FileError, write_whole
from resilint.domain import ConfigurationError, UsageError

NAME = "resilint-baseline.json"
VERSION = 1


class Identity(NamedTuple):
    """What makes a report the same one after the code around it has moved."""

    path: str
    rule: str
    function: str
    subject: str
    statement: str
    """Digest of the statement's tokens."""
    ordinal: int
    """Which of several that agree in all of the above, from the top of the file."""

    @property
    def fingerprint(self) -> str:
        return _digest((*self[:-1], str(self.ordinal)))


def statement_digest(tokens: tuple[str, ...]) -> str:
    return _digest(tokens)


def _digest(parts: tuple[str, ...]) -> str:
    data = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:24]


class Baseline(NamedTuple):
    """The accepted reports, by fingerprint."""

    entries: dict[str, Identity]

    @classmethod
    def of(cls, identities: Iterable[Identity]) -> Baseline:
        return cls({identity.fingerprint: identity for identity in sorted(identities)})


def load(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        UsageError: it does not exist.
        ConfigurationError: it is none.
    """
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise UsageError(
            f"the baseline {path} does not exist; make it with: resilint baseline --output {path}"
        ) from None
    except OSError as problem:
        raise UsageError(f"cannot read the baseline {path}: {problem.strerror}") from None
    except (ValueError, RecursionError):
        raise ConfigurationError("no baseline of resilint: not JSON", str(path)) from None
    try:
        if document["version"] != VERSION:
            raise ConfigurationError(
                f"a baseline of version {document['version']}, this resilint reads {VERSION}", str(path)
            )
        return Baseline.of(_identity(entry) for entry in document["entries"])
    except (KeyError, TypeError, ValueError):
        raise ConfigurationError("no baseline of resilint; make it anew with: resilint baseline", str(path)) from None


def _identity(entry: dict[str, Any]) -> Identity:
    identity = Identity(**{name: entry[name] for name in Identity._fields})
    if not all(isinstance(text, str) for text in identity[:-1]) or not isinstance(identity.ordinal, int):
        raise TypeError
    return identity


def save(baseline: Baseline, path: Path) -> None:
    """Write a baseline, whole or not at all; sorted, an entry a line, for small diffs.

    Raises:
        UsageError: it cannot be written.
    """
    rows = [json.dumps(identity._asdict()) for identity in sorted(baseline.entries.values())]
    inner = ",\n    ".join(rows)
    text = f'{{\n  "version": {VERSION},\n  "entries": [{f"{chr(10)}    {inner}{chr(10)}  " if rows else ""}]\n}}\n'
    try:
        write_whole(path, text)
    except FileError as problem:
        raise UsageError(f"cannot write the baseline {path}: {problem.reason}") from None

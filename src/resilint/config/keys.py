"""Every key of the configuration: its name, what it may hold, what it does. Reader, schema and docs share the list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["flag", "seconds", "text", "choice", "texts", "table", "switches"]
"""``table`` maps a name to texts; ``switches`` maps a role to the rules switched off (and on) in it."""

ROLES = ("handler", "stream", "adapter", "worker", "script", "test", "plain")
CONFIDENCES = ("low", "medium", "high")
FAIL_ON = ("error", "warning", "info", "never")
SWITCHES = ("ignore", "select")

Default = bool | float | str | None | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """One key, as it is written in the file."""

    name: str
    kind: Kind
    about: str
    default: Default = None
    choices: tuple[str, ...] = ()
    """Of a choice: its values; of a table: the names it may have (none: any)."""

    @property
    def attribute(self) -> str:
        return self.name.replace("-", "_")


OUTBOUND_GROUPS = ("http", "llm", "smtp", "chat", "cloud", "grpc", "websocket", "socket", "soap", "graphql", "mcp")
OFF_GROUPS = ("database", "broker", "cache")
"""Outbound groups that must be asked for."""
BLOCKING_GROUPS = ("core", "files")

KEYS: tuple[Key, ...] = (
    Key("select", "texts", "The rules to run, by id or name; without it all but the strict ones.", ()),
    Key("ignore", "texts", "Rules not to run, by id or name.", ()),
    Key("strict", "flag", "Run the strict rules too.", False),
    Key("min-confidence", "choice", "Reports below this confidence are left out.", "medium", CONFIDENCES),
    Key("fail-on", "choice", "The severity from which a report makes the exit code 1.", "error", FAIL_ON),
    Key("src", "texts", "Import roots, relative to the project's root; without it they are inferred.", ()),
    Key("exclude", "texts", "Files and folders that are not read, as .gitignore patterns.", ()),
    Key("extend-exclude", "texts", "More of them, added to those of an extended file.", ()),
    Key("per-file-ignores", "table", "Files that are read but not reported for these rules: pattern = rules."),
    Key(
        "per-role",
        "switches",
        "Rules switched off (or on) in a role: role = rules, or {ignore = [], select = []}.",
        None,
        ROLES,
    ),
    Key("long-sleep-threshold", "seconds", "long-sleep: a wait over this many seconds is long.", 5.0),
    Key("wait-budget", "seconds", "wait-budget-exceeded: what an adapter's method may wait in all, in seconds.", 2.0),
    Key(
        "handler-wait-allowance",
        "seconds",
        "sleep-loop-in-handler: what a handler's own loop may wait, in seconds.",
        0.0,
    ),
    Key(
        "client-deadlines",
        "choice",
        "Whether a client's own total timeout counts as a deadline.",
        "accept",
        ("accept", "reject"),
    ),
    Key("outbound-groups", "texts", "Groups of outbound calls that are looked at.", OUTBOUND_GROUPS),
    Key("blocking-groups", "texts", "Groups of blocking calls that are looked at.", BLOCKING_GROUPS),
    Key(
        "run-blocking",
        "text",
        "The house's helper that runs blocking code in a bounded executor, a qualified name.",
        "",
    ),
    Key("timeout-expression", "text", "The expression that fixes write as the limit of a deadline.", ""),
    Key("house-client", "text", "rejected-client: the one HTTP client class that is accepted, a qualified name.", ""),
    Key("worker-deadlines", "texts", "Qualified names of functions that run jobs under a deadline of their own.", ()),
    Key("rejected", "texts", "rejected-client: qualified names of the clients that it reports.", ()),
    Key("sql-dialects", "texts", "SQL dialects that strings are tried in.", ()),
    Key("roles", "table", "Roles by path patterns and qualified names: role = patterns.", None, ROLES),
    Key("outbound", "table", "More outbound calls: class or function = methods."),
    Key("blocking", "table", "More blocking calls: class or function = methods."),
    Key("enqueue", "table", "More calls that queue work: class or function = methods."),
    Key("catalogue", "texts", "More catalogue files, relative to the file that names them.", ()),
    Key("baseline", "text", "The file of accepted reports, relative to the file that names it.", ""),
    Key("extend", "text", "A file whose keys hold where this one is silent, relative to this one.", ""),
)

BY_NAME: dict[str, Key] = {key.name: key for key in KEYS}

"""SQL text to what it says, by sqlglot."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from resilint.sql.model import Lock, Selection, Statement, Update, Within
from resilint.sql.names import is_attempts, is_key, is_marker, is_now, is_state

if TYPE_CHECKING:
    from sqlglot import exp

Tree: TypeAlias = Any
"""A node of sqlglot's; its base class has another name in every other version."""

DIALECTS = ("postgres", "mysql", "tsql")
"""In which a string is tried behind the configured ones."""
HOLE = "hole__"
"""What stands for the holes of an f-string: an identifier with the hole's number behind it."""
LONGEST = 20_000

_BEGINS = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*[(\s]*"
    r"(?:select\b.*?(?:\bfrom\b|\()|delete\b.*?\bfrom\b|with\b.*?\bas\b.*?\(|update\b.*?\bset\b|exec(?:ute)?\b)",
    re.IGNORECASE | re.DOTALL,
)
_BEFORE_OPERAND = re.compile(r"(?:[-=<>(,+*/]|\b(?:limit|offset|in|like|and|between|top|values))\s*\Z", re.IGNORECASE)
"""What stands before a placeholder; elsewhere a question mark is an operator."""
_PLACEHOLDER = re.compile(
    r"""
    (?P<skip>'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | ::)
    | %\((?P<percent>\w+)\)s
    | (?P<format>%s)
    | (?<![\w:]):(?P<colon>[A-Za-z_]\w*)
    | \$(?P<dollar>\d+)
    | (?P<question>\?(?=[\s,);]|$))
    """,
    re.VERBOSE | re.DOTALL,
)
_ADVISORY = re.compile(r"^(?:pg_(?:try_)?advisory_(?:xact_)?lock\w*|get_lock|sp_getapplock)$", re.IGNORECASE)
_NOW_CALLS = frozenset(
    [
        "now",
        "statement_timestamp",
        "clock_timestamp",
        "transaction_timestamp",
        "sysdate",
        "systimestamp",
        "getdate",
        "getutcdate",
        "sysutcdatetime",
        "sysdatetime",
        "sysdatetimeoffset",
        "unix_timestamp",
        "utc_timestamp",
        "localtimestamp",
        "localtime",
        "current_date",
        "current_timestamp",
        "curdate",
    ]
)
_SQLITE_CALLS = frozenset({"julianday", "strftime", "unixepoch"})
_TAIL_HOLE = re.compile(rf"\s+{HOLE}\d+[\s;]*\Z")
_WANTS_MORE = re.compile(
    r"(?:\b(?:limit|offset|by|and|or|where|not|in|first|next|top|from|like)|[-=<>(,+*/])\Z", re.IGNORECASE
)
"""What stands before an operand: a hole behind it is that, and no further clause."""


def looks_like_sql(text: str) -> bool:
    """It begins as a statement does that a rule can care for."""
    return 12 <= len(text) <= LONGEST and _BEGINS.match(text) is not None


def takes_advisory_lock(name: str) -> bool:
    """A function of a database that locks a key of the caller's choosing."""
    return _ADVISORY.match(name) is not None


def _identifiers(text: str) -> str:
    """Placeholders of all styles become identifiers: ``d__1``, ``q__0``, ``p__name``."""
    count = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal count
        if match["skip"]:
            return match[0]
        if match["percent"] or match["colon"]:
            return f"p__{match['percent'] or match['colon']}"
        if match["dollar"]:
            return f"d__{match['dollar']}"
        if match["question"] and _BEFORE_OPERAND.search(text, 0, match.start()) is None:
            return match[0]
        count += 1
        return f"q__{count - 1}"

    return _PLACEHOLDER.sub(replace, text).replace("%%", "%")


class Reader:
    """Reads strings, each once. ``unparsed`` counts those that no dialect could read."""

    def __init__(self, dialects: tuple[str, ...] = ()) -> None:
        self.dialects = (*dialects, *(d for d in DIALECTS if d not in dialects))
        self._known: dict[str, Statement | None] = {}

    @property
    def unparsed(self) -> int:
        return sum(1 for statement in self._known.values() if statement is None)

    def statement(self, text: str) -> Statement | None:
        """What the text says; None where no dialect can read it."""
        if text not in self._known:
            self._known[text] = self._read(text) if looks_like_sql(text) else Statement()
        return self._known[text]

    def condition(self, text: str) -> Selection:
        """What a part of a WHERE clause says."""
        found = self.statement(f"SELECT * FROM t WHERE {text}")
        return found.selections[0] if found is not None and found.selections else Selection()

    def _read(self, text: str) -> Statement | None:
        prepared = _identifiers(text)
        found = self._parsed(prepared)
        hole = _TAIL_HOLE.search(prepared)
        open_ended = hole is not None and _WANTS_MORE.search(prepared, 0, hole.start()) is None
        if found is None and hole is not None:
            found = self._parsed(prepared[: hole.start()])
        if found is None:
            return None
        trees, dialect = found
        return _Meaning(trees, dialect, lock_unknown=open_ended).statement()

    def _parsed(self, text: str) -> tuple[list[Tree], str] | None:
        import sqlglot

        logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
        for dialect in self.dialects:
            try:
                trees = [tree for tree in sqlglot.parse(text, read=dialect) if tree is not None]
            except (sqlglot.errors.SqlglotError, ValueError, RecursionError):
                continue
            if trees:
                return trees, dialect
        return None


class _Meaning:
    """What parsed statements mean."""

    def __init__(self, trees: list[Tree], dialect: str, lock_unknown: bool) -> None:
        from sqlglot import exp

        self.exp = exp
        self.trees = trees
        self.dialect = dialect
        self.lock_unknown = lock_unknown

    def statement(self) -> Statement:
        exp = self.exp
        selections: list[Selection] = []
        updates: list[Update] = []
        limits = advisory = sqlite = False
        for tree in self.trees:
            for node in tree.walk():
                if isinstance(node, exp.Select):
                    selections.append(self._selection(node, tree))
                elif isinstance(node, exp.Update):
                    updates.append(self._update(node))
                elif isinstance(node, (exp.LT, exp.LTE, exp.GT, exp.GTE)):
                    limits = limits or any(is_attempts(column.name) for column in node.find_all(exp.Column))
                elif isinstance(node, exp.Anonymous):
                    advisory = advisory or takes_advisory_lock(node.name)
                    sqlite = sqlite or node.name.lower() in _SQLITE_CALLS
                elif isinstance(node, (exp.Command, exp.Execute)):
                    advisory = advisory or any(map(takes_advisory_lock, re.findall(r"\w+", node.sql())))
                elif isinstance(node, exp.Literal) and node.is_string and node.name == "now":
                    call = node.parent
                    sqlite = sqlite or (
                        isinstance(call, exp.Func) and call.sql_name().lower() in ("date", "datetime", "time")
                    )
        dialect = "sqlite" if sqlite else self.dialect
        return Statement(tuple(selections), tuple(updates), limits, advisory, dialect)

    # Selections

    def _selection(self, node: exp.Select, tree: Tree) -> Selection:
        exp = self.exp
        where = node.args.get("where")
        table = self._table(node.args.get("from_") or node.args.get("from"))
        found = _Found()
        if where is not None:
            self._condition(where.this, found, table, True)
        lock = self._lock(node)
        if not lock and self.lock_unknown and node is tree:
            lock = "unknown"
        projections = [p.unalias() for p in node.expressions]
        return Selection(
            table,
            tuple(found.states),
            tuple(found.values),
            tuple(found.markers),
            tuple(found.flags),
            tuple(found.due),
            tuple(found.open),
            found.keyed,
            self._aggregates(node, projections),
            lock,
            node.args.get("order") is not None,
            node.args.get("limit") is not None,
            bool(projections) and all(isinstance(p, exp.Column) and is_key(p.name, table) for p in projections),
            self._within(node, tree),
            node is tree and self.dialect != "tsql",
        )

    def _table(self, source: Any) -> str:
        table = source.this if source is not None else None
        return table.name if isinstance(table, self.exp.Table) else ""

    def _aggregates(self, node: exp.Select, projections: list[Tree]) -> bool:
        exp = self.exp
        if node.args.get("group") is not None or (node.args.get("distinct") is not None and not node.args.get("locks")):
            return True
        if projections and all(isinstance(p, (exp.Literal, exp.Boolean, exp.Exists)) for p in projections):
            return True
        return any(
            isinstance(part, exp.AggFunc) and part.find_ancestor(exp.Window, exp.Select, exp.Subquery) is node
            for p in projections
            for part in p.find_all(exp.AggFunc)
        )

    def _lock(self, node: exp.Select) -> Lock:
        exp = self.exp
        for lock in node.args.get("locks") or ():
            if not lock.args.get("update"):
                continue
            wait = lock.args.get("wait")
            if wait is True:
                return "nowait"
            return "skip" if wait is False else "update"
        hints = {
            str(hint.name).upper() for with_hint in self._own(node, exp.WithTableHint) for hint in with_hint.expressions
        }
        if "READPAST" in hints:
            return "skip"
        if "NOWAIT" in hints:
            return "nowait"
        return "update" if hints & {"UPDLOCK", "XLOCK"} else ""

    def _own(self, node: exp.Select, kind: Any) -> Iterator[Any]:
        for found in node.find_all(kind):
            if found.find_ancestor(self.exp.Select) is node:
                yield found

    def _within(self, node: exp.Select, tree: Tree) -> Within:
        exp = self.exp
        current: Any = node.parent
        while current is not None:
            if isinstance(current, exp.Exists):
                return "other"
            if isinstance(current, exp.Select) and self._aggregates(
                current, [p.unalias() for p in current.expressions]
            ):
                return "other"
            if isinstance(current, exp.Update):
                return "checked update" if self._update(current).asks else "update"
            if isinstance(current, exp.Delete):
                return "delete"
            if isinstance(current, (exp.Insert, exp.Create)):
                return "other"
            current = current.parent
        return ""

    # Conditions

    def _condition(self, node: Any, found: _Found, table: str, surely: bool) -> None:
        """Collects what a condition asks for; ``surely``: it must hold, it is no alternative."""
        exp = self.exp
        if isinstance(node, exp.Paren):
            self._condition(node.this, found, table, surely)
        elif isinstance(node, exp.And):
            self._condition(node.this, found, table, surely)
            self._condition(node.expression, found, table, surely)
        elif isinstance(node, exp.Or):
            self._condition(node.this, found, table, False)
            self._condition(node.expression, found, table, False)
        elif isinstance(node, exp.Not):
            if not isinstance(node.this, exp.Is):
                self._condition(node.this, found, table, False)
        elif isinstance(node, exp.Column):
            if not _is_placeholder(node.name):
                found.flags.append(node.name)
        elif isinstance(node, exp.Is):
            self._is(node, found)
        elif isinstance(node, (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Like, exp.ILike)):
            self._equal(node, found, table, surely)
        elif isinstance(node, exp.In):
            self._in(node, found, table, surely)
        elif isinstance(node, (exp.LT, exp.LTE)):
            self._before(node.this, node.expression, found)
        elif isinstance(node, (exp.GT, exp.GTE)):
            self._before(node.expression, node.this, found)
        elif isinstance(node, exp.Between):
            self._before(node.this, node.args["high"], found)

    def _is(self, node: Any, found: _Found) -> None:
        exp = self.exp
        column = self._column(node.this)
        if column is None:
            return
        if isinstance(node.expression, exp.Null):
            if is_marker(column):
                found.markers.append(column)
        elif isinstance(node.expression, exp.Boolean):
            found.flags.append(column)

    def _column(self, node: Any) -> str | None:
        """The column that one side of a comparison is about."""
        exp = self.exp
        if isinstance(node, exp.Column):
            return None if _is_placeholder(node.name) else node.name
        if isinstance(node, (exp.Select, exp.Subquery)):
            return None
        for column in node.find_all(exp.Column):
            if not _is_placeholder(column.name):
                return str(column.name)
        return None

    def _equal(self, node: Any, found: _Found, table: str, surely: bool) -> None:
        exp = self.exp
        for side, other in ((node.this, node.expression), (node.expression, node.this)):
            column = self._column(side)
            if column is None or is_now(column):
                continue
            if isinstance(other, exp.Column) and not _is_placeholder(other.name):
                return  # a join
            if is_state(column) or self._is_text(other):
                found.states.append(column)
                found.values += self._values(other) if isinstance(node, exp.EQ) and surely else ["?"]
            elif isinstance(other, exp.Boolean):
                found.flags.append(column)
            elif surely and isinstance(node, exp.EQ) and isinstance(side, exp.Column) and is_key(column, table):
                found.keyed = found.keyed or not isinstance(other, (exp.Subquery, exp.Select))
            return

    def _is_text(self, node: Any) -> bool:
        exp = self.exp
        if isinstance(node, (exp.Cast, exp.Paren)):
            return self._is_text(node.this)
        if isinstance(node, (exp.Any, exp.Array, exp.Tuple)):
            return any(isinstance(part, exp.Literal) and part.is_string for part in node.walk())
        return isinstance(node, exp.Literal) and bool(node.is_string) and not _hole_in(node.name)

    def _values(self, node: Any) -> list[str]:
        texts = [str(p.name) for p in node.walk() if isinstance(p, self.exp.Literal) and p.is_string]
        return texts or ["?"]

    def _in(self, node: Any, found: _Found, table: str, surely: bool) -> None:
        column = self._column(node.this)
        if column is None:
            return
        if is_state(column) or any(self._is_text(item) for item in node.expressions):
            found.states.append(column)
            for item in node.expressions or [node]:
                found.values += self._values(item) if surely else ["?"]
        elif surely and is_key(column, table) and node.args.get("query") is None:
            found.keyed = True

    def _before(self, earlier: Any, later: Any, found: _Found) -> None:
        """``earlier < later``."""
        column = self._column(earlier)
        if column is not None and not is_attempts(column) and not self._now(earlier):
            if self._now(later):
                found.due.append(column)
                return
            for part in later.walk():
                name = (
                    part.name if isinstance(part, self.exp.Column) else _hole_in(part.name) if self._texts(part) else ""
                )
                if name and _is_placeholder(name):
                    found.open.append((column, name))
            return
        elapsed = self._column(later)
        if elapsed is not None and self._now(later) and not self._now(earlier):  # now() - started_at > interval
            found.due.append(elapsed)

    def _texts(self, node: Any) -> bool:
        return isinstance(node, self.exp.Literal) and bool(node.is_string)

    def _now(self, node: Any) -> bool:
        exp = self.exp
        for part in node.walk():
            if isinstance(part, (exp.CurrentTimestamp, exp.CurrentDate, exp.CurrentTime, exp.CurrentDatetime)):
                return True
            if isinstance(part, exp.Func):
                name = part.name if isinstance(part, exp.Anonymous) else part.sql_name()
                if str(name).lower() in _NOW_CALLS:
                    return True
            if isinstance(part, exp.Column) and part.name.startswith("p__") and is_now(part.name[3:]):
                return True
            if isinstance(part, exp.Parameter) and is_now(part.name):
                return True
            if isinstance(part, exp.Literal) and part.is_string and part.name.lower() == "now":
                return True
        return False

    # Updates

    def _update(self, node: exp.Update) -> Update:
        exp = self.exp
        sets: list[str] = []
        raises: list[str] = []
        for item in node.expressions:
            if isinstance(item, exp.EQ) and isinstance(item.this, exp.Column):
                name = item.this.name
                sets.append(name)
                raised = item.expression.unnest() if hasattr(item.expression, "unnest") else item.expression
                if isinstance(raised, exp.Add) and any(c.name == name for c in raised.find_all(exp.Column)):
                    raises.append(name)
        found = _Found()
        where = node.args.get("where")
        if where is not None:
            self._condition(where.this, found, "", True)
        return Update(
            node.this.name if isinstance(node.this, exp.Table) else "",
            tuple(sets),
            tuple(raises),
            bool(found.states or found.markers or found.flags or found.due),
            node.args.get("returning") is not None,
        )


class _Found:
    """What conditions asked for so far."""

    def __init__(self) -> None:
        self.states: list[str] = []
        self.values: list[str] = []
        self.markers: list[str] = []
        self.flags: list[str] = []
        self.due: list[str] = []
        self.open: list[tuple[str, str]] = []
        self.keyed = False


def _is_placeholder(name: str) -> bool:
    return name.startswith(("p__", "d__", "q__", HOLE))


def _hole_in(text: str) -> str:
    match = re.search(rf"{HOLE}\d+", text)
    return match[0] if match else ""

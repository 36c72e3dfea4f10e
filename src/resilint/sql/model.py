"""What a statement says, as far as a rule can care."""

from __future__ import annotations

from typing import Literal, NamedTuple

Lock = Literal["", "update", "skip", "nowait", "unknown"]
"""``update`` waits for rows that others hold; ``skip`` leaves them out; ``nowait`` fails at once."""
Within = Literal["", "update", "checked update", "delete", "other"]
"""Where a SELECT stands: by itself, in an UPDATE (``checked``: one that asks for the state again), in a DELETE, or
where no rows of it come out (EXISTS, an INSERT, an aggregate)."""


class Selection(NamedTuple):
    """One SELECT, or a query that was built by calls."""

    table: str = ""
    states: tuple[str, ...] = ()
    """Columns that are compared as a state is."""
    values: tuple[str, ...] = ()
    """The texts that they must equal; ``?`` for whatever else they are compared with."""
    markers: tuple[str, ...] = ()
    """Columns that must be NULL and whose name says that somebody fills them (``locked_at``)."""
    flags: tuple[str, ...] = ()
    """Columns that are taken as true or false."""
    due: tuple[str, ...] = ()
    """Columns that must lie before the current time."""
    open: tuple[tuple[str, str], ...] = ()
    """Columns that must lie before a placeholder or hole, and its key: whether that is the current time is known
    where it is bound."""
    keyed: bool = False
    """It asks for rows by their key."""
    aggregate: bool = False
    """It counts, or asks whether there are any."""
    lock: Lock = ""
    ordered: bool = False
    limited: bool = False
    keys_only: bool = False
    within: Within = ""
    top: bool = False
    """It is the whole statement: what is written behind it belongs to it."""


class Update(NamedTuple):
    """What an UPDATE writes."""

    table: str = ""
    sets: tuple[str, ...] = ()
    raises: tuple[str, ...] = ()
    """Columns that it raises (``n = n + 1``)."""
    asks: bool = False
    """Its WHERE asks for a state or marker again."""
    returning: bool = False


class Statement(NamedTuple):
    """One string."""

    selections: tuple[Selection, ...] = ()
    updates: tuple[Update, ...] = ()
    limits: bool = False
    """It compares a number of attempts."""
    advisory: bool = False
    """It takes an advisory lock."""
    dialect: str = ""
    """The one in which it could be read; ``sqlite`` where it calls functions that only SQLite has."""

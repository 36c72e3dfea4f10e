"""What SQL text says: which rows a query asks for, under which lock, and what an update writes.

The parser is imported when the first string is read that can hold a query; until then this package costs nothing.
"""

from resilint.sql.model import Selection, Statement, Update
from resilint.sql.names import (
    is_attempts,
    is_due,
    is_key,
    is_marker,
    is_now,
    is_state,
    words,
)
from resilint.sql.reading import DIALECTS, HOLE, Reader, looks_like_sql, takes_advisory_lock

__all__ = [
    "DIALECTS",
    "HOLE",
    "Reader",
    "Selection",
    "Statement",
    "Update",
    "is_attempts",
    "is_due",
    "is_key",
    "is_marker",
    "is_now",
    "is_state",
    "looks_like_sql",
    "takes_advisory_lock",
    "words",
]

"""A place in a source file."""

from typing import NamedTuple


class Span(NamedTuple):
    """From the first character to just behind the last one.

    Lines and columns count from 1; a column counts characters, not bytes.
    """

    line: int
    column: int
    end_line: int
    end_column: int

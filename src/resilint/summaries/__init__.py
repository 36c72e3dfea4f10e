"""Summaries: what holds of a function, its callees and callers included. ``analyse`` makes them on demand."""

from resilint.summaries.analysis import Analysis, analyse

__all__ = ["Analysis", "analyse"]

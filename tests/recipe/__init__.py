"""The recipe under ``examples/polling``, run against a real PostgreSQL, and what resilint says about it."""

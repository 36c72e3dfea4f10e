"""The command line. Only what a command needs is imported, and that when it runs."""

from resilint.cli.group import main

__all__ = ["main"]

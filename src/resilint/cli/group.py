"""The commands, each imported when it is called: ``resilint --version`` needs none of them."""

from __future__ import annotations

import importlib
import sys
from typing import Any, NoReturn

import click

from resilint import __version__
from resilint.check.collector import collector_paused
from resilint.cli.exits import guarded
from resilint.cli.output import prepare_streams

_COMMANDS = {
    "check": ("check", "Check a project."),
    "rule": ("rules", "Print the page of a rule."),
    "rules": ("rules", "List the rules."),
    "config": ("config", "Print the effective configuration and where each value comes from."),
    "baseline": ("baseline", "Accept what there is: write it to a file that check --baseline subtracts."),
    "clean": ("clean", "Remove the cache."),
    "why": ("why", "Explain what is known about a line."),
    "debug": ("debug", "Print what a layer concluded."),
}


class _Commands(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = importlib.import_module(f"resilint.cli.{_COMMANDS[name][0]}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            from resilint.config import nearest

            raise click.UsageError(f'no command "{args[0]}"{nearest(args[0], _COMMANDS)}', context)
        return super().resolve_command(context, args)

    def main(self, *positional: Any, **named: Any) -> NoReturn:
        """Run a command and end the process with its exit code."""
        prepare_streams()
        named |= {"standalone_mode": False, "prog_name": "resilint"}
        run = super().main
        with collector_paused():
            code = guarded(lambda: run(*positional, **named))
        sys.exit(code)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in _COMMANDS.items()])


@click.command("resilint", cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """resilint: how long a Python service waits, and under which deadline.

    Exit code 0: nothing bad enough was found; 1: something was; 2: wrong use, a broken configuration, or a defect
    of resilint.
    """

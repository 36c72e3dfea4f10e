"""``resilint debug``: what each layer concluded, for those who work on resilint."""

from __future__ import annotations

from typing import Any

import click

from resilint.cli.options import project_options, request_of
from resilint.cli.output import emit, tamed

_FORMAT = click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)


@click.group("debug")
def debug_command() -> None:
    """Print what a layer concluded."""


@debug_command.command("facts")
@project_options
@_FORMAT
def facts_command(output: str, **options: Any) -> int:
    """What single files say."""
    import msgspec

    from resilint.check.session import open_projects

    for project in open_projects(request_of(options)):
        for name in sorted(project.selection.reported & project.files.facts.keys()):
            facts = project.files.facts[name]
            if output == "json":
                emit(msgspec.json.encode({"path": name, "facts": facts}).decode() + "\n")
            else:
                from resilint.facts.dump import dump

                emit(tamed(f"{name}\n{dump(facts)}"))
    return 0


@debug_command.command("calls")
@project_options
@_FORMAT
def calls_command(output: str, **options: Any) -> int:
    """The call graph, with roles."""
    from resilint.check.session import open_projects
    from resilint.link.debug import calls

    for project in open_projects(request_of(options)):
        emit(_shown(calls(project.program(), output), output))
    return 0


@debug_command.command("summary")
@project_options
@_FORMAT
def summary_command(output: str, **options: Any) -> int:
    """What holds of each function."""
    from resilint.check.session import open_projects
    from resilint.summaries.debug import summary

    for project in open_projects(request_of(options)):
        emit(_shown(summary(project.analysis(project.program()), output), output))
    return 0


def _shown(text: str, output: str) -> str:
    return tamed(text) if output == "text" else text.removesuffix("\n") + "\n"

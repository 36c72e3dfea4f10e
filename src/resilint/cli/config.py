"""``resilint config``."""

from __future__ import annotations

import json
from typing import Any

import click

from resilint.cli.options import policy_options, project_options, request_of
from resilint.cli.output import emit
from resilint.config import Configuration, Switches
from resilint.reports.safe import safe


@click.command("config")
@project_options
@policy_options
@click.option("--schema", is_flag=True, help="Print the JSON schema of the configuration instead.")
def config_command(schema: bool, **options: Any) -> int:
    """Print the effective configuration of the project of PATHS, and where each value comes from."""
    if schema:
        from resilint.config.schema import schema as make

        emit(json.dumps(make(), indent=2) + "\n")
        return 0
    from resilint.check.session import configurations

    for project, configuration in configurations(request_of(options)):
        emit(f"# root: {safe(str(project.root))}\n" + shown(configuration))
    return 0


def shown(configuration: Configuration) -> str:
    """The configuration as TOML, a key a line, each with its origin."""
    lines = []
    tables = []
    for key, value, origin in configuration.items():
        if value and isinstance(value, tuple) and isinstance(value[0], tuple):
            tables.append(f"\n[{key}]  # {origin}")
            tables += [
                f"{json.dumps(name)} = {_toml(entry)}  # {configuration.origin(f'{key}.{name}')}"
                for name, entry in value
            ]
        else:
            lines.append(f"{key} = {_toml(value)}  # {origin}")
    return "".join(f"{safe(line) if line else ''}\n" for text in [*lines, *tables] for line in text.split("\n"))


def _toml(value: Any) -> str:
    if isinstance(value, Switches):
        return (
            f"{{ignore = {_toml(value.ignore)}, select = {_toml(value.select)}}}"
            if value.select
            else _toml(value.ignore)
        )
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format(value, "g")
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)

"""Options that several commands share, and the request that they make."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from resilint.cli.output import complain
from resilint.config.keys import CONFIDENCES, FAIL_ON
from resilint.domain import UsageError
from resilint.reports.safe import safe

if TYPE_CHECKING:
    from resilint.check.session import Outcome, Request

F = TypeVar("F", bound=Callable[..., Any])
STDIN = "-"
_PATH = click.Path(path_type=Path)


def _words(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    """Several, or one with commas."""
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())


def _applied(options: Sequence[Callable[[F], F]], command: F) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def project_options(command: F) -> F:
    """Where the project is, how it is configured and read."""
    return _applied(
        [
            click.argument("paths", nargs=-1, type=_PATH),
            click.option("--root", type=_PATH, help="The project's root; by default it is found from the paths."),
            click.option(
                "--config", "configuration", type=_PATH, help="Use this configuration file instead of the project's."
            ),
            click.option(
                "--exclude",
                multiple=True,
                metavar="PATTERN",
                help="Do not read these (instead of the configuration's).",
            ),
            click.option("--extend-exclude", multiple=True, metavar="PATTERN", help="Do not read these either."),
            click.option("--force-exclude", is_flag=True, help="Exclude files even where they are named."),
            click.option("--stdin-filename", type=_PATH, help="What - (standard input) is called."),
            click.option("--jobs", "-j", type=click.IntRange(min=1), help="Processes; by default one a processor."),
            click.option("--no-cache", is_flag=True, help="Neither read nor write the cache."),
            click.option("--cache-dir", type=_PATH, help="Where the cache is, instead of .resilint_cache in the root."),
        ],
        command,
    )


def policy_options(command: F) -> F:
    """Which rules run, and what becomes of their reports."""
    return _applied(
        [
            click.option(
                "--select", multiple=True, metavar="RULES", callback=_words, help="Run these rules only (ids or names)."
            ),
            click.option("--ignore", multiple=True, metavar="RULES", callback=_words, help="Do not run these rules."),
            click.option("--strict", is_flag=True, help="Run the strict rules too."),
            click.option("--min-confidence", type=click.Choice(CONFIDENCES), help="Leave out less certain reports."),
            click.option("--fail-on", type=click.Choice(FAIL_ON), help="The severity that makes the exit code 1."),
        ],
        command,
    )


def request_of(options: dict[str, Any]) -> Request:
    """The request that a command's options make."""
    from resilint.check.session import Request

    working = Path.cwd()
    overrides: dict[str, Any] = {}
    for key in ("select", "ignore", "exclude", "extend-exclude"):
        if values := options.get(key.replace("-", "_")):
            overrides[key] = tuple(values)
    for key in ("min-confidence", "fail-on"):
        if value := options.get(key.replace("-", "_")):
            overrides[key] = value
    if options.get("strict"):
        overrides["strict"] = True
    if baseline := options.get("baseline"):
        overrides["baseline"] = os.path.abspath(baseline)
    paths: tuple[Path, ...] = tuple(options["paths"]) or (Path(),)
    overlay: dict[Path, bytes] = {}
    if Path(STDIN) in paths:
        named = options.get("stdin_filename") or Path("stdin.py")
        paths = tuple(named if path == Path(STDIN) else path for path in paths)
        overlay[Path(os.path.normpath(working / named))] = sys.stdin.buffer.read()
    elif options.get("stdin_filename"):
        raise UsageError("--stdin-filename goes with - (standard input)")
    quiet = bool(options.get("quiet"))
    return Request(
        paths=paths,
        working=working,
        root=options.get("root"),
        configuration=options.get("configuration"),
        overrides=overrides,
        overlay=overlay,
        jobs=options.get("jobs") or 0,
        cached=not options.get("no_cache"),
        cache_folder=options.get("cache_dir"),
        force_exclude=bool(options.get("force_exclude")),
        warn=(lambda message: None) if quiet else (lambda message: complain(f"warning: {message}")),
    )


def tell_skipped(outcome: Outcome) -> None:
    """Files that should have been read."""
    for skipped in outcome.skipped:
        complain(f"warning: skipped {safe(skipped.path)}: {skipped.reason}")

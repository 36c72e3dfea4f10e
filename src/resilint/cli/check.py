"""``resilint check``."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from resilint.cli.exits import FAILED, OK, WRONG
from resilint.cli.options import policy_options, project_options, request_of, tell_skipped
from resilint.cli.output import coloured, complain, emit, linked
from resilint.cli.targets import Target, TargetType, targets
from resilint.domain import Severity, UsageError

if TYPE_CHECKING:
    from resilint.check.session import Outcome
    from resilint.reports import Described, Report

REPOSITORY = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Where GitHub and GitLab say where the repository is."""


@click.command("check")
@project_options
@policy_options
@click.option(
    "--output-format",
    type=TargetType(),
    multiple=True,
    help="text (the default), concise, json, jsonl, sarif, github, gitlab or junit. May be given several times:"
    " --output-format text --output-format sarif:report.sarif.",
)
@click.option("--output-file", "-o", type=click.Path(path_type=Path), help="A file instead of standard output.")
@click.option(
    "--no-suppressed", is_flag=True, help="Leave reports that are suppressed or in the baseline out of sarif."
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is reported.")
@click.option("--baseline", type=click.Path(path_type=Path), help="Leave out the reports that this file accepts.")
@click.option("--prune", is_flag=True, help="Remove entries from the baseline that no longer occur.")
@click.option("--statistics", is_flag=True, help="Print functions by role, and the reports withheld there.")
@click.option("--verbose", "-v", is_flag=True, help="Show every report, and the time by layer.")
@click.option("--quiet", "-q", is_flag=True, help="Show reports only: no closing line, no warnings.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def check_command(**options: Any) -> int:
    """Check a project, and report what stands in PATHS (default: the working folder)."""
    from resilint.check.session import analyse

    started = time.perf_counter()
    wanted = targets(options["output_format"], options["output_file"])
    outcome = analyse(request_of(options))
    code = WRONG if outcome.broken else FAILED if outcome.failed and not options["exit_zero"] else OK
    if not options["quiet"]:
        tell_skipped(outcome)
        if not outcome.files:
            complain("warning: no Python files found")
        _tell_baseline(outcome, prune=options["prune"])
    if options["prune"]:
        _prune(outcome)
    report = _report(outcome, time.perf_counter() - started, with_silenced=not options["no_suppressed"])
    if not _write_files([target for target in wanted if target.file is not None], report, options):
        code = WRONG
    for target in wanted:
        if target.file is None:
            emit(_shown(target, report, options), code)
    if options["statistics"]:
        emit(_statistics(outcome), code)
    if options["verbose"]:
        _tell_times(outcome)
    return code


def _report(outcome: Outcome, seconds: float, *, with_silenced: bool) -> Report:
    from resilint.reports import Report, Summary

    repository = next((Path(os.environ[name]) for name in REPOSITORY if os.environ.get(name)), None)
    return Report(
        outcome.diagnostics,
        Summary(outcome.files, outcome.suppressed, outcome.baselined, outcome.skipped, seconds),
        outcome.lines,
        silenced=outcome.silenced if with_silenced else (),
        rules=_described,
        working=outcome.working,
        repository=repository,
        fails=_strictest([project.configuration.fail_on for project in outcome.projects]),
    )


def _described() -> Sequence[Described]:
    """The rules with their pages; loaded for the formats that show them."""
    from resilint.reports import Described
    from resilint.rules import all_rules, page

    return [Described(rule, page(rule.name)) for rule in all_rules()]


def _strictest(fail_on: Sequence[str]) -> Severity | None:
    """The least severity that fails in any of the projects of a run."""
    severities = [Severity(word) for word in fail_on if word != "never"]
    return min(severities, key=lambda severity: severity.ordinal, default=None)


def _shown(target: Target, report: Report, options: dict[str, Any]) -> str:
    from resilint.reports import TEXT, Style, formatted, text

    if target.name != TEXT:
        return formatted(target.name, report)
    if target.file is None:
        style = Style(coloured(options["color"]), linked(options["color"]))
    else:
        style = Style(options["color"] == "always")
    return text(report, style, everything=options["verbose"], closing=not options["quiet"])


def _write_files(wanted: Sequence[Target], report: Report, options: dict[str, Any]) -> bool:
    """Write what goes to files, each whole or not at all; whether all could be. One failure does not stop the next."""
    from resilint.check.whole import FileError, write_whole

    done = True
    for target in wanted:
        assert target.file is not None
        try:
            write_whole(target.file, _shown(target, report, options))
        except FileError as problem:
            complain(f"error: {problem}")
            done = False
    return done


def _tell_baseline(outcome: Outcome, *, prune: bool) -> None:
    gone = [identity for judged in outcome.judged for identity in judged.gone]
    for judged in outcome.judged:
        for old, new in sorted(judged.renamed.items()):
            complain(f"note: {old} of the baseline seems to be {new} now; resilint baseline writes it anew")
    for identity in [] if prune else gone:
        where = f" in {identity.function}" if identity.function else ""
        complain(f"note: the baseline accepts {identity.rule}{where} of {identity.path}, which no longer occurs")
    if gone and not prune:
        complain(f"note: --prune removes {'it' if len(gone) == 1 else f'these {len(gone)}'} from the baseline")


def _prune(outcome: Outcome) -> None:
    from resilint.check.baseline import load, save

    if not any(project.configuration.baseline for project in outcome.projects):
        raise UsageError("--prune needs a baseline: --baseline FILE, or baseline in the configuration")
    for project, judged in zip(outcome.projects, outcome.judged, strict=True):
        if project.configuration.baseline and judged.gone:
            path = Path(project.configuration.baseline)
            baseline = load(path)
            for identity in judged.gone:
                baseline.entries.pop(identity.fingerprint, None)
            save(baseline, path)
            complain(f"note: {len(judged.gone)} removed from {path}")


def _statistics(outcome: Outcome) -> str:
    """By role, how many functions have it, and what was withheld because it is exempt from the rule."""
    functions: Counter[str] = Counter()
    for project in outcome.projects:
        functions.update(project.roles())
    withheld: Counter[str] = Counter()
    for (role, _), number in outcome.withheld.items():
        withheld[role] += number
    lines = ["role      functions  withheld"]
    for role in sorted({*functions, *withheld}):
        lines.append(f"{role:<8}  {functions[role]:>9}  {withheld[role]:>8}")
        lines += [f"  {name:<27}{number:>8}" for (r, name), number in sorted(outcome.withheld.items()) if r == role]
    return "\n".join(lines) + "\n"


def _tell_times(outcome: Outcome) -> None:
    complain(f"{outcome.lowered} of {outcome.files} files were lowered, the others came from the cache")
    for layer, seconds in outcome.seconds.items():
        complain(f"{layer:<10} {seconds * 1000:9.1f} ms")

"""The use case ``check``: from paths to an outcome. Everything a front end needs; nothing about how it is shown."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from resilint.check import baseline as baselines
from resilint.check import cache as caches
from resilint.check import owncheck
from resilint.check.baseline import Baseline
from resilint.check.collector import collector_paused
from resilint.check.discover import Skipped, relative
from resilint.check.found import Found
from resilint.check.internal import HINT, debugging, describe
from resilint.check.judge import Case, Judged, exit_severity, judge
from resilint.check.passes import Passes
from resilint.check.project import Project, open_project
from resilint.check.remembered import Analysis
from resilint.check.roots import Group, group
from resilint.check.selection import INTERNAL_ERROR, OWN, Rules, selected
from resilint.check.suppress import suppressions
from resilint.config import Configuration, load
from resilint.domain import Diagnostic, ResilintError, Silenced
from resilint.rule import Finding, Rule


def available_jobs() -> int:
    """As many as there are processors for this process; more of them lose."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be checked, and how."""

    paths: tuple[Path, ...]
    working: Path
    root: Path | None = None
    configuration: Path | None = None
    """A file to use instead of the projects' own."""
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """Configuration from the command line, by key."""
    overlay: Mapping[Path, bytes] = field(default_factory=dict)
    """Contents that stand for what is on disk, by absolute path. They need not exist there."""
    jobs: int = 0
    """0: as many as there are processors."""
    cached: bool = True
    cache_folder: Path | None = None
    """Instead of ``.resilint_cache`` in the root."""
    force_exclude: bool = False
    subtract_baseline: bool = True
    """False: what the configuration's baseline accepts is reported all the same."""
    warn: Callable[[str], None] = lambda message: None


@dataclass(slots=True)
class Outcome:
    """What came of it. All paths are relative to the working folder, with ``/``."""

    working: Path
    diagnostics: list[Diagnostic] = field(default_factory=list)
    """Sorted."""
    silenced: list[Silenced] = field(default_factory=list)
    """What suppressions and baselines keep quiet, sorted."""
    files: int = 0
    lowered: int = 0
    suppressed: int = 0
    baselined: int = 0
    withheld: Counter[tuple[str, str]] = field(default_factory=Counter)
    skipped: list[Skipped] = field(default_factory=list)
    projects: list[Project] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    """One a project, in the same order, with paths relative to its root."""
    seconds: dict[str, float] = field(default_factory=dict)
    """By layer."""
    failed: bool = False
    """Something is reported that is bad enough for exit code 1."""
    broken: bool = False
    """Something went wrong in resilint itself: exit code 2."""

    def lines(self, path: str) -> list[str]:
        """The source lines of a path of a diagnostic."""
        full = Path(os.path.normpath(self.working / path))
        for project in self.projects:
            name = relative(full, project.root)
            if name is not None and name in project.files.facts:
                return project.sources.lines(name)
        return []


def configurations(request: Request) -> list[tuple[Group, Configuration]]:
    """The projects that a request reaches, each with its configuration; no source is read."""
    working = Path(os.path.normpath(request.working))
    own = None if request.configuration is None else working / request.configuration
    return [
        (each, load(own or each.configuration, request.overrides, working))
        for each in group(request.paths, working, request.root)
    ]


def open_projects(request: Request, passes: Passes | None = None) -> list[Project]:
    """Find and lower everything that a request reaches."""
    return [_open(each, configuration, request, passes or Passes()) for each, configuration in configurations(request)]


def _open(each: Group, configuration: Configuration, request: Request, passes: Passes) -> Project:
    return open_project(
        each,
        configuration,
        request.overlay,
        passes,
        request.warn,
        jobs=request.jobs or available_jobs(),
        cache=request.working / (request.cache_folder or each.root / caches.NAME) if request.cached else None,
        force_exclude=request.force_exclude,
    )


def analyse(request: Request, passes: Passes | None = None) -> Outcome:
    """Check.

    Raises:
        ResilintError: the request or the configuration is wrong. Defects of resilint become diagnostics instead.
    """
    passes = passes or Passes()
    outcome = Outcome(working=Path(os.path.normpath(request.working)))
    with collector_paused():
        troubles: list[_Trouble] = []
        rules = _rules(passes, troubles)
        policies = [
            (each, _policy(configuration, rules, request, loaded=not troubles))
            for each, configuration in configurations(request)
        ]  # all of them before anything is read: what is wrong with them is told at once
        for each, policy in policies:
            project = _open(each, policy.configuration, request, passes)
            _add(outcome, project, _judged(project, policy, rules, troubles, request.warn))
        outcome.diagnostics.sort(key=lambda d: d.sort_key)
        outcome.silenced.sort(key=lambda s: s.diagnostic.sort_key)
    return outcome


class _Trouble(NamedTuple):
    """An internal error, and where."""

    path: str
    what: str


class _Policy(NamedTuple):
    """What a project's configuration says about reports."""

    configuration: Configuration
    running: frozenset[str]
    baseline: Baseline | None


def _policy(configuration: Configuration, rules: Rules, request: Request, *, loaded: bool) -> _Policy:
    running = selected(configuration, rules) if loaded else frozenset({INTERNAL_ERROR})
    subtracted = configuration.baseline and request.subtract_baseline
    return _Policy(configuration, running, baselines.load(Path(configuration.baseline)) if subtracted else None)


def _judged(
    project: Project, policy: _Policy, rules: Rules, known: Sequence[_Trouble], warn: Callable[[str], None]
) -> Judged:
    failures = sorted(project.files.failures.items())
    troubles = [*known, *(_Trouble(path, f"resilint failed to read this file: {why}") for path, why in failures)]
    silent = _silent(project, rules, policy.running)
    found, failed = _findings(project, [r for r in rules.all if r.name in policy.running | silent], troubles, warn)
    with project.clock.timed("judge"):
        case = Case(
            policy.configuration,
            rules,
            policy.running - failed,
            silent - failed,
            project.files.facts,
            project.selection.reported,
            project.sources,
            policy.baseline,
        )
        judged = judge(found, case)
        judged.diagnostics += [owncheck.broken(rules, path, what, HINT).diagnostic() for path, what in troubles]
    return judged


def _rules(passes: Passes, troubles: list[_Trouble]) -> Rules:
    try:
        return Rules(tuple(passes.rules()))
    except Exception as problem:
        if debugging():
            raise
        troubles.append(_Trouble(".", f"the rules cannot be loaded: {describe(problem)}"))
        return Rules(())


def _silent(project: Project, rules: Rules, running: frozenset[str]) -> frozenset[str]:
    """Strict rules that nobody selected, but that a suppression by id may be there for."""
    words = set()
    for path in project.selection.reported:
        facts = project.files.facts.get(path)
        if facts is not None and facts.comments:
            found = suppressions(facts, lambda: [""], lambda word: frozenset())
            words |= {item.word for suppression in found for item in suppression.rules}
    return (
        frozenset(rule.name for word in words if not rules.is_name(word) for rule in rules.named(word) if rule.strict)
        - running
    )


def _findings(
    project: Project, rules: Sequence[Rule], troubles: list[_Trouble], warn: Callable[[str], None]
) -> tuple[list[Found], frozenset[str]]:
    """What the rules find, and the names of those that failed; from an earlier run over the same program, if any."""
    following = [rule for rule in rules if rule.id != OWN]
    with project.clock.timed("remembered"):
        memory = project.remember([rule.name for rule in following], warn)
        known = memory.load() if memory is not None else None
    if known is not None:
        project.remembered = known
        return [Found(rule, each) for rule in following for each in known.findings.get(rule.name, ())], frozenset()
    before = len(troubles)
    found, failed = _found(project, following, troubles)
    if memory is not None and len(troubles) == before:
        by_rule: dict[str, list[Finding]] = {rule.name: [] for rule in following}
        for each in found:
            by_rule[each.rule.name].append(each.finding)
        memory.save(Analysis(by_rule, dict(project.roles())))
    return found, failed


def _found(project: Project, rules: Sequence[Rule], troubles: list[_Trouble]) -> tuple[list[Found], frozenset[str]]:
    """What the rules find now. What raises costs its own findings only."""
    found: list[Found] = []
    failed: set[str] = set()
    try:
        program = project.program()
        analysis = project.analysis(program)
    except ResilintError:
        raise
    except Exception as problem:
        if debugging():
            raise
        troubles.append(_Trouble(".", f"resilint failed to analyse the project: {describe(problem)}"))
        return [], frozenset(rule.name for rule in rules)
    with project.clock.timed("rules"):
        for rule in rules:
            try:
                found += [Found(rule, finding) for finding in rule.check(analysis)]
            except Exception as problem:
                if debugging():
                    raise
                troubles.append(_Trouble(".", f"the rule {rule.name} failed: {describe(problem)}"))
                failed.add(rule.name)
    return [each for each in found if each.rule.name not in failed], frozenset(failed)


class _Teller:
    """Paths relative to a root, told relative to the working folder."""

    def __init__(self, root: Path, working: Path) -> None:
        self._root = str(root)
        self._working = str(working)
        self._same = root == working
        self._known: dict[str, str] = {}

    def path(self, path: str) -> str:
        if self._same:
            return path
        if path not in self._known:
            full = os.path.join(self._root, path)
            try:
                self._known[path] = os.path.relpath(full, self._working).replace(os.sep, "/")
            except ValueError:  # on another drive
                self._known[path] = full.replace(os.sep, "/")
        return self._known[path]

    def diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        if self._same:
            return diagnostic
        fix = diagnostic.fix
        if fix is not None:
            fix = fix._replace(edits=tuple(edit._replace(path=self.path(edit.path)) for edit in fix.edits))
        trace = tuple(hop._replace(path=self.path(hop.path)) for hop in diagnostic.trace)
        return diagnostic._replace(path=self.path(diagnostic.path), trace=trace, fix=fix)


def _add(outcome: Outcome, project: Project, judged: Judged) -> None:
    teller = _Teller(project.root, outcome.working)
    outcome.projects.append(project)
    outcome.judged.append(judged)
    outcome.diagnostics += map(teller.diagnostic, judged.diagnostics)
    outcome.silenced += [each._replace(diagnostic=teller.diagnostic(each.diagnostic)) for each in judged.silenced]
    outcome.files += len(project.files.facts)
    outcome.lowered += project.files.lowered
    outcome.suppressed += judged.suppressed
    outcome.baselined += judged.baselined
    outcome.withheld += judged.withheld
    outcome.skipped += [Skipped(teller.path(path), reason) for path, reason in project.skipped]
    for layer, seconds in project.clock.seconds.items():
        outcome.seconds[layer] = outcome.seconds.get(layer, 0.0) + seconds
    outcome.failed |= exit_severity(judged.diagnostics, project.configuration.fail_on)
    outcome.broken |= any(d.name == INTERNAL_ERROR for d in judged.diagnostics)

"""Holds what happened against what resilint said."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from resilint.catalogue import Catalogue, load_catalogue
from resilint.link import link
from resilint.link.inputs import Settings, SourceFacts
from resilint.rule import Finding
from resilint.rules import all_rules
from resilint.summaries import Analysis, analyse
from resilint.syntax import lower
from tests.oracle.generator import Program
from tests.oracle.world import LoopRun, Places, Run, Site, World, paths, weave

MOST_PATHS = 140
MOST_HANGS = 40
NEAR = 2e-3
"""Messages round to three decimals."""
LONG_SLEEP = 5.0
BUDGET = 2.0

LOOP, SLEEP, WAIT, CALL = (
    "sleep-loop-in-handler",
    "long-sleep",
    "wait-budget-exceeded",
    "outbound-without-timeout",
)


class Disagreement(NamedTuple):
    """``kind`` groups them; ``text`` says where and how."""

    kind: str
    text: str


@dataclass(slots=True)
class Happened:
    """All runs of a program."""

    runs: dict[tuple[str, str], list[Run]]
    complete: dict[tuple[str, str], bool]
    """Whether a root was run on every choice."""
    uncovered: set[Site]
    """Outbound calls that no deadline cancelled, at least once."""
    doubtful: set[Site]
    """The same, in a task that was awaited too late, or never because a deadline came first."""
    called: set[Site]
    hung_all: bool
    """Every way in which a call was made was tried."""

    @property
    def whole(self) -> bool:
        """Nothing else can happen."""
        return (
            all(self.complete.values()) and self.hung_all and not any(r.tied for rs in self.runs.values() for r in rs)
        )


class Said(NamedTuple):
    analysis: Analysis
    findings: dict[str, list[Finding]]


@cache
def catalogue() -> Catalogue:
    return load_catalogue(())


@cache
def world() -> World:
    return World()


def say(program: Program) -> Said:
    """What resilint says, in this process."""
    files = [SourceFacts(path, lower(text.encode(), path)) for path, text in program.files.items()]
    analysis = analyse(link(files, catalogue(), Settings()))
    wanted = (LOOP, SLEEP, WAIT, CALL)
    return Said(analysis, {r.name: list(r.check(analysis)) for r in all_rules() if r.name in wanted})


def happen(program: Program) -> Happened:
    """Run it on all choices; then once more for each way in which a call was made, with that call never answering."""
    one = world()
    one.transparent = program.transparent
    modules = one.load(
        {
            path.removesuffix(".py").replace("/", "."): weave(path, text)
            for path, text in program.files.items()
            if not path.endswith("__init__.py")
        }
    )
    happened = Happened({}, {}, set(), set(), set(), True)
    hangs = 0
    ending = bool(program.used.keys() & _ENDING)
    for root in program.roots:
        runs, complete = paths(one, modules, root, MOST_PATHS)
        happened.runs[root], happened.complete[root] = runs, complete
        tried = set()
        for run in runs:
            if run.problem is not None and not isinstance(
                run.problem, (TimeoutError, RuntimeError, BaseExceptionGroup)
            ):
                if type(run.problem).__name__ != "Cut":
                    raise run.problem
            for number, call in enumerate(run.calls):
                happened.called.add(call.site)
                if call.key in tried:
                    continue
                tried.add(call.key)
                hangs += 1
                if hangs > MOST_HANGS:
                    happened.hung_all = False
                    continue
                hung = one.execute(modules, root, [c for c, _ in run.choices], number, call.detached)
                if hung.hung is not None and not hung.cancelled:
                    (happened.doubtful if hung.hung.aside and ending else happened.uncovered).add(hung.hung.site)
    return happened


def compare(program: Program, tight: bool = True) -> list[Disagreement]:
    """Everything on which both differ. ``tight``: totals must be reached, where nothing in the program is open."""
    return differences(program, happen(program), say(program), tight)


def differences(program: Program, happened: Happened, said: Said, tight: bool = True) -> list[Disagreement]:
    found: list[Disagreement] = []
    found += _totals(program, happened, said, tight)
    found += _functions(happened, said)
    found += _calls(program.used, happened, said)
    found += _sleeps(program, happened, said)
    found += _loops(program, happened, said)
    return found


_ENDING = {
    "shield",
    "exit stack",
    "asyncio.wait with a timeout",
    "task cancelled",
    "deadline",
    "wait_for",
    "decorator with a deadline",
}
"""What ends a path in the middle of a callee, which its summary does not know."""
_OPEN = {
    "failure caught",
    "retry of the project",
    "branch",
    "early break",
    "early continue",
    "early return",
    "loop without a bound",
}
_DEADLINES = ("deadline", "exit stack", "wait_for", "decorator with a deadline")
_APART = {"task not awaited", "task cancelled", "shield"}
_TASKS = {"task awaited", "TaskGroup"}
_PARTING = {
    "branch",
    "early return",
    "early break",
    "timeout caught",
    "failure caught",
    "wait_for",
    "task cancelled",
    "early continue",
}


def _is_exact(program: Program) -> bool:
    """Nothing in it is open. When a task began is known less well once paths of different length have met."""
    used = program.used.keys()
    deadlines = sum(program.used[name] for name in _DEADLINES)
    if deadlines and used & _OPEN:
        return False  # on which path the deadline expires, or whether it comes before what can raise
    if deadlines > 1 and "timeout caught" in used:
        return False
    return not program.loose and not (used & _TASKS and used & _PARTING)


def _totals(program: Program, happened: Happened, said: Said, tight: bool) -> list[Disagreement]:
    found = []
    used = program.used.keys()
    tight = tight and _is_exact(program)
    by_name = {said.analysis.qualname(f): f for f in said.analysis.functions()}
    for root, runs in happened.runs.items():
        name = ".".join(root)
        total = said.analysis.entry(by_name[name]).total
        longest = max(run.elapsed for run in runs)
        cut = any(run.cut for run in runs)
        hi, lo = total.hi, total.lo
        story = f"{name}: said {total}, ran up to {longest:g}{' and on' if cut else ''}"
        if hi is not None and longest > hi + NEAR:
            found.append(Disagreement("waits longer than hi", story))
        if any(run.tied for run in runs):
            continue
        if "clock" in program.loose and used & _ENDING:
            continue  # whether a loop that is bounded by a clock reaches a deadline is not known
        if (happened.complete[root] or math.isinf(lo or 0)) and lo is not None and longest < lo - NEAR and not cut:
            found.append(Disagreement("never waits lo", story))
        if hi is None and "unknown" not in program.loose:
            found.append(Disagreement("total unknown", story))
        elif tight and happened.complete[root] and not cut and hi is not None and longest < hi - NEAR:
            found.append(Disagreement("hi not reached", story))
        elif tight and happened.complete[root] and not cut and lo != hi and not used & _ENDING:
            found.append(Disagreement("lo below hi", story))
    return found


def _number(message: str) -> float:
    """The seconds that a message speaks of; infinite where it names none."""
    if "without a bound" in message or "at least" in message:
        return math.inf
    match = re.search(r"(?:up to|sleeps|sleep|waits|request) ([0-9.e+]+) s", message)
    return float(match.group(1)) if match else math.inf


def _functions(happened: Happened, said: Said) -> list[Disagreement]:
    """The join over all calls, and the budget of adapters."""
    found = []
    longest: dict[tuple[str, str], float] = defaultdict(float)
    attached: dict[tuple[str, str], float] = defaultdict(float)
    for runs in happened.runs.values():
        for run in runs:
            for path, name, seconds, detached in run.functions:
                longest[path, name] = max(longest[path, name], seconds)
                if not detached:
                    attached[path, name] = max(attached[path, name], seconds)
    reports = {}
    for finding in said.findings[WAIT]:
        reports[finding.message.partition(" waits ")[0].partition(" can ")[0]] = finding
    for func in said.analysis.functions():
        name = said.analysis.name(func)
        key = (said.analysis.path(func), name)
        if key not in longest:
            continue
        summary = said.analysis.joined(func)
        hi = summary.total.hi
        if hi is not None and longest[key] > hi + NEAR:
            story = f"{name}: said {summary.total}, ran {longest[key]:g}"
            found.append(Disagreement("function waits longer than joined hi", story))
        if name.endswith(".fetch"):
            if attached[key] > BUDGET + NEAR and name not in reports and not summary.endless:
                story = f"{name}: {attached[key]:g} s, said {summary.total}"
                found.append(Disagreement("budget exceeded, silent", story))
            if name in reports and longest[key] > _number(reports[name].message) + NEAR:
                story = f"{reports[name].message}; ran {longest[key]:g}"
                found.append(Disagreement("budget report exceeded", story))
    return found


def _calls(used: Counter[str], happened: Happened, said: Said) -> list[Disagreement]:
    found = []
    reported = {(f.path, f.span.line) for f in said.findings[CALL]}
    for site in sorted(happened.uncovered - reported):
        found.append(Disagreement("uncovered call, silent", f"{site[0]}:{site[1]}"))
    if happened.whole:
        for site in sorted(reported - happened.uncovered - happened.doubtful):
            how = "always covered" if site in happened.called else "never made"
            if used.keys() & _ENDING and (how == "never made" or used.keys() & _APART):
                continue  # a task that is never made, or is cancelled before it calls
            found.append(Disagreement(f"call reported, {how}", f"{site[0]}:{site[1]}"))
    return found


def _sleeps(program: Program, happened: Happened, said: Said) -> list[Disagreement]:
    found = []
    really: dict[Places, float] = defaultdict(float)
    requested: dict[Site, float] = defaultdict(float)
    for runs in happened.runs.values():
        for run in runs:
            for slept in run.sleeps:
                if not (slept.aside and program.used.keys() & _ENDING):
                    really[slept.places] = max(really[slept.places], slept.ended - slept.began)
                for site in slept.places:
                    requested[site] = max(requested[site], slept.requested)
    reports = _by_site(said.findings[SLEEP])
    for places, seconds in sorted(really.items()):
        at = [site for site in places if site in reports]
        if not at and seconds > LONG_SLEEP + NEAR:
            found.append(Disagreement("long sleep, silent", f"{_text(places)} {seconds:g} s"))
        if at and all(seconds > _number(f.message) + NEAR for site in at for f in reports[site]):
            message = reports[at[0]][0].message
            found.append(Disagreement("sleep report exceeded", f"{_text(places)} {seconds:g} s: {message}"))
    if happened.whole and not program.used.keys() & _ENDING:
        ran = {f"{path.removesuffix('.py').replace('/', '.')}.{name}" for path, name in _functions_run(happened)}
        for site, findings in sorted(reports.items()):
            lines = program.files[site[0]].splitlines()
            if site not in requested and "lambda" in lines[site[1] - 1]:
                continue  # a function of its own that nobody called
            if requested[site] <= LONG_SLEEP and any(f.function in ran for f in findings):
                story = f"{site[0]}:{site[1]} {requested[site]:g} s: {findings[0].message}"
                found.append(Disagreement("long sleep reported, never so long", story))
    return found


def _functions_run(happened: Happened) -> set[tuple[str, str]]:
    return {(path, name) for rs in happened.runs.values() for run in rs for path, name, _, _ in run.functions}


def _by_site(findings: Sequence[Finding]) -> dict[Site, list[Finding]]:
    """Two waits can stand on one line."""
    found: dict[Site, list[Finding]] = {}
    for finding in findings:
        found.setdefault((finding.path, finding.span.line), []).append(finding)
    return found


def _text(places: Places) -> str:
    return " or ".join(f"{path}:{line}" for path, line in places)


def _loops(program: Program, happened: Happened, said: Said) -> list[Disagreement]:
    found = []
    reports = _by_site(said.findings[LOOP])
    held: dict[Site, float] = defaultdict(float)
    """By wait: the longest that a loop around it held a handler; of loops in the wait's own function only, and of
    all."""
    held_own: dict[Site, float] = defaultdict(float)
    waits_itself = _loops_that_wait(program)
    silent: dict[tuple[Site, Places], str] = {}
    aside: set[Site] = set()
    ending = bool(program.used.keys() & _ENDING)
    longest: dict[Site, float] = defaultdict(float)
    """By loop."""
    around: dict[Site, set[Site]] = defaultdict(set)
    for root, runs in happened.runs.items():
        if root[1] not in program.handlers:
            continue
        for run in runs:
            for one in run.loops:
                if one.detached or one.ended is None:
                    continue
                every = one.own | one.below | one.either
                if one.aside and ending:
                    aside |= {site for places in every for site in places}
                    continue
                seconds = one.ended - one.began
                if seconds <= 0:
                    continue
                for site, *_ in one.own:
                    held_own[site] = max(held_own[site], seconds)
                longest[one.place] = max(longest[one.place], seconds)
                for places in every:
                    for site in places:
                        around[site].add(one.place)
                        held[site] = max(held[site], seconds)
                for places in _wanted(one, seconds, one.function == root[1], one.place in waits_itself):
                    if not any(site in reports for site in places):
                        story = (
                            f"loop {one.place[0]}:{one.place[1]} holds {root[1]} {seconds:g} s, wait {_text(places)}"
                        )
                        silent.setdefault((one.place, places), story)
    found += [Disagreement("held by a loop, silent", text) for _, text in sorted(silent.items())]
    for site, findings in sorted(reports.items()):
        most = max(_number(f.message) for f in findings)
        message = findings[0].message
        if held_own[site] > most + NEAR:
            found.append(Disagreement("held longer than reported", f"{held_own[site]:g} s: {message}"))
        if not happened.whole or ending or site in aside:
            continue
        if held[site] <= 0:
            found.append(Disagreement("hold reported, none", f"{site[0]}:{site[1]} {message}"))
        elif _is_exact(program) and max(longest[place] for place in around[site]) < most - NEAR:
            found.append(Disagreement("hold reported too long", f"{held[site]:g} s: {message}"))
    return found


def _loops_that_wait(program: Program) -> set[Site]:
    """Loops with a wait of their own, whether it was reached or not."""
    found = set()
    waiting = {"asyncio.sleep", *(name[:1].lower() + name[1:] for name in program.transparent)}
    for path, text in program.files.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
                calls = [n for part in node.body for n in ast.walk(part) if isinstance(n, ast.Call)]
                names = [ast.unparse(call.func).removeprefix("helpers.") for call in calls]
                if any(name in waiting or re.fullmatch(r"stop\d+\.wait", name) for name in names):
                    found.add((path, node.lineno))
    return found


def _wanted(one: LoopRun, seconds: float, in_handler: bool, waits_itself: bool) -> set[Places]:
    """The waits that a loop's hold has to be reported at."""
    long = seconds > BUDGET + NEAR
    if one.own:
        return one.own if in_handler or long else set()
    if waits_itself or not long:
        return set()
    return one.below if not one.either else one.either if not one.below else set()


def tally(programs: Sequence[Program]) -> Counter[str]:
    """In how many programs each construct occurs."""
    return Counter(name for program in programs for name in program.used)

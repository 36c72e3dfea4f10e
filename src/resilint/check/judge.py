"""From findings to diagnostics: all policy, once, in one order.

    select, roles, confidence, precedence, suppression, baseline, severity

Each step sees what the steps before it left. Steps up to precedence decide what a rule says; a suppression is used by
what would have been said with a lower ``min-confidence``, or in another role, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

from resilint.check import owncheck
from resilint.check.baseline import Baseline, Identity, statement_digest
from resilint.check.found import Found
from resilint.check.ignorefiles import patterns
from resilint.check.selection import INTERNAL_ERROR, Rules
from resilint.check.sources import Sources
from resilint.check.statement import essence
from resilint.check.suppress import Suppression, meet, suppressions
from resilint.config import Configuration, Switches
from resilint.domain import Confidence, Diagnostic, Severity, Silenced, Silencer
from resilint.facts import ModuleFacts
from resilint.rule import Finding, Rule


@dataclass(frozen=True, slots=True)
class Case:
    """Everything that judging needs to know besides the findings."""

    configuration: Configuration
    rules: Rules
    running: frozenset[str]
    """Names of the rules that run ..."""
    silent: frozenset[str]
    """... and of those that ran only to see which suppressions they use."""
    facts: Mapping[str, ModuleFacts]
    reported: frozenset[str]
    """Paths whose reports are wanted."""
    sources: Sources
    baseline: Baseline | None = None


@dataclass(slots=True)
class Judged:
    """What is left, and what became of the rest."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    """Sorted."""
    silenced: list[Silenced] = field(default_factory=list)
    """What suppressions and the baseline keep quiet, sorted."""
    suppressed: int = 0
    baselined: int = 0
    withheld: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Findings in a role that their rule exempts: by role and rule."""
    identities: list[Identity] = field(default_factory=list)
    """Of everything that is neither withheld nor suppressed: what a baseline is made of."""
    gone: list[Identity] = field(default_factory=list)
    """Entries of the baseline that no longer occur."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Files of such entries that seem to be called otherwise now."""


def judge(found: Sequence[Found], case: Case) -> Judged:
    """Apply the policy."""
    judged = Judged()
    ignores = _FileIgnores(case)
    silencers = _Silencers(case)

    left = [f for f in (_outside_generated(f, case.facts) for f in found) if f is not None]
    left = [f for f in left if f.finding.path in case.reported]
    left = _unswitched(left, case, ignores, silencers, judged)
    left = _confident(left, case, silencers)
    left = _preceding(left)
    left = _once(left)
    spoken = _unsilenced(_identified(left, case), silencers, judged)

    def own(produced: Iterable[Found]) -> None:
        runs = [f for f in produced if f.rule.name in case.running and f.rule.name not in ignores.of(f.finding.path)]
        spoken.extend(_unsilenced(_identified(runs, case), silencers, judged))

    for path in sorted(case.reported & case.facts.keys()):
        facts, silenced = case.facts[path], silencers.of(path)
        own(owncheck.syntax(case.rules, path, facts))
        if facts.comments and not facts.generated:
            own(owncheck.comments(case.rules, path, facts, silenced))
            own(list(owncheck.unused(case.rules, path, silenced, partial(case.sources.lines, path), ignores.ran)))
    _subtract(spoken, case, ignores, judged)
    return judged


def exit_severity(diagnostics: Sequence[Diagnostic], fail_on: str) -> bool:
    """Whether a report is bad enough to fail."""
    if fail_on == "never":
        return False
    limit = Severity(fail_on).ordinal
    return any(diagnostic.severity.ordinal >= limit for diagnostic in diagnostics)


class _FileIgnores:
    """Which rules the configuration keeps quiet in a file."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._rows = [
            (patterns(pattern), frozenset(rule.name for word in words for rule in case.rules.named(word)))
            for pattern, words in case.configuration.per_file_ignores
        ]
        self._known: dict[str, frozenset[str]] = {}

    def of(self, path: str) -> frozenset[str]:
        if path not in self._known:
            self._known[path] = frozenset().union(*(names for spec, names in self._rows if spec.match(path)))
        return self._known[path]

    def ran(self, path: str, names: frozenset[str]) -> bool:
        """Whether rules ran on a file so that a suppression of them all could have been used."""
        case = self._case
        return bool(names & case.running) and names <= case.running | case.silent and not names & self.of(path)


class _Silencers:
    """The suppressions of each file, read when first asked for."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._known: dict[str, list[Suppression]] = {}
        self._named = lru_cache(maxsize=None)(lambda word: frozenset(rule.name for rule in case.rules.named(word)))

    def of(self, path: str) -> list[Suppression]:
        if path not in self._known:
            facts = self._case.facts.get(path)
            self._known[path] = (
                suppressions(facts, partial(self._case.sources.lines, path), self._named)
                if facts is not None and facts.comments
                else []
            )
        return self._known[path]


def _outside_generated(found: Found, facts: Mapping[str, ModuleFacts]) -> Found | None:
    """Generated files are not reported: the finding moves to the last call outside, if there is one."""

    def generated(path: str) -> bool:
        return path in facts and facts[path].generated

    finding = found.finding
    if not generated(finding.path):
        return found
    for path, span in finding.elsewhere:
        if not generated(path):
            return Found(found.rule, replace(finding, path=path, span=span))
    return None


def _unswitched(
    left: Sequence[Found], case: Case, ignores: _FileIgnores, silencers: _Silencers, judged: Judged
) -> list[Found]:
    """What runs, here and in this role."""
    switches = dict(case.configuration.per_role)
    kept = []
    for each in left:
        finding, name = each.finding, each.rule.name
        if name in ignores.of(finding.path):
            continue
        role = switches.get(finding.role.value, Switches())
        off = finding.role in each.rule.exempt and not _names(each.rule, role.select)
        if name not in case.running or off or _names(each.rule, role.ignore):
            meet(silencers.of(finding.path), name, finding.span.line)
            if name in case.running:
                judged.withheld[finding.role.value, name] += 1
            continue
        kept.append(each)
    return kept


def _names(rule: Rule, words: Sequence[str]) -> bool:
    return any(word.casefold() in (rule.name, rule.id.casefold()) for word in words)


def _confident(left: Sequence[Found], case: Case, silencers: _Silencers) -> list[Found]:
    """What is sure enough; the rest still uses its suppressions."""
    least = Confidence(case.configuration.min_confidence).ordinal
    kept = []
    for each in left:
        if each.finding.confidence.ordinal >= least:
            kept.append(each)
        else:
            meet(silencers.of(each.finding.path), each.rule.name, each.finding.span.line)
    return kept


def _preceding(left: Sequence[Found]) -> list[Found]:
    """Of the findings at one place, those that yield to none of the others."""
    at: dict[tuple[str, int, int], set[str]] = defaultdict(set)
    for rule, finding in left:
        if finding.precedence_key is not None:
            at[finding.precedence_key].add(rule.name)
    return [
        each
        for each in left
        if each.finding.precedence_key is None or at[each.finding.precedence_key].isdisjoint(each.rule.yields_to)
    ]


def _once(left: Sequence[Found]) -> list[Found]:
    """One of several findings that say the same of the same place: the surest, then the worst."""
    best: dict[tuple[object, ...], Found] = {}
    for each in sorted(left, key=_preference):
        finding = each.finding
        best.setdefault((each.rule.name, finding.path, finding.span, finding.subject), each)
    return sorted(
        best.values(), key=lambda f: (f.finding.path, f.finding.span, f.rule.id, f.rule.name, f.finding.subject)
    )


def _preference(each: Found) -> tuple[object, ...]:
    finding = each.finding
    return (
        -finding.confidence.ordinal,
        -each.severity.ordinal,
        len(finding.witness),
        finding.message,
        finding.witness,
        finding.function,
    )


def _unsilenced(
    left: Sequence[tuple[Found, Identity]], silencers: _Silencers, judged: Judged
) -> list[tuple[Found, Identity]]:
    """What no suppression covers."""
    kept = []
    for each, identity in left:
        silencer = meet(silencers.of(each.finding.path), each.rule.name, each.finding.span.line)
        if silencer is not None:
            judged.suppressed += 1
            told = each.diagnostic(identity.fingerprint)
            judged.silenced.append(Silenced(told, Silencer.COMMENT, silencer.pragma.reason))
        else:
            kept.append((each, identity))
    return kept


def _identified(left: Sequence[Found], case: Case) -> list[tuple[Found, Identity]]:
    """Number the findings that look alike, before any of them is silenced: silencing one does not rename the next."""
    counts: Counter[tuple[str, ...]] = Counter()
    result = []
    for each in left:
        finding = each.finding
        statement = statement_digest(_statement(finding, case))
        key = (finding.path, each.rule.name, finding.function, finding.subject, statement)
        result.append((each, Identity(*key, ordinal=counts[key])))
        counts[key] += 1
    return result


def _statement(finding: Finding, case: Case) -> tuple[str, ...]:
    lines = case.sources.lines(finding.path)
    line = finding.span.line
    facts = case.facts.get(finding.path)
    around = [s for s in facts.statements if s[0] <= line <= s[1]] if facts is not None else []
    first, last = min(around, key=lambda s: s[1] - s[0], default=(line, line))
    return essence(lines[first - 1 : last], first, (line, finding.span.column))


def _subtract(spoken: Sequence[tuple[Found, Identity]], case: Case, ignores: _FileIgnores, judged: Judged) -> None:
    """Take out what the baseline accepts, tell what it accepts in vain, and make diagnostics of the rest."""
    accepted = case.baseline.entries if case.baseline is not None else {}
    seen: set[str] = set()
    fresh: list[Identity] = []
    for each, identity in spoken:
        fingerprint = identity.fingerprint
        if each.rule.name != INTERNAL_ERROR:
            judged.identities.append(identity)
            seen.add(fingerprint)
            if fingerprint in accepted:
                judged.baselined += 1
                judged.silenced.append(Silenced(each.diagnostic(fingerprint), Silencer.BASELINE))
                continue
            fresh.append(identity)
        judged.diagnostics.append(each.diagnostic(fingerprint))
    judged.diagnostics.sort(key=lambda d: d.sort_key)
    judged.silenced.sort(key=lambda s: s.diagnostic.sort_key)
    complete = case.reported >= case.facts.keys()
    for fingerprint, identity in accepted.items():
        looked_at = identity.path in case.reported or (complete and identity.path not in case.facts)
        ran = identity.rule in case.running and identity.rule not in ignores.of(identity.path)
        known = case.rules.one(identity.rule) is not None
        if fingerprint not in seen and looked_at and (ran or not known):
            judged.gone.append(identity)
    by_content = {identity[1:]: identity.path for identity in fresh}
    for identity in judged.gone:
        if identity.path not in case.facts and identity[1:] in by_content:
            judged.renamed.setdefault(identity.path, by_content[identity[1:]])

"""Which rules run: ids and names from the configuration and the command line, looked up and spelled out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from resilint.config import Configuration, nearest
from resilint.config.configuration import COMMAND_LINE
from resilint.domain import ConfigurationError, Severity, UsageError
from resilint.rule import Rule

OWN = "resilint"
"""The id of the rules about resilint itself; they run whatever is selected, unless ignored by name."""
INTERNAL_ERROR = "internal-error"
SYNTAX_ERROR = "syntax-error"
UNUSED = "unused-suppression"
UNKNOWN = "unknown-rule"
MISSING_REASON = "missing-reason"
_OWN = {
    INTERNAL_ERROR: Severity.ERROR,
    SYNTAX_ERROR: Severity.ERROR,
    UNUSED: Severity.WARNING,
    UNKNOWN: Severity.WARNING,
    MISSING_REASON: Severity.WARNING,
}


def _nothing(analysis: object) -> tuple[()]:
    """These rules look at no analysis."""
    return ()


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules, by name and by id. Those about resilint itself are there even where the rules cannot be loaded."""

    all: tuple[Rule, ...]

    def __post_init__(self) -> None:
        known = {rule.name for rule in self.all}
        missing = [Rule(OWN, name, severity, "", _nothing) for name, severity in _OWN.items() if name not in known]
        object.__setattr__(self, "all", (*self.all, *missing))

    def named(self, word: str) -> tuple[Rule, ...]:
        """The rules that an id or a name stands for; none if nobody knows it. Letter case does not matter."""
        folded = word.casefold()
        return tuple(rule for rule in self.all if folded in (rule.name, rule.id.casefold()))

    def is_name(self, word: str) -> bool:
        return any(rule.name == word.casefold() for rule in self.all)

    def words(self) -> list[str]:
        """Everything that can be written for a rule."""
        return list(dict.fromkeys(word for rule in self.all for word in (rule.id, rule.name)))

    def one(self, name: str) -> Rule | None:
        return next((rule for rule in self.all if rule.name == name), None)

    def own(self, name: str) -> Rule:
        """A rule about resilint itself."""
        return next(rule for rule in self.all if rule.name == name)


def selected(configuration: Configuration, rules: Rules) -> frozenset[str]:
    """The names of the rules that run.

    An id stands for all its rules but the strict ones; a strict rule runs under ``strict`` or by its name. What the
    command line selects beats what the configuration ignores.

    Raises:
        ConfigurationError: a word is no rule.
        UsageError: likewise, on the command line.
    """
    check_words(configuration, rules)
    told = configuration.origin("select") == COMMAND_LINE
    chosen = {rule.name for rule in rules.all if rule.id == OWN}
    if configuration.select:
        for word in configuration.select:
            chosen |= {r.name for r in rules.named(word) if configuration.strict or not r.strict or rules.is_name(word)}
    else:
        chosen |= {rule.name for rule in rules.all if configuration.strict or not rule.strict}
    wanted = {r.name for word in configuration.select for r in rules.named(word)} if told else set()
    by_file = [o for name, o in configuration.origins.items() if name.startswith("ignore[")]
    for index, word in enumerate(configuration.ignore):
        from_file = index < len(by_file)
        ignored = {rule.name for rule in rules.named(word)}
        chosen -= ignored - wanted if from_file else ignored
    return frozenset(chosen | {INTERNAL_ERROR})


def check_words(configuration: Configuration, rules: Rules) -> None:
    """Refuse words that are no rules, wherever the configuration names rules."""
    places: list[tuple[str, Sequence[str]]] = [("select", configuration.select), ("ignore", configuration.ignore)]
    places += [(f"per-file-ignores.{pattern}", words) for pattern, words in configuration.per_file_ignores]
    for role, switches in configuration.per_role:
        places.append((f"per-role.{role}", (*switches.ignore, *switches.select)))
    for where, words in places:
        for index, word in enumerate(words):
            if not rules.named(word):
                origin = configuration.origins.get(f"{where}[{index}]", configuration.origin(where))
                message = unknown(word, rules.words())
                if origin.kind == "file":
                    raise ConfigurationError(f'{message} (in "{where}")', origin.path, origin.line)
                raise UsageError(f"--{where}: {message}")


def unknown(word: str, known: Iterable[str]) -> str:
    """``no rule "long-slep"; did you mean "long-sleep"?``"""
    folded = {k.casefold(): k for k in known}
    hint = nearest(word.casefold(), folded)
    if hint:
        near = hint.split('"')[1]
        hint = hint.replace(near, folded[near])
    return f'no rule "{word}"{hint}'

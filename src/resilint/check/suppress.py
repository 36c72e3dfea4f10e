"""What the suppressions of a file cover, and which of them suppress something (RULES.md, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from resilint.check.pragma import Item, Pragma, pragmas
from resilint.facts import Comment, ModuleFacts

NEAR_THE_TOP = 10
"""``ignore-file`` counts in these lines even behind the first statement."""


@dataclass(slots=True)
class Suppression:
    """One pragma that silences, the lines it covers, and which of its items did so."""

    pragma: Pragma
    first: int
    last: int
    rules: dict[Item, frozenset[str]]
    """The names that each item stands for; none for an unknown word."""
    used: set[Item] = field(default_factory=set)
    misplaced: bool = False
    """An ``ignore-file`` too far down: it covers nothing."""

    def covers(self, line: int) -> bool:
        return self.first <= line <= self.last

    def use(self, rule: str) -> bool:
        """Note that a report of ``rule`` was met; whether it is silenced."""
        hits = [item for item, names in self.rules.items() if rule in names]
        self.used.update(hits)
        return bool(hits)


def suppressions(
    facts: ModuleFacts, lines: Callable[[], Sequence[str]], named: Callable[[str], frozenset[str]]
) -> list[Suppression]:
    """The suppressions of a file. ``named`` gives the rule names that a word stands for."""
    found: list[Suppression] = []
    for comment in facts.comments:
        for pragma in pragmas(comment):
            if pragma.kind not in ("ignore", "ignore-file"):
                continue
            rules = {item: named(item.word) for item in pragma.items}
            if pragma.kind == "ignore-file":
                misplaced = comment.span.line > NEAR_THE_TOP and not _opens(lines(), comment.span.line)
                found.append(
                    Suppression(
                        pragma, 1, 0 if misplaced else max(facts.lines, comment.span.line), rules, misplaced=misplaced
                    )
                )
            else:
                first, last = covered(facts, comment, lines)
                found.append(Suppression(pragma, first, last, rules))
    return found


def faults(facts: ModuleFacts) -> list[Pragma]:
    """Pragmas that mean nothing as they are written."""
    return [pragma for comment in facts.comments for pragma in pragmas(comment) if pragma.problem]


def covered(facts: ModuleFacts, comment: Comment, lines: Callable[[], Sequence[str]]) -> tuple[int, int]:
    """The lines that an ``ignore`` covers: its statement's, or all of the function whose header it belongs to.

    A comment alone on its line belongs to the statement around it, else to the one below, further comments skipped.
    """
    line = comment.span.line
    if comment.alone and _statement(facts, line) == (line, line) and _definition(facts, line) is None:
        line = _below(lines(), line)
    definition = _definition(facts, line)
    if definition is not None:
        return min(definition[0], comment.span.line), definition[1]
    first, last = _statement(facts, line)
    return first, last


def _statement(facts: ModuleFacts, line: int) -> tuple[int, int]:
    """The statement (or the header of a compound one) that a line belongs to."""
    around = [s for s in facts.statements if s[0] <= line <= s[1]]
    return min(around, key=lambda s: s[1] - s[0], default=(line, line))


def _definition(facts: ModuleFacts, line: int) -> tuple[int, int] | None:
    """What the header with this line defines: a function whole, of a class only the header with its decorators."""
    headers = []
    for scope in facts.scopes:
        if scope.kind in ("function", "class"):
            first, keyword, last = scope.lines
            end = max(scope.header_end, keyword)
            if first <= line <= end:
                headers.append((first, last if scope.kind == "function" else end))
    return max(headers, default=None)


def _below(lines: Sequence[str], line: int) -> int:
    """The next line that is no comment; ``line`` and the result count from 1."""
    at = line
    while at < len(lines) and lines[at].lstrip().startswith("#"):
        at += 1
    return at + 1


def _opens(lines: Sequence[str], line: int) -> bool:
    """Whether nothing but comments, blank lines and a docstring stands above ``line``."""
    inside = ""
    seen_docstring = False
    for text in lines[: line - 1]:
        stripped = text.strip()
        if inside:
            if inside in stripped:
                inside = ""
            continue
        if not stripped or stripped.startswith("#"):
            continue
        body = stripped.lstrip("rRuU")
        quote = next((q for q in ('"""', "'''", '"', "'") if body.startswith(q)), "")
        if not quote or seen_docstring:
            return False
        seen_docstring = True
        if quote not in body[len(quote) :]:
            inside = quote
    return True


def meet(found: Iterable[Suppression], rule: str, line: int) -> Suppression | None:
    """Let every suppression that covers ``line`` meet a report of ``rule``; the first that silences it."""
    first = None
    for suppression in found:
        if suppression.covers(line) and suppression.use(rule):
            first = first or suppression
    return first

"""The rules of id ``resilint``, about files and suppressions: no analysis of the program finds what they report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from resilint.check.found import Found
from resilint.check.pragma import Item, Pragma
from resilint.check.selection import INTERNAL_ERROR, MISSING_REASON, SYNTAX_ERROR, UNKNOWN, UNUSED, Rules, unknown
from resilint.check.suppress import NEAR_THE_TOP, Suppression, faults
from resilint.domain import Applicability, Edit, FixPlan, Role, Span
from resilint.facts import ModuleFacts
from resilint.rule import Finding

START = Span(1, 1, 1, 1)


def broken(rules: Rules, path: str, what: str, hint: str) -> Found:
    """An internal error, at a file or (path ``.``) at the project."""
    return _found(rules, INTERNAL_ERROR, path, START, what, hint, subject=what)


def syntax(rules: Rules, path: str, facts: ModuleFacts) -> Iterator[Found]:
    """The file that cannot be read as Python."""
    if facts.problem is not None:
        hint = "The file is left out of the analysis until this is mended; all others are checked."
        yield _found(rules, SYNTAX_ERROR, path, facts.problem.span, facts.problem.message, hint)


def comments(rules: Rules, path: str, facts: ModuleFacts, found: Sequence[Suppression]) -> Iterator[Found]:
    """Unknown rules, pragmas that mean nothing, and missing reasons."""
    for pragma in faults(facts):
        hint = "Mend the comment: as it stands it does nothing."
        yield _found(rules, UNKNOWN, path, pragma.span(pragma.start, pragma.end), pragma.problem, hint)
    for suppression in found:
        pragma = suppression.pragma
        if pragma.problem:
            continue
        for item, names in suppression.rules.items():
            if not names:
                hint = "Names and ids are listed by: resilint rules"
                yield _found(
                    rules,
                    UNKNOWN,
                    path,
                    _place(pragma, item),
                    unknown(item.word, rules.words()),
                    hint,
                    subject=item.word,
                )
        if not pragma.reason and any(suppression.rules.values()):
            words = ", ".join(item.word for item in pragma.items)
            hint = f"Say why behind the bracket: # resilint: {pragma.kind}[{words}] <why this is right here>"
            place = pragma.span(pragma.start, pragma.end)
            yield _found(rules, MISSING_REASON, path, place, "a suppression gives no reason", hint, subject=words)


def unused(
    rules: Rules,
    path: str,
    found: Sequence[Suppression],
    lines: Callable[[], Sequence[str]],
    ran: Callable[[str, frozenset[str]], bool],
) -> Iterator[Found]:
    """Suppressions that suppress nothing: one report a comment, naming the rules."""
    for suppression in found:
        pragma = suppression.pragma
        idle = [
            item
            for item, names in suppression.rules.items()
            if names and item not in suppression.used and UNUSED not in names and ran(path, names)
        ]
        if not idle:
            continue
        words = " and ".join(f'"{item.word}"' for item in idle)
        message = f"ignoring {words} suppresses nothing here"
        hint = "Remove it."
        if suppression.misplaced:
            message = f'"ignore-file" counts only above the first statement or in the first {NEAR_THE_TOP} lines'
            hint = "Move it to the top of the file, or remove it."
        place = _place(pragma, idle[0]) if len(idle) < len(pragma.items) else pragma.span(pragma.start, pragma.end)
        plan = _removal(path, pragma, idle, lines())
        yield _found(rules, UNUSED, path, place, message, hint, subject=", ".join(item.word for item in idle), fix=plan)


def _removal(path: str, pragma: Pragma, idle: Sequence[Item], lines: Sequence[str]) -> FixPlan:
    """Take the idle rules out of the list, or the whole pragma where none is left."""
    comment = pragma.comment
    kept = [item for item in pragma.items if item not in idle]
    if kept:
        words = " and ".join(item.word for item in idle)
        last = pragma.items[-1]
        span = pragma.span(pragma.items[0].offset, last.offset + len(last.word))
        return FixPlan(
            Applicability.SAFE, f"Remove {words} from the list", (Edit(path, span, ", ".join(k.word for k in kept)),)
        )
    line = comment.span.line
    source = lines[line - 1] if line <= len(lines) else ""
    before, after = comment.text[: pragma.start], comment.text[pragma.end :]
    if before.strip() or after.strip():  # the comment says more than this
        end = pragma.end + (len(after) - len(after.lstrip()) if after.strip() else len(after))
        start = pragma.start if after.strip() else len(before.rstrip())
        span = pragma.span(start, end)
    elif comment.alone and line < len(lines):
        span = Span(line, 1, line + 1, 1)
    else:
        code = source[: comment.span.column - 1].rstrip()
        span = Span(line, len(code) + 1, line, len(source) + 1)
    return FixPlan(Applicability.SAFE, "Remove the suppression", (Edit(path, span, ""),))


def _place(pragma: Pragma, item: Item) -> Span:
    return pragma.span(item.offset, item.offset + len(item.word))


def _found(
    rules: Rules,
    name: str,
    path: str,
    span: Span,
    message: str,
    hint: str = "",
    *,
    subject: str = "",
    fix: FixPlan | None = None,
) -> Found:
    return Found(rules.own(name), Finding(path, span, message, Role.PLAIN, subject, hint=hint, fix=fix))

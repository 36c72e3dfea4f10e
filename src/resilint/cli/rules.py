"""``resilint rule`` and ``resilint rules``."""

from __future__ import annotations

import click

from resilint.cli.output import coloured, emit, on_terminal
from resilint.domain import UsageError
from resilint.rule import Rule


@click.command("rules")
def rules_command() -> int:
    """List the rules."""
    from resilint.rules import all_rules

    rows = [
        (rule.id, rule.name, rule.severity.value, "strict" if rule.strict else "", rule.summary) for rule in all_rules()
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    emit(
        "".join(
            "  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[4]]).rstrip() + "\n"
            for row in rows
        )
    )
    return 0


@click.command("rule")
@click.argument("words", nargs=-1, required=True, metavar="NAME|ID...")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def rule_command(words: tuple[str, ...], color: str) -> int:
    """Print the page of a rule; of all its rules for an id."""
    from resilint.check.selection import Rules, unknown
    from resilint.rules import all_rules, page

    rules = Rules(tuple(all_rules()))
    chosen: list[Rule] = []
    for word in words:
        if not rules.named(word):
            raise UsageError(f"{unknown(word, rules.words())} (all are listed by: resilint rules)")
        chosen += [rule for rule in rules.named(word) if rule not in chosen]
    pages = [page(rule.name).strip() + "\n" for rule in chosen]
    emit("\n".join(_rendered(p, color) for p in pages))
    return 0


def _rendered(markdown: str, color: str) -> str:
    """As it is for a pipe, set for a person."""
    if not on_terminal() and color != "always":
        return markdown
    import io

    from rich.console import Console
    from rich.markdown import Markdown

    target = io.StringIO()
    colour = coloured(color)
    console = Console(file=target, force_terminal=colour, no_color=not colour, width=min(Console().width, 100))
    console.print(Markdown(markdown))
    return target.getvalue()

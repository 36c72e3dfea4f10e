"""Rewrite the README's table of rules from their declarations: ``python -m tests.project.readme_table``."""

from __future__ import annotations

import re

from tests.pages.corpus import REPOSITORY
from tests.project.registry import rules

HEAD = "| id | name | severity | on | what it finds |\n|---|---|---|---|---|\n"


def table() -> str:
    """The table, worst rules of an id first, resilint's own last."""
    ordered = sorted(rules().values(), key=lambda r: (r.id == "resilint", r.id, r.strict, -r.severity.ordinal, r.name))
    return HEAD + "".join(
        f"| {rule.id} | `{rule.name}` | {rule.severity} | {'strict' if rule.strict else 'yes'} | {rule.summary} |\n"
        for rule in ordered
    )


def main() -> None:
    readme = REPOSITORY / "README.md"
    text = readme.read_text(encoding="utf-8")
    new, count = re.subn(re.escape(HEAD) + r"(?:\|.*\n)*", lambda _: table(), text)
    assert count == 1, "the README has lost its table"
    readme.write_text(new, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()

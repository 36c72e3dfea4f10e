"""Which pages there are."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
RULES = REPOSITORY / "src" / "resilint" / "rules"
FIXTURES = REPOSITORY / "tests" / "fixtures"


def pages() -> list[Path]:
    """The README, the rules' own pages, the fixture pages; the projects under ``fixtures/cases`` hold none."""
    cases = FIXTURES / "cases"
    fixtures = sorted(page for page in FIXTURES.rglob("*.md") if not page.is_relative_to(cases))
    return [REPOSITORY / "README.md", *sorted(RULES.glob("*.md")), *fixtures]

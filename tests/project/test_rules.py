"""A rule is a module and a page, and both say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from resilint.rule import Rule
from tests.pages.corpus import REPOSITORY, RULES
from tests.pages.gaps import gaps
from tests.pages.reader import read_page
from tests.project.registry import rule_modules, rules

SECTIONS = ["Why", "Example", "What to write instead", "Known gaps", "Options"]
ALL = [pytest.param(rule, id=name) for name, rule in rules().items()]


def page_of(rule: Rule) -> Path:
    return RULES / f"{rule.name.replace('-', '_')}.md"


def test_every_module_has_a_page_and_every_page_a_module() -> None:
    assert sorted(page.stem for page in RULES.glob("*.md")) == [file.stem for file in rule_modules()]


def test_a_module_is_called_as_its_rule() -> None:
    assert [name.replace("-", "_") for name in rules()] == [file.stem for file in rule_modules()]


@pytest.mark.parametrize("rule", ALL)
def test_the_declaration(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert re.fullmatch(r"R-RES-[A-Z]+-[A-Z0-9]+|ADR-\d{4}|resilint", rule.id)
    assert rule.summary and "\n" not in rule.summary and len(rule.summary) <= 100
    assert not rule.summary.endswith(".")
    assert set(rule.yields_to) <= rules().keys() - {rule.name}
    assert (RULES / f"{rule.name.replace('-', '_')}.py").read_text(encoding="utf-8").startswith('"""')


@pytest.mark.parametrize("rule", ALL)
def test_the_page_has_its_sections_in_order(rule: Rule) -> None:
    headings = re.findall(r"^(#{1,2}) (.+)$", outside_fences(page_of(rule).read_text(encoding="utf-8")), re.MULTILINE)
    assert headings[0] == ("#", f"{rule.name} ({rule.id})")
    assert [text for _, text in headings[1:]] == SECTIONS


@pytest.mark.parametrize("rule", ALL)
def test_the_page_shows_its_rule(rule: Rule) -> None:
    text = page_of(rule).read_text(encoding="utf-8")
    assert re.search(rf"# (expect|missed-alarm): (.*, ?)?{rule.name}\b", text), "no example that the rule reports"
    assert read_page(page_of(rule)), "no example that is run"


@pytest.mark.parametrize("rule", ALL)
def test_the_page_names_every_option(rule: Rule) -> None:
    _, _, options = page_of(rule).read_text(encoding="utf-8").partition("\n## Options\n")
    assert [option for option in rule.options if f"`{option}`" not in options] == []


def test_the_table_in_the_readme() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| *([\w-]+) *\| *`([\w-]+)` *\| *(\w+) *\| *(\w+) *\| *(.+?) *\|$", readme, re.MULTILINE)
    expected = {
        (rule.id, rule.name, str(rule.severity), "strict" if rule.strict else "yes", rule.summary)
        for rule in rules().values()
    }
    assert set(rows) == expected
    assert len(rows) == len(expected)


def outside_fences(text: str) -> str:
    return re.sub(r"^(`{3,}).*?^\1`*$", "", text, flags=re.MULTILINE | re.DOTALL)


def test_gaps_name_rules_that_exist() -> None:
    assert {marker.subject for _, marker in gaps()} <= rules().keys()

"""Every construct, by the cases of ``lowered.md``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from resilint.facts import decode, encode
from resilint.facts.dump import dump
from resilint.syntax import lower

PAGE = Path(__file__).with_name("lowered.md")
CASE = re.compile(r"^## (.+)\n\n```python\n(.*?)```\n\n```facts\n(.*?)```\n", re.MULTILINE | re.DOTALL)


def facts_of(source: str) -> str:
    facts = lower(source.encode())
    assert decode(encode(facts)) == facts
    return dump(facts, places=False)


@pytest.mark.parametrize(
    ("source", "expected"),
    [pytest.param(*match.groups()[1:], id=match[1]) for match in CASE.finditer(PAGE.read_text())],
)
def test_case(source: str, expected: str) -> None:
    assert facts_of(source) == expected


if __name__ == "__main__":
    PAGE.write_text(
        CASE.sub(
            lambda match: f"## {match[1]}\n\n```python\n{match[2]}```\n\n```facts\n{facts_of(match[2])}```\n",
            PAGE.read_text(),
        )
    )

"""The README shows what ``resilint why`` really says about the service under ``examples/``."""

from __future__ import annotations

from resilint.check.passes import Passes
from resilint.check.session import Request, open_projects
from resilint.summaries.why import explain
from tests.pages.corpus import REPOSITORY


def test_the_block_is_what_the_command_says() -> None:
    root = REPOSITORY / "examples"
    (opened,) = open_projects(Request(paths=(root,), working=REPOSITORY, root=root, jobs=1, cached=False), Passes())
    said = explain(opened.analysis(opened.program()), "shop/api.py", 36)
    assert f"```text\n{said}\n```" in (REPOSITORY / "README.md").read_text(encoding="utf-8")

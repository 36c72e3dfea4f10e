"""The service under ``examples/`` gives what its comments say, and nothing else."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.pages import runner
from tests.pages.corpus import REPOSITORY
from tests.project.registry import rules

EXAMPLES = REPOSITORY / "examples"
COMMENT = re.compile(r"  # ([a-z0-9-]+): ")


def test_the_comments_are_true(tmp_path: Path) -> None:
    said = {
        (file.relative_to(EXAMPLES).as_posix(), number, found[1])
        for file in EXAMPLES.rglob("*.py")
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if (found := COMMENT.search(line)) and found[1] in rules()
    }
    root = Path(shutil.copytree(EXAMPLES, tmp_path / "examples"))
    assert {report[:3] for report in runner.Run(root).reports()} == said

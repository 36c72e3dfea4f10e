"""The edits that polling-without-skip-locked plans, applied to the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages import runner
from tests.pages.reader import SourceFile

HEAD = "from sqlalchemy import select\n\nclass JobRepository:\n    def due(self, session, now):\n        return "
BUILT = 'select(Job).where(Job.state == "NEW", Job.run_at <= now)'
QUERY = "SELECT id FROM job WHERE state = 'NEW' AND run_at <= now()"


def mended(expression: str, tmp_path: Path) -> tuple[str, str]:
    text = HEAD + expression + "\n"
    runner.write([SourceFile("job_repository.py", text, ())], tmp_path)
    (found,) = runner.Run(tmp_path).diagnostics
    assert found.fix is not None
    (edit,) = found.fix.edits
    lines = text.splitlines(keepends=True)
    line, column = edit.span.line - 1, edit.span.column - 1
    assert edit.span[:2] == edit.span[2:]
    lines[line] = lines[line][:column] + edit.text + lines[line][column:]
    return "".join(lines).removeprefix(HEAD).rstrip("\n"), str(found.fix.applicability)


@pytest.mark.parametrize(
    ("before", "after", "applicability"),
    [
        (f'session.execute("{QUERY} FOR UPDATE")', f'session.execute("{QUERY} FOR UPDATE SKIP LOCKED")', "safe"),
        (
            f'session.execute("{QUERY} FOR UPDATE OF job;")',
            f'session.execute("{QUERY} FOR UPDATE OF job SKIP LOCKED;")',
            "safe",
        ),
        (f'session.execute("{QUERY} " "FOR UPDATE")', f'session.execute("{QUERY} " "FOR UPDATE SKIP LOCKED")', "safe"),
        (f'session.execute("{QUERY} LIMIT 5")', f'session.execute("{QUERY} LIMIT 5 FOR UPDATE SKIP LOCKED")', "unsafe"),
        (
            f"session.scalars({BUILT}.with_for_update())",
            f"session.scalars({BUILT}.with_for_update(skip_locked=True))",
            "safe",
        ),
        (
            f"session.scalars({BUILT}).all()",
            f"session.scalars({BUILT}.with_for_update(skip_locked=True)).all()",
            "unsafe",
        ),
    ],
)
def test_fixes(before: str, after: str, applicability: str, tmp_path: Path) -> None:
    assert mended(before, tmp_path) == (after, applicability)

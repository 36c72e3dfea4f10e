"""What SQL text is read as."""

from __future__ import annotations

import subprocess
import sys

import pytest

from resilint.sql import Reader, Selection


def selection(text: str, *dialects: str) -> Selection:
    statement = Reader(dialects).statement(text)
    assert statement is not None
    return statement.selections[0]


@pytest.mark.parametrize(
    ("clause", "lock"),
    [
        ("", ""),
        ("FOR UPDATE", "update"),
        ("FOR NO KEY UPDATE", "update"),
        ("FOR UPDATE OF t", "update"),
        ("FOR UPDATE SKIP LOCKED", "skip"),
        ("FOR UPDATE OF t SKIP LOCKED", "skip"),
        ("FOR UPDATE NOWAIT", "nowait"),
        ("FOR SHARE", ""),
        ("hole__0", "unknown"),
        ("LIMIT hole__0", ""),
    ],
)
def test_locks(clause: str, lock: str) -> None:
    assert selection(f"SELECT id FROM t WHERE a = 'x' {clause}").lock == lock


@pytest.mark.parametrize("hint", ["UPDLOCK, READPAST", "ROWLOCK, UPDLOCK, READPAST"])
def test_hints_of_tables(hint: str) -> None:
    assert selection(f"SELECT TOP 5 id FROM t WITH ({hint}) WHERE state = 'x'").lock == "skip"


@pytest.mark.parametrize("placeholder", ["$1", "%s", "%(until)s", ":until", "?", "hole__0", "'hole__0'"])
def test_placeholders_of_all_styles(placeholder: str) -> None:
    found = selection(f"SELECT id FROM t WHERE state = 'x' AND run_at <= {placeholder} LIMIT 5")
    assert [column for column, _ in found.open] == ["run_at"]
    assert found.due == ()


@pytest.mark.parametrize(
    "now", ["now()", "CURRENT_TIMESTAMP", "getdate()", "utc_timestamp()", ":now", "%(now)s", "@now"]
)
def test_the_current_time(now: str) -> None:
    assert selection(f"SELECT id FROM t WHERE state = 'x' AND run_at <= {now}").due == ("run_at",)


def test_casts_are_no_placeholders() -> None:
    found = selection("SELECT id FROM t WHERE state = 'x'::job_state AND data ? 'key' AND run_at <= now()")
    assert found.states == ("state",)


def test_what_cannot_be_read_is_counted() -> None:
    reader = Reader()
    assert reader.statement("SELECT what is due FROM the list WHERE it is = 'OPEN' < now(") is None
    assert reader.statement("SELECT 1 FROM t") is not None
    assert reader.unparsed == 1


def test_a_string_is_read_once() -> None:
    reader = Reader()
    text = "SELECT id FROM t WHERE state = 'x'"
    assert reader.statement(text) is reader.statement(text)


def test_the_parser_waits_for_the_first_query() -> None:
    program = (
        "import sys\nfrom resilint.sql import Reader\nReader().statement('With regards')\n"
        "sys.exit('sqlglot' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0

"""The report for people."""

from __future__ import annotations

import subprocess
import sys

import pytest

from resilint.domain import Hop, Severity, Span
from resilint.reports import Style, text
from tests.reports.made import diagnostic, report

PLAIN = Style(False)


def test_one_report() -> None:
    made = diagnostic(
        "app/a.py",
        2,
        11,
        span=Span(2, 11, 2, 27),
        trace=(Hop("app/api.py", 3, 1, "handler get_it"), Hop("app/a.py", 2, 11, "awaits asyncio.sleep")),
        hint="Store it.",
    )
    shown = text(report(made, source="async def f():\n    await asyncio.sleep(9)\n"), PLAIN)
    assert shown == (
        "app/a.py:2:11 R-1 (long-sleep) waits 9 s\n"
        "  2 |     await asyncio.sleep(9)\n"
        "    |           ^^^^^^^^^^^^^^^^\n"
        "  path: app/api.py:3  handler get_it\n"
        "     -> app/a.py:2  awaits asyncio.sleep\n"
        "  hint: Store it.\n"
        "\n"
        "1 error in 1 file in 0.2 s (long-sleep 1)\n"
    )


def frame(line: str, start: int, end: int) -> tuple[str, str]:
    shown = text(report(diagnostic(span=Span(1, start, 1, end)), source=line), PLAIN).split("\n")
    return shown[1].removeprefix("  1 | "), shown[2].removeprefix("    | ")


@pytest.mark.parametrize(
    ("line", "start", "end", "code", "marks"),
    [
        ("\tx = f()", 6, 9, "    x = f()", "        ^^^"),
        ("\u540d = f()", 5, 8, "\u540d = f()", "     ^^^"),
        ("x = '\u540d\u524d'", 5, 9, "x = '\u540d\u524d'", "    ^^^^^^"),
        ("e\u0301 = f()", 6, 9, "e\u0301 = f()", "    ^^^"),
        ("'\x1b' + f()", 7, 10, "'\\x1b' + f()", "         ^^^"),
        ("x = 1", 5, 5, "x = 1", "    ^"),
        ("x = 1", 50, 60, "x = 1", "     ^"),
    ],
)
def test_the_place_is_underlined(line: str, start: int, end: int, code: str, marks: str) -> None:
    assert frame(line, start, end) == (code, marks)


def test_a_place_of_several_lines() -> None:
    made = diagnostic(span=Span(9, 3, 13, 2))
    source = "\n" * 8 + "x = f(\n    1,\n    2,\n    3,\n)\n"
    assert text(report(made, source=source), PLAIN).split("\n")[1:7] == [
        "   9 | x = f(",
        "     |   ^^^^",
        "  10 |     1,",
        "     |     ^^",
        "  11 |     2,",
        "     |     ^^",
    ]


def test_a_file_that_is_gone_has_no_frame() -> None:
    assert text(report(diagnostic(line=7)), PLAIN).split("\n")[1] == ""


def test_a_very_long_line_is_cut() -> None:
    shown = text(report(diagnostic(column=5000), source="x" * 9000), PLAIN)
    assert max(map(len, shown.split("\n"))) < 180


def test_nothing_of_a_stranger_reaches_the_terminal_raw() -> None:
    evil = "\x1b[2J\u202e[red]"
    made = diagnostic(evil, message=evil, hint=evil, trace=(Hop(evil, 1, 1, evil),))
    shown = text(report(made, source=f"x = '{evil}'"), PLAIN)
    assert "\x1b" not in shown and "\u202e" not in shown and shown.count("[red]") == 6


def test_colour() -> None:
    plain = text(report(diagnostic(), source="sleep"), PLAIN)
    coloured = text(report(diagnostic(), source="sleep"), Style(True))
    assert "\x1b[" in coloured and "\x1b[" not in plain
    import re

    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_the_rule_is_a_link_to_its_page() -> None:
    linked = text(report(diagnostic()), Style(False, links=True))
    page = "https://github.com/resilint/resilint/blob/main/src/resilint/rules/long_sleep.md"
    assert linked.startswith(f"a.py:1:1 \x1b]8;;{page}\x1b\\R-1 (long-sleep)\x1b]8;;\x1b\\ waits 9 s\n")
    assert "\x1b]8" not in text(report(diagnostic()), Style(True))


def test_the_last_line() -> None:
    made = [diagnostic(), diagnostic(name="to-thread"), diagnostic(severity=Severity.WARNING)]
    shown = text(report(*made, files=3, suppressed=2, baselined=5), PLAIN)
    assert shown.endswith(
        "2 errors, 1 warning in 3 files in 0.2 s; 2 suppressed, 5 in the baseline (long-sleep 2, to-thread 1)\n"
    )
    assert text(report(files=3), PLAIN) == "No reports: 3 files in 0.2 s\n"
    assert text(report(), PLAIN, closing=False) == ""


def crowd(count: int = 60) -> list[object]:
    return [
        diagnostic(f"m{n % 12:02}.py", n + 1, subject="app.Client.get", cover="app.Client._request")
        for n in range(count)
    ]


def test_a_crowd_is_grouped_worst_first() -> None:
    info = diagnostic("zz.py", severity=Severity.INFO, name="rare", subject="x")
    warned = diagnostic("zz.py", severity=Severity.WARNING, name="less-rare", subject="x")
    shown = text(report(info, warned, *crowd()), PLAIN)  # type: ignore[arg-type]
    headlines = [line for line in shown.split("\n") if "(R-1)" not in line and "R-1 (" in line]
    assert [h.split("(")[1].split(")")[0] for h in headlines] == ["long-sleep", "less-rare", "rare"]
    assert "  = and 59 more in 12 files; app.Client._request would settle 60 of them" in shown
    assert "rule              severity  reports\nlong-sleep (R-1)  error          60\n" in shown
    assert "resilint baseline" in shown and "--verbose shows each" in shown


def test_everything_on_demand() -> None:
    shown = text(report(*crowd()), PLAIN, everything=True)  # type: ignore[arg-type]
    assert shown.count("waits 9 s") == 60 and "more in" not in shown


def test_few_are_not_grouped() -> None:
    assert text(report(*crowd(49)), PLAIN).count("waits 9 s") == 49  # type: ignore[arg-type]


def test_plain_text_needs_no_rich() -> None:
    code = (
        "import sys; from resilint.reports import *; from tests.reports.made import *;"
        "text(report(diagnostic()), Style(True)); [formatted(name, report()) for name in FORMATS if name != TEXT];"
        "print([m for m in ('rich', 'libcst', 'click') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

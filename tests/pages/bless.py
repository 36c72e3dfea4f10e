"""Rewrite the ``output`` blocks of pages with today's output: ``python -m tests.pages.bless [--check] [PAGE ...]``.

Nothing but the content of ``output`` blocks is ever touched: what a line is expected to give stays a person's decision.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.pages import runner
from tests.pages.corpus import pages
from tests.pages.reader import Case, Output, read_text

Printer = Callable[[Case, str], str]


def blessed(page: Path, text: str, printer: Printer) -> str:
    """The page's text with every ``output`` block replaced by what ``printer`` gives for its case and format."""
    outputs: list[tuple[Output, Case]] = [(output, case) for case in read_text(page, text) for output in case.outputs]
    lines = text.splitlines(keepends=True)
    for output, case in sorted(outputs, key=lambda pair: pair[0].start, reverse=True):
        lines[output.start : output.end] = printer(case, output.format).splitlines(keepends=True)
    return "".join(lines)


def print_case(case: Case, output_format: str) -> str:
    """Run a case in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        runner.write(case.files, root)
        return runner.Run(root).printed(output_format)


def main(arguments: list[str] | None = None, printer: Printer = print_case) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.pages.bless", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a page would change")
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE")
    options = parser.parse_args(arguments)
    stale = 0
    for page in options.pages or pages():
        text = page.read_text(encoding="utf-8")
        new = blessed(page, text, printer)
        if new == text:
            continue
        stale += 1
        print(f"{'would rewrite' if options.check else 'rewrote'} {page}")
        if not options.check:
            page.write_text(new, encoding="utf-8", newline="")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())

"""Where the projects under ``tests/fixtures/cases`` stand: ``python -m tests.fixtures_status [--write] [CASE ...]``.

Each folder there is a project, analysed under the default rules and its own ``pyproject.toml``. What does not come out
as its ``# expect:`` lines say stands in ``PENDING.toml``, which the tests hold to the letter: a row that is mended must
leave the file.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

from tests.pages import runner
from tests.pages.markers import Marker, read_markers

CASES = Path(__file__).parent / "fixtures" / "cases"
PENDING = CASES / "PENDING.toml"

Rows = dict[str, list[str]]
"""The keys ``missing`` and ``surplus``, each with ``path:line rule`` rows; a case that is right has neither."""


def cases() -> list[Path]:
    """Their folders, by name."""
    return sorted(folder for folder in CASES.iterdir() if folder.is_dir() and not folder.name.startswith(("_", ".")))


def expected(case: Path) -> list[Marker]:
    """What the files of a case claim. Bytes that are no UTF-8 are read as surrogates: they hold no marker."""
    return [
        marker
        for file in sorted(case.rglob("*.py"))
        for marker in read_markers(
            file.relative_to(case).as_posix(), file.read_bytes().decode("utf-8", "surrogateescape")
        )
    ]


def copied(case: Path, folder: Path) -> Path:
    """A copy of a case below ``folder``, so that nothing above it becomes the project."""
    return Path(shutil.copytree(case, folder.resolve() / case.name))


def examine(case: Path) -> Rows:
    """The rows of a case that differ."""
    with tempfile.TemporaryDirectory() as folder:
        reports = sorted(set(runner.Run(copied(case, Path(folder))).reports()))
    rows: Rows = {}
    want = expected(case)
    missing = []
    for marker in want:
        key = (marker.path, marker.line, marker.subject)
        if not any(report[:3] == key and marker.value in ("", report.severity) for report in reports):
            missing.append(
                f"{marker.path}:{marker.line} {marker.subject}" + (f":{marker.value}" if marker.value else "")
            )
    claimed = {(marker.path, marker.line, marker.subject) for marker in want}
    surplus = sorted({f"{r.path}:{r.line} {r.name}" for r in reports if r[:3] not in claimed})
    if missing:
        rows["missing"] = missing
    if surplus:
        rows["surplus"] = surplus
    return rows


def pending() -> dict[str, Rows]:
    """What ``PENDING.toml`` says."""
    if not PENDING.exists():
        return {}
    return tomllib.loads(PENDING.read_text(encoding="utf-8"))


def render(status: dict[str, Rows]) -> str:
    """``PENDING.toml`` as text."""
    lines = ["# Written by `python -m tests.fixtures_status --write`: what is not yet as the `# expect:` lines say.\n"]
    for case, rows in sorted(status.items()):
        if not rows:
            continue
        lines.append(f"\n[{case}]\n")
        for key, values in rows.items():
            lines.append(f"{key} = [\n" + "".join(f'    "{value}",\n' for value in values) + "]\n")
    return "".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fixtures_status", description=__doc__)
    parser.add_argument("--write", action="store_true", help="rewrite PENDING.toml")
    parser.add_argument("cases", nargs="*", metavar="CASE")
    options = parser.parse_args(arguments)
    status = pending()
    chosen = [case for case in cases() if not options.cases or case.name in options.cases]
    for case in chosen:
        status[case.name] = examine(case)
        for key, values in status[case.name].items():
            for value in values:
                print(f"{key:8} {case.name}/{value}")
    clean = sum(not status[case.name] for case in chosen)
    print(f"{len(chosen)} cases, {clean} as expected")
    if options.write:
        known = {case.name for case in cases()}
        PENDING.write_text(render({name: rows for name, rows in status.items() if name in known}), encoding="utf-8")
    return 0 if clean == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())

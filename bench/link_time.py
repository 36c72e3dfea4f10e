"""How long linking takes, and whether it grows with the size of the tree.

    python bench/link_time.py FOLDER [--repeat N]

The folder's Python files are parsed bare with LibCST and lowered once; then an eighth, a quarter, a half and all of
them are linked. The parts are whole sub-folders, taken in turn by size, so that calls across files stay. Processor
time, the collector off, the best of N. Set ``PYTHONHASHSEED=0`` to compare two versions.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from pathlib import Path

import libcst

from resilint.catalogue import load_catalogue
from resilint.link import Settings, SourceFacts, link
from resilint.syntax import lower


def read(folder: Path) -> tuple[list[SourceFacts], dict[str, float]]:
    """All files lowered, and the seconds that a bare parse of each takes."""
    files, seconds = [], {}
    for path in sorted(folder.rglob("*.py")):
        source, name = path.read_bytes(), path.relative_to(folder.parent).as_posix()
        started = time.process_time()
        try:
            libcst.parse_module(source)
        except libcst.ParserSyntaxError:
            continue
        seconds[name] = time.process_time() - started
        files.append(SourceFacts(name, lower(source)))
    return files, seconds


def parts(files: list[SourceFacts]) -> list[list[SourceFacts]]:
    """An eighth, a quarter, a half and all of the lines, by whole folders."""
    folders: dict[str, list[SourceFacts]] = {}
    for file in files:
        folders.setdefault(file.path.rpartition("/")[0], []).append(file)
    order = sorted(folders.values(), key=lambda group: sum(file.facts.lines for file in group))
    total = sum(file.facts.lines for file in files)
    found = []
    for share in (8, 4, 2):
        chosen: list[SourceFacts] = []
        for group in order[:: -1 if share == 8 else 1]:
            if sum(f.facts.lines for f in chosen) + sum(f.facts.lines for f in group) <= total / share:
                chosen += group
        found.append(chosen)
    return [*found, files]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    gc.disable()
    files, seconds = read(given.folder)
    catalogue = load_catalogue()
    gc.collect()
    for part in parts(files):
        best = float("inf")
        for _ in range(given.repeat):
            started = time.process_time()
            linked = link(part, catalogue, Settings())
            best = min(best, time.process_time() - started)
        lines, parsed = sum(f.facts.lines for f in part), sum(seconds[f.path] for f in part)
        edges = sum(map(len, linked.calls.outgoing.values()))
        print(
            f"{len(part):5} files {lines:8} lines {edges:7} edges: link {best:6.2f} s, "
            f"{1e6 * best / max(1, lines):5.1f} s a million lines, {best / parsed:4.0%} of a bare parse"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

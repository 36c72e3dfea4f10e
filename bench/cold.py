"""What lowering costs beside a bare LibCST parse of the same files, in one run.

    python bench/cold.py [--sample N] [--rounds N] PATHS...

Only the ratio means something on another machine; the seconds are CPU time.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import libcst as cst

from resilint.facts import encode
from resilint.syntax import lower


def python_files(paths: list[str]) -> list[Path]:
    found: list[Path] = []
    for path in map(Path, paths):
        found.extend(sorted(path.rglob("*.py")) if path.is_dir() else [path])
    return found


def cpu(work: Callable[[bytes], object], sources: list[bytes]) -> float:
    begin = time.process_time()
    for source in sources:
        work(source)
    return time.process_time() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--sample", type=int, default=150, help="how many files")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    files = python_files(options.paths)
    random.Random(options.seed).shuffle(files)
    sources = []
    for path in files:
        source = path.read_bytes()
        if source and lower(source).problem is None:
            sources.append(source)
        if len(sources) == options.sample:
            break
    lines = sum(source.count(b"\n") for source in sources)
    gc.disable()
    parse, whole, size, encoding = [], [], 0, []
    for _ in range(options.rounds):
        parse.append(cpu(cst.parse_module, sources))
        whole.append(cpu(lower, sources))
        facts = [lower(source) for source in sources]
        begin = time.process_time()
        size = sum(len(encode(one)) for one in facts)
        encoding.append(time.process_time() - begin)
        del facts
    ratios = sorted((w + e) / p for p, w, e in zip(parse, whole, encoding, strict=True))
    print(f"{len(sources)} files, {lines} lines")
    print(f"parse   {min(parse):.3f} s  ({lines / min(parse):,.0f} lines/s)")
    print(f"lower   {min(whole):.3f} s  (walks alone {min(whole) - min(parse):.3f} s)")
    print(f"encode  {min(encoding):.3f} s, {size / lines:.1f} bytes/line")
    print(f"ratio   {ratios[len(ratios) // 2]:.3f}  (of all rounds: {', '.join(f'{ratio:.3f}' for ratio in ratios)})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""``python -m tests.oracle --programs 20000 --seed 1``: generate, run, compare; counts and disagreements."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings
from collections import Counter, defaultdict

from tests.oracle.compare import Disagreement, compare
from tests.oracle.draws import Recorded, Seeded
from tests.oracle.generator import generate
from tests.oracle.shrink import shrink


def judged(decisions: Seeded | Recorded) -> tuple[list[Disagreement], Counter[str], str]:
    """Disagreements of one program; a failure of resilint is one too."""
    program = generate(decisions)
    try:
        return compare(program), program.used, program.text
    except Exception:
        last = traceback.format_exc().strip().splitlines()
        return [Disagreement("fails: " + last[-1][:80], "\n".join(last[-6:]))], program.used, program.text


def disagreement(decisions: list[int], kind: str, tries: int = 600, without: tuple[str, ...] = ()) -> str:
    """The smallest program found that differs in this way, and how."""
    small = shrink(decisions, lambda d: _still(d, kind, without), tries)
    found, _, text = judged(Recorded(small))
    return "\n".join([f"=== {kind}", text, *(f"--- {each.kind}: {each.text}" for each in found)])


def _still(decisions: list[int], kind: str, without: tuple[str, ...]) -> bool:
    found, names, _ = judged(Recorded(decisions))
    return names.keys().isdisjoint(without) and any(d.kind == kind for d in found)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shown", type=int, default=3, help="how many of each kind are made small and shown")
    parser.add_argument("--tries", type=int, default=1500, help="how many programs to try to make one small")
    parser.add_argument("--kind", default="", help="only disagreements whose kind holds this text")
    parser.add_argument("--without", action="append", default=[], help="leave out programs with this construct")
    options = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", message="coroutine .* was never awaited")
    sys.unraisablehook = lambda _: None  # the same, told while it is collected
    used: Counter[str] = Counter()
    kinds: dict[str, list[list[int]]] = defaultdict(list)
    began = time.perf_counter()
    wrong = 0
    for number in range(options.programs):
        draws = Seeded(options.seed * 1_000_003 + number)
        found, names, _ = judged(draws)
        if not names.keys().isdisjoint(options.without):
            continue
        used.update(names.keys())
        wrong += bool(found)
        for kind in {d.kind for d in found}:
            kinds[kind].append(draws.taken)
    seconds = time.perf_counter() - began
    for name, count in sorted(used.items(), key=lambda item: (item[1], item[0])):
        print(f"{count:7} {name}")
    print(f"{options.programs} programs in {seconds:.0f} s, {wrong} with a disagreement")
    for kind, lists in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"{len(lists):7} {kind}")
    for kind, lists in kinds.items():
        if options.kind not in kind:
            continue
        shown = set()
        for decisions in sorted(lists, key=len)[: options.shown]:
            text = disagreement(decisions, kind, options.tries, tuple(options.without))
            if text not in shown:
                shown.add(text)
                print(f"\n{text}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Scores resilint's call graph against published ones: snippets, and applications with a ground truth.

    python bench/callgraph.py snippets FOLDER [--truth FOLDER]
    python bench/callgraph.py applications FOLDER --truth FOLDER [--other FOLDER]

Snippets are all folders with a ``main.py`` and a ``callgraph.json`` (PyCG: ``micro-benchmark/snippets``; Jarvis:
``dataset/micro_benchmark`` with its truth in ``ground_truth/micro_benchmark``). Applications are folders whose truth is
``<truth>/<name>/EA.json`` (Jarvis: ``dataset/macro_benchmark/pj`` and ``ground_truth/macro_benchmark``). The checkouts
are read, never committed. A truth is a JSON object ``{"caller": ["callee", ...]}``; only this script reads it.
``--misses`` prints every edge that differs (``+`` surplus, ``-`` missing); ``--other`` scores other tools' output of
the same form, ``<name>/**/*_EA*.json``.

A snippet is *complete* where no edge is surplus, *sound* where none is missing. An edge is *internal* where both ends
are in the application. What the truths count and resilint's graph says otherwise, the script translates:

- an import runs the module and a ``class`` statement the class's body: edges, for applications;
- calling a generator or coroutine function is a call, wherever it is iterated or awaited;
- what runs detached (a thread's target) is none;
- truths from run-time traces name all lambdas of a module ``module.<lambda>``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from resilint.catalogue import Catalogue, load_catalogue
from resilint.facts import Bind, Imported, Reference, Star
from resilint.facts.walk import inside
from resilint.link import Linked, Settings, SourceFacts, link
from resilint.link.entities import Ext, Func, Member
from resilint.link.program import Program
from resilint.syntax import lower

Edges: TypeAlias = set[tuple[str, str]]

_SKIPPED = frozenset({".git", "docs", "tests", "test", "example", "examples", "e2e_tests"})


def linked(folder: Path, catalogue: Catalogue) -> Linked:
    """The program of all Python files below the folder, tests, examples and documentation aside."""
    files = []
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder)
        if not _SKIPPED & set(name.parts[:-1]) and name.as_posix() != "setup.py":
            files.append(SourceFacts(name.as_posix(), lower(path.read_bytes())))
    return link(files, catalogue, Settings())


class Names:
    """Names as the truths write them: lambdas are numbered in the function around them."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._numbered: dict[Func, str] = {}
        for module in program.modules:
            seen: dict[int, int] = {}
            for number, scope in enumerate(module.facts.scopes):
                if scope.kind == "lambda":
                    seen[scope.parent] = seen.get(scope.parent, 0) + 1
                    self._numbered[Func(module.number, number)] = f"<lambda{seen[scope.parent]}>"

    def of(self, func: Func) -> str:
        """The dotted name of a scope."""
        scope = self._program.scope(func)
        if scope.parent < 0:
            return self._program.modules[func.module].name
        own = self._numbered.get(func, scope.name)
        return f"{self.of(Func(func.module, scope.parent))}.{own}"


def edges(program: Linked, *, bodies: bool, properties: bool = True) -> Edges:
    """Who calls whom, with names outside the project too."""
    names = Names(program.program)
    found = {
        (names.of(edge.caller), names.of(edge.callee))
        for out in program.calls.outgoing.values()
        for edge in out
        if edge.attached
        and not (edge.kind == "iterate" and program.program.scope(edge.callee).is_generator)
        and (properties or edge.kind != "property")
    }
    for module in program.program.modules:
        for number, scope in enumerate(module.facts.scopes):
            caller = names.of(Func(module.number, number))
            for position in range(len(scope.sites)):
                for entity in program.inference.solver.get(("callees", module.number, number, position)):
                    found |= {(caller, names.of(func)) for func, _, _ in program.inference.targets(entity)}
                    if isinstance(entity, Ext):
                        found.add((caller, _outside(entity.path)))
                    elif isinstance(entity, Member):
                        found.add((caller, f"{entity.of}.{entity.chain}"))
            if bodies:
                found |= {(caller, other) for other in _bodies(program.program, names, module.number, number)}
    return found


def _outside(path: str) -> str:
    return path.replace("builtins.", "<builtin>.") if path.startswith("builtins.") else path


def _bodies(program: Program, names: Names, module: int, number: int) -> Iterator[str]:
    """The modules and classes whose code the scope runs: it imports the one and defines the other."""
    facts = program.modules[module].facts
    for child in program.modules[module].children[number]:
        if facts.scopes[child].kind == "class":
            yield names.of(Func(module, child))
    table = program.table
    for step in inside(facts.scopes[number].body):
        if isinstance(step, Star):
            source, level, name = step.module, step.level, None
        elif isinstance(step, Bind) and isinstance(step.value, Imported) and isinstance(step.target, Reference):
            source, level, name = step.value.loads or step.value.module, step.value.level, step.value.name
        else:
            continue
        place = table.relative(module, level, source) if level else table.absolute(module, source)
        if place is None:
            continue
        inner = table.child(place, name) if name else None
        if inner is not None and inner[0] >= 0:
            place = inner
        if place[0] >= 0 and place[0] != module:
            yield program.modules[place[0]].name


def read_truth(path: Path, packages: Iterable[str] = ()) -> Edges:
    """The edges of a truth. Some name a package ``x.__init__``; ``packages`` says which names are packages."""
    known = {f"{package}.__init__": package for package in packages}
    graph = json.loads(path.read_text())
    return {(known.get(caller, caller), known.get(one, one)) for caller, callees in graph.items() for one in callees}


def mended(truth: Edges, program: Linked) -> tuple[Edges, int]:
    """The truth with names that name nothing replaced by the one thing in the application that ends like them."""
    names = Names(program.program)
    real = {module.name for module in program.program.modules}
    for module in program.program.modules:
        real |= {names.of(Func(module.number, number)) for number in range(len(module.facts.scopes))}
    real |= {name for name, _ in truth if "<" in name} | {name for _, name in truth if "<" in name}

    def candidates(name: str, parts: int) -> list[str]:
        ending = "." + ".".join(name.strip(",").split(".")[-parts:])
        return [one for one in real if one.endswith(ending)]

    replaced: dict[str, str] = {}
    for name in {name for edge in truth for name in edge} - real:
        for parts in (3, 2, 1):
            if name.count(".") >= parts and len(found := candidates(name, parts)) == 1:
                replaced[name] = found[0]
                break
    return {(replaced.get(a, a), replaced.get(b, b)) for a, b in truth}, len(replaced)


class Score:
    """Edges found, surplus and missing, summed up."""

    def __init__(self) -> None:
        self.true = self.surplus = self.missing = 0

    def add(self, found: Edges, truth: Edges) -> None:
        self.true += len(found & truth)
        self.surplus += len(found - truth)
        self.missing += len(truth - found)

    def __str__(self) -> str:
        precision = self.true / max(1, self.true + self.surplus)
        recall = self.true / max(1, self.true + self.missing)
        counts = f"{self.true} true, {self.surplus} surplus, {self.missing} missing"
        return f"precision {precision:.3f}  recall {recall:.3f}  ({counts})"


def _show(title: str, found: Edges, truth: Edges) -> None:
    for sign, some in (("+", found - truth), ("-", truth - found)):
        for caller, callee in sorted(some):
            print(f"  {sign} {title}: {caller} -> {callee}")


def snippets(folder: Path, truths: Path, misses: bool) -> int:
    """Score every snippet."""
    catalogue = load_catalogue()
    every, inner = Score(), Score()
    counts = {"complete": 0, "sound": 0, "complete inside": 0, "sound inside": 0}
    total = 0
    for main in sorted(folder.rglob("main.py")):
        name = main.parent.relative_to(folder)
        place = next((p for p in (truths / name, truths / name.as_posix().replace(" ", "_")) if p.is_dir()), None)
        if place is None or not (place / "callgraph.json").exists():
            continue
        total += 1
        program = linked(main.parent, catalogue)
        own = {module.name for module in program.program.modules}
        found, truth = edges(program, bodies=False), read_truth(place / "callgraph.json", own)
        inside_found, inside_truth = _internal(found, own), _internal(truth, own)
        every.add(found, truth)
        inner.add(inside_found, inside_truth)
        counts["complete"] += not found - truth
        counts["sound"] += not truth - found
        counts["complete inside"] += not inside_found - inside_truth
        counts["sound inside"] += not inside_truth - inside_found
        if misses:
            _show(name.as_posix(), found, truth)
    print(f"{total} snippets, all edges:      {every}")
    print(f"{total} snippets, internal edges: {inner}")
    print(", ".join(f"{key} {value}" for key, value in counts.items()))
    return 0


def _without_numbers(some: Edges, modules: set[str]) -> Edges:
    """Lambdas as a run-time trace names them."""

    def plain(name: str) -> str:
        if "<lambda" not in name:
            return name
        return f"{max((m for m in modules if name.startswith(m + '.')), key=len, default='')}.<lambda>"

    return {(plain(a), plain(b)) for a, b in some}


def _internal(some: Edges, modules: set[str]) -> Edges:
    tops = {name.split(".")[0] for name in modules}
    return {(a, b) for a, b in some if a.split(".")[0] in tops and b.split(".")[0] in tops}


def applications(folder: Path, truths: Path, misses: bool, other: str) -> int:
    """Score every application, in three views: as the truth stands; with its misspelt names mended; and calls alone,
    that is without imports, class bodies and properties, of which the truths name only some."""
    catalogue = load_catalogue()
    raw, mend, calls = Score(), Score(), Score()
    for path in sorted(truths.glob("*/EA.json")):
        name = path.parent.name
        program = linked(folder / name, catalogue)
        modules = {module.name for module in program.program.modules}
        truth = read_truth(path, modules)
        tops = {caller.split(".")[0] for caller, _ in truth} & {module.split(".")[0] for module in modules}
        truth, found = _internal(truth, tops), _internal(edges(program, bodies=True), tops)
        if any(callee.endswith("<lambda>") for _, callee in truth):
            found = _without_numbers(found, modules)
        score = Score()
        score.add(found, truth)
        raw.add(found, truth)
        right, count = mended(truth, program)
        mend.add(found, right)
        bare = _internal(edges(program, bodies=False, properties=False), tops)
        if any(callee.endswith("<lambda>") for _, callee in truth):
            bare = _without_numbers(bare, modules)
        bodies = _bodies_of(program)
        calls.add(bare, {e for e in right if e in bare or (e not in found and e[1] not in bodies)})
        print(f"{name:12} {score}  {count} names mended")
        if misses:
            _show(name, found, right)
        for result in sorted(Path(other).glob(f"{name}/**/*_EA*.json")) if other else ():
            theirs = Score()
            theirs.add(_internal(read_truth(result, modules), tops), truth)
            print(f"  {result.name}: {theirs}")
    print(f"{'pooled':12} {raw}")
    print(f"{'names mended':12} {mend}")
    print(f"{'calls alone':12} {calls}")
    return 0


def _bodies_of(program: Linked) -> set[str]:
    """Modules and classes: what an import or a class statement runs."""
    own = {module.name for module in program.program.modules}
    return own | {program.program.qualname(cls) for cls in program.program.layouts}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("kind", choices=("snippets", "applications"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--other", default="", help="a folder of other tools' outputs, <name>/**/*_EA*.json")
    given = parser.parse_args()
    truths = given.truth or given.folder
    if given.kind == "snippets":
        return snippets(given.folder, truths, given.misses)
    return applications(given.folder, truths, given.misses, given.other)


if __name__ == "__main__":
    sys.exit(main())

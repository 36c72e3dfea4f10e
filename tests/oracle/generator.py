"""Writes programs inside the decidable part of the language, one statement a line.

Nothing here knows what a program will do: that is what running it is for. Two things are taken care of. What a program
does must depend on choices alone, and a choice may be made only as often as all of them can be tried. And where
resilint
rightly reckons with more than happens (any call in a ``try`` can raise), the program makes it happen:
``oracle.check()``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.oracle.draws import Draws

ROUTES = "app/routes.py"
HELPERS = "app/helpers.py"
MOST_BITS = 8
"""A function may choose so many times (as powers of two) on all its paths together."""
WAITS = ("0.5", "1", "0.25", "2", "1.5", "3", "4", "6", "8")
LIMITS = ("3.3", "1.3", "0.8", "2.7", "4.6", "7.9", "12.7")
TIMES = ("2", "3", "1", "4", "5")

Lines = list[str]


@dataclass(slots=True)
class Parameter:
    name: str
    kind: str
    """``pause``, ``times``, ``limit``, ``mode``, ``flag``, ``work`` (a function), ``coro``."""
    default: str | None


@dataclass(slots=True)
class Function:
    """A helper that others can call."""

    name: str
    file: str
    parameters: list[Parameter]
    form: str = "plain"
    """``plain``, ``method``, ``generator``."""
    safe: bool = True
    """It raises nothing."""
    bits: int = 0
    length: int = 1
    """About how many waits it makes."""
    outbound: bool = False
    endless: bool = False


@dataclass(slots=True)
class Program:
    files: dict[str, str]
    handlers: list[str]
    roots: list[tuple[str, str]]
    """Module and function: handlers, and what nobody calls."""
    transparent: frozenset[str]
    used: Counter[str]
    loose: set[str]
    """Why the analysis may know less than everything: its totals need not be reached."""

    @property
    def text(self) -> str:
        """All files, with the numbers of their lines."""
        parts = []
        for path, text in self.files.items():
            if text:
                parts.append(f"# {path}")
                parts += [f"{n:3} {line}" if line else "" for n, line in enumerate(text.splitlines(), 1)]
        return "\n".join(parts)


@dataclass(slots=True)
class Context:
    """Where a statement stands."""

    file: str
    safe: bool
    name: str = ""
    values: dict[str, list[str]] = field(default_factory=dict)
    """Names in scope by kind."""
    depth: int = 0
    trying: int = 0
    looping: int = 0
    staying: int = 0
    """Inside something that must not be left by ``return``, ``break`` or ``continue``."""
    uncontinued: int = 0
    """Inside a loop whose counter is raised at the end: no ``continue``."""
    times: int = 1
    """How often the statement runs, at most."""
    bits: int = 0
    length: int = 0
    outbound: bool = False
    endless: bool = False
    yields: bool = False
    client: str = ""
    covered: int = 0
    concurrent: int = 0
    finished: bool = False
    """What would come now is never reached."""

    def spend(self, bits: int) -> bool:
        """Choose ``bits`` times each time the statement runs, if that is affordable."""
        cost = bits * self.times
        if self.endless or self.bits + cost > MOST_BITS:
            return False
        self.bits += cost
        return True

    def lasts(self, length: int) -> bool:
        if self.length + length * self.times > 160:
            return False
        self.length += length * self.times
        return True


def indented(lines: Lines) -> Lines:
    return ["    " + line for line in lines]


class Generator:
    """One program."""

    def __init__(self, draws: Draws) -> None:
        self.draws = draws
        self.used: Counter[str] = Counter()
        self.loose: set[str] = set()
        self.functions: list[Function] = []
        self.imports: dict[str, set[str]] = {ROUTES: set(), HELPERS: set()}
        self.shared: dict[str, set[str]] = {ROUTES: set(), HELPERS: set()}
        """Names that a file takes from the other one."""
        self.constants: dict[str, dict[str, str]] = {ROUTES: {}, HELPERS: {}}
        self.definitions: dict[str, list[Lines]] = {ROUTES: [], HELPERS: []}
        self.transparent: set[str] = set()
        self.numbers: Counter[str] = Counter()
        self.two = False
        self.by_module = False
        self.statements: list[tuple[int, Callable[[Context], Lines | None]]] = [
            (5, self.sleep),
            (9, self.call_helper),
            (5, self.branch),
            (4, self.branch_on_parameter),
            (5, self.for_loop),
            (3, self.while_counter),
            (2, self.while_true),
            (2, self.clock_loop),
            (2, self.backoff),
            (1, self.endless_loop),
            (4, self.deadline),
            (2, self.bare_deadline),
            (2, self.wait_for),
            (2, self.shield),
            (3, self.gather),
            (2, self.task),
            (2, self.background),
            (2, self.cancelled),
            (2, self.group),
            (4, self.outbound),
            (2, self.early_return),
            (1, self.dead),
            (1, self.try_finally),
            (1, self.local),
            (1, self.poll),
            (7, self.iterate),
            (1, self.swallow),
            (2, self.wait),
            (1, self.exit_stack),
            (1, self.counting),
            (1, self.nothing),
            (1, self.bound_twice),
            (1, self.session),
        ]

    # Decisions

    def below(self, limit: int) -> int:
        return self.draws.below(limit)

    def chance(self, one_in: int) -> bool:
        return self.draws.below(one_in) == one_in - 1

    def pick(self, items: tuple[str, ...] | list[str]) -> str:
        return items[self.draws.below(len(items))]

    def fresh(self, stem: str) -> str:
        self.numbers[stem] += 1
        return f"{stem}{self.numbers[stem]}"

    def use(self, construct: str) -> None:
        self.used[construct] += 1

    # Names across files

    def name(self, name: str, owner: str, file: str) -> str:
        if owner == file:
            return name
        self.use("other file")
        if self.by_module:
            self.imports[file].add("from app import helpers")
            return f"helpers.{name}"
        self.shared[file].add(name)
        return name

    def constant(self, stem: str, value: str, file: str) -> str:
        """A constant of this or the other file, read in ``file``."""
        owner = HELPERS if self.two and self.chance(2) else file
        if owner == ROUTES and file == HELPERS:
            owner = HELPERS
        for known, text in self.constants[owner].items():
            if text == value and known.startswith(stem):
                return self.name(known, owner, file)
        made = self.fresh(stem)
        self.constants[owner][made] = value
        self.use("constant")
        if owner != file:
            self.use("constant of another file")
        return self.name(made, owner, file)

    def settings(self, field_: str, value: str, file: str) -> str:
        self.use("settings class")
        owner = HELPERS if self.two else file
        form = self.below(3)
        made = self.fresh("settings")
        kind = made.capitalize()
        if form == 0:
            self.imports[owner].add("from pydantic_settings import BaseSettings")
            self.definitions[owner].insert(
                0, [f"class {kind}(BaseSettings):", f"    {field_}: float = {value}", "", "", f"{made} = {kind}()"]
            )
        elif form == 1:
            self.imports[owner].add("from dataclasses import dataclass")
            lines = ["@dataclass", f"class {kind}:", f"    {field_}: float = {value}", "", "", f"{made} = {kind}()"]
            self.definitions[owner].insert(0, lines)
        else:
            self.definitions[owner].insert(0, [f"class {kind}:", f"    {field_} = {value}"])
            made = kind
        return f"{self.name(made, owner, file)}.{field_}"

    # Expressions

    def number(self, values: tuple[str, ...], kind: str, stem: str, context: Context) -> str:
        """A duration or a count whose value is known, however it is written."""
        value = self.pick(values)
        names = context.values.get(kind, [])
        form = self.below(16)
        if form in (1, 2, 3, 14, 15) and names:
            self.use("parameter or local")
            return self.pick(names)
        if form == 4:
            return self.constant(stem, value, context.file)
        if form == 5 and kind != "times":
            return self.settings(stem.lower(), value, context.file)
        if kind == "times":
            return value
        if form == 6:
            self.use("arithmetic")
            return self.pick(
                (
                    f"{value} / 2",
                    f"{value} * 2",
                    f"min({value}, 2.5)",
                    f"max({value}, 1)",
                    f"{value} * 1000 / 1000",
                    "2 ** 2",
                    f"abs(-{value})",
                    f"int({value}) + 1",
                    f"float({value})",
                    f"round({value}) + 1",
                    "7 // 2",
                    "7 % 4",
                    f"{value} + 0.5",
                    f"8 - {value} / 2",
                )
            )
        if form == 7:
            self.use("arithmetic")
            return f"{self.constant(stem, value, context.file)} * 2"
        if form == 8:
            self.use("timedelta")
            self.imports[context.file].add("from datetime import timedelta")
            return f"timedelta(seconds={value}).total_seconds()"
        if form == 9:
            self.use("list element")
            return f"{self.constant('STEPS', f'({value}, 1, 2)', context.file)}[{self.below(3)}]"
        if form == 10:
            self.use("enum")
            owner = HELPERS if self.two else context.file
            self.imports[owner].add("import enum")
            made = self.fresh("Level")
            self.definitions[owner].insert(0, [f"class {made}(enum.Enum):", f"    ONE = {value}", "    TWO = 2"])
            return f"{self.name(made, owner, context.file)}.ONE.value"
        if form == 11 and kind == "pause":
            self.use("returned value")
            owner = HELPERS if self.two else context.file
            made = self.fresh("length")
            self.definitions[owner].insert(
                0, [f"def {made}(factor: float = 1) -> float:", f"    return {value} * factor"]
            )
            return f"{self.name(made, owner, context.file)}({self.pick(('', '2', 'factor=0.5'))})"
        if form == 12 and kind == "pause" and context.spend(1):
            self.use("alternative value")
            self.loose.add("alternative")
            return f"({value} if oracle.choose(2) else {self.pick(values)})"
        if form == 13 and kind == "pause" and context.spend(1):
            self.use("random")
            self.loose.add("random")
            self.imports[context.file].add("import random")
            return f"random.uniform({value}, {value} + 1)"
        return value

    def pause(self, context: Context) -> str:
        return self.number(WAITS, "pause", "PAUSE", context)

    def times(self, context: Context) -> str:
        return self.number(TIMES, "times", "TIMES", context)

    def limit(self, context: Context) -> str:
        if self.chance(8):
            self.use("deadline of None")
            return "None"
        names = context.values.get("limit", [])
        if names and self.below(4):
            self.use("deadline by parameter")
            return self.pick(names)
        return self.number(LIMITS, "no", "LIMIT", context)

    # Calls

    def callees(self, context: Context, safe: bool = False) -> list[Function]:
        return [
            f
            for f in self.functions
            if f.form in ("plain", "method", "transparent")
            and (f.safe or not (safe or context.safe))
            and not (f.file == ROUTES and context.file == HELPERS)
            and f.bits * context.times + context.bits <= MOST_BITS
            and context.length + f.length * context.times <= 160
            and not (f.endless and context.endless)
        ]

    def call(self, context: Context, safe: bool = False, bare: bool = False) -> str | None:
        """An expression that makes a coroutine."""
        candidates = self.callees(context, safe)
        if context.client and self.chance(5):
            self.use("outbound")
            context.outbound = True
            return f'{context.client}.{self.pick(("get", "post"))}("/x")'
        if not candidates or (not bare and self.chance(6)):
            if not context.lasts(1):
                return None
            return f"asyncio.sleep({self.pause(context)})"
        chosen = candidates[len(candidates) - 1 - self.below(len(candidates))]
        return self.call_of(chosen, context)

    def call_of(self, chosen: Function, context: Context) -> str:
        context.bits += chosen.bits * context.times
        context.length += chosen.length * context.times
        context.outbound = context.outbound or chosen.outbound
        context.endless = context.endless or chosen.endless
        arguments: Lines = []
        for parameter in chosen.parameters:
            if parameter.default is not None and self.chance(2):
                self.use("default")
                continue
            value = self.argument(parameter, context)
            if value != parameter.default:
                self.use("argument")
            positional = parameter is chosen.parameters[len(arguments)] and all("=" not in a for a in arguments)
            arguments.append(value if positional and self.chance(2) else f"{parameter.name}={value}")
        if chosen.form == "method":
            owner, _, method = chosen.name.partition(".")
            return f"{self.name(owner.lower(), chosen.file, context.file)}.{method}({', '.join(arguments)})"
        return f"{self.name(chosen.name, chosen.file, context.file)}({', '.join(arguments)})"

    def argument(self, parameter: Parameter, context: Context) -> str:
        if parameter.kind == "pause":
            return self.pause(context)
        if parameter.kind == "times":
            return self.times(context)
        if parameter.kind == "limit":
            return self.limit(context)
        if parameter.kind == "mode":
            return self.pick(('"fast"', '"slow"'))
        if parameter.kind == "flag":
            return self.pick(("False", "True"))
        candidates = [
            f
            for f in self.callees(context, True)
            if f.form in ("plain", "transparent") and all(p.default for p in f.parameters)
        ]
        if parameter.kind == "work" and candidates and self.below(3):
            chosen = candidates[self.below(len(candidates))]
            self.use("function as argument")
            context.bits += chosen.bits * context.times
            context.length += chosen.length * context.times
            context.outbound = context.outbound or chosen.outbound
            context.endless = context.endless or chosen.endless
            return self.name(chosen.name, chosen.file, context.file)
        if parameter.kind == "coro":
            self.use("coroutine as argument")
            if candidates:
                return self.call_of(candidates[self.below(len(candidates))], context)
            return f"asyncio.sleep({self.pick(WAITS)})"
        self.use("function as argument")
        self.use("lambda")
        return f"lambda: asyncio.sleep({self.pick(WAITS)})"

    # Statements

    def block(self, context: Context, most: int = 3) -> Lines:
        lines: Lines = []
        context.depth += 1
        for _ in range(1 + self.below(most)):
            if not context.finished:
                lines += self.statement(context)
        context.depth -= 1
        return lines

    def statement(self, context: Context) -> Lines:
        number = self.below(sum(weight for weight, _ in self.statements))
        for weight, make in self.statements:  # noqa: B007  # used below
            number -= weight
            if number < 0:
                break
        lines = make(context) if context.depth < 4 or make in (self.sleep, self.call_helper, self.outbound) else None
        return lines or self.sleep(context)

    def sleep(self, context: Context) -> Lines:
        if not context.lasts(1):
            return ["oracle.note()"]
        if self.chance(12):
            self.use("checkpoint")
            return ["await asyncio.sleep(0)"]
        self.use("sleep")
        return [f"await asyncio.sleep({self.pause(context)})"]

    def call_helper(self, context: Context) -> Lines | None:
        made = self.call(context, bare=True)
        if made is None:
            return None
        self.use("call")
        return [f"await {made}"]

    def branch(self, context: Context) -> Lines | None:
        if not context.spend(1):
            return None
        self.use("branch")
        lines = ["if oracle.choose(2):", *indented(self.block(context, 2))]
        if self.chance(2):
            lines += ["else:", *indented(self.block(context, 2))]
        return lines

    def branch_on_parameter(self, context: Context) -> Lines | None:
        modes, flags = context.values.get("mode", []), context.values.get("flag", [])
        if not modes and not flags:
            return None
        self.use("branch on an argument")
        if modes and self.chance(4):
            lines = [f"match {self.pick(modes)}:", '    case "slow":', *indented(indented(self.block(context, 2)))]
            return [*lines, "    case _:", *indented(indented(self.block(context, 2)))]
        test = f'{self.pick(modes)} == "slow"' if modes else self.pick(flags)
        lines = [f"if {test}:", *indented(self.block(context, 2))]
        if self.chance(2):
            lines += ["else:", *indented(self.block(context, 2))]
        return lines

    def leaving(self, context: Context, what: tuple[str, ...]) -> Lines:
        """Leave by one of these ways; inside ``try`` it may raise as well."""
        chosen = self.pick(what)
        self.use(f"early {chosen}")
        return [*(["oracle.check()"] if context.trying and context.spend(1) else []), chosen]

    def body(self, context: Context, count: int, names: dict[str, list[str]], continues: bool = True) -> Lines:
        """The body of a loop that runs ``count`` times."""
        outer = (context.times, context.staying, context.uncontinued, dict(context.values))
        context.times *= count
        context.looping += 1
        context.staying = 0
        context.uncontinued = 0 if continues else 1
        for kind, more in names.items():
            context.values[kind] = [*context.values.get(kind, []), *more]
        lines = self.block(context, 2)
        if self.chance(3) and context.endless is False and context.bits + count <= MOST_BITS and not context.trying:
            ways: tuple[str, ...] = ("break", "continue", "return") if continues else ("break", "return")
            ways = ways if not context.yields else ways[:-1]
            if outer[1] or (context.times > count and "return" in ways):
                ways = tuple(w for w in ways if w != "return")
            context.bits += count.bit_length() + 1 if ways[0] == "break" else count
            exit_ = ["if oracle.choose(2):", *indented(self.leaving(context, ways))]
            context.bits += count if exit_[-1].strip() == "continue" else 0
            lines = [*lines, *exit_, *(self.sleep(context) if self.chance(2) else [])]
        context.times, context.staying, context.uncontinued, context.values = outer
        context.looping -= 1
        return lines

    @staticmethod
    def count(text: str) -> int:
        return int(text) if text.isdigit() else 5

    def affordable(self, context: Context, count: int) -> bool:
        return context.times * count <= 60 and context.length + context.times * count <= 150

    def for_loop(self, context: Context) -> Lines | None:
        if context.depth >= 4 or not self.affordable(context, 5):
            return None
        self.use("for loop")
        name = self.fresh("i")
        form = self.below(8)
        if form in (4, 5, 6):
            values = ", ".join(self.pick(WAITS) for _ in range(2 + self.below(2)))
            literal = f"({values})" if self.chance(2) else self.constant("DELAYS", f"({values})", context.file)
            if form == 6:
                self.use("enumerate")
                return [
                    f"for {name}, delay{name} in enumerate({literal}):",
                    *indented(self.body(context, 3, {"pause": [f"delay{name}"]})),
                ]
            return [f"for {name} in {literal}:", *indented(self.body(context, 3, {"pause": [name]}))]
        times = self.times(context)
        count = self.count(times)
        header = f"for {name} in range({times}):"
        if form == 7:
            header = f"for {name} in range(1, {times} + 1):"
        if form in (1, 2) and context.lasts(count):
            self.use("last-attempt guard")
            inner = self.body(context, count, {}, continues=True)
            wait = [f"await asyncio.sleep({self.pause(context)})"]
            if form == 1:
                return [header, *indented([*inner, f"if {name} < {times} - 1:", *indented(wait)])]
            if not self.may_finish(context) or self.chance(2):
                return [header, *indented([*inner, f"if {name} == {times} - 1:", "    break", *wait])]
            context.finished = True
            return [header, *indented([*inner, f"if {name} == {times} - 1:", "    return", *wait])]
        lines = [header, *indented(self.body(context, count, {"pause": [name]} if form == 7 else {}))]
        if self.chance(3):
            self.use("loop else")
            lines += ["else:", *indented(self.sleep(context))]
        return lines

    def while_counter(self, context: Context) -> Lines | None:
        if context.depth >= 4 or not self.affordable(context, 5):
            return None
        self.use("while with a counter")
        name = self.fresh("n")
        times = self.times(context)
        count = self.count(times)
        form = self.below(4)
        if form == 0:
            inner = self.body(context, count, {}, continues=False)
            return [f"{name} = 0", f"while {name} < {times}:", *indented([*inner, f"{name} += 1"])]
        if form == 1:
            inner = self.body(context, count, {})
            return [f"{name} = 0", f"while {name} < {times}:", *indented([f"{name} += 1", *inner])]
        if form == 2:
            inner = self.body(context, count, {})
            return [f"{name} = {times}", f"while {name}:", *indented([f"{name} -= 1", *inner])]
        inner = self.body(context, count, {})
        return [f"{name} = {times}", f"while {name} > 0:", *indented([f"{name} = {name} - 1", *inner])]

    @staticmethod
    def may_finish(context: Context) -> bool:
        """The statement may be the function's last."""
        return context.depth == 1 and not (context.staying or context.trying or context.yields or context.looping)

    def while_true(self, context: Context) -> Lines | None:
        if context.depth >= 4 or not self.affordable(context, 5):
            return None
        self.use("while true with a counter")
        name = self.fresh("n")
        times = self.times(context)
        count = self.count(times)
        form = self.below(3)
        inner = self.body(context, count, {}, continues=form == 1)
        way = self.pick(("break", "return")) if self.may_finish(context) else "break"
        context.finished = way == "return"
        leave = [f"if {name} {'>' if form == 1 else '>='} {times}:", f"    {way}"]
        if form == 0:
            return [f"{name} = 0", "while True:", *indented([*inner, f"{name} += 1", *leave])]
        if form == 1:
            return [f"{name} = 0", "while True:", *indented([f"{name} += 1", *leave, *inner])]
        return [f"{name} = 0", "while True:", *indented([*inner, f"{name} = {name} + 1", *leave, *self.sleep(context)])]

    def clock_loop(self, context: Context) -> Lines | None:
        if context.depth >= 3 or not self.affordable(context, 12) or not context.lasts(6):
            return None
        self.use("clock loop")
        self.loose.add("clock")
        name = self.fresh("start")
        bound = self.pick(("3.1", "5.3", "9.7"))
        if self.chance(3):
            bound = self.constant("BOUND", bound, context.file)
        wait = [f"await asyncio.sleep({self.pick(('1', '0.5', '2', '3', '4'))})"]
        exit_: Lines = []
        if not context.trying and self.chance(3) and context.bits + 4 <= MOST_BITS and context.times == 1:
            context.bits += 4
            exit_ = ["if oracle.choose(2):", "    break"]
            self.use("early break")
        form = self.below(4)
        if form == 3:
            clock = self.fresh("clock")
            return [
                f"{clock} = asyncio.get_running_loop()",
                f"{name} = {clock}.time() + {bound}",
                f"while {clock}.time() < {name}:",
                *indented([*wait, *exit_]),
            ]
        self.imports[context.file].add("import time")
        if form == 0:
            head = [f"{name} = time.monotonic()", f"while time.monotonic() - {name} < {bound}:"]
            return [*head, *indented([*wait, *exit_])]
        if form == 1:
            head = [f"{name} = time.monotonic() + {bound}", f"while time.monotonic() < {name}:"]
            return [*head, *indented([*wait, *exit_])]
        leave = [f"if time.time() >= {name}:", "    break"]
        return [f"{name} = time.time() + {bound}", "while True:", *indented([*wait, *exit_, *leave])]

    def backoff(self, context: Context) -> Lines | None:
        if context.depth >= 4 or not self.affordable(context, 5) or not context.lasts(5):
            return None
        self.use("backoff")
        name, index = self.fresh("delay"), self.fresh("i")
        times = self.times(context)
        grow = self.pick((f"{name} = min({name} * 2, 3)", f"{name} *= 2", f"{name} = {name} + 1", f"{name} += 0.5"))
        lines = [f"{name} = {self.pick(WAITS[:5])}", f"for {index} in range({times}):"]
        inner = self.block(context, 1) if self.chance(3) and context.times * 5 < 20 and not context.bits else []
        del inner
        return [*lines, *indented([f"await asyncio.sleep({name})", grow])]

    def endless_loop(self, context: Context) -> Lines | None:
        if context.times > 1 or context.endless or context.trying or context.concurrent or context.looping:
            return None
        if context.bits > 2 or context.depth > 2:
            return None
        self.use("loop without a bound")
        wait = [f"await asyncio.sleep({self.pick(WAITS)})"]
        form = self.below(3)
        context.endless = True
        context.length += 40
        if form == 0:
            return ["while True:", *indented([*wait, "if oracle.choose(2):", "    break"])]
        if form == 1:
            return ["while not oracle.choose(2):", *indented(wait)]
        name = self.fresh("done")
        return [f"{name} = False", f"while not {name}:", *indented([*wait, f"{name} = oracle.choose(2)"])]

    def try_timeout(self, context: Context, inner: Callable[[], Lines]) -> Lines | None:
        """``try`` around something that can end with a timeout, before it has waited and after."""
        if not context.spend(2):
            return None
        context.trying += 1
        safe, context.safe = context.safe, False
        lines = inner()
        context.safe = safe
        context.trying -= 1
        lines = ["oracle.check()", *lines, "oracle.check()"]
        ways: list[Lines] = [["pass"], ["oracle.note()"]]
        if context.looping and not context.staying and not context.trying:
            ways += [["break"]] if context.uncontinued else [["break"], ["continue"]]
        form = self.below(len(ways) + 2)
        handler = ways[form] if form < len(ways) else self.block(context, 1)
        return ["try:", *indented(lines), "except TimeoutError:", *indented(handler)]

    def scope(self, context: Context) -> tuple[Lines, str]:
        """A deadline's scope: lines before, and the expression for ``async with``."""
        limit = self.limit(context)
        form = self.below(8)
        self.use("deadline")
        if form == 1:
            self.use("scope in a variable")
            name = self.fresh("scope")
            return [f"{name} = asyncio.timeout({limit})"], name
        if form in (2, 6) and limit.replace(".", "").isdigit():
            self.use("timeout_at")
            return [], f"asyncio.timeout_at(asyncio.get_running_loop().time() + {limit})"
        if form in (3, 7) and not context.covered:
            self.use("context manager of the project")
            owner = HELPERS if self.two else context.file
            if not any(lines[:2] == ["@asynccontextmanager", _LIMITED[1]] for lines in self.definitions[owner]):
                self.imports[owner].add("from contextlib import asynccontextmanager")
                self.definitions[owner].insert(0, list(_LIMITED))
            return [], f"{self.name('limited', owner, context.file)}({limit})"
        return [], f"asyncio.timeout({limit})"

    def deadline(self, context: Context) -> Lines | None:
        """A deadline whose expiry is caught."""
        if context.depth >= 4:
            return None

        def inner() -> Lines:
            before, scope = self.scope(context)
            return [*before, f"async with {scope}:", *indented(self.block(context, 2))]

        lines = self.try_timeout(context, inner)
        if lines is not None:
            self.use("timeout caught")
        return lines

    def bare_deadline(self, context: Context) -> Lines | None:
        if context.safe or context.depth >= 4:
            return None
        before, scope = self.scope(context)
        return [*before, f"async with {scope}:", *indented(self.block(context, 2))]

    def wait_for(self, context: Context) -> Lines | None:
        if context.safe:

            def inner() -> Lines:
                return self._wait_for(context)

            return self.try_timeout(context, inner)
        return self._wait_for(context)

    def _wait_for(self, context: Context) -> Lines:
        self.use("wait_for")
        made = self.call(context, safe=True) or "asyncio.sleep(0)"
        limit = self.limit(context)
        limit = f"timeout={limit}" if self.chance(2) else limit
        return [f"await asyncio.wait_for({made}, {limit})"]

    def shield(self, context: Context) -> Lines | None:
        if context.times > 4:
            return None
        made = self.call(context, safe=True)
        if made is None:
            return None
        self.use("shield")
        if context.safe or self.chance(2):
            return [f"await asyncio.shield({made})"]
        return [f"await asyncio.wait_for(asyncio.shield({made}), {self.limit(context)})"]

    def gather(self, context: Context) -> Lines | None:
        context.concurrent += 1
        try:
            if self.chance(4):
                self.use("gather over a comprehension")
                outer, context.times = context.times, context.times * 3
                made = self.call(context, safe=True)
                context.times = outer
                return (
                    None
                    if made is None
                    else [f"await asyncio.gather(*[{made} for _ in range({self.pick(('2', '3'))})])"]
                )
            calls = [self.call(context, safe=True) for _ in range(2 + self.below(2))]
        finally:
            context.concurrent -= 1
        if None in calls:
            return None
        self.use("gather")
        return [f"await asyncio.gather({', '.join(c for c in calls if c)})"]

    def task(self, context: Context) -> Lines | None:
        made = self.call(context, safe=True)
        if made is None:
            return None
        self.use("task awaited")
        name = self.fresh("task")
        context.staying += 1
        safe, context.safe = context.safe, True
        between = self.block(context, 1)
        context.staying -= 1
        context.safe = safe
        return [f"{name} = asyncio.create_task({made})", *between, f"await {name}"]

    def background(self, context: Context) -> Lines | None:
        if context.times > 4:
            return None
        times, context.times = context.times, context.times
        made = self.call(context, safe=True)
        context.times = times
        if made is None:
            return None
        self.use("task not awaited")
        return [f"{self.fresh('background')} = asyncio.create_task({made})"]

    def cancelled(self, context: Context) -> Lines | None:
        if context.times > 6 or not context.lasts(1):
            return None
        made = self.call(context, safe=True)
        if made is None:
            return None
        self.use("task cancelled")
        name = self.fresh("dropped")
        return [
            f"{name} = asyncio.create_task({made})",
            f"await asyncio.sleep({self.pick(('0.61', '1.13', '2.37'))})",  # never together with a wait or a deadline
            f"{name}.cancel()",
            "try:",
            f"    await {name}",
            "except asyncio.CancelledError:",
            "    pass",
        ]

    def group(self, context: Context) -> Lines | None:
        context.concurrent += 1
        calls = [self.call(context, safe=True) for _ in range(1 + self.below(2))]
        context.concurrent -= 1
        if None in calls:
            return None
        self.use("TaskGroup")
        name = self.fresh("group")
        lines = [f"{name}.create_task({c})" for c in calls]
        if self.chance(3):
            place = self.below(2)
            lines = [*lines[:place], *self.sleep(context), *lines[place:]]
        return [f"async with asyncio.TaskGroup() as {name}:", *indented(lines)]

    def outbound(self, context: Context) -> Lines | None:
        self.use("outbound")
        context.outbound = True
        client = context.client
        if not client:
            owner = HELPERS if self.two else context.file
            self.imports[owner].add("import httpx")
            self.constants[owner]["client"] = "httpx.AsyncClient()"
            client = self.name("client", owner, context.file)
        return [f'{self.pick(("", "answer = "))}await {client}.{self.pick(("get", "post"))}("/x")']

    def early_return(self, context: Context) -> Lines | None:
        if context.staying or context.yields or context.depth > 3 or not context.spend(1):
            return None
        if context.looping and context.times > 8:
            return None
        if not context.safe and self.chance(2):
            self.use("raise")
            return ["if oracle.choose(2):", '    raise RuntimeError("no")']
        return ["if oracle.choose(2):", *indented(self.leaving(context, ("return",)))]

    def dead(self, context: Context) -> Lines:
        self.use("dead code")
        test = "False" if self.chance(2) else self.constant("DEBUG", "False", context.file)
        return [f"if {test}:", f"    await asyncio.sleep({self.pick(WAITS)})"]

    def try_finally(self, context: Context) -> Lines | None:
        if context.depth >= 4:
            return None
        self.use("finally")
        return ["try:", *indented(self.block(context, 2)), "finally:", "    oracle.note()"]

    def local(self, context: Context) -> Lines:
        self.use("local variable")
        name = self.fresh("pause")
        value = self.pause(context)
        lines = [f"{name} = {value}"]
        if self.chance(3):
            lines.append(f"{name} = min({name}, 1.5)")
        return [*lines, f"await asyncio.sleep({name})"]

    def poll(self, context: Context) -> Lines | None:
        """A wait by timeout: nobody sets the event."""
        if context.depth >= 3 or not self.affordable(context, 5) or not context.lasts(5):
            return None
        times = self.times(context)
        if not context.spend(self.count(times)):
            return None
        self.use("poll by timeout")
        self.loose.add("poll")
        stop, name = self.fresh("stop"), self.fresh("i")
        return [
            f"{stop} = asyncio.Event()",
            f"for {name} in range({times}):",
            "    try:",
            f"        await asyncio.wait_for({stop}.wait(), {self.pick(WAITS)})",
            "    except TimeoutError:",
            "        pass",
        ]

    def iterate(self, context: Context) -> Lines | None:
        found = [
            f
            for f in self.functions
            if f.form == "generator"
            and not (f.file == ROUTES and context.file == HELPERS)
            and f.bits * context.times + context.bits <= MOST_BITS
        ]
        if not found or not self.affordable(context, 5) or context.depth >= 3:
            return None
        self.use("async generator")
        made = self.call_of(self.functions[self.functions.index(found[self.below(len(found))])], context)
        name = self.fresh("item")
        inner = self.block(context, 1) if self.chance(3) and context.times * 5 < 12 and context.bits < 2 else []
        del inner
        return [f"async for {name} in {made}:", "    oracle.note()"]

    def swallow(self, context: Context) -> Lines | None:
        """A call that can fail, in ``try``."""
        if context.depth >= 4:
            return None
        self.use("failure caught")
        return self.try_timeout(context, lambda: self.block(context, 1))

    def wait(self, context: Context) -> Lines | None:
        """``asyncio.wait``: side by side; its timeout cancels nothing."""
        if context.times > 4:
            return None
        context.concurrent += 1
        calls = [self.call(context, safe=True) for _ in range(1 + self.below(2))]
        context.concurrent -= 1
        if None in calls:
            return None
        self.use("asyncio.wait")
        tasks = ", ".join(f"asyncio.create_task({c})" for c in calls)
        limit = ""
        if self.chance(3):
            self.use("asyncio.wait with a timeout")
            limit = f", timeout={self.pick(LIMITS)}"
        return [f"await asyncio.wait([{tasks}]{limit})"]

    def exit_stack(self, context: Context) -> Lines | None:
        """A deadline entered through an ``AsyncExitStack``."""
        if context.safe or context.depth >= 4:
            return None
        self.use("exit stack")
        self.imports[context.file].add("from contextlib import AsyncExitStack")
        name = self.fresh("stack")
        context.staying += 1
        inner = [f"await {name}.enter_async_context(asyncio.timeout({self.limit(context)}))", *self.block(context, 2)]
        context.staying -= 1
        return [f"async with AsyncExitStack() as {name}:", *indented(inner)]

    def counting(self, context: Context) -> Lines | None:
        if context.depth >= 4 or not self.affordable(context, 5) or not context.lasts(5):
            return None
        self.use("itertools.count")
        self.imports[context.file].add("import itertools")
        name = self.fresh("i")
        times = self.times(context)
        wait = f"await asyncio.sleep({self.pause(context)})"
        return [f"for {name} in itertools.count(1):", f"    {wait}", f"    if {name} >= {times}:", "        break"]

    def nothing(self, context: Context) -> Lines:
        self.use("loop over nothing")
        return [f"for {self.fresh('i')} in ():", f"    await asyncio.sleep({self.pick(WAITS)})"]

    def bound_twice(self, context: Context) -> Lines:
        self.use("name bound twice")
        name = self.fresh("pause")
        context.lasts(1)
        return [f"{name} = {self.pick(WAITS)}", f"{name} = {self.pause(context)}", f"await asyncio.sleep({name})"]

    def session(self, context: Context) -> Lines | None:
        """A context manager of the project that waits."""
        if context.depth >= 4 or not context.lasts(2):
            return None
        self.use("context manager that waits")
        owner = HELPERS if self.two else context.file
        self.imports[owner].add("from contextlib import asynccontextmanager")
        made = self.fresh("session")
        lines = [f"await asyncio.sleep({self.pick(('pause', *WAITS[:4]))})", "yield"]
        if self.chance(2):
            lines.append(f"await asyncio.sleep({self.pick(('pause', *WAITS[:4]))})")
        self.definitions[owner].insert(
            0, ["@asynccontextmanager", f"async def {made}(pause: float = 1):", *indented(lines)]
        )
        argument = self.pause(context) if self.chance(2) else ""
        name = self.name(made, owner, context.file)
        return [f"async with {name}({argument}):", *indented(self.block(context, 2))]

    # Functions

    def parameters(self) -> list[Parameter]:
        found: list[Parameter] = []
        for kind, names, values in (
            ("pause", "pause", WAITS),
            ("times", "times", TIMES),
            ("limit", "limit", (*LIMITS[:4], "None")),
            ("mode", "mode", ('"fast"', '"slow"')),
            ("flag", "flag", ("False", "True")),
        ):
            if self.below(3) == 1:
                found.append(Parameter(names, kind, self.pick(values) if self.below(3) else None))
        return sorted(found, key=lambda p: p.default is not None)

    def context_of(self, file: str, safe: bool, parameters: list[Parameter]) -> Context:
        context = Context(file, safe)
        for parameter in parameters:
            context.values.setdefault(parameter.kind, []).append(parameter.name)
        return context

    def header(self, name: str, parameters: list[Parameter], receiver: str = "") -> str:
        types = {"pause": "float", "times": "int", "limit": "float | None", "mode": "str", "flag": "bool"}
        texts = [receiver] if receiver else []
        for p in parameters:
            note = f": {types[p.kind]}" if p.kind in types else ""
            texts.append(f"{p.name}{note}" + (f" = {p.default}" if p.default is not None else ""))
        return f"async def {name}({', '.join(texts)}):"

    def helper(self, file: str) -> None:
        form = self.below(16)
        if form in (14, 15):
            return self.ticking(file)
        if form in (12, 13):
            return self.given_work(file)
        if form == 1:
            return self.only_waits(file)
        if form in (2, 3):
            return self.recursive(file)
        if form in (4, 5):
            return self.method(file)
        if form == 6:
            return self.ticking(file)
        if form == 7:
            return self.given_work(file)
        if form == 8:
            return self.retried(file)
        if form == 9:
            return self.limited(file)
        name, parameters = self.fresh("helper"), self.parameters()
        safe = not self.chance(3)
        context = self.context_of(file, safe, parameters)
        lines = self.block(context, 4)
        self.definitions[file].append([self.header(name, parameters), *indented(lines)])
        if self.only_wait(lines):
            self.transparent.add(name)
        self.register(Function(name, file, parameters), context)
        return None

    def only_wait(self, lines: Lines) -> bool:
        """Nothing but a wait, or a call of what only waits; and numbers for it."""
        waits = [line for line in lines if not re.match(r"pause\d+ = (?!.*oracle)", line)]
        if len(waits) != 1 or not waits[0].startswith("await ") or "oracle." in waits[0]:
            return False
        made = waits[0].removeprefix("await ").removeprefix("helpers.")
        return made.startswith("asyncio.sleep(") or made.partition("(")[0].capitalize() in {
            name.capitalize() for name in self.transparent
        }

    def register(self, function: Function, context: Context) -> None:
        function.safe = context.safe
        function.bits, function.length = context.bits, max(context.length, 1)
        function.outbound, function.endless = context.outbound, context.endless
        if context.endless:
            function.bits = max(function.bits, 3)
        self.functions.append(function)

    def only_waits(self, file: str) -> None:
        self.use("function that only waits")
        name = self.fresh("rest")
        parameters = [Parameter("seconds", "pause", self.pick(WAITS) if self.below(3) else None)]
        context = self.context_of(file, True, parameters)
        context.length = 1
        self.transparent.add(name)
        text = self.pick(("seconds", "seconds * 2", "min(seconds, 3)"))
        self.definitions[file].append([self.header(name, parameters), f"    await asyncio.sleep({text})"])
        self.register(Function(name, file, parameters, "transparent"), context)

    def recursive(self, file: str) -> None:
        self.use("recursion")
        name = self.fresh("again")
        parameters = [Parameter("left", "times", None), Parameter("pause", "pause", "0.5")]
        context = self.context_of(file, True, parameters)
        context.values = {"pause": ["pause"]}
        context.times = 5
        context.depth = 2
        inner = self.statement(context) if self.chance(3) else []
        context.times = 1
        context.lasts(5)
        wait = "await asyncio.sleep(pause)"
        onward = f"await {name}(left - 1, pause)" if self.chance(2) else f"await {name}(left - 1, pause=pause)"
        if self.chance(2):
            lines = ["if left <= 0:", "    return", wait, *inner, onward]
        else:
            lines = [wait, *inner, "if left > 1:", f"    {onward}"]
        self.definitions[file].append([self.header(name, parameters), *indented(lines)])
        self.register(Function(name, file, parameters), context)

    def method(self, file: str) -> None:
        self.use("adapter")
        name = self.fresh("Gateway")
        parameters = self.parameters()
        context = self.context_of(file, not self.chance(3), parameters)
        self.imports[file].add("import httpx")
        context.client = "self._upstream"
        lines = self.block(context, 3)
        stated = self.chance(3)
        start = ["        self._upstream = client"]
        if stated:
            self.use("attribute")
            start.append(f"        self._pause = {self.pick(WAITS)}")
            lines.append("await asyncio.sleep(self._pause)")
            context.length += 1
        if self.only_wait(lines):
            self.transparent.add(f"{name}.fetch")
        self.definitions[file].append(
            [
                f"class {name}:",
                "    def __init__(self, client: httpx.AsyncClient) -> None:",
                *start,
                "",
                f"    {self.header('fetch', parameters, 'self')}",
                *indented(indented(lines)),
                "",
                "",
                f"{name.lower()} = {name}(httpx.AsyncClient())",
            ]
        )
        self.register(Function(f"{name}.fetch", file, parameters, "method"), context)

    def ticking(self, file: str) -> None:
        self.use("generator function")
        name = self.fresh("ticks")
        parameters = [Parameter("times", "times", "2"), Parameter("pause", "pause", "1")]
        context = self.context_of(file, True, parameters)
        context.lasts(5)
        inner = ["yield i", "await asyncio.sleep(pause)"]
        if self.chance(2):
            inner.reverse()
        lines = ["for i in range(times):", *indented(inner)]
        self.definitions[file].append([self.header(name, parameters), *indented(lines)])
        self.register(Function(name, file, parameters, "generator"), context)

    def given_work(self, file: str) -> None:
        name = self.fresh("run")
        kind = self.pick(("work", "coro"))
        parameters = [Parameter("work", kind, None)]
        context = self.context_of(file, True, [])
        context.safe = True
        context.depth = 2
        before = self.statement(context) if self.chance(3) else []
        if kind == "work":
            self.definitions[file].append([self.header(name, parameters), *indented([*before, "await work()"])])
        else:
            self.definitions[file].append([self.header(name, parameters), *indented([*before, "await work"])])
        self.register(Function(name, file, parameters), context)

    def retried(self, file: str) -> None:
        self.use("retry of the project")
        owner = file
        if not any(lines[0] == _RETRY[0] for lines in self.definitions[owner]):
            self.imports[owner].add("import functools")
            self.definitions[owner].insert(0, list(_RETRY))
        name, parameters = self.fresh("helper"), self.parameters()
        context = self.context_of(file, False, parameters)
        attempts = self.pick(("2", "3"))
        context.times = int(attempts)
        context.trying = 1
        context.spend(1)
        lines = self.block(context, 2)
        pause = self.pick(WAITS)
        arguments = self.pick((f"{attempts}, {pause}", f"attempts={attempts}, pause={pause}", attempts))
        context.length += int(attempts)
        header = [f"@retry({arguments})", self.header(name, parameters)]
        self.definitions[file].append([*header, *indented([*lines, "oracle.check()"])])
        self.register(Function(name, file, parameters), context)

    def limited(self, file: str) -> None:
        self.use("decorator with a deadline")
        if not any(lines[0] == _WITHIN[0] for lines in self.definitions[file]):
            self.imports[file].add("import functools")
            self.definitions[file].insert(0, list(_WITHIN))
        name, parameters = self.fresh("helper"), self.parameters()
        context = self.context_of(file, False, parameters)
        lines = self.block(context, 3)
        header = [f"@within({self.pick((*LIMITS, 'None'))})", self.header(name, parameters)]
        self.definitions[file].append([*header, *indented(lines)])
        self.register(Function(name, file, parameters), context)

    def handler(self, file: str, only: Function | None = None) -> str:
        name = self.fresh("handle")
        context = Context(file, False)
        self.imports[file].add("from fastapi import APIRouter")
        parameters: list[Parameter] = []
        if self.chance(4):
            parameters = [Parameter("pause", "pause", self.pick(WAITS))]
            context.values["pause"] = ["pause"]
        if only is None:
            lines = self.block(context, 4)
        elif only.form == "generator":
            lines = [f"async for item in {self.call_of(only, context)}:", "    oracle.note()"]
        else:
            lines = [f"await {self.call_of(only, context)}"]
        self.definitions[file].append([f'@router.get("/{name}")', self.header(name, parameters), *indented(lines)])
        return name

    # All of it

    def program(self) -> Program:
        self.two = self.below(4) > 0
        self.by_module = self.two and self.chance(3)
        for _ in range(self.below(5)):
            self.helper(HELPERS if self.two and self.below(4) else ROUTES)
        handlers = [self.handler(ROUTES) for _ in range(1 + (self.below(6) == 5))]
        roots = [("app.routes", name) for name in handlers]
        for f in reversed(self.functions):
            if self.is_called(f):
                continue
            if f.form == "plain" and all(p.default is not None for p in f.parameters) and self.chance(2):
                roots.append((f.file.removesuffix(".py").replace("/", "."), f.name))
            else:
                handlers.append(self.handler(ROUTES, f))
                roots.append(("app.routes", handlers[-1]))
        by_name = {f.name: f for f in self.functions}
        roots = [r for r in roots if r[1] not in by_name or not self.is_called(by_name[r[1]])]
        files = {"app/__init__.py": ""}
        if self.two:
            files[HELPERS] = self.file(HELPERS)
        files[ROUTES] = self.file(ROUTES)
        return Program(files, handlers, roots, frozenset(self.transparent), self.used, self.loose)

    def is_called(self, function: Function) -> bool:
        """Its name stands somewhere besides its definition; a call that was made up need not have been used."""
        owner, _, method = function.name.partition(".")
        name = f"{owner.lower()}.{method}" if method else owner
        header = f"class {owner}:" if method else f"def {name}("
        others = [
            lines for found in self.definitions.values() for lines in found if not any(header in x for x in lines)
        ]
        return any(re.search(rf"\b{re.escape(name)}\b", line) for lines in others for line in lines)

    def file(self, path: str) -> str:
        imports = {"import asyncio", "from oracle_env import oracle", *self.imports[path]}
        if self.shared[path]:
            imports.add(f"from app.helpers import {', '.join(sorted(self.shared[path]))}")
        lines = sorted(imports, key=lambda i: (i.startswith("from"), i))
        lines += ["", *(f"{name} = {value}" for name, value in self.constants[path].items())]
        if path == ROUTES:
            lines.append("router = APIRouter()")
        for definition in self.definitions[path]:
            lines += ["", "", *definition]
        return "\n".join(lines) + "\n"


_LIMITED = (
    "@asynccontextmanager",
    "async def limited(seconds: float | None):",
    "    async with asyncio.timeout(seconds):",
    "        yield",
)
_RETRY = (
    "def retry(attempts: int, pause: float = 1):",
    "    def wrap(function):",
    "        @functools.wraps(function)",
    "        async def again(*args, **kwargs):",
    "            for attempt in range(attempts):",
    "                try:",
    "                    return await function(*args, **kwargs)",
    "                except TimeoutError:",
    "                    if attempt == attempts - 1:",
    "                        raise",
    "                await asyncio.sleep(pause)",
    "        return again",
    "    return wrap",
)
_WITHIN = (
    "def within(seconds: float | None):",
    "    def wrap(function):",
    "        @functools.wraps(function)",
    "        async def limited_call(*args, **kwargs):",
    "            async with asyncio.timeout(seconds):",
    "                return await function(*args, **kwargs)",
    "        return limited_call",
    "    return wrap",
)


def generate(draws: Draws) -> Program:
    return Generator(draws).program()

"""Runs a generated program for real: asyncio on a virtual clock, libraries as stubs, a program's choices one by one.

Time passes only in ``asyncio.sleep`` and in what waits for it. The same source is run that is analysed, with two things
woven in that change no behaviour: loops and functions tell when they begin and end, and a task that nobody awaits is
marked as such.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import dataclasses
import datetime
import enum
import functools
import importlib
import selectors
import sys
import types
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

HORIZON = 400.0
"""Virtual seconds after which a run is cut: it may go on for ever."""
DETACHED = ("background", "dropped")
"""How names of tasks begin that nobody awaits, or only after they were cancelled."""
MOST_CHOICES = 60
MOST_ROUNDS = 12_000
PATIENCE = 200.0
"""Virtual seconds after which a call that does not answer counts as one that nothing cancels."""

Site = tuple[str, int]
"""A file and a line. Programs have one statement a line."""
Places = tuple[Site, ...]
"""Where a wait stands. Several where that can be seen in more ways than one: what only runs what it is given is a
function that only waits to its callers, or it is where the wait stands, or the lambda is."""


class Cut(BaseException):
    """The run is long enough."""


@dataclass(eq=False, slots=True)
class LoopRun:
    """One execution of one loop."""

    place: Site
    function: str
    began: float
    ended: float | None = None
    detached: bool = False
    aside: bool = False
    """In a task or behind a shield: it may go on when nobody waits for it any more."""
    own: set[Places] = field(default_factory=set)
    """Waits in the loop's own function that took time."""
    below: set[Places] = field(default_factory=set)
    """Waits in what it calls."""
    either: set[Places] = field(default_factory=set)
    """Waits of which that cannot be said."""


@dataclass(slots=True)
class Slept:
    """One wait."""

    places: Places
    requested: float
    began: float
    ended: float
    aside: bool


@dataclass(slots=True)
class Called:
    """One outbound call. Calls with one ``key`` were made in the same way."""

    site: Site
    key: tuple[Any, ...]
    aside: bool
    """In a task: a deadline can end its maker before that awaits it."""
    detached: bool


@dataclass(slots=True)
class Run:
    """What happened on one path."""

    elapsed: float = 0.0
    cut: bool = False
    tied: bool = False
    """A deadline and a wait ended at the same instant: either could have won."""
    choices: list[tuple[int, int]] = field(default_factory=list)
    """What was chosen, and out of how many."""
    loops: list[LoopRun] = field(default_factory=list)
    sleeps: list[Slept] = field(default_factory=list)
    calls: list[Called] = field(default_factory=list)
    functions: list[tuple[str, str, float, bool]] = field(default_factory=list)
    """File, name, seconds, and whether it ran detached."""
    problem: BaseException | None = None
    cancelled: bool | None = None
    """Of the call that was made to hang: whether a deadline cancelled it."""
    hung: Called | None = None
    """That call."""


class _Timers(selectors.BaseSelector):
    """No files, only timers: instead of waiting, the clock moves."""

    def __init__(self) -> None:
        self.loop: VirtualLoop

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return selectors.SelectorKey(fileobj, 0, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return selectors.SelectorKey(fileobj, 0, 0, None)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return {}

    def close(self) -> None:
        pass

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.loop.passing(timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer."""

    def __init__(self) -> None:
        timers = _Timers()
        self.now = 0.0
        self.until = HORIZON
        self.rounds = 0
        self.tied = False
        self.cut = False
        timers.loop = self
        super().__init__(timers)
        self._clock_resolution = 1e-9

    def time(self) -> float:
        return self.now

    def passing(self, timeout: float | None) -> None:
        self.rounds += 1
        if self.rounds > MOST_ROUNDS:
            self.cut = True
            self.stop()
        elif timeout is None:
            self.stop()  # nothing can happen any more
        elif timeout > 0:
            due: list[Any] = self._scheduled  # type: ignore[attr-defined]
            when = due[0]._when
            if when > self.until:
                self.cut = True
                self.now = self.until
                self.stop()
                return
            self.now = when
            if len(due) > 1:
                same = [t for t in due if not t._cancelled and abs(t._when - when) < 1e-6]
                if len(same) > 1 and any(_is_deadline(t) for t in same):
                    self.tied = True

    def deadlines(self) -> int:
        due: list[Any] = self._scheduled  # type: ignore[attr-defined]
        return sum(1 for t in due if not t._cancelled and _is_deadline(t))


def _is_deadline(timer: Any) -> bool:
    name = getattr(timer._callback, "__qualname__", "")
    return "_on_timeout" in name or "_release_waiter" in name


# Weaving


class _Weaver(ast.NodeTransformer):
    """Loops and functions tell when they begin and end; a task that nobody awaits is marked."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.names: list[str] = []

    def _inside(self, node: ast.stmt, call: str, *arguments: ast.expr) -> ast.With:
        context = ast.Call(ast.Name(call, ast.Load()), list(arguments), [])
        woven = ast.With([ast.withitem(context)], [node])
        return ast.fix_missing_locations(ast.copy_location(woven, node))

    def _loop(self, node: Any) -> ast.With:
        self.generic_visit(node)
        if node.orelse:  # no part of the loop
            leave = ast.Expr(ast.Call(ast.Name("_oracle_left", ast.Load()), [], []))
            node.orelse.insert(0, ast.fix_missing_locations(ast.copy_location(leave, node.orelse[0])))
        return self._inside(node, "_oracle_loop", ast.Constant(node.lineno), ast.Constant(".".join(self.names)))

    visit_For = visit_AsyncFor = visit_While = _loop

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.names.append(node.name)
        self.generic_visit(node)
        self.names.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.names.append(node.name)
        self.generic_visit(node)
        self.names.pop()
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        self.names.append(node.name)
        generator = any(isinstance(n, ast.Yield) for n in ast.walk(node))
        self.generic_visit(node)
        if not generator:
            context = ast.Call(ast.Name("_oracle_function", ast.Load()), [ast.Constant(".".join(self.names))], [])
            woven = ast.With([ast.withitem(context)], node.body)
            node.body = [ast.fix_missing_locations(ast.copy_location(woven, node.body[0]))]
        self.names.pop()
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id.startswith(DETACHED) and isinstance(node.value, ast.Call):
            node.value.func = ast.copy_location(ast.Name("_oracle_detached", ast.Load()), node.value.func)
        self.generic_visit(node)
        return node


def weave(path: str, source: str) -> types.CodeType:
    tree = _Weaver(path).visit(ast.parse(source))
    return compile(tree, path, "exec")


# Stubs


class _Through:
    """A decorator factory of a framework: gives the function back."""

    def __getattr__(self, name: str) -> Callable[..., Callable[[Any], Any]]:
        return lambda *args, **kwargs: lambda function: function


class _Gone:
    """Stands for a task that runs on: its maker can neither cancel it nor wait for it."""

    def cancel(self) -> None:
        pass

    def __await__(self) -> Iterator[None]:
        return iter(())


_NOBODY = "<nobody awaits it>"


@dataclass(slots=True)
class _Origin:
    """Where a task was made."""

    entries: list[tuple[Site, str, tuple[LoopRun, ...]]]
    detached: bool
    aside: bool
    in_task: bool = False


class World:
    """One event loop and the libraries that programs see."""

    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.loop.set_task_factory(self._make_task)  # type: ignore[arg-type]
        self.loop.set_exception_handler(lambda loop, context: None)
        self.origins: dict[asyncio.Task[Any], _Origin] = {}
        self.active: dict[int, list[LoopRun]] = {}
        self.run = Run()
        self.path: list[int] = []
        self.hang: int | None = None
        self.hang_detached = False
        self.ending = False
        self.detaching = False
        self.aside = ""
        self.transparent: frozenset[str] = frozenset()
        """Functions that only wait: their callers wait in their place."""
        self.modules = self._stubs()

    # Where something happens

    def _frames(self, frame: Any) -> list[tuple[Site, str, tuple[LoopRun, ...]]]:
        found = []
        while frame is not None:
            code = frame.f_code
            if code.co_filename.startswith("app/") and code.co_name != "<module>":
                site = (code.co_filename, frame.f_lineno)
                found.append((site, code.co_qualname, tuple(self.active.get(id(frame), ()))))
            frame = frame.f_back
        return found

    def _context(self, frame: Any) -> _Origin:
        """The frames of the current task, and of those that made it."""
        entries = self._frames(frame)
        try:
            task = asyncio.current_task(self.loop)
        except RuntimeError:
            task = None
        origin = self.origins.get(task) if task is not None else None
        if origin is None:
            return _Origin(entries, False, False)
        return _Origin(entries + origin.entries, origin.detached, origin.aside, origin.in_task)

    def _make_task(self, loop: Any, coro: Coroutine[Any, Any, Any], **kwargs: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=loop, **kwargs)
        origin = self._context(sys._getframe(1))
        if self.detaching:
            origin.detached = True
            origin.entries = [(site, name, ()) for site, name, _ in origin.entries]
            origin.entries.insert(0, (("", 0), _NOBODY, ()))
        origin.aside = origin.aside or bool(self.aside)
        origin.in_task = origin.in_task or self.aside == "task"
        self.origins[task] = origin
        return task

    # What programs call

    def choose(self, count: int) -> int:
        place = len(self.run.choices)
        if place >= MOST_CHOICES:
            self.loop.cut = True
            self.loop.stop()
            raise Cut
        number = self.path[place] if place < len(self.path) else 0
        self.run.choices.append((number, count))
        return number

    def check(self) -> None:
        if self.choose(2):
            raise TimeoutError

    def sleep(self, delay: float, result: Any = None) -> Coroutine[Any, Any, Any]:
        return self._sleep(asyncio.sleep(delay), delay, sys._getframe(1))

    async def _sleep(self, wait: Any, delay: float, written: Any) -> None:
        context = self._context(sys._getframe(1))
        entries = context.entries
        code = written.f_code
        itself = entries[0][1] == _NOBODY
        if code.co_name == "<lambda>":
            entries = [((code.co_filename, written.f_lineno), code.co_qualname, ()), *entries]
        seen: list[Site] = []
        every = entries
        popped = False
        while len(entries) > 1:
            if entries[1][1] == _NOBODY:  # a task that nobody awaits: nobody waits in its place
                if entries[0][1] in self.transparent:
                    seen += [entries[0][0], entries[2][0]]
                break
            given = entries[0][1].endswith("<lambda>") or (popped and entries[0][1].startswith("run"))
            if not given and entries[0][1] not in self.transparent:
                break
            if given or seen:
                seen.append(entries[0][0])
            entries, popped = entries[1:], True
        places = (*seen, entries[0][0]) if seen[:1] != [entries[0][0]] else tuple(seen)
        began = self.loop.now
        try:
            await wait
        finally:
            if not self.ending and not itself:  # a sleep that is a task of its own, and nobody awaits it, is no wait
                now = self.loop.now
                self.run.sleeps.append(Slept(places, max(delay, now - began), began, now, context.aside))
                if self.loop.now > began:
                    for depth, (_, _, loops) in enumerate(every if seen else entries):
                        for one in loops:
                            (one.either if seen or context.aside else one.below if depth else one.own).add(places)

    def _called(self, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
        frame = sys._getframe(1)
        return self._call((frame.f_code.co_filename, frame.f_lineno))

    async def _call(self, site: Site) -> Any:
        context = self._context(sys._getframe(1))
        key = (site, tuple(entry[0] for entry in context.entries), self.loop.deadlines(), context.detached)
        number = len(self.run.calls)
        self.run.calls.append(called := Called(site, key, context.in_task and not context.detached, context.detached))
        if number == self.hang:
            self.run.hung = called
            self.loop.until = self.loop.now + PATIENCE
            self.loop.rounds = MOST_ROUNDS - 600
            try:
                await self.loop.create_future()
            except asyncio.CancelledError:
                self.run.cancelled = not self.ending
                self.loop.stop()
                raise
        return types.SimpleNamespace(status_code=200)

    @contextlib.contextmanager
    def _loop(self, line: int, function: str) -> Iterator[None]:
        frame = sys._getframe(2)
        context = self._context(frame)
        place = (frame.f_code.co_filename, line)
        one = LoopRun(place, function, self.loop.now, None, context.detached, context.aside)
        self.run.loops.append(one)
        active = self.active.setdefault(id(frame), [])
        active.append(one)
        try:
            yield
        finally:
            if not self.ending and one.ended is None:
                one.ended = self.loop.now
            if one in active:
                active.remove(one)
            if not active:
                self.active.pop(id(frame), None)

    def _left(self) -> None:
        """The innermost loop of the calling frame is at its ``else``."""
        one = self.active[id(sys._getframe(1))].pop()
        one.ended = self.loop.now

    @contextlib.contextmanager
    def _function(self, name: str) -> Iterator[None]:
        began = self.loop.now
        frame = sys._getframe(2)
        context = self._context(frame)
        try:
            yield
        finally:
            if not self.ending:
                path = frame.f_code.co_filename
                self.run.functions.append((path, name, self.loop.now - began, context.detached))

    def _detached(self, coro: Any, **kwargs: Any) -> Any:
        self.detaching = True
        try:
            task = self.loop.create_task(coro)
        finally:
            self.detaching = False
        # ``cancel()`` is no deadline: it is not what ends the call that hangs.
        return _Gone() if self.hang is not None and self.hang_detached else task

    def _beside(self, how: str, make: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def made(inner: Any) -> Any:
            self.aside = how
            try:
                return make(inner)
            finally:
                self.aside = ""

        return made

    def _stubs(self) -> dict[str, types.ModuleType]:
        def module(name: str, **members: Any) -> types.ModuleType:
            made = types.ModuleType(name)
            made.__dict__.update(members)
            return made

        real = {name: getattr(asyncio, name) for name in dir(asyncio) if not name.startswith("_")}
        verbs = {verb: staticmethod(self._called) for verb in ("get", "post", "put")}

        def wait(event: asyncio.Event) -> Coroutine[Any, Any, Any]:
            if self.choose(2):
                event.set()
            return self._sleep(asyncio.Event.wait(event), 0, sys._getframe(1))

        event = type("Event", (asyncio.Event,), {"wait": wait})
        client = type("AsyncClient", (), {"__init__": lambda s, **kw: None, **verbs})
        return {
            "asyncio": module(
                "asyncio",
                **{
                    **real,
                    "sleep": self.sleep,
                    "shield": self._beside("shield", asyncio.shield),
                    "create_task": self._beside("task", asyncio.create_task),
                    "Event": event,
                },
            ),
            "time": module("time", monotonic=self.loop.time, time=self.loop.time),
            "random": module("random", uniform=lambda a, b: b if self.choose(2) else a),
            "httpx": module("httpx", AsyncClient=client),
            "fastapi": module("fastapi", APIRouter=lambda **kw: _Through()),
            "pydantic_settings": module("pydantic_settings", BaseSettings=object),
            "oracle_env": module(
                "oracle_env", oracle=types.SimpleNamespace(choose=self.choose, check=self.check, note=lambda: None)
            ),
            "contextlib": contextlib,
            "dataclasses": dataclasses,
            "datetime": datetime,
            "enum": enum,
            "functools": functools,
        }

    # Running

    def _import(self, made: dict[str, types.ModuleType]) -> Callable[..., Any]:
        def load(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
            if name in made:
                return made[name]
            if name == "app":
                return types.SimpleNamespace(**{n.partition(".")[2]: m for n, m in made.items()})
            return self.modules[name] if name in self.modules else importlib.import_module(name)

        return load

    def load(self, codes: Mapping[str, types.CodeType]) -> dict[str, types.ModuleType]:
        """The modules of a program, in order of their imports. They keep no state from run to run."""
        made: dict[str, types.ModuleType] = {}
        builtins = {**__builtins__, "__import__": self._import(made)}  # type: ignore[dict-item]
        woven = {
            "_oracle_loop": self._loop,
            "_oracle_left": self._left,
            "_oracle_function": self._function,
            "_oracle_detached": self._detached,
        }
        for name, code in codes.items():
            made[name] = types.ModuleType(name)
            space = made[name].__dict__
            space.update(woven, __builtins__=builtins, __name__=__name__)
            exec(code, space)
        return made

    def execute(
        self,
        made: Mapping[str, types.ModuleType],
        root: tuple[str, str],
        path: list[int],
        hang: int | None = None,
        detached: bool = False,
    ) -> Run:
        """Run ``root`` (a module and a function) with these choices; 0 where they end.

        ``hang`` is the number of a call that never answers; ``detached``: it is in a task that nobody awaits.
        """
        loop = self.loop
        run = self.run = Run()
        self.path, self.hang, self.hang_detached, self.ending = path, hang, detached, False
        self.origins.clear()
        self.active.clear()
        loop.now, loop.until, loop.rounds, loop.tied, loop.cut = 0.0, HORIZON, 0, False, False
        task = loop.create_task(getattr(made[root[0]], root[1])())
        ended: list[float] = []

        def done(_: Any) -> None:
            if loop.cut:
                return
            ended.append(loop.now)
            run.tied = loop.tied
            loop.until = min(loop.until, loop.now + 60) if hang is None else loop.until
            if hang is None and all(t.done() for t in self.origins):
                loop.stop()

        task.add_done_callback(done)
        loop.run_forever()
        run.elapsed = ended[0] if ended else loop.now
        run.cut = not ended
        run.tied = run.tied or (loop.tied and not ended)
        if hang is not None and run.cancelled is None:
            run.cancelled = False
        self.ending = True
        if run.cut:
            for one in run.loops:
                one.ended = loop.now if one.ended is None else one.ended
        for _ in range(4):
            left = [t for t in self.origins if not t.done()]
            if not left:
                break
            for each in left:
                each.cancel()
            for _ in range(3):
                loop.call_soon(loop.stop)
                loop.run_forever()
        loop._scheduled.clear()  # type: ignore[attr-defined]
        loop._ready.clear()  # type: ignore[attr-defined]
        loop._timer_cancelled_count = 0  # type: ignore[attr-defined]
        if task.done() and not task.cancelled():
            run.problem = task.exception()
        for each in self.origins:
            if each.done() and not each.cancelled():
                each.exception()
        return run


def paths(
    world: World, made: Mapping[str, types.ModuleType], root: tuple[str, str], most: int
) -> tuple[list[Run], bool]:
    """Runs on every choice, in order; at most ``most``. And whether these are all."""
    runs: list[Run] = []
    path: list[int] = []
    while True:
        run = world.execute(made, root, path)
        runs.append(run)
        chosen = list(run.choices)
        while chosen and chosen[-1][0] + 1 >= chosen[-1][1]:
            chosen.pop()
        if not chosen:
            return runs, not any(r.cut for r in runs)
        if len(runs) >= most:
            return runs, False
        path = [number for number, _ in chosen]
        path[-1] += 1

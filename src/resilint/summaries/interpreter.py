"""Follows the steps of a function on all its paths and says what its caller has to reckon with.

A function is run abstractly, once per *context*: the arguments that can change a wait, a loop's bound, a deadline or
a branch before a wait. A
loop whose bound is known is followed iteration by iteration; the others are widened. What comes out is a
:class:`Summary`; calls
instantiate it. Time passes only in waits, as if calls took none.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import msgspec

from resilint.catalogue import Condition
from resilint.catalogue.schema import Deadline
from resilint.domain import ANY, UNBOUNDED, ZERO, Confidence, Hop, Interval, Span
from resilint.facts import (
    Arithmetic,
    Attribute,
    Await,
    Bind,
    Boolean,
    Branch,
    Break,
    Case,
    Compare,
    Constant,
    Continue,
    Define,
    Invoke,
    Load,
    Loop,
    Match,
    Not,
    Raise,
    Reference,
    Result,
    Return,
    Scope,
    Sequence,
    Site,
    Spread,
    Step,
    Subscript,
    Try,
    Value,
    With,
    Yield,
)
from resilint.facts import (
    Unknown as UnknownValue,
)
from resilint.facts.walk import inside
from resilint.link.calls import Meaning, is_receiver_like_client
from resilint.link.entities import (
    Bound,
    Cls,
    Coro,
    Entity,
    Ext,
    Func,
    Generator,
    Inst,
    ManagedContext,
    Partial,
    SiteKey,
    Task,
    ordered,
)
from resilint.link.entities import Member as ExtMember
from resilint.link.infer import written_argument, written_arguments
from resilint.link.linked import Linked
from resilint.summaries import retry
from resilint.summaries.evaluate import Evaluator
from resilint.summaries.memo import Memo
from resilint.summaries.model import EMPTY, MAX_HOPS, Exposure, Place, Summary, Wait
from resilint.summaries.relevance import Relevance, references
from resilint.summaries.state import Flow, State, later, merge, passed, worst
from resilint.summaries.values import (
    UNKNOWN,
    Abstract,
    Bundle,
    Closure,
    Count,
    Delta,
    Either,
    Elapsed,
    Foreign,
    Items,
    Late,
    Limit,
    Moment,
    Never,
    Pending,
    Repeated,
    Retried,
    Started,
    Table,
    Things,
    Unknown,
    either,
    number,
    options,
    shallow,
)

MAX_CONTEXTS = 32
MAX_ITERATIONS = 240
MAX_DEPTH = 60
DEEPEST = 12
"""Calls of one function within one another that are followed one by one, where a number changes between them."""
LIGHT = 16
"""Call sites up to which a function is followed for the value that it returns."""
FUEL = 60_000
"""Steps that one outermost call may take; then loops are widened at once."""

_READING = ("total_seconds", "get", "values", "items", "keys", "timestamp", "pop")
"""Methods of values that are computed."""


class Interpreter:
    """Summaries of all functions that matter, by context."""

    def __init__(self, linked: Linked) -> None:
        self.linked = linked
        self.program = linked.program
        self.inference = linked.inference
        self.catalogue = linked.program.catalogue
        self.settings = linked.program.settings
        self.relevance = Relevance(linked)
        self.evaluator = Evaluator(self)
        self.memo = Memo()
        self._contexts: dict[Func, int] = {}
        self._values: dict[Func, int] = {}
        self._decorated: dict[Func, Abstract] = {}
        self._activations: list[Activation] = []
        self._only_waits: dict[Func, bool] = {}
        self.fuel = FUEL

    # Functions as values

    def closure(self, func: Func, state: State | None) -> Abstract:
        """The function as a value; a nested one takes along what its free names hold."""
        scope = self.program.scope(func)
        if state is None or scope.parent <= 0:
            return Closure(func)
        names = self.relevance.free_names(func.module, func.scope)
        free = tuple((n, v) for n in sorted(names) if not isinstance(v := shallow(state.env.get(n, UNKNOWN)), Unknown))
        return Closure(func, free)

    def decorated(self, func: Func) -> Abstract:
        """What the function's name holds: its decorators applied."""
        known = self._decorated.get(func)
        if known is None:
            self._decorated[func] = Closure(func._replace(raw=True))
            known = self._decorated[func] = self._apply_decorators(func, Closure(func._replace(raw=True)), None)
        return known

    def _apply_decorators(self, func: Func, current: Abstract, state: State | None) -> Abstract:
        scope = self.program.scope(func)
        for position in range(len(scope.decorators) - 1, -1, -1):
            value = scope.decorators[position].value
            current = self._decorate(func, position, value, current, state)
        return current

    def _decorate(self, func: Func, position: int, value: Value, current: Abstract, state: State | None) -> Abstract:
        scope = self.program.scope(func)
        parent = scope.parent
        if isinstance(value, Result):
            key = SiteKey(func.module, parent, value.site)
            for meaning in self.linked.calls.meanings(key):
                if meaning.callable.retry is not None and not meaning.callable.retry.iterator:
                    return Retried(current, key, func, position)
        else:
            for entity in self.inference.of(func.module, parent, value):
                meaning_ = self.linked.calls.meaning(entity)
                if meaning_ is not None and meaning_.callable.retry is not None:
                    return Retried(current, SiteKey(func.module, parent, -1), func, position)
        if self.inference.replacements(func) or self._is_project(func.module, parent, value):
            decorator = self.evaluator.value(func.module, parent, value, state)
            made = self.call_by_itself(decorator, (current,))
            callables = [
                o for o in options(made) if isinstance(o, (Closure, Bundle, Retried)) or self._callable_things(o)
            ]
            if callables:
                return either(callables)
        return current

    def _callable_things(self, value: Abstract) -> bool:
        return isinstance(value, Things) and any(
            isinstance(e, (Func, Bound, Partial))
            or (isinstance(e, Inst) and isinstance(e.of, Cls) and self.inference.attribute(e, "__call__"))
            for e in value.entities
        )

    def _is_project(self, module: int, scope: int, value: Value) -> bool:
        return any(isinstance(e, (Func, Bound, Cls)) for e in self.inference.of(module, scope, value))

    # Summaries

    def summary(
        self, target: Closure, positional: tuple[Abstract, ...], keywords: tuple[tuple[str, Abstract], ...]
    ) -> Summary:
        """Of one function with these arguments. Functions that cannot wait or call outside have an empty one."""
        bound = target.target
        func = bound.func if isinstance(bound, Bound) else bound
        assert isinstance(func, Func)
        func = func.plain
        env = self._bind_arguments(func, target, positional, keywords)
        return self._in_context(func, env, target.free)

    def joined(self, func: Func) -> Summary:
        """With its parameters as the join over all calls; defaults where there is none. Decorators applied."""
        scope = self.program.scope(func)
        return self._whole(func, {p.name: self.evaluator.parameter(func, i) for i, p in enumerate(scope.parameters)})

    def default_summary(self, func: Func) -> Summary:
        """As :meth:`joined`, without the decorators."""
        scope = self.program.scope(func)
        return self._in_context(
            func, {p.name: self.evaluator.parameter(func, i) for i, p in enumerate(scope.parameters)}, ()
        )

    def entry(self, func: Func) -> Summary:
        """As somebody outside the project calls it: its defaults, and nothing known of the rest. Decorators applied."""
        scope = self.program.scope(func)
        env: dict[str, Abstract] = {}
        for position, parameter in enumerate(scope.parameters):
            default = self.evaluator.default(func, position)
            things = self.inference.solver.get(("parameter", func.module, func.scope, position))
            if (
                default is None
                or isinstance(default, Unknown)
                or (isinstance(default, Things) and not default.entities)
            ):
                env[parameter.name] = Things(things) if things else UNKNOWN
                continue
            value = either(list(options(default)))
            if value is None and things and not _only_plain(things):
                value = either([value, Things(things)])  # ``client: Client | None = None``
            env[parameter.name] = value
        return self._whole(func, env)

    def _whole(self, func: Func, env: dict[str, Abstract]) -> Summary:
        """The function as its name is bound, called with these arguments."""
        scope = self.program.scope(func)
        if not scope.decorators:
            return self._in_context(func, env, ())
        value = self.decorated(func)
        if isinstance(value, Closure) and value.target == func._replace(raw=True):
            return self._in_context(func, env, ())
        owner = self.program.owner(func)
        keywords: list[tuple[str, Abstract]] = []
        target = value
        run = Activation(self, func, {})
        run.is_name = True
        for position, parameter in enumerate(scope.parameters):
            if position == 0 and owner is not None and "static" not in self.inference.flags(func):
                target = run._rebound(value, Bound(func, Inst(owner)))
            elif parameter.kind in ("positional", "normal", "keyword"):
                keywords.append((parameter.name, env.get(parameter.name, UNKNOWN)))
        state = State({})
        key = SiteKey(func.module, scope.parent, -1)
        self._activations.append(run)
        try:
            result = run.call(target, (), tuple(keywords), key, state, scope.span)
            endless = isinstance(result, Never)
            if any(isinstance(o, (Pending, Foreign, Started)) for o in options(result)):
                result = run.run_awaitable(result, state, scope.span, None)
                endless = isinstance(result, Never)
        finally:
            self._activations.pop()
        waits = tuple(sorted(run.waits.values(), key=_wait_order))
        exposures = tuple(sorted(run.exposures.values(), key=_exposure_order))
        return Summary(state.wait, waits, exposures, UNKNOWN, UNKNOWN, endless)

    def _bind_arguments(
        self, func: Func, target: Closure, positional: tuple[Abstract, ...], keywords: tuple[tuple[str, Abstract], ...]
    ) -> dict[str, Abstract]:
        scope = self.program.scope(func)
        given = list(positional)
        if isinstance(target.target, Bound):
            owner = target.target.owner
            given.insert(0, Things(frozenset({owner})))
        named = dict(keywords)
        env: dict[str, Abstract] = {}
        taken = 0
        star = named.pop("*", None)
        double = named.pop("**", None)
        for position, parameter in enumerate(scope.parameters):
            if parameter.kind in ("positional", "normal"):
                if taken < len(given):
                    env[parameter.name] = given[taken]
                    taken += 1
                    continue
            elif parameter.kind == "variadic":
                rest = given[taken:]
                taken = len(given)
                env[parameter.name] = (
                    Items(tuple(rest))
                    if star is None
                    else Repeated(either(self._flat([*rest, self.evaluator.element(star)])))
                )
                continue
            elif parameter.kind == "keywords":
                env[parameter.name] = Table(tuple((k, named[k]) for k in sorted(named)), double is None)
                continue
            if parameter.name in named and parameter.kind != "positional":
                env[parameter.name] = named.pop(parameter.name)
                continue
            if double is not None and isinstance(double, Table):
                found = next((v for k, v in double.items if k == parameter.name), None)
                if found is not None or any(k == parameter.name for k, _ in double.items):
                    env[parameter.name] = found
                    continue
            default = self.evaluator.default(func, position)
            if (
                (star is not None and parameter.kind != "keyword")
                or (double is not None and not (isinstance(double, Table) and double.complete))
                or default is None
            ):
                things = self.inference.solver.get(("parameter", func.module, func.scope, position))
                env[parameter.name] = Things(things) if things else UNKNOWN
            else:
                env[parameter.name] = either(list(options(default)))
        return {name: shallow(value) for name, value in env.items()}

    @staticmethod
    def _flat(values: list[Abstract]) -> list[Abstract]:
        return [o for v in values for o in options(v)]

    def _in_context(self, func: Func, env: dict[str, Abstract], free: tuple[tuple[str, Abstract], ...]) -> Summary:
        if func not in self.relevance.matters and not self._callable_arguments(env) and not free:
            return EMPTY
        relevant = self.relevance.relevant(func)
        scope = self.program.scope(func)
        fixed: dict[str, Abstract] = {}
        key: list[Any] = []
        first = scope.parameters[0].name if scope.parameters else ""
        is_method = self.program.owner(func) is not None
        for position, parameter in enumerate(scope.parameters):
            value = env.get(parameter.name, UNKNOWN)
            if parameter.name == first and is_method and isinstance(value, Things):
                fixed[parameter.name] = value
                key.append(self._receiver_key(value))
                continue
            if parameter.name not in relevant or isinstance(value, (Things, Unknown)):
                things = self.inference.solver.get(("parameter", func.module, func.scope, position))
                if isinstance(value, Things) and parameter.name in relevant and len(value.entities) < len(things):
                    fixed[parameter.name] = value
                    key.append((parameter.name, value.entities))
                else:
                    fixed[parameter.name] = Things(things) if things else UNKNOWN
                continue
            fixed[parameter.name] = value
            key.append((parameter.name, value))
        for name, value in free:
            fixed.setdefault(name, value)
            key.append(("free", name, value))
        context = tuple(key)
        call = (func, context)
        known = self.memo.get(call)
        if known is not None:
            return known
        if self.memo.is_followed(call):
            return Summary(recursive=True)
        same = self.memo.followed(func)
        if same and (same > DEEPEST or self.fuel <= 0 or (same > 2 and not self.memo.counts(call))):
            self.memo.collapse(call)
            return Summary(recursive=True)
        if self.memo.depth >= MAX_DEPTH:
            return EMPTY
        count = self._contexts.get(func, 0)
        if count >= MAX_CONTEXTS or self.fuel <= 0:
            base = {p.name: self.evaluator.parameter(func, i) for i, p in enumerate(scope.parameters)}
            if base != fixed:
                return self._in_joined(func, base)
        self._contexts[func] = count + 1
        return self.memo.follow(
            call, lambda: Activation(self, func, fixed).run(), lambda result: self._recurse(func, result)
        )

    def _in_joined(self, func: Func, env: dict[str, Abstract]) -> Summary:
        key = (func, ("joined",))
        known = self.memo.get(key)
        if known is None:
            if self.memo.is_followed(key):
                return EMPTY
            known = self.memo.follow(key, lambda: Activation(self, func, env).run())
        return known

    def _receiver_key(self, value: Things) -> frozenset[Entity]:
        """Receivers matter only where subclasses override something."""
        return frozenset(e for e in value.entities if isinstance(e, Inst) and isinstance(e.of, Cls))

    def _callable_arguments(self, env: dict[str, Abstract]) -> bool:
        return any(
            isinstance(o, (Closure, Bundle, Pending, Foreign, Started, Retried))
            for v in env.values()
            for o in options(v)
        )

    def _recurse(self, func: Func, result: Summary) -> Summary:
        """Direct recursion with a wait is a loop without a bound."""
        if result.total.reach is not None and result.total.reach <= 0 and result.total.hi == 0:
            return result
        if self._counts_itself_down(func):
            unknown = Interval(result.total.lo, None)
            waits = tuple(
                w._replace(looped=True, loop_total=unknown, total=unknown, times=Interval(1.0, None))
                for w in result.waits
            )
            return replace(result, total=unknown, waits=waits, recursive=True)
        waits = tuple(
            w._replace(looped=True, loop_total=UNBOUNDED, total=UNBOUNDED, times=Interval(None, math.inf))
            for w in result.waits
        )
        return Summary(
            UNBOUNDED,
            waits,
            result.exposures,
            result.returned,
            result.yielded,
            result.endless,
            ("without a bound",),
            result.before_yield,
            True,
        )

    def _counts_itself_down(self, func: Func) -> bool:
        """A parameter that a branch looks at is passed on raised or lowered: the recursion ends, nobody says when."""
        scope = self.program.scope(func)
        tested = {n for s in inside(scope.body) if isinstance(s, Branch) for n in references(s.test)}
        names = {p.name for p in scope.parameters}
        for position, site in enumerate(scope.sites):
            key = SiteKey(func.module, func.scope, position)
            callees = self.inference.solver.get(("callees", *key))
            if any(f == func for e in callees for f, _, _ in self.inference.targets(e)):
                for argument in site.arguments:
                    if isinstance(argument.value, Arithmetic) and set(references(argument.value)) & names & tested:
                        return True
        return False

    # Calls by themselves

    def returned(self, pending: Pending) -> Abstract:
        """What awaiting a pending coroutine gives."""
        if isinstance(pending.target, Closure):
            return self.summary_value(pending.target, pending.positional, pending.keywords)
        return UNKNOWN

    def summary_value(
        self, target: Closure, positional: tuple[Abstract, ...], keywords: tuple[tuple[str, Abstract], ...]
    ) -> Abstract:
        """What the function returns with these arguments (run for its value alone)."""
        bound = target.target
        func = (bound.func if isinstance(bound, Bound) else bound).plain  # type: ignore[union-attr]
        assert isinstance(func, Func)
        if self.memo.depth > 24 or self.program.scope(func).is_generator:
            return UNKNOWN
        env = self._bind_arguments(func, target, positional, keywords)
        relevant = self.relevance.slice(func, True).parameters
        key = (func, ("value", tuple((k, v) for k, v in env.items() if k in relevant), target.free))
        known = self.memo.get(key)
        if known is not None:
            return known.returned
        if self.memo.is_followed(key):
            return UNKNOWN
        count = self._values.get(func, 0)
        if count >= MAX_CONTEXTS or self.fuel <= 0:
            return UNKNOWN
        self._values[func] = count + 1
        env.update((n, v) for n, v in target.free if n not in env)
        return self.memo.follow(key, lambda: Activation(self, func, env, for_value=True).run()).returned

    def call_by_itself(self, target: Abstract, positional: tuple[Abstract, ...] = ()) -> Abstract:
        """The result of a call outside any path (a decorator, a default factory)."""
        found: list[Abstract] = []
        for one in options(target):
            closure = self._as_closure(one)
            if closure is None and isinstance(one, Things):
                for entity in ordered(one.entities):
                    if isinstance(entity, (Func, Bound)):
                        inner = Closure(entity)
                        found.extend(options(self._value_of_call(inner, positional, ())))
                    elif isinstance(entity, Cls):
                        found.append(Things(frozenset({Inst(entity, True)})))
                    elif isinstance(entity, Inst) and isinstance(entity.of, Cls):
                        for method in ordered(self.inference.attribute(entity, "__call__")):
                            if isinstance(method, Bound):
                                found.extend(options(self._value_of_call(Closure(method), positional, ())))
            elif closure is not None:
                found.extend(options(self._value_of_call(closure, positional, ())))
        return either(found) if found else UNKNOWN

    def _value_of_call(
        self, closure: Closure, positional: tuple[Abstract, ...], keywords: tuple[tuple[str, Abstract], ...]
    ) -> Abstract:
        bound = closure.target
        func = (bound.func if isinstance(bound, Bound) else bound).plain  # type: ignore[union-attr]
        scope = self.program.scope(func)
        if scope.is_async or scope.is_generator:
            return Pending(
                closure,
                positional,
                keywords,
                SiteKey(func.module, 0, 0),
                "coroutine" if scope.is_async and not scope.is_generator else "generator",
            )
        return self.summary_value(closure, positional, keywords)

    @staticmethod
    def _as_closure(value: Abstract) -> Closure | None:
        return value if isinstance(value, Closure) else None

    def static_call(self, key: SiteKey) -> Abstract:
        """A call outside any path: constants made by functions, settings, strategies."""
        site = self.program.site(key)
        special = self._method_of_value(key, site, None)
        if special is not None:
            return special
        for meaning in self.linked.calls.meanings(key):
            computed = self.evaluator.computed(meaning.callable, key, None)
            if computed is not None:
                return computed
            if meaning.callable.deadline is not None and meaning.callable.deadline.scope:
                return self._limit(meaning, key, None)
            if (
                not site.awaited
                and (meaning.callable.wait is not None or meaning.callable.awaits is not None)
                and meaning.callable.is_async
            ):
                return Foreign(
                    meaning, key, tuple(_site_arguments(self, key, site).items())
                )  # a coroutine that is handed on
        callees = self.inference.solver.get(("callees", *key))
        found: list[Abstract] = []
        for entity in ordered(callees):
            if isinstance(entity, (Func, Bound)):
                positional, keywords = self._static_arguments(key, site)
                found.extend(options(self._value_of_call(Closure(entity), positional, keywords)))
            elif isinstance(entity, Cls):
                found.append(Things(frozenset({Inst(entity, True)})))
        return either(found) if found else UNKNOWN

    def _static_arguments(
        self, key: SiteKey, site: Site
    ) -> tuple[tuple[Abstract, ...], tuple[tuple[str, Abstract], ...]]:
        positional = tuple(
            self.evaluator.value(key.module, key.scope, a.value, None) for a in site.arguments if a.name == ""
        )
        keywords = tuple(
            (a.name, self.evaluator.value(key.module, key.scope, a.value, None)) for a in site.arguments if a.name != ""
        )
        return positional, keywords

    def _method_of_value(self, key: SiteKey, site: Site, state: State | None) -> Abstract | None:
        """Methods of values that are computed: ``total_seconds``, ``get`` of a dict, texts."""
        callee = site.callee
        if not isinstance(callee, Attribute):
            return None
        name = callee.name
        if name not in _READING:
            return None
        base = self.evaluator.value(key.module, key.scope, callee.value, state)
        if name == "total_seconds":
            found = [o.seconds if isinstance(o, Delta) else o for o in options(base) if isinstance(o, (Delta, Elapsed))]
            rest = [UNKNOWN for o in options(base) if not isinstance(o, (Delta, Elapsed)) and o is not None]
            return either([*found, *rest]) if found else None
        if name == "timestamp" and isinstance(base, Moment):
            return base
        default = self.evaluator.argument(key, "default@1", state)
        if isinstance(base, Table):
            if name in ("get", "pop"):
                item = self.evaluator.argument(key, "@0", state)
                return self.evaluator.look_up(
                    base, UNKNOWN if item is None else item, (None,) if default is None else (default,)
                )
            if name == "values":
                return (
                    Items(tuple(v for _, v in base.items))
                    if base.complete
                    else Repeated(either(self._flat([v for _, v in base.items]) or [UNKNOWN]))
                )
            if name == "keys":
                return Items(tuple(k for k, _ in base.items)) if base.complete else Repeated(UNKNOWN)
            if name == "items" and base.complete:
                return Items(tuple(Items((k, v)) for k, v in base.items))
            return None
        if name == "get" and default is not None and number(default).reach is not None:
            callees = self.inference.solver.get(("callees", *key))
            if not any(isinstance(e, (Func, Bound)) for e in callees):
                return either([*options(default), UNKNOWN])  # ``config.get("interval", 8)``: 8 is one of its values
        return None

    def property_value(self, getters: list[Func], owner: Things) -> Abstract:
        found: list[Abstract] = []
        for func in getters:
            receiver = next(iter(owner.entities))
            found.extend(options(self.summary_value(Closure(Bound(func._replace(raw=True), receiver)), (), ())))
        return either(found) if found else UNKNOWN

    def settle(self, value: Abstract) -> Abstract:
        """A late call's result, computed now."""
        if isinstance(value, Late):
            if isinstance(value.target, Closure) and self._is_light(value.target):
                return self.summary_value(value.target, value.positional, value.keywords)
            return UNKNOWN
        if isinstance(value, Either) and any(isinstance(o, Late) for o in value.options):
            return either(self._flat([self.settle(o) for o in value.options]))
        return value

    def _is_light(self, target: Closure) -> bool:
        """Worth following for its value alone: long functions do not compute durations."""
        bound = target.target
        func = bound.func if isinstance(bound, Bound) else bound
        return isinstance(func, Func) and len(self.program.scope(func).sites) <= LIGHT

    def _limit(self, meaning: Meaning, key: SiteKey, state: State | None) -> Limit:
        deadline = meaning.callable.deadline
        assert deadline is not None
        seconds: Abstract | None = None
        if deadline.seconds is not None:
            seconds = self.evaluator.argument(key, deadline.seconds, state)
        if seconds is None:
            return Limit(None if deadline.absent == "none" else UNKNOWN, deadline.swallows, key)
        value = either(list(options(seconds)))
        if deadline.absolute and value is not None:
            if isinstance(value, Moment) and state is not None:
                at, offset = value.at, value.offset
                if at.exact is not None and state.clock.exact is not None:
                    value = Interval.exactly(at.exact - state.clock.exact) + offset
                else:
                    value = offset
            else:
                value = UNKNOWN
        return Limit(value, deadline.swallows, key)

    def limits_at_yield(self, pending: Pending) -> tuple[Limit, ...]:
        """The deadlines around the ``yield`` of a context manager of the project."""
        if not isinstance(pending.target, Closure):
            return ()
        target = pending.target._replace(target=_raw(pending.target.target))
        return self.summary(target, pending.positional, pending.keywords).limits

    def only_waits(self, func: Func) -> bool:
        """The body is nothing but one wait (and a docstring): its callers wait in its place."""
        known = self._only_waits.get(func)
        if known is None:
            self._only_waits[func] = False
            known = self._only_waits[func] = self._does_nothing_else(func)
        return known

    def _does_nothing_else(self, func: Func) -> bool:
        scope = self.program.scope(func)
        if scope.kind == "lambda" or any(isinstance(s, (Loop, Try, With, Branch, Match, Yield)) for s in scope.body):
            return False
        if not all(isinstance(a.value, Result) for a in self.program.index(func).awaits):
            return False
        if scope.decorators and self.decorated(func) != Closure(func._replace(raw=True)):
            return False
        found = 0
        for position in range(len(scope.sites)):
            key = SiteKey(func.module, func.scope, position)
            meanings = self.linked.calls.meanings(key)
            if any(m.callable.wait is not None for m in meanings):
                found += 1
                continue
            callees = [f for e in self.inference.solver.get(("callees", *key)) for f, _, _ in self.inference.targets(e)]
            if len(callees) == 1 and self.only_waits(callees[0]):
                found += 1
            elif not self._only_computes(key, meanings, callees):
                return False
        return found == 1

    def _only_computes(self, key: SiteKey, meanings: tuple[Meaning, ...], callees: list[Func]) -> bool:
        """The call gives a value (``min``, ``total_seconds``, a function of the project that waits nowhere) and does
        nothing else."""
        if self.program.site(key).awaited or any(f in self.relevance.matters for f in callees):
            return False
        if meanings:
            return all(
                m.callable.number or m.callable.iterator or m.callable.clock or m.callable.environment for m in meanings
            )
        callee = self.program.site(key).callee
        return bool(callees) or (isinstance(callee, Attribute) and callee.name in _READING)

    def is_worker_deadline(self, func: Func) -> bool:
        """The configuration says that it runs jobs under a deadline."""
        patterns = self.settings.worker_deadlines
        return bool(patterns) and any(fnmatch.fnmatchcase(self.program.qualname(func), p) for p in patterns)

    def own_deadline(self, foreign: Foreign) -> bool:
        """The call's own total timeout, or its client's, covers it."""
        if self.settings.client_deadlines == "reject":
            return False
        said = foreign.meaning.callable
        if said.deadline is not None and said.deadline.covers is None and not said.deadline.scope:
            verdict = self._counts(said.deadline, dict(foreign.arguments))
            if verdict is not None:
                return verdict
            if said.deadline.absent == "finite":
                return True
        receiver = foreign.meaning.receiver
        made = getattr(receiver, "made", None)
        path = (
            receiver.of
            if isinstance(receiver, ExtMember)
            else receiver.of.path
            if isinstance(receiver, Inst) and isinstance(receiver.of, Ext)
            else ""
        )
        if made is None or not path:
            return False
        for trait in self.catalogue.traits(path):
            site = self.program.site(made)
            arguments = _site_arguments(self, made, site)
            if trait.in_memory and any(self._holds_at(c, made) for c in trait.in_memory):
                return True
            if trait.total_timeout is not None:
                verdict = self._counts(trait.total_timeout, arguments)
                if verdict:
                    return True
        return False

    def _holds_at(self, condition: Condition, key: SiteKey) -> bool:
        value = written_argument(self.program.site(key), condition.argument)
        if value is None:
            return False
        if condition.type is not None:
            wanted = self.catalogue.canonical(condition.type)
            return any(
                isinstance(e, Inst) and isinstance(e.of, Ext) and self.catalogue.derives(e.of.path, wanted)
                for e in self.inference.of(key.module, key.scope, value)
            )
        return condition.none is not True

    def _counts(self, deadline: Deadline, arguments: dict[str, Abstract]) -> bool | None:
        """Whether a written timeout is a total one; None where nothing is written."""
        if deadline.seconds is None:
            return True
        if not _given(arguments, deadline.seconds):
            return None
        value = _argument(arguments, deadline.seconds)
        forms = deadline.counts
        verdicts = []
        for one in options(value):
            if one is None:
                verdicts.append(False)
            elif isinstance(one, Things) and forms:
                verdicts.append(self._form_counts(one, forms))
            elif isinstance(one, (Interval, Delta, Unknown, Things)):
                verdicts.append(not forms or "number" in forms)
            else:
                verdicts.append(not forms)
        return all(verdicts)

    def _form_counts(self, value: Things, forms: tuple[str, ...]) -> bool:
        for entity in value.entities:
            if isinstance(entity, Inst) and isinstance(entity.of, Ext):
                for form in forms:
                    path, _, spec = form.partition(":")
                    if self.catalogue.canonical(path) != entity.of.path:
                        continue
                    if entity.made is None or not spec:
                        return True
                    written = self.evaluator.argument(entity.made, spec, None)
                    return written is not None and either(list(options(written))) is not None
        return "number" in forms and all(e.tag == "plain" for e in value.entities)

    # What the evaluator notices while a loop is followed

    def note_limit(self, limit: Interval, sign: str) -> None:
        if self._activations:
            self._activations[-1].clock_limits.append(limit)

    def here(self) -> tuple[int, int]:
        """The scope that is being followed."""
        if not self._activations:
            return (-1, -1)
        return self._activations[-1].module, self._activations[-1].number

    def note_comparison(self, left: Interval, right: Interval) -> None:
        if self._activations:
            self._activations[-1].comparisons.append((left, right))


def _wait_order(wait: Wait) -> tuple[int, int, Span, str]:
    return (wait.place.func.module, wait.place.func.scope, wait.place.span, wait.what)


def _exposure_order(exposure: Exposure) -> tuple[int, int, Span, bool]:
    return (exposure.place.func.module, exposure.place.func.scope, exposure.place.span, exposure.shielded)


def _only_plain(things: frozenset[Entity]) -> bool:
    return all(e.tag in ("plain", "None") for e in things)


def _assigned_counters(steps: tuple[Step, ...]) -> dict[str, int]:
    """Names raised (1) or lowered (-1) by themselves: ``n += 1``, ``tries = tries - 1``."""
    found: dict[str, int] = {}
    from resilint.facts import Arithmetic, Number

    def walk(steps: tuple[Step, ...]) -> None:
        for step in steps:
            if isinstance(step, Bind) and isinstance(step.target, Reference) and isinstance(step.value, Arithmetic):
                value = step.value
                if (
                    value.operator in ("+", "-")
                    and isinstance(value.left, Reference)
                    and value.left.name == step.target.name
                ):
                    if isinstance(value.right, Number) and value.right.value > 0:
                        found[step.target.name] = 1 if value.operator == "+" else -1
            elif isinstance(step, Branch):
                walk(step.body)
                walk(step.orelse)
            elif isinstance(step, Try):
                walk(step.body)
                for handler in step.handlers:
                    walk(handler.body)
                walk(step.orelse)
                walk(step.final)
            elif isinstance(step, With):
                walk(step.body)
            elif isinstance(step, Match):
                for case in step.cases:
                    walk(case.body)

    walk(steps)
    return found


class Activation:
    """One run of one function in one context."""

    def __init__(self, interpreter: Interpreter, func: Func, env: dict[str, Abstract], for_value: bool = False) -> None:
        self.interpreter = interpreter
        self.evaluator = interpreter.evaluator
        self.inference = interpreter.inference
        self.program = interpreter.program
        self.calls = interpreter.linked.calls
        self.func = func
        self.module = func.module
        self.number = func.scope
        self.scope: Scope = self.program.scope(func)
        self.path = self.program.path(func)
        self.env = env
        self.waits: dict[Place, Wait] = {}
        self.exposures: dict[tuple[Place, bool], Exposure] = {}
        self.covers: list[bool] = [True] if interpreter.is_worker_deadline(func) else []
        self.limits: list[Limit] = []
        self.stacks: list[list[tuple[Interval, Limit]]] = []
        """Of each exit stack around: the deadlines entered through it, and when."""
        self.expiries: list[Interval] = []
        """What the clock shows when each certain deadline around expires."""
        self.tries = 0
        self.own_wait = False
        self.cancelled: set[SiteKey] = set()
        self.is_name = False
        """It stands for what the function's name is bound to, its decorators, and not for the function itself."""
        self.loose: dict[SiteKey, Foreign | Pending] = {}
        """What runs as a task and nobody has awaited yet, or not before it was cancelled."""
        self.groups: list[list[tuple[Interval, Interval, Interval]]] = []
        """Of each task group around: when its tasks began, their waits, and how long they run."""
        self.returned: list[Abstract] = []
        self.yielded: list[Abstract] = []
        self.yield_limits: list[tuple[Limit, ...]] = []
        self.before_yield: Interval | None = None
        self.recursive = False
        self.clock_limits: list[Interval] = []
        self.comparisons: list[tuple[Interval, Interval]] = []
        self.swallowing = 0
        self.loop_depth = 0
        self.slice = interpreter.relevance.slice(func, for_value).steps

    # Running

    def run(self) -> Summary:
        interpreter = self.interpreter
        outermost = not interpreter._activations
        if outermost:
            interpreter.fuel = FUEL
        interpreter._activations.append(self)
        try:
            state = State(dict(self.env))
            flow = self.steps(self.scope.body, state)
            self._hand_on((*self.returned, *self.yielded))
            self._leave_running(state)
        finally:
            interpreter._activations.pop()
        total = flow.longest()
        going_on = merge(flow.normal, flow.returned)
        if going_on is not None and flow.raised is not None and flow.raised.ended and total.lo is not None:
            # the caller goes on from where it returns; where a deadline expires in it, nothing follows
            total = Interval(min(total.lo, going_on.wait.lo or 0.0), total.hi, total.seen)
        endless = flow.normal is None and flow.returned is None and flow.diverged is not None
        returned = (
            either([o for v in self.returned for o in options(v)] or [None])
            if self.returned or flow.normal
            else UNKNOWN
        )
        if self.returned and flow.normal is not None and not self.scope.is_generator:
            returned = either([*options(returned), None])
        waits = tuple(sorted(self.waits.values(), key=_wait_order))
        exposures = tuple(sorted(self.exposures.values(), key=_exposure_order))
        summary = Summary(
            total,
            waits,
            exposures,
            returned,
            either([o for v in self.yielded for o in options(v)]) if self.yielded else UNKNOWN,
            endless,
            (),
            self.before_yield or ZERO,
            self.recursive,
            flow.normal is None and flow.returned is None and flow.diverged is None,
            self.yield_limits[0] if self.yield_limits else (),
            min((s.clock.lo or 0.0 for s in flow.states()), default=0.0),
            self.scope.is_async and not self.scope.is_generator and not self.recursive and self._expires(flow),
        )
        return summary

    @staticmethod
    def _expires(flow: Flow) -> bool:
        only = flow.normal is None and flow.returned is None and flow.diverged is None
        return only and flow.raised is not None and flow.raised.ended

    def steps(self, steps: tuple[Step, ...], state: State) -> Flow:
        """Follow steps in order; the flow's ``normal`` is where it goes on."""
        flow = Flow(normal=state)
        for step in steps:
            current = flow.normal
            if current is None:
                break
            if id(step) not in self.slice:
                continue
            self.interpreter.fuel -= 1
            one = _STEPS[type(step)](self, step, current)
            if one is None:
                continue
            flow.absorb(one)
            flow.normal = one.normal
        return flow

    def value(self, value: Value, state: State) -> Abstract:
        return self.evaluator.value(self.module, self.number, value, state)

    def may_raise(self, state: State) -> Flow | None:
        """Inside ``try``, a call can leave for the handlers."""
        if self.tries:
            return Flow(normal=state, raised=state.copy())
        return None

    # Steps

    def invoke(self, step: Invoke, state: State) -> Flow | None:
        key = SiteKey(self.module, self.number, step.site)
        site = self.scope.sites[step.site]
        result = self.call_site(key, site, state)
        if (
            not isinstance(result, (Things, Unknown))
            or step.site in state.env
            or (isinstance(result, Things) and result.entities != self.inference.solver.get(("result", *key)))
        ):
            state.env[step.site] = result if isinstance(result, Never) else shallow(result)
        if isinstance(result, Never):
            state.env[step.site] = UNKNOWN
            return Flow(normal=None, diverged=state.wait, raised=state.copy() if self.tries else None)
        if all(isinstance(o, (Pending, Foreign, Limit, Started)) for o in options(result)):
            return None  # it is only made; what it does, and whether it fails, comes when it is awaited or entered
        return self.may_raise(state)

    def await_(self, step: Await, state: State) -> Flow | None:
        if self.expiries and self._is_over(state):
            return Flow(raised=state)
        value = self.value(step.value, state)
        result = self.run_awaitable(value, state, step.span, step.value)
        if isinstance(step.value, Result):
            state.env[("await", step.value.site)] = result
        if state.ended or (self.expiries and self._is_over(state)):
            state.ended = True
            if isinstance(result, Never) and isinstance(step.value, Result):
                state.env[("await", step.value.site)] = UNKNOWN
            return Flow(raised=state)
        if isinstance(result, Never):
            diverged = result.total
            if isinstance(step.value, Result):
                state.env[("await", step.value.site)] = UNKNOWN
            return Flow(
                normal=None,
                diverged=state.wait if diverged is None else diverged,
                raised=state.copy() if self.tries else None,
            )
        return self.may_raise(state)

    def _is_over(self, state: State) -> bool:
        """It has certainly waited longer than a deadline around it: this path is not there any more."""
        waited = state.clock.lo
        return waited is not None and any(e.hi is not None and waited > e.hi for e in self.expiries)

    def load(self, step: Load, state: State) -> Flow | None:
        value = step.value
        if not isinstance(value, Attribute) or value.name not in self.calls.properties:
            return None
        base = self.evaluator.value(self.module, self.number, value.value, state)
        for one in options(base):
            if isinstance(one, Things):
                for entity in ordered(one.entities):
                    if isinstance(entity, Inst) and isinstance(entity.of, Cls):
                        for getter in self.calls.property_getters(entity, value.name):
                            if getter in self.interpreter.relevance.matters:
                                summary = self.interpreter.summary(
                                    Closure(Bound(getter._replace(raw=True), entity)), (), ()
                                )
                                self.apply(summary, getter, state, step.span)
        return None

    def bind(self, step: Bind, state: State) -> Flow | None:
        if step.value is None:
            return None
        self.assign(step.target, self.value(step.value, state), state, step.value)
        return None

    def assign(self, target: Value, value: Abstract, state: State, source: Value | None = None) -> None:
        value = shallow(value)
        if isinstance(target, Reference):
            state.env[target.name] = value
        elif isinstance(target, Sequence):
            count = len(target.items)
            for position, item in enumerate(target.items):
                part: Abstract = UNKNOWN
                if isinstance(item, Spread):
                    self.assign(item.value, UNKNOWN, state)
                    continue
                if isinstance(value, Items) and len(value.items) == count:
                    part = value.items[position]
                elif isinstance(value, Repeated):
                    part = value.element
                elif isinstance(item, Reference):
                    found = self.inference.name(self.module, self.number, item.name)
                    part = Things(found) if found else UNKNOWN
                self.assign(item, part, state)
        elif isinstance(target, Spread):
            self.assign(target.value, UNKNOWN, state)
        elif isinstance(target, Subscript) and isinstance(target.value, Reference):
            known = state.env.get(target.value.name)
            if isinstance(known, (Items, Table)):
                state.env[target.value.name] = UNKNOWN
        elif isinstance(target, Attribute):
            key = ("attribute", target)
            state.env[key] = value

    def define(self, step: Define, state: State) -> Flow | None:
        scope = self.program.modules[self.module].facts.scopes[step.scope]
        if scope.kind == "class":
            state.env[step.name] = Things(frozenset({Cls(self.module, step.scope)}))
            return None
        func = Func(self.module, step.scope)
        inner = self.interpreter.closure(func._replace(raw=True), state)
        if scope.decorators:
            state.env[step.name] = self.interpreter._apply_decorators(func, inner, state)
        else:
            state.env[step.name] = inner
        return None

    def branch(self, step: Branch, state: State) -> Flow:
        truth = self.evaluator.truth(self.module, self.number, step.test, state)
        if truth is True:
            return self.steps(step.body, state)
        if truth is False:
            return self.steps(step.orelse, state)
        other = state.copy()
        _refine(self, step.test, state, True)
        _refine(self, step.test, other, False)
        waits = dict(self.waits)
        first = self.steps(step.body, state)
        after = self.waits
        self.waits = dict(waits)
        second = self.steps(step.orelse, other)
        self.waits = _alternatives(waits, after, self.waits)
        flow = Flow()
        flow.absorb(first)
        flow.absorb(second)
        flow.normal = merge(first.normal, second.normal)
        return flow

    def match(self, step: Match, state: State) -> Flow:
        subject = self.value(step.subject, state)
        flow = Flow()
        current: State | None = state
        for case in step.cases:
            if current is None:
                break
            verdict = self._case_holds(case, subject, current)
            if verdict is False:
                continue
            taken = current.copy()
            guarded = self.steps(case.guarding, taken)
            flow.absorb(guarded)
            if guarded.normal is None:
                continue
            if case.guard is not None:
                truth = self.evaluator.truth(self.module, self.number, case.guard, guarded.normal)
                if truth is False:
                    continue
                if truth is None:
                    verdict = None
            body = self.steps(case.body, guarded.normal)
            flow.absorb(body)
            flow.normal = merge(flow.normal, body.normal)
            if verdict is True:
                current = None
        flow.normal = merge(flow.normal, current)
        return flow

    def _case_holds(self, case: Case, subject: Abstract, state: State) -> bool | None:
        if case.irrefutable:
            return True if case.guard is None else None
        results: list[bool | None] = []
        for pattern in case.patterns:
            if isinstance(pattern, Spread):
                results.append(None)
                continue
            results.append(self.evaluator.compare("==", subject, self.value(pattern, state)))
        if True in results:
            return True if case.guard is None else None
        return False if results and all(r is False for r in results) else None

    def return_(self, step: Return, state: State) -> Flow:
        value: Abstract = None if step.value is None else self.value(step.value, state)
        self.returned.append(value)
        return Flow(returned=state)

    def raise_(self, step: Raise, state: State) -> Flow:
        return Flow(raised=state)

    def break_(self, step: Break, state: State) -> Flow:
        return Flow(broken=state)

    def continue_(self, step: Continue, state: State) -> Flow:
        return Flow(continued=state)

    def yield_(self, step: Yield, state: State) -> Flow | None:
        if self.before_yield is None:
            self.before_yield = state.wait
        self.yield_limits.append(tuple(self.limits))
        if step.value is not None:
            value = self.value(step.value, state)
            if step.is_from:
                self.run_iteration(value, state, step.span)
                value = self.evaluator.element(value)
            self.yielded.append(value)
        return self.may_raise(state)

    def star(self, step: Step, state: State) -> Flow | None:
        return None

    def try_(self, step: Try, state: State) -> Flow:
        catches = bool(step.handlers)
        swallows = self._swallows_timeout(step)
        if catches or step.final:
            self.tries += 1
        self.swallowing += swallows
        before = state.copy() if catches else None
        body = self.steps(step.body, state)
        self.swallowing -= swallows
        if catches or step.final:
            self.tries -= 1
        flow = Flow()
        raised = merge(body.raised, body.normal.copy()) if catches and body.normal is not None else body.raised
        first = step.body[0] if step.body else None
        if raised is None or isinstance(first, Bind) or id(first) not in self.slice:
            raised = merge(before, raised)  # anything can raise, a call that is not followed, too
        body.raised = None
        flow.absorb(body)
        normal = body.normal
        if normal is not None and step.orelse:
            after = self.steps(step.orelse, normal)
            flow.absorb(after)
            normal = after.normal
        if catches and raised is not None and self.expiries and self._is_over(raised):
            flow.raised = merge(flow.raised, raised)  # cancelled by a deadline further out: no handler sees that
        elif catches:
            start = raised
            if start is not None:
                leaving: State | None = None
                certain = any(not h.types or _catches_all(h.types) for h in step.handlers)
                if not certain:
                    leaving = start.copy()
                for handler in step.handlers:
                    taken = start.copy()
                    taken.ended = False
                    if handler.name:
                        taken.env[handler.name] = UNKNOWN
                    one = self.steps(handler.body, taken)
                    flow.absorb(one)
                    normal = merge(normal, one.normal)
                flow.raised = merge(flow.raised, leaving) if self.tries or leaving is None else flow.raised
        else:
            flow.raised = merge(flow.raised, raised)
        flow.normal = normal
        if step.final:
            flow = self._finally(step.final, flow)
        return flow

    def _finally(self, final: tuple[Step, ...], flow: Flow) -> Flow:
        result = Flow(diverged=flow.diverged)
        first = True
        for name in ("normal", "returned", "raised", "broken", "continued"):
            state = getattr(flow, name)
            if state is None:
                continue
            waits = self.waits
            if not first:
                self.waits = dict(waits)
            ended, state.ended = state.ended, False
            one = self.steps(final, state)
            if one.normal is not None:
                one.normal.ended = ended
            if not first:
                self.waits = waits
            first = False
            after = one.normal
            one.normal = None
            result.absorb(one)
            setattr(result, name, merge(getattr(result, name), after))
        return result

    def _swallows_timeout(self, step: Try) -> int:
        """A handler catches the timeout and goes on."""
        for handler in step.handlers:
            if not handler.types or _catches_timeout(handler.types):
                last = handler.body[-1] if handler.body else None
                if not isinstance(last, (Raise, Return, Break)):
                    return 1
        return 0

    # Scopes

    def with_(self, step: With, state: State) -> Flow:
        return self._items(step, 0, state)

    def _items(self, step: With, position: int, state: State) -> Flow:
        if position == len(step.items):
            return self.steps(step.body, state)
        item = step.items[position]
        flow = self.steps(item.entering, state)
        if flow.normal is None:
            return flow
        value = self.value(item.value, flow.normal)
        limits, group = self.enter(value, item.value, flow.normal, item.span, step.is_async)
        if item.target is not None:
            self.assign(item.target, self._entered(value, item.value, flow.normal), flow.normal)
        suppressed = self._suppressed(value, item.value)
        run = self._stacked if self._is_stack(value) else self._plainly
        if suppressed:
            self.tries += 1
            self.swallowing += _catches_timeout(suppressed)
        inner = self._under(limits, flow.normal, lambda s: run(step, position + 1, s), group)
        if suppressed:
            self.tries -= 1
            self.swallowing -= _catches_timeout(suppressed)
            if inner.raised is not None:
                caught = inner.raised.copy()
                caught.ended = False
                inner.normal = merge(inner.normal, caught)
                inner.raised = inner.raised if self.tries and not _catches_all(suppressed) else None
        flow.absorb(inner)
        flow.normal = inner.normal
        return flow

    def _suppressed(self, value: Abstract, source: Value) -> tuple[Value, ...]:
        """The exceptions that the context manager ends."""
        if not isinstance(value, Things) or not isinstance(source, Result):
            return ()
        for entity in ordered(value.entities):
            if isinstance(entity, Inst) and isinstance(entity.of, Ext):
                for trait in self.interpreter.catalogue.traits(entity.of.path):
                    if trait.suppresses is not None:
                        return tuple(written_arguments(self.scope.sites[source.site], trait.suppresses))
        return ()

    def _plainly(self, step: With, position: int, state: State) -> Flow:
        return self._items(step, position, state)

    def _stacked(self, step: With, position: int, state: State) -> Flow:
        """Under an exit stack: the deadlines entered through it hold from there to its end."""
        base, clock = state.wait, state.clock
        state.wait = ZERO
        outer_waits, self.waits = self.waits, {}
        covers, expiries = len(self.covers), len(self.expiries)
        self.stacks.append([])
        flow = self._items(step, position, state)
        entered = self.stacks.pop()
        del self.covers[covers:]
        del self.expiries[expiries:]
        inside, self.waits = self.waits, outer_waits
        finite = [(since, limit) for since, limit in entered if not _is_none(limit.seconds)]
        if not finite:
            for one in flow.states():
                one.wait = base + one.wait
            if flow.diverged is not None:
                flow.diverged = base + flow.diverged
            for wait in inside.values():
                self.note(wait)
            return flow
        cap: Interval | None = None
        for since, limit in finite:
            left = passed(since, clock) + number(limit.seconds)
            cap = left if cap is None else cap.minimum(left)
        assert cap is not None
        self._close(flow, cap, base, clock, [limit for _, limit in finite], state, inside)
        return flow

    def _entered(self, value: Abstract, source: Value, state: State) -> Abstract:
        if isinstance(value, Limit):
            return value
        found = self.inference.entered(self.inference.of(self.module, self.number, source))
        if isinstance(value, Things) and not found:
            found = self.inference.entered(value.entities)
        return Things(found) if found else UNKNOWN

    def _under(self, limits: tuple[Limit, ...], state: State, run: Any, group: bool) -> Flow:
        """Run something inside deadlines (outermost first) and, for a task group, wait for its tasks at the end."""
        finite = [limit for limit in limits if not _is_none(limit.seconds)]
        for limit in limits:
            self.covers.append(_covers(limit.seconds))
            self.limits.append(limit)
        base, clock = state.wait, state.clock
        outer_waits: dict[Place, Wait] | None = None
        cap = ANY
        if finite:
            cap = number(finite[0].seconds)
            for limit in finite[1:]:
                cap = cap.minimum(number(limit.seconds))
            self.expiries.append(clock + cap if all(_covers(limit.seconds) for limit in finite) else ANY)
            state.wait = ZERO
            outer_waits, self.waits = self.waits, {}
            self.tries += 1 if any(limit.swallows for limit in finite) else 0
        if group:
            self.groups.append([])
        flow: Flow = run(state)
        if group:
            self._finish_tasks(self.groups.pop(), flow)
        for _ in limits:
            self.covers.pop()
            self.limits.pop()
        if outer_waits is not None:
            if any(limit.swallows for limit in finite):
                self.tries -= 1
            self.expiries.pop()
            inside, self.waits = self.waits, outer_waits
            self._close(flow, cap, base, clock, finite, state, inside)
        return flow

    def _close(
        self,
        flow: Flow,
        cap: Interval,
        base: Interval,
        clock: Interval,
        finite: list[Limit],
        start: State,
        inside: dict[Place, Wait],
    ) -> None:
        """The end of a deadline's scope: nothing in it has waited longer."""
        certain = all(_covers(limit.seconds) for limit in finite)
        self._cap(flow, cap, base, clock, certain, any(limit.swallows for limit in finite), start)
        for wait in inside.values():
            if certain:
                wait = wait._replace(
                    loop_total=_capped(wait.loop_total, cap),
                    total=_capped(wait.total, cap),
                    once=_capped(wait.once, cap),
                )
            self.note(wait)

    @staticmethod
    def _finish_tasks(spawned: list[tuple[Interval, Interval, Interval]], flow: Flow) -> None:
        """A task group's end: its tasks have been running since they were made."""
        for state in (flow.normal, flow.returned, flow.broken, flow.continued):
            if state is None or not spawned:
                continue
            longest, least = ZERO, 0.0
            for since, wait, clock in spawned:
                run = passed(state.clock, since)
                longest = worst(longest, (wait - run).maximum(ZERO))
                least = max(least, (clock - run).lo or 0.0)
            state.pause(longest, least)

    def _cap(
        self, flow: Flow, cap: Interval, base: Interval, clock: Interval, certain: bool, swallows: bool, start: State
    ) -> None:
        """A deadline's end: what waits longer leaves when it expires (unless it is not ``certain`` that there is
        one)."""
        longest = flow.longest()
        can_expire = not (longest.hi is not None and cap.lo is not None and longest.hi < cap.lo)
        late = next(iter(flow.states()), None)
        left = State(dict(late.env) if late is not None else dict(start.env), ended=not swallows)
        if certain:
            for name in ("normal", "returned", "broken", "continued", "raised"):
                state: State | None = getattr(flow, name)
                if state is None:
                    continue
                waited = passed(state.clock, clock)
                if cap.hi is not None and waited.lo is not None and waited.lo > cap.hi:
                    setattr(flow, name, None)  # it does not get there
                    continue
                inside = _capped(state.wait, cap)
                if name != "raised" and inside.hi is not None and inside != state.wait:
                    inside = Interval(waited.lo, inside.hi)  # the path that waits longest does not get there
                state.wait = base + inside
                state.clock = Interval(state.clock.lo, state.clock.minimum(clock + cap).hi)
        else:
            for state in flow.states():
                state.wait = base + state.wait
        if flow.diverged is not None or (can_expire and longest.hi is not None and longest.hi > 0):
            expired = _capped(longest, cap)
            if cap.lo is not None and (expired.hi is None or expired.hi >= cap.lo):
                expired = Interval(cap.lo, expired.hi, expired.seen)
            left.wait = base + expired
            left.clock = clock + expired
            if swallows:
                flow.normal = merge(flow.normal, left)
            else:
                flow.raised = merge(flow.raised, left)
        elif not flow.states():
            left.wait, left.clock = base + cap, clock + cap
            flow.raised = left
        if certain:
            flow.diverged = None
        elif flow.diverged is not None:
            flow.diverged = base + flow.diverged

    def enter(
        self, value: Abstract, source: Value, state: State, span: Span, is_async: bool
    ) -> tuple[tuple[Limit, ...], bool]:
        """The deadlines that a context manager brings, and whether it is a task group."""
        limits: list[Limit] = []
        group = False
        alternatives = list(options(value))
        if len(alternatives) > 1 and any(isinstance(o, Limit) for o in alternatives):
            entered = [
                self.enter(one, UnknownValue(), state, span, is_async)
                for one in alternatives
                if not isinstance(one, Unknown)
            ]
            return _one_of([found for found, _ in entered]), any(g for _, g in entered)
        for one in alternatives:
            if isinstance(one, Limit):
                limits.append(one)
            elif isinstance(one, Pending):
                summary = self.run_pending(one, state, span, entering=True)
                limits.extend(self.interpreter.limits_at_yield(one))
                del summary
            elif isinstance(one, Foreign):
                self.run_foreign(one, state, span)
            elif isinstance(one, Things):
                for entity in ordered(one.entities):
                    if isinstance(entity, Inst) and isinstance(entity.of, Cls):
                        for name in ("__aenter__", "__enter__"):
                            for method in ordered(self.inference.attribute(entity, name)):
                                if isinstance(method, Bound) and method.func in self.interpreter.relevance.matters:
                                    self.call_closure(
                                        Closure(method),
                                        (),
                                        (),
                                        SiteKey(self.module, self.number, 0),
                                        state,
                                        span,
                                        awaited=True,
                                    )
                    elif isinstance(entity, Inst) and isinstance(entity.of, Ext):
                        group = group or self._is_group(entity.of.path)
                    elif isinstance(entity, (Coro, ManagedContext)):
                        target = entity.target if isinstance(entity, Coro) else entity.func
                        if isinstance(target, (Func, Bound)):
                            kind = "coroutine" if isinstance(entity, Coro) else "manager"
                            pending = Pending(Closure(target), (), (("**", UNKNOWN),), entity.site, kind)
                            self.run_pending(pending, state, span, entering=True)
                            limits.extend(self.interpreter.limits_at_yield(pending))
        if isinstance(source, Result):
            self._enter_client(source, state, span)
        return tuple(limits), group

    def _is_stack(self, value: Abstract) -> bool:
        """An exit stack: what was entered through it ends with it."""
        return any(
            isinstance(e, Inst)
            and isinstance(e.of, Ext)
            and any(m.exits for k in self.interpreter.catalogue.traits(e.of.path) for m in k.method.values())
            for o in options(value)
            if isinstance(o, Things)
            for e in o.entities
        )

    def _is_group(self, path: str) -> bool:
        return any(
            m.spawn is not None and m.spawn.attached
            for k in self.interpreter.catalogue.traits(path)
            for m in k.method.values()
        )

    def _enter_client(self, source: Result, state: State, span: Span) -> None:
        """``async with Client()``: entering an instance can be an outbound call (a connection)."""
        key = SiteKey(self.module, self.number, source.site)
        for entity in ordered(self.inference.solver.get(("result", *key))):
            if isinstance(entity, Inst) and isinstance(entity.of, Ext):
                for trait in self.interpreter.catalogue.traits(entity.of.path):
                    if trait.enter is not None and trait.enter.outbound is not None:
                        meaning = Meaning(entity.of.path, trait.enter, entity)
                        self.run_foreign(Foreign(meaning, key, self._named_arguments(key, state)), state, span)
                        return

    # Loops

    def loop(self, step: Loop, state: State) -> Flow:
        base = state.wait
        state.wait = ZERO
        outer_waits, self.waits = self.waits, {}
        outer_own, self.own_wait = self.own_wait, False
        limits, self.clock_limits = self.clock_limits, []
        compared, self.comparisons = self.comparisons, []
        self.loop_depth += 1
        bare = msgspec.structs.replace(step, orelse=()) if step.orelse else step
        flow = self._for(bare, state) if step.kind != "while" else self._while(bare, state)
        self.loop_depth -= 1
        self.clock_limits, self.comparisons = limits, compared
        total = flow.longest()
        own = self.own_wait
        inside, self.waits = self.waits, outer_waits
        self.own_wait = outer_own or own
        left = flow.broken is not None or flow.returned is not None
        endless = (
            step.kind == "while" and not left and (flow.normal is None or (total.unbounded and _watches_flag(step)))
        )
        for wait in inside.values():
            if wait.depth == 0 or not own:
                known = worst(wait.loop_total, total) if wait.looped else total
                service = endless or (wait.interruptible and step.kind == "while" and total.unbounded)
                wait = wait._replace(
                    looped=True,
                    loop_total=known,
                    entered_loop=wait.depth > 0,
                    endless=wait.endless or (service and wait.depth == 0),
                )
            self.note(wait)
        for one in (flow.normal, flow.broken, flow.returned, flow.raised):
            if one is not None:
                one.wait = base + one.wait
        if flow.diverged is not None:
            flow.diverged = base + flow.diverged
        exhausted, broken = flow.normal, flow.broken
        flow.normal = flow.broken = flow.continued = None
        if step.orelse and exhausted is not None:  # outside the loop; a break there is one of the loop around
            after = self.steps(step.orelse, exhausted)
            flow.absorb(after)
            exhausted = after.normal
        flow.normal = merge(exhausted, broken)
        return flow

    def _for(self, step: Loop, state: State) -> Flow:
        subject = self.value(step.subject, state)
        generator = self.run_iteration(subject, state, step.span)
        attempts = self._attempts(subject, step)
        if attempts is not None:
            return self._retry_loop(step, state, attempts)
        items: list[Abstract] | None = None
        length = ANY
        element: Abstract = UNKNOWN
        if generator is not None:
            element = generator
        elif isinstance(subject, Items):
            items = list(subject.items)
        elif isinstance(subject, Table) and subject.complete:
            items = [k for k, _ in subject.items]
        elif isinstance(subject, Count):
            length = subject.length
            if (
                subject.start.exact is not None
                and subject.step.exact is not None
                and length.exact is not None
                and length.exact <= MAX_ITERATIONS
            ):
                items = [
                    Interval.exactly(subject.start.exact + i * subject.step.exact) for i in range(int(length.exact))
                ]
            elif (
                length.hi is not None
                and not math.isinf(length.hi)
                and length.hi <= MAX_ITERATIONS
                and subject.start.exact is not None
                and subject.step.exact is not None
            ):
                return self._unrolled(
                    step,
                    state,
                    [Interval.exactly(subject.start.exact + i * subject.step.exact) for i in range(int(length.hi))],
                    int(length.lo or 0),
                )
            elif length.unbounded and subject.start.exact is not None and subject.step.exact is not None:
                return self._counting(step, state, subject.start.exact, subject.step.exact)
            else:
                top = None if length.hi is None or math.isinf(length.hi) else length.hi
                last = subject.start + subject.step.times(Interval(0.0, None if top is None else max(top - 1, 0.0)))
                element = Interval(subject.start.lo if (subject.step.lo or 0) >= 0 else None, last.hi)
        else:
            element = self.evaluator.element(subject)
            if isinstance(element, Unknown) and step.target is not None and isinstance(step.target, Reference):
                found = self.inference.name(self.module, self.number, step.target.name)
                element = Things(found) if found else UNKNOWN
        if items is not None:
            if len(items) > MAX_ITERATIONS:
                return self._summarised(
                    step, state, Interval.exactly(float(len(items))), either(Interpreter._flat(items))
                )
            return self._unrolled(step, state, items, len(items))
        length = length.maximum(ZERO) if length.lo is not None or length.hi is not None else Interval(0.0, None)
        return self._summarised(step, state, length, element)

    def _unrolled(self, step: Loop, state: State, items: list[Abstract], least: int) -> Flow:
        """Follow each iteration."""
        flow = Flow()
        exhausted: State | None = None
        current: State | None = state
        for position, item in enumerate(items):
            if current is None:
                break
            if position >= least:
                exhausted = merge(exhausted, current.copy())
            if self.interpreter.fuel <= 0:
                rest = Interval(float(max(least - position, 0)), float(len(items) - position))
                widened = self._summarised(step, current, rest, either(Interpreter._flat(items[position:])))
                flow.absorb(widened)
                flow.normal = merge(widened.normal, exhausted)
                return flow
            if step.target is not None:
                self.assign(step.target, item, current)
            one = self.steps(step.body, current)
            following = merge(one.normal, one.continued)
            one.continued = None
            flow.absorb(one)
            current = following
        exhausted = merge(exhausted, current)
        flow.normal = exhausted
        return flow

    def _counting(self, step: Loop, state: State, start: float, by: float) -> Flow:
        """Over an endless count: one by one as long as something compares numbers, which can end it."""
        flow = Flow()
        current = state
        for position in range(MAX_ITERATIONS + 1):
            item = start + position * by
            if (
                position == MAX_ITERATIONS
                or self.interpreter.fuel <= 0
                or (position == 2 and not self.comparisons and not self.clock_limits)
            ):
                done = current.wait
                rest = self._summarised(
                    step,
                    self._relative(current),
                    UNBOUNDED,
                    Interval(item, math.inf) if by >= 0 else Interval(None, item),
                )
                for left in rest.states():
                    left.wait = done + left.wait
                if rest.diverged is not None:
                    rest.diverged = done + rest.diverged
                flow.absorb(rest)
                break
            if step.target is not None:
                self.assign(step.target, Interval.exactly(item), current)
            one = self.steps(step.body, current)
            following = merge(one.normal, one.continued)
            one.continued = None
            flow.absorb(one)
            if following is None:
                break
            current = following
        return flow

    def _summarised(self, step: Loop, state: State, length: Interval, element: Abstract) -> Flow:
        """One iteration stands for all: what it changes is widened, what it waits is multiplied."""
        flow = Flow()
        if length.hi == 0:
            flow.normal = state
            return flow
        before, self.waits = self.waits, {}
        start = state.copy()
        start.wait = ZERO
        if step.target is not None:
            self.assign(step.target, element, start)
        unbounded = length.hi is not None and math.isinf(length.hi)
        one = self._iteration(step, start.copy())
        after = merge(one.normal, one.continued)
        if after is not None:
            changed = self._widened(start, after, unbounded)
            if changed is not None:
                self.waits = {}
                again = changed.copy()
                again.wait = ZERO
                if step.target is not None:
                    self.assign(step.target, element, again)
                one = self._iteration(step, again)
                after = merge(one.normal, one.continued)
        each = after.wait if after is not None else ZERO
        last = ZERO
        for left in (one.broken, one.returned, one.raised):
            if left is not None:
                last = worst(last, left.wait)
        if one.diverged is not None:
            flow.diverged = one.diverged
        total = _multiplied(each, length, unbounded)
        span = ZERO if after is None else _multiplied(passed(after.clock, start.clock), length, unbounded)
        once_through = after is None
        for wait in list(self.waits.values()):
            if once_through:
                continue
            self.waits[wait.place] = wait._replace(
                total=_multiplied(wait.total, length, unbounded),
                times=wait.times.times(length) if not unbounded else Interval(None, math.inf),
            )
        inside, self.waits = self.waits, before
        for wait in inside.values():
            self.note(wait)
        base = state.wait
        for name in ("broken", "returned", "raised"):
            left = getattr(one, name)
            if left is not None:
                left.wait = (
                    base + (total if not unbounded else ZERO) + left.wait if not once_through else base + left.wait
                )
                left.clock = later(left.clock, span)
                if unbounded and (total.hi is None or total.hi > 0):
                    left.wait = UNBOUNDED
                setattr(flow, name, left)
        if after is not None:
            if unbounded:
                if one.broken is None and one.returned is None:
                    flow.diverged = total if flow.diverged is None else worst(flow.diverged, total)
                elif total.hi is None or total.hi > 0:
                    flow.diverged = UNBOUNDED if flow.diverged is None else worst(flow.diverged, UNBOUNDED)
            else:
                after.wait = base + total
                after.clock = state.clock + span
                flow.normal = merge(after, state) if (length.lo or 0) <= 0 else after
                if flow.normal is not None and (length.lo or 0) <= 0:
                    flow.normal.wait = base + total
        elif (length.lo is None or length.lo == 0) and not unbounded:
            flow.normal = state
        return flow

    def _iteration(self, step: Loop, state: State) -> Flow:
        """The condition's steps and the body, once."""
        flow = Flow()
        if step.kind == "while":
            condition = self.steps(step.condition, state)
            flow.absorb(condition)
            if condition.normal is None:
                return flow
            state = condition.normal
        one = self.steps(step.body, state)
        flow.absorb(one)
        flow.normal = one.normal
        return flow

    def _widened(self, before: State, after: State, unbounded: bool) -> State | None:
        """Names that an iteration changes hold any value of the series; None where nothing changed."""
        changed = False
        env = dict(after.env)
        for name, value in after.env.items():
            if not isinstance(name, str):
                continue
            known = before.env.get(name, value)
            if known is value or known == value:
                continue
            changed = True
            first, second = number(known), number(value)
            if isinstance(value, Interval) and isinstance(known, Interval):
                joined = first.join(second)
                grows = second.hi is None or (first.hi is not None and second.hi > first.hi)
                falls = second.lo is None or (first.lo is not None and second.lo < first.lo)
                top = (math.inf if unbounded else None) if grows else joined.hi
                env[name] = Interval(None if falls else joined.lo, top, joined.reach if top is None else None)
            else:
                found = [o for v in (known, value) for o in options(v)]
                env[name] = either(found)
        return State(env, after.wait, after.clock) if changed else None

    def _while(self, step: Loop, state: State) -> Flow:
        flow = Flow()
        exhausted: State | None = None
        current: State | None = state
        counters = _assigned_counters((*step.condition, *step.body))
        previous_wait = ZERO
        tests = _exit_tests(step)
        gaps: list[float] = []
        iteration = 0
        always = isinstance(step.subject, Constant) and step.subject.value is True
        while True:
            assert current is not None
            self.comparisons.clear()
            before = current.copy()
            condition = self.steps(step.condition, current)
            flow.absorb(condition)
            if condition.normal is None:
                current = None
                break
            current = condition.normal
            truth = True if always else self.evaluator.truth(self.module, self.number, step.subject, current)
            if truth is False:
                exhausted = merge(exhausted, current)
                current = None
                break
            if truth is None:
                exhausted = merge(exhausted, current.copy())
                _refine(self, step.subject, current, True)
            wait_before = current.wait
            one = self.steps(step.body, current)
            following = merge(one.normal, one.continued)
            one.continued = None
            flow.absorb(one)
            if following is None:
                current = None
                break
            for name, direction in counters.items():
                counted = following.env.get(name)
                if isinstance(counted, Interval) and counted.exact is None:
                    began = number(before.env.get(name, UNKNOWN))
                    width = 0.0 if began.lo is None or began.hi is None else began.hi - began.lo
                    end = counted.hi if direction > 0 else counted.lo
                    if end is not None and not math.isinf(end) and not math.isnan(width):
                        # counted once an iteration, on whichever path
                        following.env[name] = (
                            Interval(end - width, end) if direction > 0 else Interval(end, end + width)
                        )
            iteration += 1
            delta = (
                following.wait - wait_before
                if following.wait.exact is not None and wait_before.exact is not None
                else ANY
            )
            current = following
            decided = [
                (a, b)
                for a, b in self.comparisons
                if a.exact is not None and b.exact is not None and a.exact != b.exact
            ]
            if decided:
                gaps.append(min(abs(a.exact - b.exact) for a, b in decided))  # type: ignore[operator]
            stable = self._same_names(before, following, tests)
            unknown_bound = iteration >= 2 and self._unknown_bound(counters, tests)
            clocked = bool(self.clock_limits)
            if (
                iteration >= 2
                and stable
                and not (clocked and delta.exact is not None and delta.exact > 0 and self._known_clock())
            ):
                return self._endless_or_unknown(step, current, flow, exhausted, clocked, wait_before, previous_wait)
            if unknown_bound and not gaps:
                return self._unknown_times(step, current, flow, exhausted)
            if iteration >= MAX_ITERATIONS or self.interpreter.fuel <= 0:
                return self._long(step, current, flow, exhausted, gaps, clocked, delta)
            previous_wait = delta if delta.exact is not None else previous_wait
        self._one_more_wait(step, flow, exhausted, previous_wait)
        flow.normal = exhausted
        return flow

    def _one_more_wait(self, step: Loop, flow: Flow, exhausted: State | None, each: Interval) -> None:
        """A clock is looked at between waits, and calls take time in truth: the limit, and one more wait."""
        limits = [limit for limit in self.clock_limits if limit.exact is not None]
        if not limits or len(limits) != len(self.clock_limits) or each.exact is None or each.exact <= 0:
            return
        top = max(limit.exact or 0.0 for limit in limits) + each.exact
        leaving = [s for s in (exhausted, flow.broken, flow.returned, flow.raised) if s is not None]
        longest = max((s.wait.hi or 0.0 for s in leaving), default=0.0)
        for state in leaving:
            if state.wait.hi is not None and state.wait.hi == longest and 0 < longest < top:
                state.wait = Interval(state.wait.lo, top)
                state.clock = later(state.clock, each)

    def _known_clock(self) -> bool:
        return all(limit.hi is not None for limit in self.clock_limits[-4:])

    @staticmethod
    def _same_names(before: State, after: State, tests: frozenset[str]) -> bool:
        """Nothing that the loop carries has changed."""
        for name, value in after.env.items():
            if isinstance(name, str):
                known = before.env.get(name, value)
                if known is not value and known != value:
                    return False
        return True

    def _unknown_bound(self, counters: dict[str, int], tests: frozenset[str]) -> bool:
        """A counter is compared with a limit that nothing is known of."""
        if not (counters.keys() & tests):
            return False
        rises = any(direction > 0 for name, direction in counters.items() if name in tests)
        apart = [(a, b) for a, b in self.comparisons if (a.exact is None) != (b.exact is None)]
        limits = [b if a.exact is not None else a for a, b in apart]
        return any((limit.hi if rises else limit.lo) is None for limit in limits)

    def _endless_or_unknown(
        self,
        step: Loop,
        state: State,
        flow: Flow,
        exhausted: State | None,
        clocked: bool,
        last: Interval,
        delta: Interval,
    ) -> Flow:
        """Every further iteration is like the last one: without a bound, or bounded by a clock."""
        if clocked:
            return self._by_clock(step, state, flow, exhausted)
        rest = self._summarised(step, self._relative(state), UNBOUNDED, UNKNOWN)
        return self._join_rest(state, flow, exhausted, rest, step, unbounded=True)

    def _by_clock(self, step: Loop, state: State, flow: Flow, exhausted: State | None) -> Flow:
        """The clock's limit, and one more wait."""
        limit = ZERO
        first = True
        for one in self.clock_limits:
            limit = one if first else limit.join(one)
            first = False
        limit = limit.maximum(ZERO)
        before, self.waits = self.waits, {}
        again = state.copy()
        again.wait = ZERO
        again.clock = ANY  # the clock may show anything by then
        one_flow = self._iteration(step, again)
        after = merge(one_flow.normal, one_flow.continued)
        for name in ("broken", "returned", "raised"):
            setattr(flow, name, merge(getattr(flow, name), getattr(one_flow, name)))
        if exhausted is None and not (isinstance(step.subject, Constant) and step.subject.value is True):
            exhausted = state.copy()
        each = after.wait if after is not None else one_flow.longest()
        inside, self.waits = self.waits, before
        total = limit + Interval(0.0, each.hi, each.seen) if each.hi != 0 else ZERO
        if each.hi is None and limit.hi is not None:
            total = Interval(None, None, limit.hi)
        if limit.hi is None:
            total = Interval(limit.lo if each.lo else None, None, None)
        times = ANY
        for wait in inside.values():
            self.waits.pop(wait.place, None)
            self.waits[wait.place] = wait._replace(total=total, times=times)
        ended = after if after is not None else state.copy()
        for left in (flow.broken, flow.returned, flow.raised):
            if left is not None:
                left.wait = total
                left.clock = later(left.clock, total)
        flow.continued = None
        if exhausted is not None:
            ended.wait = total
            ended.clock = later(state.clock, total)
            flow.normal = merge(exhausted, ended)
            if flow.normal is not None:
                flow.normal.wait = total
        elif flow.broken is None and flow.returned is None and flow.raised is None:
            flow.diverged = UNBOUNDED
        return flow

    @staticmethod
    def _relative(state: State) -> State:
        copy = state.copy()
        copy.wait = ZERO
        return copy

    def _join_rest(
        self, state: State, flow: Flow, exhausted: State | None, rest: Flow, step: Loop, unbounded: bool
    ) -> Flow:
        endless = rest.diverged is not None and (rest.diverged.hi is None or rest.diverged.hi > 0)
        for one in (rest.broken, rest.returned, rest.raised):
            if one is not None:
                one.wait = state.wait + one.wait
        if unbounded:
            if exhausted is not None:
                if endless or any(w.loop_total.reach is None or True for w in self.waits.values()):
                    exhausted.wait = UNBOUNDED if self._waits_inside(rest) else exhausted.wait
                    exhausted.clock = later(exhausted.clock, UNBOUNDED) if self._waits_inside(rest) else exhausted.clock
                flow.normal = exhausted
            for name in ("broken", "returned", "raised"):
                left = getattr(flow, name)
                if left is not None and self._waits_inside(rest):
                    left.wait = UNBOUNDED
                    left.clock = later(left.clock, UNBOUNDED)
            if rest.diverged is not None and exhausted is None and flow.broken is None and flow.returned is None:
                flow.diverged = rest.diverged if flow.diverged is None else worst(flow.diverged, rest.diverged)
            elif rest.diverged is not None and self._waits_inside(rest):
                flow.diverged = UNBOUNDED
            flow.absorb(Flow(broken=rest.broken, returned=rest.returned, raised=rest.raised))
        else:
            flow.absorb(Flow(broken=rest.broken, returned=rest.returned, raised=rest.raised))
            flow.normal = merge(exhausted, rest.normal)
        return flow

    @staticmethod
    def _waits_inside(rest: Flow) -> bool:
        return rest.diverged is not None and (rest.diverged.hi is None or rest.diverged.hi > 0)

    def _unknown_times(self, step: Loop, state: State, flow: Flow, exhausted: State | None) -> Flow:
        done = state.wait
        rest = self._summarised(step, self._relative(state), Interval(0.0, None), UNKNOWN)
        if rest.normal is not None:
            rest.normal.wait = done + rest.normal.wait
        return self._join_rest(state, flow, exhausted, rest, step, unbounded=False)

    def _long(
        self,
        step: Loop,
        state: State,
        flow: Flow,
        exhausted: State | None,
        gaps: list[float],
        clocked: bool,
        delta: Interval,
    ) -> Flow:
        """Too many iterations to follow one by one: what is left is computed."""
        if clocked and self._known_clock():
            return self._by_clock(step, state, flow, exhausted)
        if len(gaps) >= 2 and gaps[-2] > gaps[-1]:
            left = math.ceil(gaps[-1] / (gaps[-2] - gaps[-1]))
            done = state.wait
            rest = self._summarised(step, self._relative(state), Interval.exactly(float(left)), UNKNOWN)
            if rest.normal is not None:
                rest.normal.wait = done + rest.normal.wait
            return self._join_rest(state, flow, exhausted, rest, step, unbounded=False)
        if clocked or gaps:
            return self._unknown_times(step, state, flow, exhausted)
        rest = self._summarised(step, self._relative(state), UNBOUNDED, UNKNOWN)
        return self._join_rest(state, flow, exhausted, rest, step, unbounded=True)

    # Retries

    def _attempts(self, subject: Abstract, step: Loop) -> retry.Plan | None:
        """``for attempt in Retrying(...)``."""
        candidates: list[SiteKey] = []
        if isinstance(subject, Foreign) and subject.meaning.callable.retry is not None:
            return retry.plan(subject, self.evaluator) if subject.meaning.callable.retry.iterator else None
        if isinstance(step.subject, Result):
            candidates.append(SiteKey(self.module, self.number, step.subject.site))
        for key in candidates:
            for meaning in self.calls.meanings(key):
                if meaning.callable.retry is not None and meaning.callable.retry.iterator:
                    return retry.plan(Foreign(meaning, key, ()), self.evaluator)
        return None

    def _retry_loop(self, step: Loop, state: State, plan: retry.Plan) -> Flow:
        span = Span(step.span.line, step.span.column, step.span.end_line, step.span.end_column)
        self.tries += 1
        before, self.waits = self.waits, {}
        start = state.copy()
        start.wait = ZERO
        if step.target is not None:
            self.assign(step.target, UNKNOWN, start)
        one = self._iteration(step, start)
        self.tries -= 1
        after = merge(merge(one.normal, one.continued), one.raised)
        each = one.longest()
        inside, self.waits = self.waits, before
        total = plan.total(each)
        for wait in inside.values():
            self.note(
                wait._replace(
                    total=_multiplied(wait.total, plan.attempts, plan.attempts.unbounded),
                    times=wait.times.times(plan.attempts),
                )
            )
        if plan.pauses.hi != 0 or plan.pauses.seen:
            self.note(
                Wait(
                    Place(self.func, span),
                    plan.subject,
                    "retry",
                    plan.longest,
                    plan.pauses,
                    True,
                    total,
                    plan.gaps,
                    (),
                    0,
                )
            )
            self.own_wait = True
        flow = Flow()
        for left in (one.returned, one.broken, after):
            if left is not None:
                left.wait = total
                left.clock = later(left.clock, total)
        flow.returned, flow.broken = one.returned, one.broken
        flow.normal = after
        if total.unbounded and after is not None:
            flow.diverged = UNBOUNDED
        return flow

    # Waits

    def note(self, wait: Wait) -> None:
        """Remember a wait of the current region; the same wait again adds up."""
        known = self.waits.get(wait.place)
        if known is None:
            self.waits[wait.place] = wait
            return
        self.waits[wait.place] = known._replace(
            once=known.once.join(wait.once) if known.once != wait.once else known.once,
            total=known.total + wait.total,
            looped=known.looped or wait.looped,
            loop_total=worst(known.loop_total, wait.loop_total),
            times=known.times + wait.times,
            hops=known.hops if worst(known.loop_total, wait.loop_total) == known.loop_total else wait.hops,
            depth=min(known.depth, wait.depth),
            endless=known.endless or wait.endless,
            interruptible=known.interruptible and wait.interruptible,
            entered_loop=known.entered_loop or wait.entered_loop,
        )

    def pause(
        self,
        state: State,
        seconds: Interval,
        span: Span,
        what: str,
        kind: str,
        interruptible: bool = False,
        place: Place | None = None,
    ) -> None:
        seconds = seconds.at_least_zero() if seconds.hi is not None else seconds
        if seconds.exact == 0:
            return  # a checkpoint
        if seconds.lo is None:
            seconds = Interval(0.0, seconds.hi, seconds.seen)  # whatever it is, nobody sleeps for less
        state.pause(seconds)
        self.own_wait = True
        self.note(
            Wait(
                place or Place(self.func, span),
                what,
                kind,
                seconds,
                seconds,
                False,
                ZERO,
                Interval.exactly(1.0),
                (),
                0,
                False,
                interruptible,
            )
        )

    def apply(self, summary: Summary, callee: Func, state: State, span: Span, concurrent: bool = False) -> Interval:
        """What a callee does happens here. Returns its wait; unless it runs beside others, the path waits."""
        if summary is EMPTY:
            return ZERO
        name = self.program.local_name(callee) or "<lambda>"
        hop = Hop(self.path, span.line, span.column, f"{self.program.local_name(self.func) or self.path} calls {name}")
        for wait in summary.waits:
            if len(wait.hops) >= MAX_HOPS:
                continue
            self.note(wait._replace(hops=(hop, *wait.hops), depth=wait.depth + 1, interruptible=wait.interruptible))
        covered = any(self.covers)
        for exposure in summary.exposures:
            if covered and not exposure.shielded:
                continue
            if len(exposure.hops) >= MAX_HOPS or (self.func in exposure.chain and not self.is_name):
                continue
            self.expose(exposure._replace(hops=(hop, *exposure.hops), chain=(self.func, *exposure.chain)))
        if summary.recursive:
            self.recursive = True
        if not concurrent:
            state.pause(summary.total, summary.least)
            if summary.expires:
                state.ended = True
        return summary.total

    def expose(self, exposure: Exposure) -> None:
        key = (exposure.place, exposure.shielded)
        known = self.exposures.get(key)
        if known is None or (len(exposure.hops), exposure.hops) < (len(known.hops), known.hops):
            self.exposures[key] = exposure

    # Calls

    def call_site(self, key: SiteKey, site: Site, state: State) -> Abstract:
        """Make the call: effects of sync callees happen now, those of async ones when awaited."""
        special = self.interpreter._method_of_value(key, site, state)
        if special is not None:
            return special
        self._note_cancel(site, state)
        callee = (
            self.value(site.callee, state)
            if not isinstance(site.callee, Attribute)
            else self._method(site.callee, state)
        )
        found: list[Abstract] = []
        alternatives = list(options(callee))
        meanings = self.calls.meanings(key)
        if isinstance(callee, (Unknown, Things)) or not any(
            isinstance(o, (Closure, Bundle, Retried)) for o in alternatives
        ):
            for meaning in meanings:
                found.extend(options(self.catalogued(meaning, key, site, state)))
        projects: list[Abstract] = []
        for one in alternatives:
            if isinstance(one, (Closure, Bundle, Retried)):
                projects.append(one)
            elif isinstance(one, Things):
                projects.extend(self._project_callees(one))
                for entity in one.entities:
                    if isinstance(entity, Cls):
                        found.append(Things(frozenset({Inst(entity, True)})))
        if projects:
            positional, keywords = self._arguments(key, site, state)
            if self.loose:
                self._hand_on((*positional, *(v for _, v in keywords)))
            if len(projects) == 1:
                found.extend(options(self.call(projects[0], positional, keywords, key, state, site.span)))
            else:
                joined: State | None = None
                for target in projects[:24]:
                    copy = state.copy()
                    found.extend(options(self.call(target, positional, keywords, key, copy, site.span)))
                    joined = merge(joined, copy)
                assert joined is not None
                state.follow(joined)
        elif not found and is_receiver_like_client(self.inference, key, site):
            return self._named_like_client(key, site, state)
        if not found:
            things = self.inference.solver.get(("result", *key))
            return Things(things) if things else UNKNOWN
        return either(found)

    def _leave_running(self, state: State) -> None:
        """No deadline here cancels what runs in tasks that nobody awaits."""
        if not self.loose:
            return
        waits, self.waits = self.waits, {}

        def run() -> Abstract:
            for what in self.loose.values():
                if isinstance(what, Foreign):
                    self._outbound(what, state, self.scope.span)
                else:
                    self.run_pending(what, State({}), self.scope.span)
            return None

        self._shielded(run)
        self.waits = waits

    def _hand_on(self, values: tuple[Abstract, ...]) -> None:
        """Tasks that somebody else gets to await."""
        for value in values:
            for one in options(value):
                if isinstance(one, Started):
                    self.loose.pop(one.site, None)
                elif isinstance(one, Items):
                    self._hand_on(one.items)
                elif isinstance(one, Repeated):
                    self._hand_on((one.element,))

    def _method(self, callee: Attribute, state: State) -> Abstract:
        """The callee of a method call, bound to what the receiver is known to be on this path."""
        base = self.value(callee.value, state)
        found: list[Abstract] = []
        for one in options(base):
            if isinstance(one, Things):
                for entity in ordered(one.entities):
                    things = self.inference.attribute(entity, callee.name)
                    if things:
                        found.append(Things(things))
                    if isinstance(entity, Inst) and isinstance(entity.of, Cls):
                        held = (
                            self.evaluator.instance_value(entity, callee.name)
                            if callee.name not in self._method_names(entity.of)
                            else UNKNOWN
                        )
                        found.extend(o for o in options(held) if isinstance(o, (Closure, Bundle)))
        if found:
            return either(found)
        things = self.inference.of(self.module, self.number, callee)
        return Things(things) if things else UNKNOWN

    def _method_names(self, cls: Cls) -> set[str]:
        names: set[str] = set()
        for base in self.inference.mro(cls):
            if isinstance(base, Cls):
                names |= self.program.layouts[base].methods.keys()
        return names

    def _project_callees(self, things: Things) -> list[Abstract]:
        found: list[Abstract] = []
        for entity in ordered(things.entities):
            if isinstance(entity, (Func, Bound)):
                found.append(self.callable_value(entity))
            elif isinstance(entity, Partial):
                inner = self._project_callees(Things(frozenset({entity.target})))
                bound = self.interpreter.evaluator.result(
                    entity.site.module, entity.site.scope, entity.site.index, None
                )
                found.append(bound if isinstance(bound, Bundle) else inner[0] if inner else UNKNOWN)
            elif isinstance(entity, Cls):
                for func, offset, _ in self.inference.targets(entity):
                    if offset == 1:
                        found.append(Closure(Bound(func._replace(raw=True), Inst(entity, True))))
            elif isinstance(entity, Inst) and isinstance(entity.of, Cls):
                for method in ordered(self.inference.attribute(entity, "__call__")):
                    if isinstance(method, Bound):
                        found.append(self.callable_value(method))
        return [f for f in found if not isinstance(f, Unknown)]

    def callable_value(self, entity: Func | Bound) -> Abstract:
        """A function or method with its decorators applied."""
        func = entity.func if isinstance(entity, Bound) else entity
        if func.raw or not self.program.scope(func).decorators:
            return Closure(entity)
        value = self.interpreter.decorated(func)
        return self._rebound(value, entity) if isinstance(entity, Bound) else value

    def _rebound(self, value: Abstract, method: Bound) -> Abstract:
        """A decorated method: the outermost function gets the receiver."""
        if isinstance(value, Closure):
            target = value.target
            if isinstance(target, Func):
                return Closure(Bound(target, method.owner), value.free)
            return value
        if isinstance(value, Retried):
            return value._replace(target=self._rebound(value.target, method))
        if isinstance(value, Either):
            return either(Interpreter._flat([self._rebound(o, method) for o in value.options]))
        if isinstance(value, Things):
            return (
                Closure(Bound(method.func._replace(raw=True), method.owner))
                if not value.entities
                else either([Closure(e) for e in ordered(value.entities) if isinstance(e, (Func, Bound))] or [UNKNOWN])
            )
        return value

    def _arguments(
        self, key: SiteKey, site: Site, state: State
    ) -> tuple[tuple[Abstract, ...], tuple[tuple[str, Abstract], ...]]:
        positional: list[Abstract] = []
        keywords: list[tuple[str, Abstract]] = []
        for argument in site.arguments:
            value = self.value(argument.value, state)
            if argument.name == "":
                positional.append(value)
            elif argument.name == "*":
                if isinstance(value, Items):
                    positional.extend(value.items)
                else:
                    keywords.append(("*", value))
            elif argument.name == "**":
                if isinstance(value, Table) and value.complete and all(isinstance(k, str) for k, _ in value.items):
                    keywords.extend((str(k), v) for k, v in value.items)
                else:
                    keywords.append(("**", value))
            else:
                keywords.append((argument.name, value))
        return tuple(positional), tuple(keywords)

    def _named_arguments(self, key: SiteKey, state: State) -> tuple[tuple[str, Abstract], ...]:
        positional, keywords = self._arguments(key, self.program.site(key), state)
        return tuple((str(i), v) for i, v in enumerate(positional)) + keywords

    def call(
        self,
        target: Abstract,
        positional: tuple[Abstract, ...],
        keywords: tuple[tuple[str, Abstract], ...],
        key: SiteKey,
        state: State,
        span: Span,
    ) -> Abstract:
        """Call a project callable."""
        if isinstance(target, Bundle):
            return self.call(
                target.target, target.positional + positional, _merged(target.keywords, keywords), key, state, span
            )
        if isinstance(target, Things):
            found: list[Abstract] = []
            for one in self._project_callees(target):
                found.extend(options(self.call(one, positional, keywords, key, state, span)))
            return either(found) if found else UNKNOWN
        if isinstance(target, Either):
            found = []
            for one in target.options:
                found.extend(options(self.call(one, positional, keywords, key, state, span)))
            return either(found) if found else UNKNOWN
        if isinstance(target, Retried):
            inner = self._innermost(target)
            if inner is not None and self.program.scope(inner).is_async:
                return Pending(target, positional, keywords, key)
            return self.run_retried(target, positional, keywords, key, state, span)
        if not isinstance(target, Closure):
            return UNKNOWN
        return self.call_closure(target, positional, keywords, key, state, span)

    def _innermost(self, target: Abstract) -> Func | None:
        while isinstance(target, Retried):
            target = target.target
        if isinstance(target, Closure):
            entity = target.target
            return (entity.func if isinstance(entity, Bound) else entity).plain  # type: ignore[union-attr]
        return None

    def call_closure(
        self,
        target: Closure,
        positional: tuple[Abstract, ...],
        keywords: tuple[tuple[str, Abstract], ...],
        key: SiteKey,
        state: State,
        span: Span,
        awaited: bool = False,
    ) -> Abstract:
        entity = target.target
        func = entity.func if isinstance(entity, Bound) else entity
        assert isinstance(func, Func)
        if not func.raw and self.program.scope(func).decorators:
            value = self.callable_value(entity)  # type: ignore[arg-type]
            if value != target:
                return self.call(value, positional, keywords, key, state, span)
        func = func.plain
        scope = self.program.scope(func)
        if scope.is_generator and not awaited:
            kind = "manager" if "manager" in self.inference.flags(func) else "generator"
            return Pending(target, positional, keywords, key, kind)
        if scope.is_async and not awaited:
            return Pending(target, positional, keywords, key)
        interesting = target.free or any(
            isinstance(o, (Closure, Bundle, Pending, Foreign, Started, Retried))
            for v in (*positional, *(v for _, v in keywords))
            for o in options(v)
        )
        if func not in self.interpreter.relevance.matters and not interesting:
            if scope.is_async:
                return Late(target, positional, keywords, key)
            return Late(target, positional, keywords, key)
        summary = self.interpreter.summary(target, positional, keywords)
        if self._transparent(func, summary):
            self._transparent_wait(summary, func, state, span)
        else:
            self.apply(summary, func, state, span)
        if summary.endless and not summary.recursive:
            return Never(None)
        if scope.is_async and isinstance(summary.returned, (Unknown, Things)):
            return Late(target, positional, keywords, key)
        return summary.returned

    def _transparent(self, func: Func, summary: Summary) -> bool:
        """A function that only waits: one own wait, no loop, nothing else in its body."""
        if len(summary.waits) != 1 or summary.exposures or summary.waits[0].looped or summary.waits[0].depth > 1:
            return False
        return self.interpreter.only_waits(func)

    def _transparent_wait(self, summary: Summary, func: Func, state: State, span: Span) -> None:
        wait = summary.waits[0]
        self.pause(state, wait.once, span, wait.what, wait.kind)

    # Awaiting

    def run_awaitable(self, value: Abstract, state: State, span: Span, source: Value | None) -> Abstract:
        """``await value``."""
        results: list[Abstract] = []
        ran = False
        alternatives = list(options(value))
        many = sum(isinstance(o, (Pending, Foreign, Started)) for o in alternatives) > 1
        joined: State | None = None
        for one in alternatives:
            target_state = state.copy() if many else state
            if isinstance(one, Pending):
                ran = True
                result = self.run_pending(one, target_state, span)
                if isinstance(result, Never) and len(alternatives) == 1:
                    return result
                results.append(UNKNOWN if isinstance(result, Never) else result)
            elif isinstance(one, Foreign):
                ran = True
                results.append(self.run_foreign(one, target_state, span))
            elif isinstance(one, Started):
                ran = True
                results.append(self.run_started(one, target_state, span))
            elif isinstance(one, Late):
                results.append(one)
            elif isinstance(one, Things):
                results.append(self._await_things(one, target_state, span))
            else:
                results.append(UNKNOWN)
            joined = merge(joined, target_state) if many else joined
        if many and joined is not None:
            state.follow(joined)
        if len(alternatives) > 1 and not (
            many and all(isinstance(o, (Pending, Foreign, Started)) for o in alternatives)
        ):
            state.ended = False
        del ran
        flat = Interpreter._flat(results)
        return either(flat) if flat else UNKNOWN

    def _await_things(self, value: Things, state: State, span: Span) -> Abstract:
        """Coroutines that the linker knows and the path does not: run them with the join of their parameters."""
        results: list[Abstract] = []
        rest: set[Entity] = set()
        for entity in ordered(value.entities):
            if isinstance(entity, (Coro, Task)):
                target = entity.target
                if isinstance(target, (Func, Bound)):
                    func = target.func if isinstance(target, Bound) else target
                    summary = self.interpreter.default_summary(func.plain)
                    self.apply(summary, func.plain, state, span)
            elif isinstance(entity, Inst) and isinstance(entity.of, Cls):
                for method in ordered(self.inference.attribute(entity, "__await__")):
                    if isinstance(method, Bound) and method.func in self.interpreter.relevance.matters:
                        self.apply(self.interpreter.default_summary(method.func.plain), method.func.plain, state, span)
            else:
                rest.add(entity)
        state.ended = state.ended and len(value.entities) == 1
        found = self.inference.awaited(value.entities)
        results.append(Things(found) if found else UNKNOWN)
        return either(Interpreter._flat(results))

    def run_pending(self, pending: Pending, state: State, span: Span, entering: bool = False) -> Abstract:
        target = pending.target
        where = (
            self.program.site(pending.site).span
            if pending.site.module == self.module and pending.site.scope == self.number and pending.site.index >= 0
            else span
        )
        if isinstance(target, Retried):
            return self.run_retried(target, pending.positional, pending.keywords, pending.site, state, where)
        if not isinstance(target, Closure) or (pending.kind == "generator" and not entering):
            return UNKNOWN  # ``anext(gen())`` takes one item: nobody says which waits come before it
        entity = target.target
        func = (entity.func if isinstance(entity, Bound) else entity).plain  # type: ignore[union-attr]
        assert isinstance(func, Func)
        return self.call_closure(
            target._replace(target=_raw(entity)),
            pending.positional,
            pending.keywords,
            pending.site,
            state,
            where,
            awaited=True,
        )

    def run_started(self, started: Started, state: State, span: Span) -> Abstract:
        """Await a task: it has been running since it was made."""
        if started.site in self.cancelled:
            if isinstance(started.what, (Pending, Foreign)):
                self.loose[started.site] = started.what
            return UNKNOWN
        self.loose.pop(started.site, None)
        copy = state.copy()
        copy.wait, copy.clock = ZERO, ZERO
        result = self.run_awaitable(started.what, copy, self._task_span(started, span), None)
        ran = passed(state.clock, started.since)
        state.pause((copy.wait - ran).maximum(ZERO), max((copy.clock - ran).lo or 0.0, 0.0))
        state.ended = copy.ended
        return UNKNOWN if isinstance(result, Never) else result

    def _task_span(self, started: Started, span: Span) -> Span:
        if started.site.module == self.module and started.site.scope == self.number and started.site.index >= 0:
            return self.program.site(started.site).span
        return span

    def run_together(self, values: list[Abstract], state: State, span: Span) -> Abstract:
        """``gather``: side by side, as long as the longest."""
        longest, least = ZERO, 0.0
        results: list[Abstract] = []
        for value in values:
            for one in options(value):
                parts: list[Abstract] = (
                    list(one.items) if isinstance(one, Items) else [one.element] if isinstance(one, Repeated) else [one]
                )
                for part in parts:
                    copy = state.copy()
                    copy.wait = ZERO
                    result = self.run_awaitable(part, copy, span, None)
                    results.append(UNKNOWN if isinstance(result, Never) else result)
                    longest = (
                        worst(longest, result.total or UNBOUNDED)
                        if isinstance(result, Never)
                        else worst(longest, copy.wait)
                    )
                    if not isinstance(value, Either) and not copy.ended:
                        least = max(least, passed(copy.clock, state.clock).lo or 0.0)
        state.pause(longest, least)
        return Items(tuple(results)) if len(results) < 64 else UNKNOWN

    def run_retried(
        self,
        target: Retried,
        positional: tuple[Abstract, ...],
        keywords: tuple[tuple[str, Abstract], ...],
        key: SiteKey,
        state: State,
        span: Span,
    ) -> Abstract:
        """A decorated call: attempts of what is inside, with the waits between them."""
        plan = self._plan(target)
        func = target.decorated
        inner = Activation(self.interpreter, func, {})
        start = State({})
        result: Abstract = UNKNOWN
        if isinstance(target.target, Retried):
            result = inner.run_retried(target.target, positional, keywords, key, start, span)
        elif isinstance(target.target, Closure):
            entity = target.target.target
            function = (entity.func if isinstance(entity, Bound) else entity).plain  # type: ignore[union-attr]
            if function in self.interpreter.relevance.matters or any(
                isinstance(o, (Closure, Bundle, Pending, Foreign))
                for v in (*positional, *(x for _, x in keywords))
                for o in options(v)
            ):
                summary = self.interpreter.summary(target.target, positional, keywords)
                for wait in summary.waits:
                    inner.note(wait)
                for exposure in summary.exposures:
                    inner.expose(exposure)
                start.pause(summary.total)
                result = summary.returned
        each = start.wait
        total = plan.total(each)
        waits: list[Wait] = []
        for wait in inner.waits.values():
            times = wait.times.times(plan.attempts)
            looped = wait._replace(total=_multiplied(wait.total, plan.attempts, plan.attempts.unbounded), times=times)
            if not (plan.pauses.hi != 0 or plan.pauses.seen):
                looped = looped._replace(looped=True, loop_total=worst(wait.loop_total, total))
            waits.append(looped)
        if (plan.pauses.hi != 0 or plan.pauses.seen) and plan.repeats:
            place = Place(func, self.program.scope(func).decorators[target.position].span)
            waits.append(Wait(place, plan.subject, "retry", plan.longest, plan.pauses, True, total, plan.gaps))
        summary = Summary(total, tuple(waits), tuple(inner.exposures.values()), result)
        if self.func == func:
            for wait in waits:
                self.note(wait)
            for exposure in summary.exposures:
                self.expose(exposure)
            state.pause(total, 0.0)
        else:
            self.apply(summary, func, state, span)
        return result

    def _plan(self, target: Retried) -> retry.Plan:
        key = target.site
        if key.index >= 0:
            value = self.evaluator.result(key.module, key.scope, key.index, None)
            if isinstance(value, Foreign):
                return retry.plan(value, self.evaluator)
            for meaning in self.calls.meanings(key):
                if meaning.callable.retry is not None:
                    return retry.plan(Foreign(meaning, key, ()), self.evaluator)
        scope = self.program.scope(target.decorated)
        for entity in self.inference.of(target.decorated.module, scope.parent, scope.decorators[target.position].value):
            meaning_ = self.calls.meaning(entity)
            if meaning_ is not None and meaning_.callable.retry is not None:
                return retry.plan(
                    Foreign(meaning_, SiteKey(target.decorated.module, scope.parent, -1), ()), self.evaluator
                )
        return retry.NEVER

    def run_iteration(self, value: Abstract, state: State, span: Span) -> Abstract | None:
        """Iterate to the end over a generator of the project; its waits all happen. None: it is no generator."""
        for one in options(value):
            if isinstance(one, Pending) and one.kind == "generator" and isinstance(one.target, Closure):
                entity = one.target.target
                func = (entity.func if isinstance(entity, Bound) else entity).plain  # type: ignore[union-attr]
                summary = self.interpreter.summary(one.target, one.positional, one.keywords)
                self.apply(summary, func, state, span)
                return summary.yielded
            if isinstance(one, Things):
                for entity in ordered(one.entities):
                    if isinstance(entity, Generator) and isinstance(entity.func, (Func, Bound)):
                        func = (entity.func.func if isinstance(entity.func, Bound) else entity.func).plain
                        if func in self.interpreter.relevance.matters:
                            summary = self.interpreter.default_summary(func)
                            self.apply(summary, func, state, span)
                        return self.evaluator.element(Things(frozenset({entity})))
            if isinstance(one, Foreign):
                self.run_foreign(one, state, span)
        return None

    # The catalogue's effects

    def catalogued(self, meaning: Meaning, key: SiteKey, site: Site, state: State) -> Abstract:
        """A call that the catalogue knows: sync effects now, async ones as a :class:`Foreign` that is awaited."""
        said = meaning.callable
        if not self._conditions_hold(meaning, key, state):
            return UNKNOWN
        computed = self.evaluator.computed(said, key, state)
        if computed is not None:
            return computed
        if said.deadline is not None and said.deadline.scope:
            return self.interpreter._limit(meaning, key, state)
        if said.exits is not None:
            return self._exit_stack(said.exits, key, state, site)
        if said.spawn is not None and not said.is_async:
            return self._spawn(meaning, key, site, state)
        if said.is_async or said.awaits is not None or said.shields is not None:
            return Foreign(meaning, key, self._named_arguments(key, state))
        if said.outbound is not None or (said.deadline is not None and said.deadline.covers is not None):
            return Foreign(meaning, key, self._named_arguments(key, state))
        if said.wait is not None:
            self._wait(meaning, key, state, site.span, "blocking")
            return None
        if said.calls is not None or said.runs_main is not None:
            spec = said.calls or said.runs_main or "@0"
            value = self.evaluator.argument(key, spec, state)
            if value is not None:
                for one in options(value):
                    if isinstance(one, (Pending, Foreign, Started)):
                        self.run_awaitable(one, state, site.span, None)
                    elif isinstance(one, (Closure, Bundle, Retried, Things)):
                        result = self.call(one, (), (("**", UNKNOWN),), key, state, site.span)
                        if isinstance(result, Pending):
                            self.run_pending(result, state, site.span)
        things = self.inference.solver.get(("result", *key))
        return Things(things) if things else UNKNOWN

    def _conditions_hold(self, meaning: Meaning, key: SiteKey, state: State) -> bool:
        for condition in meaning.callable.when:
            value = self.evaluator.argument(key, condition.argument, state)
            if condition.absent is not None and (value is None) != condition.absent:
                return False
            if condition.none is not None:
                is_none = value is not None and either(list(options(value))) is None
                if is_none != condition.none:
                    return False
            if condition.equals is not None:
                wanted = condition.equals
                got = either(list(options(value))) if value is not None else None
                if isinstance(wanted, (bool, str)):
                    if got != wanted:
                        return False
                elif number(got).exact != float(wanted):
                    return False
        return True

    def _wait(self, meaning: Meaning, key: SiteKey, state: State, span: Span, kind: str) -> None:
        wait = meaning.callable.wait
        assert wait is not None
        seconds = ANY
        if wait.seconds is not None:
            value = self.evaluator.argument(key, wait.seconds, state)
            if value is not None:
                seconds = number(either(list(options(value)))).times(Interval.exactly(wait.unit))
        elif wait.fixed is not None:
            seconds = Interval.exactly(wait.fixed)
        self.pause(state, seconds, span, meaning.path, kind)

    def _spawn(self, meaning: Meaning, key: SiteKey, site: Site, state: State) -> Abstract:
        spawn = meaning.callable.spawn
        assert spawn is not None
        value = self.evaluator.argument(key, spawn.what, state)
        things = self.inference.solver.get(("result", *key))
        fallback: Abstract = Things(things) if things else UNKNOWN
        if value is None:
            return fallback
        what = either(list(options(value)))
        if spawn.attached:
            copy = state.copy()
            copy.wait = ZERO
            if any(
                isinstance(o, (Closure, Bundle, Retried)) or (isinstance(o, Things) and not spawn.task)
                for o in options(what)
            ):
                positional = tuple(self.value(a.value, state) for a in site.arguments[1:] if a.name == "")
                made = self.call(what, positional, (), key, copy, site.span)
                result = self.run_awaitable(made, copy, site.span, None)
            else:
                result = self.run_awaitable(what, copy, site.span, None)
            duration = UNBOUNDED if isinstance(result, Never) else copy.wait
            ran = passed(copy.clock, state.clock)
            if self.groups:
                self.groups[-1].append((state.clock, duration, ran))
            else:
                state.pause(duration, ran.lo)
            return fallback if not spawn.task else Things(frozenset())
        if not spawn.task or spawn.thread:
            return fallback
        started = [Started(o, key, state.clock) for o in options(what) if isinstance(o, (Pending, Foreign, Started))]
        for one in started:
            if isinstance(one.what, Pending) or (
                isinstance(one.what, Foreign) and one.what.meaning.callable.outbound is not None
            ):
                self.loose[key] = one.what
        return either(started) if started else fallback

    def _exit_stack(self, spec: str, key: SiteKey, state: State, site: Site) -> Abstract:
        """``await stack.enter_async_context(cm)``: the deadline holds to the end of the function."""
        value = self.evaluator.argument(key, spec, state)
        if value is None:
            return UNKNOWN
        limits, _ = self.enter(value, written_argument(site, spec) or UnknownValue(), state, site.span, True)
        for limit in limits:
            self.covers.append(_covers(limit.seconds))
            if self.stacks:
                self.stacks[-1].append((state.clock, limit))
                self.expiries.append(state.clock + number(limit.seconds) if _covers(limit.seconds) else ANY)
        things = self.inference.solver.get(("result", *key))
        return Things(things) if things else UNKNOWN

    def run_foreign(self, foreign: Foreign, state: State, span: Span) -> Abstract:
        """Await (or enter) something of a library."""
        meaning, key = foreign.meaning, foreign.site
        said = meaning.callable
        arguments = dict(foreign.arguments)
        own = key.module == self.module and key.scope == self.number
        site = self.program.site(key) if key.index >= 0 else None
        where = site.span if site is not None and own else span
        if said.wait is not None:
            place = None
            if (
                site is not None
                and not own
                and self.program.modules[key.module].facts.scopes[key.scope].kind == "lambda"
            ):
                place = Place(Func(key.module, key.scope), site.span)
            self._foreign_wait(meaning, arguments, state, span if own else where, place)
            return (
                _argument(arguments, "result@1")
                if said.returns == "argument:result@1" and "result" in arguments
                else UNKNOWN
            )
        if said.deadline is not None and said.deadline.covers is not None:
            return self._wait_for(meaning, arguments, state, where)
        if said.shields is not None:
            inner = _argument(arguments, said.shields)
            return self._shielded(lambda: self.run_awaitable(inner, state, where, None))
        if said.spawn is not None and said.is_async:
            return self._executor(meaning, arguments, key, state, where)
        if said.awaits is not None:
            values = _arguments(arguments, said.awaits)
            if said.concurrent or said.awaits.startswith("*"):
                before_wait, before_clock = state.wait, state.clock
                if said.cancels:
                    result = self.run_together(values, state, where)
                else:
                    result = self._shielded(lambda: self.run_together(values, state, where))
                limit = arguments.get("timeout")
                if not said.cancels and limit is not None and (cap := number(limit)).hi is not None:
                    gap = state.wait - before_wait if before_wait.exact is not None else ANY
                    if gap.hi is not None and cap.hi is not None and gap.hi > cap.hi:
                        state.wait = before_wait + cap
                    state.clock = state.clock.minimum(before_clock + cap)
                return result
            results = [self.run_awaitable(v, state, where, None) for v in values]
            return results[0] if results else UNKNOWN
        if said.outbound is not None:
            self._outbound(foreign, state, where)
        things = self.inference.solver.get(("result", *key)) if key.index >= 0 else frozenset()
        return Things(things) if things else UNKNOWN

    def _shielded(self, run: Callable[[], Abstract]) -> Abstract:
        """What no deadline around reaches: it goes on when the caller is cancelled."""
        saved, self.covers = self.covers, []
        before = dict(self.exposures)
        self.exposures = {}
        result = run()
        shielded, self.exposures = self.exposures, before
        self.covers = saved
        for exposure in shielded.values():
            self.expose(exposure._replace(shielded=True))
        return result

    def _foreign_wait(
        self, meaning: Meaning, arguments: dict[str, Abstract], state: State, span: Span, place: Place | None = None
    ) -> None:
        wait = meaning.callable.wait
        assert wait is not None
        seconds = ANY
        if wait.seconds is not None:
            value = _argument(arguments, wait.seconds)
            seconds = number(value).times(Interval.exactly(wait.unit))
        elif wait.fixed is not None:
            seconds = Interval.exactly(wait.fixed)
        self.pause(state, seconds, span, meaning.path, "sleep", place=place)

    def _wait_for(self, meaning: Meaning, arguments: dict[str, Abstract], state: State, span: Span) -> Abstract:
        deadline = meaning.callable.deadline
        assert deadline is not None and deadline.covers is not None
        seconds: Abstract = None
        if deadline.seconds is not None and _given(arguments, deadline.seconds):
            seconds = _argument(arguments, deadline.seconds)
        elif deadline.absent == "finite":
            seconds = UNKNOWN
        inner = _argument(arguments, deadline.covers)
        limit = Limit(seconds, False, SiteKey(self.module, self.number, -1))
        if self.loop_depth and self.swallowing and self._is_event_wait(inner) and not _is_none(seconds):
            interval = number(seconds)
            self.pause(state, Interval(0.0, interval.hi, interval.seen), span, meaning.path, "poll", interruptible=True)
            return UNKNOWN
        results: list[Abstract] = []

        def run(current: State) -> Flow:
            result = self.run_awaitable(inner, current, span, None)
            if isinstance(result, Never):
                results.append(UNKNOWN)
                return Flow(normal=None, diverged=UNBOUNDED)
            results.append(result)
            return Flow(raised=current) if current.ended else Flow(normal=current)

        flow = self._under((limit,), state, run, False)
        last = flow.normal or flow.raised
        if last is not None:
            state.follow(last)
            state.ended = flow.normal is None
        if flow.normal is None and flow.raised is None and flow.diverged is not None:
            return Never(flow.diverged)
        return results[0] if results else UNKNOWN

    def _is_event_wait(self, inner: Abstract) -> bool:
        """``event.wait()``, ``stop.wait()``: something that is set from elsewhere."""
        return any(isinstance(one, Foreign) and one.meaning.path.endswith(".wait") for one in options(inner))

    def _executor(
        self, meaning: Meaning, arguments: dict[str, Abstract], key: SiteKey, state: State, span: Span
    ) -> Abstract:
        """``to_thread`` and its relatives: the function's waits hold whoever awaits."""
        spawn = meaning.callable.spawn
        assert spawn is not None
        what = _argument(arguments, spawn.what)
        positional: tuple[Abstract, ...] = ()
        if spawn.arguments and spawn.arguments.startswith("*"):
            start = int(spawn.arguments[1:] or 0)
            positional = tuple(
                v for n, v in sorted(((int(k), v) for k, v in arguments.items() if k.isdigit())) if n >= start
            )
        keywords = tuple(
            (k, v) for k, v in arguments.items() if not k.isdigit() and k not in ("*", "**", "executor", "limiter")
        )
        found: list[Abstract] = []
        for one in options(what):
            if isinstance(one, (Closure, Bundle, Retried, Things)):
                result = self.call(one, positional, keywords, key, state, span)
                if isinstance(result, Pending):
                    continue
                found.extend(options(UNKNOWN if isinstance(result, Never) else result))
        return either(found) if found else UNKNOWN

    # Outbound

    def _outbound(self, foreign: Foreign, state: State, span: Span) -> None:
        said = foreign.meaning.callable
        group = said.outbound
        if group is None or group not in self.interpreter.settings.outbound_groups:
            return
        if any(self.covers):
            return
        if self.interpreter.own_deadline(foreign):
            return
        own = foreign.site.module == self.module and foreign.site.scope == self.number
        owner = Func(foreign.site.module, foreign.site.scope)
        place = Place(owner, self.program.site(foreign.site).span if foreign.site.index >= 0 else span)
        del own
        self.expose(
            Exposure(
                place, foreign.meaning.path, group, said.phases, Confidence(foreign.confidence), (), False, (self.func,)
            )
        )

    def _named_like_client(self, key: SiteKey, site: Site, state: State) -> Abstract:
        callee = site.callee
        assert isinstance(callee, Attribute)
        if "http" not in self.interpreter.settings.outbound_groups:
            return UNKNOWN
        from resilint.catalogue import Callable_

        receiver = callee.value
        name = receiver.name if isinstance(receiver, (Attribute, Reference)) else "client"
        meaning = Meaning(f"{name}.{callee.name}", Callable_(is_async=True, outbound="http", verb=True), Ext(name))
        return Foreign(meaning, key, (), "medium")

    def _note_cancel(self, site: Site, state: State) -> None:
        callee = site.callee
        if isinstance(callee, Attribute) and callee.name == "cancel":
            value = self.value(callee.value, state)
            for one in options(value):
                if isinstance(one, Started):
                    self.cancelled.add(one.site)


def _site_arguments(interpreter: Interpreter, key: SiteKey, site: Site) -> dict[str, Abstract]:
    positional, keywords = interpreter._static_arguments(key, site)
    return {**{str(i): v for i, v in enumerate(positional)}, **dict(keywords)}


def _raw(entity: Entity) -> Entity:
    if isinstance(entity, Bound):
        return Bound(entity.func._replace(raw=True), entity.owner)
    assert isinstance(entity, Func)
    return entity._replace(raw=True)


def _is_none(seconds: Abstract) -> bool:
    return seconds is None


def _covers(seconds: Abstract) -> bool:
    """A finite deadline: the literal None, alone or among the alternatives, is none; an unknown value is taken for
    one."""
    return not any(o is None for o in options(seconds))


def _one_of(alternatives: list[tuple[Limit, ...]]) -> tuple[Limit, ...]:
    """A context that is one of several: where one brings no deadline, it is not certain that there is one."""
    brought = [limit for limits in alternatives for limit in limits]
    seconds = [o for limit in brought for o in options(limit.seconds)]
    if not all(alternatives):
        seconds.append(None)
    return (Limit(either(seconds), any(limit.swallows for limit in brought), brought[0].site),) if brought else ()


def _capped(value: Interval, cap: Interval) -> Interval:
    """A wait under a deadline of ``cap`` seconds."""
    if value.hi is not None and cap.lo is not None and value.hi <= cap.lo:
        return value
    if cap.hi is None and cap.lo is None:
        if value.hi is not None and not math.isinf(value.hi):
            return value
        return Interval(None, None, cap.seen)
    lo = None if value.lo is None or cap.lo is None else min(value.lo, cap.lo)
    if value.hi is None:
        return Interval(lo, cap.hi)
    if cap.hi is None:
        return Interval(lo, None if math.isinf(value.hi) else value.hi, cap.seen)
    return Interval(lo, min(value.hi, cap.hi))


def _multiplied(each: Interval, length: Interval, unbounded: bool) -> Interval:
    if each.exact == 0:
        return ZERO
    if unbounded:
        return UNBOUNDED
    if length.hi is None and length.seen is None:
        least = length.lo or 0.0
        return Interval(None if each.lo is None else each.lo * least, None)
    return each.times(length)


def _alternatives(before: dict[Place, Wait], first: dict[Place, Wait], second: dict[Place, Wait]) -> dict[Place, Wait]:
    """The waits after two branches: each as often as on the branch that reaches it."""
    merged = dict(first)
    for place, wait in second.items():
        known = merged.get(place)
        if known is None or known is before.get(place):
            merged[place] = wait
        elif wait is not before.get(place):
            merged[place] = known._replace(
                once=known.once.join(wait.once),
                total=worst(known.total, wait.total),
                looped=known.looped or wait.looped,
                loop_total=worst(known.loop_total, wait.loop_total),
                times=worst(known.times, wait.times),
            )
    return merged


def _last_name(value: Value) -> str:
    if isinstance(value, Reference):
        return value.name
    if isinstance(value, Attribute):
        return value.name
    return ""


def _catches_timeout(types: tuple[Value, ...]) -> bool:
    return any(_last_name(t) in ("TimeoutError", "Exception", "BaseException", "CancelledError") for t in types)


def _catches_all(types: tuple[Value, ...]) -> bool:
    return any(_last_name(t) in ("Exception", "BaseException") for t in types)


def _watches_flag(step: Loop) -> bool:
    """``while not stop.is_set()``, ``while self._running``: what somebody else sets."""
    calls = {s.site for s in inside(step.condition) if isinstance(s, Invoke)}
    parts: list[Value] = [step.subject]
    while parts:
        value = parts.pop()
        if isinstance(value, Not):
            parts.append(value.value)
        elif isinstance(value, Boolean):
            parts.extend(value.values)
        elif isinstance(value, Result):
            if value.site not in calls:
                return False
        elif isinstance(value, (Reference, Attribute)):
            if any(isinstance(s, Bind) and s.target == value for s in inside(step.body)):
                return False
        elif not isinstance(value, Constant):
            return False
    return True


def _exit_tests(step: Loop) -> frozenset[str]:
    """Names that the loop's condition, or a branch that leaves it, looks at."""
    found = set(references(step.subject))

    def leaves(steps: tuple[Step, ...]) -> bool:
        return any(
            isinstance(s, (Break, Return, Raise))
            or (isinstance(s, Branch) and (leaves(s.body) or leaves(s.orelse)))
            or (isinstance(s, With) and leaves(s.body))
            or (isinstance(s, Try) and (leaves(s.body) or any(leaves(h.body) for h in s.handlers)))
            for s in steps
        )

    def walk(steps: tuple[Step, ...]) -> None:
        for s in steps:
            if isinstance(s, Branch):
                if leaves(s.body) or leaves(s.orelse):
                    found.update(references(s.test))
                walk(s.body)
                walk(s.orelse)
            elif isinstance(s, With):
                walk(s.body)
            elif isinstance(s, Try):
                walk(s.body)
                for handler in s.handlers:
                    walk(handler.body)
                walk(s.orelse)
                walk(s.final)

    walk(step.body)
    return frozenset(found)


def _refine(activation: Activation, test: Value, state: State, holds: bool) -> None:
    """A branch on ``x is None`` or on a number leaves only the alternatives that fit."""
    if isinstance(test, Not):
        _refine(activation, test.value, state, not holds)
        return
    if isinstance(test, Reference):
        value = state.env.get(test.name)
        if isinstance(value, Either):
            kept = [o for o in value.options if activation.evaluator.truth_of(o) is not (not holds)]
            if kept:
                state.env[test.name] = either(kept)
        return
    if not isinstance(test, Compare) or not isinstance(test.left, Reference):
        return
    value = state.env.get(test.left.name)
    if isinstance(value, Either):
        other = activation.value(test.right, state)
        kept = [o for o in value.options if activation.evaluator.compare(test.operator, o, other) is not (not holds)]
        if kept:
            state.env[test.left.name] = either(kept)


def _argument(arguments: dict[str, Abstract], spec: str) -> Abstract:
    name, _, position = spec.partition("@")
    if name and name in arguments:
        return arguments[name]
    if position and position in arguments:
        return arguments[position]
    return UNKNOWN


def _given(arguments: dict[str, Abstract], spec: str) -> bool:
    name, _, position = spec.partition("@")
    return (bool(name) and name in arguments) or (bool(position) and position in arguments)


def _arguments(arguments: dict[str, Abstract], spec: str) -> list[Abstract]:
    if spec.startswith("*"):
        start = int(spec[1:] or 0)
        found = [v for n, v in sorted((int(k), v) for k, v in arguments.items() if k.isdigit()) if n >= start]
        if "*" in arguments:
            found.append(arguments["*"])
        return found
    return [_argument(arguments, spec)] if _given(arguments, spec) else []


def _merged(
    first: tuple[tuple[str, Abstract], ...], second: tuple[tuple[str, Abstract], ...]
) -> tuple[tuple[str, Abstract], ...]:
    named = dict(first)
    named.update(second)
    return tuple(named.items())


_STEPS: dict[type, Any] = {
    Invoke: Activation.invoke,
    Await: Activation.await_,
    Load: Activation.load,
    Bind: Activation.bind,
    Define: Activation.define,
    Loop: Activation.loop,
    With: Activation.with_,
    Branch: Activation.branch,
    Match: Activation.match,
    Try: Activation.try_,
    Return: Activation.return_,
    Raise: Activation.raise_,
    Break: Activation.break_,
    Continue: Activation.continue_,
    Yield: Activation.yield_,
}
from resilint.facts import Star  # noqa: E402

_STEPS[Star] = Activation.star

__all__ = ["Activation", "ExtMember", "Interpreter", "Iterator"]

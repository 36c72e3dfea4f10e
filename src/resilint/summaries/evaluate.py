"""What an expression is worth: numbers, texts, functions, as far as files, settings and arguments say.

``Evaluator.value`` reads an expression either on a path (``state`` given: what names hold there) or by itself
(``state`` None: constants,
defaults, the join over all bindings and calls). The unknown stays ``UNKNOWN``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from resilint.catalogue import Callable_
from resilint.domain import ANY, Interval
from resilint.facts import (
    Arithmetic,
    Attribute,
    Awaited,
    Boolean,
    Branch,
    Choice,
    Compare,
    Constant,
    Imported,
    Loop,
    Mapping,
    Negative,
    Not,
    Number,
    Reference,
    Result,
    ScopeValue,
    Sequence,
    Site,
    Spread,
    Subscript,
    Text,
    Value,
)
from resilint.link.entities import NOBODY, Bound, Cls, Ext, Func, Inst, Mod, Partial, SiteKey, ordered
from resilint.link.entities import Member as ExtMember
from resilint.link.index import AUGMENTED, DEFINED, ELEMENT, PLAIN, UNPACKED, Binding
from resilint.link.infer import argument_place, written_argument
from resilint.link.program import binding_scope
from resilint.link.roots import is_test_path
from resilint.summaries.relevance import references, results
from resilint.summaries.state import State, between
from resilint.summaries.values import (
    UNKNOWN,
    Abstract,
    Bundle,
    Closure,
    Combined,
    Count,
    Delta,
    Either,
    Elapsed,
    Foreign,
    Items,
    Member,
    Moment,
    Pending,
    Repeated,
    Retried,
    Started,
    Table,
    Things,
    Unknown,
    either,
    join,
    number,
    options,
)

if TYPE_CHECKING:
    from resilint.summaries.interpreter import Interpreter

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_FLIP = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_CLIENT_CALLS = ("bench", "benchmarks", "examples", "loadtest")
_SECONDS = {
    "weeks": 604800.0,
    "days": 86400.0,
    "hours": 3600.0,
    "minutes": 60.0,
    "seconds": 1.0,
    "milliseconds": 0.001,
    "microseconds": 1e-6,
}
_DELTA_ORDER = ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks")
MAX_ITEMS = 256
MAX_LISTED = 64


class Evaluator:
    """Evaluates for one analysis; static results are cached."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.linked = interpreter.linked
        self.program = interpreter.linked.program
        self.inference = interpreter.linked.inference
        self.catalogue = self.program.catalogue
        self._static: dict[tuple[Any, ...], Abstract] = {}
        self._busy: set[tuple[Any, ...]] = set()
        self._products: dict[int, bool] = {}
        self._constructions: dict[Cls, list[SiteKey]] | None = None
        self._by_name: dict[Func, tuple[tuple[SiteKey, int, None], ...]] | None = None

    # Expressions

    def value(self, module: int, scope: int, value: Value, state: State | None) -> Abstract:
        """What the expression is worth there."""
        if isinstance(value, Number):
            return Interval.exactly(float(value.value))
        if isinstance(value, (Text, Constant)):
            return value.value
        if isinstance(value, Reference):
            return self.name(module, scope, value.name, state)
        kind = type(value)
        if kind is Result:
            return self.result(module, scope, value.site, state)  # type: ignore[union-attr]
        if kind is Attribute:
            return self.attribute_of(module, scope, value, state)  # type: ignore[arg-type]
        if kind is Awaited:
            return self._awaited(module, scope, value, state)  # type: ignore[arg-type]
        if kind is Arithmetic:
            left = self.value(module, scope, value.left, state)  # type: ignore[union-attr]
            right = self.value(module, scope, value.right, state)  # type: ignore[union-attr]
            return self.arithmetic(value.operator, left, right)  # type: ignore[union-attr]
        if isinstance(value, Negative):
            inner = self.value(module, scope, value.value, state)
            return Delta(-inner.seconds) if isinstance(inner, Delta) else self._numeric(-number(inner))
        if kind is Choice:
            return self._choice(module, scope, value, state)  # type: ignore[arg-type]
        if kind is Boolean:
            return self._boolean(module, scope, value, state)  # type: ignore[arg-type]
        if kind in (Compare, Not):
            truth = self.truth(module, scope, value, state)
            return UNKNOWN if truth is None else truth
        if kind is Sequence:
            return self._sequence(module, scope, value, state)  # type: ignore[arg-type]
        if kind is Mapping:
            return self._mapping(module, scope, value, state)  # type: ignore[arg-type]
        if kind is Subscript:
            return self._subscript(module, scope, value, state)  # type: ignore[arg-type]
        if kind is ScopeValue:
            return self.interpreter.closure(Func(module, value.scope), state)  # type: ignore[union-attr]
        return self.things(module, scope, value)

    def things(self, module: int, scope: int, value: Value) -> Abstract:
        found = self.inference.of(module, scope, value)
        return Things(found) if found else UNKNOWN

    @staticmethod
    def _numeric(interval: Interval) -> Abstract:
        return UNKNOWN if interval.unknown else interval

    def _awaited(self, module: int, scope: int, value: Awaited, state: State | None) -> Abstract:
        if state is not None and isinstance(value.value, Result):
            known = state.env.get(("await", value.value.site))
            if known is not None:
                return self.interpreter.settle(known)
        if state is None and isinstance(value.value, Result):
            inner = self.result(module, scope, value.value.site, None)
            if isinstance(inner, Pending):
                return self.interpreter.returned(inner)
        found = self.inference.of(module, scope, value)
        return Things(found) if found else UNKNOWN

    def _choice(self, module: int, scope: int, value: Choice, state: State | None) -> Abstract:
        truth = self.truth(module, scope, value.test, state)
        if truth is True:
            return self.value(module, scope, value.body, state)
        if truth is False:
            return self.value(module, scope, value.orelse, state)
        return join(self.value(module, scope, value.body, state), self.value(module, scope, value.orelse, state))

    def _boolean(self, module: int, scope: int, value: Boolean, state: State | None) -> Abstract:
        found: list[Abstract] = []
        last = len(value.values) - 1
        for position, part in enumerate(value.values):
            one = self.value(module, scope, part, state)
            truth = self.truth_of(one)
            if position == last:
                found.extend(options(one))
                break
            if value.operator == "or":
                if truth is False:
                    continue
                found.extend(o for o in options(one) if self.truth_of(o) is not False)
                if truth is True:
                    break
            else:
                if truth is True:
                    continue
                found.extend(o for o in options(one) if self.truth_of(o) is not True)
                if truth is False:
                    break
        return either(found)

    def _sequence(self, module: int, scope: int, value: Sequence, state: State | None) -> Abstract:
        items: list[Abstract] = []
        for item in value.items:
            if isinstance(item, Spread):
                inner = self.value(module, scope, item.value, state)
                if item.repeated:
                    listed = self._listed(module, scope, item, state)
                    return Repeated(inner, item.lazy) if listed is None else listed
                if isinstance(inner, Items):
                    items.extend(inner.items)
                    continue
                return Repeated(either([*self._flat(items), *options(self.element(inner))]))
            items.append(self.value(module, scope, item, state))
        if len(items) > MAX_ITEMS:
            return Repeated(either(self._flat(items)))
        return Items(tuple(items))

    def _listed(self, module: int, scope: int, item: Spread, state: State | None) -> Items | None:
        """The items of a comprehension over numbers that are known: ``[2**n for n in range(5)]``."""
        facts = self.program.modules[module]
        if (state is None and facts.facts.scopes[scope].kind == "function") or any(True for _ in results(item.value)):
            return None
        names = set(references(item.value))
        loops = [
            loop
            for loop in facts.index[scope].loops
            if loop.kind in ("comprehension", "generator")
            and isinstance(loop.target, Reference)
            and loop.target.name in names
        ]
        if len(loops) != 1 or any(isinstance(s, (Branch, Loop)) for s in loops[0].body):
            return None
        target = loops[0].target
        assert isinstance(target, Reference)
        subject = self.value(module, scope, loops[0].subject, state)
        items = subject.items if isinstance(subject, Items) else subject.listed if isinstance(subject, Count) else None
        if items is None or len(items) > MAX_LISTED:
            return None
        found: list[Abstract] = []
        for one in items:
            inner = State({**state.env, target.name: one} if state is not None else {target.name: one})
            found.append(self.value(module, scope, item.value, inner))
        return Items(tuple(found))

    @staticmethod
    def _flat(values: list[Abstract]) -> list[Abstract]:
        return [o for v in values for o in options(v)]

    def element(self, container: Abstract) -> Abstract:
        """What iterating gives, whichever item."""
        if isinstance(container, Items):
            return either(self._flat(list(container.items))) if container.items else UNKNOWN
        if isinstance(container, Repeated):
            return container.element
        if isinstance(container, Count):
            return self._numeric(container.span)
        if isinstance(container, Things):
            found = self.inference.elements(container.entities)
            return Things(found) if found else UNKNOWN
        if isinstance(container, Table):
            return either(self._flat([k for k, _ in container.items])) if container.items else UNKNOWN
        return UNKNOWN

    def _mapping(self, module: int, scope: int, value: Mapping, state: State | None) -> Abstract:
        items: list[tuple[Abstract, Abstract]] = []
        complete = True
        for key, item in value.items[:MAX_ITEMS]:
            if key is None:
                inner = self.value(module, scope, item, state)
                if isinstance(inner, Table):
                    items.extend(inner.items)
                    complete = complete and inner.complete
                else:
                    complete = False
                continue
            items.append((self.value(module, scope, key, state), self.value(module, scope, item, state)))
        return Table(tuple(items), complete and len(value.items) <= MAX_ITEMS)

    def _subscript(self, module: int, scope: int, value: Subscript, state: State | None) -> Abstract:
        base = self.value(module, scope, value.value, state)
        index = self.value(module, scope, value.index, state)
        if isinstance(base, Items):
            place = number(index)
            if place.exact is not None and -len(base.items) <= place.exact < len(base.items):
                return base.items[int(place.exact)]
            if not isinstance(value.index, (Number, Reference, Arithmetic, Attribute, Negative, Result)):
                return UNKNOWN
            return either(self._flat(list(base.items))) if base.items else UNKNOWN
        if isinstance(base, Table):
            return self.look_up(base, index, missing=())
        if isinstance(base, Repeated):
            return base.element
        return self.things(module, scope, value)

    def look_up(self, table: Table, key: Abstract, missing: tuple[Abstract, ...]) -> Abstract:
        """``table[key]``; of an unknown key every value is possible."""
        if isinstance(key, (str, Interval, bool, Member)) and not (isinstance(key, Interval) and key.exact is None):
            for known, item in reversed(table.items):
                if known == key:
                    return item
            if table.complete and missing:
                return either(self._flat(list(missing)))
            return either([*self._flat(list(missing)), UNKNOWN])
        found = self._flat([v for _, v in table.items]) + self._flat(list(missing))
        if not table.complete:
            found.append(UNKNOWN)
        return either(found) if found else UNKNOWN

    # Arithmetic

    def arithmetic(self, sign: str, left: Abstract, right: Abstract) -> Abstract:
        """``left sign right`` for numbers, durations and clocks."""
        if isinstance(left, Either) or isinstance(right, Either):
            if (
                isinstance(left, (Interval, Either))
                and isinstance(right, (Interval, Either))
                and not self._special(left, right)
            ):
                return self._numbers(sign, number(left), number(right))
            found = [
                self.arithmetic(sign, a, b)
                for a in options(left)
                for b in options(right)
                if a is not None and b is not None
            ]
            return either(self._flat(found[:36])) if found else UNKNOWN
        if isinstance(left, (Foreign, Combined)) and isinstance(right, (Foreign, Combined)):
            return Combined(sign, left, right)
        if isinstance(left, str) and isinstance(right, str) and sign == "+":
            return left + right
        if isinstance(left, Items) and isinstance(right, Items) and sign == "+":
            return Items(left.items + right.items)
        if (
            isinstance(left, Items)
            and sign == "*"
            and (times := number(right).exact) is not None
            and len(left.items) * times <= MAX_ITEMS
        ):
            return Items(left.items * int(times))
        if isinstance(left, Moment) or isinstance(right, Moment):
            return self._moments(sign, left, right)
        if isinstance(left, Elapsed) or isinstance(right, Elapsed):
            return Elapsed(number(self._numbers(sign, number(left), number(right))))
        if isinstance(left, Delta) or isinstance(right, Delta):
            return self._deltas(sign, left, right)
        if isinstance(left, (Interval, bool, Unknown)) and isinstance(right, (Interval, bool, Unknown)):
            return self._numbers(sign, number(left), number(right))
        if (isinstance(left, Interval) and isinstance(right, Things)) or (
            isinstance(right, Interval) and isinstance(left, Things)
        ):
            return self._numbers(sign, number(left), number(right))
        return UNKNOWN

    @staticmethod
    def _special(left: Abstract, right: Abstract) -> bool:
        return any(
            isinstance(o, (Delta, Moment, Elapsed, Items, Foreign, Combined, str))
            for v in (left, right)
            for o in options(v)
        )

    def _numbers(self, sign: str, left: Interval, right: Interval) -> Abstract:
        if sign == "+":
            return self._numeric(left + right)
        if sign == "-":
            return self._numeric(left - right)
        if sign == "*":
            return self._numeric(left.times(right))
        if sign == "/":
            return self._numeric(left.divided_by(right))
        if sign == "//":
            return self._numeric(left.floor_divided_by(right))
        if sign == "%":
            return self._numeric(left.modulo(right))
        if sign == "**":
            return self._numeric(left.power(right))
        if sign == "<<" and right.hi is not None and right.hi < 64:
            return self._numeric(left.times(Interval.exactly(2.0).power(right)))
        return UNKNOWN

    def _moments(self, sign: str, left: Abstract, right: Abstract) -> Abstract:
        if isinstance(left, Moment) and isinstance(right, Moment):
            if sign == "-":
                return Elapsed(between(left.at, right.at) + (left.offset - right.offset))
            return UNKNOWN
        if isinstance(left, Moment) and sign in ("+", "-"):
            shift = number(right)
            return Moment(left.at, left.offset + shift if sign == "+" else left.offset - shift)
        if isinstance(right, Moment) and sign == "+":
            return Moment(right.at, right.offset + number(left))
        return UNKNOWN

    def _deltas(self, sign: str, left: Abstract, right: Abstract) -> Abstract:
        if isinstance(left, Delta) and isinstance(right, Delta):
            if sign in ("/", "//"):
                return self._numbers(sign, left.seconds, right.seconds)
            inner = self._numbers(sign, left.seconds, right.seconds)
            return Delta(number(inner)) if sign in ("+", "-") else UNKNOWN
        first, second = number(left), number(right)
        if sign in ("*", "/", "//"):
            return Delta(number(self._numbers(sign, first, second)))
        return UNKNOWN

    # Truth

    def truth(self, module: int, scope: int, test: Value, state: State | None) -> bool | None:
        """Whether the test holds; None where that is not known."""
        if isinstance(test, Not):
            inner = self.truth(module, scope, test.value, state)
            return None if inner is None else not inner
        if isinstance(test, Boolean):
            results = [self.truth(module, scope, part, state) for part in test.values]
            if test.operator == "and":
                return False if False in results else None if None in results else True
            return True if True in results else None if None in results else False
        if isinstance(test, Compare):
            left = self.value(module, scope, test.left, state)
            right = self.value(module, scope, test.right, state)
            return self.compare(test.operator, left, right)
        return self.truth_of(self.value(module, scope, test, state))

    def truth_of(self, value: Abstract) -> bool | None:
        if value is None or value is False:
            return False
        if value is True:
            return True
        if isinstance(value, str):
            return bool(value)
        if isinstance(value, Interval):
            if value.exact is not None:
                return value.exact != 0
            return True if (value.lo is not None and value.lo > 0) or (value.hi is not None and value.hi < 0) else None
        if isinstance(value, (Closure, Bundle, Member, Moment, Pending, Foreign)):
            return True
        if isinstance(value, Items):
            return bool(value.items)
        if isinstance(value, Table):
            return bool(value.items) if value.complete else None
        if isinstance(value, Either):
            results = {self.truth_of(o) for o in value.options}
            return results.pop() if len(results) == 1 else None
        if isinstance(value, Delta):
            return self.truth_of(value.seconds)
        return None

    def compare(self, sign: str, left: Abstract, right: Abstract) -> bool | None:
        """A comparison, decided where both sides are known well enough."""
        if isinstance(left, Moment) and isinstance(right, Moment):
            self.interpreter.note_limit((right.offset - left.offset).absolute(), sign)
            gap = between(left.at, right.at)
            return self._ranges(sign, gap + (left.offset - right.offset), Interval.exactly(0.0))
        if isinstance(left, Elapsed) or isinstance(right, Elapsed):
            limit = number(right) if isinstance(left, Elapsed) else number(left)
            self.interpreter.note_limit(limit, sign)
            return self._ranges(sign, number(left), number(right))
        if sign in ("in", "not in"):
            return self._contains(sign, left, right)
        if sign in ("is", "is not", "==", "!="):
            same = self._same(left, right)
            if same is not None:
                return same if sign in ("is", "==") else not same
        first, second = number(left), number(right)
        if isinstance(left, (Interval, Either, bool)) or isinstance(right, (Interval, Either, bool)):
            if sign in _COMPARE:
                self.interpreter.note_comparison(first, second)
                return self._ranges(sign, first, second)
        if isinstance(left, Delta) and isinstance(right, Delta):
            return self._ranges(sign, first, second)
        return None

    @staticmethod
    def _ranges(sign: str, left: Interval, right: Interval) -> bool | None:
        compare = _COMPARE.get(sign)
        if compare is None:
            return None
        if left.exact is not None and right.exact is not None:
            return compare(left.exact, right.exact)
        if sign in (">", ">="):
            return Evaluator._ranges(_FLIP[sign], right, left)
        if sign in ("<", "<="):
            if left.hi is not None and right.lo is not None and compare(left.hi, right.lo):
                return True
            if left.lo is not None and right.hi is not None and not compare(left.lo, right.hi):
                return False
            return None
        apart = (left.hi is not None and right.lo is not None and left.hi < right.lo) or (
            left.lo is not None and right.hi is not None and left.lo > right.hi
        )
        return (sign == "!=") if apart else None

    def _same(self, left: Abstract, right: Abstract) -> bool | None:
        if isinstance(left, Either) or isinstance(right, Either):
            results = {self._same(a, b) for a in options(left) for b in options(right)}
            return results.pop() if len(results) == 1 else None
        simple = (str, bool, type(None), Member)
        if isinstance(left, simple) and isinstance(right, simple):
            if (isinstance(left, Member) and isinstance(right, str)) or (
                isinstance(right, Member) and isinstance(left, str)
            ):
                return None
            return left == right and type(left) is type(right)
        if left is None or right is None:
            other = right if left is None else left
            if isinstance(
                other, (Interval, Delta, Closure, Bundle, Items, Table, Moment, Pending, Foreign, Count, Elapsed)
            ):
                return False
            if isinstance(other, Things) and other.entities and not self._maybe_nothing(other):
                return None if any(isinstance(e, Inst) for e in other.entities) else False
        return None

    @staticmethod
    def _maybe_nothing(value: Things) -> bool:
        return any(e.tag == "None" for e in value.entities)

    def _contains(self, sign: str, left: Abstract, right: Abstract) -> bool | None:
        if isinstance(right, Items):
            results = [self._same(left, item) for item in right.items]
            if isinstance(left, Interval):
                results = [
                    self._ranges("==", left, number(i)) if isinstance(i, Interval) else False for i in right.items
                ]
            found = True if True in results else None if None in results else False
            return found if found is None or sign == "in" else not found
        if isinstance(right, Table) and right.complete and isinstance(left, str):
            present = any(k == left for k, _ in right.items)
            return present if sign == "in" else not present
        return None

    # Names

    def name(self, module: int, scope: int, name: str, state: State | None) -> Abstract:
        """What the name holds: on the path, else wherever it is bound."""
        if state is not None and name in state.env:
            known = state.env[name]
            if isinstance(known, (Items, Things, Unknown)) and name in (
                added := self.program.modules[module].index[scope].additions
            ):
                return self._filled(module, scope, known, added[name], state)
            return known
        owner = self.inference.owner_scope(module, scope, name)
        if owner >= 0:
            if state is not None and owner == scope and scope != 0:
                index = self.program.modules[module].index[scope]
                bound = index.names.get(name, ())
                if (
                    any(b.how in (PLAIN, UNPACKED, AUGMENTED) for b in bound)
                    and self.program.modules[module].facts.scopes[scope].kind == "function"
                ):
                    found = self.inference.name(module, scope, name)
                    return Things(found) if found else UNKNOWN
            return self.static_name(module, owner, name)
        found = self.inference.name(module, scope, name)
        return Things(found) if found else UNKNOWN

    def _filled(
        self, module: int, scope: int, known: Items | Things | Unknown, added: list[Binding], state: State
    ) -> Abstract:
        """A container that the function puts something into: any number of what it began with and what is put."""
        key = ("filled", module, scope, id(added))
        if key in self._busy:  # ``items.append(items[-1] * 2)``: what it holds is made of what it holds
            return known
        self._busy.add(key)
        try:
            found = self._flat([self._put(module, scope, b, state) for b in added if b.value is not None])
        finally:
            self._busy.discard(key)
        if isinstance(known, Items):
            return Repeated(either([*self._flat(list(known.items)), *found]))
        tasks = [o for o in found if isinstance(o, (Started, Pending, Foreign))]
        return Repeated(either(tasks)) if tasks else known

    def _put(self, module: int, scope: int, added: Binding, state: State) -> Abstract:
        """What one ``append`` puts: on this path, or by a function inside, which has names of its own."""
        assert added.value is not None
        place = binding_scope(added, scope)
        return self.value(module, place, added.value, state if place == scope else None)

    def _cached(self, key: tuple[Any, ...], compute: Callable[[], Abstract]) -> Abstract:
        known = self._static.get(key)
        if known is None and key not in self._static:
            if key in self._busy:
                return UNKNOWN
            self._busy.add(key)
            try:
                known = compute()
            finally:
                self._busy.discard(key)
            self._static[key] = known
        return known

    def static_name(self, module: int, scope: int, name: str) -> Abstract:
        """The join over all bindings of the name in its scope."""
        return self._cached(("name", module, scope, name), lambda: self._static_name(module, scope, name))

    def _static_name(self, module: int, scope: int, name: str) -> Abstract:
        facts_module = self.program.modules[module]
        one = facts_module.facts.scopes[scope]
        index = facts_module.index[scope]
        found: list[Abstract] = []
        for position, parameter in enumerate(one.parameters):
            if parameter.name == name:
                found.extend(options(self.parameter(Func(module, scope), position)))
        bindings = index.names.get(name, ())
        if not found and not bindings:
            things = self.inference.name(module, scope, name)
            return Things(things) if things else UNKNOWN
        for binding in bindings:
            found.extend(options(self.binding(module, scope, binding)))
        if name in index.additions and not any(isinstance(f, Things) for f in found):
            return either([*(f for f in found if not isinstance(f, (Items, Table))), UNKNOWN])
        return either(found)

    def binding(self, module: int, scope: int, binding: Binding) -> Abstract:
        """What one binding gives, by itself."""
        place = binding_scope(binding, scope)
        if binding.how == PLAIN and binding.value is not None:
            if isinstance(binding.value, Imported):
                return self._imported(module, place, binding.value)
            return self.value(module, place, binding.value, None)
        if binding.how == UNPACKED and binding.inner == PLAIN and binding.value is not None:
            value = self.value(module, place, binding.value, None)
            return self._unpacked(value, binding.path)
        if (binding.how == ELEMENT or binding.inner == ELEMENT) and binding.value is not None and not binding.is_async:
            value = self._unpacked(self.element(self.value(module, place, binding.value, None)), binding.path)
            if not any(isinstance(o, (Unknown, Things)) for o in options(value)):
                return value
        things = self.inference.binding(module, place, binding)
        return Things(things) if things else UNKNOWN

    @staticmethod
    def _unpacked(value: Abstract, path: tuple[int, ...]) -> Abstract:
        for step in path:
            parts = [
                o.items[step] if isinstance(o, Items) and 0 <= step < len(o.items) else UNKNOWN for o in options(value)
            ]
            value = either([o for part in parts for o in options(part)])
        return value

    def _imported(self, module: int, scope: int, value: Imported) -> Abstract:
        table = self.program.table
        place = (
            table.relative(module, value.level, value.module) if value.level else table.absolute(module, value.module)
        )
        if place is not None and place[0] >= 0 and value.name is not None:
            target = place[0]
            owner = self.inference.owner_scope(target, 0, value.name)
            if owner == 0:
                return self.static_name(target, 0, value.name)
        things = self.inference.of(module, scope, value)
        for entity in things:
            if isinstance(entity, Ext):
                constant = self.catalogue.constant(entity.path)
                if constant is not None:
                    return self._constant(constant)
        return Things(things) if things else UNKNOWN

    @staticmethod
    def _constant(value: bool | int | float | str) -> Abstract:
        if isinstance(value, (bool, str)):
            return value
        return Interval.exactly(float(value))

    def is_product(self, module: int) -> bool:
        """Calls from tests, examples and benchmarks bind no parameter."""
        known = self._products.get(module)
        if known is None:
            path = self.program.modules[module].path
            known = not is_test_path(path) and not any(folder in _CLIENT_CALLS for folder in path.split("/")[:-1])
            self._products[module] = known
        return known

    def parameter(self, func: Func, position: int) -> Abstract:
        """The join over the product's calls; the default where a call omits it, or where there is no call."""
        return self._cached(("parameter", func, position), lambda: self._parameter(func, position))

    def _parameter(self, func: Func, position: int) -> Abstract:
        scope = self.program.scope(func)
        parameter = scope.parameters[position]
        owner = self.program.owner(func)
        things = self.inference.solver.get(("parameter", func.module, func.scope, position))
        if parameter.kind in ("variadic", "keywords"):
            rest = self._rest(func, position)
            return rest if rest is not None else Things(things) if things else UNKNOWN
        if owner is not None and position == 0 and things:
            return Things(things)
        default = self.default(func, position)
        found: list[Abstract] = []
        called = False
        by_name = self.calls_by_name().get(func, ()) if scope.decorators else ()
        for key, offset, partial in (*sorted(self.inference.callers.get(func, ()), key=repr), *by_name):
            if not self.is_product(key.module):
                continue
            if scope.decorators and (key, offset, partial) not in by_name and self._passes_all_on(key):
                continue  # its decorator's wrapper, which hands on what the name was called with
            called = True
            if (key.module, key.scope) == (func.module, func.scope) and self._counts_itself(func, position, key):
                continue
            given = self.passed(func, position, key, offset, partial)
            if given is None:
                given = default if default is not None else UNKNOWN
            found.extend(options(given))
        if not called:
            value = UNKNOWN if default is None else default
            found.extend(options(value))
        result = either(found)
        if isinstance(result, Unknown) and things:
            return Things(things)
        return result

    def calls_by_name(self) -> dict[Func, tuple[tuple[SiteKey, int, None], ...]]:
        """Calls of decorated functions as they are written, whatever the decorator makes of them."""
        if self._by_name is None:
            found: dict[Func, list[tuple[SiteKey, int, None]]] = {}
            for module in self.program.product():
                for number_, scope in enumerate(module.facts.scopes):
                    for position in range(len(scope.sites)):
                        for entity in self.inference.solver.get(("callees", module.number, number_, position)):
                            func = entity.func if isinstance(entity, Bound) else entity
                            if isinstance(func, Func) and not func.raw and self.program.scope(func).decorators:
                                key = SiteKey(module.number, number_, position)
                                found.setdefault(func, []).append((key, int(isinstance(entity, Bound)), None))
            self._by_name = {func: tuple(calls) for func, calls in found.items()}
        return self._by_name

    def _passes_all_on(self, key: SiteKey) -> bool:
        names = {a.name for a in self.program.site(key).arguments} if key.index >= 0 else set()
        return "*" in names or "**" in names

    def _rest(self, func: Func, position: int) -> Abstract | None:
        """What the product's calls leave for ``*args`` or ``**kwargs``, where there is a number or text among it."""
        scope = self.program.scope(func)
        keywords = scope.parameters[position].kind == "keywords"
        named = {p.name for p in scope.parameters if p.kind != "positional"}
        taken = sum(1 for p in scope.parameters if p.kind in ("positional", "normal"))
        found: dict[str, list[Abstract]] = {}
        every = 0
        complete = True
        for key, offset, partial in sorted(self.inference.callers.get(func, ()), key=repr):
            if not self.is_product(key.module):
                continue
            if key.index < 0 or partial is not None:
                complete = False
                continue
            every += 1
            seen = offset
            for argument in self.program.site(key).arguments:
                if argument.name in ("*", "**"):
                    complete = False
                elif argument.name == "":
                    seen += 1
                    if not keywords and seen > taken:
                        found.setdefault("", []).append(self.value(key.module, key.scope, argument.value, None))
                elif keywords and argument.name not in named:
                    found.setdefault(argument.name, []).append(self.value(key.module, key.scope, argument.value, None))
        plain = (Interval, str, bool, Delta)
        if not any(isinstance(o, plain) for values in found.values() for v in values for o in options(v)):
            return None
        if not keywords:
            return Repeated(either([*self._flat(found[""]), *(() if complete else (UNKNOWN,))]))
        complete = complete and all(len(values) == every for values in found.values())
        return Table(tuple((name, either(self._flat(values))) for name, values in sorted(found.items())), complete)

    def _counts_itself(self, func: Func, position: int, key: SiteKey) -> bool:
        """A recursive call passes the parameter on, as it is, raised or lowered."""
        name = self.program.scope(func).parameters[position].name
        return any(
            (isinstance(a.value, Arithmetic) and isinstance(a.value.left, Reference) and a.value.left.name == name)
            or (isinstance(a.value, Reference) and a.value.name == name)
            for a in self.program.site(key).arguments
        )

    def default(self, func: Func, position: int) -> Abstract | None:
        """The parameter's default by itself; Python's None where it has none (a literal None comes as Either)."""
        scope = self.program.scope(func)
        parameter = scope.parameters[position]
        if parameter.default is None:
            return None
        value = self.value(func.module, scope.parent, parameter.default, None)
        return Either((None,)) if value is None else value

    def passed(self, func: Func, position: int, key: SiteKey, offset: int, partial: SiteKey | None) -> Abstract | None:
        """What one call passes for a parameter, by itself; None: it omits it."""
        parameter = self.program.scope(func).parameters[position]
        if key.index < 0:
            return UNKNOWN
        if partial is not None:
            return UNKNOWN
        site = self.program.site(key)
        starred = False
        seen = 0
        for argument in site.arguments:
            if argument.name == parameter.name and parameter.kind != "positional":
                return self._keep_none(self.value(key.module, key.scope, argument.value, None))
            if argument.name == "**":
                table = self.value(key.module, key.scope, argument.value, None)
                if isinstance(table, Table):
                    given = next((v for k, v in reversed(table.items) if k == parameter.name), UNKNOWN)
                    if not isinstance(given, Unknown) and parameter.kind != "positional":
                        default = self.default(func, position)
                        return self._keep_none(given) if table.complete or default is None else join(given, default)
                    if table.complete:
                        continue
            if argument.name in ("*", "**"):
                starred = True
            if argument.name == "":
                if seen == position - offset and parameter.kind in ("positional", "normal"):
                    return self._keep_none(self.value(key.module, key.scope, argument.value, None))
                seen += 1
        return UNKNOWN if starred else None

    @staticmethod
    def _keep_none(value: Abstract) -> Abstract:
        return Either((None,)) if value is None else value

    # Attributes

    def attribute_of(self, module: int, scope: int, value: Attribute, state: State | None) -> Abstract:
        base = self.value(module, scope, value.value, state)
        found: list[Abstract] = []
        for one in options(base):
            found.extend(options(self.attribute(one, value.name)))
        result = either(found) if found else UNKNOWN
        if isinstance(result, Unknown):
            return self.things(module, scope, value)
        return result

    def attribute(self, base: Abstract, name: str) -> Abstract:
        """``base.name``."""
        if isinstance(base, Member):
            if name in ("value", "_value_"):
                return self.class_value(base.cls, base.name)  # type: ignore[arg-type]
            if name == "name":
                return base.name
            return UNKNOWN
        if isinstance(base, Delta):
            return self._numeric(base.seconds) if name == "seconds" else UNKNOWN
        if not isinstance(base, Things):
            return UNKNOWN
        found: list[Abstract] = []
        for entity in ordered(base.entities):
            found.extend(options(self._entity_attribute(entity, name)))
        return either(found) if found else UNKNOWN

    def _entity_attribute(self, entity: Any, name: str) -> Abstract:
        if isinstance(entity, Mod):
            if entity.module >= 0 and self.inference.owner_scope(entity.module, 0, name) == 0:
                return self.static_name(entity.module, 0, name)
        elif isinstance(entity, Ext):
            constant = self.catalogue.constant(f"{entity.path}.{name}")
            if constant is not None:
                return self._constant(constant)
        elif isinstance(entity, Cls):
            if self.inference.is_enum(entity) and name not in self.program.layouts[entity].methods:
                if "builtins.int" in self.inference.external_bases(
                    entity
                ) or "builtins.float" in self.inference.external_bases(entity):
                    return self.class_value(entity, name)  # its members are numbers themselves
                return Member(entity, name)
            return self.class_value(entity, name)
        elif isinstance(entity, Inst) and isinstance(entity.of, Cls):
            return self.instance_value(entity, name)
        things = self.inference.attribute(entity, name)
        return Things(things) if things else UNKNOWN

    def class_value(self, cls: Cls, name: str) -> Abstract:
        """A constant of the class body, or what a field there holds by default."""
        for base in self.inference.mro(cls):
            if not isinstance(base, Cls):
                continue
            index = self.program.index(base)
            if name in index.names:
                if any(b.how == DEFINED for b in index.names[name]):
                    break
                return self.static_name(base.module, base.scope, name)
        things = self.inference.attribute(cls, name)
        return Things(things) if things else UNKNOWN

    def instance_value(self, inst: Inst, name: str) -> Abstract:
        """What an instance's attribute can hold: all assignments to ``self.name``, the class body's value,
        constructor arguments."""
        assert isinstance(inst.of, Cls)
        return self._cached(("instance", inst.of, inst.exact, name), lambda: self._instance_value(inst, name))

    def _instance_value(self, inst: Inst, name: str) -> Abstract:
        cls = inst.of
        assert isinstance(cls, Cls)
        things = self.inference.attribute(inst, name)
        found: list[Abstract] = []
        for base in self.inference.mro(cls):
            if not isinstance(base, Cls):
                continue
            layout = self.program.layouts[base]
            for scope, store in layout.stores.get(name, ()):
                if store.binding.how == AUGMENTED:
                    continue
                if store.binding.value is not None or store.binding.how == DEFINED:
                    found.extend(options(self.binding(base.module, scope, store.binding)))
            index = self.program.index(base)
            if name in layout.methods:
                getters = self.linked.calls.property_getters(inst, name)
                if getters:
                    return self.interpreter.property_value(getters, Things(frozenset({inst})))
                break
            if name in index.names:
                if not any(
                    isinstance(f, Items | Interval | Delta | str | bool) for f in found
                ) or not layout.stores.get(name):
                    found.extend(options(self._field(base, cls, name)))
                break
            if name in index.annotations and not found:
                found.extend(options(self._field(base, cls, name)))
                break
        if found and any(f is None for f in found) and len(found) > 1:
            # ``self._x = None`` first and a value later: both stay possible.
            pass
        result = either(found) if found else UNKNOWN
        if isinstance(result, Unknown) or (things and isinstance(result, Things)):
            return Things(things) if things else result
        if things and not isinstance(result, (Interval, Delta, str, bool)):
            extra = frozenset(e for e in things if e.tag not in ("plain", "None"))
            if (
                extra
                and not any(isinstance(o, Things) for o in options(result))
                and not isinstance(result, (Items, Table))
            ):
                return either([*options(result), Things(extra)])
        return result

    def _field(self, holder: Cls, cls: Cls, name: str) -> Abstract:
        """A field of a dataclass, settings class or model: what constructors pass, else its default."""
        default = self._static_name_or_unknown(holder, name)
        kind = self.model_kind(cls)
        if kind == "":
            return default
        passed: list[Abstract] = []
        omitted = False
        for key in self.constructions().get(cls, ()):
            if not self.is_product(key.module):
                continue
            site = self.program.site(key)
            given = written_argument(site, name)
            if given is None and kind == "dataclass":
                order = self.fields(cls)
                position = order.index(name) if name in order else -1
                given = written_argument(site, f"@{position}") if position >= 0 else None
            if given is not None:
                passed.extend(options(self._keep_none(self.value(key.module, key.scope, given, None))))
            else:
                omitted = True
        if kind == "model":
            settings_like = self.program.scope(cls).name.endswith(("Settings", "Config"))
            if not passed and not omitted and not settings_like:
                return UNKNOWN
        if kind == "settings" or omitted or not passed:
            passed.extend(options(default))
        return either(passed)

    def _static_name_or_unknown(self, cls: Cls, name: str) -> Abstract:
        index = self.program.index(cls)
        if not index.names.get(name):
            return UNKNOWN
        return self.static_name(cls.module, cls.scope, name)

    def fields(self, cls: Cls) -> list[str]:
        """Annotated names in the order of a generated constructor."""
        order: list[str] = []
        for base in reversed(self.inference.mro(cls)):
            if isinstance(base, Cls):
                for name in self.program.index(base).annotations:
                    if name not in order:
                        order.append(name)
        return order

    def model_kind(self, cls: Cls) -> str:
        """``settings``, ``model`` or ``dataclass``; empty for a plain class."""
        for path in self.inference.external_bases(cls):
            for trait in self.catalogue.traits(path):
                if trait.settings:
                    return "settings"
                if trait.model:
                    return "dataclass" if trait.typing == "named-tuple" else "model"
        for base in self.inference.mro(cls):
            if not isinstance(base, Cls):
                continue
            scope = self.program.scope(base)
            for decorator in scope.decorators:
                value = decorator.value
                if isinstance(value, Result):
                    value = self.program.modules[base.module].facts.scopes[scope.parent].sites[value.site].callee
                for entity in self.inference.of(base.module, scope.parent, value):
                    if isinstance(entity, Ext):
                        meaning = self.catalogue.function(entity.path)
                        if meaning is not None and meaning.makes_model:
                            return "dataclass"
        return ""

    def constructions(self) -> dict[Cls, list[SiteKey]]:
        """Where the project builds its classes."""
        if self._constructions is None:
            found: dict[Cls, list[SiteKey]] = {}
            for module in self.program.product():
                for number_, scope in enumerate(module.facts.scopes):
                    for position in range(len(scope.sites)):
                        for entity in self.inference.solver.get(("callees", module.number, number_, position)):
                            if isinstance(entity, Cls):
                                found.setdefault(entity, []).append(SiteKey(module.number, number_, position))
            self._constructions = found
        return self._constructions

    # Calls

    def result(self, module: int, scope: int, position: int, state: State | None) -> Abstract:
        """What a call returned on the path, or returns by itself."""
        if state is not None:
            if position in state.env:
                known = state.env[position]
                return self.interpreter.settle(known) if known is not None else None
            if (module, scope) == self.interpreter.here():
                things = self.inference.solver.get(("result", module, scope, position))
                return Things(things) if things else UNKNOWN  # what the path knows of it is what the linker knows
        key = SiteKey(module, scope, position)
        return self._cached(("result", key), lambda: self._static_result(key))

    def _static_result(self, key: SiteKey) -> Abstract:
        computed = self.interpreter.static_call(key)
        if not isinstance(computed, Unknown):
            return computed
        things = self.inference.solver.get(("result", *key))
        return Things(things) if things else UNKNOWN

    def argument(self, key: SiteKey, spec: str, state: State | None) -> Abstract | None:
        """The argument that a catalogue entry names; Python's None where it is not written (a literal None comes as
        Either)."""
        site = self.program.site(key)
        value = written_argument(site, spec)
        if value is None:
            return None
        return self._keep_none(self.value(key.module, key.scope, value, state))

    def computed(self, meaning: Callable_, key: SiteKey, state: State | None) -> Abstract | None:
        """Numeric functions, iterators, clocks and environment reads of the catalogue; Python's None for anything
        else."""
        site = self.program.site(key)
        if meaning.clock:
            return Moment(state.clock, Interval.exactly(0.0)) if state is not None else UNKNOWN
        if meaning.number:
            return self._number_call(meaning.number, key, site, state)
        if meaning.iterator:
            return self._iterator_call(meaning.iterator, key, site, state)
        if meaning.environment is not None:
            default = self.argument(key, meaning.environment, state)
            if default is None:
                return UNKNOWN
            return either([*options(default), UNKNOWN])
        if meaning.field_default is not None:
            default = self.argument(key, meaning.field_default, state)
            if default is not None:
                return default
            if meaning.field_factory is not None:
                factory = self.argument(key, meaning.field_factory, state)
                if factory is not None:
                    return self.interpreter.call_by_itself(factory)
            return UNKNOWN
        if meaning.cast is not None:
            return self.argument(key, meaning.cast, state) or UNKNOWN
        if meaning.partial:
            first = self.argument(key, "@0", state)
            if first is None:
                return UNKNOWN
            positional = tuple(
                self.value(key.module, key.scope, a.value, state) for a in site.arguments[1:] if a.name == ""
            )
            keywords = tuple(
                (a.name, self.value(key.module, key.scope, a.value, state))
                for a in site.arguments
                if a.name not in ("", "*", "**")
            )
            return Bundle(first, positional, keywords)
        if meaning.stop is not None or meaning.wait_shape is not None or meaning.retry is not None:
            named = []
            seen = 0
            for argument in site.arguments:
                if argument.name == "":
                    named.append((str(seen), self.value(key.module, key.scope, argument.value, state)))
                    seen += 1
                elif argument.name not in ("*", "**"):
                    named.append((argument.name, self.value(key.module, key.scope, argument.value, state)))
            found = self.linked.calls.meanings(key)
            return Foreign(found[0], key, tuple(named)) if found else UNKNOWN
        return None

    def _number_call(self, kind: str, key: SiteKey, site: Site, state: State | None) -> Abstract:
        arguments = [self.value(key.module, key.scope, a.value, state) for a in site.arguments if a.name == ""]
        starred = any(a.name in ("*", "**") for a in site.arguments)
        if kind == "timedelta":
            return self._timedelta(key, site, arguments, state)
        if starred:
            return UNKNOWN
        numbers = [number(a) for a in arguments]
        if kind in ("min", "max", "sum") and len(arguments) == 1:
            container = arguments[0]
            if not isinstance(container, Items) or not container.items:
                return UNKNOWN
            numbers = [number(i) for i in container.items]
        if kind in ("min", "max"):
            if arguments and all(isinstance(a, Delta) for a in arguments):
                kept = [a.seconds for a in arguments if isinstance(a, Delta)]
                return Delta(self._extreme(kind, kept))
            return self._numeric(self._extreme(kind, numbers)) if numbers else UNKNOWN
        if kind == "sum":
            total = Interval.exactly(0.0)
            for one in numbers:
                total += one
            return self._numeric(total)
        if kind == "len":
            return (
                Interval.exactly(float(len(arguments[0].items)))
                if arguments and isinstance(arguments[0], (Items, Table))
                else Interval(0.0, None)
            )
        if kind == "random":
            return Interval(0.0, 1.0)
        if kind == "expovariate":
            return Interval(0.0, None)
        if kind in ("uniform", "randint") and len(numbers) >= 2:
            return self._numeric(numbers[0].join(numbers[1]))
        if kind == "choice" and arguments:
            return self.element(arguments[0])
        if not numbers:
            return Interval.exactly(0.0) if kind in ("int", "float") else UNKNOWN
        first = arguments[0]
        if kind in ("int", "float") and isinstance(first, (str, Either)):
            return self._parsed(first)
        simple: dict[str, Callable[[float], float]] = {
            "int": math.trunc,
            "ceil": math.ceil,
            "floor": math.floor,
            "float": float,
        }
        if kind in simple:
            if isinstance(first, Elapsed):
                return first
            if isinstance(first, Moment):
                return first
            return self._numeric(numbers[0].mapped(simple[kind]))
        if kind == "round":
            digits = int(numbers[1].exact) if len(numbers) > 1 and numbers[1].exact is not None else 0
            return self._numeric(numbers[0].mapped(lambda v: float(round(v, digits))))
        if kind == "abs":
            return self._numeric(numbers[0].absolute())
        if kind == "pow" and len(numbers) >= 2:
            return self._numeric(numbers[0].power(numbers[1]))
        return UNKNOWN

    @staticmethod
    def _extreme(kind: str, numbers: list[Interval]) -> Interval:
        result = numbers[0]
        for one in numbers[1:]:
            result = result.minimum(one) if kind == "min" else result.maximum(one)
        return result

    def _parsed(self, value: Abstract) -> Abstract:
        """``float("8")``; of ``getenv("X", "8")`` the 8 stays a known alternative."""
        found: list[Abstract] = []
        for one in options(value):
            if isinstance(one, str):
                try:
                    parsed = float(one)
                except ValueError:
                    found.append(UNKNOWN)
                else:
                    found.append(UNKNOWN if math.isnan(parsed) else Interval.exactly(parsed))
            elif isinstance(one, Interval):
                found.append(one)
            elif one is not None:
                found.append(UNKNOWN)
        return either(found) if found else UNKNOWN

    def _timedelta(self, key: SiteKey, site: Site, arguments: list[Abstract], state: State | None) -> Abstract:
        total = Interval.exactly(0.0)
        for name, value in zip(_DELTA_ORDER, arguments, strict=False):
            total += number(value).times(Interval.exactly(_SECONDS[name]))
        for argument in site.arguments:
            if argument.name in _SECONDS:
                value = self.value(key.module, key.scope, argument.value, state)
                total += number(value).times(Interval.exactly(_SECONDS[argument.name]))
            elif argument.name in ("*", "**"):
                return UNKNOWN
        return Delta(total)

    def _iterator_call(self, kind: str, key: SiteKey, site: Site, state: State | None) -> Abstract:
        arguments = [self.value(key.module, key.scope, a.value, state) for a in site.arguments if a.name == ""]
        if any(a.name == "*" for a in site.arguments):
            return UNKNOWN
        if kind == "range" and arguments:
            numbers = [number(a) for a in arguments]
            start, stop = (Interval.exactly(0.0), numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
            step = numbers[2] if len(numbers) > 2 else Interval.exactly(1.0)
            if step.exact is None or step.exact == 0:
                return Count(start, step, ANY)
            length = stop - start if step.exact > 0 else start - stop
            if abs(step.exact) != 1:
                length = length.divided_by(Interval.exactly(abs(step.exact))).mapped(math.ceil)
            return Count(start, step, length.maximum(Interval.exactly(0.0)))
        if kind == "count":
            numbers = [number(a) for a in arguments]
            start = numbers[0] if numbers else Interval.exactly(0.0)
            step = numbers[1] if len(numbers) > 1 else Interval.exactly(1.0)
            return Count(start, step, Interval(math.inf, math.inf))
        if kind == "enumerate" and arguments:
            start = number(arguments[1]) if len(arguments) > 1 else Interval.exactly(0.0)
            if (given := written_argument(site, "start")) is not None:
                start = number(self.value(key.module, key.scope, given, state))
            if isinstance(arguments[0], Items) and start.exact is not None:
                return Items(
                    tuple(Items((Interval.exactly(start.exact + i), item)) for i, item in enumerate(arguments[0].items))
                )
            return Repeated(Items((Interval(start.lo, None), self.element(arguments[0]))))
        if kind == "zip" and arguments:
            lists = [a.items for a in arguments if isinstance(a, Items)]
            if len(lists) == len(arguments):
                return Items(tuple(Items(pair) for pair in zip(*lists, strict=False)))
            return Repeated(Items(tuple(self.element(a) for a in arguments)))
        if kind in ("reversed", "iter") and arguments:
            first = arguments[0]
            if isinstance(first, Items):
                return Items(first.items[::-1]) if kind == "reversed" else first
            if (
                isinstance(first, Count)
                and kind == "reversed"
                and first.length.exact is not None
                and first.start.exact is not None
                and first.step.exact is not None
            ):
                last = first.start.exact + first.step.exact * (first.length.exact - 1)
                return Count(Interval.exactly(last), -first.step, first.length)
            return first
        if kind == "chain":
            listed = [a.items for a in arguments if isinstance(a, Items)]
            if len(listed) == len(arguments):
                return Items(tuple(item for items in listed for item in items))
            for one in arguments:
                if isinstance(one, Count) and one.length.unbounded:
                    return Repeated(self.element(one))
            return Repeated(either(self._flat([self.element(a) for a in arguments])) if arguments else UNKNOWN)
        if kind == "repeat" and arguments:
            if len(arguments) > 1:
                times = number(arguments[1])
                if times.exact is not None and times.exact <= MAX_ITEMS:
                    return Items((arguments[0],) * int(times.exact))
                return Count(number(arguments[0]), Interval.exactly(0.0), times)
            return Count(number(arguments[0]), Interval.exactly(0.0), Interval(math.inf, math.inf))
        if kind == "cycle" and arguments:
            return Count(number(self.element(arguments[0])), Interval.exactly(0.0), Interval(math.inf, math.inf))
        if kind == "islice" and len(arguments) >= 2:
            return self._islice(arguments)
        return UNKNOWN

    def _islice(self, arguments: list[Abstract]) -> Abstract:
        base = arguments[0]
        limit = number(arguments[1] if len(arguments) == 2 else arguments[2])
        first = number(arguments[1]) if len(arguments) > 2 else Interval.exactly(0.0)
        if isinstance(base, Items) and limit.exact is not None and first.exact is not None:
            return Items(base.items[int(first.exact) : int(limit.exact)])
        if isinstance(base, Count):
            length = limit - first
            return Count(
                base.start + first.times(base.step),
                base.step,
                base.length.minimum(length) if not base.length.unbounded else length,
            )
        return Repeated(self.element(base))


__all__ = ["NOBODY", "Bound", "Evaluator", "ExtMember", "Partial", "Retried", "argument_place"]

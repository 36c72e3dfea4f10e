"""Queries that calls build: what they ask for when they are run, through statements, branches and functions.

A function's body is followed step by step; a name holds the queries that it can be. What a call does to a query is the
catalogue's to say. A query is *run* where it is given to code that does not build on it, iterated over, or returned
by a
function that nobody calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from resilint.catalogue.schema import Query as Said
from resilint.domain import Span
from resilint.facts import (
    Arithmetic,
    Attribute,
    Await,
    Awaited,
    Bind,
    Boolean,
    Branch,
    Break,
    Choice,
    Compare,
    Constant,
    Continue,
    Invoke,
    Load,
    Loop,
    Mapping,
    Match,
    Not,
    Number,
    Raise,
    Reference,
    Result,
    Return,
    Sequence,
    Site,
    Spread,
    Step,
    Subscript,
    Text,
    Try,
    Value,
    With,
    Yield,
)
from resilint.link.entities import Cls, Ext, Func, Many, Member, Plain, SiteKey, Tup, ordered
from resilint.link.infer import written_argument
from resilint.link.linked import Linked
from resilint.link.roles import is_test_path
from resilint.sql import Reader, Selection, is_key
from resilint.sql.model import Lock
from resilint.summaries.predicates import Conditions, last_name
from resilint.summaries.texts import Expression, Texts

MOST = 16
"""Alternatives of one query that are told apart."""
DEEPEST = 5
"""Functions within each other."""


class Query(NamedTuple):
    """A query as far as it is built."""

    func: Func
    """Where it begins."""
    span: Span
    family: str
    """The class whose methods go on."""
    does: str
    """``select``, ``update``, ``delete``."""
    subject: str
    selection: Selection
    end: tuple[int, int, int] = (-1, 0, 0)
    """Module, line and column just behind the last call that built on it."""
    lock: SiteKey | None = None
    """The call that locks."""
    carries: frozenset[Query] = frozenset()
    """Queries inside it."""
    named: bool = False
    """Begun by the name of an attribute or method alone."""


class Run(NamedTuple):
    """A query that is run."""

    query: Query
    func: Func
    """Where it is run."""
    used: bool
    """Somebody looks at what comes of it."""


Queries: TypeAlias = frozenset[Query]
Env: TypeAlias = dict[str | int, Queries]
NONE: Queries = frozenset()
_PREDICATES = {"where", "lookups", "exclude"}


@dataclass(slots=True)
class Builders:
    """Follows the queries of one program."""

    linked: Linked
    texts: Texts
    reader: Reader
    runs: dict[Run, None] = field(default_factory=dict)
    _returns: dict[Func, Queries] = field(default_factory=dict)
    _ends: dict[Func, Env] = field(default_factory=dict)
    _stack: list[Func] = field(default_factory=list)
    _attributes: dict[str, str] = field(default_factory=dict)
    _methods: dict[str, list[tuple[str, Said]]] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    """Methods of columns by name, and what they compare."""
    _called: set[str] = field(default_factory=set)

    def follow(self) -> list[Run]:
        """All queries that are run."""
        self._read_catalogue()
        pending = self._beginnings()
        seen = set(pending)
        while pending:
            func = pending.pop(0)
            if self._walked(func):
                for edge in self.linked.calls.incoming.get(func, ()):
                    if edge.caller not in seen and not is_test_path(self.linked.program.path(edge.caller)):
                        seen.add(edge.caller)
                        pending.append(edge.caller)
        return list(self.runs)

    # What the catalogue says

    def _read_catalogue(self) -> None:
        for library in self.linked.program.catalogue.libraries:
            for path, klass in library.klass.items():
                self._attributes.update(klass.queries)
                for name, method in klass.method.items():
                    if method.query is None:
                        continue
                    if method.query.does == "select":
                        self._methods.setdefault(name, []).append((path, method.query))
                    elif method.query.does in ("in", "is", "null", "between"):
                        self.parts[name] = method.query.does

    def _beginnings(self) -> list[Func]:
        program = self.linked.program
        wanted = self._attributes.keys() | self._methods.keys()
        found: list[Func] = []
        constants: set[str] = set()
        for module in program.modules:
            if is_test_path(module.path):
                continue
            for number, scope in enumerate(module.facts.scopes):
                func = Func(module.number, number)
                begins = any(last_name(load.value) in self._attributes for load in module.index[number].loads)
                for position, site in enumerate(scope.sites):
                    name = last_name(site.callee)
                    self._called.add(name)
                    if begins:
                        continue
                    begins = name in wanted or any(
                        said.query is not None and (said.query.makes is not None or said.query.does in _PREDICATES)
                        for said in self.texts.meanings(SiteKey(module.number, number, position))
                    )
                    begins = begins or _first_attribute(site.callee) in self._attributes
                if begins:
                    found.append(func)
                    if scope.kind in ("module", "class"):
                        constants |= module.index[number].names.keys()
        if constants:
            found += self._readers(constants, set(found))
        return found

    def _readers(self, names: set[str], known: set[Func]) -> list[Func]:
        """Functions that may read a query kept in a module or class."""
        found = []
        for module in self.linked.program.modules:
            if is_test_path(module.path):
                continue
            for number, scope in enumerate(module.facts.scopes):
                if Func(module.number, number) in known or scope.kind not in ("function", "lambda"):
                    continue
                values = [a.value for s in scope.sites for a in s.arguments] + [s.callee for s in scope.sites]
                if any(last_name(part) in names for value in values for part in (value, _receiver(value))):
                    found.append(Func(module.number, number))
        return found

    # Functions

    def _walked(self, func: Func) -> Queries:
        """The queries that the function returns, its parameters unknown."""
        if func not in self._returns:
            self._returns[func] = NONE
            if func in self._stack or len(self._stack) > DEEPEST:
                return NONE
            walk = _Walk(self, func, {}, True)
            self._returns[func] = walk.finish()
            self._ends[func] = walk.env
        return self._returns[func]

    def end(self, func: Func) -> Env:
        """What the names of a module, class or outer function hold at its end."""
        self._walked(func)
        return self._ends.get(func, {})

    def inlined(self, func: Func, env: Env) -> Queries:
        """What the function returns when it is given queries."""
        if func in self._stack or len(self._stack) > DEEPEST:
            return NONE
        return _Walk(self, func, env, False).finish()

    def has_callers(self, func: Func) -> bool:
        """Somebody calls it, or calls something of its name."""
        program = self.linked.program
        incoming = self.linked.calls.incoming.get(func, ())
        if any(not is_test_path(program.path(edge.caller)) for edge in incoming):
            return True
        return program.scope(func).name in self._called or program.scope(func).kind == "lambda"

    def attribute(self, name: str) -> str | None:
        """The class whose methods go on where a query begins by this attribute."""
        return self._attributes.get(name)

    def named_methods(self, name: str) -> list[tuple[str, Said]]:
        return self._methods.get(name, [])

    def part(self, name: str) -> str | None:
        return self.parts.get(name)


class _Walk:
    """One pass over a function's body."""

    def __init__(self, builders: Builders, func: Func, env: Env, alone: bool) -> None:
        self.builders = builders
        self.linked = builders.linked
        self.texts = builders.texts
        self.func = func
        self.env = env
        self.alone = alone
        self.scope = builders.linked.program.scope(func)
        self.returned: Queries = NONE

    def finish(self) -> Queries:
        self.builders._stack.append(self.func)
        try:
            self.block(self.scope.body)
        finally:
            self.builders._stack.pop()
        if self.alone and self.returned and not self.builders.has_callers(self.func):
            self.run(self.returned, True)
        return self.returned

    def run(self, queries: Iterable[Query], used: bool) -> None:
        for query in queries:
            self.builders.runs[Run(query, self.func, used)] = None
            for inner in query.carries:
                if query.does == "delete" or (query.does == "update" and _asks(query.selection)):
                    continue
                if not query.selection.aggregate:
                    self.run([inner], used)

    # Steps

    def block(self, steps: tuple[Step, ...]) -> bool:
        """Follows the steps; false where the path ends in them."""
        return all(self.step(step) for step in steps)

    def step(self, step: Step) -> bool:
        if isinstance(step, Invoke):
            self.invoke(step.site)
        elif isinstance(step, Bind):
            self.bind(step)
        elif isinstance(step, Load):
            pass
        elif isinstance(step, Await):
            if isinstance(step.value, (Reference, Attribute)):
                self.run(self.of(step.value), True)
        elif isinstance(step, Branch):
            return self.branches([step.body, step.orelse])
        elif isinstance(step, Loop):
            self.loop(step)
        elif isinstance(step, With):
            for item in step.items:
                self.block(item.entering)
            return self.block(step.body)
        elif isinstance(step, Try):
            before = dict(self.env)
            alive = self.block(step.body) and self.block(step.orelse)
            after = self.env
            for handler in step.handlers:
                self.env = _merged(before, after)
                if self.block(handler.body):
                    after = _merged(after, self.env) if alive else self.env
                    alive = True
            self.env = after
            return self.block(step.final) and alive
        elif isinstance(step, Match):
            return self.branches([case.guarding + case.body for case in step.cases] + [()])
        elif isinstance(step, Return):
            if step.value is not None:
                self.returned = _capped(self.returned | self.inside(step.value))
            return False
        elif isinstance(step, Yield):
            if step.value is not None:
                self.run(self.of(step.value), True)
        elif isinstance(step, (Raise, Break, Continue)):
            return False
        return True

    def branches(self, arms: list[tuple[Step, ...]]) -> bool:
        before = self.env
        after: Env | None = None
        for arm in arms:
            self.env = dict(before)
            if self.block(arm):
                after = self.env if after is None else _merged(after, self.env)
        self.env = before if after is None else after
        return after is not None

    def loop(self, step: Loop) -> None:
        if step.kind != "while":
            self.run(self.of(step.subject), True)
        for _ in range(2):
            before = dict(self.env)
            self.block(step.condition)
            self.block(step.body)
            self.env = _merged(before, self.env)
        self.block(step.orelse)

    def bind(self, step: Bind) -> None:
        if not isinstance(step.target, Reference):
            return
        name = step.target.name
        queries = self.of(step.value) if step.value is not None else NONE
        if queries or name in self.env:
            self.env[name] = queries

    # Values

    def of(self, value: Value) -> Queries:
        """The queries that a value can be."""
        if isinstance(value, Result):
            return self.env.get(value.site, NONE)
        if isinstance(value, Reference):
            return self.name(value.name)
        if isinstance(value, Awaited):
            return self.of(value.value)
        if isinstance(value, Attribute):
            return self.attribute(value)
        if isinstance(value, Choice):
            return self.of(value.body) | self.of(value.orelse)
        if isinstance(value, Boolean):
            return frozenset().union(*(self.of(part) for part in value.values))
        if isinstance(value, Arithmetic) and value.operator in ("|", "&"):
            return self.of(value.left) | self.of(value.right)
        if isinstance(value, Subscript):
            return frozenset(
                query._replace(selection=query.selection._replace(limited=True)) for query in self.of(value.value)
            )
        return NONE

    def inside(self, value: Value) -> Queries:
        """The queries in a value: itself, or what it is made of."""
        found = self.of(value)
        if found:
            return found
        parts: list[Value] = []
        if isinstance(value, (Compare, Arithmetic)):
            parts = [value.left, value.right]
        elif isinstance(value, (Attribute, Spread, Awaited, Not)):
            parts = [value.value]
        elif isinstance(value, Sequence):
            parts = list(value.items)
        elif isinstance(value, Boolean):
            parts = list(value.values)
        elif isinstance(value, Mapping):
            parts = [item for _, item in value.items]
        for part in parts:
            found |= self.inside(part)
        return found

    def name(self, name: str) -> Queries:
        known = self.env.get(name)
        if known is not None:
            return known
        owner = self.linked.inference.owner_scope(self.func.module, self.func.scope, name)
        if owner == self.func.scope or owner < 0:
            return NONE
        outer = Func(self.func.module, owner)
        found = NONE
        if name in self.linked.program.index(outer).names:
            found = self.builders.end(outer).get(name, NONE)
        return found or self.defined(Reference(name))

    def defined(self, value: Value) -> Queries:
        """Of a name or attribute that other code binds: to a query kept in a module or class."""
        found = NONE
        for one in self.texts.definitions(Expression(self.func.module, self.func.scope, value))[0]:
            if isinstance(one.value, Result) and (one.module, one.scope) != (self.func.module, self.func.scope):
                found |= self.builders.end(Func(one.module, one.scope)).get(one.value.site, NONE)
        return found

    def attribute(self, value: Attribute) -> Queries:
        found = self.of(value.value)
        if found:
            return found  # ``subquery.c``
        family = self.builders.attribute(value.name)
        if family is None:
            return self.defined(value) if not isinstance(value.value, Result) else NONE
        inference, program = self.linked.inference, self.linked.program
        entities = inference.of(self.func.module, self.func.scope, value.value)
        table = last_name(value.value)
        named = True
        for entity in entities:
            if isinstance(entity, Cls):
                bases = [p for p in inference.external_bases(entity) if p != "builtins.object"]
                if not bases and value.name not in program.index(entity).names:
                    return NONE
                named = not any(t.queries for p in bases for t in program.catalogue.traits(p))
                managed = inference.attribute(entity, value.name)
                if any(isinstance(m, (Plain, Many, Tup)) for m in managed):
                    return NONE
            elif isinstance(entity, Ext):
                named = True
            else:
                return NONE
        if not table[:1].isupper():
            return NONE
        span = self.load_span(value)
        if span is None:
            return NONE
        return frozenset({self.begun(span, family, "select", table, f"{table}.{value.name}", named)})

    def load_span(self, value: Attribute) -> Span | None:
        """Where an attribute is read: the next place from here on."""
        spans = [load.span for load in self.linked.program.index(self.func).loads if load.value == value]
        if self.at is None:
            return spans[0] if spans else None
        if not spans:
            return self.at  # the attribute of a module's class is no load
        begin = (self.at.line, self.at.column)
        later = [span for span in spans if (span.line, span.column) >= begin]
        return min(later or spans)

    at: Span | None = None
    """The call that is being followed."""

    def begun(self, span: Span, family: str, does: str, table: str, subject: str, named: bool) -> Query:
        end = (self.func.module, span.end_line, span.end_column)
        return Query(self.func, span, family, does, subject, Selection(table), end, named=named)

    # Calls

    def invoke(self, number: int) -> None:
        site = self.scope.sites[number]
        key = SiteKey(self.func.module, self.func.scope, number)
        outer, self.at = self.at, site.span
        result = self.call(key, site)
        self.at = outer
        if result:
            self.env[number] = _capped(result)
        else:
            self.env.pop(number, None)

    def call(self, key: SiteKey, site: Site) -> Queries:
        callee = site.callee
        said = [(meaning.query, meaning) for meaning in self.texts.meanings(key) if meaning.query is not None]
        if isinstance(callee, Attribute):
            bases = self.of(callee.value)
            if bases:
                return self.method(key, site, callee.name, bases)
            if (part := self.builders.part(callee.name)) is not None and part == "in":
                return self.arguments(site)
        for query, _ in said:
            if query.makes is not None:
                return self.beginning(key, site, query, False)
            if query.does == "aggregate":
                return NONE
            if query.does in ("all", "any", "in", "is", "lookups") and not isinstance(callee, Attribute):
                return self.arguments(site)
            if query.does in _PREDICATES or query.does in (
                "order",
                "limit",
                "lock",
                "columns",
                "same",
                "first",
                "rows",
            ):
                root = self.received(key, site)
                if root is not None and isinstance(callee, Attribute):
                    return self.method(key, site, callee.name, frozenset({root}))
        if not said and isinstance(callee, Attribute):
            for _, query in self.builders.named_methods(callee.name):
                if self.unknown(callee.value):
                    if query.table is not None and not self.names_tables(site):
                        continue
                    if query.table is None and not last_name(callee.value)[:1].isupper():
                        continue
                    return self.beginning(key, site, query, True)
        given = self.arguments(site)
        returned = self.project(key, site, {})
        if returned is not None:
            return returned
        if given:
            self.run(given, not site.dropped)
        return NONE

    def arguments(self, site: Site) -> Queries:
        found = NONE
        for argument in site.arguments:
            found |= self.inside(argument.value)
        return found

    def unknown(self, receiver: Value) -> bool:
        """Nothing is known of it, or only a class of whose bases nothing is known."""
        entities = self.linked.inference.of(self.func.module, self.func.scope, receiver)
        for entity in entities:
            if isinstance(entity, Ext):
                if self.linked.program.catalogue.klass(entity.path) is not None:
                    return False
            elif isinstance(entity, Cls):
                if not [p for p in self.linked.inference.external_bases(entity) if p != "builtins.object"]:
                    return False
            elif not isinstance(entity, Member) or self.linked.program.catalogue.klass(entity.of) is not None:
                return False
        return True

    def names_tables(self, site: Site) -> bool:
        """The first argument is called as a class, or is an attribute of one."""
        first = written_argument(site, "@0")
        while isinstance(first, Attribute):
            first = first.value
        return isinstance(first, Reference) and first.name[:1].isupper()

    def received(self, key: SiteKey, site: Site) -> Query | None:
        """A query of the receiver's own: of a manager, of a parameter."""
        for entity in ordered(self.linked.inference.solver.get(("callees", *key))):
            if isinstance(entity, Member):
                return self.begun(site.span, entity.of, "select", "", entity.of, False)
        return None

    def beginning(self, key: SiteKey, site: Site, query: Said, named: bool) -> Queries:
        callee = site.callee
        table = ""
        aggregate = keys = False
        if query.table is not None:
            values = [a.value for a in site.arguments if a.name == ""]
            if len(values) == 1 and isinstance(values[0], Sequence):
                values = list(values[0].items)
            table = next((_table(v) for v in values if _table(v)), "")
            aggregate = any(self.aggregates(v) for v in values)
            keys = bool(values) and all(isinstance(v, Attribute) and is_key(v.name, table) for v in values)
            if not table and isinstance(callee, Attribute) and last_name(callee.value)[:1].isupper():
                table = last_name(callee.value)
        elif isinstance(callee, Attribute):
            table = last_name(callee.value)
        meanings = self.linked.calls.meanings(key)
        subject = meanings[0].path if meanings else last_name(callee)
        does = query.does if query.does in ("update", "delete") else "select"
        span = site.span
        made = self.begun(span, query.makes or "", does, table, subject, named)
        selection = made.selection._replace(aggregate=aggregate, keys_only=keys)
        return frozenset({made._replace(selection=selection, carries=self.arguments(site))})

    def aggregates(self, value: Value) -> bool:
        """``func.count(...)`` and the like among the columns."""
        if isinstance(value, Number):
            return True
        if not isinstance(value, Result):
            return False
        callee = self.scope.sites[value.site].callee
        if last_name(callee) in _AGGREGATES:
            return True
        if any(
            said.query is not None and said.query.does == "aggregate"
            for said in self.texts.meanings(SiteKey(self.func.module, self.func.scope, value.site))
        ):
            return True
        return (
            isinstance(callee, Attribute)
            and last_name(callee) in ("label", "scalar_subquery")
            and self.aggregates(callee.value)
        )

    def project(self, key: SiteKey, site: Site, env: Env) -> Queries | None:
        """What functions of the project make of the queries given; None where it calls none of them."""
        inference, program = self.linked.inference, self.linked.program
        found = NONE
        any_target = False
        for entity in ordered(inference.solver.get(("callees", *key)))[:4]:
            for func, offset, partial in inference.targets(entity):
                if partial is not None or isinstance(entity, Cls):
                    continue
                any_target = True
                given: Env = dict(env) if offset else {}
                for position, parameter in enumerate(program.scope(func).parameters):
                    if position < offset:
                        continue
                    place = f"@{position - offset}" if parameter.kind in ("positional", "normal") else ""
                    value = written_argument(site, parameter.name + place)
                    if value is not None and (queries := self.inside(value)):
                        given[parameter.name] = queries
                found |= self.builders.inlined(func, given) if given else self.builders._walked(func)
        return found if any_target else None

    def method(self, key: SiteKey, site: Site, name: str, bases: Queries) -> Queries:
        found = NONE
        catalogue = self.linked.program.catalogue
        for base in sorted(bases, key=repr):
            member = catalogue.member(base.family, name)
            said = member.query if member is not None else None
            if said is None:
                own = self.own_method(key, site, name, base)
                found |= own if own is not None else frozenset({base})
                continue
            found |= self.step_of(said, site, base)
        return found

    def own_method(self, key: SiteKey, site: Site, name: str, base: Query) -> Queries | None:
        """A method of the project's own query class or manager."""
        inference, program = self.linked.inference, self.linked.program
        targets: list[Func] = []
        for entity in ordered(inference.solver.get(("callees", *key))):
            targets += [func for func, _, _ in inference.targets(entity)]
        if not targets:
            for cls, layout in program.layouts.items():
                if name in layout.methods and any(
                    program.catalogue.derives(path, base.family) for path in inference.external_bases(cls)
                ):
                    targets.append(Func(cls.module, layout.methods[name]))
        if not targets:
            return None
        found = NONE
        for func in targets[:4]:
            parameters = program.scope(func).parameters
            if parameters:
                found |= self.builders.inlined(func, {parameters[0].name: frozenset({base})})
        return found

    def step_of(self, said: Said, site: Site, base: Query) -> Queries:
        selection = base.selection
        does = said.does
        if does == "aggregate":
            return NONE
        if does == "write":
            kind = "update" if base.does == "select" else base.does
            self.run([base._replace(does=kind)], not site.dropped)
            return NONE
        carries = base.carries | self.arguments(site) if does in _PREDICATES or does == "same" else base.carries
        if does in _PREDICATES:
            selection = self.narrowed(selection, site, said)
        elif does == "order":
            selection = selection._replace(ordered=True)
        elif does in ("limit", "first"):
            selection = selection._replace(limited=True)
        elif does == "distinct" and not selection.lock:
            selection = selection._replace(aggregate=not selection.keys_only)
        elif does == "columns":
            selection = selection._replace(keys_only=self.keys_only(site, selection.table))
        elif does == "lock":
            lock = self.locked(said, site)
            selection = selection._replace(lock=lock)
        elif does == "one":
            selection = selection._replace(limited=selection.limited)
        end = (self.func.module, site.span.end_line, site.span.end_column)
        query = base._replace(selection=selection, carries=carries)
        if does == "lock":
            number = next(i for i, s in enumerate(self.scope.sites) if s is site)
            query = query._replace(lock=SiteKey(self.func.module, self.func.scope, number))
        if does in ("first", "one", "rows"):
            self.run([query], not site.dropped)
            return NONE
        return frozenset({query._replace(end=end)})

    def keys_only(self, site: Site, table: str) -> bool:
        names = [a.value.value for a in site.arguments if a.name == "" and isinstance(a.value, Text)]
        return bool(names) and all(is_key(name, table) for name in names)

    def locked(self, said: Said, site: Site) -> Lock:
        """What the call that locks asks for."""
        if any(a.name == "**" for a in site.arguments):
            return "unknown"
        if said.clause is not None and (clause := written_argument(site, said.clause)) is not None:
            texts = self.texts.strings(Expression(self.func.module, self.func.scope, clause))
            if texts:
                found = self.reader.statement(f"SELECT * FROM t {texts[0].text}")
                if found is not None and found.selections:
                    return found.selections[0].lock or "unknown"
                return "unknown"
        for spec, lock in ((said.skips, "skip"), (said.fails, "nowait"), (said.shares, "")):
            value = written_argument(site, spec) if spec is not None else None
            if value is None:
                continue
            known = self.texts.resolved(Expression(self.func.module, self.func.scope, value)).value
            if isinstance(known, Constant):
                if known.value:
                    return lock  # type: ignore[return-value]
                continue
            if lock:
                return "unknown"
        return "update"

    @property
    def reader(self) -> Reader:
        return self.builders.reader

    # Conditions

    def narrowed(self, selection: Selection, site: Site, said: Said) -> Selection:
        """With the conditions that a call adds."""
        builders = self.builders
        found = Conditions(
            self.texts, self.reader, builders.parts, lambda value: bool(self.inside(value)), selection.table
        )
        for argument in site.arguments:
            here = Expression(self.func.module, self.func.scope, argument.value)
            if said.does == "where" or argument.name in ("", "*"):
                found.read(here, said.does != "exclude")
            elif argument.name not in ("**",):
                found.lookup(argument.name, here, said.does == "exclude")
        return found.added_to(selection)


_AGGREGATES = frozenset({"count", "sum", "min", "max", "avg", "exists", "array_agg", "json_agg", "distinct"})


def _asks(selection: Selection) -> bool:
    return bool(selection.states or selection.markers or selection.flags or selection.due)


def _capped(queries: Queries) -> Queries:
    return queries if len(queries) <= MOST else frozenset(sorted(queries, key=repr)[:MOST])


def _merged(first: Env, second: Env) -> Env:
    merged = dict(first)
    for name, queries in second.items():
        merged[name] = _capped(merged.get(name, NONE) | queries)
    return merged


def _receiver(value: Value) -> Value:
    return value.value if isinstance(value, Attribute) else value


def _first_attribute(value: Value) -> str:
    """The attribute just behind the first call or name of a chain's receiver."""
    return last_name(value.value) if isinstance(value, Attribute) else ""


def _table(value: Value) -> str:
    """The table that a selected thing belongs to."""
    if isinstance(value, Reference) and value.name[:1].isupper():
        return value.name
    if isinstance(value, Attribute):
        return _table(value.value) if _table(value.value) else ""
    return ""

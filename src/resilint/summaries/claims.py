"""Queries that claim due tasks, in SQL text and built by calls, and what keeps two workers from claiming the same.

A claim asks for rows in a state that are due. It is fine where it leaves out what others have locked, where an advisory
lock is held around it, where an update asks for the state again and somebody looks at how many rows it changed, and
where the database has no locks of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from resilint.domain import Confidence, Role, Span
from resilint.facts import Attribute, Imported, Mapping, Reference, Result, Site, Text, Value
from resilint.link.entities import Cls, Ext, Func, Member, SiteKey, ordered
from resilint.link.infer import written_argument
from resilint.link.roles import is_test_path
from resilint.sql import Reader, Selection, Statement, looks_like_sql, takes_advisory_lock, words
from resilint.summaries.analysis import Analysis
from resilint.summaries.queries import Builders, Run
from resilint.summaries.sources import Sources
from resilint.summaries.texts import Expression, Place, String, Texts

ACCESS = ("Repository", "Repo", "Store", "Dao", "DAO", "Queue")
"""Classes that are data access code by their name."""
_HELD = frozenset(
    {"session", "sessions", "pool", "connection", "connections", "conn", "db", "database", "engine", "sessionmaker"}
)
_FINAL = frozenset(
    {
        *("done", "complete", "completed", "finished", "success", "succeeded", "successful", "cancelled", "canceled"),
        *("archived", "deleted", "published", "delivered", "closed", "resolved"),
    }
)
"""States in which nothing is left to do: who asks for these cleans up."""
_LOGGING = frozenset({"debug", "info", "warning", "error", "exception", "critical", "log", "print"})


class Insertion(NamedTuple):
    """A change of one place of one file."""

    module: int
    line: int
    column: int
    text: str
    safe: bool


class Claim(NamedTuple):
    """A query that two workers can run at once and get the same rows from."""

    func: Func
    span: Span
    selection: Selection
    subject: str
    confidence: Confidence
    fix: Insertion | None


@dataclass(slots=True)
class _Neighbours:
    """Functions that call one, and what they call."""

    analysis: Analysis

    def callers(self, func: Func) -> list[Func]:
        found = {e.caller: None for e in self.analysis.product_edges(func) if e.caller != func}
        return list(found)

    def below(self, func: Func, depth: int) -> Iterator[Func]:
        """The function and what it calls while attached."""
        seen = {func}
        level = [func]
        for _ in range(depth + 1):
            yield from level
            following: list[Func] = []
            for one in level:
                for edge in self.analysis.linked.calls.outgoing.get(one, ()):
                    if edge.attached and edge.callee not in seen:
                        seen.add(edge.callee)
                        following.append(edge.callee)
            level = following

    def above(self, func: Func, holds: Callable[[Func], bool], depth: int = 3) -> bool:
        """It holds of the function, or of all that call it."""
        if holds(func):
            return True
        callers = self.callers(func)
        return bool(callers) and depth > 0 and all(self.above(one, holds, depth - 1) for one in callers)


@dataclass(slots=True)
class Claims:
    """All claims of a program."""

    analysis: Analysis
    reader: Reader
    texts: Texts
    runs: list[Run]
    statements: dict[SiteKey, list[tuple[int, String, Statement, Value]]] = field(default_factory=dict)
    """SQL text that calls are given: which argument, the text, what it says, the argument as written."""
    near: _Neighbours = field(init=False)
    _checked: dict[Func, bool] = field(default_factory=dict)
    _advisory: dict[Func, bool] = field(default_factory=dict)
    _access: dict[Func, bool] = field(default_factory=dict)
    _sqlite: bool | None = None

    def __post_init__(self) -> None:
        self.near = _Neighbours(self.analysis)

    def find(self) -> list[Claim]:
        """In order of files and lines, one a place."""
        found: dict[tuple[str, int, int], Claim] = {}
        for claim in (*self._in_texts(), *self._in_runs()):
            path = self.analysis.path(claim.func)
            key = (path, claim.span.line, claim.span.column)
            known = found.get(key)
            if known is None or claim.confidence.ordinal > known.confidence.ordinal:
                found[key] = claim
        return [found[key] for key in sorted(found)]

    # SQL text

    def _in_texts(self) -> Iterator[Claim]:
        for key, given in self.statements.items():
            if any(s.lock in ("skip", "nowait", "unknown") for _, _, st, _ in given for s in st.selections):
                continue
            for position, string, statement, value in given:
                for selection in statement.selections:
                    claim = self._of_text(key, position, string, statement, selection, value)
                    if claim is not None:
                        yield claim

    def _of_text(
        self, key: SiteKey, position: int, string: String, statement: Statement, selection: Selection, value: Value
    ) -> Claim | None:
        func = Func(key.module, key.scope)
        due = [
            column
            for column, placeholder in selection.open
            if any(map(self.texts.is_now, self.texts.bound(placeholder, string, key, position)))
        ]
        selection = selection._replace(due=(*selection.due, *due))
        confidence = self.verdict(selection, func, func)
        if confidence is None or statement.dialect == "sqlite" or self._on_sqlite(key):
            return None
        site = self.analysis.linked.program.site(key)
        meaning = next((m.query for m in self.texts.meanings(key) if m.query is not None), None)
        span = site.span
        if (meaning is None or meaning.does != "text") and string.local and string.place is not None:
            span = string.place[1].span
        elif meaning is None or meaning.does != "text":
            span = self._argument_span(site, value)
        meanings = self.analysis.linked.calls.meanings(key)
        subject = meanings[0].path if meanings else selection.table or "sql"
        return Claim(func, span, selection, subject, confidence, self._mend_text(string, statement, selection))

    @staticmethod
    def _argument_span(site: Site, value: Value) -> Span:
        return site.span

    @staticmethod
    def _mend_text(string: String, statement: Statement, selection: Selection) -> Insertion | None:
        if selection.lock == "update":
            if string.lock is None or string.lock[1].lock is None:
                return None
            line, column = string.lock[1].lock
            return Insertion(string.lock[0], line, column, " SKIP LOCKED", True)
        place: Place | None = string.place
        if place is None or place[1].tail is None or not selection.top or len(statement.selections) != 1:
            return None
        line, column = place[1].tail
        return Insertion(place[0], line, column, " FOR UPDATE SKIP LOCKED", False)

    # Built queries

    def _in_runs(self) -> Iterator[Claim]:
        runs: dict[tuple[Func, Span, Func], list[Run]] = {}
        for run in self.runs:
            if run.query.does == "select":
                runs.setdefault((run.query.func, run.query.span, run.func), []).append(run)
        for (func, span, where), alternatives in runs.items():
            if any(r.query.selection.lock in ("skip", "nowait", "unknown") for r in alternatives):
                continue
            if self._only_sqlite():
                continue
            for run in alternatives:
                confidence = self.verdict(run.query.selection, func, where)
                if confidence is not None:
                    if run.query.named and run.query.selection.lock != "update":
                        confidence = min(confidence, Confidence.MEDIUM, key=lambda c: c.ordinal)
                    yield Claim(func, span, run.query.selection, run.query.subject, confidence, self._mend_run(run))

    def _mend_run(self, run: Run) -> Insertion | None:
        program = self.analysis.linked.program
        query = run.query
        klass = program.catalogue.klass(query.family)
        if query.selection.lock == "update" and query.lock is not None:
            site = program.site(query.lock)
            if site.arguments:
                return None
            name = site.callee.name if isinstance(site.callee, Attribute) else ""
            if klass is None or not klass.skips_locked.startswith(f"{name}("):
                return None
            argument = klass.skips_locked.removeprefix(f"{name}(").removesuffix(")")
            return Insertion(query.lock.module, site.span.end_line, site.span.end_column - 1, argument, True)
        if klass is None or not klass.skips_locked or query.selection.within:
            return None
        module, line, column = query.end
        return Insertion(module, line, column, f".{klass.skips_locked}", False)

    # Verdicts

    def verdict(self, selection: Selection, func: Func, where: Func) -> Confidence | None:
        """How sure it is that the query claims without leaving out what others hold; None where it does not."""
        if selection.aggregate or selection.keyed or selection.lock in ("skip", "nowait", "unknown"):
            return None
        if selection.within in ("checked update", "delete", "other"):
            return None
        locked = selection.lock == "update"
        state = bool(selection.states or selection.markers or (locked and selection.flags))
        if not state or (selection.values and all(value.lower() in _FINAL for value in selection.values)):
            return None
        worker = Role.WORKER in (self.analysis.role(func), self.analysis.role(where))
        if not worker and not self.is_access(func) and not self.is_access(where):
            return None
        if selection.due:
            confidence = Confidence.HIGH if locked or selection.states else Confidence.MEDIUM
            if selection.keys_only and not locked and self._enqueues(where):
                confidence = Confidence.MEDIUM
        elif worker and (selection.ordered or selection.limited):
            confidence = Confidence.MEDIUM
        else:
            return None
        for one in dict.fromkeys((func, where)):
            if self.near.above(one, self.holds_advisory_lock) or self._compares_and_sets(one):
                return None
        return confidence

    def is_access(self, func: Func) -> bool:
        """Data access code: by the class's name, or because it holds a session, pool or connection."""
        known = self._access.get(func)
        if known is None:
            known = self._access[func] = self._find_access(func)
        return known

    def _find_access(self, func: Func) -> bool:
        program, inference = self.analysis.linked.program, self.analysis.linked.inference
        owner: Cls | None = None
        current = func.scope
        while current > 0:
            if program.modules[func.module].facts.scopes[current].kind == "class":
                owner = Cls(func.module, current)
                break
            current = program.modules[func.module].facts.scopes[current].parent
        if owner is None:
            return False
        for base in inference.mro(owner):
            if not isinstance(base, Cls):
                continue
            if program.scope(base).name.endswith(ACCESS):
                return True
            names = program.layouts[base].stores.keys() | program.index(base).annotations.keys()
            for name in names:
                if not _HELD.isdisjoint(words(name)):
                    return True
                if name in program.layouts[base].stores and any(
                    self.analysis.linked.roles.client_group(entity) == "database"
                    for entity in inference.solver.get(("store", base, name))
                ):
                    return True
        return False

    def _enqueues(self, func: Func) -> bool:
        """It, or who calls it, queues work."""
        for one in (func, *self.near.callers(func)):
            scope = self.analysis.linked.program.scope(one)
            for number in range(len(scope.sites)):
                for meaning in self.texts.meanings(SiteKey(one.module, one.scope, number)):
                    if meaning.enqueue or (meaning.spawn is not None and meaning.spawn.enqueues):
                        return True
        return False

    # What keeps workers apart

    def holds_advisory_lock(self, func: Func) -> bool:
        """It, or what it calls, takes an advisory lock."""
        known = self._advisory.get(func)
        if known is None:
            known = self._advisory[func] = any(map(self._takes_lock, self.near.below(func, 2)))
        return known

    def _takes_lock(self, func: Func) -> bool:
        scope = self.analysis.linked.program.scope(func)
        for number, site in enumerate(scope.sites):
            key = SiteKey(func.module, func.scope, number)
            if any(statement.advisory for _, _, statement, _ in self.statements.get(key, ())):
                return True
            callee = site.callee
            name = callee.name if isinstance(callee, (Attribute, Reference)) else ""
            if takes_advisory_lock(name) or "advisory" in words(name):
                return True
            if any(meaning.advisory_lock for meaning in self.texts.meanings(key)):
                return True
        return False

    def _compares_and_sets(self, func: Func) -> bool:
        """Near it an update asks for the state again, and somebody looks at what it changed."""
        near = [func, *self.near.callers(func)]
        return any(self._updates_checked(one) for start in near for one in self.near.below(start, 2))

    def _updates_checked(self, func: Func) -> bool:
        known = self._checked.get(func)
        if known is None:
            known = self._checked[func] = self._find_checked(func)
        return known

    def _find_checked(self, func: Func) -> bool:
        program = self.analysis.linked.program
        for run in self.runs:
            selection = run.query.selection
            if run.func == func and run.query.does == "update" and run.used:
                if (selection.states or selection.markers or selection.flags) and not selection.lock:
                    return True
        scope = program.scope(func)
        for number, site in enumerate(scope.sites):
            key = SiteKey(func.module, func.scope, number)
            for _, _, statement, _ in self.statements.get(key, ()):
                for update in statement.updates:
                    if update.asks and not statement.selections and self._looks_at(func, number, site):
                        return True
        return False

    def _looks_at(self, func: Func, number: int, site: Site) -> bool:
        """Somebody looks at what comes of the statement that is given to the call, or made by it."""
        takers = [
            other
            for other in self.analysis.linked.program.scope(func).sites
            if any(argument.value == Result(number) for argument in other.arguments)
        ]
        if takers:
            return any(not taker.dropped for taker in takers)
        return not site.dropped or self._counts_rows(func)

    def _counts_rows(self, func: Func) -> bool:
        loads = self.analysis.linked.program.index(func).loads
        return any(isinstance(load.value, Attribute) and load.value.name == "rowcount" for load in loads)

    # SQLite

    def _on_sqlite(self, key: SiteKey) -> bool:
        """The text goes to a database without locks of rows."""
        program, inference = self.analysis.linked.program, self.analysis.linked.inference
        catalogue = program.catalogue
        dialects = program.settings.sql_dialects
        if dialects and set(dialects) == {"sqlite"}:
            return True
        known = False
        for entity in ordered(inference.solver.get(("callees", *key))):
            if isinstance(entity, Member):
                if any(trait.no_row_locks for trait in catalogue.traits(entity.of)):
                    return True
                known = known or catalogue.klass(entity.of) is not None
        if known:
            return self._only_sqlite()
        return self._imports_sqlite(key.module) or self._only_sqlite()

    def _imports_sqlite(self, module: int) -> bool:
        names = self.analysis.once("databases without row locks", self._sqlite_libraries)
        others = self.analysis.once("other databases", self._database_libraries)
        found = set()
        for scope in self.analysis.linked.program.modules[module].index:
            for bindings in scope.names.values():
                for binding in bindings:
                    if isinstance(binding.value, Imported) and not binding.value.level:
                        found.add(binding.value.module.partition(".")[0])
        return not found.isdisjoint(names) and found.isdisjoint(others)

    def _sqlite_libraries(self) -> frozenset[str]:
        libraries = self.analysis.linked.program.catalogue.libraries
        return frozenset(
            lib.library for lib in libraries if lib.klass and any(k.no_row_locks for k in lib.klass.values())
        ) - frozenset(lib.library for lib in libraries if any(k.queries or k.skips_locked for k in lib.klass.values()))

    def _database_libraries(self) -> frozenset[str]:
        return frozenset(
            lib.library
            for lib in self.analysis.linked.program.catalogue.libraries
            if any(k.client == "database" or k.skips_locked for k in lib.klass.values())
        )

    def _only_sqlite(self) -> bool:
        """All databases that the program opens, as far as they are written, are SQLite."""
        if self._sqlite is None:
            found = set(self._databases())
            self._sqlite = found == {True}
        return self._sqlite

    def _databases(self) -> Iterator[bool]:
        program = self.analysis.linked.program
        catalogue = program.catalogue
        bases = {base for lib in catalogue.libraries for k in lib.klass.values() if k.no_row_locks for base in k.bases}
        for module in program.modules:
            if is_test_path(module.path):
                continue
            for number, scope in enumerate(module.facts.scopes):
                for position, site in enumerate(scope.sites):
                    key = SiteKey(module.number, number, position)
                    for entity in ordered(self.analysis.linked.inference.solver.get(("callees", *key))):
                        path = entity.path if isinstance(entity, Ext) else ""
                        if path and bases & set(catalogue.mro(path)):
                            yield any(trait.no_row_locks for trait in catalogue.traits(path))
                    for meaning in self.texts.meanings(key):
                        if meaning.database_url is None:
                            continue
                        url = written_argument(site, meaning.database_url)
                        texts = self.texts.strings(Expression(module.number, number, url)) if url is not None else []
                        yield bool(texts) and all(text.text.startswith("sqlite") for text in texts)
            for binding in (b for bound in module.index[0].names.values() for b in bound):
                yield from _engines(binding.value)


def _engines(value: Value | None, depth: int = 0) -> Iterator[bool]:
    """Of a table of databases: whether each is SQLite."""
    if not isinstance(value, Mapping) or depth > 2:
        return
    for label, item in value.items:
        if isinstance(label, Text) and label.value == "ENGINE" and isinstance(item, Text):
            yield "sqlite" in item.value
        yield from _engines(item, depth + 1)


def claims(analysis: Analysis) -> Claims:
    """What a program's queries claim; computed once."""

    def compute() -> Claims:
        linked = analysis.linked
        reader = Reader(linked.program.settings.sql_dialects)
        texts = Texts(linked)
        runs = Builders(linked, texts, reader).follow()
        return Claims(analysis, reader, texts, runs, _statements(analysis, reader, texts))

    return analysis.once("claims", compute)


def _statements(
    analysis: Analysis, reader: Reader, texts: Texts
) -> dict[SiteKey, list[tuple[int, String, Statement, Value]]]:
    """All SQL text that calls are given."""
    program = analysis.linked.program
    found: dict[SiteKey, list[tuple[int, String, Statement, Value]]] = {}
    sources = Sources(analysis.linked)
    for module in program.modules:
        if is_test_path(module.path):
            continue
        for number, scope in enumerate(module.facts.scopes):
            for position, site in enumerate(scope.sites):
                key = SiteKey(module.number, number, position)
                if not site.arguments or _passes_on(texts, key, site):
                    continue
                for place, argument in enumerate(site.arguments[:4]):
                    if not sources.may_be_sql(module.number, number, argument.value):
                        continue
                    if _is_read_text(texts, key, argument.value):
                        continue
                    for string in texts.strings(Expression(module.number, number, argument.value)):
                        if not looks_like_sql(string.text):
                            continue
                        statement = reader.statement(string.text)
                        if statement is not None:
                            found.setdefault(key, []).append((place, string, statement, argument.value))
    return found


def _passes_on(texts: Texts, key: SiteKey, site: Site) -> bool:
    """The call makes a larger text of it, or tells it to people."""
    callee = site.callee
    name = callee.name if isinstance(callee, (Attribute, Reference)) else ""
    if name in _LOGGING or name in ("join", "format", "replace"):
        return True
    return any(meaning.query is not None and meaning.query.does == "string" for meaning in texts.meanings(key))


def _is_read_text(texts: Texts, key: SiteKey, value: Value) -> bool:
    """The argument is a call that is reported itself (``text(...)``)."""
    inner = texts.resolved(Expression(key.module, key.scope, value))
    site = texts.site(inner)
    if site is None:
        return False
    at = SiteKey(inner.module, inner.scope, inner.value.site)  # type: ignore[union-attr]
    return any(meaning.query is not None and meaning.query.does == "text" for meaning in texts.meanings(at))

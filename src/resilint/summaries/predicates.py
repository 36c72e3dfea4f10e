"""What conditions of built queries ask for: states, markers, flags, due times, keys."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Mapping_

from resilint.facts import (
    Arithmetic,
    Attribute,
    Boolean,
    Choice,
    Compare,
    Constant,
    Not,
    Reference,
    Result,
    Sequence,
    Spread,
    Subscript,
    Text,
    Value,
)
from resilint.link.entities import Cls, Inst, SiteKey
from resilint.link.infer import written_argument
from resilint.link.program import binding_scope
from resilint.sql import Reader, Selection, is_attempts, is_key, is_marker, is_state
from resilint.summaries.texts import Expression, Texts


def last_name(value: Value) -> str:
    """The last name of a dotted expression."""
    return value.name if isinstance(value, (Attribute, Reference)) else ""


class Conditions:
    """Collects what conditions ask for."""

    def __init__(
        self,
        texts: Texts,
        reader: Reader,
        parts: Mapping_[str, str],
        holds_query: Callable[[Value], bool],
        table: str,
    ) -> None:
        self.texts = texts
        self.reader = reader
        self.parts = parts
        """Methods of columns by name, and what they compare."""
        self.holds_query = holds_query
        self.inference = texts.linked.inference
        self.table = table
        self.states: list[str] = []
        self.values: list[str] = []
        self.markers: list[str] = []
        self.flags: list[str] = []
        self.due: list[str] = []
        self.keyed = False

    def added_to(self, selection: Selection) -> Selection:
        return selection._replace(
            states=(*selection.states, *self.states),
            values=(*selection.values, *self.values),
            markers=(*selection.markers, *self.markers),
            flags=(*selection.flags, *self.flags),
            due=(*selection.due, *self.due),
            keyed=selection.keyed or self.keyed,
        )

    def read(self, at: Expression, surely: bool, depth: int = 0) -> None:
        """An expression that must hold; ``surely``: it is no alternative."""
        value = at.value
        if depth > 8:
            return

        def part(inner: Value, sure: bool) -> None:
            self.read(Expression(at.module, at.scope, inner), sure, depth + 1)

        if isinstance(value, Compare):
            self.compare(at, value, surely)
        elif isinstance(value, Arithmetic) and value.operator in ("&", "|"):
            part(value.left, surely and value.operator == "&")
            part(value.right, surely and value.operator == "&")
        elif isinstance(value, Arithmetic) and value.operator in ("<<", ">>"):
            if isinstance(value.right, Constant):
                self.null(self.column(at, value.left))
            else:
                self.among(at, value.left, value.right, surely)
        elif isinstance(value, Boolean):
            for one in value.values:
                part(one, surely and value.operator == "and")
        elif isinstance(value, Not):
            part(value.value, False)
        elif isinstance(value, Spread):
            part(value.value, surely)
        elif isinstance(value, Sequence):
            for item in value.items:
                part(item, surely)
        elif isinstance(value, Choice):
            part(value.body, False)
            part(value.orelse, False)
        elif isinstance(value, Result):
            self.call(at, value, surely, depth)
        elif isinstance(value, Reference):
            self.name(at, value, surely, depth)
        elif isinstance(value, (Attribute, Subscript)):
            column = self.column(at, value)
            if column is not None and not isinstance(value, Reference):
                self.flags.append(column)

    def name(self, at: Expression, value: Reference, surely: bool, depth: int) -> None:
        for one in self.texts.definitions(at)[0]:
            self.read(one, surely, depth + 1)
        owner = self.inference.owner_scope(at.module, at.scope, value.name)
        if owner >= 0:
            index = self.texts.linked.program.modules[at.module].index[owner]
            for added in index.additions.get(value.name, ())[:16]:
                if added.value is not None:
                    self.read(Expression(at.module, binding_scope(added, owner), added.value), False, depth + 1)

    def call(self, at: Expression, value: Result, surely: bool, depth: int) -> None:
        key = SiteKey(at.module, at.scope, value.site)
        site = self.texts.linked.program.site(key)
        callee = site.callee
        part = self.parts.get(callee.name) if isinstance(callee, Attribute) else None
        if part is not None and isinstance(callee, Attribute):
            first = written_argument(site, "@0")
            if part == "in" and first is not None:
                self.among(at, callee.value, first, surely)
            elif part == "null":
                self.null(self.column(at, callee.value))
            elif part == "is":
                if isinstance(first, Constant) and first.value is not None:
                    self.flag(self.column(at, callee.value))
                else:
                    self.null(self.column(at, callee.value))
            elif part == "between":
                second = written_argument(site, "@1")
                if second is not None:
                    self.before(at, callee.value, second)
            return
        for meaning in self.texts.meanings(key):
            said = meaning.query
            if said is None:
                continue
            if said.does in ("all", "any"):
                for argument in site.arguments:
                    self.read(Expression(at.module, at.scope, argument.value), surely and said.does == "all", depth + 1)
                return
            if said.does == "lookups":
                for argument in site.arguments:
                    inner = Expression(at.module, at.scope, argument.value)
                    if argument.name in ("", "*"):
                        self.read(inner, False, depth + 1)
                    elif argument.name != "**":
                        self.lookup(argument.name, inner, False)
                return
            if said.does == "text":
                for string in self.texts.strings(at)[:1]:
                    found = self.reader.condition(string.text)
                    self.states += found.states
                    self.values += found.values
                    self.markers += found.markers
                    self.flags += found.flags
                    self.due += found.due
                    self.due += [
                        column
                        for column, key_ in found.open
                        if any(map(self.texts.is_now, self.texts.bound(key_, string, key, 0)))
                    ]
                return
        for returned in self.texts.returned(key)[:4]:
            self.read(returned, surely, depth + 1)

    def compare(self, at: Expression, value: Compare, surely: bool) -> None:
        operator = value.operator
        if operator in ("==", "!="):
            self.equal(at, value.left, value.right, surely and operator == "==")
        elif operator in ("<", "<="):
            self.before(at, value.left, value.right)
        elif operator in (">", ">="):
            self.before(at, value.right, value.left)

    def equal(self, at: Expression, left: Value, right: Value, surely: bool) -> None:
        for side, other in ((left, right), (right, left)):
            if self.is_fixed(at, side) or (column := self.column(at, side)) is None:
                continue
            if isinstance(other, Constant):
                if other.value is None:
                    self.null(column)
                else:
                    self.flag(column)
            elif is_state(column) or self.is_text(at, other):
                if not (isinstance(other, Attribute) and is_state(other.name) and not self.is_fixed(at, other)):
                    self.states.append(column)
                    self.values += self.text_of(at, other) if surely else ["?"]
            elif surely and is_key(column, self.table) and not isinstance(other, Attribute):
                self.keyed = True
            return

    def among(self, at: Expression, left: Value, right: Value, surely: bool) -> None:
        column = self.column(at, left)
        if column is None:
            return
        items = self.texts.resolved(Expression(at.module, at.scope, right))
        members = list(items.value.items) if isinstance(items.value, Sequence) else []
        if is_state(column) or any(self.is_text(Expression(items.module, items.scope, m), m) for m in members):
            self.states.append(column)
            for member in members or [right]:
                self.values += self.text_of(Expression(items.module, items.scope, member), member) if surely else ["?"]
        elif surely and is_key(column, self.table) and not self.holds_query(right):
            self.keyed = True

    def null(self, column: str | None) -> None:
        if column is not None and is_marker(column):
            self.markers.append(column)

    def flag(self, column: str | None) -> None:
        if column is not None:
            self.flags.append(column)

    def before(self, at: Expression, earlier: Value, later: Value) -> None:
        column = self.column(at, earlier)
        if column is None or is_attempts(column):
            return
        if self.texts.is_now(Expression(at.module, at.scope, earlier)):
            return
        if self.texts.is_now(Expression(at.module, at.scope, later)):
            self.due.append(column)

    def lookup(self, name: str, at: Expression, opposite: bool) -> None:
        """``due__lte=now``; ``opposite`` where it must not hold."""
        *path, suffix = name.split("__") if "__" in name else (name, "exact")
        if suffix not in _LOOKUPS:
            path, suffix = [*path, suffix], "exact"
        column = next((p for p in reversed(path) if p and p not in _TRANSFORMS), "")
        constant = at.value.value if isinstance(at.value, Constant) else ...
        if suffix in (("gt", "gte") if opposite else ("lt", "lte")):
            if not is_attempts(column) and self.texts.is_now(at):
                self.due.append(column)
        elif suffix == "range":
            if isinstance(at.value, Sequence) and len(at.value.items) == 2:
                if self.texts.is_now(Expression(at.module, at.scope, at.value.items[1])):
                    self.due.append(column)
        elif suffix == "isnull" or (suffix == "exact" and constant is None):
            if (constant is None or constant is True) != opposite:
                self.null(column)
        elif constant in (True, False):
            self.flag(column)
        elif suffix in ("exact", "iexact", "in", "startswith"):
            items = self.texts.resolved(at)
            members = list(items.value.items) if isinstance(items.value, Sequence) else [at.value]
            if is_state(column) or any(self.is_text(Expression(items.module, items.scope, m), m) for m in members):
                self.states.append(column)
                for member in members:
                    self.values += ["?"] if opposite else self.text_of(items._replace(value=member), member)
            elif not opposite and is_key(column, self.table) and not self.holds_query(at.value):
                self.keyed = True

    # Sides of a comparison

    def column(self, at: Expression, value: Value, depth: int = 0) -> str | None:
        """The column that a side is about."""
        if depth > 5:
            return None
        if isinstance(value, Attribute):
            if self.is_fixed(at, value):
                return None
            return value.name
        if isinstance(value, Subscript):
            return value.index.value if isinstance(value.index, Text) else self.column(at, value.value, depth + 1)
        if isinstance(value, Arithmetic):
            return self.column(at, value.left, depth + 1) or self.column(at, value.right, depth + 1)
        if isinstance(value, Result):
            site = self.texts.linked.program.site(SiteKey(at.module, at.scope, value.site))
            for meaning in self.texts.meanings(SiteKey(at.module, at.scope, value.site)):
                if meaning.query is not None and meaning.query.does == "column":
                    first = written_argument(site, "@0")
                    return first.value if isinstance(first, Text) else None
            if self.texts.is_now(Expression(at.module, at.scope, value)):
                return None
            for argument in site.arguments:
                if (found := self.column(at, argument.value, depth + 1)) is not None:
                    return found
            if isinstance(site.callee, Attribute) and isinstance(site.callee.value, (Attribute, Subscript)):
                return self.column(at, site.callee.value, depth + 1)
            return None
        if isinstance(value, Reference):
            found_here = self.texts.definitions(at._replace(value=value))[0]
            for one in found_here[:2]:
                if isinstance(one.value, (Attribute, Result, Subscript)):
                    return self.column(one, one.value, depth + 1)
        return None

    def is_fixed(self, at: Expression, value: Value) -> bool:
        """It is a constant, a member of an enum, or what an object of the program holds: no column."""
        if isinstance(value, (Text, Constant, Sequence)):
            return True
        if not isinstance(value, Attribute):
            return False
        if self.texts.is_now(Expression(at.module, at.scope, value)):
            return True
        for entity in self.inference.of(at.module, at.scope, value):
            if isinstance(entity, Inst) and isinstance(entity.of, Cls) and self.inference.is_enum(entity.of):
                return True
        if value.name == "value" and isinstance(value.value, Attribute):
            return self.is_fixed(at, value.value)
        if value.name.isupper() and len(value.name) > 1:
            return True
        base = value.value
        while isinstance(base, Attribute):
            base = base.value
        return isinstance(base, Reference) and base.name in ("self", "settings", "config", "args")

    def is_text(self, at: Expression, value: Value) -> bool:
        """A string literal, by whatever name, or a member of an enum."""
        if isinstance(value, Text):
            return True
        if isinstance(value, Attribute):
            for entity in self.inference.of(at.module, at.scope, value):
                if isinstance(entity, Inst) and isinstance(entity.of, Cls) and self.inference.is_enum(entity.of):
                    return True
            if value.name == "value" and isinstance(value.value, Attribute) and self.is_text(at, value.value):
                return True
            known = self.texts.resolved(at._replace(value=value)).value
            if isinstance(known, Text):
                return True
            return value.name.isupper() and len(value.name) > 2 and last_name(value.value)[:1].isupper()
        if isinstance(value, Reference):
            if isinstance(self.texts.resolved(at._replace(value=value)).value, Text):
                return True
            return any(
                isinstance(e, Inst) and isinstance(e.of, Cls) and self.inference.is_enum(e.of)
                for e in self.inference.of(at.module, at.scope, value)
            )
        return False

    def text_of(self, at: Expression, value: Value) -> list[str]:
        known = self.texts.resolved(at._replace(value=value)).value
        if isinstance(known, Text):
            return [known.value]
        if isinstance(value, Attribute):
            return [last_name(value.value) if value.name == "value" else value.name]
        return ["?"]


_LOOKUPS = frozenset(
    [
        "exact",
        "iexact",
        "contains",
        "icontains",
        "in",
        "gt",
        "gte",
        "lt",
        "lte",
        "startswith",
        "istartswith",
        "endswith",
        "iendswith",
        "range",
        "isnull",
        "regex",
    ]
)
_TRANSFORMS = frozenset({"date", "year", "month", "day", "hour", "minute", "second"})

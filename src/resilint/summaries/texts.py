"""What an expression is as text, with holes where it is not known; and which expressions are the current time.

Names are followed to what they are bound to, into other modules and classes; parameters are not, unless a clock is
looked for: then what callers pass counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple, TypeAlias

from resilint.catalogue import Callable_
from resilint.facts import (
    Arithmetic,
    Attribute,
    Awaited,
    Boolean,
    Choice,
    Constant,
    Format,
    Imported,
    Mapping,
    Number,
    Reference,
    Result,
    Sequence,
    Site,
    Spread,
    Text,
    Value,
    Written,
)
from resilint.link.entities import Cls, Ext, Func, Inst, Mod, SiteKey, ordered
from resilint.link.index import AUGMENTED, PLAIN, UNPACKED
from resilint.link.infer import written_argument
from resilint.link.linked import Linked
from resilint.link.program import binding_scope
from resilint.sql import HOLE, is_now

DEEPEST = 6
MOST = 6
"""Alternatives of one string that are looked at."""
KEEPING = frozenset({"strip", "lstrip", "rstrip", "format", "format_map", "replace", "join", "expandtabs"})
"""Methods of a string that leave what it asks for."""


class Expression(NamedTuple):
    """A value and the scope that it is read in."""

    module: int
    scope: int
    value: Value


Place: TypeAlias = tuple[int, Written]
"""A literal: its module and where it stands there."""


@dataclass(frozen=True, slots=True)
class String:
    """One alternative of a text. ``{HOLE}3`` in it stands for ``holes[3]``."""

    text: str
    holes: tuple[Expression, ...] = ()
    place: Place | None = None
    """The literal that begins it, where that looks like SQL by itself."""
    lock: Place | None = None
    """The literal that asks for a lock."""
    local: bool = True
    """It is written in the function itself, not a constant of a class or module."""


@dataclass(slots=True)
class Texts:
    """Answers for one linked program."""

    linked: Linked
    _busy: set[tuple[int, int, str]] = field(default_factory=set)

    # Definitions

    def definitions(self, at: Expression) -> tuple[list[Expression], bool]:
        """What a name or attribute is bound to, and whether inside the function that reads it. Nothing for
        parameters and
        what cannot be found."""
        value = at.value
        if isinstance(value, Reference):
            return self._name(at.module, at.scope, value.name)
        if isinstance(value, Attribute):
            return self._attribute(at, value), False
        return [], False

    def _name(self, module: int, scope: int, name: str, depth: int = 0) -> tuple[list[Expression], bool]:
        inference, program = self.linked.inference, self.linked.program
        owner = inference.owner_scope(module, scope, name)
        if owner < 0:
            return self._starred(module, name, depth), False
        found: list[Expression] = []
        for binding in program.modules[module].index[owner].names.get(name, ()):
            if binding.value is None or binding.how not in (PLAIN, AUGMENTED):
                continue
            if isinstance(binding.value, Imported):
                found += self._imported(module, binding.value, depth)
            else:
                found.append(Expression(module, binding_scope(binding, owner), binding.value))
        return found, owner == scope and owner > 0

    def _starred(self, module: int, name: str, depth: int) -> list[Expression]:
        table = self.linked.program.table
        for star in self.linked.program.modules[module].index[0].stars:
            place = (
                table.relative(module, star.level, star.module) if star.level else table.absolute(module, star.module)
            )
            if place is not None and place[0] >= 0 and place[0] != module and depth < DEEPEST:
                found, _ = self._name(place[0], 0, name, depth + 1)
                if found:
                    return found
        return []

    def _imported(self, module: int, value: Imported, depth: int) -> list[Expression]:
        table = self.linked.program.table
        place = (
            table.relative(module, value.level, value.module) if value.level else table.absolute(module, value.module)
        )
        if place is None or place[0] < 0 or value.name is None or depth > DEEPEST:
            return []
        return self._name(place[0], 0, value.name, depth + 1)[0]

    def _attribute(self, at: Expression, value: Attribute) -> list[Expression]:
        inference, program = self.linked.inference, self.linked.program
        found: list[Expression] = []
        for base in ordered(inference.of(at.module, at.scope, value.value)):
            if isinstance(base, Mod) and base.module >= 0:
                found += self._name(base.module, 0, value.name)[0]
                continue
            cls = base.of if isinstance(base, Inst) else base
            if not isinstance(cls, Cls):
                continue
            for owner in inference.mro(cls):
                if not isinstance(owner, Cls):
                    continue
                bound = program.index(owner).names.get(value.name, ())
                here = [
                    Expression(owner.module, owner.scope, b.value)
                    for b in bound
                    if b.value is not None and b.how == PLAIN and not isinstance(b.value, Imported)
                ]
                if isinstance(base, Inst):
                    here += [
                        Expression(owner.module, scope, store.binding.value)
                        for scope, store in program.layouts[owner].stores.get(value.name, ())
                        if store.binding.value is not None and store.binding.how == PLAIN
                    ]
                if here:
                    found += here
                    break
        return found

    def resolved(self, at: Expression, depth: int = 0) -> Expression:
        """Through names that have one definition only."""
        while depth < DEEPEST and isinstance(at.value, (Reference, Attribute)):
            found, _ = self.definitions(at)
            if len(found) != 1:
                break
            at, depth = found[0], depth + 1
        return at

    # Calls

    def meanings(self, key: SiteKey) -> list[Callable_]:
        """What the catalogue says of a call, methods of its classes that are named by a dotted name included."""
        found = [meaning.callable for meaning in self.linked.calls.meanings(key)]
        if found:
            return found
        catalogue = self.linked.program.catalogue
        for entity in ordered(self.linked.inference.solver.get(("callees", *key))):
            if isinstance(entity, Ext):
                base, _, name = entity.path.rpartition(".")
                if base and catalogue.klass(catalogue.canonical(base)) is not None:
                    member = catalogue.member(catalogue.canonical(base), name)
                    if member is not None:
                        found.append(member)
        return found

    def returned(self, key: SiteKey) -> list[Expression]:
        """What the functions of the project that a call runs return."""
        inference, program = self.linked.inference, self.linked.program
        found: list[Expression] = []
        for entity in ordered(inference.solver.get(("callees", *key))):
            for func, _, _ in inference.targets(entity):
                for value in program.index(func).returns:
                    if value is not None and program.scope(func).name != "__init__":
                        found.append(Expression(func.module, func.scope, value))
        return found

    def site(self, at: Expression) -> Site | None:
        if not isinstance(at.value, Result):
            return None
        return self.linked.program.modules[at.module].facts.scopes[at.scope].sites[at.value.site]

    # Texts

    def strings(self, at: Expression, depth: int = 0) -> list[String]:
        """The texts that an expression can be; none where it is no text."""
        if depth > DEEPEST:
            return []
        value = at.value
        if isinstance(value, Text):
            if value.is_bytes:
                return []
            place = (at.module, value.written) if value.written is not None else None
            return [String(value.value, (), place, place if place and place[1].lock else None)]
        if isinstance(value, Format):
            found = self._joined([self._part(Expression(at.module, at.scope, part), depth) for part in value.parts])
            if value.written is None:
                return found
            place = (at.module, value.written)
            return [String(s.text, s.holes, place, place if value.written.lock else s.lock) for s in found]
        if isinstance(value, Arithmetic):
            left = Expression(at.module, at.scope, value.left)
            if value.operator == "%":
                return self.strings(left, depth + 1)
            if value.operator == "+":
                right = Expression(at.module, at.scope, value.right)
                parts = [self._part(left, depth), self._part(right, depth)]
                return self._joined(parts) if self._is_text(left, depth) or self._is_text(right, depth) else []
            return []
        if isinstance(value, Choice):
            return [
                *self.strings(Expression(at.module, at.scope, value.body), depth + 1),
                *self.strings(Expression(at.module, at.scope, value.orelse), depth + 1),
            ][:MOST]
        if isinstance(value, Awaited):
            return self.strings(Expression(at.module, at.scope, value.value), depth + 1)
        if isinstance(value, Result):
            return self._called(at, value, depth)
        if isinstance(value, (Reference, Attribute)):
            return self._defined(at, depth)
        return []

    def _is_text(self, at: Expression, depth: int) -> bool:
        return bool(self.strings(at, depth + 1))

    def _part(self, at: Expression, depth: int) -> list[String]:
        """A part of a larger text: what it is, or a hole."""
        return self.strings(at, depth + 1)[:MOST] or [String(f"{HOLE}0", (at,))]

    @staticmethod
    def _joined(parts: list[list[String]]) -> list[String]:
        found: list[String] = []
        for combination in product(*parts):
            text = ""
            holes: list[Expression] = []
            place: Place | None = None
            lock: Place | None = None
            for part in combination:
                written = part.text
                for number in range(len(part.holes) - 1, -1, -1):
                    written = written.replace(f"{HOLE}{number}", f"{HOLE}{number + len(holes)}")
                text += written
                holes += part.holes
                place = place or part.place
                lock = lock or part.lock
            found.append(String(text, tuple(holes), place, lock))
            if len(found) == MOST:
                break
        return found

    def _called(self, at: Expression, value: Result, depth: int) -> list[String]:
        key = SiteKey(at.module, at.scope, value.site)
        site = self.linked.program.site(key)
        callee = site.callee
        for meaning in self.meanings(key):
            if meaning.query is not None and meaning.query.does in ("string", "text"):
                first = written_argument(site, "@0")
                return self.strings(Expression(at.module, at.scope, first), depth + 1) if first is not None else []
        if isinstance(callee, Attribute) and callee.name in KEEPING:
            receiver = Expression(at.module, at.scope, callee.value)
            found = self.strings(receiver, depth + 1)
            if callee.name == "join":
                return self._listed(at, site, found, depth)
            return [self._formatted(s, at, site) for s in found] if callee.name.startswith("format") else found
        found = []
        for returned in self.returned(key):
            found += self.strings(returned, depth + 1)
        return [String(s.text, s.holes, s.place, s.lock, False) for s in found[:MOST]]

    def _listed(self, at: Expression, site: Site, between: list[String], depth: int) -> list[String]:
        first = written_argument(site, "@0")
        items = self.resolved(Expression(at.module, at.scope, first)) if first is not None else None
        if items is None or not isinstance(items.value, Sequence) or not between:
            return []
        parts: list[list[String]] = []
        for item in items.value.items:
            if isinstance(item, Spread):
                return []
            if parts:
                parts.append([String(between[0].text)])
            parts.append(self._part(Expression(items.module, items.scope, item), depth))
        return self._joined(parts) if parts else []

    def _formatted(self, string: String, at: Expression, site: Site) -> String:
        """``{}`` and ``{name}`` become holes."""
        holes = list(string.holes)
        pieces: list[str] = []
        position = seen = 0
        text = string.text
        while position < len(text):
            opening = text.find("{", position)
            if opening < 0:
                break
            pieces.append(text[position:opening])
            if text.startswith("{{", opening):
                pieces.append("{")
                position = opening + 2
                continue
            closing = text.find("}", opening)
            if closing < 0:
                position = opening
                break
            name = text[opening + 1 : closing].partition(":")[0].partition("!")[0]
            given = written_argument(site, name if name and not name.isdigit() else f"@{name or seen}")
            seen += 1
            known = self.strings(Expression(at.module, at.scope, given), DEEPEST - 1) if given is not None else []
            if len(known) == 1 and not known[0].holes:
                pieces.append(known[0].text)
            else:
                pieces.append(f"{HOLE}{len(holes)}")
                holes.append(Expression(at.module, at.scope, given if given is not None else Constant(None)))
            position = closing + 1
        pieces.append(text[position:].replace("}}", "}"))
        return String("".join(pieces), tuple(holes), string.place, string.lock, string.local)

    def _defined(self, at: Expression, depth: int) -> list[String]:
        if isinstance(at.value, Reference):
            inference = self.linked.inference
            owner = inference.owner_scope(at.module, at.scope, at.value.name)
            key = (at.module, owner, at.value.name)
            if owner >= 0 and key in self._busy:
                return []
            self._busy.add(key)
            try:
                found, local = self._grown(at, owner, at.value.name, depth)
            finally:
                self._busy.discard(key)
        else:
            definitions, local = self.definitions(at)
            found = [s for one in definitions for s in self.strings(one, depth + 1)]
        return [String(s.text, s.holes, s.place, s.lock, s.local and local) for s in found[:MOST]]

    def _grown(self, at: Expression, owner: int, name: str, depth: int) -> tuple[list[String], bool]:
        """The texts of a name, with all that is added to it (``sql += " LIMIT 5"``)."""
        definitions, local = self.definitions(at)
        if owner < 0:
            return [s for one in definitions for s in self.strings(one, depth + 1)], local
        index = self.linked.program.modules[at.module].index[owner]
        found: list[String] = []
        added: list[Expression] = []
        for one in definitions:
            if isinstance(one.value, Arithmetic) and one.value.operator == "+" and _begins_with(one.value, name):
                added.append(Expression(one.module, one.scope, one.value.right))
            else:
                found += self.strings(one, depth + 1)
        if not any(b.how == UNPACKED for b in index.names.get(name, ())):
            for one in added:
                more = self._part(one, depth)
                found = self._joined([found, more])
        return found, local

    # The current time

    def is_now(self, at: Expression, depth: int = 0) -> bool:
        """It is, or is made of, a reading of a clock, or is called so."""
        if depth > DEEPEST:
            return False
        value = at.value

        def also(part: Value) -> bool:
            return self.is_now(Expression(at.module, at.scope, part), depth + 1)

        if isinstance(value, Reference):
            return is_now(value.name) or self._name_is_now(at, value.name, depth)
        if isinstance(value, Attribute):
            return is_now(value.name) or any(self.is_now(one, depth + 1) for one in self.definitions(at)[0])
        if isinstance(value, Awaited):
            return also(value.value)
        if isinstance(value, Arithmetic):
            return also(value.left) or also(value.right)
        if isinstance(value, Boolean):
            return any(also(part) for part in value.values)
        if isinstance(value, Choice):
            return also(value.body) or also(value.orelse)
        if isinstance(value, Text):
            return value.value.strip(" ()").lower() in ("now", "now()", "current_timestamp")
        if isinstance(value, Result):
            return self._call_is_now(at, value, depth)
        return False

    def _call_is_now(self, at: Expression, value: Result, depth: int) -> bool:
        key = SiteKey(at.module, at.scope, value.site)
        site = self.linked.program.site(key)
        callee = site.callee
        name = callee.name if isinstance(callee, (Attribute, Reference)) else ""
        if is_now(name) or name.lower() in ("current_timestamp", "getdate", "sysdate", "localtimestamp", "today"):
            return True
        if any(meaning.clock for meaning in self.meanings(key)):
            return True
        if isinstance(callee, Attribute) and self.is_now(Expression(at.module, at.scope, callee.value), depth + 1):
            return True
        returned = self.returned(key)
        if returned:
            return any(self.is_now(one, depth + 1) for one in returned)
        if self.linked.program.scope(Func(at.module, at.scope)).kind == "class":
            return False  # it declares a column, whose default is a reading of the clock
        return any(self.is_now(Expression(at.module, at.scope, a.value), depth + 1) for a in site.arguments)

    def _name_is_now(self, at: Expression, name: str, depth: int) -> bool:
        key = (at.module, at.scope, "now " + name)
        if key in self._busy:
            return False
        self._busy.add(key)
        try:
            if any(self.is_now(one, depth + 1) for one in self.definitions(at)[0]):
                return True
            return any(self.is_now(one, depth + 1) for one in self.passed(at, name))
        finally:
            self._busy.discard(key)

    def passed(self, at: Expression, name: str) -> list[Expression]:
        """What callers give for the parameter of that name."""
        inference, program = self.linked.inference, self.linked.program
        owner = inference.owner_scope(at.module, at.scope, name)
        if owner <= 0:
            return []
        func = Func(at.module, owner)
        found: list[Expression] = []
        for position, parameter in enumerate(program.scope(func).parameters):
            if parameter.name != name:
                continue
            if parameter.default is not None:
                found.append(Expression(at.module, program.scope(func).parent, parameter.default))
            for key, offset, partial in list(inference.callers.get(func, ()))[:32]:
                if key.index < 0 or partial is not None:
                    continue
                given = written_argument(
                    program.site(key), f"{name}@{position - offset}" if position >= offset else name
                )
                if given is not None:
                    found.append(Expression(key.module, key.scope, given))
        return found

    # What placeholders stand for

    def bound(self, placeholder: str, string: String, key: SiteKey, position: int) -> list[Expression]:
        """What is given for a placeholder of the SQL text that stands at argument ``position`` of a call."""
        if placeholder.startswith(HOLE):
            number = int(placeholder.removeprefix(HOLE))
            return [string.holes[number]] if number < len(string.holes) else []
        site = self.linked.program.site(key)
        if placeholder.startswith("p__"):
            return self._named(key, placeholder[3:])
        number = int(placeholder[3:]) - (1 if placeholder.startswith("d__") else 0)
        rest = [a.value for a in site.arguments if a.name == ""][position + 1 :]
        rest += [a.value for a in site.arguments if a.name in ("params", "parameters", "args", "vars")]
        if rest:
            first = self.resolved(Expression(key.module, key.scope, rest[0]))
            if isinstance(first.value, Sequence):
                items = first.value.items
                if number < len(items):
                    return [Expression(first.module, first.scope, items[number])]
                return []
        if number < len(rest):
            return [Expression(key.module, key.scope, rest[number])]
        return []

    def _named(self, key: SiteKey, name: str) -> list[Expression]:
        scope = self.linked.program.modules[key.module].facts.scopes[key.scope]
        found: list[Expression] = []
        for site in scope.sites:
            for argument in site.arguments:
                if argument.name == name:
                    found.append(Expression(key.module, key.scope, argument.value))
                    continue
                given = self.resolved(Expression(key.module, key.scope, argument.value))
                if isinstance(given.value, Mapping):
                    found += [
                        Expression(given.module, given.scope, item)
                        for label, item in given.value.items
                        if isinstance(label, Text) and label.value == name
                    ]
        return found


def _begins_with(value: Arithmetic, name: str) -> bool:
    return isinstance(value.left, Reference) and value.left.name == name


def constants(values: Iterable[Value]) -> bool:
    """All are literals."""
    return all(isinstance(value, (Text, Number, Constant)) for value in values)

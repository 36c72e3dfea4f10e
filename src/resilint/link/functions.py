"""What decorators make of a function, which functions a call runs, and who calls a function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from resilint.facts import (
    Attribute,
    Reference,
    Result,
)
from resilint.link.entities import (
    NOBODY,
    Bound,
    Cls,
    Entities,
    Entity,
    Ext,
    Func,
    FuncMember,
    Inst,
    Member,
    Partial,
    SiteKey,
    ordered,
)
from resilint.link.parameters import MANY, Call

if TYPE_CHECKING:
    from resilint.link.infer import Inference


class Functions:
    """The equations of this module, a part of :class:`Inference`."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._program = inference.program
        self._catalogue = inference.catalogue
        self._solver = inference.solver
        self._flags: dict[Func, frozenset[str]] = {}

    def flags(self, func: Func) -> frozenset[str]:
        """What its decorators make of it: ``property``, ``static``, ``class``, ``manager``, ``cached``."""
        known = self._flags.get(func)
        if known is None:
            flags = set()
            scope = self._program.scope(func)
            for decorator in scope.decorators:
                value = decorator.value
                if isinstance(value, Attribute) and value.name in ("setter", "deleter"):
                    if isinstance(value.value, Reference) and value.value.name == scope.name:
                        flags.add("setter")  # by its form: what the name stands for is being asked
                        continue
                if isinstance(value, Result):
                    value = self._program.modules[func.module].facts.scopes[scope.parent].sites[value.site].callee
                for entity in self._inference.of(func.module, scope.parent, value):
                    if isinstance(entity, FuncMember) and entity.name in ("setter", "deleter"):
                        flags.add("setter")
                    if not isinstance(entity, Ext):
                        continue
                    if entity.path == "builtins.staticmethod":
                        flags.add("static")
                    elif entity.path == "builtins.classmethod":
                        flags.add("class")
                    meaning = self._catalogue.function(entity.path)
                    if meaning is not None:
                        if meaning.property:
                            flags.add("property")
                        if meaning.context_manager:
                            flags.add("manager")
                        if meaning.caches:
                            flags.add("cached")
            if scope.name in ("__new__", "__class_getitem__", "__init_subclass__"):
                flags.add("static" if scope.name == "__new__" else "class")
            known = self._flags[func] = frozenset(flags)
        return known

    def becomes(self, func: Func) -> list[str]:
        """Classes of which a decorator makes the function an instance as well (a task of a queue)."""
        if not self._program.scope(func).decorators:
            return []
        return [e.path for e in ordered(self._solver.get(("becomes", func.module, func.scope))) if isinstance(e, Ext)]

    def compute_becomes(self, module: int, scope: int) -> Entities:
        one = self._program.scope(Func(module, scope))
        found: set[Entity] = set()
        for decorator in one.decorators:
            value = decorator.value
            if isinstance(value, Result):
                value = self._program.modules[module].facts.scopes[one.parent].sites[value.site].callee
            for entity in self._inference.of(module, one.parent, value):
                meaning = None
                if isinstance(entity, Ext):
                    meaning = self._catalogue.function(entity.path)
                elif isinstance(entity, Member):
                    meaning = self._catalogue.member(entity.of, entity.chain)
                for registration in meaning.register if meaning is not None else ():
                    if registration.becomes is not None:
                        found.add(Ext(self._catalogue.canonical(registration.becomes)))
        return frozenset(found)

    def getter(self, func: Func) -> Func:
        """``@x.setter def x``: the name stays the property."""
        if "setter" not in self.flags(func):
            return func
        scope = self._program.scope(func)
        for sibling in self._program.modules[func.module].children[scope.parent]:
            other = Func(func.module, sibling)
            if self._program.scope(other).name == scope.name and "property" in self.flags(other):
                return other
        return func

    def compute_decorated(self, module: int, scope: int) -> Entities:
        """What runs when the name of a ``def`` is called: the function itself (raw), or what project decorators made
        of it."""
        return (
            self._solver.get(("stage", module, scope, 0))
            if self._program.modules[module].facts.scopes[scope].decorators
            else frozenset({Func(module, scope, True)})
        )

    def compute_stage(self, module: int, scope: int, position: int) -> Entities:
        """The function with its decorators from ``position`` on applied; they are numbered from the top."""
        one = self._program.modules[module].facts.scopes[scope]
        if position == len(one.decorators):
            return frozenset({Func(module, scope, True)})
        below = self._solver.get(("stage", module, scope, position + 1))
        key = SiteKey(module, scope, -1 - position)
        replaced: set[Entity] = set()
        project = False
        for entity in self._inference.of(module, one.parent, one.decorators[position].value):
            if isinstance(entity, (Func, Bound, Cls)) or (isinstance(entity, Inst) and isinstance(entity.of, Cls)):
                project = True
                replaced |= self._inference.result_of(entity, key)
        if not project:
            return below
        usable = frozenset(
            e
            for e in replaced
            if isinstance(e, (Func, Bound, Partial, Cls)) or (isinstance(e, Inst) and isinstance(e.of, Cls))
        )
        return usable if usable or not self._inference.settled else below

    def replacements(self, func: Func) -> Entities:
        """What project decorators made of the function; empty where they made nothing else of it."""
        if func.raw or not self._program.scope(func).decorators:
            return NOBODY
        found = self._solver.get(("decorated", func.module, func.scope))
        return frozenset(e for e in found if e != Func(func.module, func.scope, True))

    def decorator_input(self, key: SiteKey) -> Entities:
        """What the decorator at a pseudo site gets: the function with the decorators below it applied."""
        return self._solver.get(("stage", key.module, key.scope, -key.index))

    def targets(self, entity: Entity, depth: int = 0) -> Iterator[tuple[Func, int, SiteKey | None]]:
        """The project functions that calling ``entity`` runs: function, bound leading parameters, partial."""
        if isinstance(entity, (Func, Bound)):
            func, offset = (entity, 0) if isinstance(entity, Func) else (entity.func, 1)
            if func.raw or not self._program.scope(func).decorators:
                yield func.plain, offset, None
                return
            made = self._solver.get(("decorated", func.module, func.scope))
            for one in ordered(made):
                if isinstance(one, Func) and one.plain == func.plain:
                    yield func.plain, offset, None
                elif depth < 4:
                    for target, more, partial in self.targets(one, depth + 1):
                        yield target, offset + more if not isinstance(one, Inst) else more, partial
        elif isinstance(entity, Partial):
            for func, offset, _ in self.targets(entity.target):
                yield func, offset, entity.site
        elif isinstance(entity, Cls):
            for name in ("__init__", "__post_init__", "__new__"):
                for base in self._inference.mro(entity):
                    if isinstance(base, Cls) and name in self._program.layouts[base].methods:
                        yield Func(base.module, self._program.layouts[base].methods[name]), 1, None
                        break
        elif isinstance(entity, Inst) and isinstance(entity.of, Cls):
            for method in ordered(self._inference.attribute(entity, "__call__")):
                yield from self.targets(method)

    def compute_callees(self, module: int, scope: int, position: int) -> Entities:
        site = self._program.modules[module].facts.scopes[scope].sites[position]
        found = self._inference.of(module, scope, site.callee)
        for entity in found:
            if not isinstance(entity, (Ext, Member)):
                self.note_caller(entity, SiteKey(module, scope, position))
        return found

    def note_caller(self, entity: Entity, key: SiteKey) -> None:
        for func, offset, partial in self.targets(entity):
            self._note(func, (key, offset, partial))

    def note_call(self, entity: Entity, key: SiteKey, skip: int) -> None:
        """A catalogued call passes its arguments from ``skip`` on to ``entity`` (``add_task(f, x)``)."""
        for func, offset, partial in self.targets(entity):
            self._note(func, (key, offset - skip, partial))

    def _note(self, func: Func, call: Call) -> None:
        known = self._inference.callers.setdefault(func, {})
        if call not in known:
            known[call] = None
            self._solver.touch(("callers", func))
            self._solver.touch(("callers", func, (len(known) - 1) // MANY * MANY))

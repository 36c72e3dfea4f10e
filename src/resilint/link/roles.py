"""What each function is for, in the order of RULES.md section 2: pragma, configuration, framework, callers,
convention."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from resilint.catalogue import Registration
from resilint.domain import Role, RoleReason
from resilint.facts import Attribute, Constant, Loop, Mapping, Not, Reference, Result, ScopeValue, Sequence, Value
from resilint.link.calls import CallGraph, Edge, Meaning
from resilint.link.entities import (
    Bound,
    Cls,
    Coro,
    Entity,
    Ext,
    Func,
    FuncMember,
    Generator,
    Inst,
    Member,
    Partial,
    Registrar,
    SiteKey,
    ordered,
)
from resilint.link.infer import Inference, written_arguments
from resilint.link.program import Program
from resilint.link.roots import is_test_path

_PRAGMA = re.compile(r"resilint:\s*role\s*=\s*([a-z]+)")
_ROLE_NAMES = frozenset(role.value for role in Role)
_HANDLER_CLASS = ("Handler", "UseCase", "Interactor")
_ADAPTER_CLASS = ("Adapter", "Gateway", "Client")
_WORKER_CLASS = ("Scheduler", "Worker", "Consumer")
_USE_CASE_METHODS = frozenset({"handle", "execute", "__call__"})
_WORKER_FOLDERS = frozenset({"schedulers", "workers", "jobs", "consumers", "scheduler", "worker", "job", "consumer"})
_SCRIPT_FOLDERS = frozenset({"scripts", "examples", "bench", "loadtest", "evaluation", "migrations"})
_PLAIN = RoleReason(Role.PLAIN, "default", "nothing says otherwise")


@dataclass(slots=True)
class Entry:
    """A function that a framework, a pragma or the configuration makes an entry."""

    role: Role
    reason: RoleReason
    registration: Registration | None = None
    site: SiteKey | None = None
    """The call (or decorator call) that registers it."""
    extra: list[tuple[Registration, SiteKey | None]] = field(default_factory=list)


def script_folder(path: str) -> str | None:
    return next((f for f in reversed(path.split("/")[:-1]) if f in _SCRIPT_FOLDERS), None)


class Roles:
    """Finds entries, then hands roles down along the finished call graph."""

    def __init__(self, program: Program, inference: Inference, calls: CallGraph) -> None:
        self.program = program
        self.inference = inference
        self.calls = calls
        self.entries: dict[Func, Entry] = {}
        self.roles: dict[Func, RoleReason] = {}
        self._collect_frameworks()
        self._collect_configured()
        self._propagate()

    def role(self, func: Func) -> RoleReason:
        return self.roles.get(func, _PLAIN)

    # Entries

    def _enter(
        self,
        func: Func,
        role: Role,
        source: str,
        text: str,
        registration: Registration | None = None,
        site: SiteKey | None = None,
    ) -> None:
        known = self.entries.get(func)
        if known is not None:
            if registration is not None:
                known.extra.append((registration, site))
            order = ("pragma", "configuration", "framework")
            strength = (Role.STREAM, Role.HANDLER, Role.WORKER, Role.SCRIPT, Role.TEST, Role.ADAPTER, Role.PLAIN)
            if order.index(source) > order.index(known.reason.source):
                return
            if source == known.reason.source and strength.index(role) >= strength.index(known.role):
                return
            self.entries[func] = Entry(
                role,
                RoleReason(role, source, text),
                registration or known.registration,
                site or known.site,
                known.extra,
            )
            return
        self.entries[func] = Entry(
            role,
            RoleReason(role, source, text),
            registration,
            site,
            [] if registration is None else [(registration, site)],
        )

    def _collect_frameworks(self) -> None:
        for module in self.program.product():
            for number, scope in enumerate(module.facts.scopes):
                if scope.kind == "function":
                    self._decorated(Func(module.number, number))
                elif scope.kind == "class":
                    self._based(Cls(module.number, number))
                for position in range(len(scope.sites)):
                    self._registered(SiteKey(module.number, number, position))

    def _meanings_of(self, module: int, scope: int, value: Value) -> Iterator[tuple[Meaning, SiteKey | None]]:
        """The catalogued meaning of a decorator: of the call that makes it, or of itself."""
        if isinstance(value, Result):
            key = SiteKey(module, scope, value.site)
            for meaning in self.calls.meanings(key):
                yield meaning, key
        for entity in ordered(self.inference.of(module, scope, value)):
            if isinstance(entity, Registrar):
                for meaning in self.calls.meanings(entity.site):
                    yield meaning, entity.site
        if isinstance(value, Result):
            return
        for entity in ordered(self.inference.of(module, scope, value)):
            found = self.calls.meaning(entity)
            if found is not None:
                yield found, None

    def _decorated(self, func: Func) -> None:
        scope = self.program.scope(func)
        for decorator in scope.decorators:
            for meaning, key in self._meanings_of(func.module, scope.parent, decorator.value):
                for registration in meaning.callable.register:
                    if registration.what is None:
                        self._note(func, registration, key, f"the decorator {meaning.path}")

    def _note(self, func: Func, registration: Registration, key: SiteKey | None, text: str) -> None:
        role = Role(registration.role)
        if role is Role.HANDLER and self._takes_stream(func):
            role = Role.STREAM
        self._enter(func, role, "framework", text, registration, key)

    def _takes_stream(self, func: Func) -> bool:
        scope = self.program.scope(func)
        for position in range(len(scope.parameters)):
            for entity in self.inference.solver.get(("parameter", func.module, func.scope, position)):
                if isinstance(entity, Inst) and isinstance(entity.of, Ext):
                    if any(t.stream_parameter for t in self.program.catalogue.traits(entity.of.path)):
                        return True
        return False

    def _based(self, cls: Cls) -> None:
        for path in self.inference.external_bases(cls):
            klass = self.program.catalogue.klass(path)
            if klass is None:
                continue
            for registration in klass.register:
                self._methods(cls, registration, f"its class inherits {path}")
            for name, registration in klass.registers_attribute.items():
                self._listed(cls, name, registration, path)
        named = self.program.catalogue.named_registries.get(self.program.scope(cls).name)
        if named is not None and (klass := self.program.catalogue.klass(named)) is not None:
            for name, registration in klass.registers_attribute.items():
                self._listed(cls, name, registration, named)

    def _methods(self, cls: Cls, registration: Registration, text: str) -> None:
        for name, number in self.program.layouts[cls].methods.items():
            wanted = name in registration.methods or ("*" in registration.methods and not name.startswith("_"))
            if wanted:
                self._note(Func(cls.module, number), registration, None, text)

    def _listed(self, cls: Cls, name: str, registration: Registration, path: str) -> None:
        for binding in self.program.index(cls).names.get(name, ()):
            if binding.value is not None:
                for func in self._functions_in(cls.module, cls.scope, binding.value):
                    self._note(func, registration, None, f"{path}.{name} lists it")

    def _functions_in(self, module: int, scope: int, value: Value, depth: int = 0) -> list[Func]:
        """The functions in a value: itself, or in lists, tuples, dicts and calls that take it (``func(send,
        timeout=60)``)."""
        found: dict[Func, None] = {}
        if depth > 4:
            return []
        if isinstance(value, Sequence):
            for item in value.items:
                found.update(dict.fromkeys(self._functions_in(module, scope, item, depth + 1)))
        elif isinstance(value, Mapping):
            for _, item in value.items:
                found.update(dict.fromkeys(self._functions_in(module, scope, item, depth + 1)))
        elif isinstance(value, Result):
            site = self.program.modules[module].facts.scopes[scope].sites[value.site]
            for argument in site.arguments[:1]:
                found.update(dict.fromkeys(self._functions_in(module, scope, argument.value, depth + 1)))
        for entity in ordered(
            self.calls.flattened(SiteKey(module, scope, 0), value)
            if not isinstance(value, Result)
            else self.inference.of(module, scope, value)
        ):
            if isinstance(entity, (Func, Bound, Partial)):
                found.update(dict.fromkeys(f for f, _, _ in self.inference.targets(entity)))
            elif isinstance(entity, Coro):
                found.update(dict.fromkeys(f for f, _, _ in self.inference.targets(entity.target)))
            elif isinstance(entity, Inst) and isinstance(entity.of, Cls):
                found.update(dict.fromkeys(f for f, _, _ in self.inference.targets(entity)))
        return list(found)

    def _registered(self, key: SiteKey) -> None:
        site = self.program.site(key)
        for meaning in self.calls.meanings(key):
            for registration in meaning.callable.register:
                if registration.what is None:
                    continue
                text = f"{meaning.path} registers it"
                for value in written_arguments(site, registration.what):
                    self._register_value(key, value, registration, text)
            self._streamed(key, meaning)
        if isinstance(site.callee, Result):  # ``app.on_event("startup")(f)``: a decorator applied by hand
            maker = SiteKey(key.module, key.scope, site.callee.site)
            for meaning in self.calls.meanings(maker):
                for registration in meaning.callable.register:
                    if registration.what is None and site.arguments:
                        self._register_value(
                            maker, site.arguments[0].value, registration, f"{meaning.path} registers it", key
                        )

    def _register_value(
        self, key: SiteKey, value: Value, registration: Registration, text: str, place: SiteKey | None = None
    ) -> None:
        where = place or key
        for func in self._functions_in(where.module, where.scope, value):
            self._note(func, registration, key, text)
        for entity in ordered(self.calls.flattened(where, value)):
            if isinstance(entity, Cls) or (isinstance(entity, Inst) and isinstance(entity.of, Cls)):
                cls = entity if isinstance(entity, Cls) else entity.of
                assert isinstance(cls, Cls)
                if registration.methods:
                    self._methods(cls, registration, text)

    def _streamed(self, key: SiteKey, meaning: Meaning) -> None:
        if meaning.callable.streams is None:
            return
        for value in written_arguments(self.program.site(key), meaning.callable.streams):
            for entity in ordered(self.inference.of(key.module, key.scope, value)):
                target: Entity | None = entity.func if isinstance(entity, Generator) else entity
                if isinstance(target, (Func, Bound)):
                    func = target.func if isinstance(target, Bound) else target
                    self._enter(func, Role.STREAM, "framework", f"{meaning.path} streams it")

    def _collect_configured(self) -> None:
        for module in self.program.modules:
            for comment in module.facts.comments:
                match = _PRAGMA.search(comment.text)
                if match is None or match[1] not in _ROLE_NAMES:
                    continue
                for number, scope in enumerate(module.facts.scopes):
                    if scope.kind not in ("function", "class"):
                        continue
                    first, line, _ = scope.lines
                    inside = first <= comment.span.line <= max(line, scope.header_end)
                    above = comment.alone and comment.span.line == first - 1
                    if inside or above:
                        text = f"the pragma in line {comment.span.line}"
                        for func in self._functions_of(module.number, number):
                            self._enter(func, Role(match[1]), "pragma", text)
        for role, patterns in self.program.settings.roles:
            for func in self.program.functions():
                path, name = self.program.path(func), self.program.qualname(func)
                for pattern in patterns:
                    if _matches(path, pattern) or fnmatch.fnmatchcase(name, pattern):
                        self._enter(func, Role(role), "configuration", f'the pattern "{pattern}" of the configuration')
                        break

    def _functions_of(self, module: int, number: int) -> list[Func]:
        scope = self.program.modules[module].facts.scopes[number]
        if scope.kind == "function":
            return [Func(module, number)]
        return [Func(module, n) for n in self.program.layouts[Cls(module, number)].methods.values()]

    # Conventions

    def convention(self, func: Func) -> RoleReason:
        """The role by names alone: of the file (tests), the class, the folder, what the class holds."""
        path = self.program.path(func)
        if is_test_path(path):
            return RoleReason(Role.TEST, "convention", f"{path} is a test file")
        owner = self.program.owner(func)
        if owner is not None:
            name = self.program.scope(owner).name
            if name.endswith(_HANDLER_CLASS) and not self._foreign_handler(owner):
                if self.program.scope(func).name in _USE_CASE_METHODS:
                    return RoleReason(
                        Role.HANDLER, "convention", f"{self.program.scope(func).name} of the use case {name}"
                    )
            elif name.endswith(_ADAPTER_CLASS):
                return RoleReason(Role.ADAPTER, "convention", f"the name of the class {name}")
            elif name.endswith(_WORKER_CLASS):
                return RoleReason(Role.WORKER, "convention", f"the name of the class {name}")
        folders = path.split("/")[:-1]
        for position in range(len(folders) - 1, -1, -1):
            folder = folders[position]
            if folder in _WORKER_FOLDERS:
                return RoleReason(Role.WORKER, "convention", f"the folder {folder}/")
            if folder in _SCRIPT_FOLDERS:
                return RoleReason(Role.SCRIPT, "convention", f"the folder {folder}/")
            if folder == "out" and position and folders[position - 1] == "adapters":
                return RoleReason(Role.ADAPTER, "convention", "the folder adapters/out/")
        if owner is not None:
            held = self._holds(owner)
            if held:
                return RoleReason(Role.ADAPTER, "convention", held)
        return _PLAIN

    def _foreign_handler(self, cls: Cls) -> bool:
        return any(
            t.handler_base for path in self.inference.external_bases(cls) for t in self.program.catalogue.traits(path)
        )

    def _holds(self, cls: Cls) -> str:
        for base in self.inference.mro(cls):
            if isinstance(base, Cls) and base != cls:
                name = self.program.scope(base).name
                if name.endswith("Port") and self.inference.is_protocol(base):
                    return f"the class implements {name}"
        for base in self.inference.mro(cls):
            if not isinstance(base, Cls):
                continue
            for name in self.program.layouts[base].stores:
                for entity in self.inference.solver.get(("store", base, name)):
                    group = self.client_group(entity)
                    if group in self.program.settings.outbound_groups:
                        return f"the class holds a client in {name}"
        return ""

    def client_group(self, entity: Entity) -> str | None:
        if isinstance(entity, Inst):
            bases: tuple[Cls | Ext, ...] = (entity.of,) if isinstance(entity.of, Ext) else self.inference.mro(entity.of)
            paths = [b.path if isinstance(b, Ext) else self.program.qualname(b) for b in bases]
            for path in paths:
                for trait in self.program.catalogue.traits(path):
                    if trait.client:
                        return trait.client
        return None

    # Callers

    def _propagate(self) -> None:
        """Labels flow from entries and from functions nobody calls along attached edges; detached ones start a
        worker."""
        labels: dict[Func, dict[str, Edge | None]] = {}
        conventions: dict[Func, RoleReason] = {}
        queue: list[Func] = []

        def label(func: Func, name: str, edge: Edge | None) -> None:
            known = labels.setdefault(func, {})
            if name not in known:
                known[name] = edge
                queue.append(func)

        def incoming(func: Func) -> list[Edge]:
            return [e for e in self.calls.incoming.get(func, ()) if not is_test_path(self.program.path(e.caller))]

        functions = list(self.program.functions())
        mains = self._mains()
        for func in functions:
            conventions[func] = self.convention(func)
            entry = self.entries.get(func)
            if entry is not None:
                label(func, entry.role, None)
            elif conventions[func].role is Role.TEST:
                label(func, Role.TEST, None)
            elif not [e for e in incoming(func) if e.caller != func]:
                parent = self._enclosing(func)
                if parent is None:
                    label(func, conventions[func].role, None)
        for module in self.program.modules:  # what runs at import
            for number, scope in enumerate(module.facts.scopes):
                if scope.kind in ("module", "class"):
                    self._label_imports(Func(module.number, number), label, mains)

        pending_nested = [
            f for f in functions if f not in labels and self._enclosing(f) is not None and not incoming(f)
        ]
        while True:
            while queue:
                func = queue.pop()
                entry = self.entries.get(func)
                fixed = entry is not None or conventions.get(func, _PLAIN).role is Role.TEST
                names = [entry.role if entry else Role.TEST] if fixed else list(labels[func])
                for edge in self.calls.outgoing.get(func, ()):
                    if edge.callee in self.entries:
                        continue
                    for name in names:
                        if name == Role.TEST:
                            continue
                        if not edge.attached:
                            label(edge.callee, Role.STREAM if edge.kind == "stream" else Role.WORKER, edge)
                        else:
                            label(edge.callee, name, edge)
            rest = [f for f in pending_nested if f not in labels]
            progressed = False
            for func in rest:
                parent = self._enclosing(func)
                if parent in labels:
                    for name in list(labels[parent]):
                        label(func, name, None)
                    progressed = True
            if progressed:
                continue
            left = next((f for f in functions if f not in labels), None)  # a cycle that nobody enters
            if left is None:
                break
            label(left, conventions[left].role, None)

        for func in functions:
            self.roles[func] = self._decide(func, conventions[func], labels.get(func, {}), incoming(func), mains)

    def _enclosing(self, func: Func) -> Func | None:
        parent = self.program.scope(func).parent
        scopes = self.program.modules[func.module].facts.scopes
        while parent > 0:
            if scopes[parent].kind in ("function", "lambda"):
                return Func(func.module, parent)
            parent = scopes[parent].parent
        return None

    def _label_imports(self, scope: Func, label: object, mains: dict[Func, str]) -> None:
        path = self.program.path(scope)
        if is_test_path(path):
            return
        assert callable(label)
        for edge in self.calls.outgoing.get(scope, ()):
            if edge.callee in self.entries:
                continue
            if edge.callee in mains or edge.guarded:
                label(edge.callee, Role.SCRIPT if not self._is_service(edge.callee, path) else Role.WORKER, edge)
            elif not edge.attached:
                label(edge.callee, Role.WORKER, edge)
            elif script_folder(path):
                label(edge.callee, Role.SCRIPT, edge)
            else:
                label(edge.callee, Role.PLAIN, edge)

    def _mains(self) -> dict[Func, str]:
        """What ``asyncio.run`` runs at module level, and commands."""
        found: dict[Func, str] = {}
        for module in self.program.modules:
            for number, scope in enumerate(module.facts.scopes):
                if scope.kind != "module":
                    continue
                for position, site in enumerate(scope.sites):
                    key = SiteKey(module.number, number, position)
                    for meaning in self.calls.meanings(key):
                        if meaning.callable.runs_main is not None:
                            for value in written_arguments(site, meaning.callable.runs_main):
                                for entity in self.inference.of(module.number, number, value):
                                    if isinstance(entity, Coro):
                                        for func, _, _ in self.inference.targets(entity.target):
                                            found[func] = meaning.path
        for func, entry in list(self.entries.items()):
            if entry.role is Role.SCRIPT and entry.reason.source == "framework":
                path = self.program.path(func)
                if self._is_service(func, path):
                    self.entries[func] = Entry(
                        Role.WORKER,
                        RoleReason(Role.WORKER, "framework", "it runs a service"),
                        entry.registration,
                        entry.site,
                    )
        return found

    def _is_service(self, func: Func, path: str) -> bool:
        """It reaches an endless loop with a wait, or a server; outside the folders of scripts."""
        if script_folder(path) or script_folder(self.program.path(func)):
            return False
        seen = {func}
        pending = [func]
        while pending:
            current = pending.pop()
            if self._serves(current):
                return True
            for edge in self.calls.outgoing.get(current, ()):
                if edge.callee not in seen:
                    seen.add(edge.callee)
                    pending.append(edge.callee)
        return False

    def _serves(self, func: Func) -> bool:
        scope = self.program.scope(func)
        waits = False
        for position in range(len(scope.sites)):
            for meaning in self.calls.meanings(SiteKey(func.module, func.scope, position)):
                if meaning.callable.serves:
                    return True
                waits = waits or meaning.callable.wait is not None
        if not waits:
            return False
        return any(loop.kind == "while" and is_endless(loop.subject) for loop in self.program.index(func).loops)

    def _decide(
        self,
        func: Func,
        convention: RoleReason,
        labels: dict[str, Edge | None],
        incoming: list[Edge],
        mains: dict[Func, str],
    ) -> RoleReason:
        entry = self.entries.get(func)
        if entry is not None:
            return entry.reason
        if convention.role is Role.TEST:
            return convention
        names = set(labels)
        called = any(e is not None for e in labels.values())
        if names and called:
            edge = next(e for e in labels.values() if e is not None)
            who = self.program.local_name(edge.caller) or self.program.path(edge.caller)
            if names == {Role.WORKER}:
                text = f"reached only from workers ({who})" if edge.attached else f"only runs detached ({edge.reason})"
                return RoleReason(Role.WORKER, "callers", text)
            if names == {Role.STREAM}:
                return RoleReason(Role.STREAM, "callers", f"reached only from streams ({who})")
            if names == {Role.SCRIPT} and convention.role not in (Role.HANDLER, Role.WORKER, Role.ADAPTER):
                return RoleReason(Role.SCRIPT, "callers", f"reached only from scripts ({who})")
        elif names and convention is _PLAIN and (parent := self._enclosing(func)) is not None and len(names) == 1:
            name = next(iter(names))
            if name in (Role.WORKER, Role.SCRIPT, Role.STREAM):
                return RoleReason(Role(name), "callers", f"defined in {self.program.local_name(parent)}")
        return convention


def _matches(path: str, pattern: str) -> bool:
    if pattern.endswith("/"):
        pattern += "**"
    regex = fnmatch.translate(pattern.replace("**/", "*")) if "**/" in pattern else fnmatch.translate(pattern)
    return re.match(regex, path) is not None


def is_endless(test: Value) -> bool:
    """``while True`` and its relatives: ``while not stop.is_set()``, ``while self._running``."""
    if isinstance(test, Constant):
        return test.value is True
    if isinstance(test, Not):
        return True
    return isinstance(test, (Attribute, Reference)) or type(test).__name__ == "Number"


__all__ = ["Entry", "FuncMember", "Loop", "Member", "Roles", "ScopeValue", "is_endless", "is_test_path"]

"""The linked program: modules, scopes, class layout. Everything the solver looks up but does not compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from resilint.catalogue import Catalogue
from resilint.domain import Role, RoleReason
from resilint.facts import Imported, ModuleFacts, Scope, Site
from resilint.link.entities import Cls, Func, SiteKey
from resilint.link.index import Binding, ScopeIndex, Store, index_scope
from resilint.link.inputs import Settings, SourceFacts
from resilint.link.roots import ModuleTable, is_test_path


@dataclass(slots=True)
class Module:
    """One file of the program."""

    number: int
    path: str
    name: str
    facts: ModuleFacts
    index: list[ScopeIndex]
    children: list[list[int]]
    """For each scope the scopes directly inside it."""


@dataclass(slots=True)
class ClassLayout:
    """What a class of the project holds, without its bases."""

    stores: dict[str, list[tuple[int, Store]]] = field(default_factory=dict)
    """Instance attributes: name to the method scope that assigns and what it assigns."""
    methods: dict[str, int] = field(default_factory=dict)
    """Names bound to a function in the class body, to the function's scope (the last definition)."""


class Program:
    """All files after linking. ``link.link`` makes it; later layers read it."""

    def __init__(self, files: Sequence[SourceFacts], catalogue: Catalogue, settings: Settings) -> None:
        self.catalogue = catalogue
        self.settings = settings
        files = sorted(files, key=lambda f: f.path)
        self.table = ModuleTable([f.path for f in files], settings.src, catalogue.roots)
        self.modules = [
            self._module(number, file, name)
            for number, (file, name) in enumerate(zip(files, self.table.names, strict=True))
        ]
        self.by_path = {module.path: module.number for module in self.modules}
        self.layouts: dict[Cls, ClassLayout] = {}
        self.stored: set[str] = set()
        """Names of instance attributes, of whatever class."""
        self._share_outer_names()
        self._lay_out_classes()
        self.roles: dict[Func, RoleReason] = {}
        self.imported: dict[tuple[int, Imported], object] = {}

    @staticmethod
    def _module(number: int, file: SourceFacts, name: str) -> Module:
        facts = file.facts
        children: list[list[int]] = [[] for _ in facts.scopes]
        for position, scope in enumerate(facts.scopes):
            if scope.parent >= 0:
                children[scope.parent].append(position)
        index = [index_scope(facts, scope) for scope in facts.scopes]
        return Module(number, file.path, name, facts, index, children)

    def _share_outer_names(self) -> None:
        """Bindings of names declared ``global`` or ``nonlocal`` belong to the scope that holds the name, and so does
        what a
        function puts into a container of a scope around it."""
        for module in self.modules:
            for number, scope in enumerate(module.facts.scopes):
                if number and module.index[number].additions:
                    self._move_additions(module, number, scope)
            for number, scope in enumerate(module.facts.scopes):
                own = module.index[number]
                for name in scope.outer:
                    self._move(module, number, own, 0, name)
                for name in scope.enclosing:
                    parent = scope.parent
                    while parent > 0:
                        above = module.facts.scopes[parent]
                        if above.kind != "class" and (
                            name in module.index[parent].names or any(p.name == name for p in above.parameters)
                        ):
                            self._move(module, number, own, parent, name)
                            break
                        parent = above.parent

    @staticmethod
    def _move_additions(module: Module, source: int, scope: Scope) -> None:
        own = module.index[source]
        for name in list(own.additions):
            if (name in own.names or any(p.name == name for p in scope.parameters)) and name not in (
                *scope.outer,
                *scope.enclosing,
            ):
                continue
            parent = scope.parent
            while parent >= 0:
                above = module.facts.scopes[parent]
                bound = name in module.index[parent].names or any(p.name == name for p in above.parameters)
                if bound and above.kind != "class":
                    added = [b if b.scope <= -2 else b._replace(scope=-2 - source) for b in own.additions.pop(name)]
                    module.index[parent].additions.setdefault(name, []).extend(added)
                    break
                parent = above.parent

    @staticmethod
    def _move(module: Module, source: int, own: ScopeIndex, target: int, name: str) -> None:
        for binding in own.names.pop(name, ()):
            # The value belongs to the function's scope: remember which.
            module.index[target].names.setdefault(name, []).append(
                binding._replace(certain=False, scope=binding.scope if binding.scope >= 0 else -2 - source)
            )

    def _lay_out_classes(self) -> None:
        for module in self.modules:
            for number, scope in enumerate(module.facts.scopes):
                if scope.kind == "class":
                    self.layouts[Cls(module.number, number)] = ClassLayout()
            for number, scope in enumerate(module.facts.scopes):
                parent = scope.parent
                if scope.kind == "function" and parent >= 0 and module.facts.scopes[parent].kind == "class":
                    layout = self.layouts[Cls(module.number, parent)]
                    layout.methods[scope.name] = number
                    self._collect_stores(module, number, scope, layout)

    def _collect_stores(self, module: Module, number: int, scope: Scope, layout: ClassLayout) -> None:
        if not scope.parameters:
            return
        receiver = scope.parameters[0].name
        pending = [number]
        while pending:
            current = pending.pop()
            for store in module.index[current].stores:
                if getattr(store.base, "name", None) == receiver and type(store.base).__name__ == "Reference":
                    layout.stores.setdefault(store.name, []).append((current, store))
                    self.stored.add(store.name)
            for child in module.children[current]:
                inner = module.facts.scopes[child]
                if inner.kind in ("function", "lambda") and all(p.name != receiver for p in inner.parameters):
                    pending.append(child)

    def product(self) -> Iterator[Module]:
        """Files that can be reported in or call what is: all but tests (RULES.md: calls from tests are no callers)."""
        configured = any(role != Role.TEST for role, _ in self.settings.roles)
        for module in self.modules:
            if configured or module.facts.comments or not is_test_path(module.path):
                yield module

    # Plain look-ups

    def scope(self, func: Func | Cls) -> Scope:
        return self.modules[func.module].facts.scopes[func.scope]

    def index(self, func: Func | Cls) -> ScopeIndex:
        return self.modules[func.module].index[func.scope]

    def site(self, key: SiteKey) -> Site:
        return self.modules[key.module].facts.scopes[key.scope].sites[key.index]

    def path(self, func: Func | Cls | SiteKey) -> str:
        return self.modules[func.module].path

    def qualname(self, func: Func | Cls) -> str:
        """The dotted name with its module: ``shop.api.create``."""
        module = self.modules[func.module]
        inner = self.scope(func).qualname
        return f"{module.name}.{inner}" if inner and module.name else inner or module.name

    def local_name(self, func: Func | Cls) -> str:
        """Without the module: ``Bank.pay``."""
        return self.scope(func).qualname

    def functions(self) -> Iterator[Func]:
        """All functions and lambdas, in order of files and lines."""
        for module in self.modules:
            for number, scope in enumerate(module.facts.scopes):
                if scope.kind in ("function", "lambda"):
                    yield Func(module.number, number)

    def owner(self, func: Func) -> Cls | None:
        """The class whose body defines the function."""
        parent = self.scope(func).parent
        if parent >= 0 and self.modules[func.module].facts.scopes[parent].kind == "class":
            return Cls(func.module, parent)
        return None

    def is_stub(self, func: Func) -> bool:
        """The body does nothing: ``...``, ``pass``, a docstring, or only raises (``NotImplementedError``)."""
        index = self.index(func)
        if index.other or self.scope(func).kind == "lambda":
            return False
        return index.raises > 0 or index.invokes == 0


def binding_scope(binding: Binding, own: int) -> int:
    """The scope that a binding's value belongs to; see ``Program._move``."""
    return -2 - binding.scope if binding.how != 3 and binding.scope <= -2 else own

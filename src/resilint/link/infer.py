"""What every name, attribute and call can stand for: the flow-insensitive part of linking.

The answer to "what is this expression" is a set of entities (``entities``), the least fixpoint of the equations in the
modules that are put together here: a name is what its bindings are (``names``), a parameter what its annotation says
and what callers pass (``parameters``), a call what the callee returns (``results``, ``libraries``, ``builtin``).
"""

from __future__ import annotations

from resilint.catalogue import Callable_
from resilint.link.annotations import Annotations
from resilint.link.attributes import Attributes
from resilint.link.builtin import Builtins
from resilint.link.classes import Classes
from resilint.link.entities import (
    Entity,
    Ext,
    Func,
    Inst,
    Member,
    Partial,
    SiteKey,
)
from resilint.link.expressions import Expressions
from resilint.link.functions import Functions
from resilint.link.libraries import Libraries
from resilint.link.names import Names
from resilint.link.parameters import Parameters
from resilint.link.program import Program
from resilint.link.results import Results
from resilint.link.solver import Solver
from resilint.link.written import argument_place, written_argument, written_arguments

__all__ = ["Inference", "argument_place", "written_argument", "written_arguments"]

_PASSING = frozenset({"builtins.map"})


def _passes(meaning: Callable_ | None) -> bool:
    if meaning is None:
        return False
    return meaning.spawn is not None or meaning.injects is not None or (meaning.returns or "").startswith("result:")


class Inference:
    """The equations. ``solve`` runs them to the end; afterwards every method only looks up."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.catalogue = program.catalogue
        self.solver = Solver()
        self.annotations = Annotations(self)
        self.settled = False
        """What depends on itself alone is given up: see ``solve``."""
        self._passing: dict[str, bool] = {}
        self.callers: dict[Func, dict[tuple[SiteKey, int, SiteKey | None], None]] = {}
        """Call sites of a function: the site, how many leading parameters are bound already, the partial that binds
        others."""
        self.names = Names(self)
        self.expressions = Expressions(self)
        self.attributes = Attributes(self)
        self.classes = Classes(self)
        self.functions = Functions(self)
        self.results = Results(self)
        self.libraries = Libraries(self)
        self.builtins = Builtins(self)
        self.parameters = Parameters(self)
        self.solver.compute = {
            "name": self.names.compute_name,
            "parameter": self.parameters.compute_parameter,
            "passed": self.parameters.compute_passed,
            "result": self.results.compute_result,
            "callees": self.functions.compute_callees,
            "returns": self.results.compute_returns,
            "yields": self.results.compute_yields,
            "decorated": self.functions.compute_decorated,
            "stage": self.functions.compute_stage,
            "own": self.results.compute_own_returns,
            "body": self.attributes.compute_class_body,
            "store": self.attributes.compute_store,
            "assigned": self.attributes.compute_assigned,
            "found": self.attributes.compute_found,
            "becomes": self.functions.compute_becomes,
        }
        # What later layers ask for.
        self.attribute = self.attributes.attribute
        self.awaited = self.results.awaited
        self.argument = self.parameters.argument
        self.becomes = self.functions.becomes
        self.binding = self.names.binding
        self.decorator_input = self.functions.decorator_input
        self.elements = self.results.elements
        self.entered = self.results.entered
        self.external_bases = self.classes.external_bases
        self.flags = self.functions.flags
        self.getter = self.functions.getter
        self.injected_value = self.libraries.injected_value
        self.is_enum = self.classes.is_enum
        self.is_protocol = self.classes.is_protocol
        self.mro = self.classes.mro
        self.name = self.names.name
        self.note_call = self.functions.note_call
        self.of = self.expressions.of
        self.owner_scope = self.names.owner_scope
        self.replacements = self.functions.replacements
        self.result_of = self.results.result_of
        self.subclasses = self.classes.subclasses
        self.targets = self.functions.targets

    def solve(self) -> None:
        """Compute everything that is asked for later, in the order of files and scopes."""
        self.classes.collect()
        sites: list[tuple[int, int, int]] = []
        for module in self.program.product():
            for number, scope in enumerate(module.facts.scopes):
                for position in range(len(scope.sites)):
                    self.solver.get(("callees", module.number, number, position))
                    sites.append((module.number, number, position))
                for position, store in enumerate(module.index[number].stores):
                    if self.attributes.is_foreign(module, scope, store):
                        self.solver.get(("assigned", module.number, number, position))
                if scope.kind == "function" and scope.decorators:
                    self.solver.get(("decorated", module.number, number))
                elif scope.kind == "lambda":
                    self.solver.get(("returns", module.number, number))
        self.solver.drain()
        self._run_effects(sites)
        self.settled = True  # what a project decorator returns stayed unknown: the function itself, then
        for node in (*self.solver.empty("stage"), *self.results.held):
            self.solver.again(node)
        self.solver.drain()
        self.solver.settled = True

    def _run_effects(self, sites: list[tuple[int, int, int]]) -> None:
        """Results are computed where somebody asks for them; those of calls that pass functions on, always."""
        while sites:
            left, found = [], False
            for site in sites:
                if any(self._passes_on(entity) for entity in self.solver.get(("callees", *site))):
                    found = True
                    self.solver.get(("result", *site))
                else:
                    left.append(site)
            self.solver.drain()
            sites = left if found else []

    def _passes_on(self, entity: Entity) -> bool:
        """Calling it calls functions that it is given, with arguments that it is given."""
        if isinstance(entity, Ext):
            known = self._passing.get(entity.path)
            if known is None:
                known = self._passing[entity.path] = entity.path in _PASSING or _passes(
                    self.catalogue.function(entity.path)
                )
            return known
        if isinstance(entity, Member):
            return _passes(self.catalogue.member(entity.of, entity.chain))
        if isinstance(entity, Inst) and isinstance(entity.of, Ext):
            return any(_passes(k.call) for k in self.catalogue.traits(entity.of.path))
        return isinstance(entity, Partial) and self._passes_on(entity.target)

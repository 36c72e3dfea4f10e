"""What an expression can stand for, as far as the linker tells it apart.

Entities are small tuples; the last field is a tag that keeps different kinds with equal fields apart. A *set* of
entities is a
frozenset: the alternatives; the empty set says that nothing is known.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeAlias


class SiteKey(NamedTuple):
    """A call site: module, scope and index. ``scope.sites[index]``; a decorator ``d`` of a scope has index ``-1 - d``
    and the decorated scope's own number."""

    module: int
    scope: int
    index: int  # type: ignore[assignment]  # nobody looks for items in a key


class Func(NamedTuple):
    """A function or lambda of the project, as its name is bound: with its decorators applied.

    ``raw`` is the function that its own decorators get: without them. Keys of tables never are raw.
    """

    module: int
    scope: int
    raw: bool = False
    tag: str = "function"

    @property
    def plain(self) -> Func:
        return Func(self.module, self.scope) if self.raw else self


class Cls(NamedTuple):
    """A class of the project."""

    module: int
    scope: int
    tag: str = "class"


class Mod(NamedTuple):
    """A module of the project; ``module`` -1 with a folder for a namespace package."""

    module: int
    folder: str = ""
    tag: str = "module"


class Ext(NamedTuple):
    """Something outside the project by its dotted name: module, class or function."""

    path: str
    tag: str = "external"


class Inst(NamedTuple):
    """An instance. ``exact``: made by a constructor call, so no subclass."""

    of: Cls | Ext
    exact: bool = False
    made: SiteKey | None = None
    """Of an external class: the construction, whose arguments can matter (timeouts, transports)."""
    tag: str = "instance"


class Bound(NamedTuple):
    """A method of the project with its receiver (an Inst, or the Cls of a class method)."""

    func: Func
    owner: Entity
    tag: str = "bound"


class Member(NamedTuple):
    """An attribute chain on an instance of an external class: ``AsyncOpenAI`` and ``chat.completions.create``."""

    of: str
    chain: str
    made: SiteKey | None = None
    tag: str = "member"


class FuncMember(NamedTuple):
    """An attribute of a project function (``task.delay``)."""

    func: Func
    name: str
    tag: str = "function member"


class Partial(NamedTuple):
    """A callable with arguments bound: by ``functools.partial`` at ``site``, from argument ``skip`` on."""

    target: Entity
    site: SiteKey
    tag: str = "partial"


class Coro(NamedTuple):
    """What calling an async function gives before it is awaited; ``site`` is the call."""

    target: Entity
    site: SiteKey
    tag: str = "coroutine"


class Task(NamedTuple):
    """A task or future around a coroutine; ``site`` is where it was made."""

    target: Entity
    site: SiteKey
    tag: str = "task"


class Generator(NamedTuple):
    """What calling a generator function gives."""

    func: Entity
    site: SiteKey
    tag: str = "generator"


class ManagedContext(NamedTuple):
    """What calling a function decorated with ``contextmanager`` gives."""

    func: Entity
    site: SiteKey
    tag: str = "context manager"


class Many(NamedTuple):
    """A list, set or iterable of elements."""

    elements: frozenset[Entity]
    tag: str = "many"


class Tup(NamedTuple):
    """A tuple whose items are known one by one."""

    items: tuple[frozenset[Entity], ...]
    tag: str = "tuple"


class Mapp(NamedTuple):
    """A dict; only its values are followed, by text key where it is a display."""

    values: frozenset[Entity]
    items: tuple[tuple[str, frozenset[Entity]], ...] = ()
    tag: str = "mapping"


class ContainerMethod(NamedTuple):
    """``pop``, ``get``, ``values`` ... of a container whose elements are followed."""

    base: Entity
    name: str
    tag: str = "container method"


class Registrar(NamedTuple):
    """What a call that makes a registering decorator gives (``app.get("/x")``), handed on by project functions."""

    site: SiteKey
    tag: str = "registrar"


class Super(NamedTuple):
    """``super()`` in a method of ``cls`` with ``owner`` as ``self``."""

    cls: Cls
    owner: Entity
    tag: str = "super"


class Nothing(NamedTuple):
    """None."""

    tag: str = "None"


class Plain(NamedTuple):
    """A value of a builtin type (``int``, ``str``, ``bool`` ...): known to be no client, coroutine or function."""

    kind: str
    tag: str = "plain"


Entity: TypeAlias = (
    Func
    | Cls
    | Mod
    | Ext
    | Inst
    | Bound
    | Member
    | FuncMember
    | Partial
    | Coro
    | Task
    | Generator
    | ManagedContext
    | Many
    | Tup
    | Mapp
    | ContainerMethod
    | Registrar
    | Super
    | Nothing
    | Plain
)
Entities: TypeAlias = frozenset[Entity]

NOBODY: Entities = frozenset()
NONE: Entities = frozenset({Nothing()})
TEXT: Entities = frozenset({Plain("str")})
NUMBER: Entities = frozenset({Plain("number")})
BOOL: Entities = frozenset({Plain("bool")})


@lru_cache(maxsize=65536)
def _sorted(entities: Entities) -> tuple[Entity, ...]:
    return tuple(sorted(entities, key=repr))


def ordered(entities: Entities) -> tuple[Entity, ...]:
    """In an order that does not depend on hashes."""
    return tuple(entities) if len(entities) < 2 else _sorted(entities)

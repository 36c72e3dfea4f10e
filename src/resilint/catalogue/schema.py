"""The schema of a catalogue file. Unknown keys are refused.

A file has four kinds of tables, all keyed by the dotted name under which the *defining* module exports a thing;
other public
names of the same thing stand under ``aliases``::

    library = "asyncio"

    [function."asyncio.sleep"]
    wait = "delay@0"            # the argument: keyword "delay", or position 0
    async = true

    [class."asyncio.TaskGroup"]
    [class."asyncio.TaskGroup".method.create_task]
    spawn = { what = "coro@0", attached = true }

An *argument* is written ``name@position``: ``"delay@0"``, ``"timeout"`` (keyword only), ``"@0"`` (positional only), and
``"*"`` for every positional argument (``"*1"``: from position 1 on), ``"**"`` for every keyword as one mapping.
``"a@0|b"`` is the first of
the two that is given. Positions of methods do not count ``self``.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Argument = str


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="kebab"):
    pass


class Condition(_Table, frozen=True):
    """Holds where every key that is given holds for the call's argument ``argument``."""

    argument: Argument
    absent: bool | None = None
    """True: it must not be given; false: it must be given."""
    none: bool | None = None
    """True: it is the literal None; false: it is given and is not the literal None."""
    equals: bool | int | float | str | None = None
    type: str | None = None
    """Its value is an instance of (or a call of) this dotted name; so is an item of it, where it is a list or dict."""


class Wait(_Table, frozen=True):
    """The call waits. ``seconds`` names the duration; without it the wait is ``fixed`` seconds, else unknown."""

    seconds: Argument | None = None
    fixed: float | None = None
    unit: float = 1.0
    """Seconds a unit of the argument: 0.001 for milliseconds."""


class Deadline(_Table, frozen=True):
    """A deadline in seconds.

    On a call that returns a context manager it covers the body (``scope``); with ``covers`` it covers that argument,
    awaited here;
    with neither it covers the call itself (a client's total timeout, written at the call).
    """

    seconds: Argument | None = None
    """Where it is absent, ``absent`` says what holds."""
    scope: bool = False
    covers: Argument | None = None
    absolute: bool = False
    """The argument is a point in time of the loop's clock (``timeout_at``)."""
    absent: Literal["none", "finite"] = "none"
    """What an omitted argument means: no deadline, or a finite default."""
    counts: tuple[str, ...] = ()
    """The forms that count as total: ``number``, and dotted constructors with their argument
    (``aiohttp.ClientTimeout:total@0``)."""
    swallows: bool = False
    """``move_on_after``: the expiry raises nothing."""
    otherwise: tuple[Deadline, ...] = ()
    """Other arguments that can hold it, tried in order where ``seconds`` is not given (tornado's ``HTTPRequest``)."""


class Spawn(_Table, frozen=True):
    """A coroutine or function given to somebody else."""

    what: Argument
    attached: bool = False
    """True: the scope or call waits for it (TaskGroup). False: a task; awaited later it is attached all the same."""
    task: bool = False
    """The call returns a task or future that can be awaited, stored or dropped."""
    tracked: bool = True
    """False: a dropped task can vanish (``create_task`` of asyncio and of loops)."""
    adopts: bool = False
    """``what`` may be a task already, which is returned as it is (``ensure_future``)."""
    thread: Literal["", "default-executor", "executor", "own", "thread"] = ""
    """``what`` is a function that runs in a thread: of the default pool, of the executor given, of a pool of its own, a
    new one. An ``async def`` runs on the loop all the same (``BackgroundTasks.add_task`` takes both)."""
    later: bool = False
    """The call only returns a function; calling that one (and awaiting it) runs ``what`` with its arguments
    (``sync_to_async``). As a decorator: the decorated function is replaced by it."""
    arguments: Argument | None = None
    """Where ``what``'s own positional arguments come from: ``"*1"`` means from position 1 on; ``"args"`` a keyword with
    a tuple."""
    kind: Literal["", "background", "job", "task", "thread", "callback"] = ""
    """What a detached one becomes: its role is worker."""
    enqueues: bool = False
    """It counts as queued work (R-RES-ASYNC-1)."""


class Retry(_Table, frozen=True):
    """A decorator, or an iterator of attempts, that repeats with waits (tenacity, backoff, stamina)."""

    stop: Argument | None = None
    wait: Argument | None = None
    attempts: Argument | None = None
    """A plain number of attempts; ``absent_attempts`` where omitted (0: without a bound)."""
    absent_attempts: int = 0
    limit: Argument | None = None
    """A plain number of seconds after which it gives up; ``absent_limit`` where omitted (0: none)."""
    absent_limit: float = 0
    delay: Argument | None = None
    """A plain number of seconds, or a generator function of the catalogue (``wait_shape``)."""
    first: Argument | None = None
    """Exponential: the first wait ..."""
    first_default: float = 0
    cap: Argument | None = None
    cap_default: float = 0
    base: Argument | None = None
    base_default: float = 2
    jitter: Argument | None = None
    jitter_default: float = 0
    full_jitter: Argument | None = None
    """Each wait is random between 0 and the computed one, unless this argument is the literal None (backoff's
    ``jitter``)."""
    iterator: bool = False
    """``for``/``async for`` over it makes the attempts."""


class Stop(_Table, frozen=True):
    """A retry's stop strategy: after ``attempts`` or ``seconds``; ``never``; operators ``|`` (first) and ``&``
    (both)."""

    attempts: Argument | None = None
    seconds: Argument | None = None
    never: bool = False
    combine: Literal["", "any", "all"] = ""
    """Of all the strategies given as arguments: the first that stops, or all of them (``stop_any``, ``stop_all``)."""


class WaitShape(_Table, frozen=True):
    """A retry's wait strategy. ``+`` adds two."""

    kind: Literal[
        "none",
        "fixed",
        "exponential",
        "incrementing",
        "random",
        "random-exponential",
        "chain",
        "exponential-jitter",
        "combine",
        "fibonacci",
    ]
    seconds: Argument | None = None
    seconds_default: float | None = None
    multiplier: Argument | None = None
    multiplier_default: float = 1
    start: Argument | None = None
    start_default: float = 0
    increment: Argument | None = None
    increment_default: float = 100
    low: Argument | None = None
    low_default: float = 0
    cap: Argument | None = None
    cap_default: float | None = None
    base: Argument | None = None
    base_default: float = 2
    jitter: Argument | None = None
    jitter_default: float = 0


class Query(_Table, frozen=True):
    """What a call has to do with a query of a database."""

    does: Literal[
        "select",
        "update",
        "delete",
        "text",
        "string",
        "where",
        "lookups",
        "exclude",
        "order",
        "limit",
        "lock",
        "columns",
        "distinct",
        "first",
        "one",
        "rows",
        "write",
        "aggregate",
        "same",
        "all",
        "any",
        "in",
        "is",
        "null",
        "between",
        "column",
    ]
    """``select``, ``update``, ``delete``: it begins one. ``text``: one from SQL text; ``string``: a piece of SQL text
    to be put together. Methods of a query: ``where`` (conditions), ``lookups`` (keywords with suffixes, ``due__lte``),
    ``exclude`` (their opposite), ``order``, ``limit``, ``lock``, ``columns`` (what is selected), ``distinct``;
    ``first``, ``one``, ``rows`` run it, ``write`` changes the rows instead, ``aggregate`` counts; ``same`` keeps it.
    Parts of conditions: ``all`` and ``any`` join; ``in``, ``is``, ``null`` and ``between`` are methods that compare a
    column, ``column`` makes one of its name."""
    makes: str | None = None
    """Of one that begins a query: the class whose methods go on (``sqlalchemy.Select``)."""
    table: Argument | None = None
    """Where it says what is selected; without it the receiver is the table."""
    skips: Argument | None = None
    """Of ``lock``: the argument for SKIP LOCKED ..."""
    fails: Argument | None = None
    """... for NOWAIT ..."""
    shares: Argument | None = None
    """... for a lock that others can hold as well ..."""
    clause: Argument | None = None
    """... or the clause as text."""


class Registration(_Table, frozen=True):
    """Functions become entries: by a decorator, a call, a base class, or a class attribute."""

    role: Literal["handler", "stream", "worker", "script", "test"]
    what: Argument | None = None
    """Of a call: the argument that is (or holds, in a list, tuple or dict) the function or class. None: a decorator."""
    methods: tuple[str, ...] = ()
    """Where ``what`` or the base is a class: these methods; ``"*"`` for all public ones."""
    status: Argument | None = None
    """The argument with the HTTP status of the answer."""
    default_status: int = 0
    """The framework's default status; 0: no HTTP."""
    verbs: tuple[str, ...] = ()
    """The HTTP methods that it serves, where it says so (``post``)."""
    verbs_argument: Argument | None = None
    paths: bool = False
    deadline: Argument | None = None
    """The job's own timeout in seconds, written at the decorator or call."""
    deadline_unit: float = 1.0
    """Seconds a unit of ``deadline``: 0.001 for milliseconds."""
    service: bool = False
    """What runs it does not come to an end (a server, a scheduler)."""
    enqueued_by: tuple[str, ...] = ()
    """Methods of the decorated function that enqueue it (``delay``, ``kiq``)."""
    blocks_loop: bool = True
    """False: a sync function registered so runs in a thread (FastAPI) or in a sync server (Flask)."""
    starts: bool = False
    """It runs at start-up (lifespan, startup hooks)."""
    becomes: str | None = None
    """The decorated function is an instance of this class as well: ``task.delay()`` is looked up there
    (``celery.Task``)."""
    removed: str = ""
    """The version that no longer has the argument ``what``; older ones do. Only the catalogue check looks at it."""
    deadline_attribute: str = ""
    """Of ``registers_attribute``: the class attribute with the timeout in seconds of all its jobs (``job_timeout``)."""


class Callable_(_Table, frozen=True):
    """What a function, method or constructor means. All keys are optional; several may hold at once."""

    aliases: tuple[str, ...] = ()
    is_async: bool = msgspec.field(default=False, name="async")
    returns: str | None = None
    """Dotted name of the class that the call makes (after ``await`` where async). ``"self"``, ``"argument:@0"`` (the
    argument itself), ``"result:@0"`` (what the function given returns), ``"first:*"`` (list of what the awaitables
    given return), ``"entered:@0"`` (what entering the context manager given binds), ``"class:@0"`` (an instance of the
    class given), ``"parameter"`` (the class that the receiver is subscripted with), ``"many:a.b.C"`` (an iterable of
    instances)."""
    enters: str | None = None
    """What ``async with``/``with`` binds, in the same notation; default: what the call returns."""
    when: tuple[Condition, ...] = ()
    """The effects below hold only if all conditions do."""
    unless: tuple[Condition, ...] = ()
    """The effects below do not hold where one of these conditions does (``queue.get(block=False)``)."""
    dynamic: bool = False
    """Made at run time (an attribute set on the instance, a lazy module): the sources do not define the name, so the
    catalogue check does not look for it. For the engine it means nothing."""
    awaitable: bool = False
    """A plain ``def`` whose result is awaited (it returns an awaitable), so that ``async`` holds. Only the catalogue
    check looks at it."""
    removed: str = ""
    """The version that no longer has it; older ones do, so it keeps its meaning. The catalogue check does not look for
    it."""
    wait: Wait | None = None
    deadline: Deadline | None = None
    shields: Argument | None = None
    """Hides this awaitable from every deadline around it."""
    awaits: Argument | None = None
    """Awaits these arguments (``"*"`` for all): ``gather``, ``wait``."""
    concurrent: bool = False
    """What it awaits runs side by side."""
    cancels: bool = True
    """False: an own timeout does not cancel what it awaits (``asyncio.wait``)."""
    spawn: Spawn | None = None
    calls: Argument | None = None
    """Calls this function now, in this thread (``functools.reduce``, ``loop.run_until_complete``)."""
    passes: Argument | None = None
    """Where the positional arguments of ``calls`` come from: ``"*1"`` means from position 1 on."""
    awaits_event: bool = False
    """Awaits a flag that somebody else sets (``Event.wait``): under a deadline whose expiry is swallowed it is a wait
    of up to that long."""
    partial: bool = False
    """``functools.partial``: the first argument bound to the rest."""
    reads: bool = False
    """It looks at what it is given and calls none of it (``functools.wraps`` copies names)."""
    wraps: Argument | None = None
    """Returns the function given, changed or not (``functools.wraps``, ``lru_cache``, ``contextmanager``)."""
    context_manager: bool = False
    """The decorated generator becomes a context manager (``contextlib.asynccontextmanager``)."""
    caches: bool = False
    """The decorated function runs once (``lru_cache``)."""
    property: bool = False
    """The decorated function is read as an attribute."""
    outbound: str | None = None
    """The group of an outbound call (``http``, ``llm``, ``database`` ...)."""
    connects: bool = False
    """Only entering it is outbound, the body is a long-lived stream."""
    phases: str = ""
    """For a per-phase client: what its own timeout bounds, for the message ("each read")."""
    verb: bool = False
    """The method has the name of an HTTP verb; used where no type is to be had."""
    blocking: str | None = None
    """The group of a call that blocks its thread (``core``, ``files``)."""
    instead: str = ""
    """What to write instead, for the hint of a blocking call."""
    says_done: bool = False
    """True of a receiver whose blocking calls no longer wait (``Future.done``)."""
    running_loop: bool = False
    """Fails, or says no, where no event loop runs in this thread (``get_running_loop``)."""
    consumes: Argument | None = None
    """Iterates over this argument here and now, to the end (``list``)."""
    enqueue: bool = False
    """It queues work (R-RES-ASYNC-1)."""
    executor: Literal["", "default", "to-thread", "offload-warning"] = ""
    """ADR-0011: ``to-thread``, its relatives, or the ``default`` executor."""
    executor_when: tuple[Condition, ...] = ()
    """``executor`` holds only if all these conditions do; the other effects hold regardless (``to_thread.run_sync``
    without ``limiter``)."""
    executor_argument: Argument | None = None
    """The default executor is meant where this argument is the literal None."""
    installs_default_executor: Argument | None = None
    bulkhead: bool = False
    """Entering it waits for a slot (a semaphore, limiter or circuit breaker)."""
    register: tuple[Registration, ...] = ()
    injects: Argument | None = None
    """Dependency injection: the value is what this function or class gives (``Depends``, ``Provide``)."""
    retry: Retry | None = None
    stop: Stop | None = None
    wait_shape: WaitShape | None = None
    status: Argument | None = None
    """A response: the argument with its status; ``default_status`` where omitted."""
    default_status: int = 0
    body: Argument | None = None
    """A response: the argument with its content."""
    headers: Argument | None = None
    """A response: the argument with its headers."""
    sets_status: Argument | None = None
    """Sets the status of the response that it is called on to this argument (``set_status``)."""
    streams: Argument | None = None
    """A response built from this generator: it runs after the handler has returned."""
    makes_stream: bool = False
    """A handler that calls it is a stream (``aiohttp.web.WebSocketResponse``)."""
    makes_model: bool = False
    """The decorated class is a data model: its fields are keywords of the constructor (``dataclasses.dataclass``)."""
    mapping: bool = False
    """Makes a mapping of its keywords, and of the mapping given first (``dict``)."""
    clock: bool = False
    """Returns the time in seconds."""
    number: Literal[
        "",
        "min",
        "max",
        "abs",
        "round",
        "int",
        "float",
        "random",
        "uniform",
        "randint",
        "timedelta",
        "len",
        "ceil",
        "floor",
        "sum",
        "pow",
        "bool",
        "expovariate",
        "choice",
        "total-seconds",
    ] = ""
    """A numeric function that the evaluator computes. ``total-seconds`` is a method: the seconds of its receiver
    (``timedelta``)."""
    iterator: Literal[
        "", "range", "count", "repeat", "enumerate", "zip", "reversed", "islice", "cycle", "chain", "iter"
    ] = ""
    """An iterator whose length the evaluator computes."""
    environment: Argument | None = None
    """Reads an outside value with this default (``os.getenv``)."""
    runs_main: Argument | None = None
    """Runs this coroutine as the program (``asyncio.run``)."""
    serves: bool = False
    """Does not come to an end: a server, a scheduler's start."""
    attempt: bool = False
    """The context manager of one attempt of a retry iterator."""
    field_default: Argument | None = None
    """A field of a settings class or dataclass with this default (``pydantic.Field``)."""
    field_factory: Argument | None = None
    cast: Argument | None = None
    """Returns this argument with the type given first (``typing.cast``)."""
    exits: Argument | None = None
    """Enters this context manager until the stack closes (``AsyncExitStack.enter_async_context``)."""
    adds_done_callback: bool = False
    cancels_task: bool = False
    """The receiver is cancelled: awaiting it later holds nobody."""
    queue_put: bool = False
    task_result: bool = False
    query: Query | None = None
    """It begins, continues or runs a query of a database."""
    advisory_lock: bool = False
    """Holding what it gives keeps other processes out (R-RES-ASYNC-1)."""
    database_url: Argument | None = None
    """It opens the database of this URL."""
    forgets: bool = False
    """It keeps nothing of what it is given (``print``, a logger)."""
    http_client: bool = False
    """A request without a client of one's own: one HTTP client family (rejected-client)."""


class Class_(_Table, frozen=True):
    """A class, and its constructor's meaning (``new``), methods and attributes."""

    aliases: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    """Dotted names; what a base means holds for the class as well."""
    patterns: tuple[str, ...] = ()
    """Names that are classes of this kind by their form (``*_pb2_grpc.*Stub``)."""
    client: str | None = None
    """It is a client of this group: an adapter may hold it, client-per-call looks at it."""
    cheap: bool = False
    """Building one is cheap, or one a call is usual: client-per-call does not look at it."""
    http_client: bool = False
    """One HTTP client family (rejected-client)."""
    in_memory: tuple[Condition, ...] = ()
    """Constructed so, it is on an in-memory transport and reaches nothing outside; one of the conditions is enough."""
    transports: tuple[Argument, ...] = ()
    """Arguments of the constructor that give it a connection pool of somebody else (client-per-call)."""
    total_timeout: Deadline | None = None
    """A total deadline given to the constructor covers its calls."""
    executor: bool = False
    workers: Argument | None = None
    """Of an executor: the argument with the number of its workers."""
    queue: Argument | None = None
    """Of an asyncio queue: the argument with its size."""
    bulkhead: bool = False
    new: Callable_ | None = None
    enter: Callable_ | None = None
    """What ``async with``/``with`` on an instance does."""
    suppresses: Argument | None = None
    """A context manager that ends the exceptions given to its constructor (``"*0"``)."""
    call: Callable_ | None = None
    """What calling an instance does."""
    method: dict[str, Callable_] = {}
    """By name; an attribute chain is one name (``chat.completions.create``); ``"*"`` for any other method or chain. A
    chain whose first part is ``*`` stands for every chain (of one name or more) that ends so: ``"*.create"``. The exact
    name goes first, then the chain with ``*``, then ``"*"``; what the class itself says goes before what its bases
    say."""
    attribute: dict[str, str] = {}
    """Attributes that hold instances: name (or ``"*"``) to dotted class."""
    register: tuple[Registration, ...] = ()
    """A project class that inherits it is an entry."""
    registers_attribute: dict[str, Registration] = {}
    """A project class of this name or base whose attribute lists functions (arq's ``WorkerSettings.functions``)."""
    named: bool = False
    """``registers_attribute`` goes by the class's own name, without a base."""
    settings: bool = False
    """A settings class: its field defaults are values."""
    model: bool = False
    """A data model (pydantic, dataclass-like): fields are constructor keywords."""
    provides: bool = False
    """A parameter of this type is given by the framework (``BackgroundTasks``)."""
    close: tuple[str, ...] = ()
    """The methods that close it."""
    verbs: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    """Binary operators that give an instance of the class again (``path / "name"``)."""
    typing: Literal["", "protocol", "abstract", "enum", "generic", "typed-dict", "named-tuple"] = ""
    status_attribute: str = ""
    """Of a response: assigning this attribute sets its status (``status_code``)."""
    body_attributes: tuple[str, ...] = ()
    """Of a response: assigning one of these sets its content (falcon's ``media``)."""
    headers_attribute: str = ""
    """Of a response: the attribute with its headers."""
    dynamic: bool = False
    """Made at run time or by its users (a generated gRPC stub): the catalogue check does not look for it."""
    removed: str = ""
    """The version that no longer has it; older ones do, so it keeps its meaning. The catalogue check does not look for
    it."""
    handler_base: bool = False
    """Classes below it are no use-case handlers in spite of their name (``logging.Handler``)."""
    queries: dict[str, str] = {}
    """Attributes by which a query of the class begins (``objects``), with the class whose methods go on. Where nothing
    is known of a class, the name of the attribute alone is enough."""
    skips_locked: str = ""
    """Of a query: the method call that adds FOR UPDATE SKIP LOCKED, for fixes."""
    no_row_locks: bool = False
    """Its database has no SELECT FOR UPDATE (SQLite)."""
    stream_parameter: bool = False
    """A handler with a parameter of this type is a stream (``WebSocket``)."""


class Library(_Table, frozen=True):
    """One catalogue file."""

    library: str
    requires: str = ""
    """The versions that the names were checked against (``httpx 0.28``), separated by commas where the file speaks of
    several distributions; the part behind a semicolon is a remark."""
    distribution: str = ""
    """The distribution on the package index, where its name is another."""
    optional: bool = False
    default: bool = True
    groups_off: tuple[str, ...] = ()
    probe: dict[str, tuple[str, ...]] = {}
    """By class: expressions that make an instance without any network, in which the catalogue check looks for the
    class's ``dynamic`` members (clients of a cloud service get their methods from a data file). A module stands under
    its own name; ``await`` is allowed."""
    function: dict[str, Callable_] = {}
    klass: dict[str, Class_] = msgspec.field(default={}, name="class")
    constant: dict[str, bool | int | float | str] = {}
    """Dotted names of constants: ``http.HTTPStatus.ACCEPTED = 202``."""
    annotation: dict[
        str,
        Literal[
            "optional",
            "union",
            "annotated",
            "class-of",
            "container",
            "awaitable",
            "callable",
            "mapping",
            "final",
            "self",
            "iterator",
            "context",
            "stream",
        ],
    ] = {}
    """Special forms of annotations, by dotted name."""

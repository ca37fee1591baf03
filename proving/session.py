"""The in-memory store as a store under test: programs are executed in this process, no worker needed."""

from __future__ import annotations

import contextlib
import platform
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from time import monotonic_ns
from typing import Any

from fsconform.adapters import together
from fsconform.adapters.meeting import NotMet, Round
from fsconform.engine.injection import MACHINE, SERVER, Away, Crash, InjectedFault, Medium, PowerLoss, Wire
from fsconform.engine.protocol import NO_SETTINGS, Execution, Job, Observation, Snapshot
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation, paths_of, shape
from fsconform.model.core.outcomes import NotExpressible, Outcome, Raised, Returned, Unknown
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.model.filesystem.protocols.path_handles import HANDLE_APPENDED
from fsconform.proving.calls import CACHED_CONTENT, CALLS, Convert, data_of, status_of
from fsconform.proving.faults import SHARED, Fault, faulty
from fsconform.proving.full_store import FullStore
from fsconform.proving.raced_store import CUTS, Cut, Hung, Killed, RacedStore
from fsconform.proving.store import Behaviour, FileStatus, StoreError

LARGEST_CONTENT = 64 * 1024 * 1024
"""Bytes of one write that this store takes: it holds them all in memory."""


class ProvingStore:
    """The store in memory, of some behaviour and with at most one seeded fault; fulfils engine.protocol.Store.

    Each session has a store of its own, but for concurrent programs, which all of them play on one: faults that only
    several clients at once can show are seeded into that one. With ``real_root`` every program gets a store of its own
    and plays in its real root. Raises KeyError if no fault has the given name.
    """

    def __init__(
        self,
        name: str = "proving",
        behaviour: Behaviour | None = None,
        fault: str | Fault | None = None,
        real_root: bool = False,
    ) -> None:
        self._name = name
        self.behaviour = behaviour or Behaviour()
        self._fault = fault
        self._real_root = real_root
        seeded = SHARED.get(fault) if isinstance(fault, str) else None
        self._shared = Shared(seeded.kind if seeded else RacedStore, self.behaviour)
        if seeded:
            self._fault = None
        self.make()

    @property
    def name(self) -> str:
        """The name under which results are reported."""
        return self._name

    @property
    def uri(self) -> str:
        """Where the store is: a form only, as it lives in this process."""
        return "proving:///"

    @property
    def versions(self) -> dict[str, str]:
        """The version of Python, which is all that stands behind this store."""
        return {"python": platform.python_version()}

    def make(self) -> FullStore:
        """A new, empty store of this behaviour and fault."""
        return prepared(FullStore(self.behaviour) if self._fault is None else faulty(self.behaviour, self._fault))

    def session(self) -> ProvingSession:
        """A session on a new, empty store that all its programs share, unless each plays in a real root."""
        return ProvingSession(self.make, self._real_root, self._shared)

    def on_root(self, configuration: Mapping[str, str] = NO_SETTINGS) -> ProvingStore:
        """The same store, each of whose programs plays in a real root."""
        return ProvingStore(self._name, self.behaviour, self._fault, real_root=True)

    def injects(self, fault: InjectedFault) -> bool:
        """Whether it is a crash of its server, or that one's power or medium fails, or the clients' own machine's."""
        if isinstance(fault, PowerLoss | Medium):
            return fault.part in (SERVER, MACHINE)
        return isinstance(fault, Crash) and fault.part == SERVER

    def settle(self, fault: PowerLoss) -> None:
        """Save all that was done so far."""
        with self._shared.store.busy:
            self._shared.store.save()

    def spoil(self, fault: Medium) -> None:
        """Let the medium of the store that sessions share fail."""
        with self._shared.store.busy:
            self._shared.store.spoil(fault)

    def mend(self, fault: Medium) -> None:
        """Let it be well again."""
        with self._shared.store.busy:
            self._shared.store.mended()

    def inject(self, fault: InjectedFault) -> Away:
        """Let what is under way on the store that sessions share fail, and forget what was not saved."""
        began = monotonic_ns()
        with self._shared.store.busy:
            if isinstance(fault, PowerLoss):
                self._shared.store.lose_power()
            else:
                self._shared.store.crash()
        ended = monotonic_ns()
        return Away(began, ended, ended)

    def fails_on(self, fault: Wire) -> bool:
        """Whether it is the link to its server, for a name."""
        return fault.part == SERVER

    @contextlib.contextmanager
    def network(self) -> Iterator[Link]:
        """The link between clients and the store that sessions share."""
        yield Link(self.session(), self._shared)

    def logs(self) -> tuple[str, ...]:
        """Nothing: the store has no logs."""
        return ()

    def close(self) -> None:
        """Nothing to stop."""


def prepared(store: FullStore) -> FullStore:
    """The store with what its clients bring along: the content that handles are appended to."""
    store.appended = _bytes(HANDLE_APPENDED)
    return store


class Shared:
    """The store in memory on which all sessions play concurrent programs."""

    def __init__(self, kind: type[FullStore], behaviour: Behaviour) -> None:
        assert issubclass(kind, RacedStore)
        self.store: RacedStore = kind(behaviour)
        prepared(self.store)
        self._numbers = iter(range(1, 1 << 62))

    def execute(self, job: Job) -> Execution:
        """One client's share of a concurrent program, or all of one that threads of a client perform."""
        part = Round(job.meeting) if job.meeting else None
        try:
            if part and not part.leads:
                return self._run(part.begin(), job, part)
            base = f"/p{next(self._numbers)}"
            with self.store.busy:
                begin_at(self.store, base)
            try:
                return self._run(base, job, part)
            finally:
                with self.store.busy:
                    self.store.purge(base)
        except NotMet as error:
            return Execution(Trace(job.program, ()), lost=str(error))

    def _run(self, base: str, job: Job, part: Round | None) -> Execution:
        events: list[Event] = []
        for number, step in enumerate(job.program):
            if job.threads and number in job.threads.steps:
                if number == job.threads.first:
                    events += together.perform_anew(job.threads, partial(self._of_thread, base, job))
                continue
            if part:
                part.before(number, base)
            kill = job.meeting.kill if job.meeting and number == job.meeting.last - 1 else None
            if isinstance(kill, int):
                self.store.deaths[step.client] = monotonic_ns() + kill
            events.append(self._event(base, step, job.stacks))
            self.store.deaths.pop(step.client, None)
        killed = job.meeting is not None and job.meeting.kill is not None
        if part:
            part.gather(len(job.program), base)
        return Execution(Trace(job.program, tuple(events)), store_nanoseconds=0, killed=killed)

    def _of_thread(self, base: str, job: Job, _lane: int, number: int) -> Event:
        return self._event(base, job.program[number], job.stacks)

    def _event(self, base: str, step: Step, stacks: bool) -> Event:
        invoked = monotonic_ns()
        # Clients are threads of this process: so that their calls overlap, each lets others go first now and then.
        time.sleep(0)
        try:
            with self.store.busy:
                event = event_of(self.store, base, step, stacks)
        except Killed:
            return Event(Unknown("the client was killed in this call"), invoked, monotonic_ns())
        except Hung:
            return Event(Unknown("no answer, and never will be", hung=True), invoked, monotonic_ns())
        time.sleep(0)
        return Event(event.outcome, invoked, max(event.returned, monotonic_ns()))


class Link:
    """The link to the server of the store in memory: calls that any client but the first makes go by it."""

    def __init__(self, session: ProvingSession, shared: Shared) -> None:
        self._session, self._store = session, shared.store

    def session(self) -> ProvingSession:
        """A session of a client that goes by the link."""
        return self._session

    def injects(self, fault: Wire) -> bool:
        """Whether the store in memory knows a fault of links."""
        return fault.fault in CUTS

    def arm(self, fault: Wire) -> None:
        """Let the link fail."""
        with self._store.busy:
            self._store.cut = Cut(fault)

    def disarm(self) -> bool:
        """Let the link be well again; whether it failed."""
        with self._store.busy:
            cut, self._store.cut = self._store.cut, None
        return cut is not None and cut.met


class ProvingSession:
    """Executes programs on a store in memory; fulfils engine.protocol.Session. Not safe for threads.

    ``shared`` is where concurrent programs play; without it they can't.
    """

    def __init__(self, make: Callable[[], FullStore], real_root: bool = False, shared: Shared | None = None) -> None:
        self._make = make
        self._real_root = real_root
        self._shared = shared
        self.store = make()
        self._programs = 0

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        """Execute programs, each in a fresh directory, and give one execution each, in order."""
        for job in jobs:
            yield self._execute(job)

    @property
    def killable(self) -> bool:
        """Whether its client can be killed: it has only to leave off."""
        return self._shared is not None

    def close(self) -> None:
        """Forget the store and its content."""
        self.store = self._make()

    def _execute(self, job: Job) -> Execution:
        if (job.meeting or job.threads) and self._shared is not None:
            return self._shared.execute(job)
        if self._real_root:
            self.store = self._make()
            return _run(self.store, "", job)
        self._programs += 1
        base = f"/p{self._programs}"
        store = self.store
        begin_at(store, base)
        try:
            return _run(store, base, job)
        finally:
            store.purge(base)


def begin_at(store: FullStore, base: str) -> None:
    """Make the directory of a program, which remembers nothing of those before."""
    store.mkdirs(base)
    store.reset()
    store.base = base
    store.clock = 0


def _run(store: FullStore, base: str, job: Job) -> Execution:
    events: list[Event] = []
    snapshots: list[tuple[int, Snapshot]] = []
    wanted = frozenset(job.snapshot_after)
    spent = 0
    for number, step in enumerate(job.program):
        event = event_of(store, base, step, job.stacks)
        spent += event.returned - event.invoked
        events.append(event)
        if number in wanted:
            snapshots.append((number, _snapshot(store, base)))
    return Execution(Trace(job.program, tuple(events)), tuple(snapshots), spent)


def event_of(store: FullStore, base: str, step: Step, stacks: bool) -> Event:
    """Make a step's call on a store, below a base directory; ``stacks`` keeps Python's stack of an error."""
    store.caller = step.client
    operation = step.operation
    store.via = operation.via
    call, convert, arguments, trouble = _prepare(store, base, operation)
    if trouble:
        now = monotonic_ns()
        return Event(NotExpressible(trouble), now, now)
    invoked = monotonic_ns()
    try:
        result = store.carried(operation.NAME, lambda: call(*arguments))
    except StoreError as error:
        returned = monotonic_ns()
        stack = "".join(traceback.format_exception(error)) if stacks else ""
        return Event(Raised(error.classes, error.message, stack), invoked, returned)
    returned = monotonic_ns()
    outcome: Outcome = Returned(result if convert is None else convert(result, base))
    return Event(outcome, invoked, returned)


_Prepared = tuple[Callable[..., Any], Convert | None, tuple[Any, ...], str]


def _prepare(store: FullStore, base: str, operation: Operation) -> _Prepared:
    """The call that an operation is, what turns its result into a value, its arguments; or why it can't be called."""
    trouble = next(filter(None, (_unnameable(path, base) for path in paths_of(operation))), "")
    kind = type(operation)
    call = CALLS.get(kind)
    if call is None:
        return store.reset, None, (), f"the store in memory has no {kind.NAME}"
    name, convert = call
    stream = getattr(operation, "stream", None)
    if stream is not None and not trouble:
        reads = kind in (OpenReader, ReadOn)
        trouble = store.cannot_read(stream, kind is OpenReader) if reads else store.cannot(stream, kind is OpenWriter)
    arguments: list[Any] = []
    for field, form in shape(kind):
        value = getattr(operation, field)
        if form == "path":
            arguments.append(_text(value, base))
        elif form == "paths":
            arguments.append([_text(path, base) for path in value])
        elif form == "content":
            if contents.length(value) > LARGEST_CONTENT:
                return store.reset, None, (), f"content of more than {LARGEST_CONTENT} bytes"
            arguments.append(_bytes(value))
        elif field != "via":
            arguments.append(value)
    return getattr(store, name), convert, tuple(arguments), trouble


def _text(path: Path, base: str) -> str:
    return f"{base}/{'/'.join(path)}" if path else base or "/"


def _unnameable(path: Path, base: str) -> str:
    """Why no string names the path; the empty string if one does."""
    if any("/" in element for element in path):
        return "an element with a slash in it can't be told from two elements"
    if path == ("",) and not base:
        return "an empty element below the root can't be told from the root"
    return ""


def _make_bytes(content: contents.Content) -> bytes:
    return b"".join(contents.chunks(content))


_cached_bytes = lru_cache(maxsize=256)(_make_bytes)


def _bytes(content: contents.Content) -> bytes:
    return _cached_bytes(content) if contents.length(content) <= CACHED_CONTENT else _make_bytes(content)


def _snapshot(store: FullStore, base: str) -> Snapshot:
    """All that listings show from the program's directory on, with what status and read say of each entry."""
    entries: list[Observation] = []
    problems: list[str] = []
    seen: set[str] = set()
    waiting = [base or "/"]
    while waiting:
        directory = waiting.pop()
        try:
            listed = store.list_status(directory)
        except StoreError as error:
            problems.append(f"{directory} can't be listed: {error.message}")
            continue
        for entry in sorted(listed, key=lambda each: each.path):
            if entry.path in seen or entry.path.rpartition("/")[0] != directory.rstrip("/"):
                problems.append(f"the listing of {directory} has {entry.path} twice, or it is no child of it")
            elif entry.is_dir:
                waiting.append(entry.path)
            seen.add(entry.path)
            entries.append(_observe(store, base, entry, problems))
    entries.sort(key=lambda each: each.listed.path)
    return Snapshot(tuple(entries), not problems, problems[0] if problems else "")


def _observe(store: FullStore, base: str, entry: FileStatus, problems: list[str]) -> Observation:
    status: FileStatus | None = None
    data: bytes | None = None
    try:
        status = store.get_file_status(entry.path)
        if not entry.is_dir:
            data = store.open(entry.path)
    except StoreError as error:
        problems.append(f"{entry.path} is listed, but: {error.message}")
    else:
        if status != entry:
            problems.append(f"listing and status differ on {entry.path}")
        elif data is not None and len(data) != entry.length:
            problems.append(f"status and content differ in the length of {entry.path}")
    return Observation(
        status_of(entry, base),
        None if status is None else status_of(status, base),
        None if data is None else data_of(data, base),
    )

"""Variations: each witness again under other names, with other sizes, in other places, by other ways, seen by others.

What a call does must not hang on how a path is spelled, how deep it lies, how many bytes there are, through which
overload the call is made, or whose client looks. So there is nothing new to judge in a variation: the model foretells
it as it does any program. What there is to vary is chosen so that it is covered, not multiplied: each name meets each
operation in each role of its paths, each way each situation, each size each operation; all is deterministic.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from fsconform.engine.explorers import Explorer
from fsconform.engine.ladders import SPICE
from fsconform.engine.probes import MODES, probed
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation, paths_of, shape, with_paths
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.metadata.quotas import SetQuota
from fsconform.model.filesystem.metadata.rename_and_access_times import ReadTimed
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.close_beyond_quota import FailClose
from fsconform.model.filesystem.output.full_disk import FillUp
from fsconform.model.filesystem.output.leases import RecoverLease
from fsconform.model.filesystem.output.write_by_two_threads import WriteTogether
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.protocols.calls_by_users import CallsByUsers
from fsconform.model.filesystem.protocols.calls_under_quotas import CallsUnderQuotas
from fsconform.model.filesystem.protocols.calls_with_snapshots import CallsWithSnapshots
from fsconform.model.filesystem.protocols.other_users import CallAsAnother, HomeOfAnother, RenameToTrash
from fsconform.model.filesystem.protocols.safe_mode import UseSafeMode
from fsconform.model.filesystem.protocols.snapshots import CreateSnapshot, DeleteSnapshot, RenameSnapshot
from fsconform.model.filesystem.protocols.trash import TrashCheckpoint
from fsconform.model.filesystem.protocols.unreachable_store import CallNowhere
from fsconform.model.filesystem.state import EMPTY, State
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.model.filesystem.status.working_directory import WorkingDirectory
from fsconform.model.filesystem.transfer.uploads import Upload

NAME = "variations"
LENGTHS: tuple[str, ...] = ("n" * 100, "n" * 200, "n" * 255, "\u00e9" * 100, "\U0001f600" * 60)
"""Long names: of 100 to 255 bytes of ASCII, of 200 bytes in two each, of 240 bytes in four each."""

NAMES: tuple[str, ...] = (*SPICE, *LENGTHS)

_ALONE = frozenset(name for name in NAMES if ":" in name or len(name.encode()) > 128)
"""Names that a store is likely to refuse: what is refused would hide what another name does beside it."""

SIZES: tuple[int, ...] = (0, 1, 511, 512, 513, 4095, 4096, 4097, 65_535, 65_536, 65_537)
"""Bytes at the edges of checksums, pages and buffers."""

LARGE_SIZES: tuple[int, ...] = tuple(edge + more for edge in (1 << 20, 5 << 20) for more in (-1, 0, 1))
"""Bytes at the edges of the blocks and the parts that the stores of the harness have."""

LARGE_KINDS: tuple[type[Operation], ...] = (Create, Append)
"""What large sizes are tried with. Each operation with them would take long and show the same."""

PLACES: tuple[Path, ...] = (("p1", "p2", "p3", "p4"), tuple(f"p{level}" for level in range(1, 9)))
"""Four and eight levels down."""

LONGEST = 40
"""Programs of more steps are not varied: they are large on purpose."""

MOST_BYTES = 1 << 20
"""Nor are programs that write more."""

_APART: tuple[type[Operation], ...] = (
    UseSafeMode,
    CallAsAnother,
    CallsByUsers,
    CallsUnderQuotas,
    CallsWithSnapshots,
    HomeOfAnother,
    RenameToTrash,
    WriteTogether,
    FailClose,
    FillUp,
    CreateSnapshot,
    RenameSnapshot,
    DeleteSnapshot,
    SetQuota,
    TrashCheckpoint,
    ReadTimed,
    CallNowhere,
    RecoverLease,
)
"""Operations that take seconds, or change more than their paths: their witnesses are run as they stand."""


@dataclass(frozen=True, slots=True)
class Variation:
    """A program made of a witness. ``what`` says what was changed: names, sizes, places, ways or clients.

    ``look`` is the client that probes it.
    """

    what: str
    program: Program
    look: int = 0


class Variations:
    """All variations of programs, in a fixed order and each once, with their probes."""

    def __init__(self, programs: Iterable[Program], oracle: Oracle) -> None:
        """Nothing is made before it is asked for."""
        self._oracle = oracle
        self.programs = varied(programs)

    @cached_property
    def all(self) -> tuple[Variation, ...]:
        """The variations; none is equal to a program that it is made of, or to another."""
        walked = [_Walked(program, self._oracle) for program in self.programs]
        found: dict[tuple[Program, int], Variation] = {}
        for vary in (_names, _sizes, _places, _ways, _clients):
            for one in vary(walked):
                found.setdefault((one.program, one.look), one)
        for program in self.programs:
            found.pop((program, 0), None)
        return tuple(found.values())

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.all)

    def counts(self) -> dict[str, int]:
        """How many there are of each kind of change."""
        kinds = [one.what for one in self.all]
        return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}

    def program(self, index: int) -> Program:
        """A variation with its probes: at the end, and after each step by turns where two clients look on.

        What a program leaves on its way its witness has shown; how another client sees it hangs on when it looked.
        Raises IndexError.
        """
        one = self.all[index]
        steps = probed(self._oracle, one.program, MODES[index % len(MODES)] if one.look else MODES[-1])
        return tuple(replace(step, client=one.look) if step.probe and one.look else step for step in steps)

    def sample(self, seed: int, first: int = 0) -> Iterator[tuple[int, Program]]:
        """All variations once, in an order that the seed decides, each with its place; beginning at place ``first``."""
        total = self.total
        if not total:
            return
        draw = random.Random(f"{seed}/{NAME}/{total}")
        start, stride = draw.randrange(total), _coprime(draw, total)
        for place in range(first, total):
            yield place, self.program((start + place * stride) % total)


def explorer(programs: Iterable[Program], oracle: Oracle, seed: int) -> Explorer:
    """The explorer of all variations of programs, in the order of ``seed``. They are made once they are asked for."""
    found = Variations(programs, oracle)
    return Explorer(NAME, lambda first: found.sample(seed, first), lambda: found.total)


def _coprime(draw: random.Random, size: int) -> int:
    while True:
        stride = draw.randrange(1, max(size, 2))
        if math.gcd(stride, size) == 1:
            return stride


def varied(programs: Iterable[Program]) -> tuple[Program, ...]:
    """Those of the programs that are varied, each once: they are small and change nothing but their paths."""
    return tuple(dict.fromkeys(filter(_is_small, programs)))


def _is_small(program: Program) -> bool:
    written = sum(contents.length(getattr(step.operation, "content", ())) for step in program)
    apart = any(isinstance(step.operation, _APART) for step in program)
    return len(program) <= LONGEST and written <= MOST_BYTES and not apart


def situation(oracle: Oracle, state: State | None, operation: Operation) -> int:
    """The cases that a call meets, as the oracle's bit mask, were it made the plain way; -1 where nothing is known."""
    plain = replace(cast(Any, operation), via="") if operation.via else operation
    return oracle.situation(state, plain).mask if state is not None else -1


class _Walked:
    """A program with the situation of each of its calls, as the model foretells it for the plain way of the call."""

    def __init__(self, program: Program, oracle: Oracle) -> None:
        self.program = program
        self.situations: list[int] = []
        state: State | None = EMPTY
        for step in program:
            self.situations.append(situation(oracle, state, step.operation))
            state = oracle.predicted(state, step.operation) if state is not None else None

    @property
    def kinds(self) -> list[type[Operation]]:
        """The operations that are called, each once."""
        return list(dict.fromkeys(type(step.operation) for step in self.program))

    @property
    def calls(self) -> frozenset[Hashable]:
        """Each call by its operation and its situation."""
        return frozenset(self._met)

    @property
    def sequences(self) -> frozenset[Hashable]:
        """Each call by its operation, its situation and the operation that was called before it."""
        kinds = [kind for kind, _ in self._met]
        return frozenset(zip(kinds, self._met[1:], strict=False))

    @property
    def streams(self) -> bool:
        """True if a call takes a stream, which is its client's own."""
        return any("stream" in dict(shape(kind)) for kind in self.kinds)

    @property
    def _met(self) -> list[tuple[type[Operation], int]]:
        return [(type(step.operation), mask) for step, mask in zip(self.program, self.situations, strict=True)]


@dataclass(frozen=True, slots=True)
class _Needed:
    """What a program covers, and the steps that it takes."""

    covered: frozenset[Hashable]
    steps: int


def _covering(choices: Sequence[_Needed]) -> Iterator[int]:
    """Numbers of choices that cover all there is to, each time the one with the most that is new for its steps."""
    met: set[Hashable] = set()
    heap = [(-len(choice.covered) / choice.steps, number) for number, choice in enumerate(choices)]
    heapq.heapify(heap)
    while heap:
        worth, number = heapq.heappop(heap)
        choice = choices[number]
        left = -len(choice.covered - met) / choice.steps
        if left > worth:
            if left:
                heapq.heappush(heap, (left, number))
            continue
        met |= choice.covered
        if left:
            yield number


def _changed(program: Program, change: Callable[[Operation], Operation]) -> Program:
    return tuple(replace(step, operation=change(step.operation)) for step in program)


# --- names


_Role = tuple[type[Operation], int, bool, bool]
"""Where a name stands: the operation, which of its paths (the first, or another), whether it ends the path, and whether
an operation that changes something meets it there once more."""


def _roles(program: Program) -> dict[str, list[_Role]]:
    """For each name of a program where it stands, be it the last of a path or above the end of what changes."""
    found: dict[str, dict[_Role, None]] = {}
    for step in program:
        kind = type(step.operation)
        for place, path in enumerate(paths_of(step.operation)):
            for level, name in enumerate(path):
                last = level == len(path) - 1
                if last or kind.MUTATES:
                    roles = found.setdefault(name, {})
                    first = (kind, min(place, 1), last, False)
                    roles[(*first[:3], last and kind.MUTATES and first in roles)] = None
    return {name: list(roles) for name, roles in found.items()}


@dataclass(frozen=True, slots=True)
class _Place:
    """A name in a program, by the program's number, with the roles in which it stands there."""

    number: int
    old: str
    needed: _Needed


def _names(walked: Sequence[_Walked]) -> Iterator[Variation]:
    """Each name of the rack in each role of each operation, and each program under one at least.

    For each name programs are chosen that have many roles in few steps, from another one on, so that names meet
    different programs.
    """
    named = [{name: found for name, found in _roles(one.program).items() if name} for one in walked]
    places = [
        _Place(number, old, _Needed(frozenset(roles), len(walked[number].program)))
        for number, found in enumerate(named)
        for old, roles in found.items()
        if not old.startswith(".")
    ]
    wanted: list[list[tuple[str, str]]] = [[] for _ in walked]
    for turn, new in enumerate(NAMES):
        begin = turn * len(places) // len(NAMES)
        turned = [one for one in places[begin:] + places[:begin] if new not in named[one.number]]
        for number in _covering([one.needed for one in turned]):
            wanted[turned[number].number].append((turned[number].old, new))
    for number, one in enumerate(walked):
        old = next((name for name in named[number] if not name.startswith(".")), None)
        if old is not None and not wanted[number]:
            wanted[number].append((old, NAMES[number % len(NAMES)]))
        for changes in _together(wanted[number]):
            yield Variation("names", renamed(one.program, changes))


def _together(wanted: Sequence[tuple[str, str]]) -> Iterator[dict[str, str]]:
    """The changes, two of different names at a time where there are such: half as many programs do the same."""
    waiting: list[tuple[str, str]] = []
    for old, new in wanted:
        partner = next((one for one in waiting if one[0] != old and one[1] != new), None)
        if new in _ALONE:
            yield {old: new}
        elif partner is None:
            waiting.append((old, new))
        else:
            waiting.remove(partner)
            yield dict((partner, (old, new)))
    for old, new in waiting:
        yield {old: new}


def renamed(program: Program, names: Mapping[str, str]) -> Program:
    """The program with names changed wherever they stand in a path."""

    def change(path: Path) -> Path:
        return tuple(names.get(name, name) for name in path)

    return _changed(program, lambda operation: with_paths(operation, change))


# --- sizes


def _writers(program: Program) -> list[int]:
    """The steps whose content can be of any size: parts of an upload are at least as large as the store asks for."""
    return [
        index
        for index, step in enumerate(program)
        if any(form == "content" for _, form in shape(type(step.operation)))
        and not (isinstance(step.operation, Upload) and step.operation.parts > 1)
    ]


def _sizes(walked: Sequence[_Walked]) -> Iterator[Variation]:
    """Each size with each operation, and with each that comes after one that writes; large ones with few."""
    met: set[tuple[type[Operation], int]] = set()
    for number, one in enumerate(walked):
        places = _writers(one.program)
        if not places:
            continue
        large = LARGE_SIZES if all(kind in LARGE_KINDS for kind in one.kinds) else ()
        for turn, size in enumerate((*SIZES, *large)):
            new = [(kind, size) for kind in one.kinds if (kind, size) not in met]
            if new:
                met.update(new)
                yield Variation("sizes", sized(one.program, places[(number + turn) % len(places)], size))


def sized(program: Program, index: int, size: int) -> Program:
    """The program with one of its steps writing so many bytes. The step has a field of content."""
    operation = program[index].operation
    name = next(name for name, form in shape(type(operation)) if form == "content")
    changed = replace(cast(Any, operation), **{name: contents.of(index + 1, size)})
    return (*program[:index], replace(program[index], operation=changed), *program[index + 1 :])


# --- places


def _places(walked: Sequence[_Walked]) -> Iterator[Variation]:
    """Each call in each of its situations in each place some levels further down."""
    # A path that is relative can't be moved.
    whole = [one for one in walked if not any(isinstance(step.operation, WorkingDirectory) for step in one.program)]
    needed = [_Needed(one.calls, len(one.program)) for one in whole]
    chosen = sorted(_covering(needed))
    for place in PLACES:
        for number in chosen:
            yield Variation("places", moved(whole[number].program, place))


def moved(program: Program, place: Path) -> Program:
    """The program with all its paths below a directory that is made first."""

    def change(operation: Operation) -> Operation:
        if isinstance(operation, GlobStatus):
            return replace(operation, pattern=f"{'/'.join(place)}/{operation.pattern}")
        return with_paths(operation, lambda path: (*place, *path))

    return (Step(Mkdirs(place), setup=True), *_changed(program, change))


# --- ways


def _ways(walked: Sequence[_Walked]) -> Iterator[Variation]:
    """Each way that an operation has in each situation in which the operation is met."""
    met: set[tuple[type[Operation], int, str]] = set()
    for one in walked:
        for step, mask in zip(one.program, one.situations, strict=True):
            met.add((type(step.operation), mask, step.operation.via))
    for one in walked:
        for index, (step, mask) in enumerate(zip(one.program, one.situations, strict=True)):
            kind = type(step.operation)
            for via in ("", *kind.VIAS) if kind.VIAS else ():
                if (kind, mask, via) not in met:
                    met.add((kind, mask, via))
                    operation = replace(cast(Any, step.operation), via=via)
                    changed = (*one.program[:index], replace(step, operation=operation), *one.program[index + 1 :])
                    yield Variation("ways", changed)


# --- clients


def _clients(walked: Sequence[_Walked]) -> Iterator[Variation]:
    """Another client looks at what one does, and one that looked at all paths before; and two do it by turns.

    So is each call seen in each of its situations, and after each other kind of call that it follows in a witness.
    """
    needed = [_Needed(one.calls | one.sequences, len(one.program)) for one in walked]
    for number in sorted(_covering(needed)):
        program = walked[number].program
        other = max(step.client for step in program) + 1
        paths = list(dict.fromkeys(path for step in program for path in paths_of(step.operation)))
        looks = [Step(Exists(path), other) for path in paths if path]
        looks += [Step(ListStatus(path), other) for path in dict.fromkeys(path[:-1] for path in paths)]
        yield Variation("clients", (*looks, *program), other)
    two = [one for one in walked if len(one.program) > 1 and not one.streams]
    for number in sorted(_covering([_Needed(one.sequences, len(one.program)) for one in two])):
        program = two[number].program
        other = max(step.client for step in program) + 1
        by_turns = tuple(replace(step, client=other) if index % 2 else step for index, step in enumerate(program))
        yield Variation("clients", by_turns, other)

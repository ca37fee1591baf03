"""The filesystem in memory against a second one, written without thought of speed: it replays what was synced.

The second one keeps whole files, a log of all that is pending, and looks for dependencies by reading the log. After a
loss of all that is pending both must hold the same. After a loss by chance, what is left must be what the log allows:
of names the outcome of a part that leaves nothing dangling, of each page one of the versions that it had since it was
synced. Each fault below is seeded to show that this catches it.
"""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from fsconform.adapters.volumes.attributes import Kind
from fsconform.adapters.volumes.contents import PAGE, SECTOR
from fsconform.adapters.volumes.durability import RENAME_EXCHANGE, ROOT, Discipline, Filesystem, Node
from fsconform.adapters.volumes.journal import Entry

NAMES = (b"a", b"b", b"c")
KINDS = (Kind.FILE, Kind.FILE, Kind.DIRECTORY, Kind.LINK)
MOST_PENDING = 11
"""Steps of the log up to which all its parts are tried."""


@dataclass(eq=False)
class Thing:
    """An inode of the second filesystem."""

    kind: Kind
    inode: int
    extra: tuple[int, bytes]
    """Its mode, and the value of one extended attribute."""
    kept_extra: tuple[int, bytes]
    now: bytearray = field(default_factory=bytearray)
    kept: bytearray = field(default_factory=bytearray)
    events: list[tuple[int, bytes | None]] = field(default_factory=list)
    """Writes by offset and bytes, and truncations by size and None, since it was synced."""
    before: int = 0
    """The size before the first of them."""
    settled: int = 0
    """So many of them are truncations that are durable, or came before one."""
    fresh: dict[int, int] = field(default_factory=dict)
    """Of a page how many of them it forgot, as it was synced alone."""
    entries: dict[bytes, Thing] = field(default_factory=dict)
    kept_entries: dict[bytes, Thing] = field(default_factory=dict)


@dataclass(eq=False)
class Logged:
    """A step of the log: entries by directory and name with what they named and name; or what a thing is from then."""

    changes: list[tuple[Thing, bytes, Thing | None, Thing | None]]
    gone: Thing | None = None
    moved: bool = False
    extra: tuple[Thing, tuple[int, bytes]] | None = None

    def needs(self, other: Logged) -> bool:
        """Whether it can't survive without another that came before."""
        if self.extra or other.extra:
            return bool(self.extra and other.extra and self.extra[0] is other.extra[0])
        for place, name, _, _ in self.changes:
            for other_place, other_name, before, after in other.changes:
                if place is other_place and name == other_name:
                    return True
                if after is place and before is None and len(other.changes) == 1:  # it was made
                    return True
        if self.gone is not None and any(place is self.gone for place, *_ in other.changes):
            return True
        return self.moved and other.moved


class Second:
    """The second filesystem."""

    def __init__(self, discipline: Discipline, mode: int) -> None:
        self.ordered = discipline is Discipline.ORDERED
        self.top = Thing(Kind.DIRECTORY, ROOT, (mode, b""), (mode, b""))
        self.log: list[Logged] = []

    def things(self) -> list[tuple[bytes, Thing]]:
        """All paths with what they name, the top first."""
        found: list[tuple[bytes, Thing]] = [(b"", self.top)]
        for path, thing in found:
            found.extend((path + b"/" + name, one) for name, one in sorted(thing.entries.items()))
        return found

    def change(self, *changes: tuple[Thing, bytes, Thing | None], moved: bool = False) -> None:
        step = Logged([(place, name, place.entries.get(name), after) for place, name, after in changes], moved=moved)
        for place, name, before, after in step.changes:
            if (
                before is not None
                and before.kind is Kind.DIRECTORY
                and all(one[3] is not before for one in step.changes)
            ):
                step.gone = before
            _set(place.entries, name, after)
        self.log.append(step)

    def alter(self, thing: Thing, extra: tuple[int, bytes]) -> None:
        thing.extra = extra
        self.log.append(Logged([], extra=(thing, extra)))

    def write(self, thing: Thing, offset: int, data: bytes, flags: int) -> None:
        if not data:
            return
        self._event(thing, offset, data)
        if flags:
            self._settle(thing)
            first, last = offset // PAGE, (offset + len(data) - 1) // PAGE
            _resize(thing.kept, len(thing.now))
            thing.kept[first * PAGE : (last + 1) * PAGE] = thing.now[first * PAGE : (last + 1) * PAGE]
            for page in range(first, last + 1):
                thing.fresh[page] = len(thing.events)
        if flags == os.O_SYNC:
            self._keep_extra(thing)
        if flags:
            self._commit_if_ordered()

    def truncate(self, thing: Thing, size: int) -> None:
        if size != len(thing.now):
            self._event(thing, size, None)

    def sync_file(self, thing: Thing, data_only: bool) -> None:
        thing.kept = bytearray(thing.now)
        self._forget(thing)
        if not data_only:
            self._keep_extra(thing)
        self._commit_if_ordered()

    def sync_directory(self, thing: Thing) -> None:
        if not self.ordered:
            self.commit([one for one in self.log if any(place is thing for place, *_ in one.changes)])
        self._keep_extra(thing)
        self._commit_if_ordered()

    def sync(self) -> None:
        for thing in self._all():
            thing.kept, thing.kept_extra = bytearray(thing.now), thing.extra
            self._forget(thing)
        self.commit(list(self.log))

    def lose_all(self) -> None:
        for thing in self._all():
            thing.now, thing.extra = bytearray(thing.kept), thing.kept_extra
            self._forget(thing)
        for thing in self._all():
            thing.entries = dict(thing.kept_entries)
        self.log = []

    def commit(self, steps: list[Logged]) -> None:
        """Make steps durable with all that they need, found by reading the log over and over."""
        while True:
            more = [
                one
                for number, one in enumerate(self.log)
                if one not in steps and any(two in steps and two.needs(one) for two in self.log[number + 1 :])
            ]
            if not more:
                break
            steps = steps + more
        for step in [one for one in self.log if one in steps]:
            for place, name, _, after in step.changes:
                _set(place.kept_entries, name, after)
            if step.extra:
                step.extra[0].kept_extra = step.extra[1]
            self.log.remove(step)

    def outcomes(self) -> Iterator[dict[tuple[int, bytes], int]]:
        """The entries, by inodes, that each part of the log leaves which may survive."""
        names = [one for one in self.log if one.changes]
        prefixes = (names[:count] for count in range(len(names) + 1))
        parts: Iterator[list[Logged]] = prefixes if self.ordered else self._closed(names)
        for part in parts:
            kept = {(thing.inode, name): one.inode for thing in self._all() for name, one in thing.kept_entries.items()}
            for step in part:
                for place, name, _, after in step.changes:
                    if after is None:
                        kept.pop((place.inode, name), None)
                    else:
                        kept[place.inode, name] = after.inode
            yield _reachable(kept)

    def _closed(self, names: list[Logged]) -> Iterator[list[Logged]]:
        def grow(at: int, chosen: list[Logged]) -> Iterator[list[Logged]]:
            if at == len(names):
                yield chosen
                return
            yield from grow(at + 1, chosen)
            if all(one in chosen for one in names[:at] if names[at].needs(one)):
                yield from grow(at + 1, [*chosen, names[at]])

        return grow(0, [])

    def _all(self) -> list[Thing]:
        found = {self.top: None}
        left = [self.top]
        for step in self.log:
            left += [one for place, _, before, after in step.changes for one in (place, before, after) if one]
        while left:
            thing = left.pop()
            found[thing] = None
            left += [one for one in (*thing.entries.values(), *thing.kept_entries.values()) if one not in found]
        return list(found)

    def _event(self, thing: Thing, at: int, data: bytes | None) -> None:
        thing.events.append((at, data))
        _play(thing.now, at, data)

    def _settle(self, thing: Thing) -> None:
        cuts = [number for number, (_, data) in enumerate(thing.events) if data is None]
        if not cuts or cuts[-1] < thing.settled:
            return
        size = thing.before
        for number, (at, data) in enumerate(thing.events[: cuts[-1] + 1]):
            if data is not None:
                size = max(size, at + len(data)) if data else size
            else:
                if number >= thing.settled:
                    if at < size:
                        del thing.kept[at:]
                    else:
                        _resize(thing.kept, at)
                size = at
        thing.settled = cuts[-1] + 1

    def _commit_if_ordered(self) -> None:
        if self.ordered:
            self.commit(list(self.log))
            for thing in self._all():
                self._settle(thing)

    def _keep_extra(self, thing: Thing) -> None:
        thing.kept_extra = thing.extra
        self.log = [one for one in self.log if not (one.extra and one.extra[0] is thing)]

    @staticmethod
    def _forget(thing: Thing) -> None:
        thing.events, thing.fresh, thing.settled, thing.before = [], {}, 0, len(thing.now)


def _set(entries: dict[bytes, Thing], name: bytes, after: Thing | None) -> None:
    if after is None:
        entries.pop(name, None)
    else:
        entries[name] = after


def _resize(data: bytearray, size: int) -> None:
    del data[size:]
    data.extend(bytes(size - len(data)))


def _play(data: bytearray, at: int, written: bytes | None) -> None:
    if written is None:
        _resize(data, at)
    elif written:
        _resize(data, max(len(data), at + len(written)))
        data[at : at + len(written)] = written


def _reachable(entries: dict[tuple[int, bytes], int]) -> dict[tuple[int, bytes], int]:
    seen, left = set[int](), [ROOT]
    while left:
        inode = left.pop()
        if inode not in seen:
            seen.add(inode)
            left += [after for (place, _), after in entries.items() if place == inode]
    return {key: after for key, after in entries.items() if key[0] in seen}


def _versions(thing: Thing, page: int) -> list[bytes]:
    """How a page may be found: as it is durable, and as it was after each of the events since."""
    data = bytearray(thing.kept)
    found = []
    for number, event in enumerate([(0, b""), *thing.events]):
        if number > thing.fresh.get(page, 0) or number == 0:
            _play(data, *event)
            found.append(bytes(data[page * PAGE : (page + 1) * PAGE]).ljust(PAGE, b"\0"))
    return found


class Machine(RuleBasedStateMachine):
    """Both filesystems, changed alike."""

    discipline = Discipline.POSIX
    make: Callable[..., Filesystem] = Filesystem

    @initialize()
    def begin(self) -> None:
        self.first = type(self).make(self.discipline, itertools.count(1).__next__)
        self.second = Second(self.discipline, self.first.status(ROOT).attributes.mode)

    def has_files(self) -> bool:
        return any(thing.kind is Kind.FILE for _, thing in self.second.things())

    def has_pending(self) -> bool:
        return bool(self.second.log) or any(thing.events for _, thing in self.second.things())

    def pick(self, number: int, *kinds: Kind) -> tuple[bytes, Thing]:
        found = [one for one in self.second.things() if not kinds or one[1].kind in kinds]
        return found[number % len(found)]

    def place(self, number: int, name: bytes) -> tuple[Thing, bytes]:
        _, directory = self.pick(number, Kind.DIRECTORY)
        return directory, name

    def both(self, call: Callable[[], Any], refused: int | None) -> Any:
        """Call the first; it must refuse by that number, if by any."""
        try:
            answer = call()
        except OSError as error:
            assert error.errno == refused, error
            return None
        assert refused is None, f"it was to refuse by {errno.errorcode[refused]}"
        return answer

    @rule(
        number=st.integers(0, 99),
        name=st.sampled_from(NAMES),
        kind=st.sampled_from(KINDS),
    )
    def new(self, number: int, name: bytes, kind: Kind) -> None:
        directory, name = self.place(number, name)
        if number % 10:  # mostly one that is free
            name = next((one for one in NAMES if one not in directory.entries), name)
        refused = errno.EEXIST if name in directory.entries else None
        inode = self.both(lambda: self.first.make(directory.inode, name, kind, 0o644, 0, 0, b"t"), refused)
        if refused is None:
            self.second.change((directory, name, Thing(kind, inode, (0o644, b""), (0o644, b""))))

    @precondition(lambda self: self.has_files())
    @rule(
        number=st.integers(0, 99),
        offset=st.sampled_from((0, 1, 100, 4000, 4096, 5000, 8192, 9000)),
        length=st.sampled_from((0, 1, 10, 600, 4096, 5000)),
        flags=st.sampled_from((0, 0, 0, os.O_DSYNC, os.O_SYNC, os.O_DIRECT)),
        seed=st.integers(1, 200),
    )
    def write(self, number: int, offset: int, length: int, flags: int, seed: int) -> None:
        _, thing = self.pick(number, Kind.FILE)
        data = bytes((seed + one // 512) % 255 + 1 for one in range(length))
        self.first.write(thing.inode, offset, data, flags)
        self.second.write(thing, offset, data, flags & (os.O_SYNC | os.O_DSYNC))

    @rule(number=st.integers(0, 99), size=st.sampled_from((0, 5, 100, 4096, 4100, 7000, 12288)))
    def truncate(self, number: int, size: int) -> None:
        _, thing = self.pick(number)
        wrong = {Kind.DIRECTORY: errno.EISDIR, Kind.LINK: errno.EINVAL}.get(thing.kind)
        self.both(lambda: self.first.truncate(thing.inode, size), wrong)
        if wrong is None:
            self.second.truncate(thing, size)

    @rule(number=st.integers(0, 99), other=st.integers(0, 99), name=st.sampled_from(NAMES))
    def link(self, number: int, other: int, name: bytes) -> None:
        _, thing = self.pick(number)
        directory, name = self.place(other, name)
        refused = errno.EEXIST if name in directory.entries else None
        if refused is None and thing.kind is Kind.DIRECTORY:
            refused = errno.EPERM
        self.both(lambda: self.first.link(thing.inode, directory.inode, name), refused)
        if refused is None:
            self.second.change((directory, name, thing))

    @rule(number=st.integers(0, 99), name=st.sampled_from(NAMES), directory=st.booleans())
    def remove(self, number: int, name: bytes, directory: bool) -> None:
        place, name = self.place(number, name)
        thing = place.entries.get(name)
        call = self.first.rmdir if directory else self.first.unlink
        refused = None
        if thing is None:
            refused = errno.ENOENT
        elif directory and thing.kind is not Kind.DIRECTORY:
            refused = errno.ENOTDIR
        elif directory and thing.entries:
            refused = errno.ENOTEMPTY
        elif not directory and thing.kind is Kind.DIRECTORY:
            refused = errno.EISDIR
        self.both(lambda: call(place.inode, name), refused)
        if refused is None:
            self.second.change((place, name, None))

    @rule(
        number=st.integers(0, 99),
        name=st.sampled_from(NAMES),
        other=st.integers(0, 99),
        new=st.sampled_from(NAMES),
        exchange=st.sampled_from((False, False, False, True)),
    )
    def rename(self, number: int, name: bytes, other: int, new: bytes, exchange: bool) -> None:
        source, name = self.place(number, name)
        target, new = self.place(other, new)
        thing, there = source.entries.get(name), target.entries.get(new)
        refused = None
        if thing is None or (exchange and there is None):
            refused = errno.ENOENT
        elif target in _below(thing):
            refused = errno.EINVAL
        elif there is not None and source in _below(there):
            refused = errno.EINVAL if exchange else errno.ENOTEMPTY
        elif there is not None and there is not thing and not exchange:
            if thing.kind is Kind.DIRECTORY and there.kind is not Kind.DIRECTORY:
                refused = errno.ENOTDIR
            elif thing.kind is not Kind.DIRECTORY and there.kind is Kind.DIRECTORY:
                refused = errno.EISDIR
            elif there.entries:
                refused = errno.ENOTEMPTY
        flags = RENAME_EXCHANGE if exchange else 0
        self.both(lambda: self.first.rename(source.inode, name, target.inode, new, flags), refused)
        if refused is None and thing is not there and thing is not None:
            directories = [one for one in (thing, there if exchange else None) if one and one.kind is Kind.DIRECTORY]
            back = there if exchange else None
            self.second.change(
                (source, name, back), (target, new, thing), moved=bool(directories) and source is not target
            )

    @rule(number=st.integers(0, 99), mode=st.sampled_from((0o600, 0o700, 0o644)), xattr=st.booleans())
    def alter(self, number: int, mode: int, xattr: bool) -> None:
        _, thing = self.pick(number)
        if xattr:
            self.first.set_xattr(thing.inode, b"user.x", b"%d" % mode)
            self.second.alter(thing, (thing.extra[0], b"%d" % mode))
        else:
            self.first.set_attributes(thing.inode, mode=mode)
            self.second.alter(thing, (mode, thing.extra[1]))

    @precondition(lambda self: self.has_files())
    @rule(number=st.integers(0, 99), data_only=st.booleans())
    def fsync(self, number: int, data_only: bool) -> None:
        _, thing = self.pick(number, Kind.FILE)
        self.first.sync_file(thing.inode, data_only)
        self.second.sync_file(thing, data_only)

    @rule(number=st.integers(0, 99))
    def fsync_directory(self, number: int) -> None:
        _, thing = self.pick(number, Kind.DIRECTORY)
        self.first.sync_directory(thing.inode)
        self.second.sync_directory(thing)

    @precondition(lambda self: self.has_pending())
    @rule()
    def sync(self) -> None:
        self.first.sync()
        self.second.sync()
        assert not self.first.pending().files and not self.first.pending().steps

    @precondition(lambda self: self.has_pending())
    @rule()
    def drop_all(self) -> None:
        self.first.lose_all()
        self.second.lose_all()

    @precondition(lambda self: self.has_pending())
    @rule(seed=st.integers(0, 1000), tear=st.booleans())
    def drop_some(self, seed: int, tear: bool) -> None:
        if sum(bool(one.changes) for one in self.second.log) > MOST_PENDING:
            return
        loss = self.first.tear(seed) if tear else self.first.lose_some(seed)
        after = {
            (inode, name): child for inode, node in self.first._nodes.items() for name, child in node.entries.items()
        }
        assert any(one == after for one in self.second.outcomes()), "no part of the log leaves these names"
        things = {one.inode: one for one in self.second._all()}
        torn = self.first.find(loss.torn) if loss.torn else 0
        for inode in self.first._nodes:
            if things[inode].kind is Kind.FILE:
                self.survived(things[inode], torn == inode, loss.sectors)
        self.adopt(things)

    def survived(self, thing: Thing, torn: bool, sectors: tuple[int, ...]) -> None:
        size = self.first.status(thing.inode).size
        sizes, data = {len(thing.kept), thing.before}, bytearray(thing.kept)
        data = bytearray(thing.before)
        for event in thing.events:
            _play(data, *event)
            sizes.add(len(data))
        ends = {one + SECTOR - one % SECTOR for one in sectors} if torn else set()
        assert size in sizes | ends, f"{size} is no size that it had: {sizes}"
        content = self.first.read(thing.inode, 0, size)
        for page in range(0, (size + PAGE - 1) // PAGE):
            found = content[page * PAGE : (page + 1) * PAGE]
            versions = {one[: len(found)] for one in _versions(thing, page)}
            if torn:
                for at in range(0, len(found), SECTOR):
                    assert found[at : at + SECTOR] in {one[at : at + SECTOR] for one in versions}
            else:
                assert found in versions, f"page {page} is none of its {len(versions)} versions"

    def adopt(self, things: dict[int, Thing]) -> None:
        """Take over what is left."""
        nodes = self.first._nodes
        for inode, node in nodes.items():
            thing = things[inode]
            thing.entries = {name: things[child] for name, child in node.entries.items()}
            thing.kept_entries = dict(thing.entries)
            thing.now = bytearray(self.first.read(inode, 0, 1 << 20)) if thing.kind is Kind.FILE else bytearray()
            thing.kept = bytearray(thing.now)
            Second._forget(thing)
            choices = {
                thing.kept_extra,
                *(one.extra[1] for one in self.second.log if one.extra and one.extra[0] is thing),
            }
            thing.extra = thing.kept_extra = _extra(node)
            assert thing.extra in choices
        self.second.log = []

    @invariant()
    def alike(self) -> None:
        found: list[tuple[bytes, int]] = [(b"", ROOT)]
        for path, inode in found:
            if self.first.status(inode).kind is Kind.DIRECTORY:
                found += sorted(
                    (path + b"/" + name, child)
                    for name, child, _ in self.first.entries_of(inode)
                    if name not in (b".", b"..")
                )
        wanted = self.second.things()
        assert sorted(found) == sorted((path, thing.inode) for path, thing in wanted)
        names = [thing.inode for _, thing in wanted]
        for _, thing in wanted:
            status = self.first.status(thing.inode)
            assert _extra(self.first._nodes[thing.inode]) == thing.extra
            if thing.kind is Kind.FILE:
                assert self.first.read(thing.inode, 0, 1 << 20) == thing.now
            if thing.kind is Kind.DIRECTORY:
                assert status.links == 2 + sum(one.kind is Kind.DIRECTORY for one in thing.entries.values())
            else:
                assert status.links == names.count(thing.inode)
        pages = {one.inode: len(one.contents.pages) for one in self.first._nodes.values() if one.names or one.held}
        capacity, free = self.first.space()
        assert capacity - free == sum(pages.values()) * PAGE


def _extra(node: Node) -> tuple[int, bytes]:
    return node.attributes.mode, dict(node.attributes.xattrs).get(b"user.x", b"")


def _below(thing: Thing) -> list[Thing]:
    found = [thing]
    for one in found:
        found.extend(one.entries.values())
    return found


def _run(discipline: Discipline, examples: int, steps: int) -> None:
    run_state_machine_as_test(
        _kind(discipline),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("discipline", list(Discipline))
def test_both_filesystems_agree(discipline: Discipline) -> None:
    _run(discipline, 40, 50)


def _walk(machine: Machine, dice: Random, calls: int) -> None:
    """The machine's calls by plain chance: they are many more in the same time, and lose the power seldom."""
    machine.begin()
    names = ["new"] * 4 + ["write"] * 5 + ["truncate", "link", "remove", "rename", "rename", "alter", "alter"]
    names += ["fsync"] * 3 + ["fsync_directory", "fsync_directory"] + ["drop_all", "drop_some"]
    for call in range(calls):
        name = "sync" if call % 97 == 96 else dice.choice(names)
        if name in ("write", "fsync") and not machine.has_files():
            name = "new"
        number, other = dice.randrange(100), dice.randrange(100)
        one, two = dice.choice(NAMES), dice.choice(NAMES)
        match name:
            case "new":
                machine.new(number=number, name=one, kind=dice.choice(KINDS))
            case "write":
                at, length = dice.choice((0, 1, 100, 4000, 4096, 5000, 8192)), dice.choice((0, 1, 10, 600, 4096, 5000))
                flags = dice.choice((0, 0, 0, 0, os.O_DSYNC, os.O_SYNC, os.O_DIRECT))
                machine.write(number=number, offset=at, length=length, flags=flags, seed=dice.randint(1, 200))
            case "truncate":
                machine.truncate(number=number, size=dice.choice((0, 5, 100, 4096, 4100, 7000, 12288)))
            case "link":
                machine.link(number=number, other=other, name=one)
            case "remove":
                machine.remove(number=number, name=one, directory=other < 40)
            case "rename":
                machine.rename(number=number, name=one, other=other, new=two, exchange=dice.random() < 0.2)
            case "alter":
                machine.alter(number=number, mode=dice.choice((0o600, 0o700, 0o644)), xattr=other < 50)
            case "fsync":
                machine.fsync(number=number, data_only=other < 50)
            case "fsync_directory":
                machine.fsync_directory(number=number)
            case "drop_some":
                machine.drop_some(seed=number, tear=other < 30)
            case "drop_all":
                machine.drop_all()
            case _:
                machine.sync()
        machine.alike()


def _kind(discipline: Discipline, make: Callable[..., Filesystem] = Filesystem) -> type[Machine]:
    return type("Tried", (Machine,), {"discipline": discipline, "make": staticmethod(make)})


@pytest.mark.parametrize("discipline", list(Discipline))
def test_both_filesystems_agree_by_chance(discipline: Discipline) -> None:
    for seed in range(20):
        _walk(_kind(discipline)(), Random(seed), 100)


@pytest.mark.long
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("discipline", list(Discipline))
def test_both_filesystems_agree_at_length(discipline: Discipline) -> None:
    """100,000 calls each: a part as Hypothesis grows them."""
    _run(discipline, 200, 100)
    for seed in range(800):
        _walk(_kind(discipline)(), Random(seed), 100)


class NoSync(Filesystem):
    """fsync does nothing."""

    def sync_file(self, inode: int, data_only: bool = False) -> None:
        self.statistics.fsync += 1


class NamesWithFiles(Filesystem):
    """fsync of a file makes its names durable."""

    def sync_file(self, inode: int, data_only: bool = False) -> None:
        super().sync_file(inode, data_only)
        steps = [
            moment
            for moment, step in self._journal.steps.items()
            if any(inode in (entry.before, entry.after) for entry in step.entries)
        ]
        self._commit(self._journal.with_needs(steps))


class AllNamesAtDirectory(Filesystem):
    """fsync of a directory makes the changes of all directories durable."""

    def sync_directory(self, inode: int) -> None:
        super().sync_directory(inode)
        self._commit(list(self._journal.steps))


class LostRanges(Filesystem):
    """What was synced is lost where a later write that is pending overlaps it."""

    def write(self, inode: int, offset: int, data: bytes, flags: int = 0) -> int:
        written = super().write(inode, offset, data, flags)
        contents = self._nodes[inode].contents
        for page in contents.pieces:
            contents.kept_pages.pop(page, None)
        return written


class NoSyncedWrites(Filesystem):
    """O_DSYNC and O_SYNC mean nothing."""

    def write(self, inode: int, offset: int, data: bytes, flags: int = 0) -> int:
        return super().write(inode, offset, data, 0)


class SyncedWholly(Filesystem):
    """A write with O_DSYNC makes the whole file durable."""

    def write(self, inode: int, offset: int, data: bytes, flags: int = 0) -> int:
        written = super().write(inode, offset, data, flags)
        if flags & os.O_DSYNC:
            self._nodes[inode].contents.sync()
        return written


class DirectIsSynced(Filesystem):
    """A write with O_DIRECT is taken for durable."""

    def write(self, inode: int, offset: int, data: bytes, flags: int = 0) -> int:
        return super().write(inode, offset, data, flags | (os.O_DSYNC if flags & os.O_DIRECT else 0))


class AttributesWithData(Filesystem):
    """fdatasync makes attributes durable."""

    def sync_file(self, inode: int, data_only: bool = False) -> None:
        super().sync_file(inode, False)


class Unordered(Filesystem):
    """Truncations are not in the journal."""

    def _committed_beside(self, node: Node) -> None:
        self._commit(list(self._journal.steps) if self.discipline is Discipline.ORDERED else [])
        if not node.contents.pending:
            self._dirty.pop(node.inode, None)


class Undone(Filesystem):
    """Steps survive without what they hang on."""

    def _lose_by_chance(self, dice: Random, tear: bool) -> Any:
        for moment, step in self._journal.steps.items():
            self._journal.steps[moment] = replace(step, hangs_on=frozenset())
        return super()._lose_by_chance(dice, tear)


class HalfRenames(Filesystem):
    """A rename is two steps of the journal."""

    def _change(self, call: str, entries: tuple[Entry, ...], **how: Any) -> None:
        if call != "rename":
            return super()._change(call, entries, **how)
        for entry in reversed(entries):
            super()._change(call, (entry,), **how)


class MixedPages(Filesystem):
    """Of what was written to one page a later write survives without the one before."""

    def lose_some(self, seed: int) -> Any:
        for inode in self._dirty:
            for pieces in self._nodes[inode].contents.pieces.values():
                if len(pieces) > 1 and all(one.data for one in pieces):
                    del pieces[0]
        return super().lose_some(seed)


class NoSpace(Filesystem):
    """Space of what was deleted does not come back."""

    def _collect(self, inode: int) -> None:
        node = self._nodes.get(inode)
        if node is not None:
            node.counted = False
        super()._collect(inode)


FAULTS = (
    (NoSync, Discipline.POSIX),
    (NoSync, Discipline.ORDERED),
    (NamesWithFiles, Discipline.POSIX),
    (AllNamesAtDirectory, Discipline.POSIX),
    (LostRanges, Discipline.POSIX),
    (LostRanges, Discipline.ORDERED),
    (NoSyncedWrites, Discipline.POSIX),
    (SyncedWholly, Discipline.POSIX),
    (DirectIsSynced, Discipline.POSIX),
    (AttributesWithData, Discipline.POSIX),
    (Unordered, Discipline.ORDERED),
    (Undone, Discipline.POSIX),
    (HalfRenames, Discipline.POSIX),
    (MixedPages, Discipline.POSIX),
    (NoSpace, Discipline.POSIX),
)


@pytest.mark.parametrize(("faulty", "discipline"), FAULTS, ids=lambda one: getattr(one, "__name__", str(one)))
def test_each_fault_is_caught(faulty: type[Filesystem], discipline: Discipline) -> None:
    with pytest.raises((AssertionError, KeyError)):
        for seed in range(200):
            _walk(_kind(discipline, faulty)(), Random(seed), 60)

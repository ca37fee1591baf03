"""Alterations that prove the judge of audit logs: single fields of single lines, changed so that a log can tell.

Most changes of a line give another history that may well have been, and nobody can flag those. So a place is taken only
where something is known for certain: a path that was made a file (or a directory, or deleted) at least APART lines
before, and that no line in between, nor within APART lines after, may have changed. What is known is worked out here,
plainly and without the judge. Every alteration leaves the line readable and changes its command, its source or its
destination, never two of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fsconform.engine.audit.lines import Entry, Names, parse

APART = 120
"""Lines between a fact and its use: more than lines may stand away from their place for calls under way together."""

_FILE, _DIRECTORY, _GONE = "file", "directory", "gone"

RECENT = 400
"""Of so many paths that became certain last one is chosen."""

KEPT = 4000
"""So many paths are known at once."""

Facts = dict[Names, tuple[str, int]]
"""What each path is, and since which line."""


@dataclass(frozen=True, slots=True)
class Alteration:
    """One altered line: its number from 1, what was done to it, and the line as it is now."""

    line: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class _Place:
    """A line that may be altered, with paths that are certain around it."""

    entry: Entry
    files: tuple[Names, ...]
    directories: tuple[Names, ...]
    gone: tuple[Names, ...]


_CHANGING = frozenset(("create", "mkdirs", "delete", "rename", "concat", "createSymlink", "fsck"))
_PLAIN = frozenset(("listStatus", "getfileinfo", "open", "setPermission", "setTimes", "getXAttrs", "getAclStatus"))
"""Commands that change no path into anything else."""


_ALTERED = _CHANGING | _PLAIN | {"append", "truncate", "setReplication", "isFileClosed"}


def fields(text: str, **changed: str) -> str:
    """The line with other values of some of its fields."""
    parts = text.rstrip("\n").split("\t")
    for number, part in enumerate(parts):
        name = part.partition("=")[0]
        if name in changed:
            parts[number] = f"{name}={changed[name]}"
    return "\t".join(parts) + "\n"


def _shown(path: Names) -> str:
    return "/" + "/".join(path)


def _plain(path: Names) -> bool:
    """Whether a path can be written into a line as it is."""
    return all(name.isascii() and name.isprintable() and '"' not in name and "\\" not in name for name in path)


def _command_on_file(place: _Place, text: str, dice: random.Random) -> str | None:
    entry = place.entry
    if entry.command in _PLAIN and entry.sources and entry.sources[0] in place.files:
        return fields(text, cmd=dice.choice(("mkdirs", "setQuota", "createSnapshot", "allowSnapshot")))
    return None


def _command_on_directory(place: _Place, text: str, dice: random.Random) -> str | None:
    entry = place.entry
    if entry.command in _PLAIN and entry.sources and entry.sources[0] in place.directories:
        return fields(text, cmd=dice.choice(("append", "truncate", "setReplication", "isFileClosed", "create")))
    return None


def _source_below_a_file(place: _Place, text: str, dice: random.Random) -> str | None:
    if place.entry.command in ("create", "mkdirs", "delete", "append", "setPermission") and place.files:
        return fields(text, src=_shown((*dice.choice(place.files), "x")))
    return None


def _source_gone(place: _Place, text: str, dice: random.Random) -> str | None:
    if place.entry.command in ("append", "truncate", "setReplication", "isFileClosed") and place.gone:
        return fields(text, src=_shown(dice.choice(place.gone)))
    return None


def _source_a_directory(place: _Place, text: str, dice: random.Random) -> str | None:
    if place.entry.command in ("create", "append", "truncate") and place.directories:
        return fields(text, src=_shown(dice.choice(place.directories)))
    return None


def _source_a_file(place: _Place, text: str, dice: random.Random) -> str | None:
    if place.entry.command == "mkdirs" and place.files:
        return fields(text, src=_shown(dice.choice(place.files)))
    return None


def _root_deleted(place: _Place, text: str, dice: random.Random) -> str | None:
    return fields(text, src="/") if place.entry.command == "delete" else None


def _onto_a_file(place: _Place, text: str, dice: random.Random) -> str | None:
    entry = place.entry
    others = [path for path in place.files if path not in entry.paths]
    if entry.command == "rename" and entry.options is None and others:
        return fields(text, dst=_shown(dice.choice(others)))
    return None


def _into_itself(place: _Place, text: str, dice: random.Random) -> str | None:
    entry = place.entry
    return fields(text, dst=_shown((*entry.sources[0], "x"))) if entry.command == "rename" else None


def _below_a_file(place: _Place, text: str, dice: random.Random) -> str | None:
    if place.entry.command == "rename" and place.files:
        return fields(text, dst=_shown((*dice.choice(place.files), "x")))
    return None


def _concat_elsewhere(place: _Place, text: str, dice: random.Random) -> str | None:
    if place.entry.command == "concat":
        return fields(text, src=f"[{_shown(('elsewhere', 'x'))}]")
    return None


KINDS: dict[str, Callable[[_Place, str, random.Random], str | None]] = {
    "the command, on a file: one for directories": _command_on_file,
    "the command, on a directory: one for files": _command_on_directory,
    "the source: below a file": _source_below_a_file,
    "the source: what is gone": _source_gone,
    "the source: a directory, where a file must be": _source_a_directory,
    "the source: a file, where a directory must be": _source_a_file,
    "the source: the root, deleted": _root_deleted,
    "the destination: a file": _onto_a_file,
    "the destination: below the source": _into_itself,
    "the destination: below a file": _below_a_file,
    "the source: another directory than the target's": _concat_elsewhere,
}
"""What can be done to a line, by its name."""

OWN = frozenset(tuple(KINDS)[:2])
"""The kinds that alter a line by what is certain of its own path."""


def altered(log: Sequence[str], count: int, seed: int, kinds: Sequence[str] = tuple(KINDS)) -> list[Alteration]:
    """Alterations of a log, one in each of ``count`` equal stretches of it, of kinds in turn; the same for a seed.

    Each stands in the first half of its stretch if it can. Fewer where a stretch has no place for any kind.
    """
    dice = random.Random(seed)
    stretch = max(1, len(log) // count)
    starts = [number * stretch + dice.randrange(max(1, stretch // 3)) for number in range(count)]
    order = list(kinds)
    dice.shuffle(order)
    found: list[Alteration] = []
    waiting: dict[str, Alteration] = {}
    facts: Facts = {}
    parsed = [parse(number, text) for number, text in enumerate(log, 1)]
    for index, entry in enumerate(parsed):
        number = len(found)
        if number < count and index >= (number + 1) * stretch:
            _take(found, waiting, order)
            number = len(found)
        if entry is None or not entry.allowed:
            continue
        if number < count and index >= starts[number] and index >= number * stretch:
            if _worth(entry, facts, order, waiting):
                place = _place(entry, facts, parsed[index + 1 : index + 1 + APART])
                for kind in [kind for kind in order if kind not in waiting]:
                    text = KINDS[kind](place, log[index], dice)
                    if text is not None:
                        waiting[kind] = Alteration(entry.number, kind, text)
            if order[0] in waiting or (waiting and index >= starts[number] + stretch // 3):
                _take(found, waiting, order)
        _learn(facts, entry)
    return found


def _worth(entry: Entry, facts: Facts, order: Sequence[str], waiting: Mapping[str, Alteration]) -> bool:
    """Whether a line is worth a look: its own path is certain, or it is of a command that the next kinds alter."""
    if entry.command in _PLAIN:
        known = facts.get(entry.sources[0]) if entry.sources else None
        return known is not None and known[1] <= entry.number - APART and bool(OWN - waiting.keys())
    return entry.command in _ALTERED and any(kind not in waiting and kind not in OWN for kind in order[:4])


def _take(found: list[Alteration], waiting: dict[str, Alteration], order: list[str]) -> None:
    """Take the alteration whose turn it is among those that there is a place for."""
    for kind in order:
        if kind in waiting:
            found.append(waiting[kind])
            order.remove(kind)
            order.append(kind)
            break
    waiting.clear()


def _place(entry: Entry, facts: Facts, later: Sequence[Entry | None]) -> _Place:
    """A line with the paths that are certain from APART lines before it to APART lines after."""
    coming = [one for one in later if one is not None and one.allowed and one.command in _CHANGING]
    touched = [path for one in (entry, *coming) if one.command in _CHANGING for path in one.paths]
    by_kind: dict[str, list[Names]] = {_FILE: [], _DIRECTORY: [], _GONE: []}
    for path, (kind, since) in list(facts.items())[-RECENT:]:
        if since <= entry.number - APART and _plain(path) and not any(_related(path, one) for one in touched):
            by_kind[kind].append(path)
    return _Place(entry, *(tuple(by_kind[kind]) for kind in (_FILE, _DIRECTORY, _GONE)))


def _related(one: Names, other: Names) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _learn(facts: Facts, entry: Entry) -> None:
    """What a line makes certain, and what it makes uncertain."""
    if entry.command not in _CHANGING:
        return
    while len(facts) > KEPT:
        del facts[next(iter(facts))]
    for path in entry.paths:
        if entry.command in ("create", "mkdirs"):
            for depth in range(len(path) + 1):
                if facts.get(path[:depth], ("",))[0] == _GONE:
                    del facts[path[:depth]]
        else:
            for known in [known for known in facts if _related(known, path) and len(known) >= len(path)]:
                del facts[known]
            for depth in range(len(path)):
                if facts.get(path[:depth], ("",))[0] == _GONE:
                    del facts[path[:depth]]
    if entry.command in ("create", "mkdirs", "delete") and entry.sources:
        kind = {"create": _FILE, "mkdirs": _DIRECTORY, "delete": _GONE}[entry.command]
        path = entry.sources[0]
        facts.pop(path, None) if facts.get(path, ("",))[0] != kind else None
        facts.setdefault(path, (kind, entry.number))


def apply(log: Sequence[str], alterations: Sequence[Alteration]) -> list[str]:
    """The log with the alterations in it."""
    lines = list(log)
    for one in alterations:
        lines[one.line - 1] = one.text
    return lines

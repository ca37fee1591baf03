"""The invariants of a valid filesystem, checked on the specification's own sets.

They are read off any source of (path, is it a directory): the model's tree, or what a store shows of itself.
Source: model.md, "Defining the Filesystem"; filesystem.md, "Invariants"; introduction.md, "Implicit assumptions".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from fsconform.model.core.paths import ROOT, Path, show, valid
from fsconform.model.filesystem.state import Dir, State, walk

CLAUSES = (
    "model.filesystem.root-exists",
    "model.filesystem.parent-is-directory",
    "model.filesystem.exclusivity",
    "model.filesystem.no-duplicate-names",
    "model.paths.valid-elements",
)
"""The clauses that :func:`breaches` checks, in its order."""


@dataclass(frozen=True, slots=True)
class Sets:
    """The specification's view of a filesystem: the paths of directories and of files, each as often as it was seen."""

    directories: tuple[Path, ...]
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Breach:
    """An invariant that does not hold: its clause and the path that shows it."""

    clause: str
    path: Path
    text: str


def sets_of(root: State) -> Sets:
    """The sets of a model state."""
    directories: list[Path] = []
    files: list[Path] = []
    for path, node in walk(root):
        (directories if type(node) is Dir else files).append(path)
    return Sets(tuple(directories), tuple(files))


def breaches(sets: Sets, accept_invalid: bool = False) -> tuple[Breach, ...]:
    """Every invariant that the sets break; ``accept_invalid`` leaves the validity of path elements out."""
    found = []
    directories, files = set(sets.directories), set(sets.files)
    if ROOT not in directories:
        found.append(Breach(CLAUSES[0], ROOT, "the root directory is not there"))
    found.extend(
        Breach(CLAUSES[1], path, f"the parent of {show(path)} is no directory")
        for path in sorted(directories | files)
        if path != ROOT and path[:-1] not in directories
    )
    found.extend(
        Breach(CLAUSES[2], path, f"{show(path)} is both a file and a directory") for path in sorted(directories & files)
    )
    found.extend(
        Breach(CLAUSES[3], path, f"{show(path)} is there more than once")
        for path in _repeated(sets.directories) | _repeated(sets.files)
    )
    if not accept_invalid:
        found.extend(
            Breach(CLAUSES[4], path, f"{show(path)} has an element that is not allowed")
            for path in sorted(directories | files)
            if not valid(path)
        )
    return tuple(found)


def _repeated(paths: Iterable[Path]) -> set[Path]:
    return {path for path, times in Counter(paths).items() if times > 1}

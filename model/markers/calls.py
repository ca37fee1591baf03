"""What a bucket holds after a call of S3A, by the policy on markers, and which deletions the call may ask for.

Keys stand for paths: ``a/b`` is the file, ``a/b/`` the directory. Only calls that succeed on any filesystem are spoken
of; ``allowed`` says which these are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsconform.model.markers.keys import above
from fsconform.model.markers.policy import Policy, Retention

What = Literal["mkdirs", "create", "delete", "rename"]


@dataclass(frozen=True, slots=True)
class Call:
    """One call. ``path`` and ``to`` are keys of files, without a slash at the end, whatever is there."""

    what: What
    path: str
    to: str = ""

    def __str__(self) -> str:
        return f"{self.what} /{self.path}" + (f" /{self.to}" if self.to else "")


@dataclass(frozen=True, slots=True)
class Held:
    """What a bucket holds: the keys of files, and those of markers."""

    files: frozenset[str] = frozenset()
    markers: frozenset[str] = frozenset()

    @property
    def keys(self) -> frozenset[str]:
        """All keys."""
        return self.files | self.markers

    def below(self, directory: str) -> frozenset[str]:
        """The keys below a directory, its own marker among them; all for the root, which is the empty string."""
        return frozenset(key for key in self.keys if key.startswith(directory))

    def is_directory(self, path: str) -> bool:
        """Whether there is a directory at a path."""
        return not path or bool(self.below(f"{path}/"))


@dataclass(frozen=True, slots=True)
class Expected:
    """The state after a call. ``either`` are markers of which nothing is said.

    ``asked`` are the markers whose deletion making the new object has to ask for; None where the document does not say.
    ``mine`` are the keys whose deletion is the call's business.
    """

    held: Held
    either: frozenset[str] = frozenset()
    asked: frozenset[str] | None = None
    mine: frozenset[str] = frozenset()


def allowed(call: Call, held: Held) -> bool:
    """Whether the call has to succeed."""
    path, to = call.path, call.to
    if any(parent[:-1] in held.files for parent in above(path)):
        return False
    match call.what:
        case "mkdirs":
            return path not in held.files
        case "create":
            return not held.is_directory(path)
        case "delete":
            return path in held.files or held.is_directory(path)
        case "rename":
            if not (path in held.files or held.is_directory(path)) or f"{to}/".startswith(f"{path}/"):
                return False
            return held.is_directory(_parent(to)) and to not in held.files and not held.is_directory(to)


def expected(call: Call, held: Held, retention: Retention) -> Expected:
    """What is to be after an allowed call."""
    match call.what:
        case "mkdirs":
            if held.is_directory(call.path):
                return Expected(held, asked=frozenset())
            return _made(held, f"{call.path}/", retention)
        case "create":
            return _made(held, call.path, retention)
        case "delete":
            gone = frozenset((call.path,)) & held.files | held.below(f"{call.path}/")
            after = _without(held, gone)
            return _with_parent(after, call.path, retention, gone)
        case "rename":
            return _renamed(call, held, retention)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _without(held: Held, keys: frozenset[str]) -> Held:
    return Held(held.files - keys, held.markers - keys)


def _made(held: Held, key: str, retention: Retention) -> Expected:
    """After something was made."""
    parents = frozenset(above(key))
    gone = frozenset() if retention.keeps(key) else parents
    files = held.files if key.endswith("/") else held.files | {key}
    markers = held.markers - gone | ({key} if key.endswith("/") else set())
    return Expected(Held(files, markers), asked=gone, mine=gone)


def _with_parent(held: Held, path: str, retention: Retention, gone: frozenset[str]) -> Expected:
    """After something was taken away: an empty parent gets a marker, which is made like any other."""
    parent = _parent(path)
    if held.is_directory(parent):
        return Expected(held, mine=gone | frozenset(above(path)))
    made = _made(held, f"{parent}/", retention)
    return Expected(made.held, mine=gone | made.mine | frozenset(above(path)))


def _renamed(call: Call, held: Held, retention: Retention) -> Expected:
    source, target = f"{call.path}/", f"{call.to}/"
    if call.path in held.files:
        gone, files, markers = frozenset((call.path,)), frozenset((call.to,)), frozenset[str]()
    else:
        gone = held.below(source)
        leaves = {key for key in gone & held.markers if held.below(key) == {key}}
        files = frozenset(target + key.removeprefix(source) for key in gone & held.files)
        markers = frozenset(target + key.removeprefix(source) for key in leaves)
    after = _without(held, gone)
    after = Held(after.files | files, after.markers | markers)
    parents = frozenset(above(call.to))
    # The document speaks of what is made; whether a rename asks for the file or for its parent is its own business.
    sure = not retention.keeps(call.to) and not retention.keeps(f"{_parent(call.to)}/")
    either = frozenset[str]() if sure or retention.policy is Policy.KEEP else parents
    if _parent(call.path) == _parent(call.to):
        # The parent had a child before and has one after: only markers that were there already are left.
        either |= parents
    elif sure:
        after = _without(after, parents)
    done = _with_parent(after, call.path, retention, gone)
    return Expected(done.held, either - done.held.files, mine=done.mine | parents)

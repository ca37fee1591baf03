"""Java calls for the operations that are a short protocol of calls: iterators, and the trash.

The trash of a program lies inside the program's directory: the home directory, in which Hadoop keeps it, is moved there
for the time of the call. Where it can't be moved the call is not made, nor where Hadoop keeps the trash elsewhere, as
HDFS does at the root of an encryption zone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further.ways import java
from fsconform.model.core.outcomes import Facts, facts
from fsconform.model.filesystem.protocols.iterators import Iterate
from fsconform.model.filesystem.protocols.trash import MoveToTrash, TrashCheckpoint

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

_INTERVAL = "fs.trash.interval"
_A_DAY = "1440"
"""Minutes: nothing expires while a program runs."""
_ROUNDS = "0.005"
"""Minutes: 300 ms, after which an emptier goes to work again."""
_A_MOMENT = "0.0005"
"""Minutes: 30 ms, after which a checkpoint has expired."""


_LONG_AGO = "010101000000"
"""A checkpoint of the year 2001, by the form of its name that the default policy has."""
_LONGEST_ROUND = 5.0
"""Seconds."""


def _iterator(caller: Caller, op: Iterate, places: Places) -> Any:
    path, fs = places.java(op.path), caller.base
    match op.via:
        case "located":
            return fs.listLocatedStatus(path)
        case "files":
            return fs.listFiles(path, True)
        case _:
            return fs.listStatusIterator(path)


def _iterate(caller: Caller, op: Iterate, places: Places) -> Any:
    iterator = _iterator(caller, op, places)
    match op.manner:
        case "alone":
            return caller.listed(_alone(iterator), places)
        case "asked" | "twice":
            return caller.listed(_asked(iterator, op.manner == "twice"), places)
        case "beyond":
            while iterator.hasNext():
                iterator.next()
            iterator.next()
            return wire.Plain(None)
        case _:
            return _honest(iterator)


def _alone(iterator: Any) -> list[Any]:
    found = []
    while True:
        try:
            found.append(iterator.next())
        except jvm.JavaError as error:
            if "java.util.NoSuchElementException" in jvm.ancestry(error):
                return found
            raise


def _asked(iterator: Any, twice: bool) -> list[Any]:
    found = []
    while iterator.hasNext() and (not twice or iterator.hasNext()):
        found.append(iterator.next())
    return found


def _honest(iterator: Any) -> Facts:
    while True:
        first, again = bool(iterator.hasNext()), bool(iterator.hasNext())
        try:
            iterator.next()
        except jvm.JavaError as error:
            if "java.util.NoSuchElementException" not in jvm.ancestry(error):
                raise
            return facts("iteration", agreed=not first and not again)
        if not first or not again:
            return facts("iteration", agreed=False)


class _NoTrash(Exception):
    """The trash can't be had inside the program's directory."""


@contextmanager
def _home_in(caller: Caller, base: str, interval: str) -> Iterator[Any]:
    """An instance whose home directory is, or is below, ``base``. Raises _NoTrash."""
    configuration = java("org.apache.hadoop.conf.Configuration")(caller.filesystem.getConf())
    configuration.set(_INTERVAL, interval)
    configuration.set("dfs.user.home.dir.prefix", base)
    system = java("java.lang.System")
    before = system.setProperty("user.home", base)
    try:
        fs = java("FileSystem").newInstance(caller.filesystem.getUri(), configuration)
        try:
            home = jvm.text(fs.getHomeDirectory().toUri().getPath())
            if not inside(home, base):
                raise _NoTrash(
                    f"the home directory of {jvm.text(fs.getUri().getScheme())}: can't be put inside the sandbox"
                )
            yield fs
        finally:
            fs.close()
    finally:
        system.setProperty("user.home", before)


def inside(path: str, base: str) -> bool:
    """Whether a path is ``base`` or below it; nothing is below the root itself, which is no sandbox."""
    return bool(base) and (path == base or path.startswith(base + "/"))


def _wait() -> None:
    """Until what was made before is older than the moment, also by clocks that count whole seconds only."""
    time.sleep(0.05)
    while time.time() % 1 < 0.05:
        time.sleep(0.01)


def _in_trash(fs: Any, current: Any, path: Any) -> bool:
    return bool(fs.exists(java("Path").mergePaths(current, path)))


def _emptied(fs: Any, base: str) -> None:
    """Remove the trash, and the home directory where it was made for it."""
    root = fs.getTrashRoot(java("Path")(base))
    fs.delete(root, True)
    home = root.getParent()
    while len(jvm.text(home.toUri().getPath())) > len(base):
        fs.delete(home, False)
        home = home.getParent()


def _move(caller: Caller, op: MoveToTrash, places: Places) -> Any:
    def act(fs: Any, trash: Any, path: Any) -> Facts:
        plain = java("Path")(path.toUri().getPath())
        moved = bool(trash.moveToTrash(path))
        current = trash.getCurrentTrashDir(path)
        kept = _in_trash(fs, current, plain)
        return facts("trash", moved=moved, gone=not fs.exists(path), kept=kept, current=kept)

    return _with_trash(caller, op.path, places, places.base, _A_DAY if op.enabled else "0", act)


def _checkpoint(caller: Caller, op: TrashCheckpoint, places: Places) -> Any:
    def act(fs: Any, trash: Any, path: Any) -> Facts:
        plain = java("Path")(path.toUri().getPath())
        current = trash.getCurrentTrashDir(path)
        if op.act != "create of nothing":
            trash.moveToTrash(path)
        moved = expired = None
        match op.act:
            case "create" | "create of nothing":
                trash.createCheckpoint()
            case "delete":
                trash.deleteCheckpoint()
            case "delete expired":
                trash.createCheckpoint()
                _wait()
                trash.deleteCheckpoint()
            case "delete at once":
                trash.createCheckpoint()
                trash.deleteCheckpointsImmediately()
            case "delete all but current":
                trash.deleteCheckpointsImmediately()
            case "run emptier":
                if jvm.text(trash.getClass().getName()) != "org.apache.hadoop.fs.TrashPolicyDefault":
                    raise _NoTrash("how another policy names its checkpoints is not known")
                old = java("Path")(current.getParent(), _LONG_AGO)
                fs.mkdirs(old)
                _run_emptier(fs, current)
                expired = bool(fs.exists(old))
            case _:
                moved = bool(trash.moveToTrash(java("Path").mergePaths(current, plain)))
        root = current.getParent()
        there = [one.getPath() for one in fs.listStatus(root)] if fs.exists(root) else []
        others = [one for one in there if jvm.text(one.getName()) != jvm.text(current.getName())]
        return facts(
            "checkpoint",
            checkpoints=len(others),
            current=bool(fs.exists(current)),
            kept=any(_in_trash(fs, one, plain) for one in there),
            moved=moved,
            expired=expired,
        )

    # An emptier looks into the trash of all users, whose homes are told by that of one of them.
    home = places.base + "/homes" if op.act == "run emptier" else places.base
    return _with_trash(caller, op.path, places, home, _A_MOMENT if op.act == "delete expired" else _A_DAY, act)


def _run_emptier(fs: Any, current: Any) -> None:
    """Let an emptier work until the directory in use is gone, or for some seconds."""
    configuration = java("org.apache.hadoop.conf.Configuration")(fs.getConf())
    configuration.set("fs.trash.checkpoint.interval", _ROUNDS)
    # It closes what it is given when it ends.
    own = java("FileSystem").newInstance(fs.getUri(), configuration)
    thread = java("java.lang.Thread")(java("TrashPolicy").getInstance(configuration, own).getEmptier())
    thread.setDaemon(True)
    thread.start()
    end = time.monotonic() + _LONGEST_ROUND
    while time.monotonic() < end and fs.exists(current):
        time.sleep(0.05)
    thread.interrupt()
    thread.join(int(_LONGEST_ROUND * 1000))


def _with_trash(
    caller: Caller, path: wire.Elements, places: Places, home: str, interval: str, act: Callable[[Any, Any, Any], Facts]
) -> Any:
    target = places.java(path)
    try:
        with _home_in(caller, home, interval) as fs:
            root = jvm.text(fs.getTrashRoot(target).toUri().getPath())
            if not inside(root, home):
                raise _NoTrash(f"the trash is kept outside the sandbox: at {root}")
            try:
                return act(fs, java("TrashPolicy").getInstance(fs.getConf(), fs), target)
            finally:
                _emptied(fs, places.base)
    except _NoTrash as error:
        return wire.NotExpressible(str(error))


HANDLERS: dict[tuple[type, str], Any] = {
    **{(Iterate, via): _iterate for via in ("", *Iterate.VIAS)},
    (MoveToTrash, ""): _move,
    (TrashCheckpoint, ""): _checkpoint,
}

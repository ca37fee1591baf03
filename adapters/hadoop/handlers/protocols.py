"""Calls that make up a short protocol: iterators, the trash, path handles, other users, safe mode, snapshots.

The trash of a program lies inside the program's directory: the home directory, in which Hadoop keeps it, is moved there
for the time of the call. Where it can't be moved the call is not made, nor where Hadoop keeps the trash elsewhere, as
HDFS does at the root of an encryption zone.

Only HDFS without Kerberos is known to take a client's word for who it is; of other stores nobody is made another user.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.calls import Caller, Outcome, Places, handles
from fsconform.adapters.hadoop.handlers.classes import awaited, java, path_facts, permission
from fsconform.adapters.hadoop.handlers.directory_snapshots import calls_in_snapshottable_tree
from fsconform.adapters.hadoop.handlers.namespace import renamed
from fsconform.adapters.hadoop.handlers.quotas import calls_in_limited_tree
from fsconform.adapters.hadoop.handlers.users import calls_of_users
from fsconform.adapters.streams import Inexpressible
from fsconform.model.core.outcomes import Facts, Value, facts
from fsconform.model.filesystem.protocols.abandoned_builders import LeaveBuilder
from fsconform.model.filesystem.protocols.calls_by_users import CallsByUsers
from fsconform.model.filesystem.protocols.calls_under_quotas import CallsUnderQuotas
from fsconform.model.filesystem.protocols.calls_with_snapshots import CallsWithSnapshots
from fsconform.model.filesystem.protocols.iterators import Iterate
from fsconform.model.filesystem.protocols.other_users import CallAsAnother, HomeOfAnother, RenameToTrash
from fsconform.model.filesystem.protocols.path_handles import HANDLE_APPENDED, OpenByHandle, OpenForeignHandle
from fsconform.model.filesystem.protocols.safe_mode import UseSafeMode
from fsconform.model.filesystem.protocols.snapshots import CreateSnapshot, DeleteSnapshot, RenameSnapshot
from fsconform.model.filesystem.protocols.trash import MoveToTrash, TrashCheckpoint
from fsconform.model.filesystem.protocols.unreachable_store import CallNowhere


@handles(CreateSnapshot)
def create_snapshot(caller: Caller, op: CreateSnapshot, places: Places) -> Value:
    return path_facts(caller.base.createSnapshot(places.java(op.path), op.name), places)


@handles(RenameSnapshot)
def rename_snapshot(caller: Caller, op: RenameSnapshot, places: Places) -> Value:
    caller.base.renameSnapshot(places.java(op.path), op.old, op.new)
    return None


@handles(DeleteSnapshot)
def delete_snapshot(caller: Caller, op: DeleteSnapshot, places: Places) -> Value:
    caller.base.deleteSnapshot(places.java(op.path), op.name)
    return None


_UNSUPPORTED = "java.lang.UnsupportedOperationException"
_TICK_SECONDS = 0.05
"""More than the unit in which a store counts times of modification."""


@handles(LeaveBuilder)
def leave_builder(caller: Caller, op: LeaveBuilder, places: Places) -> Value:
    path, fs = places.java(op.path), caller.base
    if op.kind == "create":
        builder = fs.createFile(path).overwrite(True).recursive()
    else:
        builder = fs.openFile(path) if op.kind == "open" else fs.appendFile(path)
    builder.must("fsconform.unknown", jpype.JString("1"))
    return None


@handles(OpenByHandle)
def open_by_handle(caller: Caller, op: OpenByHandle, places: Places) -> wire.AnyOutcome:
    path, other, fs = places.java(op.path), places.java(op.other), caller.base
    status = fs.getFileStatus(path)
    options = getattr(java("Options$HandleOpt"), op.handle)()
    # Once to learn whether there is such a handle at all, so that nothing is changed for one that is not granted.
    fs.getPathHandle(status, options)
    problem = _change_meanwhile(caller, op, path, other)
    if problem:
        return wire.NotExpressible(problem)
    handle = fs.getPathHandle(status, options)
    if op.via == "bytes":
        handle = java("RawPathHandle")(handle.bytes())
    if op.via == "builder":
        return caller.read_stream(lambda: awaited(fs.openFile(handle).build()))
    return caller.read_stream(lambda: fs.open(handle))


def _change_meanwhile(caller: Caller, op: OpenByHandle, path: Any, other: Any) -> str:
    """Do to the file what is planned; why it can't be done, if so, nothing being changed then."""
    fs = caller.base
    if op.meanwhile != "nothing":
        time.sleep(_TICK_SECONDS)
    match op.meanwhile:
        case "append":
            try:
                caller.write(lambda: fs.append(path), HANDLE_APPENDED)
            except jvm.JavaError as error:
                classes = jvm.ancestry(error)
                if _UNSUPPORTED not in (*classes, *jvm.remote(error, classes)):
                    raise
                return "the file can't be appended to"
        case "rename":
            if op.path == op.other or fs.exists(other) or not fs.exists(other.getParent()):
                return "the file can't be moved there"
            if not fs.rename(path, other):
                return "the file was not moved"
        case "delete":
            fs.delete(path, False)
        case "replace":
            with_same = fs.open(path)
            data = with_same.readAllBytes()
            with_same.close()
            fs.delete(path, False)
            stream = fs.create(path, False)
            stream.write(data, 0, len(data))
            stream.close()
    return ""


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


@handles(Iterate)
def iterate(caller: Caller, op: Iterate, places: Places) -> Outcome:
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


def _wait_a_moment() -> None:
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


@handles(MoveToTrash)
def move_to_trash(caller: Caller, op: MoveToTrash, places: Places) -> Outcome:
    def act(fs: Any, trash: Any, path: Any) -> Facts:
        plain = java("Path")(path.toUri().getPath())
        moved = bool(trash.moveToTrash(path))
        current = trash.getCurrentTrashDir(path)
        kept = _in_trash(fs, current, plain)
        return facts("trash", moved=moved, gone=not fs.exists(path), kept=kept, current=kept)

    return _with_trash(caller, op.path, places, places.base, _A_DAY if op.enabled else "0", act)


@handles(TrashCheckpoint)
def trash_checkpoint(caller: Caller, op: TrashCheckpoint, places: Places) -> Outcome:
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
                _wait_a_moment()
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
) -> Outcome:
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


_NOWHERE: dict[str, dict[str, str]] = {
    "hdfs": {"ipc.client.connect.max.retries": "0", "ipc.client.connect.max.retries.on.timeouts": "0"},
    "s3a": {"fs.s3a.attempts.maximum": "1", "fs.s3a.retry.limit": "0", "fs.s3a.establish.timeout": "5s"},
}
"""By scheme, what a client is told so that it soon gives up a store that does not answer."""


@handles(OpenForeignHandle)
def open_foreign_handle(caller: Caller, op: OpenForeignHandle, places: Places) -> Outcome:
    known = java("java.nio.ByteBuffer").wrap(jpype.JArray(jpype.JByte)([1, 2, 3]))
    handle = jpype.JProxy("org.apache.hadoop.fs.PathHandle", dict={"bytes": lambda: known})
    return caller.read_stream(lambda: caller.base.open(handle))


@handles(CallNowhere)
def call_nowhere(caller: Caller, op: CallNowhere, places: Places) -> Outcome:
    uri, scheme = caller.filesystem.getUri(), jvm.text(caller.filesystem.getUri().getScheme())
    settings = _NOWHERE.get(scheme)
    if settings is None:
        return wire.NotExpressible(f"{scheme}: has no address that is known to be changed")
    configuration = java("org.apache.hadoop.conf.Configuration")(caller.filesystem.getConf())
    for name, value in settings.items():
        configuration.set(name, value)
    # A port that is taken, and on which nobody listens.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        if scheme == "s3a":
            configuration.set("fs.s3a.endpoint", f"http://127.0.0.1:{port}")
            configuration.set(f"fs.s3a.bucket.{jvm.text(uri.getHost())}.endpoint", f"http://127.0.0.1:{port}")
        else:
            uri = java("java.net.URI")(f"{scheme}://127.0.0.1:{port}")
        try:
            fs = java("FileSystem").newInstance(uri, configuration)
            try:
                fs.getFileStatus(java("Path")(uri.toString() + "/fsconform"))
            finally:
                fs.close()
        except jvm.JavaError as error:
            return facts("nowhere", error=True, io="java.io.IOException" in jvm.ancestry(error))
    return facts("nowhere", error=False, io=False)


_Set = Callable[[Any], Any]


def _safe_mode_round(fs: Any, actions: tuple[str, ...], act: _Set) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """From no safe mode on: what get says first, what each action returns, and what get says after it."""
    known = java("SafeModeAction")
    fs.setSafeMode(known.LEAVE, False)
    before, results, states = _word(fs.setSafeMode(known.GET, False)), [], []
    for action in actions:
        results.append(_word(act(known.valueOf(action.upper().replace(" ", "_")))))
        states.append(_word(fs.setSafeMode(known.GET, False)))
    return before, tuple(results), tuple(states)


def _word(on: Any) -> str:
    return "on" if on else "off"


def _leave_safe_mode(fs: Any) -> None:
    """Leave safe mode, by force where it does not end otherwise: nothing but this may go on in it."""
    known = java("SafeModeAction")
    try:
        fs.setSafeMode(known.LEAVE, False)
    finally:
        if fs.setSafeMode(known.GET, False):
            fs.setSafeMode(known.FORCE_EXIT, False)


@handles(UseSafeMode)
def use_safe_mode(caller: Caller, op: UseSafeMode, places: Places) -> Outcome:
    try:
        interface = java("SafeMode")
    except TypeError:
        return wire.NotExpressible("this version of Hadoop has no interface SafeMode")
    if not isinstance(caller.filesystem, interface):
        return wire.NotExpressible(f"{jvm.text(caller.filesystem.getUri().getScheme())}: is no SafeMode")
    # Cast: a store may have overloads of its own for enums of its own.
    fs = jpype.JObject(caller.filesystem, interface)
    try:
        if op.checked:
            before, results, states = _safe_mode_round(fs, op.actions, lambda action: fs.setSafeMode(action, True))
            return facts("safe mode", before=before, results=results, states=states)
        first = _safe_mode_round(fs, op.actions, lambda action: fs.setSafeMode(action))
        alike = first == _safe_mode_round(fs, op.actions, lambda action: fs.setSafeMode(action, False))
        return facts("safe mode", before=first[0], results=first[1], states=first[2], alike=alike)
    finally:
        _leave_safe_mode(fs)


ANOTHER = "fsconform-another"
"""A user whom no store knows, and who belongs to no group."""
_PRIVATE, _PUBLIC = 0o700, 0o777


@contextmanager
def _another(caller: Caller) -> Iterator[Any]:
    """A client of the same store for another user. Raises Inexpressible."""
    fs = caller.filesystem
    if jvm.text(fs.getUri().getScheme()) != "hdfs":
        raise Inexpressible(f"{jvm.text(fs.getUri().getScheme())}: is not known to take a client's word for who it is")
    if java("org.apache.hadoop.security.UserGroupInformation").isSecurityEnabled():
        raise Inexpressible("with Kerberos nobody can be made another user")
    made = java("FileSystem").newInstance(fs.getUri(), fs.getConf(), ANOTHER)
    try:
        yield jpype.JObject(made, java("FileSystem"))
    finally:
        made.close()


@contextmanager
def _place_of_another(caller: Caller, above: Any, mode: int) -> Iterator[Any]:
    """A directory of that permission, made below another one that there is. Raises Inexpressible."""
    fs = caller.base
    if not fs.getFileStatus(above).isDirectory():
        raise Inexpressible("there is no directory")
    place = java("Path")(above, "fsconform-another")
    try:
        try:
            fs.mkdirs(place)
            fs.setPermission(place, permission(mode))
        except jvm.JavaError as error:
            raise Inexpressible(f"no directory can be made for it: {jvm.message(error)}") from error
        yield place
    finally:
        fs.delete(place, True)


def _succeeds(act: Callable[[], Any]) -> bool:
    try:
        act()
    except jvm.JavaError:
        return False
    return True


def _call_there(fs: Any, call: str, place: Any) -> None:
    file, free = java("Path")(place, "f"), java("Path")(place, "g")
    match call:
        case "list":
            fs.listStatus(place)
        case "status":
            fs.getFileStatus(file)
        case "open":
            fs.open(file).close()
        case "create":
            fs.create(free, False).close()
        case "append":
            fs.append(file).close()
        case "mkdirs":
            fs.mkdirs(free)
        case "delete":
            fs.delete(file, False)
        case _:
            fs.rename(file, free)


@handles(CallAsAnother)
def call_as_another(caller: Caller, op: CallAsAnother, places: Places) -> Outcome:
    path, fs = places.java(op.path), caller.base
    with _another(caller) as other, _place_of_another(caller, path, _PRIVATE) as place:
        stream = fs.create(java("Path")(place, "f"), False)
        stream.write(bytes(3))
        stream.close()
        refused = not _succeeds(lambda: _call_there(other, op.call, place))
        there = [(jvm.text(one.getPath().getName()), int(one.getLen())) for one in fs.listStatus(place)]
        return facts("denial", refused=refused, unchanged=there == [("f", 3)])


@handles(HomeOfAnother)
def home_of_another(caller: Caller, op: HomeOfAnother, places: Places) -> Outcome:
    with _another(caller) as other:
        return facts("homes", different=not other.getHomeDirectory().equals(caller.base.getHomeDirectory()))


@handles(RenameToTrash)
def rename_to_trash(caller: Caller, op: RenameToTrash, places: Places) -> Outcome:
    path, fs, rename = places.java(op.path), caller.base, java("Options$Rename")
    with _another(caller) as other, _place_of_another(caller, path, _PUBLIC) as place:
        moved, back = java("Path")(place, "d"), java("Path")(place, "e")
        inner = java("Path")(moved, "private")
        fs.mkdirs(inner)
        fs.create(java("Path")(inner, "f"), False).close()
        fs.setPermission(inner, permission(_PRIVATE))
        plain = _succeeds(lambda: renamed(other, moved, back, rename.NONE))
        if plain:
            renamed(fs, back, moved, rename.NONE)
        return facts("trash", plain=plain, trash=_succeeds(lambda: renamed(other, moved, back, rename.TO_TRASH)))


@handles(CallsByUsers)
def calls_by_users(caller: Caller, op: CallsByUsers, places: Places) -> Outcome:
    return calls_of_users(caller, op, places)


@handles(CallsUnderQuotas)
def calls_under_quotas(caller: Caller, op: CallsUnderQuotas, places: Places) -> Outcome:
    return calls_in_limited_tree(caller, op, places)


@handles(CallsWithSnapshots)
def calls_with_snapshots(caller: Caller, op: CallsWithSnapshots, places: Places) -> Outcome:
    return calls_in_snapshottable_tree(caller, op, places)

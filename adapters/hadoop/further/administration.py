"""Java calls that need an administrator's rights, or are made under another identity.

Only HDFS without Kerberos is known to take a client's word for who it is; of other stores nobody is made another user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further.changes import renamed
from fsconform.adapters.hadoop.further.ways import java, permission
from fsconform.model.core.outcomes import facts
from fsconform.model.filesystem.protocols.other_users import CallAsAnother, HomeOfAnother, RenameToTrash
from fsconform.model.filesystem.protocols.safe_mode import UseSafeMode

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

_Set = Callable[[Any], Any]


def _round(fs: Any, actions: tuple[str, ...], act: _Set) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
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


def _left(fs: Any) -> None:
    """Leave safe mode, by force where it does not end otherwise: nothing but this may go on in it."""
    known = java("SafeModeAction")
    try:
        fs.setSafeMode(known.LEAVE, False)
    finally:
        if fs.setSafeMode(known.GET, False):
            fs.setSafeMode(known.FORCE_EXIT, False)


def _safe_mode(caller: Caller, op: UseSafeMode, places: Places) -> Any:
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
            before, results, states = _round(fs, op.actions, lambda action: fs.setSafeMode(action, True))
            return facts("safe mode", before=before, results=results, states=states)
        first = _round(fs, op.actions, lambda action: fs.setSafeMode(action))
        alike = first == _round(fs, op.actions, lambda action: fs.setSafeMode(action, False))
        return facts("safe mode", before=first[0], results=first[1], states=first[2], alike=alike)
    finally:
        _left(fs)


ANOTHER = "fsconform-another"
"""A user whom no store knows, and who belongs to no group."""
_PRIVATE, _PUBLIC = 0o700, 0o777


class _NoOther(Exception):
    """Nobody can be made another user here, or the place for that can't be made."""


@contextmanager
def _another(caller: Caller) -> Iterator[Any]:
    """A client of the same store for another user. Raises _NoOther."""
    fs = caller.filesystem
    if jvm.text(fs.getUri().getScheme()) != "hdfs":
        raise _NoOther(f"{jvm.text(fs.getUri().getScheme())}: is not known to take a client's word for who it is")
    if java("org.apache.hadoop.security.UserGroupInformation").isSecurityEnabled():
        raise _NoOther("with Kerberos nobody can be made another user")
    made = java("FileSystem").newInstance(fs.getUri(), fs.getConf(), ANOTHER)
    try:
        yield jpype.JObject(made, java("FileSystem"))
    finally:
        made.close()


@contextmanager
def _place(caller: Caller, above: Any, mode: int) -> Iterator[Any]:
    """A directory of that permission, made below another one that there is. Raises _NoOther."""
    fs = caller.base
    if not fs.getFileStatus(above).isDirectory():
        raise _NoOther("there is no directory")
    place = java("Path")(above, "fsconform-another")
    try:
        try:
            fs.mkdirs(place)
            fs.setPermission(place, permission(mode))
        except jvm.JavaError as error:
            raise _NoOther(f"no directory can be made for it: {jvm.message(error)}") from error
        yield place
    finally:
        fs.delete(place, True)


def _done(act: Callable[[], Any]) -> bool:
    try:
        act()
    except jvm.JavaError:
        return False
    return True


def _tried(fs: Any, call: str, place: Any) -> None:
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


def _without_other(perform: Callable[[Caller, Any, Places], Any]) -> Callable[[Caller, Any, Places], Any]:
    def performed(caller: Caller, op: Any, places: Places) -> Any:
        try:
            return perform(caller, op, places)
        except _NoOther as error:
            return wire.NotExpressible(str(error))

    return performed


def _denied(caller: Caller, op: CallAsAnother, places: Places) -> Any:
    path, fs = places.java(op.path), caller.base
    with _another(caller) as other, _place(caller, path, _PRIVATE) as place:
        stream = fs.create(java("Path")(place, "f"), False)
        stream.write(bytes(3))
        stream.close()
        refused = not _done(lambda: _tried(other, op.call, place))
        there = [(jvm.text(one.getPath().getName()), int(one.getLen())) for one in fs.listStatus(place)]
        return facts("denial", refused=refused, unchanged=there == [("f", 3)])


def _home(caller: Caller, op: HomeOfAnother, places: Places) -> Any:
    with _another(caller) as other:
        return facts("homes", different=not other.getHomeDirectory().equals(caller.base.getHomeDirectory()))


def _to_trash(caller: Caller, op: RenameToTrash, places: Places) -> Any:
    path, fs, rename = places.java(op.path), caller.base, java("Options$Rename")
    with _another(caller) as other, _place(caller, path, _PUBLIC) as place:
        moved, back = java("Path")(place, "d"), java("Path")(place, "e")
        inner = java("Path")(moved, "private")
        fs.mkdirs(inner)
        fs.create(java("Path")(inner, "f"), False).close()
        fs.setPermission(inner, permission(_PRIVATE))
        plain = _done(lambda: renamed(other, moved, back, rename.NONE))
        if plain:
            renamed(fs, back, moved, rename.NONE)
        return facts("trash", plain=plain, trash=_done(lambda: renamed(other, moved, back, rename.TO_TRASH)))


HANDLERS: dict[tuple[type, str], Any] = {
    (UseSafeMode, ""): _safe_mode,
    (CallAsAnother, ""): _without_other(_denied),
    (HomeOfAnother, ""): _without_other(_home),
    (RenameToTrash, ""): _without_other(_to_trash),
}

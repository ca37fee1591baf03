"""Java calls that tell where a path leads to: home and working directory, resolved paths, enclosing roots."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further.ways import java
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, Value, facts
from fsconform.model.core.paths import show
from fsconform.model.filesystem.status.enclosing_root import GetEnclosingRoot
from fsconform.model.filesystem.status.home_directory import GetHomeDirectory
from fsconform.model.filesystem.status.resolve_path import ResolvePath
from fsconform.model.filesystem.status.working_directory import WorkingDirectory

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

_HERE = "."
"""The relative path of the working directory itself: Hadoop's Path refuses the empty text."""


def _plain(path: Any) -> str:
    """The path of a Java path without scheme and authority."""
    return jvm.text(path.toUri().getPath())


def _of(caller: Caller, path: Any) -> bool:
    """True if a path has no scheme, or names the caller's store."""
    mine, uri = caller.filesystem.getUri(), path.toUri()
    scheme, authority = jvm.text(uri.getScheme()), jvm.text(uri.getAuthority())
    if not scheme:
        return True
    return scheme.lower() == jvm.text(mine.getScheme()).lower() and (
        not authority or authority.lower() == jvm.text(mine.getAuthority()).lower()
    )


def _home(caller: Caller, op: GetHomeDirectory, places: Places) -> Value:
    found = caller.context().getHomeDirectory() if op.via else caller.base.getHomeDirectory()
    if found is None:
        return None
    return facts(
        "home",
        absolute=_plain(found).startswith("/"),
        qualified=bool(jvm.text(found.toUri().getScheme())),
        ofThisStore=_of(caller, found),
    )


def _relative(path: tuple[str, ...]) -> Any:
    """The relative Java path for a program's path; None if Hadoop's Path makes another one of it.

    That goes for ".." too, which stays in a relative path and then leads out of the program's directory.
    """
    if not path:
        return java("Path")(_HERE)
    wanted = "/".join(path)
    if any("/" in name or name == ".." for name in path):
        return None
    try:
        made = java("Path")(None, None, jpype.JString(wanted))
        return made if _plain(made) == wanted and not made.isAbsolute() else None
    except (jvm.JavaError, UnicodeError):
        return None


@cache
def _bystander(caller: Caller) -> Any:
    """Another client of the caller's store."""
    made = java("FileSystem").newInstance(caller.filesystem.getUri(), caller.filesystem.getConf())
    return jpype.JObject(made, java("FileSystem"))


def _told(status: Any, working: Any, places: Places, **more: bool) -> Facts:
    return facts(
        "relative",
        working=show(places.elements(working)),
        path=show(places.elements(status.getPath())),
        directory=bool(status.isDirectory()),
        length=int(status.getLen()),
        **more,
    )


def _working(caller: Caller, op: WorkingDirectory, places: Places) -> wire.AnyOutcome | Value:
    path, below = places.java(op.path), _relative(op.below)
    if below is None:
        return wire.NotExpressible("Hadoop's Path can't name it as a relative path")
    if op.via:
        # A context of its own: FileContext takes no working directory back that does not exist.
        uri, conf = caller.context().getDefaultFileSystem().getUri(), caller.filesystem.getConf()
        context = java("FileContext").getFileContext(uri, conf)
        context.setWorkingDirectory(path)
        return _told(context.getFileStatus(below), context.getWorkingDirectory(), places)
    fs, other = caller.base, _bystander(caller)
    before, elsewhere = fs.getWorkingDirectory(), other.getWorkingDirectory()
    fs.setWorkingDirectory(path)
    try:
        others = bool(other.getWorkingDirectory().equals(elsewhere))
        return _told(fs.getFileStatus(below), fs.getWorkingDirectory(), places, others=others)
    finally:
        fs.setWorkingDirectory(before)


def _resolve(caller: Caller, op: ResolvePath, places: Places) -> Value:
    path = places.java(op.path)
    found = caller.context().resolvePath(path) if op.via else caller.base.resolvePath(path)
    return None if found is None else facts("path", path=show(places.elements(found)))


def _enclosing(caller: Caller, op: GetEnclosingRoot, places: Places) -> wire.AnyOutcome | Value:
    path, fs = places.java(op.path), caller.base
    if not hasattr(fs, "getEnclosingRoot"):
        return wire.NotExpressible("this version of Hadoop has no getEnclosingRoot")
    found = fs.getEnclosingRoot(path)
    if found is None:
        return None
    root, whole = _plain(found), _plain(path)
    return facts(
        "enclosing root",
        directory=bool(fs.getFileStatus(found).isDirectory()),
        above=_of(caller, found) and (root in ("/", whole) or whole.startswith(root.rstrip("/") + "/")),
        again=_plain(fs.getEnclosingRoot(found)) == root,
    )


CALLS: dict[type[Operation], Any] = {
    GetHomeDirectory: _home,
    WorkingDirectory: _working,
    ResolvePath: _resolve,
    GetEnclosingRoot: _enclosing,
}

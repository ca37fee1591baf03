"""Java calls that copy from and to the local disk, in a temporary directory that is removed at once."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsconform.adapters import temporary
from fsconform.adapters.hadoop import wire
from fsconform.adapters.hadoop.further.ways import java
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Value, facts
from fsconform.model.filesystem.transfer.local_copies import (
    LOCAL_FILE,
    LOCAL_TREE,
    CopyFromLocal,
    CopyMissingFromLocal,
    CopyToLocal,
    CopyTreeFromLocal,
    MoveFromLocal,
)

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    made = str(temporary.folder("copy"))
    try:
        yield Path(made)
    finally:
        shutil.rmtree(made)


def _java(path: Path) -> Any:
    # The URI of a directory ends in a slash: with one Hadoop's Path would have no name.
    return java("Path")(java("java.net.URI")(str(java("java.io.File")(str(path)).toURI()).rstrip("/")))


def _write(path: Path, content: contents.Content) -> None:
    with path.open("wb") as file:
        for piece in contents.chunks(content):
            file.write(piece)


def without_local(caller: Caller) -> wire.NotExpressible | None:
    """Why the calls can't be made: FileSystem looks for the local disk under the scheme that the store itself has."""
    try:
        java("FileSystem").getLocal(caller.filesystem.getConf())
    except java("java.lang.ClassCastException"):
        return wire.NotExpressible("the store's configuration puts it in the place of Hadoop's LocalFileSystem")
    return None


def _locally(perform: Callable[[Caller, Any, Places], Any]) -> Callable[[Caller, Any, Places], Any]:
    return lambda caller, op, places: without_local(caller) or perform(caller, op, places)


def _copy(caller: Caller, op: CopyFromLocal, places: Places) -> Value:
    target = places.java(op.path)
    with _folder() as folder:
        file = folder / LOCAL_FILE
        _write(file, op.content)
        caller.base.copyFromLocalFile(op.delete, op.overwrite, _java(file), target)
        return facts("copied", left=file.exists())


def _move(caller: Caller, op: MoveFromLocal, places: Places) -> Value:
    target = places.java(op.path)
    with _folder() as folder:
        file = folder / LOCAL_FILE
        _write(file, op.content)
        caller.base.moveFromLocalFile(_java(file), target)
        return facts("copied", left=file.exists())


def _copy_tree(caller: Caller, op: CopyTreeFromLocal, places: Places) -> Value:
    target = places.java(op.path)
    with _folder() as folder:
        tree = folder / LOCAL_TREE
        (tree / "d").mkdir(parents=True)
        _write(tree / "f", op.content)
        _write(tree / "d" / "g", contents.EMPTY)
        caller.base.copyFromLocalFile(op.delete, op.overwrite, _java(tree), target)
        return facts("copied", left=tree.exists())


def _copy_nothing(caller: Caller, op: CopyMissingFromLocal, places: Places) -> Value:
    target = places.java(op.path)
    with _folder() as folder:
        caller.base.copyFromLocalFile(False, op.overwrite, _java(folder / LOCAL_FILE), target)
    return None


def _copy_back(caller: Caller, op: CopyToLocal, places: Places) -> wire.AnyOutcome:
    source = places.java(op.path)
    with _folder() as folder:
        file = folder / LOCAL_FILE
        caller.base.copyToLocalFile(source, _java(file))
        if file.is_dir():
            return wire.NotExpressible("a directory was copied, and the outcome of this call is the bytes of a file")
        return caller.read_stream(lambda: java("java.io.FileInputStream")(str(file)))


HANDLERS: dict[tuple[type, str], Any] = {
    (CopyFromLocal, ""): _locally(_copy),
    (CopyTreeFromLocal, ""): _locally(_copy_tree),
    (CopyMissingFromLocal, ""): _locally(_copy_nothing),
    (MoveFromLocal, ""): _locally(_move),
    (CopyToLocal, ""): _locally(_copy_back),
}

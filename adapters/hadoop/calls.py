"""Operations as Java calls, and what they give as outcomes. Nothing is judged, unwrapped or mended here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, transient, wire
from fsconform.adapters.streams import Inexpressible
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Value
from fsconform.model.filesystem.programs import encode_value
from fsconform.model.filesystem.status.list_status import ListStatus

_SMALL = 1 << 16
"""Contents up to this many bytes are kept as Java arrays."""

_RAW_LOCAL = "org.apache.hadoop.fs.RawLocalFileSystem"

_NULL = ("java.lang.NullPointerException", "java.lang.RuntimeException", "java.lang.Exception", "java.lang.Throwable")

TRUE, NOTHING = wire.Plain(True), wire.Plain(None)


class CannotName(Inexpressible):
    """Hadoop's Path class cannot name what the program names."""


class NoContext(Inexpressible):
    """There is no FileContext for the store."""


class NullReturned(Exception):
    """The store returned null where a caller would have used it."""


class Places:
    """The Java paths of one program, below its base directory (empty for the real root)."""

    def __init__(self, scheme: Any, authority: Any, base: str) -> None:
        self._scheme, self._authority, self.base = scheme, authority, base
        self.streams: dict[str, Any] = {}
        """The output streams of the program by their names: see handlers.output."""
        self.readers: dict[str, Any] = {}
        """Its input streams by theirs: see handlers.input."""
        self._class = jpype.JClass("org.apache.hadoop.fs.Path")
        self._made: dict[wire.Elements, Any] = {}

    def java(self, path: wire.Elements) -> Any:
        """The Java path for a program's path. Raises CannotName if Hadoop's Path would change it or refuses it."""
        made = self._made.get(path)
        if made is None:
            made = self._made[path] = self._make(path)
        return made

    def close(self) -> None:
        """Close the streams that the program left open; what that raises is nobody's concern any more."""
        for reader in self.readers.values():
            if reader.open:
                _close_quietly(reader.stream)
        for writer in self.streams.values():
            _close_quietly(writer.stream)
        self.readers.clear()
        self.streams.clear()

    def _make(self, path: wire.Elements) -> Any:
        for element in path:
            if "/" in element:
                raise CannotName(f"the element {element!r} holds a slash, which separates elements")
        wanted = "/".join((self.base, *path)) or "/"
        try:
            made = self._class(self._scheme, self._authority, wanted)
            got = str(made.toUri().getPath())
        except UnicodeError as error:
            raise CannotName(f"a name has no UTF-8 form: {error}") from error
        except jvm.JavaError as error:
            raise CannotName(f"Hadoop's Path refuses it: {jvm.message(error)}") from error
        if got != wanted:
            inside = got.startswith(self.base + "/")
            became = repr(got[len(self.base) :]) if inside else "the root, or a path above it,"
            raise CannotName(f"Hadoop's Path makes {became} of {'/' + '/'.join(path)!r}")
        return made

    def elements(self, java_path: Any) -> wire.Elements:
        """The program's path for a Java path; one that lies outside of the base begins with the element ``..``."""
        if java_path is None:
            raise NullReturned("a FileStatus without a path")
        whole = jvm.text(java_path.toUri().getPath())
        if whole in (self.base, self.base + "/"):
            return ()
        if whole.startswith(self.base + "/"):
            return tuple(whole[len(self.base) + 1 :].split("/"))
        return ("..", *whole.split("/"))


class Caller:
    """One client's FileSystem instance, and what calls of several operations share."""

    def __init__(self, filesystem: Any) -> None:
        self.filesystem = filesystem
        self.takes_errors = False
        """Whether an error that asks to try again is what came of a call."""
        # Cast to FileSystem: JPype would let overloads that a store's class adds win, such as the rename with options
        # of DistributedFileSystem, which is another operation and returns nothing. And methods of the object, not of
        # the class: JPype calls those of a class without looking for the store's own overrides.
        base = jpype.JObject(filesystem, jpype.JClass("org.apache.hadoop.fs.FileSystem"))
        self.base = base
        self._context: Any = None
        self._hash = jpype.JClass("java.security.MessageDigest").getInstance("SHA-256")
        nowhere = jpype.JClass("java.io.OutputStream").nullOutputStream()
        self._sink = jpype.JClass("java.security.DigestOutputStream")(nowhere, self._hash)

    def perform(
        self, call: Operation | wire.Unsendable, places: Places, stacks: bool, bare: bool = False
    ) -> wire.AnyOutcome:
        """One operation's outcome. Raises nothing that a store can cause.

        ``bare`` leaves out what a listing returned: to carry a large one over takes longer than to list it.
        """
        try:
            if isinstance(call, wire.Unsendable):
                return wire.NotExpressible(call.reason)
            if bare and isinstance(call, ListStatus) and not call.via:
                self.base.listStatus(places.java(call.path))
                return NOTHING
            handler = HANDLERS.get(type(call))
            if handler is None:
                return wire.NotExpressible(f"no call for {call.NAME}")
            value = handler(self, call, places)
            if value is None or isinstance(value, bool):
                return wire.Plain(value)
            return value if isinstance(value, wire.Frame) else wire.Value(json.dumps(encode_value(value)))
        except Inexpressible as error:
            return wire.NotExpressible(str(error))
        except NullReturned as error:
            return wire.Raised(_NULL, f"the store returned null: {error}", "")
        except jvm.JavaError as error:
            again = "" if self.takes_errors else asks_again(error)
            return wire.TryAgain(again) if again else raised(error, stacks)
        except (AttributeError, TypeError) as error:
            # A client of another release may lack what the call is made of; a client of the default one lacks nothing.
            if not (missing := jvm.lacking(error)):
                raise
            return wire.NotExpressible(missing)
        except UnicodeDecodeError:
            # JPype drops an error whose message has a lone surrogate, and raises this in its place.
            return wire.Unknown("the store raised an error whose message is no valid text, so its class cannot be told")

    def context(self) -> Any:
        """A FileContext on the same store. Raises NoContext if the store has no AbstractFileSystem of its own."""
        if self._context is None:
            uri, conf = self.filesystem.getUri(), self.filesystem.getConf()
            if not conf.get(f"fs.AbstractFileSystem.{uri.getScheme()}.impl"):
                raise NoContext(f"there is no AbstractFileSystem for {uri.getScheme()}:")
            if jvm.text(self.filesystem.getClass().getName()) == _RAW_LOCAL:
                raise NoContext("FileContext has no way to the raw local filesystem")
            self._context = jpype.JClass("org.apache.hadoop.fs.FileContext").getFileContext(uri, conf)
        return self._context

    def write(self, opened: Callable[[], Any], content: contents.Content) -> wire.AnyOutcome:
        """Open a stream, write a content to it, close it. Raises what Java raises."""
        pieces = _pieces(content)
        _write(opened(), pieces)
        return NOTHING

    def read_stream(self, opened: Callable[[], Any]) -> wire.Data:
        """Length and digest of what a stream gives to its end. Raises what Java raises."""
        return self._digest(opened())

    def statused(self, found: Any, places: Places, path: Any, elements: wire.Elements) -> wire.AnyOutcome:
        """What a call that gives a FileStatus gave."""
        return NOTHING if found is None else status_frame(found, places, path, elements)

    def listed(self, found: Any, places: Places) -> wire.AnyOutcome:
        """What a call that gives several FileStatus gave."""
        return NOTHING if found is None else wire.Listing(tuple(status_frame(one, places) for one in found))

    def read(self, path: Any) -> wire.Data:
        """Length and digest of a file, read to its end in Java. Raises what Java raises."""
        return self._digest(self.base.open(path))

    def _digest(self, stream: Any) -> wire.Data:
        if stream is None:
            raise NullReturned("open() gave no stream")
        # Java's own loop over read(byte[], int, int): one crossing into Java for a file of any size.
        self._hash.reset()
        try:
            length = stream.transferTo(self._sink)
        except BaseException:
            _close_quietly(stream)
            raise
        stream.close()
        return wire.Data(int(length), bytes(self._hash.digest()).hex())

    def status(self, path: Any, places: Places, elements: wire.Elements) -> wire.AnyOutcome:
        """The status of a path whose program's path is ``elements``. Raises what Java raises."""
        return self.statused(self.base.getFileStatus(path), places, path, elements)

    def listing(self, path: Any, places: Places) -> wire.AnyOutcome:
        """What listStatus gives for a path, in its order. Raises what Java raises."""
        return self.listed(self.base.listStatus(path), places)


def client(caller: Caller, op: Any) -> Any:
    """The FileSystem, or the FileContext if the operation takes that way. Raises NoContext."""
    return caller.context() if op.via == "context" else caller.base


Outcome = wire.AnyOutcome | Value
Handler = Callable[[Caller, Any, Places], Outcome]
"""Performs an operation, by whichever way it takes. May raise what Java raises, and what :meth:`Caller.perform` has."""

HANDLERS: dict[type[Operation], Handler] = {}
"""By class of operation; a handler is entered where it is declared, by :func:`handles`."""

_H = TypeVar("_H", bound=Handler)


def handles(*kinds: type[Operation]) -> Callable[[_H], _H]:
    """Enter a handler for these operations. A decorator; raises ValueError for an operation that has one."""

    def enter(handler: _H) -> _H:
        for kind in kinds:
            if HANDLERS.setdefault(kind, handler) is not handler:
                raise ValueError(f"two handlers for {kind.NAME}")
        return handler

    return enter


def status_frame(status: Any, places: Places, asked: Any = None, elements: wire.Elements = ()) -> wire.Status:
    """A FileStatus as a frame. Only these four fields are asked for: others make raw local stores start a process."""
    if status is None:
        raise NullReturned("a FileStatus in a listing")
    path = status.getPath()
    if asked is None or path is None or not path.equals(asked):
        elements = places.elements(path)
    return wire.Status(elements, bool(status.isDirectory()), int(status.getLen()), int(status.getBlockSize()))


def raised(error: BaseException, stacks: bool) -> wire.Raised:
    """A Java error as a frame."""
    return wire.Raised(jvm.ancestry(error), jvm.message(error), jvm.stack(error) if stacks else "")


def asks_again(error: BaseException) -> str:
    """Why a Java error says "try again"; empty if it is an answer."""
    names = jvm.ancestry(error)
    return transient.reason((*jvm.remote(error, names), *names), jvm.message(error))


def _write(stream: Any, pieces: Iterator[Any]) -> None:
    """Write and close, closing also after an error; the first error is the one that is raised."""
    if stream is None:
        raise NullReturned("the call gave no stream")
    try:
        for piece in pieces:
            stream.write(piece, 0, len(piece))
    except BaseException:
        _close_quietly(stream)
        raise
    stream.close()


def _close_quietly(stream: Any) -> None:
    """Close a stream whose first error is on its way already."""
    try:
        stream.close()
    except jvm.JavaError:
        return


def _pieces(content: contents.Content) -> Iterator[Any]:
    """The bytes of a content as Java arrays."""
    if contents.length(content) <= _SMALL:
        return iter(_small(content))
    return map(_array, contents.chunks(content))


@lru_cache(maxsize=512)
def _small(content: contents.Content) -> tuple[Any, ...]:
    return tuple(map(_array, contents.chunks(content)))


def _array(piece: bytes) -> Any:
    return jpype.JArray(jpype.JByte)(piece)

"""The full store's streams that write: each stays open from call to call, and holds the lease of its file meanwhile.

Sources: outputstream.md, abortable.md, leaserecoverable.md. As there are no threads, what others do meanwhile is done
in turns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from fsconform.proving.keeping_store import FURTHER, Told
from fsconform.proving.metadata import Metadata
from fsconform.proving.outputs import ABORTABLE, OUT_OF_BOUNDS, DelayedWriter, Writer
from fsconform.proving.store import ANCESTRY, Behaviour, StoreError

_KNOWN = {one for classes in (*ANCESTRY.values(), *FURTHER.values()) for one in classes} | {OUT_OF_BOUNDS[0]}
_SHOWN, _DIGITS = 8, 16
_RETRIES = 5
_HIGHER_BITS = 0x5A00
_FILLER = 0xEE
_ARRAY = 10
_WHILE = 100
_RANGES = {
    "negative offset": (-1, 5),
    "negative length": (0, -1),
    "beyond the end": (5, 6),
    "offset beyond the end": (11, 1),
}
_DROPPED = {"true": True, "false": False, "null": None}


class Writers(Metadata):
    """Streams by name. They belong to one program, with which its directory is purged and they are forgotten."""

    writer_kind: type[Writer] = Writer
    delayed_kind: type[Writer] = DelayedWriter

    def __init__(self, behaviour: Behaviour | None = None) -> None:
        self.writers: dict[str, Writer] = {}
        super().__init__(behaviour)

    def purge(self, path: str) -> None:
        """As in the core; streams that are still open are forgotten unseen."""
        super().purge(path)
        self.writers.clear()

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        """As in the core; IOException if a stream writes the file."""
        if self.writers:
            key = self.locate(path)[1]
            if overwrite or key not in self.nodes:
                self.check_writers(key)
        super().create(path, data, overwrite)

    def append(self, path: str, data: bytes) -> None:
        """As in the core; IOException if a stream writes the file."""
        if self.writers:
            self.check_writers(self.locate(path)[1])
        super().append(path, data)

    def cannot(self, stream: str, opens: bool) -> str:
        """Why a program can't name that stream, be it to open it or to use it; the empty string if it can."""
        if opens == (stream in self.writers):
            return f"a stream is called {stream} already" if opens else f"no stream was opened as {stream}"
        if opens and self.via == "unchecked" and self.can.delayed:
            return "an object store keeps no checksums beside a file"
        return ""

    # --- streams

    def open_writer(self, path: str, stream: str, mode: str) -> None:
        """Open a file to be written, with the errors of create and append; IOException if another stream writes it."""
        writer = (self.delayed_kind if self.can.delayed else self.writer_kind)(self, path)
        writer.unchecked = self.via == "unchecked"
        writer.begin(mode)
        if self.can.delayed:
            self.check_writers(writer.key)
        self.writers[stream] = writer

    def write(self, stream: str, data: bytes) -> None:
        """Write all, as an array, as a part of one, byte by byte, or as an array that is filled anew thereafter."""
        writer, array = self.writers[stream], bytearray(data)
        if self.via == "bytes":
            for number, byte in enumerate(data):
                writer.write_byte(byte | _HIGHER_BITS if number % 2 else byte - 256)
        elif self.via == "slice":
            writer.write(bytearray(b"<<<") + array + bytearray(b">>"), 3, len(array))
        else:
            writer.write(array, 0, len(array))
        if self.via == "reused":
            array[:] = bytes((_FILLER,)) * len(array)

    def write_wrongly(self, stream: str, how: str) -> None:
        """Write null, or what is no part of an array."""
        if how == "null":
            self.writers[stream].write(None, 0, 1)
        else:
            self.writers[stream].write(bytearray(b"w" * _ARRAY), *_RANGES[how])

    def sync(self, stream: str, call: str) -> Told:
        """What one of the three calls came to."""
        writer = self.writers[stream]
        calls: dict[str, Callable[[], None]] = {"flush": writer.flush, "hflush": writer.hflush, "hsync": writer.hsync}
        return {
            "capability": writer.has_capability(call),
            "answer": _answer(calls[call]),
            "syncable": writer.syncable,
        }

    def close_writer(self, stream: str) -> Told | None:
        """Close; via timed the clock before and after it, and the file's time, -1 if there is no file then.

        Via window that is after a while, and the clock of a file that is made next comes with it.
        """
        if self.via == "window":
            self.clock += _WHILE
        writer, began = self.writers[stream], self.tick()
        writer.close()
        if not self.via:
            return None
        told: Told = {"opened": writer.opened, "began": began, "ended": self.tick()}
        try:
            told |= {"modified": self.get_attributes(writer.path)["modified"]}
        except StoreError:
            return told | {"modified": -1}
        if self.via == "window":
            clock = ("reference_began", "reference_modified", "reference_ended")
            told |= {name: self.tick() for name in clock}
        return told

    def abort_writer(self, stream: str) -> Told:
        """What an abort came to; via threads others write before and after it."""
        writer, already = self.writers[stream], False

        def abort() -> None:
            nonlocal already
            already = writer.abort()

        told: Told = {
            "capability": writer.has_capability(ABORTABLE),
            "path": self.has_path_capability(writer.path, ABORTABLE),
            "abortable": writer.abortable,
        }
        writer.busy = self.via == "threads"
        self.write_meanwhile(writer)
        told["answer"] = _answer(abort)
        self.write_meanwhile(writer)
        writer.busy = False
        return told | {"already": already}

    def writer_capability(self, stream: str, capability: str) -> bool:
        """What the stream says of a capability."""
        return self.writers[stream].has_capability(capability)

    def set_drop_behind(self, stream: str, value: str) -> Told:
        """What the call came to."""
        writer = self.writers[stream]
        return {
            "capability": writer.has_capability("dropbehind"),
            "answer": _answer(lambda: writer.set_drop_behind(_DROPPED[value])),
        }

    def writer_position(self, stream: str) -> Told:
        """Where the stream is."""
        return {"at": self.writers[stream].position()}

    # --- leases

    def recover_lease(self, path: str) -> Told:
        """What recovery came to, asked for until it is finished. FileNotFoundException; IOException of a directory."""
        first = last = self.recovered(path)
        closed = self.is_file_closed(path)
        for _ in range(_RETRIES):
            if last:
                break
            last = self.recovered(path)
        return {"first": first, "closed": closed, "finally": last}

    def is_file_closed(self, path: str) -> bool:
        """True if no stream writes the file. FileNotFoundException; IOException of a directory."""
        return self.writing(self.leased(path)) is None

    # --- inside; seeded faults override these

    def recovered(self, path: str) -> bool:
        """Take the lease of a file from the stream that writes it; true, as that is done at once."""
        writer = self.writing(self.leased(path))
        if writer is not None:
            writer.lost = True
        return True

    def leased(self, path: str) -> str:
        """The key of a file. FileNotFoundException; IOException of a directory."""
        if self.found(path).data is None:
            self.fail("IOException", f"{path} is a directory")
        return self.locate(path)[1]

    def writing(self, key: str) -> Writer | None:
        """The stream that writes what is at a key, or will be."""
        return next((one for one in self.writers.values() if one.key == key and one.holds_lease()), None)

    def check_writers(self, key: str) -> None:
        """Raise IOException if a stream writes what is at a key, or will be."""
        if self.writing(key) is not None:
            self.fail("IOException", f"{key} is being written")

    def write_meanwhile(self, writer: Writer) -> None:
        """A byte that another thread writes to a busy stream, whatever comes of it."""
        if writer.busy:
            _answer(lambda: writer.write_byte(_FILLER))

    def told_read(self, path: str) -> str:
        """The bytes of a file, or the error, as they are told."""
        try:
            data = self.open(path)
        except StoreError as error:
            return told_error(error)
        shown = data.hex() if len(data) <= _SHOWN else hashlib.sha256(data).hexdigest()[:_DIGITS]
        return f"{len(data)} {shown}" if data else "0"


def told_error(error: StoreError) -> str:
    """An error as it is told: its class, and the nearest known one above it if it is none of those."""
    first = error.classes[0]
    known = next(one for one in error.classes if one in _KNOWN)
    names = [one.rpartition(".")[2] for one in (first, known)]
    return f"raised {' '.join(dict.fromkeys(names))}"


def _answer(call: Callable[[], None]) -> str:
    try:
        call()
    except StoreError as error:
        return told_error(error)
    return "done"

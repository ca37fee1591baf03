"""Calls that open and read files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.calls import Caller, Outcome, Places, handles
from fsconform.adapters.hadoop.handlers.checksum_switches import NO_CHECKSUMS, keeps_checksums, switched
from fsconform.adapters.hadoop.handlers.classes import (
    BUFFER,
    awaited,
    java,
    with_options,
)
from fsconform.adapters.hadoop.handlers.stream_reader import Reader, moves_files, too_large
from fsconform.model.core.outcomes import Facts, Value, facts
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_file import OpenFile, OpenInStages
from fsconform.model.filesystem.input.open_reader import POLICIES, OpenReader
from fsconform.model.filesystem.input.open_unverified import OpenUnverified
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream
from fsconform.model.filesystem.stream_scripts import Action, parse


@handles(Open)
def open_(caller: Caller, op: Open, places: Places) -> wire.AnyOutcome:
    path, fs = places.java(op.path), caller.base
    streams: dict[str, Callable[[], Any]] = {
        "": lambda: fs.open(path),
        "buffer": lambda: fs.open(path, jpype.JInt(BUFFER)),
        "builder": lambda: awaited(fs.openFile(path).build()),
        "builder and status": lambda: awaited(fs.openFile(path).withFileStatus(fs.getFileStatus(path)).build()),
        "builder and length": lambda: awaited(
            fs.openFile(path).opt("fs.option.openfile.length", str(fs.getFileStatus(path).getLen())).build()
        ),
        "context": lambda: caller.context().open(path),
    }
    return caller.read_stream(streams[op.via])


@handles(OpenFile)
def open_file(caller: Caller, op: OpenFile, places: Places) -> wire.AnyOutcome:
    path = places.java(op.path)

    def opened() -> Any:
        builder = caller.base.openFile(path)
        if op.via == "status":
            builder.withFileStatus(caller.base.getFileStatus(path))
        return awaited(with_options(builder, op.must, op.opt).build())

    return caller.read_stream(opened)


@handles(OpenInStages)
def open_in_stages(caller: Caller, op: OpenInStages, places: Places) -> Value:
    path, stage = places.java(op.path), "openFile"
    try:
        builder = caller.base.openFile(path)
        with_options(builder, op.must, ())
        stage = "build"
        future = builder.build()
        stage = "get"
        stream = future.get()
        stage = "read"
        try:
            stream.read()
        finally:
            stream.close()
    except jvm.JavaError:
        return facts("stages", failed=stage)
    return facts("stages", failed="nothing")


_NO_BUFFER = wire.NotExpressible("no buffer of that size is made")
_NO_SOURCE = wire.NotExpressible("seekToNewSource takes a checksummed file for a bad one, and moves it far away")


def _input_stream(caller: Caller, path: Any, via: str) -> Any:
    fs = caller.base
    if not via:
        return fs.open(path)
    builder = fs.openFile(path)
    if via == "builder":
        pass
    elif via in POLICIES:
        builder = builder.opt("fs.option.openfile.read.policy", via)
    elif via == "length":
        builder = builder.opt("fs.option.openfile.length", str(fs.getFileStatus(path).getLen()))
    else:
        builder = builder.withFileStatus(fs.getFileStatus(path))
    return awaited(builder.build())


def _open_stream(caller: Caller, path: Any, via: str) -> Reader:
    # Cast: a store's class may have overloads of its own.
    return Reader(jpype.JObject(_input_stream(caller, path, via), java("FSDataInputStream")))


@handles(ReadStream)
def read_stream(caller: Caller, op: ReadStream, places: Places) -> Outcome:
    actions = [parse(text) for text in op.script]
    if too_large(actions):
        return _NO_BUFFER
    reader = _open_stream(caller, places.java(op.path), op.via)
    told: list[tuple[str, str]] = []
    try:
        if moves_files(reader.stream, actions):
            return _NO_SOURCE
        told = [(str(number), reader.answer(action)) for number, action in enumerate(actions, 1)]
    finally:
        if reader.open:
            told.append(("close", reader.answer(Action("close"))))
    return Facts("input stream", tuple(told))


@handles(OpenReader)
def open_reader(caller: Caller, op: OpenReader, places: Places) -> Outcome:
    if op.stream in places.readers:
        return wire.NotExpressible(f"the name {op.stream} is taken")
    places.readers[op.stream] = _open_stream(caller, places.java(op.path), op.via)
    return None


@handles(ReadOn)
def read_on(caller: Caller, op: ReadOn, places: Places) -> Outcome:
    actions = [parse(text) for text in op.script]
    reader: Reader | None = places.readers.get(op.stream)
    if reader is None:
        return wire.NotExpressible(f"no stream {op.stream} was opened to read")
    if too_large(actions):
        return _NO_BUFFER
    if moves_files(reader.stream, actions):
        return _NO_SOURCE
    told = tuple((str(number), reader.answer(action)) for number, action in enumerate(actions, 1))
    return Facts("input stream", told)


@handles(OpenUnverified)
def open_unverified(caller: Caller, op: OpenUnverified, places: Places) -> wire.AnyOutcome:
    path = places.java(op.path)
    if not keeps_checksums(caller):
        return NO_CHECKSUMS
    with switched(caller.base.setVerifyChecksum):
        return caller.read(path)

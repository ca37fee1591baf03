"""What a call answered, as a text: done, or the error that it raised; and the bytes of a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm
from fsconform.adapters.hadoop.calls import asks_again
from fsconform.model.filesystem.stream_scripts import told_error

_int = jpype.JInt
BUFFER_BYTES = 1 << 16
_Found = TypeVar("_Found")


def answer_of(act: Callable[[], object]) -> str:
    """The answer of a call: done, or the error that it raised. Errors that say "try again" are raised."""
    try:
        act()
    except jvm.JavaError as error:
        if asks_again(error):
            raise
        return told_error(jvm.ancestry(error))
    return "done"


def tried(call: Callable[[], _Found]) -> tuple[str, _Found | None]:
    """The answer of a call, as of ``answer_of``, and what it returned."""
    found: list[_Found] = []
    answer = answer_of(lambda: found.append(call()))
    return answer, found[0] if found else None


def pieces(stream: Any) -> Iterator[bytes]:
    """What is left of a stream. Raises what Java raises."""
    buffer = jpype.JArray(jpype.JByte)(BUFFER_BYTES)
    while (count := int(stream.read(buffer, _int(0), _int(BUFFER_BYTES)))) >= 0:
        yield bytes(buffer[:count])

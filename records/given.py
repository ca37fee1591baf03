"""Files that a user names, read without trust in what is in them: contracts, waivers, replay files, results, traces.

Whatever stands at such a path, reading it ends: with its content, or with GivenError, which names the file, the place
and how to mend it. Only regular files are read, as a FIFO would be waited for and a device may have no end; no more
than so many bytes; JSON and TOML only of so many levels, as what is deeper can't be walked later either, and without
names that are given twice, of which two readers may take different ones.
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

MOST_BYTES = 256 << 20
"""Of a file that is read whole. Results of the greatest runs have a tenth of it."""
MOST_LEVELS = 100
"""Of arrays and objects in one another. Our own files have nine."""
_SHOWN = 60
_REASON = 600


class GivenError(ValueError):
    """A file that can't be read, or that is not of its form; the text names it, says where and how to mend it."""


def open_regular(path: Path) -> BinaryIO:
    """A regular file, open for reading. Raises GivenError for what is none or can't be opened."""
    try:
        _check_regular(path, path.stat().st_mode)  # before it is opened: opening a device may do something already
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise GivenError(f"{path}: {error.strerror or error}") from error
    except GivenError:
        raise
    except ValueError as error:  # a NUL, or a surrogate, in the name
        raise GivenError(f"{str(path)!r}: is no name of a file: {error}") from error
    try:
        _check_regular(path, os.fstat(file).st_mode)
        return os.fdopen(file, "rb")
    except BaseException:
        os.close(file)
        raise


def _check_regular(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise GivenError(f"{path}: is a folder: name a file")
    if not stat.S_ISREG(mode):
        raise GivenError(f"{path}: is no regular file but a FIFO, a socket or a device: copy it into a file first")


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a regular file of at most so many bytes. Raises GivenError."""
    with open_regular(path) as stream:
        try:
            data = stream.read(most + 1)
        except (OSError, MemoryError) as error:
            raise GivenError(f"{path}: can't be read: {error}") from error
    if len(data) > most:
        raise GivenError(f"{path}: has more than {most:,} bytes, which no such file has: name another one")
    return data


def text_of(data: bytes, name: object) -> str:
    """The text of bytes in UTF-8; ``name`` is what errors call it. Raises GivenError, naming the line."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GivenError(f"{name}: line {line} is not UTF-8: {error.reason}: save it as UTF-8") from error


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """The text of a regular file in UTF-8. Raises GivenError."""
    return text_of(read_bytes(path, most), path)


def json_of(text: str, name: object) -> Any:
    """The value of a JSON document, without NaN and infinities; ``name`` is what errors call it. Raises GivenError."""
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise GivenError(
            f"{name}: not JSON, so the file is corrupt: {error.msg}: line {error.lineno} column {error.colno}"
        ) from error
    except RecursionError as error:
        raise GivenError(f"{name}: not JSON that can be read: more than {MOST_LEVELS} levels deep") from error
    except ValueError as error:
        raise GivenError(f"{name}: not JSON that can be read: {error}") from error
    check_levels(value, name)
    return value


def read_json(path: Path, most: int = MOST_BYTES) -> Any:
    """The value of a JSON file. Raises GivenError."""
    return json_of(read_text(path, most), path)


def toml_of(text: str, name: object) -> dict[str, Any]:
    """The table of a TOML document; ``name`` is what errors call it. Raises GivenError."""
    try:
        table = tomllib.loads(text)
    except RecursionError as error:
        raise GivenError(f"{name}: not TOML that can be read: more than {MOST_LEVELS} levels deep") from error
    except ValueError as error:  # TOMLDecodeError, and a number of thousands of digits
        raise GivenError(f"{name}: not TOML: {error}") from error
    check_levels(table, name)
    return table


def check_levels(value: object, name: object) -> None:
    """Look how deep a plain value is. Raises GivenError for one that is deeper than our own files are."""
    level: Iterable[object] = [value]
    for _ in range(MOST_LEVELS + 1):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise GivenError(f"{name}: is more than {MOST_LEVELS} levels deep: name a file of ours")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise ValueError(f"{brief(twice)} is given twice in one object: keep one of them")
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def reason(error: Exception) -> str:
    """What is wrong, as the error says that names the file: cut if it is long, as what it quotes may be."""
    told = str(error)
    return told if len(told) <= _REASON else f"{told[: _REASON - 1]}…"


def brief(value: object) -> str:
    """A value as an error shows it: its ``repr``, cut if it is long."""
    try:
        told = repr(value)
    except (RecursionError, ValueError):  # a number of thousands of digits
        return f"a {type(value).__name__}"
    return told if len(told) <= _SHOWN else f"{told[: _SHOWN - 1]}…"

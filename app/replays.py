"""Replay files: one divergence with all that is needed to show it again on any store."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsconform.app.whole import write_whole
from fsconform.model.filesystem.programs import Program, decode_program
from fsconform.records.given import GivenError, read_json

VERSION = 1


class ReplayError(ValueError):
    """A replay file that can't be used. The text names the file and what is wrong."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A program with the signature it showed, the store it showed it on and the contract it was judged under."""

    signature: str
    verdict: str
    store: str
    program: Program
    contract: dict[str, Any]
    quirks: tuple[str, ...] = ()
    """The sets of known bugs that it was judged with, by the names of their stores."""
    traceback: str = ""
    """Of an error in fsconform's own code, which its verdict says: where it was raised."""


def write(path: Path, replay: Replay, program: list[dict[str, Any]]) -> None:
    """Write a replay file; ``program`` is the encoded program. Raises OSError."""
    row = {
        "fsconform-replay": VERSION,
        "signature": replay.signature,
        "verdict": replay.verdict,
        "store": replay.store,
        "contract": replay.contract,
        **({"quirks": list(replay.quirks)} if replay.quirks else {}),
        "program": program,
        **({"traceback": replay.traceback} if replay.traceback else {}),
    }
    write_whole(path, (json.dumps(row, indent=1, ensure_ascii=True) + "\n").encode())


def read(path: Path) -> Replay:
    """Read a replay file. Raises ReplayError."""
    try:
        row = read_json(path)
    except GivenError as error:
        raise ReplayError(str(error)) from error
    version = row.get("fsconform-replay") if isinstance(row, dict) else None
    if type(version) is not int or version != VERSION:
        raise ReplayError(f'{path}: not a replay file of version {VERSION}: "fsconform-replay" is missing or differs')
    try:
        texts = [row[name] for name in ("signature", "verdict", "store")]
        if not all(isinstance(text, str) for text in texts) or not isinstance(row["contract"], dict):
            raise ValueError("signature, verdict and store are texts, contract is an object")
        quirks = row.get("quirks", [])
        if not isinstance(quirks, list) or not all(isinstance(name, str) for name in quirks):
            raise ValueError("quirks is a list of names of stores")
        traceback = row.get("traceback", "")
        if not isinstance(traceback, str):
            raise ValueError("traceback is a text")
        program = decode_program(row["program"])
        return Replay(texts[0], texts[1], texts[2], program, row["contract"], tuple(quirks), traceback)
    except KeyError as error:
        raise ReplayError(f"{path}: it has no {error}: take a replay file that `fsconform run` wrote") from error
    except ValueError as error:
        raise ReplayError(f"{path}: {error}: take a replay file that `fsconform run` wrote") from error

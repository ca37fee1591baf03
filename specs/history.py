"""Bugs and changes of real stores that were told in public, and which of them a program at the interface can show."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Entry:
    """One report. ``witnesses`` names the seeded faults that reproduce it, and witnesses that show it.

    ``lacks`` says what programs would have to do that they cannot yet, where nothing shows it so far; ``why`` says why
    no client can see it, or why what it sees can't be held against a store.
    """

    id: str
    store: str
    title: str
    observable: bool
    witnesses: tuple[str, ...] = ()
    lacks: str = ""
    why: str = ""


@cache
def history() -> dict[str, Entry]:
    """All entries by id. Raises ValueError for one that is repeated or tells too little or too much."""
    found: dict[str, Entry] = {}
    text = (resources.files("fsconform.specs") / "history.toml").read_text("utf-8")
    for row in tomllib.loads(text)["entry"]:
        entry = Entry(**{**row, "witnesses": tuple(row.get("witnesses", ()))})
        told = (bool(entry.witnesses), bool(entry.lacks), bool(entry.why))
        if entry.id in found or told.count(True) != 1 or entry.observable is told[2]:
            raise ValueError(f"history.toml: the entry of {entry.id} is repeated or broken")
        found[entry.id] = entry
    return found

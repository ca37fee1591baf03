"""Witnesses: committed programs, each deciding one clause or one value of an option."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from fsconform.model.filesystem.programs import Program, decode_program
from fsconform.specs import generated, quotas_at_their_edge, snapshots_of_directories, users_by_modes


@dataclass(frozen=True, slots=True)
class Witness:
    """A program and what it decides: clause ids, and options as ``name=value``. ``group`` is the name of its file."""

    name: str
    decides: tuple[str, ...]
    program: Program
    group: str
    root: bool = False
    """True for a program that needs the real root directory."""


@cache
def witnesses() -> tuple[Witness, ...]:
    """All witnesses, in the order of their files, and those made in code. Raises ValueError naming the broken one."""
    found = []
    folder = resources.files("fsconform.specs") / "witnesses"
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if not entry.name.endswith(".toml"):
            continue
        for row in tomllib.loads(entry.read_text("utf-8"))["witness"]:
            try:
                program = decode_program(row["program"])
            except ValueError as error:
                raise ValueError(f"{entry.name}: {row['name']}: {error}") from error
            found.append(Witness(row["name"], tuple(row["decides"]), program, entry.name[:-5], row.get("root", False)))
    made = (*generated.rows(), *users_by_modes.rows(), *quotas_at_their_edge.rows(), *snapshots_of_directories.rows())
    found += [Witness(name, decides, program, group) for name, decides, program, group in made]
    return tuple(found)

"""The clause catalogue: one row for each normative sentence, with its place, its level and how far it is modelled."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

STATUSES = ("modelled", "untestable")


@dataclass(frozen=True, slots=True)
class Clause:
    """A row of the catalogue. ``document`` and ``section`` say where it stands; ``why`` says why it is untestable."""

    id: str
    document: str
    section: str
    level: str
    statement: str
    status: str
    why: str = ""


@cache
def catalogue() -> dict[str, Clause]:
    """All clauses by id. Raises ValueError for a broken or repeated row."""
    found: dict[str, Clause] = {}
    folder = resources.files("fsconform.specs") / "clauses"
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if not entry.name.endswith(".toml"):
            continue
        table = tomllib.loads(entry.read_text("utf-8"))
        document = table["document"]
        for row in table["clause"]:
            clause = Clause(
                row["id"],
                document,
                row["section"],
                row["level"],
                row["statement"],
                row.get("status", "modelled"),
                row.get("why", ""),
            )
            if (
                clause.id in found
                or clause.status not in STATUSES
                or (clause.status == "untestable") is not bool(clause.why)
            ):
                raise ValueError(f"{entry.name}: the row of {clause.id} is repeated or broken")
            found[clause.id] = clause
    return found

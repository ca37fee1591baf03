"""The clause catalogue: one row for each normative sentence, with its place, its level and how far it is modelled."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

STATUSES = ("modelled", "raced", "replicated", "restated", "untestable", "open")
"""``raced``: judged by what several clients at once see, or what is seen after a fault. ``replicated``: judged on the
machines of a cluster, by the suites of blocks and replicas, or by copycheck. ``restated``: other clauses, which are
judged, say the same. ``open``: a program could show it, and nothing judges it, or not all of it."""

JUDGED = STATUSES[:3]

BASES = ("published", "javadoc", "proposal", "derived")
"""Where a clause comes from: the released documents; the Javadoc of the API; a document that no release publishes;
our own reading, where no sentence says it. What the paper on HDFS and the history of appends promise is published, and
derived what they describe."""

SUITES = ("pipeline", "replicas", "placement", "namespace", "upgrade")
"""The suites that are to judge what is open of the documents of prose."""

RACE_SUITES = ("races", "freshness", "stream-races", "crash", "power", "medium", "wire")
"""The suites that judge by histories of several clients, most of them while something fails."""

BINDING = BASES[:2]
"""What breaks a MUST on its own."""

AREAS = (
    "paths",
    "namespace",
    "metadata",
    "listing",
    "builders",
    "capabilities",
    "uploads",
    "streams",
    "concurrency",
    "statistics",
    "programming",
    "replication",
    "persistence",
    "markers",
)
"""What a clause is of; ``programming`` is for classes and their loading, not for what a store does. ``replication`` is
of replicas on the nodes of a cluster, ``persistence`` of what restarts, upgrades and failovers keep."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A row of the catalogue. ``document`` and ``section`` say where it stands; ``why`` says why it is untestable.

    ``basis`` is one of ``BASES``: what the clause rests on, and with that what breaking it weighs. ``suite`` is one of
    ``SUITES``, which is to judge a clause that is open. ``by`` names the clauses, all of them judged, that say the same
    as one that is restated, or a part of what one says that is open. ``judged_in`` has those of ``RACE_SUITES`` that
    judge it.
    """

    id: str
    document: str
    section: str
    level: str
    statement: str
    status: str
    why: str = ""
    area: str = "namespace"
    basis: str = "published"
    suite: str = ""
    by: tuple[str, ...] = ()
    judged_in: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Where it stands; empty where nobody says."""
        return ", ".join(filter(None, (self.document, self.section)))


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
                row.get("why") or _said_by(row),
                row.get("area", table.get("area", "namespace")),
                row.get("basis", table["basis"]),
                row.get("suite", ""),
                tuple(row.get("by", ())),
                tuple(row.get("judged_in", ())),
            )
            if (
                clause.id in found
                or clause.status not in STATUSES
                or clause.area not in AREAS
                or clause.basis not in BASES
                or (clause.status in ("untestable", "restated")) is not bool(clause.why)
                or (clause.suite and (clause.suite not in SUITES or clause.status != "open"))
                or (clause.status == "restated") > bool(clause.by)
                or (clause.by and clause.status not in ("restated", "open"))
                or not {*clause.judged_in} <= {*RACE_SUITES}
            ):
                raise ValueError(f"{entry.name}: the row of {clause.id} is repeated or broken")
            found[clause.id] = clause
    return found


def _said_by(row: dict[str, Any]) -> str:
    """Why a row that is restated is not judged by itself, where it says no more than by which it is."""
    return f"judged as {', '.join(row['by'])}" if row.get("status") == "restated" and row.get("by") else ""

"""The clause catalogue: one row for each normative sentence, with its place, its level and how far it is modelled."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

STATUSES = ("modelled", "raced", "replicated", "untestable", "open")
"""``raced``: judged by what several clients at once see. ``replicated``: judged on the machines of a cluster, by the
suites of blocks and replicas. ``open``: a program could show it, and nothing judges it."""

BASES = ("published", "javadoc", "proposal", "derived")
"""Where a clause comes from: the released documents; the Javadoc of the API; a document that no release publishes;
our own reading, where no sentence says it. What the paper on HDFS and the history of appends promise is published, and
derived what they describe."""

SUITES = ("pipeline", "replicas", "placement", "leases", "namespace", "upgrade", "copycheck")
"""The suites that are to judge what is open of the documents of prose."""

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
    ``SUITES``, which is to judge a clause that is open.
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
                row.get("why", ""),
                row.get("area", table.get("area", "namespace")),
                row.get("basis", table["basis"]),
                row.get("suite", ""),
            )
            if (
                clause.id in found
                or clause.status not in STATUSES
                or clause.area not in AREAS
                or clause.basis not in BASES
                or (clause.status == "untestable") is not bool(clause.why)
                or (clause.suite and (clause.suite not in SUITES or clause.status != "open"))
            ):
                raise ValueError(f"{entry.name}: the row of {clause.id} is repeated or broken")
            found[clause.id] = clause
    return found

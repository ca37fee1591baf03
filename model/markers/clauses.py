"""The rules on directory markers: one row each, with its place in the document on directory markers of Hadoop."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule in our own words, and the section that it comes from. ``since`` is the release whose document has it."""

    id: str
    section: str
    statement: str
    since: str = "3.3.1"


_ROWS = (
    Clause("markers.mkdirs", "What does mkdirs() do?", "mkdirs leaves an object under the name and a slash."),
    Clause(
        "markers.leaf",
        "The directory concept",
        "An empty directory stays: after a delete or a rename that takes the last child away its marker is there.",
    ),
    Clause(
        "markers.delete",
        "Controlling marker retention",
        "Under the policy delete no marker is left above a file or directory that was made.",
    ),
    Clause(
        "markers.keep",
        "Controlling marker retention",
        "Under the policy keep markers above a file or directory that is made stay.",
    ),
    Clause(
        "markers.authoritative",
        "Controlling marker retention",
        "Under the policy authoritative markers stay if what is made is in such a directory, and go otherwise.",
    ),
    Clause(
        "markers.request",
        "The Problem with Directory Markers",
        "Where markers are not kept, making a file asks once for the deletion of all markers above it.",
    ),
    Clause(
        "markers.no-request",
        "Controlling marker retention",
        "Where markers are kept, making a file or directory asks for no deletion.",
    ),
    Clause("markers.files", "The directory concept", "No call loses files or markers of others."),
    Clause(
        "markers.rename",
        "History, Hadoop 3.5",
        "Renaming a directory takes its leaf markers along, and leaves its surplus markers behind.",
        "3.5.0",
    ),
    Clause(
        "markers.tombstones",
        "The Problem with Directory Markers",
        "In a versioned bucket making a file leaves tombstones where markers are not kept, and none where they are.",
    ),
    Clause(
        "markers.capability",
        "Probing for retention via PathCapabilities and StreamCapabilities",
        "A client's answers to the six probes, and to the one of StreamCapabilities, are those of its policy.",
    ),
    Clause(
        "markers.aware",
        "Critical: this is not backwards compatible!",
        "A client that says it is aware of kept markers misses nothing that lies below them.",
    ),
)

CLAUSES = {row.id: row for row in _ROWS}

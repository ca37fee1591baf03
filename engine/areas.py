"""The families of operations, as the specification's headings have them: under which area a departure is told."""

from __future__ import annotations

AREAS: dict[str, str] = {
    "mkdirs": "namespace",
    "exists": "namespace",
    "getFileStatus": "namespace",
    "listStatus": "listing",
    "create": "content",
    "append": "content",
    "open": "content",
    "rename": "rename",
    "delete": "delete",
    "invariant": "namespace",  # a tree that is no filesystem
}
"""For each operation, by its name in a finding, the area it belongs to."""


def area_of(operation: str) -> str:
    """The area of an operation; an operation that is none of the core's is an area of its own."""
    return AREAS.get(operation, operation)

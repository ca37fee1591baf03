"""Paths as the specification's model has them: tuples of path elements; the root is the empty tuple.

Source: model.md, "Paths and Path Elements"; introduction.md, "Path Names".
"""

from __future__ import annotations

Path = tuple[str, ...]
ROOT: Path = ()

FORBIDDEN_CHARACTERS = frozenset("/:")
FORBIDDEN_ELEMENTS = frozenset(("", ".", "..", "/"))


def parse(text: str) -> Path:
    """The path that an absolute string such as ``/a/b`` denotes.

    Raises ValueError when the text is not absolute. Elements are taken as they are: nothing is normalised.
    """
    if not text.startswith("/"):
        raise ValueError(f"not an absolute path: {text[:60]!r}")
    return tuple(text[1:].split("/")) if len(text) > 1 else ROOT


def show(path: Path) -> str:
    """The string form of a path: ``/`` for the root."""
    return "/" + "/".join(path)


def valid_element(element: str) -> bool:
    """valid-path-element of model.md."""
    return element not in FORBIDDEN_ELEMENTS and FORBIDDEN_CHARACTERS.isdisjoint(element)


def valid(path: Path) -> bool:
    """valid-path of model.md: every element is valid."""
    return all(map(valid_element, path))


def is_ancestor(ancestor: Path, path: Path) -> bool:
    """True if ``path`` is a proper descendant of ``ancestor``."""
    return len(ancestor) < len(path) and path[: len(ancestor)] == ancestor

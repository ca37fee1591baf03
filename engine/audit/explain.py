"""Saying to a person why no namespace allows a line: what is known of the places on its paths."""

from __future__ import annotations

from fsconform.engine.audit.effects import Effects, resolved
from fsconform.engine.audit.lines import Entry, Names
from fsconform.engine.audit.tree import ABSENT, DIRECTORY, FILE, LINK, Node

_KINDS = ((ABSENT, "absent"), (FILE, "a file"), (DIRECTORY, "a directory"), (LINK, "a link"))


def shown(path: Names) -> str:
    """A path for a person."""
    return "/" + "/".join(path)


def said(node: Node) -> str:
    """What is known of a node, in words."""
    if node.kinds == ABSENT | DIRECTORY and node.complete and not node.children:
        return "gone (absent, or a directory that no line tells of)"
    return " or ".join(word for kind, word in _KINDS if node.kinds & kind)


def reason(effects: Effects, root: Node, entry: Entry) -> str:
    """Why an entry is not possible in a tree: the last known node on each of its paths."""
    found = []
    for path in entry.paths:
        place = resolved(path)
        if place is None:
            continue
        depth = 0
        while depth < len(place) and effects.shape.at(root, place[:depth]).kinds & DIRECTORY:
            depth += 1
        depth = depth if effects.shape.at(root, place[:depth]).kinds & DIRECTORY else max(depth, 0)
        found.append(f"{shown(place[:depth])} is {said(effects.shape.at(root, place[:depth]))}")
    return f"{entry.command} succeeded, yet " + ", and ".join(dict.fromkeys(found)) if found else "it can't be"

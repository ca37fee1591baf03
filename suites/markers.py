"""Programs for directory markers: one for each rule, all short ones over a small universe, and random ones."""

from __future__ import annotations

import random
from collections.abc import Iterator

from fsconform.model.markers.calls import Call, Held, allowed, expected
from fsconform.model.markers.policy import Policy, Retention

Program = tuple[Call, ...]

DIRECTORIES = ("a", "a/b", "a/b/c", "d")
FILES = ("a/f", "a/b/f", "d/f")
PATHS = (*DIRECTORIES, *FILES)
LONGEST = 6

_ANY = Retention(Policy.KEEP)
"""Whether a call must succeed is the same under all policies."""


def of(text: str) -> Program:
    """A program written as ``mkdirs a; create a/f``."""
    return tuple(Call(*part.split()) for part in text.split("; "))  # type: ignore[arg-type]


WITNESSES = tuple(
    map(
        of,
        (
            "mkdirs a/b",
            "mkdirs a; mkdirs a/b",
            "mkdirs a; mkdirs a/b; mkdirs a/b/c",
            "mkdirs a; create a/f",
            "mkdirs a/b; create a/b/f",
            "mkdirs a; mkdirs a/b; create a/b/f",
            "create a/b/f; create a/f",
            "create a/b/f; delete a/b/f",
            "create a/b/f; delete a/b",
            "mkdirs a; create a/f; delete a/f",
            "mkdirs a/b; delete a/b",
            "mkdirs a; mkdirs a/b; delete a/b",
            "mkdirs a; create a/f; mkdirs a",
            "mkdirs a; create a/f; rename a d",
            "mkdirs a; mkdirs a/b; rename a d",
            "mkdirs a; mkdirs a/b; create a/f; rename a d",
            "mkdirs d; create a/f; rename a/f d/f",
            "mkdirs d; mkdirs a; rename a d/a",
            "create a/f; create a/f",
        ),
    )
)


def calls(held: Held) -> Iterator[Call]:
    """All calls on the universe that have to succeed; files and directories have names of their own."""
    for path in PATHS:
        made = Call("create" if path in FILES else "mkdirs", path)
        targets = FILES if path in FILES else DIRECTORIES
        for call in (made, Call("delete", path), *(Call("rename", path, to) for to in targets)):
            if allowed(call, held):
                yield call


def after(program: Program) -> Held | None:
    """What a program leaves, under a policy that keeps everything; None if one of its calls need not succeed."""
    held = Held()
    for call in program:
        if not allowed(call, held):
            return None
        held = expected(call, held, _ANY).held
    return held


def short(length: int) -> Iterator[Program]:
    """All programs of so many calls."""
    if not length:
        yield ()
        return
    for begun in short(length - 1):
        held = after(begun)
        assert held is not None
        for call in calls(held):
            yield (*begun, call)


def drawn(seed: int) -> Iterator[Program]:
    """Random programs without end, the same ones for the same seed. What makes something is drawn more often."""
    dice = random.Random(seed)
    while True:
        held, program = Held(), []
        for _ in range(dice.randint(2, LONGEST)):
            found = list(calls(held))
            weights = [3 if call.what in ("mkdirs", "create") else 1 for call in found]
            (call,) = dice.choices(found, weights)
            program.append(call)
            held = expected(call, held, _ANY).held
        yield tuple(program)

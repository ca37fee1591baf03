"""A stream is opened to write a file; and how calls on such streams are drawn.

Source: outputstream.md; filesystem.md, create and append.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import MAKERS, Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path

if TYPE_CHECKING:
    from random import Random

MODES = ("create", "overwrite", "append")
"""How a file is opened to be written: ``create(path, false)``, ``create(path, true)``, ``append(path)``."""

UNCHECKED = "unchecked"
"""The way by which a stream is opened that writes no checksums."""


@operation
@dataclass(frozen=True, slots=True)
class OpenWriter(Operation):
    """A stream is opened to write a file, by one of ``MODES``; via builder by createFile or appendFile.

    Via unchecked by a client that writes no checksums: ``setWriteChecksum(false)`` comes before it.
    """

    NAME: ClassVar[str] = "open to write"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("builder", UNCHECKED)
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"mode": MODES}
    path: Path
    stream: str
    mode: str
    via: str = ""


_ENDED = 2
"""Of eight calls, how many are on a stream that was closed or aborted, where there is one."""

_EIGHTHS = 8


@drawn(OpenWriter)
def _draw(draft: Draft, dice: Random, path: Path) -> OpenWriter:
    known = draft.state.writers if draft.state is not None else {}
    name = f"w{sum(not one.startswith(' ') for one in known) + 1}"
    way = dice.randrange(2 * _EIGHTHS)
    via = "builder" if way < 2 else UNCHECKED if way == 2 else ""
    return OpenWriter(path, name, dice.choice(MODES), via)


OnStream = Callable[[Draft, "Random", str], Operation]
"""From a draft, dice and the name of a stream to an operation."""


def drawn_on_stream(kind: type[Operation]) -> Callable[[OnStream], OnStream]:
    """Enter how a call on a stream is drawn: mostly on one that is open; without any, one is opened. A decorator."""

    def enter(make: OnStream) -> OnStream:
        def maker(draft: Draft, dice: Random, path: Path) -> Operation:
            known = draft.state.writers if draft.state is not None else {}
            names = {name: one for name, one in known.items() if not name.startswith(" ")}
            opened = sorted(name for name, one in names.items() if one.phase == "open")
            ended = sorted(names.keys() - set(opened))
            if ended and (not opened or dice.randrange(_EIGHTHS) < _ENDED):
                opened = ended
            return make(draft, dice, dice.choice(opened)) if opened else _draw(draft, dice, path)

        MAKERS[kind] = maker
        return make

    return enter

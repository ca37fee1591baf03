"""How calls on streams that write are drawn: mostly on one that is open, sometimes on one that is closed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.operations import Operation
from fsconform.model.filesystem.operations.checksums import CreateUnchecked
from fsconform.model.filesystem.operations.writers import (
    CAPABILITIES,
    MISUSES,
    MODES,
    SYNCS,
    UNCHECKED,
    AbortWriter,
    CloseWriter,
    Observe,
    OpenWriter,
    SetDropBehind,
    Sync,
    Write,
    WriterCapability,
    WriterPosition,
    WriteWrongly,
)

if TYPE_CHECKING:
    from fsconform.suites.drafts import Draft

_ENDED = 2
"""Of eight calls, how many are on a stream that was closed or aborted, where there is one."""

_EIGHTHS = 8
_CLOSES = ("", "", "", "", "timed", "window")
"""The ways of close, of which the last waits a while."""

Maker = Callable[["Draft", Random, Path], Operation]


def _open(draft: Draft, dice: Random, path: Path) -> Operation:
    known = draft.state.writers if draft.state is not None else {}
    name = f"w{sum(not one.startswith(' ') for one in known) + 1}"
    way = dice.randrange(2 * _EIGHTHS)
    via = "builder" if way < 2 else UNCHECKED if way == 2 else ""
    return OpenWriter(path, name, dice.choice(MODES), via)


def _written(path: Path, draft: Draft, dice: Random) -> Path:
    """The path of a stream, more often than another one."""
    known = sorted(one.path for one in draft.state.writers.values()) if draft.state is not None else []
    return dice.choice(known) if known and dice.randrange(_EIGHTHS) < 6 else path


def _on_stream(make: Callable[[Draft, Random, str], Operation]) -> Maker:
    """A call on a stream; without any, one that opens it."""

    def maker(draft: Draft, dice: Random, path: Path) -> Operation:
        known = draft.state.writers if draft.state is not None else {}
        names = {name: one for name, one in known.items() if not name.startswith(" ")}
        opened = sorted(name for name, one in names.items() if one.phase == "open")
        ended = sorted(names.keys() - set(opened))
        if ended and (not opened or dice.randrange(_EIGHTHS) < _ENDED):
            opened = ended
        return make(draft, dice, dice.choice(opened)) if opened else _open(draft, dice, path)

    return maker


def _write(draft: Draft, dice: Random, name: str) -> Operation:
    via = dice.choice(("", "", "", *Write.VIAS))
    content = draft.content(dice)
    return Write(name, content, "" if via == "bytes" and sum(one.length for one in content) > 600 else via)


MAKERS: dict[type[Operation], Maker] = {
    OpenWriter: _open,
    Write: _on_stream(_write),
    WriteWrongly: _on_stream(lambda draft, dice, name: WriteWrongly(name, dice.choice(MISUSES))),
    Sync: _on_stream(lambda draft, dice, name: Sync(name, dice.choice(SYNCS))),
    CloseWriter: _on_stream(lambda draft, dice, name: CloseWriter(name, dice.choice(_CLOSES))),
    AbortWriter: _on_stream(lambda draft, dice, name: AbortWriter(name, dice.choice(("", "", "threads")))),
    WriterCapability: _on_stream(lambda draft, dice, name: WriterCapability(name, dice.choice(CAPABILITIES))),
    SetDropBehind: _on_stream(lambda draft, dice, name: SetDropBehind(name, dice.choice(("true", "false", "null")))),
    WriterPosition: _on_stream(lambda draft, dice, name: WriterPosition(name)),
    CreateUnchecked: lambda draft, dice, path: CreateUnchecked(path, draft.content(dice), dice.random() < 0.5),
    Observe: lambda draft, dice, path: Observe(_written(path, draft, dice)),
}

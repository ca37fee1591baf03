"""Faults of what streams that write tell of where they are, and of when they were closed."""

from __future__ import annotations

from fsconform.proving.faults.writers import writing
from fsconform.proving.outputs import DelayedWriter, Writer

_POSITION = "outputstream.getPos.post"


@writing(_POSITION, "writer-position-saved", "the position counts only what is saved already")
class _Saved(Writer):
    def position(self) -> int:
        return super().position() - len(self.held)


@writing(_POSITION, "writer-position-appended", "the position of a stream that appends begins at 0")
class _Appended(Writer):
    def begin(self, mode: str) -> None:
        super().begin(mode)
        self.skipped = self.position() if mode == "append" else 0

    def position(self) -> int:
        return super().position() - getattr(self, "skipped", 0)


@writing(_POSITION, "writer-position-overwritten", "a stream that overwrites begins behind the old data")
class _Overwritten(DelayedWriter):
    def begin(self, mode: str) -> None:
        super().begin(mode)
        old = self.store.nodes.get(self.key)
        self.old = len(old.data) if mode == "overwrite" and old is not None and old.data is not None else 0

    def position(self) -> int:
        return super().position() + self.old


@writing(
    "outputstream.close.post.modification-time-window",
    "writer-closed-as-opened",
    "a file that is closed has the time it was opened at",
)
class _AsOpened(Writer):
    def finish(self) -> None:
        super().finish()
        if self.node is not None:
            self.store.kept(self.node).modified = self.opened

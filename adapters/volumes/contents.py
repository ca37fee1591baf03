"""A file's bytes as they are now, and as they would be once the power was lost. Pure: no I/O, no clock, no chance.

What real filesystems do, and no more: the cache of pages is written back page by page, each page at any moment since it
was synced last, so that a page may survive as it was after any of its changes; pages know nothing of one another. The
size, and what a truncation takes away, is a matter of the inode: its changes survive in their order. So a size may
survive without its data (zeros are read then), and data without its size (which is lost with it), and what was written
after a truncation never survives without the truncation, as its blocks are others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

PAGE = 4096
"""Bytes of what a cache writes back in one."""
SECTOR = 512
"""Bytes of what a medium writes whole or not at all."""

_ZEROS = bytes(PAGE)


class Piece(NamedTuple):
    """A change of a page: bytes put at ``start`` of it, or all from there on cut away where ``data`` is None."""

    moment: int
    start: int
    data: bytes | None


class Resize(NamedTuple):
    """A change of the size: by a truncation (to either side), or by a write past the end."""

    moment: int
    size: int
    truncation: bool


class Write(NamedTuple):
    """Where the last write was, and the size before it."""

    moment: int
    offset: int
    length: int
    size_before: int


@dataclass(slots=True)
class Contents:
    """The bytes of one file. ``pages`` and ``size`` are what is there; ``kept_*`` what no loss of power takes."""

    size: int = 0
    pages: dict[int, bytes] = field(default_factory=dict)
    kept_size: int = 0
    kept_pages: dict[int, bytes] = field(default_factory=dict)
    pieces: dict[int, list[Piece]] = field(default_factory=dict)
    """Of each page what is pending, in order."""
    resizes: list[Resize] = field(default_factory=list)
    last: Write | None = None
    """The last write, if it is pending in whole and nothing was truncated since."""

    @property
    def pending(self) -> bool:
        """Whether a loss of power could change anything."""
        return bool(self.pieces or self.resizes)

    @property
    def truncating(self) -> bool:
        """Whether a truncation is pending."""
        return any(one.truncation for one in self.resizes)

    def read(self, offset: int, length: int) -> bytes:
        """The bytes from ``offset`` on, at most so many, none from past the end."""
        end = min(offset + length, self.size)
        if end <= offset:
            return b""
        first, last = offset // PAGE, (end - 1) // PAGE
        whole = b"".join([self.pages.get(page, _ZEROS) for page in range(first, last + 1)])
        return whole[offset - first * PAGE : end - first * PAGE]

    def write(self, moment: int, offset: int, data: bytes) -> None:
        """Put bytes at ``offset``; what lies between the end and them reads as zeros."""
        if not data:
            return
        end = offset + len(data)
        self.last = Write(moment, offset, len(data), self.size)
        for page, start, at, length in _pages_of(offset, len(data)):
            part = data[at : at + length]
            self.pieces.setdefault(page, []).append(Piece(moment, start, part))
            self.pages[page] = part if length == PAGE else _patched(self.pages.get(page, _ZEROS), start, part)
        if end > self.size:
            self.size = end
            self.resizes.append(Resize(moment, end, False))

    def truncate(self, moment: int, size: int) -> None:
        """Set the size; what is cut away is gone, what is new reads as zeros."""
        if size < self.size:
            first = size // PAGE
            for page in [one for one in self.pages.keys() | self.kept_pages.keys() if one >= first]:
                start = size - page * PAGE if page == first else 0
                self.pieces.setdefault(page, []).append(Piece(moment, start, None))
                _cut(self.pages, page, start)
        if size != self.size:
            self.size, self.last = size, None
            self.resizes.append(Resize(moment, size, True))

    def sync(self) -> None:
        """All that is there is durable from now on."""
        for page in self.pieces:
            self._keep(page)
        self.kept_size = self.size
        self._nothing_pending()

    def sync_range(self, offset: int, length: int) -> None:
        """The pages of this range, and the size, are durable from now on; other pages are what they were."""
        if self.resizes:
            self.settle(self.resizes[-1].moment)
        synced = {page for page, *_ in _pages_of(offset, length)}
        for page in synced & self.pieces.keys():
            self._keep(page)
            del self.pieces[page]
        self.kept_size, self.resizes = self.size, []
        last = self.last
        if last is not None and not synced.isdisjoint(page for page, *_ in _pages_of(last.offset, last.length)):
            self.last = None

    def settle(self, until: int) -> None:
        """Truncations up to a moment are durable from now on, and no data: what a journal commits of a file."""
        cuts = [number for number, one in enumerate(self.resizes) if one.truncation and one.moment <= until]
        if not cuts:
            return
        settled, later = self.resizes[: cuts[-1] + 1], self.resizes[cuts[-1] + 1 :]
        now = seen = self.kept_size
        written: list[Resize] = []
        for one in settled:
            if one.truncation:
                now = min(now, one.size) if one.size < seen else one.size
                written = [old._replace(size=min(old.size, one.size)) for old in written]
            else:
                written.append(one)
            seen = one.size
        self.kept_size, self.resizes = now, [one for one in written if one.size > now] + later
        for page in list(self.pieces):
            left: list[Piece] = []
            for piece in self.pieces[page]:
                if piece.data is not None or piece.moment > until:
                    left.append(piece)
                else:
                    _cut(self.kept_pages, page, piece.start)
                    left = [one for one in (_before(old, piece.start) for old in left) if one is not None]
            if left:
                self.pieces[page] = left
            else:
                del self.pieces[page]

    def flip(self, offset: int, mask: int) -> None:
        """Change bits of one byte on the medium: not a write, so that it is durable. Past the end nothing happens."""
        if not 0 <= offset < self.size:
            return
        page, start = divmod(offset, PAGE)
        for pages in (self.pages, self.kept_pages):
            old = pages.get(page, _ZEROS)
            pages[page] = _patched(old, start, bytes((old[start] ^ mask,)))

    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Offset and length of what was written and is not synced, as one reads it now: in order, none touching."""
        found: list[tuple[int, int]] = []
        for page in sorted(self.pieces):
            for piece in self.pieces[page]:
                if piece.data is not None:
                    at = page * PAGE + piece.start
                    found.append((at, min(self.size, at + len(piece.data))))
        merged: list[tuple[int, int]] = []
        for start, end in sorted(one for one in found if one[0] < one[1]):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return tuple((start, end - start) for start, end in merged)

    def lose_all(self) -> None:
        """The power is lost, and with it all that is pending."""
        self.size, self.pages = self.kept_size, dict(self.kept_pages)
        self._nothing_pending()

    def lose_some(self, dice: Random, ordered: bool, committed: int) -> None:
        """The power is lost, and chance decides what of the pending survives.

        Where it is ``ordered``, truncations survive up to the moment ``committed`` and no others, and a size that a
        write made survives with the bytes of that write only.
        """
        if ordered:
            self.settle(committed)
        cuts = [number for number, one in enumerate(self.resizes) if one.truncation] if ordered else []
        self._survive(dice, self.resizes[: dice.randint(0, cuts[0] if cuts else len(self.resizes))], ordered)

    def tearable(self, ordered: bool, committed: int) -> bool:
        """Whether the last write may survive in part, of which at least one sector is lost and one is not."""
        if self.last is None or len(_sectors(self.last)) < 2:
            return False
        return not ordered or all(one.moment <= committed for one in self.resizes if one.truncation)

    def tear(self, dice: Random, ordered: bool) -> tuple[int, ...]:
        """The power is lost within the last write; the offsets of its sectors that survived.

        Chance decides which. Where it is ``ordered`` and the write made the file longer, they are the first ones, and
        the file ends with them.
        """
        last = self.last
        assert last is not None
        sectors = _sectors(last)
        found = {start: self.read(start, SECTOR) for start in sectors}
        for page, *_ in _pages_of(last.offset, last.length):
            self.pieces[page] = [one for one in self.pieces[page] if one.moment != last.moment]
            if not self.pieces[page]:
                del self.pieces[page]
        self.resizes = [one for one in self.resizes if one.moment != last.moment]
        self._survive(dice, self.resizes, ordered)
        count = dice.randint(1, len(sectors) - 1)
        longer = last.offset + last.length > last.size_before
        chosen = sectors[:count] if ordered and longer else sorted(dice.sample(sectors, count))
        for start in chosen:  # with what earlier writes put there: the medium gets the cache's page
            self.write(0, start, found[start])
        self.sync()
        return tuple(chosen)

    def _survive(self, dice: Random, survived: list[Resize], ordered: bool) -> None:
        until = survived[-1].moment if survived else 0
        with_data = {one.moment for one in survived if not one.truncation} if ordered else set[int]()
        eager = dice.choice((0.0, 0.5, 0.9))
        pages = self.kept_pages
        for page in sorted(self.pieces):
            pieces = self.pieces[page]
            first, last = 0, len(pieces)
            for number, piece in enumerate(pieces):
                if piece.data is None and piece.moment > until:
                    last = number
                    break
                if piece.data is None or piece.moment in with_data:
                    first = number + 1
            for piece in pieces[: last if dice.random() < eager else dice.randint(first, last)]:
                if piece.data is None:
                    _cut(pages, page, piece.start)
                else:
                    pages[page] = _patched(pages.get(page, _ZEROS), piece.start, piece.data)
        self.kept_size = survived[-1].size if survived else self.kept_size
        end, rest = divmod(self.kept_size, PAGE)
        for page in [one for one in pages if one >= end]:
            _cut(pages, page, rest if page == end else 0)
        self.lose_all()

    def _keep(self, page: int) -> None:
        if page in self.pages:
            self.kept_pages[page] = self.pages[page]
        else:
            self.kept_pages.pop(page, None)

    def _nothing_pending(self) -> None:
        self.pieces, self.resizes, self.last = {}, [], None


def _pages_of(offset: int, length: int) -> Iterator[tuple[int, int, int, int]]:
    """The pages of a range: number, where in the page it starts, where in the range that is, and how many bytes."""
    at = 0
    while at < length:
        page, start = divmod(offset + at, PAGE)
        size = min(PAGE - start, length - at)
        yield page, start, at, size
        at += size


def _sectors(write: Write) -> list[int]:
    """Where the sectors begin that a write changed."""
    return list(range(write.offset // SECTOR * SECTOR, write.offset + write.length, SECTOR))


def _patched(page: bytes, start: int, data: bytes) -> bytes:
    return page[:start] + data + page[start + len(data) :]


def _cut(pages: dict[int, bytes], page: int, start: int) -> None:
    """Take away what is in a page from ``start`` on; the whole page if that is all."""
    if start == 0:
        pages.pop(page, None)
    elif page in pages:
        pages[page] = pages[page][:start] + _ZEROS[start:]


def _before(piece: Piece, start: int) -> Piece | None:
    """What of a change lies before ``start``."""
    if piece.data is None or piece.start >= start:
        return None
    return piece._replace(data=piece.data[: start - piece.start])

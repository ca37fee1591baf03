"""The suites under ``pytest --store NAME``: a test for each area.

The plugin gives an item for each witness, and for each part of what explores further.
"""

from __future__ import annotations

from collections.abc import Callable

Piece = Callable[[], None]
"""Judges the piece of a suite that an item stands for."""


def test_attributes(fsconform_piece: Piece) -> None:
    """What a store keeps of a path beside its bytes, and calls that few stores have."""
    fsconform_piece()


def test_capabilities(fsconform_piece: Piece) -> None:
    """What streams say they can, open and closed, beside what they do."""
    fsconform_piece()


def test_changes(fsconform_piece: Piece) -> None:
    """Changes of the namespace and of files beyond the core."""
    fsconform_piece()


def test_content(fsconform_piece: Piece) -> None:
    """The bytes of files: sizes on the edges of buffers, appends."""
    fsconform_piece()


def test_delete(fsconform_piece: Piece) -> None:
    """Delete, above all in programs that are longer than those of the namespace."""
    fsconform_piece()


def test_full(fsconform_piece: Piece) -> None:
    """A store without space: only with ``-m full``, on a place that is small."""
    fsconform_piece()


def test_large(fsconform_piece: Piece) -> None:
    """Large content: only with ``-m large``."""
    fsconform_piece()


def test_limits(fsconform_piece: Piece) -> None:
    """Long names, deep paths, large directories. The search for limits itself is ``fsconform run --suite limits``."""
    fsconform_piece()


def test_listing(fsconform_piece: Piece) -> None:
    """Listings of directories, large ones too."""
    fsconform_piece()


def test_lookups(fsconform_piece: Piece) -> None:
    """Every way to list, to match and to sum up; and the core by its other ways in."""
    fsconform_piece()


def test_metadata(fsconform_piece: Piece) -> None:
    """What a store keeps of a path beside its bytes: owners, permissions, times, defaults, capabilities."""
    fsconform_piece()


def test_namespace(fsconform_piece: Piece) -> None:
    """The namespace: all operations of the core together."""
    fsconform_piece()


def test_paths(fsconform_piece: Piece) -> None:
    """Paths: hostile names, long names and deep paths."""
    fsconform_piece()


def test_protocols(fsconform_piece: Piece) -> None:
    """Iterators walked in every manner, and the trash."""
    fsconform_piece()


def test_races(fsconform_piece: Piece) -> None:
    """What several clients at once see, an item for each suite of races: only with ``-m races``."""
    fsconform_piece()


def test_rename(fsconform_piece: Piece) -> None:
    """Rename, above all in programs that are longer than those of the namespace."""
    fsconform_piece()


def test_root(fsconform_piece: Piece) -> None:
    """The real root directory of a store that is started for it: only with ``--fs-root``."""
    fsconform_piece()


def test_streams(fsconform_piece: Piece) -> None:
    """Streams that files are read and written by: positions, visibility, Syncable, leases, and what they refuse."""
    fsconform_piece()

"""What streams say they can, open and closed, beside what they do.

Run by ``pytest --store NAME``; the plugin gives an item for each witness, and for each part of what explores further.
"""

from __future__ import annotations

from collections.abc import Callable


def test_capabilities(fsconform_piece: Callable[[], None]) -> None:
    fsconform_piece()

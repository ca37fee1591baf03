"""Volumes for tests, where this machine can mount them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fsconform.adapters.volumes import mounts
from fsconform.adapters.volumes.durability import CAPACITY, Discipline
from fsconform.adapters.volumes.volume import Volume

Mounting = Callable[..., Volume]


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Mounting]:
    """Mounts a volume on a new folder; all are unmounted in the end."""
    if lack := mounts.lacking():
        pytest.skip(lack)
    with ExitStack() as stack:

        def made(discipline: Discipline = Discipline.POSIX, capacity: int = CAPACITY) -> Volume:
            number = len(list(tmp_path.glob("volume-*.log")))
            place = tmp_path / f"volume {number}"  # with a space, which the table of mounts escapes
            place.mkdir()
            try:
                volume = Volume(place, discipline, tmp_path / f"volume-{number}.log", capacity)
            except mounts.CannotMount as error:
                pytest.skip(str(error))
            return stack.enter_context(volume)

        yield made
    assert not [one for one in mounts.volumes() if one.path.is_relative_to(tmp_path)]

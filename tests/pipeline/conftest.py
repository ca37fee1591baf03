"""What the tests of campaigns share: a small order on the store in memory, and its units."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.campaigns.programs import enumerated_total
from fsconform.app.campaigns.units import Order, StoreOrder, leave
from fsconform.pipeline.depot import LocalDepot
from fsconform.pipeline.units import Unit, cut


@pytest.fixture
def order() -> Order:
    """The store in memory, with a fault, so that there is something to find."""
    return Order("c1", 5, (StoreOrder("proving", load_shipped("proving")),), fault="rename-copies", model="m")


@pytest.fixture
def units() -> Callable[[int, int], tuple[Unit, ...]]:
    """The units of so many programs of the suite namespace, of so many each."""
    return lambda programs, size: cut([("proving", "d")], ["namespace"], programs, size, enumerated_total)


@pytest.fixture
def depot(tmp_path: Path) -> LocalDepot:
    """A campaign's folder."""
    return LocalDepot(tmp_path / "out")


@pytest.fixture(autouse=True)
def nothing_stays_open() -> Iterator[None]:
    """A station that a test opened is closed."""
    yield
    leave()

"""The simulation of clusters: right where the answer is known, and bounded by what bounds it."""

from __future__ import annotations

import pytest

from fsconform.pipeline.simulate import Cluster, simulate


def test_what_is_known() -> None:
    """Units of one length divide as numbers do."""
    assert simulate(Cluster(4), [2.0], 8).seconds == pytest.approx(4.0)
    assert simulate(Cluster(4), [2.0], 9).seconds == pytest.approx(6.0)
    assert simulate(Cluster(4, slots=2), [2.0], 8).speedup == pytest.approx(8.0)
    assert simulate(Cluster(1, startup=10, overhead=0.5), [2.0], 4).seconds == pytest.approx(20.0)


def test_driver_bounds_the_pace() -> None:
    """More slots than it can keep busy are idle: the last task starts when all have been launched."""
    one = simulate(Cluster(1000, launch=0.01), [1.0], 10_000)
    assert one.seconds == pytest.approx(101.0, rel=0.02)
    assert simulate(Cluster(2000, launch=0.01), [1.0], 10_000).seconds == pytest.approx(one.seconds, rel=0.02)
    assert one.busy < 0.2


def test_shared_store_bounds_the_speed() -> None:
    """Beyond its capacity more executors wait for it."""
    ten, hundred = (simulate(Cluster(number, capacity=10), [1.0], 5000).speedup for number in (10, 100))
    assert ten == pytest.approx(10.0, rel=0.01)
    assert hundred == pytest.approx(10.0, rel=0.02)
    assert simulate(Cluster(100), [1.0], 5000).speedup > 90


def test_losses_cost_attempts_and_lose_no_work() -> None:
    """Each lost attempt is followed by another."""
    sound, lossy = (simulate(Cluster(10, loss=loss), [1.0], 2000) for loss in (0.0, 0.2))
    assert sound.attempts == 2000 < lossy.attempts < 2800
    assert lossy.work == sound.work and lossy.seconds > sound.seconds


@pytest.mark.parametrize(("cluster", "costs"), [(Cluster(0), [1.0]), (Cluster(1), [])])
def test_nothing_to_simulate(cluster: Cluster, costs: list[float]) -> None:
    """Is said so."""
    with pytest.raises(ValueError, match="at least one slot"):
        simulate(cluster, costs, 1)

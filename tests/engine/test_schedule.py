"""Dealing out a budget: shares and their bounds, what speed and yield do to them, and who is next. No clock runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from fsconform.engine.schedule import (
    FLOOR,
    LEAST,
    MOST,
    TURN_SECONDS,
    Account,
    Dealer,
    charge,
    furthest_behind,
    needs,
    shares,
)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([7.0], [1.0]),
        ([1, 1], [0.5, 0.5]),
        ([0, 0, 0], [1 / 3] * 3),
        ([3, 1], [0.75, 0.25]),
        ([1000, 1], [0.925, 0.075]),
        ([1000, 1, 1, 1, 1], [0.88, 0.03, 0.03, 0.03, 0.03]),
        ([1000, 1000, 1, 1, 1], [0.455, 0.455, 0.03, 0.03, 0.03]),
        ([1000, 1000, 1000, 1000, 1], [0.2425, 0.2425, 0.2425, 0.2425, 0.03]),
        ([1000, 10, 5, 1e-9, 1e-9], [0.88, 0.03, 0.03, 0.03, 0.03]),
        ([30, 10, 5, 1e-9, 1e-9], [0.94 * 2 / 3, 0.94 * 2 / 9, 0.94 / 9, 0.03, 0.03]),
    ],
)
def test_shares_keep_to_their_bounds(weights: list[float], expected: list[float]) -> None:
    found = shares(weights)
    assert found == pytest.approx(expected)
    assert sum(found) == pytest.approx(1)


def test_no_weights_break_the_bounds() -> None:
    for count in range(2, 9):
        for place in range(300):
            found = shares([float((place * 7919 + 31 * other) % 997) ** 3 for other in range(count)])
            assert sum(found) == pytest.approx(1)
            assert all(LEAST / count - 1e-9 <= share <= min(1.0, MOST / count) + 1e-9 for share in found)


def account(speed: float = 100.0, news: float = 0.0, seconds: float = 100.0) -> Account:
    found = Account()
    found.credit(seconds, int(speed * seconds), int(news * seconds))
    return found


def test_slow_stores_and_stores_that_yield_weigh_more() -> None:
    slow, fast = needs([account(10), account(1000)])
    assert slow == pytest.approx(100 * fast)
    dull, rich = needs([account(news=0), account(news=50)])
    assert FLOOR <= dull * 100 < 0.21 and 0.98 < rich * 100 <= 1
    plain, wanted = needs([account(), Account(weight=3.0)])
    assert wanted > 2.9 * plain
    unknown, known = needs([Account(), account(200, news=1000)])
    assert unknown == pytest.approx(known, rel=0.01)


def test_what_was_long_ago_fades() -> None:
    one = account(1000, news=10, seconds=10)
    assert one.speed == pytest.approx(1000) and one.worth > 0.9
    before = one.worth
    for _ in range(20):
        one.credit(10, 1000, 0)
    assert one.speed == pytest.approx(100, rel=0.01)
    assert FLOOR <= one.worth < FLOOR + 0.01 < before
    assert (one.seconds, one.operations) == (210, 30_000)
    one.credit(1, 100, 1000)
    assert one.worth > 0.9


@dataclass
class Store:
    """A store of some speed that finds something new at each turn up to a number of seconds, and may come to an end."""

    name: str
    speed: float
    yields_until: float = 0.0
    ends_after: float = 1e9
    account: Account = field(default_factory=Account)

    @property
    def ended(self) -> bool:
        return self.account.seconds >= self.ends_after

    def run_for(self, seconds: float) -> float:
        seconds = min(seconds, self.ends_after - self.account.seconds)
        news = 100 if self.account.seconds < self.yields_until else 0
        self.account.credit(seconds, int(self.speed * seconds), news)
        return seconds


def dealt(budget: float, *stores: Store, watch: Callable[[Store], None] = lambda store: None) -> dict[str, float]:
    dealer = Dealer(budget, len(stores))
    while (turn := dealer.next(stores)) is not None:
        watch(turn.party)
        dealer.ran(turn, turn.party.run_for(turn.seconds))
    return {store.name: round(store.account.seconds / budget, 2) for store in stores}


def test_slow_stores_get_more_within_bounds() -> None:
    five = [Store(name, speed) for name, speed in (("a", 9000), ("b", 3000), ("c", 2500), ("d", 300), ("e", 80))]
    found = dealt(1000, *five)
    assert sum(found.values()) == pytest.approx(1, abs=0.03)
    assert [found[name] for name in "abc"] == [pytest.approx(0.06, abs=0.02)] * 3
    assert found["d"] == pytest.approx(0.2, abs=0.02)
    assert found["e"] == pytest.approx(0.67, abs=0.03)


def test_equal_stores_take_turns() -> None:
    order: list[str] = []
    found = dealt(60, *(Store(name, 100) for name in "abc"), watch=lambda store: order.append(store.name))
    assert order[:3] == list("abc") and Counter(order) == {"a": 4, "b": 4, "c": 4}
    assert found == {"a": 0.33, "b": 0.33, "c": 0.33}


def test_what_yields_gets_more_and_nothing_is_starved() -> None:
    order: list[str] = []
    rich, dull = Store("rich", 100, yields_until=1e9), Store("dull", 100)
    found = dealt(1000, rich, dull, watch=lambda store: order.append(store.name))
    assert 0.78 < found["rich"] < 0.87 and found["dull"] > 0.13
    gaps = "".join(name[0] for name in order).split("d")
    assert max(map(len, gaps)) <= 6


def test_who_yielded_once_pays_nothing_for_it_later() -> None:
    order: list[str] = []
    dealt(
        2000,
        Store("early", 100, yields_until=400),
        Store("other", 100),
        watch=lambda store: order.append(store.name),
    )
    late = Counter(order[-100:])
    assert abs(late["early"] - late["other"]) <= 6


def test_what_ends_leaves_the_rest_to_the_others() -> None:
    found = dealt(300, Store("short", 100, ends_after=12), Store("b", 100), Store("c", 100))
    assert found["short"] == 0.04 and found["b"] == pytest.approx(0.48, abs=0.02) == found["c"]
    assert dealt(300, Store("a", 1, ends_after=3), Store("b", 1, ends_after=4)) == {"a": 0.01, "b": 0.01}


def test_one_alone_gets_all_at_once() -> None:
    dealer, store = Dealer(70, 1), Store("only", 10)
    dealer.spent(20)
    turn = dealer.next([store])
    assert turn is not None and (turn.party, turn.seconds) == (store, 50)
    dealer.ran(turn, 50.1)
    assert dealer.next([store]) is None


def test_while_stores_are_to_come_the_others_get_no_more_than_is_sure() -> None:
    dealer, first = Dealer(5 * 8 / LEAST, 5), Store("first", 10)
    given = []
    while (turn := dealer.next([first], to_come=1)) is not None:
        given.append(turn.seconds)
        dealer.ran(turn, first.run_for(turn.seconds))
    assert given == [TURN_SECONDS, pytest.approx(3)] and dealer.left == pytest.approx(5 * 8 / LEAST - 8)
    late = Store("late", 10)
    turn = dealer.next([first, late], to_come=0)
    assert turn is not None and turn.party is late


def test_a_short_budget_reaches_every_store() -> None:
    found = dealt(2, Store("a", 10), Store("b", 10), Store("c", 10))
    assert all(0.2 < share < 0.5 for share in found.values())


def test_without_a_budget_nobody_is_next() -> None:
    assert Dealer(0, 1).next([Store("a", 1)]) is None
    assert Dealer(10, 0).next([]) is None
    dealer = Dealer(10, 1)
    dealer.spent(11)
    assert dealer.next([Store("a", 1)]) is None


def test_explorers_share_by_weight() -> None:
    weights, given = [8.0, 4.0, 1.0], [0, 0, 0]
    accounts = [Account(5.0) for _ in weights]
    for _ in range(1300):
        place = furthest_behind(accounts, weights)
        given[place] += 1
        charge(accounts[place], weights[place], 0.4)
    assert given == [pytest.approx(share, abs=2) for share in (800, 400, 100)]


def test_explorers_that_bring_nothing_give_way() -> None:
    weights, given = [1.0, 1.0], [0, 0]
    accounts = [Account(5.0) for _ in weights]
    for _ in range(1000):
        place = furthest_behind(accounts, weights)
        given[place] += 1
        accounts[place].credit(0.4, 40, 10 if place else 0)
        charge(accounts[place], weights[place], 0.4)
    assert 3.5 < given[1] / given[0] < 5.1

"""Running one store: what is run whole, then exploring within a budget, over several sessions at once."""

from __future__ import annotations

from fsconform.engine.benches import Benches
from fsconform.engine.exploration import Covered, Exploration, Listener, Outcome, Plan, Progress
from fsconform.engine.schedule import Dealer

__all__ = ["Benches", "Covered", "Exploration", "Listener", "Outcome", "Plan", "Progress", "explore"]


def explore(benches: Benches, plan: Plan, listener: Listener) -> Outcome:
    """Run all explorers of a plan, whole ones first in their order, the others within the budget.

    Raises SandboxRefused.
    """
    exploration = Exploration(benches, plan, listener)
    dealer = Dealer(plan.budget, 1)
    try:
        exploration.run_whole()
        dealer.spent(exploration.account.seconds)
        while (turn := dealer.next([exploration])) is not None:
            before = exploration.account.seconds
            exploration.run_for(turn.seconds)
            dealer.ran(turn, exploration.account.seconds - before)
    except KeyboardInterrupt:
        exploration.interrupt()
    finally:
        outcome = exploration.close()
    return outcome

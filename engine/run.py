"""Running one store: what is run whole, then all else that is planned, over several sessions at once."""

from __future__ import annotations

from fsconform.engine.benches import Benches
from fsconform.engine.exploration import Covered, Exploration, Listener, Outcome, Plan, Progress

__all__ = ["Benches", "Covered", "Exploration", "Listener", "Outcome", "Plan", "Progress", "explore"]


def explore(benches: Benches, plan: Plan, listener: Listener) -> Outcome:
    """Run all explorers of a plan, whole ones first in their order, the others by turns, within the budget.

    Raises SandboxRefused.
    """
    exploration = Exploration(benches, plan, listener)
    try:
        exploration.run(plan.budget or None)
    except KeyboardInterrupt:
        exploration.interrupt()
    finally:
        outcome = exploration.close()
    return outcome

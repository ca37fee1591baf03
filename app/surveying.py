"""Looking for a store's limits and costs after it was judged, while it is still up."""

from __future__ import annotations

from collections.abc import Sequence

from fsconform.app import interrupts
from fsconform.app.console import Live
from fsconform.app.fleet import Up
from fsconform.engine.grammar import Suite
from fsconform.engine.protocol import StoreLost
from fsconform.engine.run import Outcome
from fsconform.engine.survey import Survey

SHARE = 2 / 3
"""The part of the budget that goes into the search, where a suite asks for it: the rest is for judging."""


SECONDS = 60.0
"""The search's time for each store where there is no budget: it measures, and has no end of its own."""


def shares(budget: float | None, suites: Sequence[Suite]) -> tuple[float | None, float]:
    """Seconds for exploring, None for no cap, and seconds for the search."""
    searched = any(suite.limits for suite in suites)
    if budget is None:
        return None, SECONDS if searched else 0.0
    part = SHARE if searched else 0.0
    return budget * (1 - part), budget * part


def survey(up: Up, outcome: Outcome, live: Live) -> Survey:
    """What is found within the time that the store's assignment gives. An interrupt ends it and is told in ``outcome``.

    A store that is lost on the way is no failure of the run: it was judged before.
    """
    found = Survey()

    def say(doing: str) -> None:
        interrupts.meet()
        live.say(up.assignment.name, doing)

    if up.assignment.survey <= 0 or outcome.interrupted:
        return found
    try:
        bench = up.benches.take()
        try:
            found.run(bench, up.assignment.survey, say)
        finally:
            up.benches.give_back(bench)
    except StoreLost as error:
        found.notes.append(str(error))
    except KeyboardInterrupt:
        interrupts.met()
        outcome.interrupted = True
        outcome.problems.append("interrupted while limits were searched for: those found until then are reported")
    return found

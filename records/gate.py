"""The gate: which divergences fail, how a store stands, and with which exit code a command ends. Pure.

`run`, pytest sessions, `campaign`, `recheck`, `replay` and the reports all ask here, so that one rule holds for all.
Exit codes: 0 nothing fails; 1 something fails; 2 usage or configuration; 3 something could not be judged. Of 2, 1, 3
and 0 the first that applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from fsconform.records.results import FAILING, IMPACTS, SEVERITY, Divergence, StoreRecord

OK, DIVERGENCES, USAGE, INCONCLUSIVE = 0, 1, 2, 3

EXIT_CODES: dict[int, str] = {
    OK: "nothing undeclared",
    DIVERGENCES: "divergences: violations, undeclared, false declarations; unused or expired waivers, expired quirks",
    USAGE: "usage or configuration, with the place and how to mend it",
    INCONCLUSIVE: "a store could not be reached or judged, or an internal error of ours in a part of the run",
    70: "a fault in fsconform itself that ended the command; the message names a file to send us",
}
"""What each exit code of a command means."""

Effect = Literal["fails", "open", "listed"]
"""What a divergence does to the gate: it fails it, leaves it open (nothing is known), or is only listed."""


def effect(verdict: str, baseline: str = "") -> Effect:
    """What a divergence of a verdict does to the gate. A verdict that there is none of fails it.

    ``baseline`` says how it stands to an earlier run: what is ``known`` is only listed, a ``new`` deviation fails.
    """
    if baseline == "known":
        return "listed"
    if baseline == "new" and verdict == "deviation":
        return "fails"
    if verdict in FAILING or verdict not in SEVERITY:
        return "fails"
    return "open" if verdict == "inconclusive" else "listed"


def fails(one: Divergence) -> bool:
    """Whether a divergence fails the gate."""
    return effect(one.verdict, one.baseline) == "fails"


def exit_code(*, failing: bool, unjudged: bool, unusable: bool = False) -> int:
    """The exit code of a command, of what it found."""
    if unusable:
        return USAGE
    return DIVERGENCES if failing else INCONCLUSIVE if unjudged else OK


@dataclass(frozen=True, slots=True)
class Standing:
    """How a store stands: why it fails, and why it could not be judged; both empty where it passes."""

    failing: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()

    @property
    def state(self) -> Literal["passes", "fails", "inconclusive"]:
        """What the gate says: passes for exit code 0, fails for 1, inconclusive for 3."""
        return "fails" if self.failing else "inconclusive" if self.unjudged else "passes"


def standing(store: StoreRecord) -> Standing:
    """How a store stands, by its record."""
    failing = _counted(store, "fails")
    if store.waiver_problems:
        number = len(store.waiver_problems)
        failing.append(f"{number} waiver{'' if number == 1 else 's'} unused or expired")
    unjudged = list(store.problems)
    if store.internal_errors:
        number = sum(one.count for one in store.internal_errors)
        unjudged.append(f"{number:,} internal error{'' if number == 1 else 's'} of fsconform")
    if not unjudged and not (store.operations and store.clauses):
        unjudged.append("nothing was judged")
    unjudged += _counted(store, "open")
    return Standing(tuple(failing), tuple(unjudged))


def _counted(store: StoreRecord, wanted: Effect) -> list[str]:
    """How many divergences of each verdict have an effect. With a baseline those that are listed say it."""
    found = []
    for verdict, count in verdict_counts(store).items():
        listed = [one for one in store.divergences if one.verdict == verdict]
        number = sum(effect(verdict, one.baseline) == wanted for one in listed)
        number += count - len(listed) if effect(verdict) == wanted else 0
        word = "new " if store.baseline and wanted == "fails" else ""
        found += [f"{number:,} {word}{verdict}"] if number else []
    return found


def verdict_counts(store: StoreRecord) -> dict[str, int]:
    """The number of signatures for each verdict, most serious first; conforms is left out.

    Where the divergences that are listed are more than the count says, they are counted.
    """
    listed = [divergence.verdict for divergence in store.divergences]
    verdicts = [*(one for one in {*listed, *store.verdicts} if one not in SEVERITY), *SEVERITY[:-1]]
    return {verdict: max(store.verdicts.get(verdict, 0), listed.count(verdict)) for verdict in verdicts}


def of_stores(stores: Sequence[StoreRecord], asked: int = 0) -> int:
    """The exit code of a run over stores, of which so many were ``asked`` for."""
    every = [standing(store) for store in stores]
    return exit_code(
        failing=any(one.failing for one in every),
        unjudged=any(one.unjudged for one in every) or len(every) < asked,
    )


def of_verdicts(verdicts: Iterable[str], *, changed: bool = False, problems: bool = False) -> int:
    """The exit code where verdicts are all there is: of a recheck, in which some may have ``changed``."""
    effects = set(map(effect, verdicts))
    return exit_code(failing=changed or "fails" in effects, unjudged=problems or "open" in effects)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a replay showed beside its steps: a failing divergence of the wanted signature, and the others.

    ``wanted`` is its verdict, empty if it was not shown; ``others`` are the verdicts of others that nothing accepts.
    ``unknown`` says why nothing is known where neither was shown: a step that was never asked, or not judged.
    """

    wanted: str = ""
    others: tuple[str, ...] = ()
    unknown: str = ""


def of_replay(shown: Shown) -> int:
    """The exit code of a replay: 1 as long as the divergence is shown, accepted or not, or another that fails."""
    failing = bool(shown.wanted) or any(effect(one) == "fails" for one in shown.others)
    return exit_code(failing=failing, unjudged=bool(shown.unknown))


def rank(verdict: str) -> int:
    """The place of a verdict in the order of severity; an unknown one counts as most serious."""
    return SEVERITY.index(verdict) if verdict in SEVERITY else -1


def impact_rank(impact: str) -> int:
    """The place of an impact, worst first; one that is not known, or was not derived, comes last."""
    return IMPACTS.index(impact) if impact in IMPACTS else len(IMPACTS)


def seriousness(one: Divergence) -> tuple[bool, int, int, int]:
    """What divergences of all stores are ordered by: what fails, then verdict, impact, the length of the program."""
    return not fails(one), rank(one.verdict), impact_rank(one.impact), one.steps


def by_severity(divergences: Iterable[Divergence]) -> list[Divergence]:
    """Divergences that fail first; by verdict, most serious first, impact, length of the program, signature."""
    return sorted(divergences, key=lambda one: (seriousness(one), one.signature))

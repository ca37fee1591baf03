"""Where the stores part: operations by stores, and situations in which two stores did not do the same. No HTML here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fsconform.records.results import Divergence
from fsconform.reports import words
from fsconform.reports.clauses import Judged
from fsconform.reports.words import area_of, family

AS_SPECIFIED = "no divergence seen"
NOT_JUDGED = "not judged"

_SIGNATURE = re.compile(r"(?P<call>\S+ \([^()]*\)) (?P<kind>.+?)(?P<after> after \S+ \([^()]*\))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Tally:
    """A store in one area: ``counts`` of signatures by verdict, most serious first, and a link to the first of them.

    ``judged`` counts the calls, or the judgements of the area's clauses where no call has the area's name.
    """

    counts: tuple[tuple[str, int], ...]
    link: str
    judged: int

    @property
    def verdict(self) -> str:
        """The worst verdict; conforms where there is no departure, empty where nothing was judged."""
        return self.counts[0][0] if self.counts else "conforms" if self.judged else ""

    @property
    def others(self) -> int:
        """Signatures with other verdicts than the worst."""
        return sum(count for _, count in self.counts[1:])


@dataclass(frozen=True, slots=True)
class AreaRow:
    """A family of operations with a tally for each store; ``parts`` where judged stores did not do the same."""

    name: str
    cells: list[Tally]
    parts: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What some stores did alike: a verdict and what was observed, or NOT_JUDGED, or AS_SPECIFIED.

    ``stores`` holds the name of each with a link to what shows it, empty where nothing does.
    """

    verdict: str
    text: str
    stores: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Situation:
    """What was asked, in which at least two judged stores did not do the same; the outcomes, most serious first."""

    area: str
    text: str
    clause: str
    outcomes: list[Outcome]


def area_rows(stores: Sequence[Judged], sections: dict[str, str]) -> list[AreaRow]:
    """The matrix of operations: rows with the most serious verdicts first, then by name.

    ``sections`` gives the section of each clause of the catalogue.
    """
    tallies = [_tallies(store, sections) for store in stores]
    names = {name for found, _ in tallies for name in found}
    # Headings without an operation have a row only where a store departs.
    names |= {name for store in stores for name in store.record.latencies}
    rows = []
    for name in names:
        cells = [found.get(name) or Tally((), "", judged.get(name, 0)) for found, judged in tallies]
        outcomes = {
            frozenset((one.signature, one.verdict) for one in store.record.divergences if area_of(one) == name)
            for store, cell in zip(stores, cells, strict=True)
            if cell.verdict
        }
        rows.append(AreaRow(name, cells, len(outcomes) > 1))
    return sorted(rows, key=lambda row: (min(map(_rank, row.cells), default=0), row.name.lower(), row.name))


def _rank(cell: Tally) -> int:
    return words.rank(cell.verdict) if cell.verdict else len(words.SEVERITY)


def _tallies(store: Judged, sections: dict[str, str]) -> tuple[dict[str, Tally], dict[str, int]]:
    """One store's tallies by area where it departs, and how often each area was judged."""
    judged: dict[str, int] = {}
    for clause, times in store.record.clauses.items():
        area = family(sections.get(clause, ""))
        judged[area] = judged.get(area, 0) + times
    judged |= {name: latency.count for name, latency in store.record.latencies.items()}
    by_area: dict[str, list[Divergence]] = {}
    for one in words.by_severity(store.record.divergences):
        by_area.setdefault(area_of(one), []).append(one)
    ids = {view.record.signature: view.id for view in store.divergences}
    found = {}
    for area, inside in by_area.items():
        verdicts = [one.verdict for one in inside]
        counts = tuple((verdict, verdicts.count(verdict)) for verdict in dict.fromkeys(verdicts))
        link = f"{store.page}#{ids.get(inside[0].signature, 'divergences')}"
        found[area] = Tally(counts, link, judged.get(area, 0))
    return found, judged


def situation_of(signature: str) -> tuple[str, str]:
    """A signature as what was asked and what was observed: ``rename (root) after ...`` and ``returned true``."""
    found = _SIGNATURE.fullmatch(signature)
    if found is None:
        return signature, "departs"
    return found["call"] + (found["after"] or ""), found["kind"]


def situations(stores: Sequence[Judged]) -> list[Situation]:
    """Where the stores part, by areas; the area and the situation with the most serious verdict first."""
    seen: dict[str, list[tuple[int, Divergence]]] = {}
    for number, store in enumerate(stores):
        for one in words.by_severity(store.record.divergences):
            seen.setdefault(situation_of(one.signature)[0], []).append((number, one))
    found = [_situation(text, inside, stores) for text, inside in seen.items()]
    parted = [one for one in found if sum(outcome.text != NOT_JUDGED for outcome in one.outcomes) > 1]
    parted.sort(key=lambda one: (words.rank(one.outcomes[0].verdict), one.text))
    areas = list(dict.fromkeys(one.area for one in parted))
    return sorted(parted, key=lambda one: areas.index(one.area))


def _situation(text: str, seen: Sequence[tuple[int, Divergence]], stores: Sequence[Judged]) -> Situation:
    worst = words.by_severity(one for _, one in seen)[0]
    clauses = {one.clause for _, one in seen}
    alike: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for number, store in enumerate(stores):
        own = [one for at, one in seen if at == number]
        ids = {view.record.signature: view.id for view in store.divergences}
        if own:
            kinds = "; ".join(dict.fromkeys(situation_of(one.signature)[1] for one in own))
            key = (own[0].verdict, kinds)
            link = f"{store.page}#{ids.get(own[0].signature, 'divergences')}"
        else:
            judged = any(store.record.clauses.get(clause, 0) for clause in clauses)
            key = ("conforms", AS_SPECIFIED) if judged else ("", NOT_JUDGED)
            link = ""
        alike.setdefault(key, []).append((store.record.name, link))
    outcomes = [Outcome(verdict, kinds, names) for (verdict, kinds), names in alike.items()]
    outcomes.sort(key=lambda one: words.rank(one.verdict) if one.verdict else len(words.SEVERITY))
    return Situation(area_of(worst), text, worst.clause, outcomes)

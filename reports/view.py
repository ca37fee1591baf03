"""What the pages show, worked out of the records: stores, and the run as a whole. No HTML here."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from fsconform.records.results import ClauseRecord, Divergence, Results, StoreRecord
from fsconform.reports import words
from fsconform.reports.caps import INDEX_CAPS, REST_LISTED, IndexCaps
from fsconform.reports.clauses import ClauseGroup, Judged, catalogue, clause_groups
from fsconform.reports.divergences import DivergenceGroup, DivergenceView, StepView, groups
from fsconform.reports.options import OptionRow, OptionView, option_rows, option_view
from fsconform.reports.parts import AreaRow, Situation, area_rows, situations
from fsconform.reports.plots.areas import AreasPlot, areas_plots
from fsconform.reports.plots.costs import CostsPlot, costs_plot
from fsconform.reports.plots.coverage import CoveragePlot, coverage_plots
from fsconform.reports.plots.latency import LatencyPlot, latencies_by_operation, latencies_of_store
from fsconform.reports.races import RacesView, races_view
from fsconform.reports.visible import page_names

SERIOUS_SHOWN = 5
"""Divergences that fail the gate, after the first, that the index names at its top."""
LEAD_STEPS = 6
"""Steps of the first divergence's program that the index shows at its top."""


@dataclass(frozen=True, slots=True)
class NavStore:
    """A store in the bar at the top of every page."""

    name: str
    page: str
    gate: words.Gate


@dataclass(frozen=True, slots=True)
class Frame:
    """What all pages share."""

    results: Results
    stores: list[NavStore]
    clauses: list[ClauseRecord]
    """The catalogue, with the clauses that stores were judged by and it lacks."""


@dataclass(frozen=True, slots=True)
class StoreView:
    """One store: its page and everything on it. ``first`` is the id of the first divergence of each verdict."""

    record: StoreRecord
    page: str
    gate: words.Gate
    notes: list[tuple[str, str]]
    """What the index says beside the counts: what kept it from being judged, waivers that fail the gate."""
    counts: dict[str, int]
    divergences: list[DivergenceView]
    groups: list[DivergenceGroup]
    rest: list[Divergence]
    """The first of those that are not shown in full; of ``more`` nothing is shown."""
    more: int
    first: dict[str, str]
    clauses: list[ClauseGroup]
    judged: int
    untestable: int
    options: list[OptionView]
    share: str
    """Wall time inside the store's calls, in percent; empty where it is not known."""
    coverage: list[CoveragePlot]
    latency: LatencyPlot | None
    areas: AreasPlot | None
    costs: CostsPlot | None
    races: RacesView | None

    @property
    def surveyed(self) -> str:
        """The id of the first section of what was found beside judging; empty if nothing was looked for."""
        return "limits" if self.record.limits else "costs" if self.costs or self.record.survey_notes else ""


@dataclass(frozen=True, slots=True)
class Lead:
    """A divergence, and the store that shows it."""

    store: StoreView
    view: DivergenceView

    @property
    def steps(self) -> list[StepView]:
        """The first steps of its program, and the one that departs."""
        steps = [step for step in self.view.steps if step.record is not None]
        if len(steps) <= LEAD_STEPS:
            return steps
        late = [step for step in steps[LEAD_STEPS:] if step.kind == "marked"][:1]
        kept = steps[: LEAD_STEPS - len(late)]
        total = len(self.view.record.sequence)
        return [*kept, StepView(0, None, total - len(kept) - len(late)), *late]


@dataclass(frozen=True, slots=True)
class RunView:
    """The whole run. ``lead`` is the most serious divergence, ``serious`` what else fails the gate, in order."""

    frame: Frame
    stores: list[StoreView]
    gate_words: str
    judged: bool
    total: int
    """Divergences of all stores."""
    lead: Lead | None
    serious: list[Lead]
    areas: list[AreaRow]
    situations: list[tuple[str, list[Situation]]]
    """Where the stores part, by area; ``more_situations`` are not shown."""
    more_situations: int
    clauses: list[ClauseGroup]
    options: list[OptionRow]
    coverage: list[CoveragePlot]
    latency: list[LatencyPlot]
    divergences: list[AreasPlot]
    caps: IndexCaps


def frame_of(results: Results) -> Frame:
    """What all pages of a run share."""
    pages = page_names([store.name for store in results.stores])
    stores = [NavStore(store.name, page, words.gate(store)) for store, page in zip(results.stores, pages, strict=True)]
    return Frame(results, stores, catalogue(results))


def store_view(frame: Frame, number: int, shown: Sequence[DivergenceView]) -> StoreView:
    """Everything on one store's page, of which ``shown`` are the divergences in full, most serious first."""
    store, nav = frame.results.stores[number], frame.stores[number]
    rest = words.by_severity(store.divergences)[len(shown) :]
    first: dict[str, str] = {}
    for view in shown:
        first.setdefault(view.record.verdict, view.id)
    clauses = clause_groups(frame.clauses, [Judged(store, "", shown)])
    areas = areas_plots([store], wide=True)
    return StoreView(
        store,
        nav.page,
        nav.gate,
        _notes(store, nav.gate),
        words.verdict_counts(store),
        list(shown),
        groups(shown),
        rest[:REST_LISTED],
        len(rest[REST_LISTED:]),
        first,
        clauses,
        sum(store.clauses.get(clause.id, 0) > 0 for clause in frame.clauses),
        sum(row.untestable != "" and row.record.status == "untestable" for group in clauses for row in group.rows),
        [option_view(name, record) for name, record in store.options.items()],
        words.share(store.store_wall_seconds, store.seconds),
        coverage_plots([store], wide=True),
        latencies_of_store(store),
        areas[0] if areas else None,
        costs_plot(store),
        races_view(store.races, {view.record.signature: view.id for view in shown}),
    )


def _notes(store: StoreRecord, gate: words.Gate) -> list[tuple[str, str]]:
    baseline = [("baseline", words.baseline(store))] if store.baseline else []
    if gate.state == "inconclusive":
        return [*baseline, ("inconclusive", "; ".join(gate.reasons))]
    problems = [("not judged", problem) for problem in store.problems]
    return [*baseline, *problems, *(("waiver", problem) for problem in store.waiver_problems)]


def run_view(frame: Frame, stores: Sequence[StoreView], caps: IndexCaps = INDEX_CAPS[0]) -> RunView:
    """Everything on the index."""
    judged = [Judged(store.record, store.page, store.divergences) for store in stores]
    records = [store.record for store in stores]
    leads = [Lead(store, view) for store in stores for view in store.divergences]
    leads.sort(key=lambda one: words.seriousness(one.view.record))
    parted = situations(judged)
    shown = itertools.groupby(parted[: caps.listed], lambda one: one.area)
    return RunView(
        frame,
        list(stores),
        words.gates([store.gate for store in stores]),
        any(record.clauses for record in records),
        sum(len(record.divergences) for record in records),
        leads[0] if leads else None,
        [one for one in leads[1:] if words.fails(one.view.record)],
        area_rows(judged, {clause.id: clause.section for clause in frame.clauses}),
        [(area, list(inside)) for area, inside in shown],
        max(len(parted) - caps.listed, 0),
        clause_groups(frame.clauses, judged),
        option_rows([store.options for store in stores]),
        coverage_plots(records),
        latencies_by_operation(records),
        areas_plots(records),
        caps,
    )

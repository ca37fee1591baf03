"""Divergences as the pages show them: sequence tables, option changes, links, groups. No HTML here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fsconform.records.results import FAILING, BelowStep, Divergence, StepRecord
from fsconform.reports import histories, words
from fsconform.reports.caps import CAPS, Caps
from fsconform.reports.contract_xml import set_xml
from fsconform.reports.histories import CallView
from fsconform.reports.plots.history import HistoryPlot, history_plot
from fsconform.reports.visible import distinct, divergence_id, relative_link
from fsconform.reports.words import area_of

SIGNS_OF_CHANGE = {"+": "added", "-": "removed", "~": "changed"}
"""The first character of a change in a sequence table, and what it says."""
SET_UP_FOLDED_FROM = 4
"""From so many set-up steps on they are folded until asked for."""
PROBES_FOLDED_FROM = 5
"""From so many probes on, those that show nothing are folded until asked for."""
_IN_FULL_ALWAYS = (*FAILING, "inconclusive")


@dataclass(frozen=True, slots=True)
class ChangeView:
    """What a step changed: ``kind`` is added, removed, changed or empty, ``text`` what it changed."""

    kind: str
    sign: str
    text: str


@dataclass(frozen=True, slots=True)
class StepView:
    """One row of a sequence table; ``number`` counts from 1, 0 stands for rows left out.

    ``kind`` is marked, probe, set-up or plain.
    """

    number: int
    record: StepRecord | None
    left_out: int = 0
    kind: str = "plain"
    changes: tuple[ChangeView, ...] = ()


@dataclass(frozen=True, slots=True)
class Fold:
    """Rows of one kind that can be folded: how many, and whether they are at first."""

    kind: str
    rows: int
    folded: bool


@dataclass(frozen=True, slots=True)
class LayersView:
    """One step of both layers: a connector's call, and the object store below after it; ``number`` counts from 1."""

    number: int
    call: StepRecord
    below: BelowStep
    changes: tuple[ChangeView, ...]


@dataclass(frozen=True, slots=True)
class HistoryView:
    """A history: its picture, and a row for each of its calls; ``left_out`` have none."""

    heading: str
    plot: HistoryPlot
    rows: list[CallView]
    left_out: int


@dataclass(frozen=True, slots=True)
class DivergenceView:
    """One divergence on a store's page. ``replay`` and ``test`` are relative URLs or empty."""

    record: Divergence
    id: str
    area: str
    replay: str
    test: str
    changes: list[tuple[str, str]]
    """Each smallest set of option changes, in words and as XML."""
    steps: list[StepView]
    folds: list[Fold]
    confirmed: str
    flaky: bool
    program: str
    compact: bool
    """Whether the page folds all but the head."""
    clients: bool
    """Whether the sequence table tells who makes each call."""
    caps: Caps
    layers: list[LayersView]
    """The steps of both layers, where the store below was looked at."""
    requests: list[StepView]
    """The changes in the store below as requests."""
    finding: tuple[str, str]
    """Anchor and title of the finding that it belongs to; empty if none is known."""
    history: HistoryView | None
    """What several clients saw at once, in the place of the sequence table."""

    @property
    def basis(self) -> str:
        """What is to be said of a clause that does not break a MUST on its own; empty for all others."""
        return words.NOT_BINDING.get(self.record.basis, "")


@dataclass(frozen=True, slots=True)
class DivergenceGroup:
    """The divergences of one area that all fail the gate or all do not, most serious first.

    ``alike`` has those that share the cause of one of them, by its id; they may be of other areas.
    """

    area: str
    fails: bool
    divergences: list[DivergenceView]
    alike: dict[str, list[DivergenceView]]

    @property
    def total(self) -> int:
        """How many divergences there are, those of a shared cause included."""
        return len(self.divergences) + sum(map(len, self.alike.values()))


def ids(ordered: Sequence[Divergence]) -> list[str]:
    """An id for each divergence that no other has. It depends on the signature only, unless two are the same."""
    return distinct([divergence_id(one.operation, one.signature) for one in ordered])


def divergence_view(
    record: Divergence, name: str, caps: Caps = CAPS[0], finding: tuple[str, str] = ("", "")
) -> DivergenceView:
    """What a page shows of a divergence, which has the id ``name`` there."""
    confirmed, flaky = histories.confirmation(record)
    changes = [
        (words_of, set_xml(changes))
        for words_of, changes in zip(words.option_changes(record), record.options, strict=True)
    ]
    steps = step_views(record.sequence, caps.steps)
    return DivergenceView(
        record,
        name,
        area_of(record),
        relative_link(record.replay),
        relative_link(record.test),
        changes,
        steps,
        folds(steps),
        confirmed,
        flaky,
        "[\n" + ",\n".join(f"  {json.dumps(step)}" for step in record.program) + "\n]",
        not words.fails(record) and (bool(words.known(record)) or record.verdict not in _IN_FULL_ALWAYS),
        words.several_clients(record.sequence),
        caps,
        layer_views(record, caps.steps),
        step_views(record.below.sequence if record.below is not None else (), caps.steps),
        finding,
        history_view(record, caps),
    )


def history_view(record: Divergence, caps: Caps) -> HistoryView | None:
    """The history of a divergence; of a long one as many calls as the caps allow. None where it has none."""
    if record.history is None or not record.history.calls:
        return None
    calls = histories.views(record.history)
    rows = histories.kept(calls, caps.steps)
    plot = history_plot(record.history, rows, caps)
    return HistoryView(histories.heading(record.history), plot, rows, len(calls) - len(rows))


def layer_views(record: Divergence, at_most: int) -> list[LayersView]:
    """The first steps of both layers, and the one that departs."""
    if record.below is None:
        return []
    rows = [
        LayersView(number, call, below, tuple(map(change_view, below.changed[:at_most])))
        for number, (call, below) in enumerate(zip(record.sequence, record.below.steps, strict=False), 1)
    ]
    return [row for row in rows if row.number <= at_most or row.call.marked]


def step_views(sequence: Sequence[StepRecord], at_most: int) -> list[StepView]:
    """The rows of a sequence table: all steps; of a long program the first, the last and the marked ones."""
    rows: list[StepView] = []
    left_out = 0
    for number, step in enumerate(sequence, 1):
        near_an_end = number <= at_most // 2 or number > len(sequence) - at_most // 2
        if not near_an_end and not step.marked:
            left_out += 1
            continue
        if left_out:
            rows.append(StepView(0, None, left_out))
            left_out = 0
        rows.append(StepView(number, step, 0, _kind(step), tuple(map(change_view, step.changed))))
    return rows


def _kind(step: StepRecord) -> str:
    if step.marked:
        return "marked"
    return "set-up" if step.setup else "probe" if step.probe else "plain"


def change_view(text: str) -> ChangeView:
    """A change such as ``+ /a/`` with its sign apart from what was changed."""
    sign, rest = text[:1], text[1:]
    if sign in SIGNS_OF_CHANGE and rest[:1] == " ":
        return ChangeView(SIGNS_OF_CHANGE[sign], sign, rest[1:])
    return ChangeView("", "", text)


def folds(steps: Iterable[StepView]) -> list[Fold]:
    """The kinds of rows of a sequence table that can be folded. The step that departs never is."""
    kinds = [step.kind for step in steps]
    found = [
        Fold(kind, kinds.count(kind), kinds.count(kind) >= threshold)
        for kind, threshold in (("set-up", SET_UP_FOLDED_FROM), ("probe", PROBES_FOLDED_FROM))
    ]
    return [fold for fold in found if fold.rows]


def groups(views: Sequence[DivergenceView]) -> list[DivergenceGroup]:
    """Divergences, which come most serious first, by area: first all that fail the gate, then the others.

    Within each half the area with the most serious divergence comes first. One cause is one entry: the most serious of
    its divergences, with the others beside it.
    """
    found: dict[tuple[bool, str], DivergenceGroup] = {}
    homes: dict[tuple[bool, str], tuple[DivergenceGroup, str]] = {}
    for view in views:
        fails, cause = words.fails(view.record), view.record.cause
        if cause and (fails, cause) in homes:
            home, lead = homes[fails, cause]
            home.alike.setdefault(lead, []).append(view)
            continue
        group = found.setdefault((fails, view.area), DivergenceGroup(view.area, fails, [], {}))
        group.divergences.append(view)
        if cause:
            homes[fails, cause] = group, view.id
    return sorted(found.values(), key=lambda group: not group.fails)

"""Whether an application can live on a store: the needs of a profile against what a run showed of the store. Pure.

A need is *met* where every clause of it was judged without a divergence and every option of it has the value that it
must have; *not met* where a run showed otherwise or the store's contract declares otherwise; else it is *unknown*. A
value that is only declared counts where a clause of the same need was judged: nothing is believed unseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Final, Literal

import msgspec

from fsconform.records.atlas import Entry, order_of
from fsconform.records.findings import Finding
from fsconform.records.profiles import Need, Profile, Way
from fsconform.records.results import LOSING_IMPACTS

State = Literal["met", "not met", "unknown"]
Answer = Literal["fits", "fits if", "does not", "unknown"]
ANSWERS: Final[dict[Answer, str]] = {
    "fits": "all that the application needs was judged on the store, and holds",
    "fits if": "something that it needs is missing or was not judged, and the application can be set to do without it",
    "does not": "something that it needs is missing, and no setting of the application does without it",
    "unknown": "nothing speaks against it, and something that it needs was not judged",
}
"""What each answer means, in the order in which they are listed."""
_PREFIX = "fs.contract."


@dataclass(frozen=True, slots=True)
class Reason:
    """What one clause or option says: ``said`` in words, with the divergences and findings that show it."""

    name: str
    state: State
    said: str
    judged: int = 0
    signatures: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WayFit:
    """A way that is open on the store.

    ``state`` is "judged" where a run showed that it holds, "documented" where only the application says so, and
    "given" where the user says that the application is set so.
    """

    way: Way
    state: Literal["judged", "documented", "given"]
    on: str = ""


@dataclass(frozen=True, slots=True)
class NeedFit:
    """A need, how the store stands to it, why, and the ways that are open if it is not met or unknown.

    ``cautions`` are findings about the store in which data are lost against a clause of the need, though this run did
    not show it: as a rule after a fault.
    """

    need: Need
    state: State
    reasons: tuple[Reason, ...]
    ways: tuple[WayFit, ...] = ()
    cautions: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The clauses and options that no run decided."""
        return tuple(reason.name for reason in self.reasons if reason.state == "unknown")

    @property
    def settled(self) -> bool:
        """Whether nothing is left to do: it is met, or a way is given."""
        return self.state == "met" or any(way.state == "given" for way in self.ways)


@dataclass(frozen=True, slots=True)
class Fit:
    """The answer for one application and one store."""

    profile: Profile
    entry: Entry
    answer: Answer
    needs: tuple[NeedFit, ...]

    @property
    def decisive(self) -> tuple[NeedFit, ...]:
        """The needs by which the answer is what it is: of "fits" none."""
        open_needs = [need for need in self.needs if need.need.level == "must" and not need.settled]
        if self.answer == "does not":
            return tuple(need for need in open_needs if need.state == "not met" and not need.ways)
        if self.answer == "unknown":
            return tuple(need for need in open_needs if need.state == "unknown" and not need.ways)
        return tuple(open_needs)


def fit(
    profile: Profile,
    entry: Entry,
    entries: Iterable[Entry] = (),
    findings: Mapping[str, Finding] | None = None,
    given: Iterable[str] = (),
) -> Fit:
    """Hold the needs of an application against an entry.

    ``entries`` are those that ways are judged on, the newest of each store; ``given`` are the ids of ways that the
    application is set to.
    """
    others = {other.store: other for other in sorted(entries, key=order_of)}
    set_so = frozenset(given)
    needs = tuple(_need(need, entry, others, findings or {}, set_so) for need in profile.need)
    return Fit(profile, entry, _answer(needs), needs)


def newest(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entry of the last release of each store."""
    return tuple({entry.store: entry for entry in sorted(entries, key=order_of)}.values())


def _answer(needs: Iterable[NeedFit]) -> Answer:
    left = [need for need in needs if need.need.level == "must" and not need.settled]
    closed = [need for need in left if not need.ways]
    if any(need.state == "not met" for need in closed):
        return "does not"
    if closed:
        return "unknown"
    return "fits if" if left else "fits"


def _need(
    need: Need, entry: Entry, others: Mapping[str, Entry], findings: Mapping[str, Finding], given: frozenset[str]
) -> NeedFit:
    reasons = (*_classes(need, entry), *_reasons(need.clauses, need.options, entry, findings, need))
    if any(reason.state == "not met" for reason in reasons):
        reasons += tuple(_explaining(need, entry))
    state = _state(reasons)
    ways = () if state == "met" else tuple(_ways(need.way, entry, others, findings, given))
    return NeedFit(need, state, reasons, ways, tuple(_cautions(need, entry, findings, reasons)))


def _cautions(need: Need, entry: Entry, findings: Mapping[str, Finding], reasons: Iterable[Reason]) -> Iterable[str]:
    told = {finding for reason in reasons for finding in reason.findings}
    shown = {departure.finding for departure in entry.departures}
    for finding in findings.values():
        about = finding.store == entry.store and finding.impact in LOSING_IMPACTS and not finding.fixed
        if about and finding.id not in told | shown and not set(need.clauses).isdisjoint(finding.clauses):
            yield finding.id


def _classes(need: Need, entry: Entry) -> Iterable[Reason]:
    if need.filesystem:
        name = entry.versions.get("filesystem", "")
        met = name in need.filesystem
        yield Reason("filesystem", "met" if met else "not met", f"it is {name}" + ("" if met else ", which it refuses"))


def _explaining(need: Need, entry: Entry) -> Iterable[Reason]:
    """What a run showed at clauses that do not decide the need."""
    for clause in need.see:
        reason = _clause(clause, entry, None)
        if reason.state == "not met":
            yield reason


def _ways(
    ways: Iterable[Way],
    entry: Entry,
    others: Mapping[str, Entry],
    findings: Mapping[str, Finding],
    given: frozenset[str],
) -> Iterable[WayFit]:
    for way in ways:
        if way.filesystem and way.filesystem != entry.versions.get("filesystem"):
            continue
        judged_on = others.get(way.on) if way.on else entry
        state: State = "unknown"
        if judged_on is not None and (way.clauses or way.options):
            state = _state(_reasons(way.clauses, way.options, judged_on, findings))
        if state == "not met":
            continue
        on = f"{judged_on.store}, {judged_on.release}" if way.on and judged_on is not None else ""
        if way.id in given:
            yield WayFit(way, "given", on)
        else:
            yield WayFit(way, "judged" if state == "met" else "documented", on)


def _state(reasons: Iterable[Reason]) -> State:
    states = {reason.state for reason in reasons}
    return "not met" if "not met" in states else "unknown" if "unknown" in states else "met"


def _reasons(
    clauses: Iterable[str],
    options: Mapping[str, bool],
    entry: Entry,
    findings: Mapping[str, Finding],
    need: Need | None = None,
) -> tuple[Reason, ...]:
    of_clauses = [_clause(clause, entry, need) for clause in clauses]
    seen = any(reason.state == "met" for reason in of_clauses)
    of_options = [_option(name, value, entry, findings, seen) for name, value in options.items()]
    if any(reason.state == "not met" for reason in of_options):
        of_clauses = [_without_the_promise(reason) for reason in of_clauses]
    return (*of_options, *of_clauses)


def _without_the_promise(reason: Reason) -> Reason:
    """A clause that was judged under a contract that does not promise what is needed."""
    return replace(reason, said=f"{reason.said}, under that contract") if reason.state == "met" else reason


def _clause(clause: str, entry: Entry, need: Need | None) -> Reason:
    standing = entry.clauses.get(clause)
    if standing is None or standing.verdict == "inconclusive":
        return Reason(clause, "unknown", "not judged" if standing is None else "inconclusive")
    if standing.verdict == "conforms":
        return Reason(clause, "met", "conforms", standing.judged)
    shown = [departure for departure in entry.departures if departure.clause == clause]
    harmless = [pattern.signature for pattern in need.harmless] if need is not None else []
    harmful = [
        departure for departure in shown if not any(fnmatchcase(departure.signature, pattern) for pattern in harmless)
    ]
    if shown and not harmful:
        return Reason(clause, "met", "conforms but for what does not concern the application", standing.judged)
    return Reason(
        clause,
        "not met",
        standing.verdict,
        standing.judged,
        tuple(departure.signature for departure in harmful),
        tuple(dict.fromkeys(departure.finding for departure in harmful if departure.finding)),
    )


def _option(name: str, wanted: bool, entry: Entry, findings: Mapping[str, Finding], seen: bool) -> Reason:
    option = entry.options.get(name)
    told = "true" if wanted else "false"
    if option is None:
        return Reason(name, "unknown", "the run says nothing about it")
    short = name.removeprefix(_PREFIX)
    about = tuple(
        finding.id for finding in findings.values() if finding.store == entry.store and short in finding.options
    )
    if option.observed is not None:
        told = f"observed: {_word(option.observed)}"
        if option.observed is wanted:
            return Reason(name, "met", told)
        shown = option.evidence.partition(": ")[2]
        return Reason(name, "not met", f"{told}, by {shown}" if shown else told, findings=about)
    declared = option.default if option.declared is None else option.declared
    how = "declared" if option.declared is not None else "not declared, so"
    if declared is wanted:
        if seen:
            return Reason(name, "met", f"{how} {told}; judged by the clauses of this need")
        return Reason(name, "unknown", f"{how} {told}, and no program decided it")
    if option.declared is None:
        return Reason(name, "unknown", f"{how} {_word(declared)}, and no program decided it")
    return Reason(name, "not met", f"declared: {_word(declared)}", findings=about)


def _word(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def run_for(need: NeedFit, entry: Entry, suites: Mapping[str, tuple[str, ...]]) -> str:
    """The command whose run decides what is unknown of a need; empty where it is known.

    ``suites`` are those that judge a clause, where not every run does.
    """
    if need.state != "unknown":
        return ""
    named = dict.fromkeys(suite for name in need.missing for suite in suites.get(name, ())[:1])
    return " ".join((f"fsconform run --store {entry.store}", *(f"--suite {suite}" for suite in named)))


def plain(found: Fit, suites: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """An answer as JSON has it."""
    origin = found.entry.origin
    return {
        "application": found.profile.id,
        "title": found.profile.title,
        "store": found.entry.store,
        "release": found.entry.release,
        "answer": found.answer,
        "evidence": {
            "versions": found.entry.versions,
            "run": origin.run,
            "date": origin.date,
            "effort": origin.effort,
            "seed": origin.seed,
            "commit": origin.commit,
            "programs": found.entry.programs,
            "problems": list(found.entry.problems),
        },
        "needs": [_plain_need(need, found.entry, suites) for need in found.needs],
    }


def _plain_need(found: NeedFit, entry: Entry, suites: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    need = found.need
    return {
        "id": need.id,
        "level": need.level,
        "state": found.state,
        "says": need.says,
        "harm": need.harm,
        "sources": [{"link": source.link, "place": source.place} for source in need.source],
        "reasons": msgspec.to_builtins(found.reasons),
        "ways": [{"id": way.way.id, "says": way.way.says, "state": way.state, "on": way.on} for way in found.ways],
        "cautions": list(found.cautions),
        "run": run_for(found, entry, suites),
    }

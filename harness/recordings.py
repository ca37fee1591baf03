"""Recordings of applications, read and judged: which contract holds for a store, and what stands in the document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fsconform.adapters.hadoop.transient import reason
from fsconform.adapters.recorder.building import IMPLEMENTATIONS
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.gate import Terms
from fsconform.engine.recordings.events import Event, event_of
from fsconform.engine.recordings.judge import Flagged, RecordingJudge, Tally
from fsconform.engine.waivers import Failing, Waiver, reason_of
from fsconform.harness.problems import Problem
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.records.given import GivenError
from fsconform.records.recording import SUFFIX, CallLine, Recording, read
from fsconform.records.recording_verdicts import SCHEMA, FlaggedCall, JudgedStore, RecordingVerdicts

CONTRACTS: Mapping[str, str] = {
    IMPLEMENTATIONS["file"]: "file",
    IMPLEMENTATIONS["hdfs"]: "hdfs",
    IMPLEMENTATIONS["s3a"]: "s3a",
    "org.apache.hadoop.fs.RawLocalFileSystem": "rawlocal",
}
"""The shipped contract of each connector that has one, by its class."""


@dataclass(slots=True)
class Rechecked:
    """What judging recordings gave: their files, and a tally for each store. ``incomplete`` says what is missing."""

    files: list[Path] = field(default_factory=list)
    stores: dict[str, Tally] = field(default_factory=dict)
    incomplete: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """How waivers name each store."""
    accepted: dict[tuple[int, int], str] = field(default_factory=dict)
    """The calls that waivers accept, with the reason."""
    waiver_problems: list[str] = field(default_factory=list)

    @property
    def flagged(self) -> list[Flagged]:
        """The divergences of all stores."""
        return [flag for tally in self.stores.values() for flag in tally.flagged]

    def place(self, place: tuple[int, int]) -> str:
        """A call's file and line."""
        return f"{self.files[place[0]]}:{place[1]}"

    def document(self) -> RecordingVerdicts:
        """All of it as it is written."""
        return RecordingVerdicts(
            schema=SCHEMA,
            format="recording",
            recordings=tuple(map(str, self.files)),
            incomplete=tuple(self.incomplete),
            stores={name: self._judged(tally) for name, tally in self.stores.items()},
            waiver_problems=tuple(self.waiver_problems),
        )

    def _judged(self, tally: Tally) -> JudgedStore:
        return JudgedStore(
            calls=tally.calls,
            judged=tally.judged,
            learned=tally.learned,
            unjudged=tally.unjudged,
            overlapping=tally.overlapping,
            given_up=tally.given_up,
            clauses=dict(sorted(tally.clauses.items())),
            quirks=dict(sorted(tally.quirks.items())),
            flagged=tuple(
                FlaggedCall(
                    place=self.place(flag.place),
                    store=flag.store,
                    call=flag.call,
                    observed=flag.observed,
                    expected=flag.expected,
                    clause=flag.clause,
                    verdict=self.verdict(flag),
                    signature=flag.signature,
                    options=flag.options,
                    beside=tuple(map(self.place, flag.beside)),
                    waiver=self.accepted.get(flag.place, ""),
                )
                for flag in tally.flagged
            ),
        )

    def verdict(self, flag: Flagged) -> str:
        """The verdict on a call, ``waived`` where a waiver accepts it."""
        return "waived" if flag.place in self.accepted else flag.verdict

    def waive(self, waivers: Sequence[Waiver]) -> None:
        """Accept what waivers of the stores accept: each is named as its built-in store, else by its URI."""
        for (name, tally), store in zip(self.stores.items(), self.names, strict=True):
            failing = {flag.signature: Failing({f"clause {flag.clause}"}) for flag in tally.flagged}
            waived = Terms(store, tuple(waivers)).applied(failing, complete=False)
            self.waiver_problems += [f"{name}: {problem}" for problem in waived.problems]
            for flag in tally.flagged:
                waiver = waived.by_signature.get(flag.signature)
                if waiver is not None:
                    self.accepted[flag.place] = reason_of(waiver)


def recordings(sources: Sequence[Path]) -> list[Path]:
    """The files of recordings, or of folders of them. Raises Problem."""
    found: list[Path] = []
    for source in sources:
        if not source.is_dir():
            found.append(source)
            continue
        inside = sorted(source.glob(f"*{SUFFIX}"))
        if not inside:
            raise Problem(f"{source}: has no recording (*{SUFFIX}): name the folder that the application wrote to")
        found += inside
    return list(dict.fromkeys(found))


def recheck(sources: Sequence[Path], contract: Contract | None) -> Rechecked:
    """Judge recordings of one machine by a contract, or by what is shipped for each connector. Raises Problem."""
    result = Rechecked(recordings(sources))
    read_ones: list[tuple[Recording, list[tuple[int, CallLine]]]] = []
    for file in result.files:
        try:
            read_ones.append(read(file))
        except GivenError as error:
            raise Problem(f"{error}: name what the application wrote, as `fsconform record` says") from error
    _same_machine([recording for recording, _ in read_ones])
    events: dict[tuple[str, str], list[Event]] = {}
    for number, (recording, calls) in enumerate(read_ones):
        if recording.torn:
            result.incomplete.append(f"{recording.file}:{recording.torn}: this line was cut off: read up to it")
        elif not recording.ended:
            result.incomplete.append(f"{recording.file}: has no end: the process was killed, or still runs")
        for place, line in calls:
            store = recording.stores[line.store]
            own = events.setdefault((store.uri, store.implementation), [])
            own.append(event_of(number, place, store.uri, line, reason))
    for (uri, implementation), own in events.items():
        judge = RecordingJudge(Oracle(contract or _shipped(uri, implementation)))
        result.names.append(CONTRACTS.get(implementation, uri))
        name = f"{uri} ({implementation.rpartition('.')[2]})"
        result.stores[name] = judge.follow(own)
    return result


def _shipped(uri: str, implementation: str) -> Contract:
    name = CONTRACTS.get(implementation)
    if name is None:
        raise Problem(
            f"no contract is shipped for {implementation[:200]} ({uri[:200]}): name one by --contract, which "
            "`fsconform contract infer` writes"
        )
    return load_shipped(name)


def _same_machine(found: Sequence[Recording]) -> None:
    """Raises Problem for recordings whose times can't be compared."""
    if len(found) < 2:
        return
    machines = {recording.begin.machine for recording in found}
    if len(machines) > 1 or "" in machines:
        raise Problem(
            "the recordings are of several machines, or of several boots of one: their clocks can't be compared: "
            "judge those of each by themselves, if nobody else used the store"
        )

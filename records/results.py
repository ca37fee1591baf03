"""The records behind ``results.json``, schema 1.

The reports read these and nothing else, so they carry clause texts, comparisons of contracts and reproducers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

SCHEMA = 1

VERDICTS = (
    "conforms",
    "declared",
    "declared-false",
    "undeclared",
    "violation",
    "deviation",
    "waived",
    "inconclusive",
)
"""All verdicts."""

FAILING = ("violation", "declared-false", "undeclared")
"""The verdicts that fail a gate, most serious first."""

BASELINES = ("", "known", "new")
"""What a baseline says of a divergence."""

SEVERITY = (*FAILING, "waived", "deviation", "declared", "inconclusive", "conforms")
"""All verdicts, most serious first."""


IMPACTS = (
    "data lost",
    "data wrong",
    "data of others",
    "visible too late or too long",
    "wrong answer",
    "wrong error",
    "SHOULD",
)
"""What a divergence means for who uses the store, worst first.

Data lost: bytes or files that the store had accepted are gone. Data wrong: other bytes than were written. Data of
others: bytes, files or entries that nobody wrote there. Wrong answer: a result that is not the state's, with the data
unharmed. Wrong error: a refusal by another error than the specification names, an error instead of a result, or none.
"""

DATA_IMPACTS = IMPACTS[:3]
"""The impacts that harm data."""

LOSING_IMPACTS = IMPACTS[:2]
"""The impacts after which data that was written is not there as it was written."""


@dataclass(frozen=True, slots=True)
class FormalRecord:
    """What a model checker found of the TLA+ modules, and of their being equal to the reference model.

    ``tool`` is the checker with its version and ``date`` the day; ``checks`` came out right, over ``distinct`` states.
    ``transitions`` of ``modules``, from ``states`` states and under ``contracts``, were compared with the model.
    ``not_run`` says why there are no such figures, or no traces; empty figures with no reason are of an older record.
    """

    tool: str = ""
    date: str = ""
    checks: int = 0
    distinct: int = 0
    transitions: int = 0
    states: int = 0
    contracts: list[str] = field(default_factory=list)
    differences: int = 0
    traces: int = 0
    not_run: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Run:
    """The run as a whole. ``started`` is ISO 8601 in UTC; ``exit`` is the exit code."""

    id: str
    seed: int
    versions: dict[str, str]
    started: str
    seconds: float
    exit: int
    command: str = ""
    configuration: dict[str, str] = field(default_factory=dict)
    """Settings of the run with secrets redacted."""
    formal: FormalRecord = field(default_factory=FormalRecord)


@dataclass(frozen=True, slots=True)
class OptionRecord:
    """One contract option: the value the contract declares (None: absent), the value the store's behaviour shows.

    ``observed`` is None where nothing that was seen decides it, and "conflict" where both values were seen.
    ``evidence`` says by what it was decided: a signature or a clause, and how often. ``default`` is the value an absent
    option takes.
    """

    declared: Any
    observed: Any
    evidence: str
    default: Any = None
    kind: str = ""
    statement: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one contract option that would allow what was observed: ``value`` instead of ``declared``."""

    option: str
    value: Any
    declared: Any
    xml: str


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step of a minimal program, for a sequence table.

    ``changed`` lists what the step changed in the model's filesystem; ``marked`` is true for the step that departs.
    ``call`` is the step as a reader would write it. ``setup`` is true for a step that only builds the place where the
    program plays; ``client`` numbers the client that makes the call, from 0.
    """

    call: str
    operation: dict[str, Any]
    observed: str
    expected: str
    probe: bool = False
    marked: bool = False
    changed: tuple[str, ...] = ()
    setup: bool = False
    client: int = 0


@dataclass(frozen=True, slots=True)
class BelowStep:
    """What the object store below a connector held after one step of a program.

    ``objects`` has all of it, such as ``a/b, 3 bytes``; ``changed`` what the step added (``+``), removed (``-``) and
    wrote anew (``~``). ``note`` says what bears on what was seen.
    """

    objects: list[str]
    changed: list[str]
    note: str = ""


@dataclass(frozen=True, slots=True)
class BelowBreach:
    """A clause of object stores that the store below broke.

    ``layer`` is ``left`` where it shows in what the connector left there, and ``requests`` where it shows in the same
    changes made by requests alone. ``step`` is the connector's step from 1 on.
    """

    clause: str
    level: str
    statement: str
    source: str
    layer: str
    step: int
    request: str
    expected: str
    observed: str


@dataclass(frozen=True, slots=True)
class BelowRecord:
    """The object store below a connector while a minimal program runs: one of ``steps`` for each of the program's.

    ``judged`` counts the answers that were held against ``clauses``; ``sequence`` has the requests by which the same
    changes were made without the connector, and what of their reading departs. ``shown`` is false where the
    connector did not show its divergence in this replay.
    """

    store: str
    verdict: str
    judged: int = 0
    clauses: list[str] = field(default_factory=list)
    steps: list[BelowStep] = field(default_factory=list)
    sequence: list[StepRecord] = field(default_factory=list)
    breaches: list[BelowBreach] = field(default_factory=list)
    shown: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class HistoryCall:
    """One call of a history, by one of its clients, which are numbered from 0.

    ``part`` is ``before`` for the beginning that one client makes alone, ``at once`` for the lanes and ``afterwards``
    for the looks at the end. ``invoked`` and ``returned`` are microseconds from the first call of the lanes on;
    ``returned`` is None for a call of which nobody heard the end. ``marked`` is the call that is blamed. ``place`` is
    where it stands, from 1 on, in the longest order that explains what was seen; None for one that stands in none.
    """

    client: int
    call: str
    observed: str
    part: Literal["before", "at once", "afterwards"]
    invoked: float
    returned: float | None
    marked: bool = False
    place: int | None = None


@dataclass(frozen=True, slots=True)
class HistoryRecord:
    """What several clients saw at once: a concurrent program, and one run of it that shows a divergence.

    ``program`` is as replay files have it. ``shown`` of ``runs`` runs showed it: not every one does, as it hangs on
    the moment. ``clients`` says what the clients are, such as ``processes`` or ``threads of one process``.
    """

    program: dict[str, Any]
    calls: list[HistoryCall]
    shown: int
    runs: int
    clients: str = ""


RaceOutcome = Literal[
    "never met", "not judged", "atomic", "seen half-done", "stale", "lost update", "wrongly refused", "both won"
]
"""What was seen of two calls at once.

Seen half-done: a state between before and after. Stale: not what a call had done that had returned. Lost update: what
is there afterwards is what no order of the two leaves. Wrongly refused: an error, or false, in no order due. Both won:
both succeeded where only one can. Never met: not once were both under way at the same time.
"""

RACE_OUTCOMES: tuple[RaceOutcome, ...] = get_args(RaceOutcome)
"""The worst last."""


@dataclass(frozen=True, slots=True)
class RacePair:
    """Two calls made at once on all beginnings: a cell of the matrix.

    Of ``programs`` runs ``overlaps`` had calls of both under way at the same time. ``outcome`` is one of
    ``RACE_OUTCOMES``, the worst that was seen, and ``verdict`` what that is by the contract: ``conforms``,
    ``declared``, or the verdict of the worst of the divergences with these ``signatures``. ``group`` says what is made
    at once where it is more than two calls, such as ``streams of several clients``: its pairs have tables of their own.
    """

    first: str
    second: str
    programs: int
    overlaps: int
    outcome: RaceOutcome
    verdict: str
    signatures: list[str] = field(default_factory=list)
    group: str = ""


@dataclass(frozen=True, slots=True)
class StaleRecord:
    """What another client saw of a change after the call had returned, looked at again and again.

    Of ``programs`` runs ``stale`` had such a look that did not see it; the latest began ``milliseconds`` after the
    return.
    """

    change: str
    look: str
    programs: int
    stale: int
    milliseconds: float
    verdict: str
    signatures: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RacesRecord:
    """What several clients at once saw of a store: ``programs`` of the ``planned`` ones, with ``calls`` in their lanes.

    In ``overlaps`` of them calls of two clients were under way at the same time. ``clients`` says what the clients are.
    ``clauses`` counts how often each clause was judged; that, ``programs`` and ``calls`` are part of the store's own.
    What hangs on the moment is here and in divergences with a history alone.
    """

    planned: int
    programs: int
    calls: int
    overlaps: int
    seconds: float
    clients: str
    pairs: list[RacePair] = field(default_factory=list)
    freshness: list[StaleRecord] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What was left out, and why."""
    clauses: dict[str, int] = field(default_factory=dict)
    confirmed_after: float | None = None
    """Seconds from the beginning of the races until the first one was confirmed; None where none was."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """One signature that is not ``conforms``, shown by its minimal program.

    ``steps`` counts the program's steps without set-up and probes. ``confirmed`` is "3/3" if all three replays in fresh
    directories showed it. ``options`` holds every smallest set of changes that would allow it.
    """

    signature: str
    verdict: str
    clause: str
    level: str
    statement: str
    operation: str
    expected: str
    observed: str
    program: list[dict[str, Any]]
    steps: int
    confirmed: str
    options: list[list[Change]]
    replay: str
    count: int = 1
    sequence: list[StepRecord] = field(default_factory=list)
    source: str = ""
    """Document and section of the clause."""
    message: str = ""
    """The store's error message, if it raised."""
    stack: str = ""
    logs: list[str] = field(default_factory=list)
    """Lines of the store's own logs from the time of the confirming replay."""
    waiver: str = ""
    reproducer: str = ""
    """The command line that replays it."""
    note: str = ""
    test: str = ""
    """Path, relative to the run's folder, of a pytest file that shows the divergence; empty if there is none."""
    area: str = ""
    """The family of operations that departs: the heading under which the specification describes it."""
    waiver_block: str = ""
    """The lines of a waivers file that would accept it, to be completed by hand; empty if it does not fail the gate."""
    below: BelowRecord | None = None
    """The object store below a connector, where it was looked at while the minimal program ran."""
    impact: str = ""
    """What it means for who uses the store, one of IMPACTS; empty in older records and where it is not derived."""
    cause: str = ""
    """What groups the symptoms of one bug: equal for all divergences of a store that have the same cause.

    The id of the quirk where there is one, else the signature or the error and the trait that its symptoms share.
    """
    root: bool = False
    """Whether its program plays in the real root of the store, and not in a directory."""
    quirk: str = ""
    """The id of the known bug of the store that explains it, whose reason ``waiver`` holds; empty if none does."""
    basis: str = ""
    """What the clause rests on: ``published``, ``javadoc``, ``proposal`` or ``derived``; empty if it is not said."""
    precondition: str = ""
    """The clause, with its text, by which a call was refused that yet changed something; empty where none was."""
    baseline: str = ""
    """``known`` if the run's baseline has it too, ``new`` if not; empty without a baseline, and for what can't fail."""
    history: HistoryRecord | None = None
    """What the clients saw, where it takes several at once to show it."""


@dataclass(frozen=True, slots=True)
class QuirkRecord:
    """A known bug of a store that it was judged with. ``needed`` counts the programs that needed it.

    ``expires`` is the last day, in ISO 8601, on which it is accepted. An ``occasional`` one hangs on the moment.
    """

    id: str
    title: str
    clause: str
    impact: str
    reason: str
    link: str
    expires: str
    needed: int = 0
    occasional: bool = False


@dataclass(frozen=True, slots=True)
class ExplorerRecord:
    """What one explorer did: ``covered`` of ``bound`` programs, both None where there is no bound.

    ``programs`` were run of the ``planned`` ones that the effort asks for; None where no number was planned.
    """

    name: str
    programs: int
    operations: int
    seconds: float
    covered: int | None = None
    bound: int | None = None
    note: str = ""
    planned: int | None = None


@dataclass(frozen=True, slots=True)
class Latency:
    """Latency of one operation, in microseconds inside the store's call."""

    count: int
    p50: float
    p90: float
    p99: float
    max: float


@dataclass(frozen=True, slots=True)
class Point:
    """What a store's run had seen after so many seconds of exploring: numbers so far.

    ``situations`` counts the different failed and met preconditions that operations were judged in.
    """

    seconds: float
    operations: int
    clauses: int
    situations: int
    signatures: int


@dataclass(frozen=True, slots=True)
class Limit:
    """How far a store goes in one dimension, in ``unit``: the largest size that worked, the smallest that was refused.

    ``refused`` is None where no size was, up to ``accepted``; ``error`` is how the store refused. ``bound`` is how far
    the search was to go, and ``note`` says why it ended before it knew.
    """

    dimension: str
    unit: str
    accepted: int
    refused: int | None = None
    error: str = ""
    bound: int = 0
    attempts: int = 0
    seconds: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one call on a directory of so many ``entries`` cost: the median of ``samples`` calls, in microseconds.

    ``requests`` counts what the call asked of the service, by kind; empty where the client does not count that.
    """

    entries: int
    microseconds: float
    samples: int
    requests: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CostCurve:
    """The cost of one operation against the entries of its directory, in order of their number."""

    operation: str
    points: list[Cost]


@dataclass(frozen=True, slots=True)
class InternalErrorRecord:
    """An error in fsconform's own code, met ``count`` times while doing ``stage``: it says nothing of the store.

    ``error`` is its class and message. ``program`` is the smallest one that met it; empty, with no ``replay`` file,
    where none was at hand. ``reproducer`` is the command line that replays it.
    """

    stage: str
    error: str
    traceback: str
    count: int = 1
    program: list[dict[str, Any]] = field(default_factory=list)
    replay: str = ""
    reproducer: str = ""


SLOW_SECONDS = 15.0
"""A call that lasts longer is slow: connectors that give up a server after their retries take about half a minute."""


@dataclass(frozen=True, slots=True)
class SlowCallsRecord:
    """An operation of which several calls were slow: how many, and the ``seconds`` of the longest.

    ``advice`` says which properties of the client to lower, if it was retrying.
    """

    operation: str
    calls: int
    seconds: float
    advice: str


@dataclass(frozen=True, slots=True)
class StoreRecord:
    """One store. ``operations`` counts judged operations without ``probes``.

    ``seconds`` is the wall time from the first session's opening to the last one's end, in which the store was judged;
    ``starting_seconds`` was spent before to bring it up. ``store_seconds`` is the time inside the store's calls summed
    over its ``sessions``; ``store_wall_seconds`` is the wall time in which at least one session was inside a call. All
    in seconds.
    ``verdicts`` counts signatures by verdict. ``clauses`` counts how often each clause was judged.
    """

    name: str
    uri: str
    programs: int
    operations: int
    probes: int
    seconds: float
    store_seconds: float
    verdicts: dict[str, int]
    clauses: dict[str, int]
    options: dict[str, OptionRecord]
    divergences: list[Divergence]
    explorers: list[ExplorerRecord] = field(default_factory=list)
    latencies: dict[str, Latency] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    contract: str = ""
    problems: list[str] = field(default_factory=list)
    """What kept the store, or a part of it, from being judged."""
    waiver_problems: list[str] = field(default_factory=list)
    """Waivers that are unused or expired, each with its reason: they fail the gate."""
    statement: str = ""
    """What the store is, and what judging it tells."""
    sessions: int = 0
    starting_seconds: float = 0.0
    store_wall_seconds: float = 0.0
    coverage: list[Point] = field(default_factory=list)
    """How coverage grew, in order of time: at most a hundred points."""
    limits: list[Limit] = field(default_factory=list)
    """The limits that were found, where they were searched for. They are listed and never fail a gate."""
    costs: list[CostCurve] = field(default_factory=list)
    """What calls on directories of growing size cost, where that was measured."""
    cut_off: list[str] = field(default_factory=list)
    """What was planned and not run because the budget was used up, a sentence each."""
    survey_notes: list[str] = field(default_factory=list)
    """What of the limits and the costs was left out, and why."""
    quirks: list[QuirkRecord] = field(default_factory=list)
    """The known bugs that the store was judged with, needed or not."""
    quirk_sets: list[str] = field(default_factory=list)
    """The stores whose known bugs those are."""
    internal_errors: list[InternalErrorRecord] = field(default_factory=list)
    """Errors in fsconform's own code: each cost its program, and the gate does not pass. The most frequent first."""
    baseline: str = ""
    """The earlier run that it was held against, as the user named it: only what that run lacks fails then."""
    baseline_note: str = ""
    """Why the baseline knows nothing of the store; empty where it does, and without one."""
    known_waiver_problems: list[str] = field(default_factory=list)
    """Waivers that are unused or expired and were so in the baseline: they do not fail the gate."""
    baseline_fixed: list[str] = field(default_factory=list)
    """Signatures that fail in the baseline and were not met now, though their clause was judged and no other symptom
    of their cause was met. None of a store that was judged in part."""
    races: RacesRecord | None = None
    """What several clients at once saw of it, where that was tried."""
    slow_calls: list[SlowCallsRecord] = field(default_factory=list)
    """The operations of which several calls lasted long. No verdict: slow is not wrong."""


@dataclass(frozen=True, slots=True)
class ClauseRecord:
    """A row of the clause catalogue, as the report shows it.

    ``status`` is "modelled", "raced" if it is judged by what several clients at once see, "restated" if other clauses
    are judged that say the same, or "untestable" for a clause that no store can be judged by: ``why`` says the reason.
    """

    id: str
    document: str
    section: str
    level: str
    statement: str
    status: str = "modelled"
    why: str = ""
    basis: str = ""
    """Where the clause comes from: ``published``, ``javadoc``, ``proposal`` or ``derived``; empty if it is not said."""


@dataclass(frozen=True, slots=True)
class Results:
    """A whole run."""

    schema: int
    run: Run
    stores: list[StoreRecord]
    clauses: list[ClauseRecord] = field(default_factory=list)

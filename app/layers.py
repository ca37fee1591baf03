"""What judging a layer beside the filesystem's own needs of the command: clauses for the report, and replay files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from fsconform.app.console import plain
from fsconform.app.problems import Problem
from fsconform.app.whole import write_json
from fsconform.engine.gate import Terms
from fsconform.engine.layers.confirm import Tried
from fsconform.engine.layers.findings import Finding
from fsconform.engine.waivers import Failing, reason_of
from fsconform.model.core.layers import LayerContract
from fsconform.records import gate
from fsconform.records.given import GivenError, brief, read_json
from fsconform.records.results import ClauseRecord, Divergence
from fsconform.reports.visible import visible
from fsconform.specs.layers import LayerClause

VERSION = 1

Operation = TypeVar("Operation")
Contract = TypeVar("Contract", bound=LayerContract)


def clause_records(clauses: Mapping[str, LayerClause]) -> list[ClauseRecord]:
    """The rows of a layer's clauses for the report."""
    return [ClauseRecord(row.id, row.document, row.section, row.level, row.statement) for row in clauses.values()]


def text_of(row: LayerClause) -> tuple[str, str, str]:
    """Level, statement and source of a clause."""
    return row.level, row.statement, f"{row.document}, {row.section}"


@dataclass(frozen=True)
class Replay(Generic[Operation, Contract]):
    """A program with the signature it showed, the store, and the contract it was judged by."""

    signature: str
    store: str
    program: tuple[Operation, ...]
    contract: Contract


@dataclass(frozen=True)
class ReplayFiles(Generic[Operation, Contract]):
    """The replay files of a layer, written beside those of others.

    ``key`` stands in its files alone, ``step`` in each of its encoded steps; ``contract`` makes one of what is declared
    and the file it was read from.
    """

    key: str
    step: str
    decode: Callable[[Any], Operation]
    contract: Callable[[dict[str, bool], str], Contract]

    def is_ours(self, divergence: Divergence) -> bool:
        """Whether a divergence is one of this layer."""
        return bool(divergence.program) and self.step in divergence.program[0]

    def write(self, folder: Path, store: str, divergence: Divergence, contract: Mapping[str, object]) -> None:
        """Write the replay file of a divergence. Raises OSError."""
        row = {
            self.key: VERSION,
            "signature": divergence.signature,
            "verdict": divergence.verdict,
            "store": store,
            "contract": dict(contract),
            "program": divergence.program,
        }
        write_json(folder / divergence.replay, row)

    def is_file(self, path: Path) -> bool:
        """Whether a file is such a replay file; what can't be read is none."""
        try:
            row = read_json(path)
        except GivenError:
            return False
        return isinstance(row, dict) and self.key in row

    def read(self, path: Path) -> Replay[Operation, Contract]:
        """Read a replay file. Raises Problem."""
        try:
            row = read_json(path)
            if type(row[self.key]) is not int or row[self.key] != VERSION:
                raise ValueError(f"version {brief(row[self.key])} is not {VERSION}")
            if not all(isinstance(row[name], str) for name in ("signature", "store")):
                raise ValueError("signature and store are texts")
            if not isinstance(row["program"], list):
                raise ValueError("program is a list")
            if not all(type(value) is bool for value in row["contract"].values()):
                raise ValueError("contract is an object of true and false")
            contract = self.contract(dict(row["contract"]), str(path))
            program = tuple(self.decode(step) for step in row["program"])
            return Replay(row["signature"], row["store"], program, contract)
        except GivenError as error:
            raise Problem(f"{error}; it is written by fsconform run") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Problem(f"{path}: can't be replayed: {error}; it is written by fsconform run") from error


def told(
    signature: str,
    tried: Tried[Any, Any],
    steps: Iterable[str],
    unknown: str,
    terms: Terms,
    traits: Callable[[tuple[Any, ...]], Collection[str]],
) -> int:
    """Say what a replay showed, its ``steps`` first; the exit code. ``unknown`` says why an answer is not known.

    ``traits`` of the program are what waivers are held against.
    """
    for number, step in enumerate(steps, 1):
        _say(f"{number:3}  {step}")
    own = traits(tried.program)
    shown = {one.signature: Failing((*own, f"clause {one.breach.clause}")) for one in tried.judgement.findings}
    found = {one.signature: one for one in tried.judgement.findings}
    wanted = found.pop(signature, None)
    waivers = {name: terms.accepting(name, shown[name]) for name, one in found.items() if one.failing}
    others = [found[name] for name, waiver in waivers.items() if waiver is None]
    if wanted is not None:
        _say(f"reproduced: {wanted.verdict}: {wanted.signature}")
        breach = wanted.breach
        _say(f"  clause {breach.clause}; expected to {breach.expected}; {breach.observed}")
        waiver = terms.accepting(signature, shown[signature]) if wanted.failing else None
        if waiver is not None:
            _say(f"  a waiver accepts it: {reason_of(waiver)}")
        return gate.of_replay(gate.Shown(wanted.verdict))
    if others:
        _say(f"other: it does not show {signature!r}, but diverges otherwise:")
        for other in others:
            _say(f"  {_line(other)}")
    elif unknown := unknown or _unjudged(tried):
        _say(f"inconclusive: {signature}: {unknown}")
    else:
        _say(f"gone: {signature}")
    for name, accepting in waivers.items():
        if accepting is not None:
            _say(f"  beside it, accepted by a waiver: {_line(found[name])}: {reason_of(accepting)}")
    return gate.of_replay(gate.Shown(others=tuple(one.verdict for one in others), unknown=unknown))


def _say(text: str) -> None:
    """Print one line: of a file and a store that may be somebody else's."""
    plain.print(visible(text), markup=False)


def _line(finding: Finding) -> str:
    return f"{finding.verdict}: {finding.signature} ({finding.breach.clause})"


def _unjudged(tried: Tried[Any, Any]) -> str:
    """Why a divergence that was not shown may be there all the same; empty if every step was asked and judged."""
    if tried.judgement.skipped:
        return f"a step was not asked: {tried.judgement.skipped[0]}"
    if not tried.program:
        return "the program has no steps: nothing was asked"
    judged = tried.judgement.operations
    if judged < len(tried.program):
        return f"judging ended with step {judged}: what is there after it is not known"
    return ""

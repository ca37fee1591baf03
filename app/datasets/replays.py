"""Replay files of divergences on datasets: written beside the others, and replayed."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters.spark.committers import Committer, for_scheme, of_class
from fsconform.app.console import console, plain
from fsconform.app.datasets.stores import RECOVERABLE, STORES, bring_up
from fsconform.app.problems import DIVERGENCES, OK, Inconclusive, Problem, known
from fsconform.app.sites import Setup
from fsconform.engine.datasets import describe
from fsconform.engine.datasets.confirm import Tried, attempt
from fsconform.model.datasets.contract import OPTIONS, CommitContract
from fsconform.model.datasets.operations import Program, decode
from fsconform.records.results import Divergence
from fsconform.specs.contract_xml import ContractError
from fsconform.specs.datasets import load_commit_contract

KEY = "fsconform-dataset-replay"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Replay:
    """A program with the signature it showed, the store and the committer, and the contract it was judged by."""

    signature: str
    store: str
    program: Program
    contract: CommitContract


def is_ours(divergence: Divergence) -> bool:
    """Whether a divergence is one of a dataset."""
    return bool(divergence.program) and "dataset" in divergence.program[0]


def write(folder: Path, store: str, divergence: Divergence, contract: Mapping[str, object]) -> None:
    """Write the replay file of a divergence. Raises OSError."""
    row = {
        KEY: VERSION,
        "signature": divergence.signature,
        "verdict": divergence.verdict,
        "store": store,
        "contract": dict(contract),
        "program": divergence.program,
    }
    (folder / divergence.replay).write_text(json.dumps(row, indent=1) + "\n", "utf-8")


def is_file(path: Path) -> bool:
    """Whether a file is such a replay file; what can't be read is none."""
    try:
        row = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(row, dict) and KEY in row


def read(path: Path) -> Replay:
    """Read a replay file. Raises Problem."""
    try:
        row = json.loads(path.read_text("utf-8"))
        if row[KEY] != VERSION:
            raise ValueError(f"version {row[KEY]} is not {VERSION}")
        declared = {str(name): bool(value) for name, value in row["contract"].items()}
        if unknown := set(declared) - set(OPTIONS):
            raise ValueError(f"no such contract option: {', '.join(sorted(unknown))}")
        program = tuple(decode(step) for step in row["program"])
        return Replay(str(row["signature"]), str(row["store"]), program, CommitContract(declared, str(path)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Problem(f"{path}: can't be replayed: {error}; it is written by fsconform run") from error


def replay(path: Path, store: str | None, contract: Path | None, jars: tuple[Path, ...]) -> int:
    """Replay a file in a fresh directory, and say what it shows; the exit code. Raises Problem or Inconclusive."""
    recorded = read(path)
    try:
        name, committer = _split(store or recorded.store)
    except Problem as error:
        raise error if store else Problem(f"{path}: {error.message}") from error
    try:
        judged_by = load_commit_contract(contract) if contract is not None else recorded.contract
    except ContractError as error:
        raise Problem(str(error)) from error
    with tempfile.TemporaryDirectory(prefix="fsconform-replay-") as logs:
        try:
            opened = bring_up(name, Setup(Path(logs), lambda text: console.print(text, markup=False)), jars)
            try:
                session = opened.session(committer)
                tried = attempt(session, recorded.program, judged_by)
                session.close()
            finally:
                opened.close()
        except RECOVERABLE as error:
            raise Inconclusive(str(error)) from error
    return _told(recorded, tried)


def _split(name: str) -> tuple[str, Committer]:
    """The store and the committer that a name such as spark-s3a-magic means. Raises Problem."""
    store = next((one for one in STORES if name.startswith(f"{one}-")), None)
    if store is None:
        raise Problem(f"{name}: write the store with its committer, such as spark-file-file-v1")
    committer = name.removeprefix(f"{store}-")
    if "." in committer:
        return store, of_class(committer)
    there = {one.name: one for one in for_scheme(STORES[store][0])}
    return store, there[known("committer", committer, there)]


def _told(recorded: Replay, tried: Tried) -> int:
    for number, (operation, seen) in enumerate(zip(tried.program, tried.seen, strict=False), 1):
        plain.print(
            f"{number:3}  {describe.call(operation)}: {describe.observed(seen.ending, seen.look)}", markup=False
        )
    if tried.judgement.skipped:
        raise Inconclusive(tried.judgement.skipped[0])
    for finding in tried.judgement.findings:
        if finding.signature == recorded.signature:
            plain.print(f"reproduced: {finding.verdict}: {finding.signature}", markup=False)
            breach = finding.breach
            plain.print(f"  clause {breach.clause}; expected to {breach.expected}; {breach.observed}", markup=False)
            return DIVERGENCES
    others = [finding for finding in tried.judgement.findings if finding.failing]
    if others:
        plain.print(f"other: it does not show {recorded.signature!r}, but departs otherwise:", markup=False)
        for other in others:
            plain.print(f"  {other.verdict}: {other.signature} ({other.breach.clause})", markup=False)
        return DIVERGENCES
    plain.print(f"gone: {recorded.signature}", markup=False)
    return OK

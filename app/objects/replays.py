"""Replay files of divergences on objects: written beside the others, and replayed."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters.s3.proving.faults import FAULTS
from fsconform.app.console import console, plain
from fsconform.app.objects.plan import contract_of, own_of
from fsconform.app.objects.stores import RECOVERABLE, STORES, bring_up, bring_up_own
from fsconform.app.problems import DIVERGENCES, OK, Inconclusive, Problem, known
from fsconform.app.sites import Setup
from fsconform.engine.objects import describe
from fsconform.engine.objects.confirm import Tried, attempt
from fsconform.model.objects.contract import OPTIONS, ObjectContract
from fsconform.model.objects.operations import OP, Program, decode
from fsconform.model.outcomes import Unknown
from fsconform.records.results import Divergence
from fsconform.specs.contract_xml import ContractError

KEY = "fsconform-object-replay"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Replay:
    """A program with the signature it showed, the store, and the contract it was judged by."""

    signature: str
    store: str
    program: Program
    contract: ObjectContract


def is_ours(divergence: Divergence) -> bool:
    """Whether a divergence is one of objects."""
    return bool(divergence.program) and OP in divergence.program[0]


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
        return Replay(str(row["signature"]), str(row["store"]), program, ObjectContract(declared, str(path)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Problem(f"{path}: can't be replayed: {error}; it is written by fsconform run") from error


def replay(
    path: Path, store: str | None, contract: Path | None, fault: str, uri: str | None = None, conf: tuple[str, ...] = ()
) -> int:
    """Replay a file in a fresh place, and say what it shows; the exit code. Raises Problem or Inconclusive."""
    recorded = read(path)
    try:
        own = own_of(uri, conf) if uri is not None else None
        name = store or recorded.store if own else known("object store", store or recorded.store, STORES)
        if fault:
            known("fault", fault, FAULTS)
            if name != "s3-proving":
                raise Problem("--fault is for the store 's3-proving' alone")
        judged_by = contract_of(contract) if contract is not None else recorded.contract
    except Problem as error:
        raise error if store or fault or uri else Problem(f"{path}: {error.message}") from error
    except ContractError as error:
        raise Problem(str(error)) from error
    with tempfile.TemporaryDirectory(prefix="fsconform-replay-") as logs:
        try:
            setup = Setup(Path(logs), lambda text: console.print(text, markup=False), fault=fault)
            opened = bring_up_own(own, setup) if own else bring_up(name, setup)
            try:
                tried = attempt(opened.session, recorded.program, judged_by)
            finally:
                opened.close()
        except RECOVERABLE as error:
            raise Inconclusive(str(error)) from error
    return _told(recorded, tried)


def _told(recorded: Replay, tried: Tried) -> int:
    for number, (request, answer) in enumerate(zip(tried.program, tried.seen, strict=False), 1):
        plain.print(f"{number:3}  {describe.call(request)}: {describe.observed(answer)}", markup=False)
    if tried.seen and isinstance(tried.seen[-1], Unknown):
        raise Inconclusive(tried.seen[-1].reason)
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

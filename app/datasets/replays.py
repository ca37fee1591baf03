"""Replay files of divergences on datasets: written beside the others, and replayed."""

from __future__ import annotations

from pathlib import Path

from fsconform.adapters.spark.committers import Committer, for_scheme, of_class
from fsconform.adapters.stores.site import Setup
from fsconform.app.console import console
from fsconform.app.datasets.plan import terms_of
from fsconform.app.datasets.stores import RECOVERABLE, STORES, bring_up
from fsconform.app.layers import ReplayFiles, told
from fsconform.app.passing_logs import passing_logs
from fsconform.app.problems import Inconclusive, Problem, known
from fsconform.engine.datasets import describe
from fsconform.engine.datasets.confirm import attempt
from fsconform.engine.datasets.record import TELLING
from fsconform.model.datasets.contract import CommitContract
from fsconform.model.datasets.operations import decode
from fsconform.specs.contract_xml import ContractError
from fsconform.specs.datasets import load_commit_contract

FILES = ReplayFiles("fsconform-dataset-replay", "dataset", decode, CommitContract)


def replay(
    path: Path, store: str | None, contract: Path | None, jars: tuple[Path, ...], waiver_files: tuple[Path, ...] = ()
) -> int:
    """Replay a file in a fresh directory, and say what it shows; the exit code. Raises Problem or Inconclusive."""
    recorded = FILES.read(path)
    try:
        name, committer = _split(store or recorded.store)
    except Problem as error:
        raise error if store else Problem(f"{path}: {error.message}") from error
    try:
        judged_by = load_commit_contract(contract) if contract is not None else recorded.contract
    except ContractError as error:
        raise Problem(str(error)) from error
    terms = terms_of(name, committer, waiver_files)
    with passing_logs("replay") as logs:
        try:
            opened = bring_up(name, Setup(logs.folder, lambda text: console.print(text, markup=False)), jars)
            try:
                session = opened.session(committer)
                tried = attempt(session, recorded.program, judged_by)
                session.close()
            finally:
                opened.close()
        except RECOVERABLE as error:
            raise Inconclusive(str(error)) from error
        logs.reported(*tried.judgement.skipped)
    steps = (
        f"{describe.call(operation)}: {describe.observed(seen.ending, seen.look)}"
        for operation, seen in zip(tried.program, tried.seen, strict=False)
    )
    return told(recorded.signature, tried, steps, "", terms, TELLING.traits)


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

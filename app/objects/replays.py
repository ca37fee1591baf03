"""Replay files of divergences on objects: written beside the others, and replayed."""

from __future__ import annotations

from pathlib import Path

from fsconform.adapters.stores.site import Setup
from fsconform.app.console import console
from fsconform.app.layers import ReplayFiles, told
from fsconform.app.objects.plan import contract_of, own_of, terms_of
from fsconform.app.objects.stores import RECOVERABLE, STORES, bring_up, bring_up_own
from fsconform.app.passing_logs import passing_logs
from fsconform.app.problems import Inconclusive, Problem, known
from fsconform.engine.objects import describe
from fsconform.engine.objects.confirm import attempt
from fsconform.model.core.outcomes import Unknown
from fsconform.model.objects.contract import ObjectContract
from fsconform.model.objects.operations import OP, decode
from fsconform.proving.objects.faults import FAULTS
from fsconform.specs.contract_xml import ContractError

FILES = ReplayFiles("fsconform-object-replay", OP, decode, ObjectContract)


def replay(
    path: Path,
    store: str | None,
    contract: Path | None,
    fault: str,
    uri: str | None = None,
    conf: tuple[str, ...] = (),
    waiver_files: tuple[Path, ...] = (),
) -> int:
    """Replay a file in a fresh place, and say what it shows; the exit code. Raises Problem or Inconclusive."""
    recorded = FILES.read(path)
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
    terms = terms_of(name, own is not None, waiver_files)
    with passing_logs("replay") as logs:
        try:
            setup = Setup(logs.folder, lambda text: console.print(text, markup=False), fault=fault)
            opened = bring_up_own(own, setup) if own else bring_up(name, setup)
            try:
                tried = attempt(opened.session, recorded.program, judged_by)
            finally:
                opened.close()
        except RECOVERABLE as error:
            raise Inconclusive(str(error)) from error
        logs.reported(*(one.reason for one in tried.seen if isinstance(one, Unknown)))
    steps = (
        f"{describe.call(request)}: {describe.observed(answer)}"
        for request, answer in zip(tried.program, tried.seen, strict=False)
    )
    last = tried.seen[-1] if tried.seen else None
    unknown = last.reason if isinstance(last, Unknown) else ""
    return told(recorded.signature, tried, steps, unknown, terms, describe.TELLING.traits)

"""A shipped waiver of a store outside the default job accepts its cause and no other fault of the same names."""

from __future__ import annotations

import datetime

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import prove_all
from fsconform.engine.judge import FAILING
from fsconform.engine.waivers import Failing, apply, traits_of
from fsconform.harness.plans import Filter, explorers
from fsconform.harness.versions import waivers_of
from fsconform.proving.faults import Fault
from fsconform.proving.full_store import FullStore
from fsconform.proving.session import ProvingStore
from fsconform.suites.registry import SUITES

TODAY = datetime.date(2026, 11, 23)


class _Corrupts(FullStore):
    """Bytes of files whose name is beyond ASCII come back with the first one changed."""

    def open(self, path: str) -> bytes:
        data = super().open(path)
        return bytes([data[0] ^ 1]) + data[1:] if data and not path.isascii() else data


CORRUPTS = Fault("corrupts-beyond-ascii", "bytes of files whose name is beyond ASCII are changed", "", _Corrupts)


def test_bytes_that_are_corrupted_under_a_name_beyond_ascii_are_found_on_ftp() -> None:
    """The waivers of ftp accept that names beyond ASCII are lost: not that the bytes below them are others."""
    contract = load_shipped("proving")
    benches = Benches(ProvingStore(fault=CORRUPTS), contract, 1)
    try:
        collected = Collected()
        (varied,) = explorers((SUITES["content"],), benches.oracle, 0, Filter(), kinds=frozenset(("variations",)))
        for _, program in varied.source(0):
            with benches.lent() as bench:
                (trial,) = bench.try_all([program])
            collected.add(trial)
            if any(one.verdict in FAILING for one in trial.judgement.findings):
                break
        proven = prove_all(benches, collected)
    finally:
        benches.close()
    failing = {
        one.finding.signature: Failing(traits_of(one.program, (), one.finding.clause))
        for one in proven
        if one.finding.verdict in FAILING and one.confirmed == "3/3"
    }
    assert failing
    assert apply(waivers_of("ftp", ""), "ftp", failing, TODAY, complete=False).by_signature == {}

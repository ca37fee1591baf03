"""What the formats of build servers share: a divergence in one sentence, its fingerprint, and where it is shown."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from fsconform.records.results import Divergence, Results, StoreRecord
from fsconform.reports import words
from fsconform.reports.visible import short, visible

PLACE = "fsconform/contract.xml"
"""The file of a repository at which divergences are shown: the contract that `fsconform init` puts there."""
LONGEST = 500
"""Characters of one text of a store."""
LONGEST_TITLE = 120


def every(results: Results) -> Iterator[tuple[StoreRecord, Divergence]]:
    """All divergences with their stores: those that fail the gate first, then by severity."""
    for store in results.stores:
        yield from ((store, one) for one in words.by_severity(store.divergences))


def failing(results: Results) -> list[tuple[StoreRecord, Divergence]]:
    """The divergences that fail the gate, most serious first."""
    return [(store, one) for store, one in every(results) if words.fails(one)]


def accepted(one: Divergence) -> str:
    """Why a divergence does not fail: a waiver's reason, a known bug, or the baseline; empty if nothing accepts it."""
    if words.known(one):
        return words.known(one)
    return (one.waiver or f"known bug {one.quirk}") if one.verdict == "waived" else ""


def title(store: StoreRecord, one: Divergence) -> str:
    """Store, verdict and signature, without characters that can't be seen."""
    return f"{visible(store.name, LONGEST)}: {visible(one.verdict, LONGEST)}: {short(one.signature, LONGEST_TITLE)}"


def sentences(one: Divergence) -> Iterable[str]:
    """What is wrong, in lines: the clause, what was expected and observed, and how to reproduce it."""
    rows = [
        f"clause {one.clause} ({one.level}): {one.statement}",
        f"expected: {one.expected}",
        f"observed: {one.observed}",
        *(f"to allow it: {changes}" for changes in words.option_changes(one)),
        *([f"reproduce: {one.reproducer}"] if one.reproducer else []),
    ]
    return [visible(row, LONGEST) for row in rows]


def whole_store(store: StoreRecord) -> list[str]:
    """What fails, or could not be judged, and has no divergence: waivers, problems, internal errors."""
    said = [f"waiver: {problem}" for problem in store.waiver_problems]
    said += [f"not judged: {problem}" for problem in store.problems]
    said += [words.internal_error(error) for error in store.internal_errors]
    if not said and not store.clauses:
        said.append("nothing was judged")
    return [f"{visible(store.name, LONGEST)}: {visible(one, LONGEST)}" for one in said]


def fingerprint(store: StoreRecord, one: Divergence) -> str:
    """32 hexadecimal digits that are the same in each run that shows the signature of the store by the clause."""
    text = "\0".join((store.name, one.signature, one.clause))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]

"""Waivers that are written for what a run found: one for each signature, into a file that stays as it is.

Comments, order and spacing of the file are kept (tomlkit). What was written is read again by the reader of waivers
before it leaves here.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import tomlkit
from tomlkit.items import AoT, Table

from fsconform.engine.waivers import MOST_SIGNATURE, Waiver, WaiverError, parse
from fsconform.harness.problems import Problem
from fsconform.records.gate import effect
from fsconform.records.results import Divergence, Results, StoreRecord
from fsconform.specs.contract_xml import closest


@dataclass(frozen=True, slots=True)
class Terms:
    """Why divergences are accepted, where that is followed up, and the last day on which they are."""

    reason: str
    link: str
    expires: datetime.date


@dataclass(frozen=True, slots=True)
class Waiving:
    """The text of a file with waivers added; which are new in it, which got other terms, which it had already."""

    text: str
    added: tuple[Waiver, ...] = ()
    renewed: tuple[Waiver, ...] = ()
    there: tuple[Waiver, ...] = ()


def wanted(
    results: Results, signatures: Sequence[str], stores: Collection[str], every: bool, terms: Terms
) -> list[Waiver]:
    """A waiver for each failing divergence of a run that has one of the signatures, or for ``every`` one.

    Only ``stores`` are looked at, all where it is empty. Raises Problem for a signature that no store shows.
    """
    names = [store.name for store in results.stores]
    for name in stores:
        if name not in names:
            raise Problem(f"--store: the run has no store {name!r}{closest(name, names)}: it has {', '.join(names)}")
    chosen = [store for store in results.stores if not stores or store.name in stores]
    failing = {
        (store.name, one.signature): _waiver(store, one, terms)
        for store in chosen
        for one in store.divergences
        if effect(one.verdict) == "fails"
    }
    shown = {signature for _, signature in failing}
    for signature in signatures:
        if signature not in shown:
            raise Problem(_unknown(signature, shown, chosen))
    return [waiver for (_, signature), waiver in failing.items() if every or signature in signatures]


def _unknown(signature: str, shown: Collection[str], stores: Iterable[StoreRecord]) -> str:
    for store in stores:
        for one in store.divergences:
            if one.signature == signature:
                return f"{signature!r} is {one.verdict} on {store.name} and fails no run: it needs no waiver"
    hint = closest(signature, sorted(shown)) or ": copy it from the report, or take --all"
    return f"no store of the run fails by the signature {signature!r}{hint}"


def _waiver(store: StoreRecord, one: Divergence, terms: Terms) -> Waiver:
    if one.signature.lstrip().startswith("*") or len(one.signature) > MOST_SIGNATURE:
        raise Problem(f"{one.signature!r} begins with * or is too long for a waiver: write one by hand")
    return Waiver(store.name, one.signature, terms.reason, terms.link, terms.expires, clauses=(one.clause,))


def added(text: str, path: Path, waivers: Iterable[Waiver], today: datetime.date) -> Waiving:
    """The text of a waivers file with waivers at its end; ``path`` is the name that errors give it.

    A waiver of the file that is as narrow and has expired gets the new terms in its place. What the file accepts
    already is left out. Raises WaiverError for a file that can't be used.
    """
    had = parse(text, path)
    document = tomlkit.parse(text)
    tables = document.get("waiver")
    if tables is None:
        tables = tomlkit.aot()
        document.append("waiver", tables)
    if not isinstance(tables, AoT):
        raise WaiverError(f"{path}: its waivers stand in a list: write each as a table, under [[waiver]]")
    new, renewed, there = [], [], []
    for waiver in waivers:
        accepting = [(number, one) for number, one in enumerate(had) if _accepts(one, waiver)]
        if any(one.expires >= today for _, one in accepting):
            there.append(waiver)
        elif same := [number for number, one in accepting if _as_narrow(one, waiver)]:
            _fill(tables[same[0]], {"reason": waiver.reason, "link": waiver.link, "expires": waiver.expires})
            renewed.append(waiver)
        else:
            tables.append(_table(waiver))
            new.append(waiver)
    written = tomlkit.dumps(document) if new or renewed else text
    if not {*new} <= {*parse(written, path)}:
        raise WaiverError(f"{path}: the waivers can't be added to what stands there: add them by hand")
    return Waiving(written, tuple(new), tuple(renewed), tuple(there))


def _accepts(one: Waiver, waiver: Waiver) -> bool:
    """Whether a waiver of the file accepts all that a new one does; one that asks for a trait need not."""
    traits = [f"clause {clause}" for clause in waiver.clauses]
    return one.store == waiver.store and not one.names and not one.suite and one.accepts(waiver.signature, traits)


def _as_narrow(one: Waiver, waiver: Waiver) -> bool:
    return replace(one, reason=waiver.reason, link=waiver.link, expires=waiver.expires) == waiver


def _table(waiver: Waiver) -> Table:
    table = tomlkit.table()
    _fill(table, {"store": waiver.store, "signature": waiver.signature, "clauses": list(waiver.clauses)})
    _fill(table, {"reason": waiver.reason, "link": waiver.link, "expires": waiver.expires})
    table.add(tomlkit.nl())
    return table


def _fill(table: Table, values: dict[str, object]) -> None:
    for name, value in values.items():
        table[name] = value

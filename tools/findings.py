"""Writes docs/findings-evidence.json: every divergence that a set of runs saw, as docs/findings.md must describe them.

Run it as ``python tools/findings.py RUN...``, where each RUN is the folder of a run. Nothing that changes from run to
run of the same stores stands in the file: no times, no counts, no machine's paths. ``--check`` compares and writes
nothing; ``--add`` keeps what earlier runs saw, ``--drop`` leaves a signature out that a store no longer shows.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from fsconform.records import codec
from fsconform.records.results import Divergence, Results

EVIDENCE = Path(__file__).resolve().parent.parent / "docs" / "findings-evidence.json"

SCHEMA = 1

LONG_RUN = re.compile(r"(.)\1{31,}")
"""So many equal characters in a row are written as their number."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One divergence of one store over all runs.

    ``program`` has the calls of the smallest program, probes included, and ``observed`` what each gave. ``options`` are
    the smallest sets of contract options that allow it, as ``name=value``; ``seeds`` those of the runs that saw it;
    ``confirmed`` is the worst of them.
    """

    signature: str
    verdict: str
    clause: str
    level: str
    program: list[str]
    observed: list[str]
    options: list[list[str]]
    seeds: list[int]
    confirmed: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What ``docs/findings-evidence.json`` holds; ``seeds`` are those of all runs, ``stores`` by name."""

    schema: int
    seeds: list[int]
    versions: dict[str, list[str]]
    stores: dict[str, list[Seen]]


class EvidenceError(ValueError):
    """Runs that can't be put together; the text says why."""


def shortened(text: str) -> str:
    """The text on one line, with each long run of one character written as ``<n x 256>``."""
    plain = text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    return LONG_RUN.sub(lambda found: f"<{found[1]} x {len(found[0])}>", plain)


def gather(runs: Iterable[Results]) -> Evidence:
    """The evidence of several runs, in an order that does not depend on theirs.

    A run that is given twice counts once. Raises EvidenceError if two runs give one signature of a store different
    verdicts or clauses, for then they are not runs of the same stores under the same contracts.
    """
    once = {results.run.id: results for results in runs}
    ordered = sorted(once.values(), key=lambda results: (results.run.seed, results.run.id))
    found: dict[str, dict[str, list[tuple[int, Divergence]]]] = {}
    versions: dict[str, set[str]] = {}
    for results in ordered:
        for store in results.stores:
            of_store = found.setdefault(store.name, {})
            for name in ("hadoop", "java"):
                if name in store.versions:
                    versions.setdefault(name, set()).add(store.versions[name])
            for divergence in store.divergences:
                of_store.setdefault(divergence.signature, []).append((results.run.seed, divergence))
    return Evidence(
        SCHEMA,
        sorted({results.run.seed for results in ordered}),
        {name: sorted(values) for name, values in sorted(versions.items())},
        {
            store: [_seen(store, signature, of_store[signature]) for signature in sorted(of_store)]
            for store, of_store in sorted(found.items())
        },
    )


def joined(old: Evidence, new: Evidence) -> Evidence:
    """The evidence of both: of what both saw the newer verdict and clause, and the smaller program if they agree."""
    stores: dict[str, list[Seen]] = {}
    for store in sorted({*old.stores, *new.stores}):
        found = {one.signature: one for one in old.stores.get(store, [])}
        for one in new.stores.get(store, []):
            found[one.signature] = _both(found[one.signature], one) if one.signature in found else one
        stores[store] = [found[signature] for signature in sorted(found)]
    versions = {
        name: sorted({*old.versions.get(name, []), *new.versions.get(name, [])})
        for name in sorted({*old.versions, *new.versions})
    }
    return Evidence(SCHEMA, sorted({*old.seeds, *new.seeds}), versions, stores)


def _both(old: Seen, new: Seen) -> Seen:
    if (old.verdict, old.clause) != (new.verdict, new.clause):
        return new
    smaller = (
        old
        if (len(old.program), sum(map(len, old.program)))
        <= (
            len(new.program),
            sum(map(len, new.program)),
        )
        else new
    )
    return replace(smaller, options=new.options, seeds=sorted({*old.seeds, *new.seeds}), confirmed=new.confirmed)


def without(evidence: Evidence, dropped: Iterable[str]) -> Evidence:
    """The evidence without these, each told as STORE|SIGNATURE. Raises EvidenceError for one that is not there."""
    stores = {store: list(seen) for store, seen in evidence.stores.items()}
    for one in dropped:
        store, _, signature = one.partition("|")
        kept = [seen for seen in stores.get(store, []) if seen.signature != signature]
        if len(kept) == len(stores.get(store, [])):
            raise EvidenceError(f"nothing to drop: {one}")
        stores[store] = kept
    return replace(evidence, stores=stores)


def _seen(store: str, signature: str, shown: Sequence[tuple[int, Divergence]]) -> Seen:
    # The symptoms of one waived cause may break different clauses; the smallest program is the one that is told.
    kinds = {(one.verdict, "", "") if one.waiver else (one.verdict, one.clause, one.level) for _, one in shown}
    if len(kinds) > 1:
        raise EvidenceError(f"{store}: {signature}: the runs disagree: {sorted(kinds)}")
    smallest = min((one for _, one in shown), key=_size)
    return Seen(
        signature,
        smallest.verdict,
        smallest.clause,
        smallest.level,
        [shortened(step.call) for step in smallest.sequence],
        [_kind(step.observed) for step in smallest.sequence],
        sorted(sorted(f"{change.option}={_value(change.value)}" for change in changes) for changes in smallest.options),
        sorted({seed for seed, _ in shown}),
        min((one.confirmed for _, one in shown), key=_share),
    )


def _size(divergence: Divergence) -> tuple[int, int, list[str]]:
    calls = [step.call for step in divergence.sequence]
    return len(calls), sum(map(len, calls)), calls


def _kind(observed: str) -> str:
    """What was observed without an error's message, in which the sandbox's paths stand."""
    return shortened(re.sub(r"^(raised \w+):.*", r"\1", observed, flags=re.DOTALL))


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _share(confirmed: str) -> float:
    shown, _, replays = confirmed.partition("/")
    return int(shown) / int(replays) if replays else 0.0


def dumps(evidence: Evidence) -> bytes:
    """The evidence as indented JSON that ends in a newline; equal evidence gives equal bytes."""
    return msgspec.json.format(msgspec.json.encode(evidence), indent=1) + b"\n"


def main(arguments: Sequence[str]) -> int:
    """Write, or with ``--check`` compare, the evidence of runs. Exit status 1 if it differs or can't be made."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument("--out", type=Path, default=EVIDENCE, metavar="FILE", help="instead of the project's own file")
    parser.add_argument("--check", action="store_true", help="compare with the file and write nothing")
    parser.add_argument("--add", action="store_true", help="to what the file has")
    parser.add_argument("--drop", action="append", default=[], metavar="STORE|SIGNATURE", help="from what the file has")
    options = parser.parse_args(arguments)
    if not options.runs and not options.drop:
        parser.error("name the folder of a run")
    try:
        found = gather(codec.loads(folder / "results.json") for folder in options.runs)
        if options.add or options.drop:
            known = msgspec.json.decode(options.out.read_bytes(), type=Evidence)
            found = joined(without(known, options.drop), found)
        text = dumps(found)
    except (codec.RecordError, EvidenceError, msgspec.DecodeError, OSError) as error:
        print(f"findings: {error}", file=sys.stderr)
        return 1
    if options.check:
        same = options.out.is_file() and options.out.read_bytes() == text
        print(f"findings: {options.out.name} {'is' if same else 'is not'} what these runs saw")
        return 0 if same else 1
    options.out.write_bytes(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

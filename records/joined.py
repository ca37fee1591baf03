"""One store's record of two parts: what was judged in a directory of it, and what in its real root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fsconform.records.gate import by_severity
from fsconform.records.results import SEVERITY, Divergence, ExplorerRecord, OptionRecord, QuirkRecord, StoreRecord

IN_ROOT = "in the real root: "
"""What the names of explorers, and of problems, of the second part begin with."""


def joined(store: StoreRecord, root: StoreRecord) -> StoreRecord:
    """The record of a store with that of its real root added to it.

    A signature that both show is told once, by the worse of the two verdicts. Versions, latencies, limits and the curve
    of coverage are those of the first part.
    """
    divergences = _divergences(store.divergences, root.divergences)
    clauses = {
        clause: store.clauses.get(clause, 0) + root.clauses.get(clause, 0)
        for clause in sorted({*store.clauses, *root.clauses})
    }
    departed = {one.clause for one in divergences}
    counts = dict.fromkeys(store.verdicts, 0)
    for one in divergences:
        counts[one.verdict] = counts.get(one.verdict, 0) + 1
    counts["conforms"] = sum(1 for clause in clauses if clause not in departed)
    return replace(
        store,
        programs=store.programs + root.programs,
        operations=store.operations + root.operations,
        probes=store.probes + root.probes,
        seconds=round(store.seconds + root.seconds, 3),
        store_seconds=round(store.store_seconds + root.store_seconds, 3),
        store_wall_seconds=round(store.store_wall_seconds + root.store_wall_seconds, 3),
        sessions=store.sessions + root.sessions,
        verdicts=counts,
        clauses=clauses,
        options=_options(store.options, root.options),
        divergences=divergences,
        explorers=[*store.explorers, *map(_named, root.explorers)],
        problems=[*store.problems, *(f"{IN_ROOT}{problem}" for problem in root.problems)],
        waiver_problems=[*store.waiver_problems, *root.waiver_problems],
        known_waiver_problems=[*store.known_waiver_problems, *root.known_waiver_problems],
        quirks=_quirks(store.quirks, root.quirks),
        quirk_sets=list(dict.fromkeys((*store.quirk_sets, *root.quirk_sets))),
        cut_off=[*store.cut_off, *(f"{IN_ROOT}{one}" for one in root.cut_off)],
        internal_errors=[*store.internal_errors, *root.internal_errors],
        slow_calls=[*store.slow_calls, *root.slow_calls],
    )


def _named(explorer: ExplorerRecord) -> ExplorerRecord:
    return replace(explorer, name=f"{IN_ROOT}{explorer.name}")


def _divergences(store: Sequence[Divergence], root: Sequence[Divergence]) -> list[Divergence]:
    found = {one.signature: one for one in store}
    for one in root:
        other = found.get(one.signature)
        if other is None:
            found[one.signature] = replace(one, root=True)
            continue
        worse = min(other, replace(one, root=True), key=lambda each: SEVERITY.index(each.verdict))
        found[one.signature] = replace(worse, count=other.count + one.count)
    return by_severity(found.values())


def _options(store: dict[str, OptionRecord], root: dict[str, OptionRecord]) -> dict[str, OptionRecord]:
    """What the root alone shows of an option is added; where the two differ, that is a conflict."""
    found = dict(store)
    for name, seen in root.items():
        own = found.get(name)
        if own is None or own.observed is None:
            found[name] = seen
        elif seen.observed is not None and seen.observed != own.observed:
            evidence = f"{own.evidence}; {IN_ROOT}{seen.evidence}"
            found[name] = replace(own, observed="conflict", evidence=evidence)
    return found


def _quirks(store: Sequence[QuirkRecord], root: Sequence[QuirkRecord]) -> list[QuirkRecord]:
    found = {one.id: one for one in store}
    for one in root:
        found[one.id] = replace(one, needed=one.needed + (found[one.id].needed if one.id in found else 0))
    return list(found.values())

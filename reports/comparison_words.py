"""What the text and the page of a comparison say in the same words."""

from __future__ import annotations

from fsconform.records.comparison import Changed, Comparison, OptionMove
from fsconform.reports.words import plural, value_text


def outcome(comparison: Comparison) -> str:
    """What the comparison comes to, in one sentence with a full stop."""
    failing = sum(len(store.failing) + len(store.waiver_problems) for store in comparison.stores)
    unjudged = sum(bool(store.unjudged) for store in comparison.stores)
    if failing:
        return f"{plural(failing, 'finding')} {'fails' if failing == 1 else 'fail'} that did not fail before."
    if not comparison.stores:
        return "No store was judged in either run."
    if unjudged:
        return f"Nothing fails anew, but {plural(unjudged, 'store')} can't be compared."
    return "Nothing fails that did not fail before."


def counts(comparison: Comparison) -> str:
    """How many failing signatures were fixed, are new, and stayed, in one line: "63 fixed, 2 new, 5 unchanged"."""
    stores = comparison.stores
    said = (
        f"{sum(len(store.fixed) for store in stores):,} fixed, {sum(len(store.failing) for store in stores):,} new, "
        f"{sum(store.unchanged for store in stores):,} unchanged"
    )
    unknown = sum(store.unknown for store in stores)
    return f"{said}, {unknown:,} not judged any more" if unknown else said


def changes_of(change: Changed) -> list[tuple[str, str, str]]:
    """What differs in a signature that both runs have: its name, what it was, what it is."""
    old, new = change.before, change.after
    told = {
        "verdict": (old.verdict, new.verdict),
        "clause": (old.clause, new.clause),
        "program": (plural(old.steps, "step"), plural(new.steps, "step")),
        "confirmed": (old.confirmed, new.confirmed),
    }
    return [(name, *told[name]) for name in change.what]


def moves_of(move: OptionMove) -> list[tuple[str, str, str]]:
    """How an option moved: declared or observed, what it was, what it is."""
    found = []
    if value_text(move.declared_before) != value_text(move.declared_after):
        found.append(("declared", value_text(move.declared_before), value_text(move.declared_after)))
    seen = [
        "not observed" if value is None else value_text(value) for value in (move.observed_before, move.observed_after)
    ]
    if seen[0] != seen[1]:
        found.append(("observed", seen[0], seen[1]))
    return found

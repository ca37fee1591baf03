"""Whether applications can live on stores, as text for a terminal. Pure.

What stores and users named is put through ``line``, so that none of it can pass for a line of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fsconform.records.profiles.fitting import Fit, NeedFit, Reason, WayFit, run_for
from fsconform.reports import words
from fsconform.reports.escaping import line
from fsconform.reports.visible import visible

OPEN_WAYS = {
    "judged": "what it needs of the store was judged, and holds",
    "documented": "by the application's documents; no run of the atlas judged it",
    "given": "given",
}
"""What stands behind a way."""


def lines_of(found: Fit, suites: Mapping[str, tuple[str, ...]], everything: bool) -> Iterator[str]:
    """The answer and the needs that decide it; with ``everything`` all needs."""
    yield heading(found)
    yield f"  {evidence(found)}"
    decisive = found.decisive
    for need in found.needs:
        if everything or need in decisive or need.state != "met" or need.cautions:
            yield from _need(need, found, suites, everything)


def heading(found: Fit) -> str:
    """The answer in one line."""
    entry = found.entry
    return line(visible(f"{found.profile.id} on {entry.store}, {entry.release}: {found.answer}", 300))


def evidence(found: Fit) -> str:
    """What the answer rests on."""
    entry, origin = found.entry, found.entry.origin
    told = f"{found.profile.title}; run of {origin.date}, effort {origin.effort or 'unknown'}, seed {origin.seed}"
    problems = f"; judged in part: {'; '.join(entry.problems)}" if entry.problems else ""
    return line(visible(f"{told}, {words.plural(entry.programs, 'program')}{problems}", 600))


def _need(found: NeedFit, fit: Fit, suites: Mapping[str, tuple[str, ...]], everything: bool) -> Iterator[str]:
    need = found.need
    yield f"  {found.state:<7}  {need.level:<6}  {need.id}: {need.says}"
    given = [way for way in found.ways if way.state == "given"]
    if given and not everything:
        yield f"    {_way(given[0])}"
        return
    if found.state != "met":
        yield f"    without it: {need.harm}"
    for reason in found.reasons:
        yield f"    {_reason(reason)}"
    for way in found.ways:
        yield f"    {_way(way)}"
    for finding in found.cautions:
        yield f"    known beside this run: finding {line(visible(finding, 200))}"
    if command := run_for(found, fit.entry, suites):
        yield f"    not judged yet; this run does: {line(visible(command, 300))}"
    for source in need.source:
        yield f"    said by {source.repository}, {source.file}: {source.place}"


def _reason(reason: Reason) -> str:
    times = f", judged {words.plural(reason.judged, 'time')}" if reason.judged else ""
    findings = f"; finding {', '.join(reason.findings)}" if reason.findings else ""
    shown = f"; {reason.signatures[0]}" if reason.signatures and not reason.findings else ""
    return line(visible(f"{reason.state}: {reason.name}: {reason.said}{times}{findings}{shown}", 600))


def _way(found: WayFit) -> str:
    on = f" ({found.on})" if found.on else ""
    return line(visible(f"or {found.way.id}: {found.way.says}; {OPEN_WAYS[found.state]}{on}", 600))


def matrix(fits: Iterable[Fit]) -> Iterator[str]:
    """Applications by stores."""
    rows: dict[str, dict[str, str]] = {}
    for found in fits:
        name = f"{found.entry.store}, {found.entry.release}"
        rows.setdefault(found.profile.id, {})[name] = found.answer
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    heads = [line(visible(name, 60)) for name in columns]
    first = max((len(name) for name in rows), default=0)
    yield _row("", heads, heads, first)
    for name, row in rows.items():
        yield _row(name, [row.get(column, "") for column in columns], heads, first)


def _row(name: str, cells: Sequence[str], heads: Sequence[str], first: int) -> str:
    told = (f"{cell:<{max(len(head), 9)}}" for cell, head in zip(cells, heads, strict=True))
    return "  ".join((f"{name:<{first}}", *told)).rstrip()

"""The summary of a run in a terminal: what a person reads first, on one screen if the run is sound."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fsconform.records.results import Divergence, Results, StoreRecord
from fsconform.reports import histories, history_text, races, words
from fsconform.reports.contract_xml import one_line
from fsconform.reports.visible import short_names, visible

IN_FULL = 8
"""Failing divergences of one store that are shown in full; of the others only the signature."""
KNOWN_LISTED = 40
"""Divergences of one store that the baseline knows, of which the signature is shown."""
STEPS_SHOWN = 12
"""Steps of one program that are shown, beside the one that departs."""

NAME_WIDTH = 24
"""Letters of a store's name that stay on one line, however narrow the terminal."""
NOTES_SHOWN = 10
"""Notes on the races of one store that are shown."""

STYLES = {
    "violation": "bold red",
    "declared-false": "bold red",
    "undeclared": "bold yellow",
    "deviation": "yellow",
    "declared": "blue",
    "waived": "dim",
    "inconclusive": "magenta",
    "conforms": "green",
    "fails": "bold red",
    "passes": "green",
    "loses": "bold yellow",
}


def summary(results: Results, console: Console) -> None:
    """Print the summary: a line for each store, then what fails the gate, with how to reproduce it.

    Text that came from a store is printed as it is, never as markup, with control characters as escapes.
    """
    _line(console, f"fsconform run {results.run.id}, seed {results.run.seed}, {words.duration(results.run.seconds)}")
    if not results.stores:
        _line(console, "No store was judged.")
        return
    console.print(_table(results))
    for store in results.stores:
        _problems(store, console)
    for store in results.stores:
        _divergences(store, console)
    for store in results.stores:
        if store.races is not None:
            _line(console, f"{store.name}: races: {races.line(store.races)}")
            for note in store.races.notes[:NOTES_SHOWN]:
                _line(console, f"{store.name}: races: left out: {note}", "dim")
    for store in results.stores:
        _limits(store, console)


def _table(results: Results) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    longest = max(len(visible(store.name)) for store in results.stores)
    table.add_column("store", overflow="fold", min_width=min(longest, NAME_WIDTH))
    for heading in ("gate", "signatures"):
        table.add_column(heading, overflow="fold")
    table.add_column("operations", justify="right", no_wrap=True)
    table.add_column("time", justify="right", no_wrap=True)
    for store in results.stores:
        gate = words.gate(store)
        table.add_row(
            Text(visible(store.name), "bold"),
            Text(gate.says, STYLES.get(gate.look, "magenta")),
            _counts(store),
            Text(f"{store.operations:,}"),
            Text(words.duration(store.seconds)),
        )
    return table


def _counts(store: StoreRecord) -> Text:
    found = [(verdict, count) for verdict, count in words.verdict_counts(store).items() if count]
    if not found:
        return Text("none" if store.clauses else "nothing judged", "dim")
    return Text(", ").join(Text(f"{count:,} {verdict}", STYLES[verdict]) for verdict, count in found)


def _problems(store: StoreRecord, console: Console) -> None:
    for problem in store.problems:
        _line(console, f"{store.name}: not judged: {problem}", "magenta")
    for error in store.internal_errors:
        _line(console, f"{store.name}: {words.internal_error(error)}", "bold magenta")
        if error.reproducer:
            _line(console, f"  reproduce {error.reproducer}")
    if store.baseline:
        _line(console, f"{store.name}: {words.baseline(store)}")
    for problem in store.known_waiver_problems:
        _line(console, f"{store.name}: waiver, known by the baseline: {problem}", "dim")
    for problem in store.waiver_problems:
        _line(console, f"{store.name}: waiver: {problem}", "bold red")
    for left in store.cut_off:
        _line(console, f"{store.name}: cut off by the budget: {left}", "magenta")


def _divergences(store: StoreRecord, console: Console) -> None:
    failing = words.by_cause(one for one in store.divergences if words.fails(one))
    known = [one for one in words.by_severity(store.divergences) if words.known(one)]
    for alike in failing[:IN_FULL]:
        console.print()
        _divergence(store, alike[0], console)
        if len(alike) > 1:
            _line(console, f"  cause     {alike[0].cause}: {words.plural(len(alike), 'divergence')}")
            _line(console, f"  in        {words.operations(alike)}")
    if len(failing) > IN_FULL:
        console.print()
        _line(console, f"{store.name}: {len(failing) - IN_FULL} more that fail the gate:")
        for alike in failing[IN_FULL:]:
            others = f" (and {len(alike) - 1:,} more of this cause)" if len(alike) > 1 else ""
            _line(console, short_names(f"  {alike[0].verdict}: {alike[0].signature}{others}"))
            _declarations(alike[0], console, "    xml       ")
    if known:
        console.print()
        _line(console, f"{store.name}: {words.plural(len(known), 'divergence')} known by the baseline:")
        for divergence in known[:KNOWN_LISTED]:
            _line(console, f"  {divergence.verdict}: {divergence.signature}", "dim")
        if len(known) > KNOWN_LISTED:
            _line(console, f"  and {len(known) - KNOWN_LISTED:,} more: results.json has them all", "dim")
    if fixed := store.baseline_fixed:
        console.print()
        _line(console, f"{store.name}: {words.plural(len(fixed), 'divergence')} of the baseline not shown any more:")
        for signature in fixed[:KNOWN_LISTED]:
            _line(console, f"  fixed: {signature}", "green")
        if len(fixed) > KNOWN_LISTED:
            _line(console, f"  and {len(fixed) - KNOWN_LISTED:,} more: results.json has them all", "dim")


def _divergence(store: StoreRecord, divergence: Divergence, console: Console) -> None:
    heading = Text.assemble(
        (visible(store.name), "bold"), ": ", (visible(divergence.verdict), STYLES.get(divergence.verdict, "bold red"))
    )
    _print(console, heading.append(f": {visible(short_names(divergence.signature))}"))
    confirmed, flaky = histories.confirmation(divergence)
    _line(console, f"  clause    {divergence.clause} ({divergence.level}): {divergence.statement}")
    if divergence.basis in words.NOT_BINDING:
        _line(console, f"  basis     {words.NOT_BINDING[divergence.basis]}")
    if divergence.precondition:
        _line(console, f"  refused   by {divergence.precondition}")
    if divergence.history is not None:
        _line(console, f"  race      {confirmed}", "magenta" if flaky else "")
    elif flaky or divergence.confirmed != "3/3":
        _line(console, f"  flaky     {confirmed}" if flaky else f"  replayed  {confirmed}", "magenta")
    _program(divergence, console)
    _line(console, short_names(f"  expected  {divergence.expected}"))
    _line(console, short_names(f"  observed  {divergence.observed}"))
    if divergence.below is not None:
        _line(console, f"  below     {words.below(divergence.below)}")
    for number, changes in enumerate(words.option_changes(divergence)):
        label = "or        " if number else "allow it  "
        _line(console, f"  {label}{changes}")
    _declarations(divergence, console, "  xml       ")
    if divergence.reproducer:
        _line(console, f"  reproduce {divergence.reproducer}")
    if divergence.test:
        _line(console, f"  test      {divergence.test}")


def _declarations(divergence: Divergence, console: Console, label: str) -> None:
    """What to add to the contract XML so that it declares the first of the smallest sets of changes."""
    for changes in divergence.options[:1]:
        _line(console, f"{label}{one_line(changes)}")


def _program(divergence: Divergence, console: Console) -> None:
    """The calls: a history as a drawing of its lanes, else the steps one after another."""
    if divergence.history is not None and divergence.history.calls:
        for line in (*history_text.drawing(divergence.history), *history_text.legend(divergence.history)):
            _line(console, short_names(line), "bold" if line.startswith(history_text.MARKED) else "")
        return
    steps, left_out = divergence.sequence, 0
    clients = words.several_clients(steps)
    for number, step in enumerate(steps, 1):
        if number > STEPS_SHOWN and not step.marked:
            left_out += 1
            continue
        mark = ">" if step.marked else " "
        style = "bold" if step.marked else "dim" if words.tags(step) else ""
        tags = "".join(f"  ({tag})" for tag in words.tags(step))
        _line(console, short_names(f"  {mark} {number:>2}  {words.call_text(step, clients)}{tags}"), style)
    if left_out:
        _line(console, f"        and {words.plural(left_out, 'step')} more")


def _limits(store: StoreRecord, console: Console) -> None:
    """The limits that were found, where they were looked for; the curves are in the report."""
    if store.limits:
        console.print()
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
        table.add_column(Text(visible(f"limits of {store.name}")), overflow="fold")
        table.add_column("largest", justify="right", no_wrap=True)
        table.add_column("refused", justify="right", no_wrap=True)
        for heading in ("unit", "how"):
            table.add_column(heading, overflow="fold")
        for one in store.limits:
            refused = "none" if one.refused is None else f"{one.refused:,}"
            how = Text(visible("; ".join(filter(None, (one.error, one.note)))))
            table.add_row(Text(visible(one.dimension)), f"{one.accepted:,}", refused, Text(visible(one.unit)), how)
        console.print(table)
    for note in store.survey_notes:
        _line(console, f"{store.name}: left out: {note}", "dim")
    for slow in store.slow_calls:
        _line(console, f"{store.name}: {words.slow_calls(slow)}")


def _line(console: Console, text: str, style: str = "") -> None:
    _print(console, Text(visible(text), style))


def _print(console: Console, text: Text) -> None:
    # Long lines are left to the terminal, so that a command line can be copied whole.
    console.print(text, soft_wrap=True, highlight=False)

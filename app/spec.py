"""``fsconform spec``: what of the specification is known, modelled, left out for a reason, or still open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import click
from rich.console import Console

from fsconform.harness.console import add, printer, table
from fsconform.harness.inputs import OUTPUT_FILE
from fsconform.harness.option_groups import Commands
from fsconform.harness.output import write_json
from fsconform.harness.problems import Problem
from fsconform.specs.catalogue import AREAS, BASES, STATUSES, SUITES, Clause, catalogue
from fsconform.specs.layers import marker_clauses
from fsconform.specs.statements import mappings

LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "UNDEFINED")


@click.group("spec", cls=Commands)
def spec() -> None:
    """The specification as fsconform knows it."""


@spec.command("coverage")
@click.option("--open", "list_open", is_flag=True, help="List the open clauses of MUST and MUST NOT.")
@click.option("--json", "json_file", type=OUTPUT_FILE, metavar="FILE", help="Write the counts as JSON.")
def coverage(list_open: bool, json_file: Path | None) -> None:
    """Count statements and clauses by document, level, area and basis.

    A statement is a normative sentence of a document, and each sentence of one that promises without keywords (the
    paper on HDFS, the history of appends, directory markers): it has its row, or is excluded for a reason. A
    clause is a row of the catalogue: modelled, raced (judged by histories of several clients), restated (judged as
    other clauses that say the same), untestable, or open, some with the suite that is to judge it. Its basis is what
    it rests on: the published documents, the Javadoc, a proposal that no release publishes, or our own reading
    (derived).
    """
    clauses = (*catalogue().values(), *marker_clauses().values())
    documents = _by_document(clauses)
    levels = _counted(clauses, lambda one: one.level, LEVELS)
    areas = _counted(clauses, lambda one: one.area, AREAS)
    bases = _counted(clauses, lambda one: one.basis, BASES)
    suites = {suite: {"open": sum(one.suite == suite for one in clauses)} for suite in SUITES}
    left = [one for one in clauses if one.status == "open" and one.level.startswith("MUST")]
    decided = sum(1 for one in clauses if one.status != "open")
    with printer() as to:
        _print(to, "document", ("statements", "with rows", "excluded", *STATUSES), documents)
        _print(to, "level", STATUSES, levels)
        _print(to, "area", STATUSES, areas)
        _print(to, "basis", STATUSES, bases)
        _print(to, "suite to come", ("open",), suites)
        if list_open:
            for one in left:
                line = f"{one.id} ({one.level}, {one.document}, {one.section}): {one.statement}"
                to.print(line, markup=False, soft_wrap=True)
        told = f"{decided} of {len(clauses)} clauses are judged, restated or untestable"
        to.print(f"{told}; {len(left)} open ones are MUST")
    if json_file is not None:
        counts = {
            "documents": documents,
            "levels": levels,
            "areas": areas,
            "bases": bases,
            "suites": suites,
            "open_must": [one.id for one in left],
        }
        try:
            write_json(json_file, counts)
        except OSError as error:
            raise Problem(f"{json_file}: {error.strerror}: choose another file") from error


def _by_document(clauses: Iterable[Clause]) -> dict[str, dict[str, int]]:
    statements, rows, excluded = Counter[str](), Counter[str](), Counter[str]()
    for one in mappings():
        statements[one.document] += 1
        (excluded if one.excluded else rows)[one.document] += 1
    counted = _counted(clauses, lambda one: one.document, sorted(statements))
    return {
        document: {
            "statements": statements[document],
            "with rows": rows[document],
            "excluded": excluded[document],
            **by_status,
        }
        for document, by_status in sorted(counted.items())
    }


def _counted(clauses: Iterable[Clause], key: Callable[[Clause], str], keys: Iterable[str]) -> dict[str, dict[str, int]]:
    found = {one: dict.fromkeys(STATUSES, 0) for one in keys}
    for clause in clauses:
        found.setdefault(key(clause), dict.fromkeys(STATUSES, 0))[clause.status] += 1
    return found


def _print(to: Console, what: str, columns: tuple[str, ...], counts: dict[str, dict[str, int]]) -> None:
    listing = table(what, *columns, counts=True)
    for name, row in counts.items():
        add(listing, name, *(str(row[column]) for column in columns))
    listing.add_section()
    add(listing, "all", *(str(sum(row[column] for row in counts.values())) for column in columns))
    to.print(listing)
    to.print()

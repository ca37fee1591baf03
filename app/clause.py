"""``fsconform spec show``: one clause, with what judges it."""

from __future__ import annotations

import click

from fsconform.engine.describe import call
from fsconform.harness import completion
from fsconform.harness.console import plain
from fsconform.harness.problems import known
from fsconform.model.filesystem import families
from fsconform.model.filesystem.branches import MEANINGS, Branch
from fsconform.proving.faults import EVERY, SHARED
from fsconform.records.published import page_of
from fsconform.specs.catalogue import Clause
from fsconform.specs.layers import every_clause
from fsconform.specs.witness import Witness, witnesses

SHOWN = 10
"""Witnesses that are shown."""


@click.command("show")
@click.argument("clause", shell_complete=completion.EVERY_CLAUSE)
def show(clause: str) -> None:
    """Show a CLAUSE: where it stands, what it says, and which operations, options and programs decide it."""
    found = every_clause()
    for line in lines(found[known("clause", clause, found)]):
        plain.print(line, markup=False, soft_wrap=True)


def lines(clause: Clause) -> list[str]:
    """What there is to say of a clause."""
    families.load()
    judging = sorted({kind.NAME for kind in MEANINGS if _branches(kind, clause.id)})  # type: ignore[attr-defined]
    options = {literal for kind in MEANINGS for branch in _branches(kind, clause.id) for literal in branch.when}
    deciding = [one for one in witnesses() if clause.id in one.decides]
    rows = {
        "level": clause.level,
        "basis": clause.basis,
        "source": clause.source,
        "published at": page_of(clause.source),
        "status": f"{clause.status}: {clause.why}" if clause.why else clause.status,
        "suite to come": clause.suite,
        "judged so far": ", ".join(clause.by) if clause.status == "open" else "",
        "histories": ", ".join(clause.judged_in),
        "faults": ", ".join(_faults(clause.id)),
        "operations": ", ".join(judging),
        "options": ", ".join(f"{name}={str(value).lower()}" for name, value in sorted(options)),
    }
    told = [clause.id, f"  {clause.statement}", *(f"  {name:14}{text}" for name, text in rows.items() if text)]
    for one in deciding[:SHOWN]:
        told += [f"  witness       {_title(one)}", *(f"    {call(step.operation)}" for step in one.program)]
    return [*told, f"  and {len(deciding) - SHOWN:,} witnesses more"] if len(deciding) > SHOWN else told


def _branches(kind: type, clause: str) -> list[Branch]:
    """The branches of an operation that bear on a clause."""
    return [
        branch
        for case in MEANINGS[kind].cases
        for branch in case.branches
        if clause in (case.clause, branch.clause, *branch.also)
    ]


def _faults(clause: str) -> list[str]:
    """The seeded faults that break a clause, by which it is proved that a store which does is found."""
    return [name for name, fault in (EVERY | SHARED).items() if fault.clause == clause]


def _title(witness: Witness) -> str:
    others = [one for one in witness.decides if "=" in one]
    return f"{witness.name} ({', '.join(others)})" if others else witness.name

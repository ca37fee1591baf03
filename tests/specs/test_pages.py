"""What the documentation says of clauses, suites, seeded faults and real bugs is what the catalogue has."""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

from fsconform.proving.blocks.faults import FAULTS as OF_BLOCKS
from fsconform.proving.faults import EVERY, SHARED
from fsconform.specs.catalogue import catalogue
from fsconform.specs.history import Entry, history

DOCS = Path(__file__).resolve().parents[2] / "docs"


def rows_of(page: str, heading: str) -> dict[str, list[str]]:
    """The rows of the first table below a heading, by their first cells without marks."""
    text = (DOCS / page).read_text("utf-8")
    below = text[text.index(f"\n{heading}\n") :]
    lines = [line for line in below.splitlines() if line.startswith("| ")]
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    end = next((number for number, row in enumerate(table[2:], 2) if set(row[0]) == {"-"}), len(table) + 1)
    return {row[0].strip("`"): row[1:] for row in table[2 : end - 1]}


def names_in(cell: str) -> list[str]:
    """What stands between marks of code."""
    return re.findall(r"`([^`]+)`", cell)


def test_clauses_that_histories_judge_stand_with_their_suites_and_faults() -> None:
    rows = rows_of("failures.md", "## Clauses, suites and faults")
    judged = {clause.id: clause for clause in catalogue().values() if clause.judged_in}
    assert rows.keys() == judged.keys()
    for name, clause in judged.items():
        faults = sorted(fault for fault, seeded in SHARED.items() if seeded.clause == name)
        assert rows[name] == [clause.level, ", ".join(clause.judged_in), ", ".join(f"`{one}`" for one in faults)], name


def test_every_real_bug_has_its_row() -> None:
    """The bugs of stores that were found late, and the reports that the documents name."""
    rows = rows_of("real-bugs.md", "## Reports")
    assert rows.keys() == history().keys()
    for name, entry in history().items():
        store, _, reproduced = rows[name]
        assert store == entry.store, name
        assert names_in(reproduced) == seeded(entry) if seeded(entry) else reproduced and not names_in(reproduced), name


def seeded(entry: Entry) -> list[str]:
    """The seeded faults that reproduce a report."""
    return [name for name in entry.witnesses if name in EVERY | SHARED or name in OF_BLOCKS]


def test_each_clause_of_the_paper_and_of_appends_belongs_to_one_mechanism() -> None:
    found = Counter[str]()
    for cells in rows_of("hdfs-mechanisms.md", "## Mechanisms").values():
        for marked, name in re.findall(r"(\*a\* )?`([^`]+)`", cells[1]):
            pattern = f"{'hdfs-append-history' if marked else 'hdfs-paper-2010'}.{name}"
            found.update(clause for clause in catalogue() if fnmatchcase(clause, pattern))
    assert {*found.values()} == {1}
    documents = ("hdfs-append-history.txt", "hdfs-paper-2010.txt")
    assert found.keys() == {clause.id for clause in catalogue().values() if clause.document in documents}


def test_every_mechanism_says_what_was_found() -> None:
    assert all(cells[-1] for cells in rows_of("hdfs-mechanisms.md", "## Mechanisms").values())

"""Markdown for a comment on a pull request and for the summary of a job.

Text of a store stands in ``<code>``, with each character that Markdown or HTML could act upon as a numeric entity: so
it is no link, no mention, no markup and no cell of its own. Programs stand in a fence longer than any in them.
"""

from __future__ import annotations

import re
from itertools import islice

from fsconform.records.results import Divergence, Results, StoreRecord
from fsconform.reports import words
from fsconform.reports.ci.shared import LONGEST, failing, whole_store
from fsconform.reports.junit import as_text
from fsconform.reports.visible import cut, short, visible

AT_MOST = 60_000
"""Characters of the text: a comment on GitHub has at most 65,536."""
IN_FULL = 20
"""Divergences that are shown with their programs."""
LONGEST_SIGNATURE = 200
LONGEST_PROGRAM = 6_000
MARK = "<!-- fsconform -->"
"""Stands first, so that a later job finds the comment that it has to write anew."""

_PLAIN = re.compile(r"[A-Za-z0-9 ,/=]")


def markdown(results: Results) -> bytes:
    """The run as Markdown in UTF-8: a line for each store, then what fails the gate, with how to reproduce it."""
    rows = [MARK, f"## fsconform: {words.gates([words.gate(store) for store in results.stores])}", ""]
    rows += ["| store | gate | fails | known | waived | operations |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    rows += [_store(store) for store in results.stores]
    notes = [line for store in results.stores for line in whole_store(store)]
    rows += ["", *(f"- {code(note, LONGEST)}" for note in notes[:IN_FULL])]
    rows += [""] if notes else []
    length, shown = sum(map(len, rows)), 0
    found = failing(results)
    for store, one in islice(found, IN_FULL):
        text = _divergence(store, one)
        if length + len(text) > AT_MOST:
            break
        rows.append(text)
        length, shown = length + len(text), shown + 1
    if shown < len(found):
        rows.append(f"{words.plural(len(found) - shown, 'divergence')} more: the report has them all.\n")
    rows.append(f"Run {code(results.run.id, LONGEST)}, seed {results.run.seed}, exit code {results.run.exit}.")
    return ("\n".join(rows) + "\n").encode()


def _store(store: StoreRecord) -> str:
    fails = sum(map(words.fails, store.divergences)) + len(store.waiver_problems)
    known = sum(bool(words.known(one)) for one in store.divergences)
    waived = sum(one.verdict == "waived" for one in store.divergences)
    gate = words.gate(store)
    return f"| {code(store.name, 80)} | {gate.says} | {fails:,} | {known:,} | {waived:,} | {store.operations:,} |"


def _divergence(store: StoreRecord, one: Divergence) -> str:
    told, note = cut(as_text(one), LONGEST_PROGRAM)
    heading = f"{code(store.name, 80)} {one.verdict if one.verdict in words.SEVERITY else 'fails'}"
    summary = f"<details><summary>{heading}: {code(one.signature, LONGEST_SIGNATURE)}</summary>"
    return "\n".join([summary, "", fenced(told + note), "", "</details>", ""])


def code(text: str, longest: int) -> str:
    """A text of a store inside a line of Markdown, or in a cell of a table."""
    told = short(text, longest)
    safe = (one if _PLAIN.match(one) or not one.isascii() else f"&#{ord(one)};" for one in told)
    return f"<code>{''.join(safe)}</code>"


def fenced(text: str) -> str:
    """A text of several lines as a block of code."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{visible(text, len(text), keep=chr(10)).rstrip(chr(10))}\n{fence}"

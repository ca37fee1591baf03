"""The atlas as data: JSON and CSV for programs, and the scripts that search and comparison read.

Everything is ASCII: other characters stand as escapes. A cell of CSV that a spreadsheet would take for a formula has
an apostrophe in front.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from fsconform.records import atlas as data
from fsconform.reports.atlas.views import Atlas
from fsconform.reports.visible import visible

_FORMULA = ("=", "+", "-", "@")


def files(atlas: Atlas) -> dict[str, bytes]:
    """All files of data by their place in the site."""
    return {
        "data/clauses.json": _json([_clause(row.record) for row in atlas.rows]),
        "data/atlas.schema.json": data.schema_bytes(),
        "data/verdicts.csv": _csv(VERDICTS, _verdicts(atlas)),
        "data/divergences.csv": _csv(DIVERGENCES, _divergences(atlas)),
        "data/options.csv": _csv(OPTIONS, _options(atlas)),
        **{f"data/{column.entry.id}.json": data.dumps(column.entry) for column in atlas.columns},
        "search-data.js": _script("ATLAS_SEARCH", list(_searched(atlas))),
        "compare-data.js": _script("ATLAS_COMPARE", _compared(atlas)),
    }


VERDICTS = ("store", "release", "date", "clause", "level", "document", "judged", "verdict")
DIVERGENCES = (
    *("store", "release", "date", "signature", "verdict", "clause", "level", "operation", "impact", "finding"),
    *("expected", "observed", "program", "options", "confirmed"),
)
OPTIONS = ("store", "release", "date", "option", "declared", "default", "observed", "evidence")


def _verdicts(atlas: Atlas) -> Iterable[Sequence[object]]:
    for number, column in enumerate(atlas.columns):
        entry = column.entry
        for row in atlas.rows:
            cell = row.cells[number]
            told = (row.record.level, row.record.document, cell.judged, cell.verdict or "not judged")
            yield entry.store, entry.release, entry.origin.date, row.record.id, *told


def _divergences(atlas: Atlas) -> Iterable[Sequence[object]]:
    for column in atlas.columns:
        entry = column.entry
        for part in entry.departures:
            program = "; ".join(f"{call.call} -> {call.observed}" for call in part.program)
            options = " | ".join(" ".join(values) for values in part.options)
            yield (
                *(entry.store, entry.release, entry.origin.date, part.signature, part.verdict, part.clause, part.level),
                *(part.operation, part.impact, part.finding, part.expected, part.observed, program, options),
                part.confirmed,
            )


def _options(atlas: Atlas) -> Iterable[Sequence[object]]:
    for column in atlas.columns:
        entry = column.entry
        for name, option in entry.options.items():
            values = (option.declared, option.default, option.observed)
            told = ("" if value is None else json.dumps(value) for value in values)
            yield entry.store, entry.release, entry.origin.date, name, *told, option.evidence


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("ascii")


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    told = visible(value).encode("ascii", "backslashreplace").decode("ascii")
    return f"'{told}" if told.startswith(_FORMULA) else told


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode("ascii")


def _script(name: str, value: Any) -> bytes:
    """A script that gives a value a name. Nothing in it can end the script or be taken for HTML."""
    text = json.dumps(value, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'"use strict";\nwindow.{name} = {text};\n'.encode("ascii")


def _clause(record: Any) -> dict[str, str]:
    names = ("id", "document", "section", "level", "statement", "status", "why", "basis")
    return {name: getattr(record, name) for name in names}


def _searched(atlas: Atlas) -> Iterable[tuple[str, str, str, str]]:
    """Kind, title, text and page of all that can be found."""
    found = (
        *(("application", row.profile.title, row.profile.about, row.page) for row in atlas.applications),
        *(("store", column.name, column.entry.statement, column.page) for column in atlas.columns),
        *(("operation", group.name, "", group.page) for group in atlas.operations),
        *(("document", group.name, "", group.page) for group in atlas.documents),
        *(("option", row.name, row.statement, row.page) for row in atlas.options),
        *(("finding", f"{row.finding.store}: {row.finding.title}", "", row.page) for row in atlas.findings),
        *(("clause", row.record.id, row.record.statement, row.page) for row in atlas.rows),
    )
    for kind, title, text, page in found:
        yield kind, visible(title, 200), visible(text, 300), page


def _compared(atlas: Atlas) -> dict[str, Any]:
    return {
        "columns": [{"name": visible(column.name, 120), "page": column.page} for column in atlas.columns],
        "clauses": [
            [
                *(visible(row.record.id, 200), row.page, visible(row.record.level), visible(row.record.statement, 400)),
                [
                    [
                        cell.judged,
                        cell.verdict,
                        [[visible(one.departure.signature, 200), one.link] for one in cell.shown],
                    ]
                    for cell in row.cells
                ],
            ]
            for row in atlas.rows
            if any(cell.verdict for cell in row.cells)
        ],
        "options": [
            [visible(row.name, 200), row.page, [_stand(option) for option in row.values]] for row in atlas.options
        ],
    }


def _stand(option: data.Option | None) -> list[str] | None:
    """What is declared and what was observed, as words."""
    if option is None:
        return None
    return ["absent" if option.declared is None else _value(option.declared), _value(option.observed)]


def _value(value: Any) -> str:
    return "nothing decides it" if value is None else visible(json.dumps(value), 200)

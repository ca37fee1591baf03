"""SARIF 2.1.0, for code scanning: a rule for each clause that something breaks, a result for each divergence.

What fails the gate is an error, a deviation a warning, all else a note. What a waiver, a known bug or a baseline
accepts is suppressed, with its reason. See https://docs.oasis-open.org/sarif/sarif/v2.1.0/.
"""

from __future__ import annotations

import json
from typing import Any

from fsconform.records import published
from fsconform.records.results import Divergence, Results, StoreRecord
from fsconform.reports import words
from fsconform.reports.ci.shared import LONGEST, PLACE, accepted, every, fingerprint, sentences, title, whole_store
from fsconform.reports.visible import visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HOME = f"{published.HOME}index.html"
"""The specification that the rules are of."""
MOST = 5_000
"""Results of one file: GitHub shows no more, and refuses a file with more than 25,000."""


def sarif(results: Results, place: str = PLACE) -> bytes:
    """The run as SARIF in UTF-8; ``place`` is the file of the repository at which results are shown."""
    shown = list(every(results))[:MOST]
    rules = {one.clause: one for _, one in reversed(shown)}
    numbers = {clause: number for number, clause in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "fsconform",
                "version": _text(results.run.versions.get("fsconform", "unknown")),
                "informationUri": HOME,
                "rules": [_rule(one) for one in rules.values()],
            }
        },
        "automationDetails": {"id": "fsconform/"},
        "invocations": [_invocation(results)],
        "columnKind": "utf16CodeUnits",
        "results": [_result(store, one, numbers[one.clause], place) for store, one in shown],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1).encode() + b"\n"


def _invocation(results: Results) -> dict[str, Any]:
    notes = [line for store in results.stores for line in whole_store(store)]
    return {
        "executionSuccessful": all(not store.problems and not store.internal_errors for store in results.stores),
        "exitCode": results.run.exit,
        "toolExecutionNotifications": [{"level": "warning", "message": _message(one)} for one in notes],
    }


def _rule(one: Divergence) -> dict[str, Any]:
    return {
        "id": _text(one.clause),
        "shortDescription": _message(one.statement or one.clause),
        # GitHub refuses a rule without one.
        "fullDescription": _message(one.statement or one.clause),
        "help": _message(f"{one.level}: {one.statement} ({one.source})"),
        "helpUri": published.page_of(one.source) or HOME,
        "properties": {"level": _text(one.level), "basis": _text(one.basis)},
    }


def _result(store: StoreRecord, one: Divergence, rule: int, place: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": _text(one.clause),
        "ruleIndex": rule,
        "level": level(one),
        "message": {"text": _safe("\n".join((title(store, one), *sentences(one))))},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": place}, "region": {"startLine": 1}}},
        ],
        "partialFingerprints": {"fsconformSignature/v1": fingerprint(store, one)},
        "properties": {"store": _text(store.name), "verdict": _text(one.verdict), "impact": _text(one.impact)},
    }
    if reason := accepted(one):
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": _text(reason)}]
    return result


def level(one: Divergence) -> str:
    """The level of a divergence: error for what fails the gate."""
    if words.fails(one):
        return "error"
    return "warning" if one.verdict == "deviation" else "note"


def _text(text: str) -> str:
    return visible(text, LONGEST)


def _message(text: str) -> dict[str, str]:
    return {"text": _safe(_text(text))}


def _safe(text: str) -> str:
    """A text in which viewers find no placeholder (SARIF 3.11.5) and no link (3.11.6)."""
    return text.replace("{", "{{").replace("}", "}}").replace("](", "] (")

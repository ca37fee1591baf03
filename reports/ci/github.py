"""GitHub's workflow commands: an annotation for each divergence that fails the gate.

See https://docs.github.com/actions/reference/workflow-commands-for-github-actions. A runner acts upon ``::`` at the
beginning of a line, and upon ``##[`` anywhere in one.
"""

from __future__ import annotations

from fsconform.records.results import Results
from fsconform.reports.ci.shared import PLACE, failing, sentences, title, whole_store

MOST = 10
"""Errors, and warnings, of one step that GitHub shows."""


def workflow_commands(results: Results, place: str = PLACE) -> bytes:
    """Lines for a step's output, in UTF-8; ``place`` is the file of the repository at which they are shown."""
    errors = [(title(store, one), "\n".join(sentences(one))) for store, one in failing(results)]
    rows = [_command("error", heading, text, place) for heading, text in errors[:MOST]]
    warnings = [line for store in results.stores for line in whole_store(store)]
    rows += [_command("warning", "fsconform", text, place) for text in warnings[: MOST - 1]]
    if len(errors) > MOST:
        more = f"{len(errors) - MOST:,} more divergences fail the gate: the report has them all"
        rows.append(_command("warning", "fsconform", more, place))
    return "".join(f"{row}\n" for row in rows).encode()


def _command(kind: str, heading: str, text: str, place: str) -> str:
    return f"::{kind} file={_property(place)},line=1,title={_property(heading)}::{_data(text)}"


def _data(text: str) -> str:
    told = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return told.replace("##[", "## [")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

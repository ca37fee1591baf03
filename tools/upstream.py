"""The reports in ``upstream/``, one a cause: of each the part that follows from findings, replays and their counts.

A report is Markdown, written by hand but for the part between two marks, which this makes from the findings that its
first line names, from the replay file of its name in ``replays/``, and from how often that was replayed.
``python tools/upstream.py`` writes these parts anew, and ``--check`` compares and writes nothing. ``--replay VERSION``
replays each program ``--times N`` in fresh directories on that Hadoop release, and keeps the counts in
``replayed.json``; ``--only NAME`` takes one report.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsconform.app.reproduce import written
from fsconform.engine import describe
from fsconform.harness import reproducers
from fsconform.harness.languages.content import NotSaid
from fsconform.records import findings
from fsconform.records.findings import Finding
from fsconform.specs.catalogue import catalogue

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDER = REPOSITORY / "upstream"
COUNTS = FOLDER / "replayed.json"
BEGIN, END = "<!-- made by tools/upstream.py -->\n", "<!-- end -->\n"
HEAD = re.compile(r"<!-- findings: ([\w/ -]+) -->\n")

Counts = dict[str, dict[str, dict[str, int]]]
"""Of each report and release: how often it was replayed, and what came of it."""


class ReportError(ValueError):
    """A report that can't be brought up to date; the text names it and says why."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report's file and the findings that it is of."""

    path: Path
    findings: tuple[Finding, ...]

    @property
    def name(self) -> str:
        """The name that its replay file has, too."""
        return self.path.stem

    @property
    def replay(self) -> Path:
        """Its replay file; it need not be there."""
        return FOLDER / "replays" / f"{self.name}.json"


def reports() -> tuple[Report, ...]:
    """All reports by name. Raises ReportError for one whose first line names no known finding."""
    return tuple(_report(path) for path in sorted(FOLDER.glob("*.md")) if path.name != "README.md")


def _report(path: Path) -> Report:
    head = HEAD.match(path.read_text("utf-8"))
    if head is None:
        raise ReportError(f"{path.name}: the first line does not name its findings")
    names = head[1].split()
    unknown = sorted(set(names) - set(findings.every()))
    if unknown:
        raise ReportError(f"{path.name}: no such finding: {', '.join(unknown)}")
    return Report(path, tuple(findings.every()[name] for name in names))


def counts() -> Counts:
    """What replays came to so far."""
    found: Counts = json.loads(COUNTS.read_text("utf-8")) if COUNTS.is_file() else {}
    return found


def made(report: Report, replayed: Mapping[str, Mapping[str, int]]) -> str:
    """The part of a report that follows from the data."""
    lines = ["| finding | impact | releases of Hadoop that runs saw it on | seeds |", "| --- | --- | --- | --- |"]
    for finding in report.findings:
        seen = findings.shown(finding)
        seeds = sorted({seed for one in seen for seed in one.seeds})
        versions = findings.evidence(finding.store).versions.get("hadoop", ()) if seen else ()
        lines.append(
            f"| `{finding.id}` | {finding.impact} | {', '.join(versions) or 'no kept run'} | "
            f"{', '.join(map(str, seeds)) or 'none'} |"
        )
    clauses = dict.fromkeys(name for finding in report.findings for name in finding.clauses)
    rows = [catalogue()[name] for name in clauses]
    lines += ["", "What the specification says of it:", ""] if rows else []
    lines += [f"- `{row.id}` ({row.level}), {row.document}, {row.section}" for row in rows]
    lines += ["", *_program(report, replayed)] if report.replay.is_file() else ["", *_smallest(report)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _smallest(report: Report) -> list[str]:
    seen = next((one for finding in report.findings for one in findings.shown(finding)), None)
    if seen is None:
        return ["No program is kept of it: it shows in some runs of several clients only."]
    return ["The smallest program that runs kept, as in the findings:", "", "```text", *seen.program, "```"]


def _program(report: Report, replayed: Mapping[str, Mapping[str, int]]) -> list[str]:
    replay = reproducers.read(report.replay)
    calls = [describe.call(step.operation) for step in replay.program]
    lines = [
        f"The program, `upstream/replays/{report.name}.json`, on the store `{replay.store}`:",
        "",
        "```text",
        *calls,
    ]
    lines += ["```", "", f"What it shows: `{replay.signature}`.", ""]
    if replayed:
        lines += ["| release of Hadoop | replays | reproduced | gone |", "| --- | --- | --- | --- |"]
        lines += [
            f"| {version} | {row['replays']} | {row['reproduced']} | {row['gone']} |"
            for version, row in sorted(replayed.items())
        ]
    else:
        lines += ["It was not counted by `tools/upstream.py --replay`; the table above has what runs saw."]
    try:
        _, text = written(report.replay, "junit5")
    except NotSaid as error:
        return [*lines, "", f"As a JUnit test it can't be said ({error}): `fsconform replay` plays it."]
    lines += ["", f"As a JUnit 5 test, by `fsconform reproduce upstream/replays/{report.name}.json --as junit5`:"]
    return [*lines, "", "```java", text.rstrip("\n"), "```"]


def brought_up(report: Report, replayed: Mapping[str, Mapping[str, int]]) -> str:
    """The report's text with the part that is made as it should be. Raises ReportError if it has no place for it."""
    before, begin, rest = report.path.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ReportError(f"{report.path.name}: the marks of the made part are missing")
    return f"{before}{BEGIN}{made(report, replayed)}{END}{after}"


def replay(report: Report, version: str, times: int) -> dict[str, int]:
    """How often the program of a report shows what it should on a release."""
    words = [sys.executable, "-m", "fsconform.app.main", "replay", str(report.replay), "--hadoop", version]
    answers = [
        subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False).stdout
        for _ in range(times)
    ]
    found = {word: sum(f"\n{word}" in answer for answer in answers) for word in ("reproduced", "gone")}
    return {"replays": times, **found}


def main(arguments: Sequence[str]) -> int:
    """Write, or with ``--check`` compare, what is made of the reports. Exit status 1 if it differs or can't be made."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the files and write nothing")
    parser.add_argument("--replay", action="append", default=[], metavar="VERSION", help="count replays on this Hadoop")
    parser.add_argument("--times", type=int, default=3, metavar="N", help="how often each is replayed")
    parser.add_argument("--only", default="", metavar="NAME", help="of this report alone")
    given = parser.parse_args(arguments)
    try:
        every, known = reports(), counts()
        for report in every:
            for version in given.replay if report.replay.is_file() and given.only in ("", report.name) else ():
                known.setdefault(report.name, {})[version] = replay(report, version, given.times)
                COUNTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")
        texts = {report.path: brought_up(report, known.get(report.name, {})) for report in every}
    except (ReportError, reproducers.ReplayError) as error:
        print(f"upstream: {error}", file=sys.stderr)
        return 1
    changed = [path for path, text in texts.items() if path.read_text("utf-8") != text]
    for path in changed:
        print(f"upstream: {path.relative_to(REPOSITORY)}")
        if not given.check:
            path.write_text(texts[path], "utf-8")
    return int(given.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

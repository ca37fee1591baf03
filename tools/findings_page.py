"""Brings docs/findings.md up to its evidence: signatures, verdicts, clauses and programs of each section; the table.

Run it as ``python tools/findings_page.py [--place 'STORE|SIGNATURE=ANCHOR']...``, with ``--page`` and ``--evidence``
for another page of the same form. What a person wrote below the programs stays. A signature without a section goes
where the quirk or waiver that accepts it leads, else where ``--place`` says; those for which neither says anything are
printed, as are sections that no run saw, which keep what a person wrote, without programs: who knows that the cause is
gone removes them.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from fsconform.adapters.stores.quirks import every
from fsconform.specs.catalogue import catalogue

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "findings.md"
EVIDENCE = REPOSITORY / "docs" / "findings-evidence.json"
SIGNATURE = re.compile(r"Signature: `([^`]+)`")
TABLE = re.compile(r"^\| (?:rawlocal|file|hdfs|local|s3a|\S+) \| \[.+\]\(#\S+\) \| \S+ \| \d+ \|$\n", re.MULTILINE)


@dataclass(slots=True)
class Section:
    """A section: ``text`` is what stands below the programs."""

    store: str
    title: str
    text: str
    signatures: list[str] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        """The anchor of its heading."""
        return re.sub(r"[^\w\- ]", "", self.title.lower()).replace(" ", "-")


def split(page: str, stores: Sequence[str]) -> tuple[str, dict[str, list[Section]], str]:
    """The head of the page, its sections by store in their order, and what follows them."""
    head, *parts = re.split(r"^## ", page, flags=re.MULTILINE)
    tail, found = "", {}
    for part in parts:
        store, *bodies = re.split(r"^### ", part, flags=re.MULTILINE)
        if store.strip() in stores:
            found[store.strip()] = [_section(store.strip(), body) for body in bodies]
        else:
            tail += f"## {part}"
    return head, found, tail


def _section(store: str, body: str) -> Section:
    title, rest = body.split("\n", 1)
    return Section(store, title, rest[rest.index("Observed: ") :].strip("\n"), SIGNATURE.findall(rest))


def written(section: Section, seen: Sequence[dict[str, Any]]) -> str:
    """The section with what the evidence says of its signatures: nothing where no run saw them.

    Raises ValueError if they differ in verdict.
    """
    if not seen:
        return f"### {section.title}\n{section.text}\n"
    verdicts = {one["verdict"] for one in seen}
    if len(verdicts) != 1:
        raise ValueError(f"{section.title}: {sorted(verdicts)}")
    rows = [catalogue()[name] for name in dict.fromkeys(one["clause"] for one in seen)]
    parts = [
        *(f"Signature: `{one['signature']}`" for one in seen),
        f"Verdict: {verdicts.pop()}",
        *(f"Clause: `{row.id}` ({row.level}), {row.document}, {row.section}" for row in rows),
        *("```text\n" + "\n".join(one["program"]) + "\n```" for one in seen),
        section.text,
    ]
    return f"### {section.title}\n" + "\n\n".join(parts) + "\n"


@cache
def _waivers(store: str) -> tuple[dict[str, Any], ...]:
    path = REPOSITORY / "adapters" / "stores" / store.replace("-", "_") / "waivers.toml"
    return tuple(tomllib.loads(path.read_text("utf-8")).get("waiver", ())) if path.is_file() else ()


def _waived(store: str, signature: str) -> str:
    quirk = next((one for one in every() if one.signature == signature), None)
    if quirk is not None:
        return quirk.link.partition("#")[2]
    patterns = ((row, ".*".join(map(re.escape, row["signature"].split("*")))) for row in _waivers(store))
    accepting = [row for row, pattern in patterns if re.fullmatch(pattern, signature)]
    narrowest = max(accepting, key=lambda row: len(row["signature"]), default=None)
    return str(narrowest["link"]).partition("#")[2] if narrowest else ""


def main(arguments: Sequence[str]) -> int:
    """Rewrite the page. Exit status 1 if a signature has no section, or a section no signature."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--place", action="append", default=[], metavar="STORE|SIGNATURE=ANCHOR")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE")
    parser.add_argument("--evidence", type=Path, default=EVIDENCE, metavar="FILE")
    given = parser.parse_args(arguments)
    placed = dict(one.rsplit("=", 1) for one in given.place)
    evidence: dict[str, list[dict[str, Any]]] = json.loads(given.evidence.read_text("utf-8"))["stores"]
    head, found, tail = split(given.page.read_text("utf-8"), tuple(evidence))
    told, rows, missing = "", "", False
    for store, sections in found.items():
        by_signature = {one["signature"]: one for one in evidence[store]}
        home = {signature: section.anchor for section in sections for signature in section.signatures}
        for signature, one in by_signature.items():
            led = _waived(store, signature) if one["verdict"] == "waived" else ""
            place = placed.get(f"{store}|{signature}") or home.get(signature) or led
            section = next((one for one in sections if one.anchor == place), None)
            if section is None:
                print(f"no section: {store}|{signature}")
                missing = True
            elif signature not in section.signatures:
                section.signatures.append(signature)
        told += f"## {store}\n"
        for section in sections:
            kept = sorted(name for name in section.signatures if name in by_signature)
            kept = [name for name in kept if placed.get(f"{store}|{name}", section.anchor) == section.anchor]
            told += "\n" + written(section, [by_signature[name] for name in kept])
            if not kept:
                print(f"seen by no run: {section.title}")
                missing = True
                continue
            verdict = by_signature[kept[0]]["verdict"]
            rows += f"| {store} | [{section.title}](#{section.anchor}) | {verdict} | {len(kept)} |\n"
        told += "\n"
    begin = TABLE.search(head)
    assert begin is not None, "the page has no table of its sections"
    head = head[: begin.start()] + rows + TABLE.sub("", head[begin.start() :])
    given.page.write_text(head + told + tail, "utf-8")
    return int(missing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

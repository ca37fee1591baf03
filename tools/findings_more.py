"""Brings docs/findings-more.md up to its evidence: what further stores show, and what of it their base shows as well.

Run it as ``python tools/findings_more.py``, after ``python tools/findings.py --out docs/findings-more-evidence.json``
with the runs. A section of the page says by comments which signatures are its own, with stars for any text,
``<!-- takes VERDICT: SIGNATURE -->``; what a person wrote from "Observed:" on stays. What a store's base shows with the
same verdict is told in docs/findings.md, and stands in a table here; so is what has the same cause there. Signatures
without a place are printed, and exit status is 1. So are sections that no run saw, which keep what a person wrote,
without programs: who knows that the cause is gone removes them.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import findings_page

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "findings-more.md"
EVIDENCE = REPOSITORY / "docs" / "findings-more-evidence.json"

BASES = {
    "webhdfs": "hdfs",
    "viewfs": "hdfs",
    "hdfs-ha": "hdfs",
    "hdfs-ec": "hdfs",
    "hdfs-encrypted": "hdfs",
    "s3proxy": "s3a",
    "ftp": "hdfs",
    "sftp": "hdfs",
    "har": "hdfs",
}
"""The store below, or of the same client, which findings.md tells of; what all clients share is told of hdfs."""

TAKES = re.compile(r"^<!-- takes (\w[\w-]*): (.+) -->$", re.MULTILINE)
TABLE = re.compile(r"(?<=^\| --- \| --- \| --- \| --- \|\n)(?:\| .*\n)*", re.MULTILINE)
INHERITED = "As on "


@dataclass(frozen=True, slots=True)
class Own:
    """A section of this page: its title, what it takes, and what a person wrote."""

    title: str
    takes: tuple[tuple[str, str], ...]
    text: str

    def fits(self, one: dict[str, Any]) -> bool:
        """Whether a divergence is its own."""
        return any(one["verdict"] == verdict and _matches(glob, one["signature"]) for verdict, glob in self.takes)


def _matches(glob: str, signature: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, glob.split("*"))), signature, re.DOTALL) is not None


def _split(page: str) -> tuple[str, dict[str, tuple[str, list[Own]]]]:
    """The head of the page; of each store what stands before its sections, and these."""
    head, *parts = re.split(r"^## ", page, flags=re.MULTILINE)
    found = {}
    for part in parts:
        first, *bodies = re.split(r"^### ", part, flags=re.MULTILINE)
        name, _, before = first.partition("\n")
        owns = [body for body in bodies if not body.startswith(INHERITED)]
        found[name.strip()] = (before.strip("\n"), [_own(body) for body in owns])
    return head, found


def _own(body: str) -> Own:
    title, rest = body.split("\n", 1)
    return Own(title, tuple(TAKES.findall(rest)), rest[rest.index("Observed: ") :].strip("\n"))


def _below() -> dict[tuple[str, str], tuple[str, str]]:
    """What findings.md tells: by store and signature the verdict and the title of the section."""
    evidence = json.loads(findings_page.EVIDENCE.read_text("utf-8"))["stores"]
    verdicts = {(store, one["signature"]): one["verdict"] for store, seen in evidence.items() for one in seen}
    _, stores, _ = findings_page.split(findings_page.PAGE.read_text("utf-8"), tuple(evidence))
    return {
        (store, signature): (verdicts[store, signature], section.title)
        for store, sections in stores.items()
        for section in sections
        for signature in section.signatures
        if (store, signature) in verdicts
    }


def _section(own: Own, seen: list[dict[str, Any]]) -> str:
    section = findings_page.Section("", own.title, own.text)
    text = findings_page.written(section, seen)
    marks = "\n".join(f"<!-- takes {verdict}: {glob} -->" for verdict, glob in own.takes)
    heading, _, rest = text.partition("\n")
    return f"{heading}\n{marks}\n\n{rest}" if marks else text


def _waived_below(store: str, one: dict[str, Any]) -> str:
    """The anchor in findings.md to which the narrowest waiver that accepts a divergence leads; empty if none does."""
    folders = (name.replace("-", "_") for name in (store, BASES.get(store, "")) if name)
    paths = [REPOSITORY / "adapters" / "stores" / name / "waivers.toml" for name in folders]
    there = [path for path in paths if path.is_file()] if one["verdict"] == "waived" else []
    rows = [row for path in there for row in tomllib.loads(path.read_text("utf-8"))["waiver"]]
    accepting = [row for row in rows if _matches(row["signature"], one["signature"])]
    narrowest = max(accepting, key=lambda row: len(row["signature"]), default=None)
    page, _, place = str(narrowest["link"] if narrowest else "").partition("#")
    return place if page.endswith("/findings.md") else ""


def _cause_below(store: str, one: dict[str, Any], below: dict[tuple[str, str], tuple[str, str]]) -> str:
    """The title of the one section in findings.md that tells of a store's base what has the same cause; else empty.

    So has what the same options declare, and a deviation from the same clause by the same outcome of the last call.
    """
    base, verdict = BASES.get(store, ""), one["verdict"]
    keys = {"declared": ("options",), "deviation": ("clause", "options")}.get(verdict)
    if keys is None or not base:
        return ""
    evidence = json.loads(findings_page.EVIDENCE.read_text("utf-8"))["stores"]
    ends = [one["observed"][-1:]] if verdict == "deviation" else []
    same = [
        seen["signature"]
        for seen in evidence[base]
        if all(seen[key] == one[key] for key in keys) and all(seen["observed"][-1:] == end for end in ends)
    ]
    titles = {below[base, name][1] for name in same if below.get((base, name), ("", ""))[0] == verdict}
    return titles.pop() if len(titles) == 1 else ""


def anchor(title: str) -> str:
    """The anchor of a heading."""
    return findings_page.Section("", title, "").anchor


def main() -> int:
    """Rewrite the page."""
    head, stores = _split(PAGE.read_text("utf-8"))
    evidence: dict[str, list[dict[str, Any]]] = json.loads(EVIDENCE.read_text("utf-8"))["stores"]
    below, told, rows, missing = _below(), "", "", False
    titles = {anchor(title): title for _, title in below.values()}
    for store in [*stores, *(store for store in evidence if store not in stores)]:
        before, owns = stores.get(store, ("", []))
        places: dict[str, list[dict[str, Any]]] = {own.title: [] for own in owns}
        inherited = ""
        for one in evidence.get(store, []):
            own = next((own for own in owns if own.fits(one)), None)
            verdict, title = below.get((BASES.get(store, ""), one["signature"]), ("", ""))
            if verdict != one["verdict"] and (place := _waived_below(store, one)) in titles:
                verdict, title = one["verdict"], titles[place]
            elif verdict != one["verdict"] and (cause := _cause_below(store, one, below)):
                verdict, title = one["verdict"], cause
            if own is not None:
                places[own.title].append(one)
            elif verdict == one["verdict"]:
                inherited += f"| `{one['signature']}` | {verdict} | [{title}](findings.md#{anchor(title)}) |\n"
            else:
                print(f"no section: {store}|{one['verdict']}|{one['signature']}")
                missing = True
        told += f"## {store}\n\n" + (f"{before}\n\n" if before else "")
        for own in owns:
            told += _section(own, places[own.title]) + "\n"
            if not places[own.title]:
                print(f"seen by no run: {own.title}")
                missing = True
                continue
            verdict, number = places[own.title][0]["verdict"], len(places[own.title])
            rows += f"| {store} | [{own.title}](#{anchor(own.title)}) | {verdict} | {number} |\n"
        if inherited:
            told += (
                f"### {INHERITED}{BASES[store]}: {store}\n\n| signature | verdict | told in |\n| --- | --- | --- |\n"
            )
            told += inherited + "\n"
    PAGE.write_text(TABLE.sub(lambda found: rows, head, count=1) + told.rstrip("\n") + "\n", "utf-8")
    return int(missing)


if __name__ == "__main__":
    sys.exit(main())

"""The findings in records/findings: their evidence from runs, and the pages that are made of them.

``python tools/findings.py RUN...``, each RUN the folder of a run, adds what the runs saw to the evidence of their
stores; ``--only`` puts it in place of what is there, ``--drop`` leaves out a signature that a store no longer shows.
A new signature goes into the finding that ``--place`` names, that takes it, or to which its quirk, known race or waiver
leads, else into the one of the store below with the same cause; one without a finding is printed, as is a finding that
no run saw, and the exit status is 1. Then docs/findings.md is brought up to the data: without a run that is all that is
done. ``--check`` compares and writes nothing. Nothing that changes from run to run stands in the evidence: no times, no
counts, no machine's paths.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from fsconform.adapters.stores.quirks import every as quirks
from fsconform.adapters.stores.quirks import every_race as known_races
from fsconform.records import codec, findings
from fsconform.records.findings import SCHEMA, Evidence, Finding, Seen
from fsconform.records.results import IMPACTS, Divergence, Results
from fsconform.specs.catalogue import catalogue

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "findings.md"
BEGIN, END = "<!-- made by tools/findings.py -->\n", "<!-- end -->\n"
LONG_RUN = re.compile(r"(.)\1{31,}")
"""So many equal characters in a row are written as their number."""

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
"""The store below, or of the same client; what all clients share is a finding of hdfs."""

LABELS = {
    "observed": "Observed",
    "case_for": "For the store",
    "case_against": "Against it",
    "acceptance": "Declared or accepted",
    "second_way": "Second way",
    "fixed": "Fixed",
}


class EvidenceError(ValueError):
    """Runs that can't be put together; the text says why."""


def shortened(text: str) -> str:
    """The text on one line, with each long run of one character written as ``<n x 256>``."""
    plain = text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    return LONG_RUN.sub(lambda found: f"<{found[1]} x {len(found[0])}>", plain)


def gather(runs: Iterable[Results]) -> dict[str, Evidence]:
    """The evidence of several runs by store, in an order that does not depend on theirs.

    A run that is given twice counts once. Raises EvidenceError if two runs give one signature of a store different
    verdicts or clauses, for then they are not runs of the same stores under the same contracts.
    """
    once = {results.run.id: results for results in runs}
    ordered = sorted(once.values(), key=lambda results: (results.run.seed, results.run.id))
    found: dict[str, dict[str, list[tuple[int, Divergence]]]] = {}
    seeds: dict[str, set[int]] = {}
    versions: dict[str, dict[str, set[str]]] = {}
    for results in ordered:
        for store in results.stores:
            of_store = found.setdefault(store.name, {})
            seeds.setdefault(store.name, set()).add(results.run.seed)
            for name in {"hadoop", "java"} & set(store.versions):
                versions.setdefault(store.name, {}).setdefault(name, set()).add(store.versions[name])
            for divergence in store.divergences:
                of_store.setdefault(divergence.signature, []).append((results.run.seed, divergence))
    return {
        store: Evidence(
            SCHEMA,
            tuple(sorted(seeds[store])),
            {name: tuple(sorted(values)) for name, values in sorted(versions.get(store, {}).items())},
            tuple(_seen(store, signature, of_store[signature]) for signature in sorted(of_store)),
        )
        for store, of_store in sorted(found.items())
    }


def joined(old: Evidence, new: Evidence) -> Evidence:
    """The evidence of both: of what both saw the newer verdict and clause, and the smaller program if they agree."""
    found = {one.signature: one for one in old.seen}
    for one in new.seen:
        found[one.signature] = _both(found[one.signature], one) if one.signature in found else one
    versions = {
        name: tuple(sorted({*old.versions.get(name, ()), *new.versions.get(name, ())}))
        for name in sorted({*old.versions, *new.versions})
    }
    seeds = tuple(sorted({*old.seeds, *new.seeds}))
    return Evidence(SCHEMA, seeds, versions, tuple(found[signature] for signature in sorted(found)))


def _both(old: Seen, new: Seen) -> Seen:
    if (old.verdict, old.clause) != (new.verdict, new.clause):
        return new
    smaller = min(old, new, key=lambda one: (len(one.program), sum(map(len, one.program))))
    seeds = tuple(sorted({*old.seeds, *new.seeds}))
    return replace(smaller, options=new.options, seeds=seeds, confirmed=new.confirmed)


def without(evidence: Mapping[str, Evidence], dropped: Iterable[str]) -> dict[str, Evidence]:
    """The evidence without these, each given as STORE|SIGNATURE. Raises EvidenceError for one that is not there."""
    found = dict(evidence)
    for one in dropped:
        store, _, signature = one.partition("|")
        before = found[store].seen if store in found else ()
        kept = tuple(seen for seen in before if seen.signature != signature)
        if len(kept) == len(before):
            raise EvidenceError(f"nothing to drop: {one}")
        found[store] = replace(found[store], seen=kept)
    return found


def _seen(store: str, signature: str, shown: Sequence[tuple[int, Divergence]]) -> Seen:
    # The symptoms of one waived cause may break different clauses; the smallest program is the one that is kept.
    kinds = {(one.verdict, "", "") if one.waiver else (one.verdict, one.clause, one.level) for _, one in shown}
    if len(kinds) > 1:
        raise EvidenceError(f"{store}: {signature}: the runs disagree: {sorted(kinds)}")
    smallest = min((one for _, one in shown), key=_size)
    return Seen(
        signature,
        smallest.verdict,
        smallest.clause,
        smallest.level,
        tuple(shortened(step.call) for step in smallest.sequence),
        tuple(_kind(step.observed) for step in smallest.sequence),
        tuple(
            sorted(
                tuple(sorted(f"{change.option}={_value(change.value)}" for change in changes))
                for changes in smallest.options
            )
        ),
        tuple(sorted({seed for seed, _ in shown})),
        min((one.confirmed for _, one in shown), key=_share),
    )


def _size(divergence: Divergence) -> tuple[int, int, list[str]]:
    calls = [step.call for step in divergence.sequence]
    return len(calls), sum(map(len, calls)), calls


def _kind(observed: str) -> str:
    """What was observed without an error's message, in which the sandbox's paths stand."""
    return shortened(re.sub(r"^(raised \w+):.*", r"\1", observed, flags=re.DOTALL))


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _share(confirmed: str) -> float:
    shown, _, replays = confirmed.partition("/")
    return int(shown) / int(replays) if replays else 0.0


def dumps(evidence: Evidence) -> bytes:
    """The evidence as indented JSON that ends in a newline; equal evidence gives equal bytes."""
    return msgspec.json.format(msgspec.json.encode(evidence), indent=1) + b"\n"


# --- which finding a divergence belongs to


def matches(pattern: str, signature: str) -> bool:
    """Whether a signature matches a pattern, in which a star stands for any text."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), signature, re.DOTALL) is not None


def accepted_by(store: str, one: Seen) -> str:
    """The finding to which the quirk, known race or narrowest waiver that accepts a divergence leads; else empty."""
    links = {quirk.signature: quirk.link for quirk in quirks()} | {race.signature: race.link for race in known_races()}
    if one.signature in links:
        return links[one.signature]
    stores = REPOSITORY / "adapters" / "stores"
    files = [stores / name.replace("-", "_") / "waivers.toml" for name in (store, BASES.get(store, "")) if name]
    rows = [row for path in files if path.is_file() for row in tomllib.loads(path.read_text("utf-8")).get("waiver", ())]
    accepting = [row for row in rows if matches(row["signature"], one.signature)]
    return str(max(accepting, key=lambda row: len(row["signature"]))["link"]) if accepting else ""


def cause_below(store: str, one: Seen, evidence: Mapping[str, Evidence]) -> str:
    """The one finding of the store below that has the same cause; empty if there is none, or there are several.

    So has what the same options declare, and a deviation from the same clause by the same outcome of the last call.
    """
    below = BASES.get(store, "")
    if not below or one.verdict not in ("declared", "deviation"):
        return ""
    by_clause = one.verdict == "deviation"
    found = {
        home.id
        for seen in evidence[below].seen
        if seen.options == one.options
        and (not by_clause or (seen.clause, seen.observed[-1:]) == (one.clause, one.observed[-1:]))
        and (home := findings.homes().get((below, seen.signature))) is not None
        and home.verdict == one.verdict
    }
    return found.pop() if len(found) == 1 else ""


def place(store: str, one: Seen, evidence: Mapping[str, Evidence], placed: Mapping[str, str]) -> str:
    """The id of the finding that a divergence belongs to; empty if nothing says which."""
    every, homes = findings.every(), findings.homes()
    own = [finding for finding in every.values() if finding.store == store]
    taking = [
        finding.id
        for finding in own
        for verdict, _, pattern in (take.partition(": ") for take in finding.takes)
        if verdict == one.verdict and matches(pattern, one.signature)
    ]
    known = [home.id for name in (store, BASES.get(store, "")) if (home := homes.get((name, one.signature)))]
    led = [accepted_by(store, one)] if one.verdict == "waived" else []
    candidates = [placed.get(f"{store}|{one.signature}", ""), *known[:1], *taking, *led, *known[1:]]
    fitting = (name for name in candidates if name in every and every[name].verdict in ("", one.verdict))
    return next(fitting, "") or cause_below(store, one, evidence)


def settled(finding: Finding, signatures: Mapping[str, Sequence[str]], evidence: Mapping[str, Evidence]) -> str:
    """The text of a finding's file with these signatures, and with the clauses that they break on its own store.

    One without a verdict, as no run had shown it, has that of the evidence.
    """
    text = (findings.FOLDER / f"{finding.id}.toml").read_text("utf-8").partition("\n[signatures]\n")[0].rstrip("\n")
    own = set(signatures.get(finding.store, ()))
    clauses = list(dict.fromkeys(one.clause for one in evidence[finding.store].seen if one.signature in own))
    text = re.sub(r"^clauses = \[[^\]]*\]\n", "", text, flags=re.MULTILINE)
    verdicts = dict.fromkeys(one.verdict for one in evidence[finding.store].seen if one.signature in own)
    if verdicts and not finding.verdict:
        text = re.sub(r"(?<=\n)", f'verdict = "{next(iter(verdicts))}"\n', text, count=1)
    if clauses:
        text = re.sub(
            r"^(?=options|quirks|upstream|takes|observed)", f"clauses = {_list(clauses)}\n", text, count=1, flags=re.M
        )
    rows = "".join(f"{store} = {_list(sorted(names))}\n" for store, names in signatures.items())
    return f"{text}\n" + (f"\n[signatures]\n{rows}" if rows else "")


def _list(texts: Sequence[str]) -> str:
    quoted = [f"'{text}'" if '"' in text or "\\" in text else f'"{text}"' for text in texts]
    rows = "".join(f"    {one},\n" for one in quoted)
    return f"[{quoted[0]}]" if len(texts) == 1 and len(texts[0]) < 100 else f"[\n{rows}]"


# --- pages


def anchor(title: str) -> str:
    """The anchor that a heading has on a page."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip())


def target(finding: Finding) -> str:
    """Where a finding stands on the site, from a page in ``reference/``."""
    return f"findings-{finding.store}.md#{anchor(finding.title)}"


def page(store: str) -> str:
    """All findings of a store, as a page of the site in ``reference/``."""
    every = findings.every()
    own = [finding for finding in every.values() if finding.store == store]
    parts = [f"# Findings: {store}", findings.about(store).strip(), *(_section(finding) for finding in own)]
    further = [
        f"| `{name}` | [{finding.title}]({target(finding)}) |"
        for finding in every.values()
        for name in (finding.signatures.get(store, ()) if finding.store != store else ())
    ]
    if further:
        parts += [
            f"## As on the store below: {store}",
            "\n".join(["| signature | finding |", "| --- | --- |", *further]),
        ]
    text = "\n\n".join(filter(None, parts)) + "\n"
    text = re.sub(r"\]\(finding:([^)]+)\)", lambda found: f"]({target(every[found[1]])})", text)
    return text.replace("](docs/", "](../")


def _section(finding: Finding) -> str:
    parts = [f"## {finding.title}", f"`{finding.id}` {finding.verdict} {finding.impact}".strip()]
    for name in finding.clauses:
        row = catalogue()[name]
        parts.append(f"Clause: `{row.id}` ({row.level}), {row.document}, {row.section}")
    for one in findings.shown(finding):
        parts.append(f"Signature: `{one.signature}`\n\n```text\n" + "\n".join(one.program) + "\n```")
    texts = ((label, getattr(finding, name)) for name, label in LABELS.items())
    return "\n\n".join([*parts, *(f"**{label}:** {text}" for label, text in texts if text)])


def index() -> str:
    """The part of docs/findings.md that is made: findings by store, and those that harm data or answers by impact."""
    every = findings.every().values()
    verdicts = ("waived", "declared", "deviation")
    lines = ["| store | " + " | ".join(verdicts) + " | not seen in a kept run |", "| --- |" + " --- |" * 4]
    for store in findings.stores():
        counts = [sum(one.store == store and one.verdict == verdict for one in every) for verdict in (*verdicts, "")]
        lines.append(f"| [{store}](reference/findings-{store}.md) | " + " | ".join(map(str, counts)) + " |")
    for impact in IMPACTS[:-1]:
        own = [one for one in every if one.impact == impact]
        lines += ["", f"**{impact.capitalize()}**", ""] if own else []
        lines += [f"- [{one.title}](reference/{target(one)})" for one in own]
    return "\n".join(lines) + "\n"


def paged(text: str) -> str:
    """The page with the part that is made up to date."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{index()}{END}{rest.partition(END)[2]}"


def main(arguments: Sequence[str]) -> int:
    """Write, or with ``--check`` compare, what runs and findings give. Exit status 1 if it differs or can't be made."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument("--only", action="store_true", help="forget what earlier runs of these stores saw")
    parser.add_argument("--drop", action="append", default=[], metavar="STORE|SIGNATURE", help="from the evidence")
    parser.add_argument("--place", action="append", default=[], metavar="STORE|SIGNATURE=ID", help="into this finding")
    parser.add_argument("--check", action="store_true", help="compare with the files and write nothing")
    given = parser.parse_args(arguments)
    placed = dict(one.rsplit("=", 1) for one in given.place)
    try:
        new = gather(codec.loads(folder / "results.json") for folder in given.runs)
        evidence = without({store: findings.evidence(store) for store in findings.stores()}, given.drop)
        for store, one in new.items():
            evidence[store] = one if given.only or store not in evidence else joined(evidence[store], one)
    except (codec.RecordError, EvidenceError, msgspec.DecodeError, OSError) as error:
        print(f"findings: {error}", file=sys.stderr)
        return 1
    members: dict[str, dict[str, list[str]]] = {name: {} for name in findings.every()}
    complete = True
    for store, seen in ((name, seen) for name, one in evidence.items() for seen in one.seen):
        home = place(store, seen, evidence, placed)
        if home:
            members[home].setdefault(store, []).append(seen.signature)
        else:
            print(f"no finding: {store}|{seen.verdict}|{seen.signature}")
            complete = False
    texts = {findings.FOLDER / store / "evidence.json": dumps(one) for store, one in evidence.items()}
    for name, finding in findings.every().items():
        ordered = dict(sorted(members[name].items(), key=lambda item: (item[0] != name.partition("/")[0], item[0])))
        texts[findings.FOLDER / f"{name}.toml"] = settled(finding, ordered, evidence).encode()
        if finding.verdict and finding.store not in ordered:
            print(f"seen by no run: {name}")
            complete = False
    texts[PAGE] = paged(PAGE.read_text("utf-8")).encode()
    changed = [path for path, text in texts.items() if not path.is_file() or path.read_bytes() != text]
    for path in changed:
        print(f"findings: {path.relative_to(REPOSITORY)}")
        if not given.check:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(texts[path])
    return int(not complete or (given.check and bool(changed)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

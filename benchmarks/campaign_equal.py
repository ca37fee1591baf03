"""A campaign against the plain engine on the same programs, races left out: the same signatures, verdicts and counts.

``python benchmarks/campaign_equal.py [STORES=rawlocal,hdfs] [PROGRAMS=2000] [OUT]``; exit status 1 if anything
differs. A campaign that stands in OUT already is taken up.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import campaigns

from fsconform.suites.registry import DEFAULT

SEED = 11


def main(stores: str = "rawlocal,hdfs", programs: str = "2000", out: str = "") -> int:
    """Run both and compare them, store by store."""
    names = stores.split(",")
    with tempfile.TemporaryDirectory(prefix="fsconform-equal-") as folder:
        chosen = [word for name in names for word in ("--store", name)]
        chosen += [word for name in DEFAULT for word in ("--suite", name)]
        results, seconds, _ = campaigns.campaign(
            Path(out or folder) / "out", *chosen, "--programs", programs, "--seed", str(SEED), "--master", "local[2]"
        )
    print(f"campaign: {seconds:.0f} s")
    differences = 0
    for record in results.stores:
        if record.problems:
            print(f"{record.name}: {record.problems}")
        plain = campaigns.plain(record.name, DEFAULT, int(programs), SEED)
        spark = {
            one.signature: ("" if one.verdict in ("waived", "inconclusive") else one.verdict, one.count)
            for one in record.divergences
        }
        ours = {
            name: ("" if not spark.get(name, ("x", 0))[0] else verdict, count)
            for name, (verdict, count) in plain.verdicts.items()
        }
        for kind, left, right in (
            ("signatures", spark, ours),
            ("clauses", dict(record.clauses), dict(plain.collected.clauses)),
            ("operations", record.operations, plain.collected.operations),
            ("programs", record.programs, plain.collected.programs),
        ):
            same = left == right
            differences += not same
            size = len(left) if isinstance(left, dict) else left
            print(f"{record.name}: {kind}: {size}: {'equal' if same else 'DIFFERENT'}")
            if not same and isinstance(left, dict) and isinstance(right, dict):
                for name in sorted(set(left) | set(right)):
                    if left.get(name) != right.get(name):
                        print(f"  {name}: campaign {left.get(name)}, plain engine {right.get(name)}")
        print(f"{record.name}: plain engine {plain.seconds:.0f} s with one session")
    return 1 if differences else 0


if __name__ == "__main__":
    campaigns.fixed_hashes()
    raise SystemExit(main(*sys.argv[1:]))

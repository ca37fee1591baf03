"""Checks the judge on an audit log without fault: nothing is flagged, and of ten altered lines exactly those.

Run it as ``python tools/audit_check.py FILE [--seeds N] [--nothing-assumed]``; it exits with 1 where it does not hold.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from fsconform.engine.audit.alterations import altered, apply
from fsconform.engine.audit.effects import Assumptions
from fsconform.engine.audit.judge import AuditJudge, Tally
from fsconform.engine.audit.lines import entries

LINES = 10


def judged(log: Sequence[str], assumptions: Assumptions) -> Tally:
    """What following the log gives."""
    return AuditJudge(assumptions).follow(entries(log, [], [0]))


def main() -> None:
    """Check the log that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--nothing-assumed", action="store_true")
    asked = parser.parse_args()
    assumptions = Assumptions(clients_in_order=not asked.nothing_assumed)
    with asked.file.open(encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
        log = lines.readlines()
    begun = time.perf_counter()
    tally = judged(log, assumptions)
    rate = tally.entries / (time.perf_counter() - begun)
    print(f"{tally.entries} entries, {tally.telling} telling, {rate:,.0f}/s: {len(tally.flags)} flagged")
    good = not tally.flags and not tally.explained
    for seed in range(asked.seeds):
        changed = altered(log, LINES, seed)
        found = judged(apply(log, changed), assumptions)
        wanted, flagged = {one.line for one in changed}, {flag.line for flag in found.flags}
        print(
            f"seed {seed}: {len(changed)} altered, missed {sorted(wanted - flagged)}, others {sorted(flagged - wanted)}"
        )
        good = good and len(changed) == LINES and wanted == flagged
    sys.exit(not good)


if __name__ == "__main__":
    main()

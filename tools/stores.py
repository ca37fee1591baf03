"""The stores outside the default job, by their folders: a draft is none of them yet.

``python tools/stores.py`` prints their names as JSON, for the matrix of the workflow, which asks before anything is
installed: nothing of fsconform is imported. ``python tools/stores.py run`` judges each of them by ``fsconform run``, or
those that ``--store`` names, with all other options handed on; the last line names those that failed.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
from pathlib import Path

STORES = Path(__file__).resolve().parent.parent / "adapters" / "stores"
OBJECTS, IN_MEMORY = "s3", "proving"


def declared(module: Path) -> dict[str, object]:
    """The literal arguments of the ``Preset`` that a module declares, its first by ``name``; none without one."""
    for node in ast.parse(module.read_text("utf-8")).body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and ast.unparse(node.targets[0]) == "STORE"
        ):
            given = [("name", node.value.args[0]), *((str(one.arg), one.value) for one in node.value.keywords)]
            return {name: value.value for name, value in given if isinstance(value, ast.Constant)}
    return {}


def further() -> list[str]:
    """Their names, sorted."""
    rows = [declared(module) for module in STORES.glob("*/__init__.py")]
    names = [str(row["name"]) for row in rows if row.get("default", True) is False and not row.get("draft")]
    return sorted({OBJECTS, *names} - {IN_MEMORY})


def main() -> int:
    """Print or run. The exit code is the highest of any store."""
    parser = argparse.ArgumentParser(description="The stores outside the default job.", allow_abbrev=False)
    parser.add_argument("what", nargs="?", choices=["run"], help="judge them; else their names are printed")
    parser.add_argument("--store", action="append", metavar="NAME", help="only these")
    options, handed_on = parser.parse_known_args()
    if not options.what:
        print(json.dumps(further()))
        return 0
    program = str(Path(sys.executable).with_name("fsconform"))
    codes = {
        store: subprocess.run([program, "run", "--store", store, *handed_on], check=False).returncode
        for store in options.store or further()
    }
    if failed := [f"{store}:{code}" for store, code in codes.items() if code]:
        print(f"what did not pass (store:exit code): {' '.join(failed)}", file=sys.stderr)
    return max(codes.values())


if __name__ == "__main__":
    raise SystemExit(main())

"""Prints the table of a ``fsconform markers compatibility --json FILE`` for a page."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def table(cells: list[dict[str, Any]]) -> str:
    """A row for each writer, a column for each reader; below it what each number stands for."""
    readers = list(dict.fromkeys(cell["reader"] for cell in cells))
    writers = list(dict.fromkeys(cell["writer"] for cell in cells))
    found = {(cell["writer"], cell["reader"]): cell for cell in cells}
    losses: dict[str, int] = {}
    lines = [f"| written by | markers | {' | '.join(readers)} |", "|" + " --- |" * (len(readers) + 2)]
    for writer in writers:
        keys = next(cell["keys"] for cell in cells if cell["writer"] == writer)
        row = [writer, " ".join(key for key in keys if key.endswith("/")) or "none"]
        for reader in readers:
            told = []
            for loss in found[writer, reader]["losses"]:
                how = "silent" if loss["silent"] else "error"
                text = f"{loss['probe']} ({how}): {loss['came']}; owed: {loss['owed']}"
                told.append(str(losses.setdefault(text, len(losses) + 1)))
            row.append(", ".join(told) or "all")
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join([*lines, "", *(f"{number}. {text}" for text, number in losses.items())])


if __name__ == "__main__":
    print(table(json.loads(Path(sys.argv[1]).read_text("utf-8"))["cells"]))

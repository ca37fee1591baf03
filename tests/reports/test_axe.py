"""Pages in headless Chromium: axe-core finds nothing serious, nothing is asked of a network, the keys work.

Everything is one test, so that the browser is started once. ``axe/check.mjs`` looks and ``axe/faulty.html`` is a page
with faults on purpose, which must be told.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from filelock import FileLock

from fsconform.records import findings
from fsconform.records.results import Results
from fsconform.reports.atlas.entries import entry_of
from fsconform.reports.atlas.site import site
from fsconform.reports.html import write_report

HARNESS = Path(__file__).with_name("axe")
NODE_AT_LEAST = 18
"""The oldest major version that the harness's packages run on."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
GRAVE = ("serious", "critical")
TRIED = ("index", "store")
LOSSY = ("lossy index", "lossy store")
ATLAS = ("atlas", "atlas compare", "atlas clause", "atlas store", "atlas document", "atlas option")
"""Pages of the atlas of stores: of the first two the search and the comparison are used."""
AUDITED = (*TRIED, *LOSSY, "faulty")
SECONDS = 280.0
Seen = dict[str, Any]
"""What the harness saw of one page."""


def missing() -> str:
    """What this machine lacks, empty if it has all."""
    lacks = [name for name in ("node", "npm") if not shutil.which(name)]
    if not any(map(shutil.which, BROWSERS)):
        lacks.append("chromium")
    if "node" not in lacks:
        said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
        found = re.match(r"v(\d+)\.", said)
        if not found or int(found[1]) < NODE_AT_LEAST:
            lacks.append(f"node {NODE_AT_LEAST} or newer (found {said.strip() or 'none'})")
    return ", ".join(lacks)


def installed() -> Path:
    """The harness with its packages, in a folder of the cache that is named by their lock file."""
    named = os.environ.get("FSCONFORM_CACHE")
    root = Path(named) if named else platformdirs.user_cache_path("fsconform")
    lock = (HARNESS / "package-lock.json").read_bytes()
    folder = root / "axe" / hashlib.sha256(lock).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(folder.name + ".lock"), timeout=SECONDS):
        for name in ("package.json", "package-lock.json", "check.mjs"):
            shutil.copyfile(HARNESS / name, folder / name)
        if not (folder / "complete").exists():
            done = subprocess.run(
                ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            assert done.returncode == 0, f"npm ci failed:\n{done.stdout}{done.stderr}"
            (folder / "complete").touch()
    return folder


def look(pages: dict[str, Path], profile: Path) -> dict[str, Seen]:
    """What a browser sees of some pages, by name. Those of AUDITED are checked with axe-core, those of TRIED used."""
    browser = next(filter(None, map(shutil.which, BROWSERS)))
    asked = [
        {
            **{"name": name, "file": str(file), "audited": name in (*AUDITED, *ATLAS), "tried": name in TRIED},
            "atlas": name in ATLAS[:2],
        }
        for name, file in pages.items()
    ]
    done = subprocess.run(
        ["node", "check.mjs"],
        cwd=installed(),
        input=json.dumps({"chromium": browser, "profile": str(profile), "pages": asked}),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {seen["name"]: seen for seen in json.loads(done.stdout)["pages"]}


def faults(seen: Seen) -> list[str]:
    """What is wrong with a page, whatever it shows."""
    used = seen.get("keys", {}) | seen.get("atlas", {})
    parts = [*seen["violations"].values(), *(used.get(name, []) for name in ("searching", "helping", "comparing"))]
    found = [
        f"{one['impact']}: {one['id']}: {' '.join(one['nodes'])}"
        for part in parts
        for one in part
        if one["impact"] in GRAVE
    ]
    found += [f"console: {line}" for line in seen["console"]]
    found += [f"request: {url}" for url in seen["requests"] if not url.startswith("file://")]
    left, top, right, bottom = seen["first"] or (0, 0, 0, 9999)
    if left < 0 or top < 0 or right > 1280 or bottom > 800:
        found.append(f"the first divergence is not in sight: {seen['first']}")
    if seen["narrow"] > 400:
        found.append(f"wider than a narrow screen: {seen['narrow']}")
    return found


def test_pages_in_a_browser(example: Results, lossy: Results, hostile: Results, tmp_path: Path) -> None:
    lacks = missing()
    if lacks and not os.environ.get("CI"):
        pytest.skip(f"not installed: {lacks} (Debian: apt-get install chromium nodejs npm)")
    assert not lacks, f"not installed, and CI must have it: {lacks}"
    index = write_report(example, tmp_path)
    bad = write_report(hostile, tmp_path / "hostile")
    pages = {"index": index, "store": index.with_name("file.html"), "faulty": HARNESS / "faulty.html"}
    pages["lossy index"] = write_report(lossy, tmp_path / "lossy")
    pages["lossy store"] = pages["lossy index"].with_name("lossy.html")
    pages["hostile index"] = bad
    pages["hostile store"] = next(path for path in sorted(bad.parent.iterdir()) if path.name.startswith("file"))
    seen = look(pages, tmp_path / "profile")

    told = "\n".join(faults(seen["faulty"]))
    for fault in ("image-alt", "color-contrast", "button-name", "said on purpose", "https://host.invalid/picture.png"):
        assert fault in told, told
    assert "not in sight" in told and "wider than a narrow screen" in told
    for name in TRIED:
        assert faults(seen[name]) == [], name
        works(seen[name], example)
    for name in LOSSY:
        assert [one for one in faults(seen[name]) if "not in sight" not in one] == [], name
    # Whatever a store is called, its pages make no request, and no script of theirs fails or runs that should not.
    for name in ("hostile index", "hostile store"):
        assert [one for one in faults(seen[name]) if one.startswith(("console", "request"))] == [], name


def works(seen: Seen, example: Results) -> None:
    """The keys, the choice of colours, the filter and the buttons do what they say; without scripts all is there."""
    keys, tools = seen["keys"], seen["tools"]
    assert keys["slash"] == "search" and "on clauses" in keys["status"]
    first, last = keys["hits"][0], keys["hits"][-1]
    assert "clause" not in first and ("violation" in first or "declared-false" in first), "not the most serious first"
    assert last.startswith("clause filesystem.")
    assert keys["down"] and keys["closed"]
    assert keys["steps"] == [0, 1, 0]
    assert keys["help"] and keys["helped"]
    assert tools["themes"] == ["light", "dark", "system"]
    assert tools["kept"] == "dark" and tools["paper"] == "rgb(20, 23, 27)"
    assert tools["all"] == len(example.clauses) > tools["departed"] > 0 == tools["narrowed"]
    assert tools["copies"] > 0 and tools["copied"] in ("Copied", "Selected")
    assert seen["plain"]["plots"] >= 4 and seen["plain"]["first"] and not seen["plain"]["tools"]


def atlas(results: Results, folder: Path) -> dict[str, Path]:
    """The pages of ATLAS: of an atlas of the stores of a run, written into a folder."""
    entries = [entry_of(results, store, "0123456") for store in results.stores]
    for name, content in site(entries, results.clauses, findings.every()).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    shown = next(departure for entry in entries for departure in entry.departures)
    pages = ("index", "compare", f"clauses/{shown.clause}", f"stores/{entries[0].id}", "documents/filesystem.md")
    option = next(path for path in sorted((folder / "options").iterdir()))
    return dict(zip(ATLAS, [*(folder / f"{page}.html" for page in pages), option], strict=True))


@pytest.mark.long
def test_the_atlas_in_a_browser(example: Results, tmp_path: Path) -> None:
    """Opened from a folder: nothing serious in either scheme of colours, fits 400 px, search and comparison work."""
    lacks = missing()
    if lacks and not os.environ.get("CI"):
        pytest.skip(f"not installed: {lacks} (Debian: apt-get install chromium nodejs npm)")
    assert not lacks, f"not installed, and CI must have it: {lacks}"
    seen = look(atlas(example, tmp_path / "site"), tmp_path / "profile")
    for name in ATLAS:
        assert [fault for fault in faults(seen[name]) if "not in sight" not in fault] == [], name
    for name in ATLAS[:2]:
        hits = seen[name]["atlas"]["hits"]
        assert any(hit.startswith("operation rename") for hit in hits), hits
        assert seen[name]["atlas"]["closed"]
    compared = seen["atlas compare"]["atlas"]
    assert compared["same"] == 0 < compared["differ"] and compared["narrowed"] == 0
    assert compared["says"] == "0 clauses and 0 options differ"
    assert "first=" in compared["address"] and "only=no+clause" in compared["address"]

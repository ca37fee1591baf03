"""docs/findings-more.md holds what runs of further stores saw, and its waivers lead to sections that are there."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.presets import PRESETS
from fsconform.model.core.option import OWN_PREFIX

REPOSITORY = Path(__file__).resolve().parent.parent
PAGES = {
    f"docs/{name}": (REPOSITORY / "docs" / name).read_text("utf-8") for name in ("findings.md", "findings-more.md")
}
MORE = PAGES["docs/findings-more.md"]
BASES = {"webhdfs": "hdfs", "viewfs": "hdfs", "hdfs-ec": "hdfs", "hdfs-encrypted": "hdfs", "s3proxy": "s3a"}
"""What stands below a store, or is its client: what that one declares is told of in findings.md."""
PYTHON = ("pyarrow", "pyarrow-s3", "fsspec", "fsspec-s3", "webhdfs-python")
"""Stores whose findings have a page of their own."""
ROWS = tuple(row for row in PRESETS.values() if not row.default and row.name not in (*PYTHON, "proving"))
STORES = tuple(row.name for row in ROWS)


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings."""
    titles = re.findall(r"^### (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@cache
def evidence() -> dict[str, list[dict[str, Any]]]:
    """What the runs saw, by store."""
    path = REPOSITORY / "docs" / "findings-more-evidence.json"
    return json.loads(path.read_text("utf-8"))["stores"] if path.is_file() else {}


def of_store(store: str) -> str:
    """What the page tells of a store."""
    parts = re.split(r"^## ", MORE, flags=re.MULTILINE)[1:]
    return next((part for part in parts if part.splitlines()[0].strip() == store), "")


@pytest.mark.parametrize("store", STORES)
def test_each_divergence_is_told_under_its_store(store: str) -> None:
    text = of_store(store)
    assert text, f"no heading for {store}"
    assert [one["signature"] for one in evidence().get(store, []) if f"`{one['signature']}`" not in text] == []
    assert {one["verdict"] for one in evidence().get(store, [])} <= {"waived", "declared", "deviation"}


def test_no_section_tells_what_no_run_saw() -> None:
    seen = {(store, one["signature"]) for store, all_seen in evidence().items() for one in all_seen}
    told = {(store, name) for store in STORES for name in re.findall(r"^Signature: `([^`]+)`$", of_store(store), re.M)}
    assert sorted(told - seen) == []


@pytest.mark.parametrize("store", STORES)
def test_each_section_says_in_which_second_way_it_is_confirmed(store: str) -> None:
    ways = {part.partition("\n")[0]: part.count("\nSecond way: ") for part in of_store(store).split("\n### ")[1:]}
    assert [title for title, times in ways.items() if times != 1] == []


@pytest.mark.parametrize("row", ROWS, ids=STORES)
def test_waivers_lead_to_sections(row: Any) -> None:
    path = REPOSITORY / "adapters" / "stores" / row.name.replace("-", "_") / "waivers.toml"
    if not path.is_file():
        pytest.skip("nothing is waived")
    for waiver in tomllib.loads(path.read_text("utf-8"))["waiver"]:
        place, _, name = waiver["link"].partition("#")
        assert waiver["store"] == row.name
        assert name in anchors(PAGES[place]), waiver["link"]


@pytest.mark.parametrize("store", sorted({row.contract or row.name for row in ROWS} - {"hdfs"}))
def test_own_options_are_told_of(store: str) -> None:
    own = [name for name in load_shipped(store).declared if name.startswith(OWN_PREFIX)]
    if not evidence().get(store):
        pytest.skip("no run of it is told of")
    inherited = load_shipped(BASES[store]).declared if store in BASES else {}
    assert [name for name in own if f"`{name}`" not in MORE and name not in inherited] == []


def test_the_page_has_its_stores() -> None:
    assert tuple(re.findall(r"^## (.+)$", MORE, re.MULTILINE)) == STORES


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    """tools/findings_more.py, gone again afterwards: a module of the tree has no bare name."""
    for name in ("findings_page", "findings_more"):
        spec = importlib.util.spec_from_file_location(name, REPOSITORY / "tools" / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
    return module


def test_a_section_that_no_run_saw_stays_and_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tool: Any
) -> None:
    section = (
        "### ftp does what no run saw\n<!-- takes waived: never * -->\n\nObserved: it does.\n\nDeclared: nothing.\n\n"
    )
    heading = "## ftp\n\n"
    assert heading in MORE
    page = tmp_path / "page.md"
    page.write_text(MORE.replace(heading, heading + section), "utf-8")
    monkeypatch.setattr(tool, "PAGE", page)
    for _ in range(2):
        assert tool.main() == 1
        assert "seen by no run: ftp does what no run saw" in capsys.readouterr().out
        assert section in page.read_text("utf-8")
    assert "(#ftp-does-what-no-run-saw)" not in page.read_text("utf-8")


def test_what_has_its_cause_in_the_base_is_told_with_it(tool: Any) -> None:
    """A further symptom of what an option of the base declares, or of how it deviates; not if several sections fit."""
    below = tool._below()
    refused = "fs.contract.fsconform.refuses-paths-below-files=true"
    one = {"verdict": "declared", "signature": "never seen", "options": [[refused]]}
    assert tool._cause_below("hdfs-ec", one, below) == "hdfs refuses paths below a file"
    assert tool._cause_below("wasb", one, below) == ""
    assert tool._cause_below("hdfs-ec", one | {"verdict": "waived"}, below) == ""
    assert tool._cause_below("hdfs-ec", one | {"options": [["fs.contract.never=true"]]}, below) == ""


def test_a_deviation_has_its_cause_by_its_clause_and_its_outcome(tool: Any) -> None:
    below = tool._below()
    clause, raised = "model.paths.invalid-path-exception", "raised IllegalArgumentException"
    one = {"verdict": "deviation", "clause": clause, "options": [], "observed": ["succeeded", raised]}
    found = tool._cause_below("viewfs", one, below)
    assert found == "hdfs refuses a name with a colon by an IllegalArgumentException"
    assert tool._cause_below("viewfs", one | {"observed": ["raised OutOfMemoryError"]}, below) == ""
    several = one | {"clause": "introduction.failures.no-runtime-exception"}
    assert tool._cause_below("viewfs", several, below) == ""

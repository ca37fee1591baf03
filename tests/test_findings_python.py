"""docs/findings-python-stores.md holds what the runs saw of the stores that libraries of Python drive, and no more."""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.pythonic.store import PACKAGES
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.model.core.option import OWN_PREFIX

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = "docs/findings-python-stores.md"
SIGNATURE = re.compile(r"^Signature: `([^`]+)`$", re.MULTILINE)


def anchor(title: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@cache
def sections() -> dict[tuple[str, str], str]:
    """The text of each section, by its store and its title."""
    found: dict[tuple[str, str], str] = {}
    for part in re.split(r"^## ", (REPOSITORY / PAGE).read_text("utf-8"), flags=re.MULTILINE)[1:]:
        store, *bodies = re.split(r"^### ", part, flags=re.MULTILINE)
        found |= {(store.strip(), body.partition("\n")[0]): body for body in bodies}
    return found


@cache
def evidence() -> dict[str, list[dict[str, Any]]]:
    """What the runs saw, by store."""
    read: dict[str, list[dict[str, Any]]] = json.loads(
        (REPOSITORY / "docs" / "findings-python-stores-evidence.json").read_text("utf-8")
    )["stores"]
    return read


def waivers(store: str) -> list[dict[str, Any]]:
    """The shipped waivers of a store."""
    path = REPOSITORY / "adapters" / "stores" / store.replace("-", "_") / "waivers.toml"
    return list(tomllib.loads(path.read_text("utf-8")).get("waiver", []))


def test_the_page_is_of_the_stores_that_were_run() -> None:
    assert set(evidence()) == {store for store, _ in sections()} <= set(PACKAGES)


@pytest.mark.parametrize("store", evidence())
def test_each_divergence_has_one_section_and_no_section_is_without(store: str) -> None:
    told = sorted(name for (own, _), text in sections().items() if own == store for name in SIGNATURE.findall(text))
    assert told == sorted(one["signature"] for one in evidence()[store])
    assert {one["verdict"] for one in evidence()[store]} <= {"waived", "declared", "deviation"}


@pytest.mark.parametrize(("store", "title"), sections())
def test_a_section_has_what_there_is_to_tell(store: str, title: str) -> None:
    text = sections()[store, title]
    seen = {one["signature"]: one for one in evidence()[store]}
    own = [seen[name] for name in SIGNATURE.findall(text)]
    assert re.findall(r"^Verdict: (\w+)$", text, re.MULTILINE) == sorted({one["verdict"] for one in own})
    assert {one["clause"] for one in own} == set(re.findall(r"^Clause: `([^`]+)`", text, re.MULTILINE))
    programs = re.findall(r"^```text\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)
    assert [one.splitlines() for one in programs] == [one["program"] for one in own]
    assert text.count("\nSecond way: ") == 1, f"{title}: no second way"
    for words in ("\nObserved: ", "\nFor the store: ", "\nDeclared: ", "Against it: "):
        assert words in text, f"{title}: no {words.strip()!r}"


@pytest.mark.parametrize("store", evidence())
def test_each_waiver_leads_to_a_section_of_its_store_that_it_accepts(store: str) -> None:
    by_anchor = {anchor(title): text for (own, title), text in sections().items() if own == store}
    assert waivers(store)
    for waiver in waivers(store):
        place, _, name = waiver["link"].partition("#")
        assert (waiver["store"], place) == (store, PAGE) and name in by_anchor, waiver
        wanted = ".*".join(map(re.escape, waiver["signature"].split("*")))
        assert any(re.fullmatch(wanted, one) for one in SIGNATURE.findall(by_anchor[name])), waiver


@pytest.mark.parametrize("store", evidence())
def test_each_own_option_of_a_contract_has_its_section(store: str) -> None:
    texts = [text for (own, _), text in sections().items() if own == store]
    options = [name for name in load_shipped(store).declared if name.startswith(OWN_PREFIX)]
    assert [name for name in options if not any(f"`{name}`" in text for text in texts)] == []

"""``fsconform try``: the contract of a store is inferred, and a run judges the store by it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.records.codec import loads
from fsconform.specs.contract_xml import load

Command = Callable[..., subprocess.CompletedProcess[str]]
RAW = ("--conf", "fs.file.impl=org.apache.hadoop.fs.RawLocalFileSystem")


def short(folder: Path, *suites: str) -> list[str]:
    """The command on the raw local filesystem, with witnesses and single calls of some suites."""
    return [
        *("try", "--uri", (folder / "sandbox").as_uri(), *RAW, "--name", "raw"),
        *("--budget", "0", "--shards", "1", "--out", "out", "--suite", *suites),
    ]


def test_what_is_to_be_declared_is_shown_with_its_xml_and_judged_by(fsconform: Command, tmp_path: Path) -> None:
    ended = fsconform(*short(tmp_path, "delete", "rename"))
    assert ended.returncode == 1, ended.stdout + ended.stderr
    contract = load(tmp_path / "out" / "raw-contract.xml").declared
    shown = re.findall(r"xml +<property><name>fs\.contract\.([^<]+)</name><value>([^<]+)</value>", ended.stderr)
    before = ended.stderr.partition("fsconform run ")[0]
    assert "undeclared: rename-overwrites-dest=true; true means: " in before
    assert ("rename-overwrites-dest", "true") in shown and len(shown) == before.count("undeclared: ")
    assert all(str(contract[name]).lower() == value for name, value in shown)
    assert contract["rename-creates-dest-dirs"] is load_shipped("rawlocal").value("rename-creates-dest-dirs") is True
    (store,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    assert {one.verdict for one in store.divergences} >= {"violation", "declared"}
    assert not [one for one in store.divergences if one.verdict == "undeclared"]
    assert ended.stdout.endswith("report/index.html\n") and "next: fsconform run --contract out/raw-" in ended.stderr
    assert not (tmp_path / "sandbox").exists()


@pytest.mark.long
def test_what_the_contract_has_already_is_not_shown(fsconform: Command, tmp_path: Path) -> None:
    """A store that passes ends with 0."""
    first = fsconform(*short(tmp_path, "delete"))
    assert first.returncode == 0, first.stdout + first.stderr
    assert "undeclared: " in first.stderr
    again = fsconform(*short(tmp_path, "delete"), "--contract", "out/raw-contract.xml")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "undeclared: " not in again.stderr and "0 options to declare" in again.stderr


def test_a_store_is_named_by_its_uri(fsconform: Command) -> None:
    ended = fsconform("try")
    assert ended.returncode == 2 and "name your store by --uri, or by --store" in ended.stderr


SCRIPT = """
import os, signal, time
from fsconform.app import inferring, trying
from fsconform.engine.exploration import Exploration
from fsconform.harness import judging
from fsconform.app.main import main

def ended_by(place, name, number):
    inner = getattr(place, name)
    def outer(*arguments, **more):
        setattr(place, name, inner)
        os.kill(os.getpid(), number)
        time.sleep(1)
        return inner(*arguments, **more)
    setattr(place, name, outer)

ended_by({place}, signal.{number})
main({arguments!r})
"""
PLACES = {
    "confirming what it needs": ("inferring, '_confirmed'", "SIGTERM", False),
    "confirming, by Ctrl-C": ("inferring, '_confirmed'", "SIGINT", False),
    "writing the contract": ("trying, 'write_whole'", "SIGTERM", False),
    "minimising": ("judging, 'prove_all'", "SIGTERM", True),
    "minimising, by Ctrl-C": ("judging, 'prove_all'", "SIGINT", True),
}
DAILY = "confirming what it needs"


@pytest.mark.parametrize(
    ("place", "number", "judged"),
    [pytest.param(*how, id=name, marks=[pytest.mark.long] * (name != DAILY)) for name, how in PLACES.items()],
)
def test_what_was_found_is_kept(tmp_path: Path, place: str, number: str, judged: bool) -> None:
    script = SCRIPT.format(place=place, number=number, arguments=short(tmp_path, "rename"))
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=250, check=False
    )
    assert ended.returncode == (1 if judged else 3), ended.stderr
    assert "interrupted" in ended.stderr and "Traceback" not in ended.stderr
    assert load(tmp_path / "out" / "raw-contract.xml").declared["rename-overwrites-dest"] is True
    assert (tmp_path / "out" / "latest" / "report" / "index.html").is_file() is judged
    assert not (tmp_path / "sandbox").exists()

"""The plugin on real stores: one that the controller starts and workers share, and one in a jar of the user's own."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.app.pytest_plugin import DESTINATIONS
from fsconform.app.pytesting.messages import decode_handed, encode_handed
from fsconform.app.pytesting.options import Order
from fsconform.app.pytesting.stores import OpenStores
from fsconform.harness.presets import Custom
from fsconform.harness.targets import targets
from fsconform.records.codec import loads
from fsconform.records.results import StoreRecord

Command = Callable[..., subprocess.CompletedProcess[str]]
MARKER = "_fsconform_sandbox"
RAW = {"fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem", "fs.file.impl.disable.cache": "true"}


def _pytest(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"PYTEST_ADDOPTS": ""},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=150,
        check=False,
    )


def _store(folder: Path) -> StoreRecord:
    (store,) = loads(folder / "results" / "latest" / "results.json").stores
    return store


def _order(folder: Path) -> Order:
    custom = Custom((folder / "sandbox").as_uri(), (), RAW)
    asked = targets((), custom, "mine", Path("rawlocal"), None)
    return Order(asked, custom, 0.0, 0, folder, 30.0, None, "", "", False)


def test_the_controllers_session_keeps_the_sandbox_while_workers_come_and_go(tmp_path: Path) -> None:
    order, said = _order(tmp_path), list[str]()
    (target,) = order.targets
    controller = OpenStores(order, tmp_path, "shown")
    try:
        controller.bring_up(target, said.append)
        assert controller.handed[target.name].problem == ""
        assert (tmp_path / "sandbox" / MARKER).is_file()
        worker = OpenStores(order, tmp_path, "shown")
        worker.connect(target, decode_handed(encode_handed(controller.handed))[target.name])
        worker.opened(target.name).open()
        sessions = list((tmp_path / "sandbox").glob("run-*"))
        assert len(sessions) == 2
        worker.close()
        assert (tmp_path / "sandbox" / MARKER).is_file()
        assert len(list((tmp_path / "sandbox").glob("run-*"))) == 1
    finally:
        controller.close()
    assert not (tmp_path / "sandbox").exists()


def test_workers_share_a_store_that_the_controller_starts(tmp_path: Path) -> None:
    ran = _pytest(
        tmp_path,
        *("--pyargs", "fsconform.suites", "--store", "rawlocal", "--fs-budget", "0", "-n", "2", "-v"),
        *("-m", "rename or delete", "-k", "witness", "--fs-out", "results"),
    )
    assert ran.returncode == 0, ran.stdout
    assert {word for word in ran.stdout.split() if word in ("[gw0]", "[gw1]")} == {"[gw0]", "[gw1]"}
    assert ran.stdout.count("rawlocal: starting") == 1
    store = _store(tmp_path)
    assert store.uri.startswith("file:///") and not Path(store.uri.removeprefix("file://")).exists()
    assert store.verdicts["waived"]  # the file that is renamed onto itself is lost, and a shipped waiver says so
    assert all("RawLocalFileSystem" in text for name, text in store.versions.items() if "class" in name.lower())
    # One log each of the controller's session and of the workers'.
    assert len(list((tmp_path / "results" / "latest" / "logs").glob("worker-*.log"))) == 3


@pytest.fixture
def own(seeded: list[str]) -> list[str]:
    """The options of the store in a jar as the plugin has them."""
    names = {"--shards": "", "--out": "--fs-out"}
    found: list[str] = []
    plain = seeded[: seeded.index("--suite")]  # the plugin's sessions choose suites by marker
    for name, value in zip(plain[::2], plain[1::2], strict=True):
        option = names.get(name, f"--fs-{name[2:]}")
        assert not option or option[2:].replace("-", "_") in DESTINATIONS
        found += [option, value if option != "--fs-out" else "results"] if option else []
    return ["--pyargs", "fsconform.suites", *found]


def test_a_store_in_a_jar_is_judged_and_its_bug_is_reproduced(
    fsconform: Command, tmp_path: Path, own: list[str]
) -> None:
    ran = _pytest(tmp_path, *own, "--fs-conf", "seeded.fault=delete-non-empty", "-m", "delete", "-k", "witness")
    assert ran.returncode == 1, ran.stdout
    store = _store(tmp_path)
    assert (store.name, store.uri) == ("seeded", f"seeded://{tmp_path}/sandbox")
    (found,) = (one for one in store.divergences if one.verdict == "violation")
    assert (found.clause, found.confirmed) == ("filesystem.delete.pre.not-empty", "3/3")
    # Both lines that the failure tells do what they say.
    lines = [line.split(maxsplit=1) for line in ran.stdout.splitlines()]
    (replay,) = {line[1] for line in lines if line[:1] == ["reproduce"]}
    (test,) = {" ".join(line) for line in lines if line[:1] == ["pytest"]}
    assert "reproduced: violation: " in fsconform(*shlex.split(replay)[1:]).stdout
    again = _pytest(tmp_path, *shlex.split(test)[1:])
    assert again.returncode == 1, again.stdout
    assert f"violation: {found.signature}" in again.stdout
    assert not (tmp_path / "sandbox").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("seeded.fault=down",), "the seeded store is down"),
        pytest.param(("seeded.fault=hangs", "seeded.trigger=b"), "no answer within 1 s", marks=pytest.mark.long),
    ],
)
def test_a_store_that_is_down_or_hangs_is_inconclusive(
    tmp_path: Path, own: list[str], options: tuple[str, ...], said: str
) -> None:
    words = [word for option in options for word in ("--fs-conf", option)]
    ran = _pytest(tmp_path, *own, *words, "-k", "witness-delete-of-a-tree", "--fs-timeout", "1", "-rs")
    assert ran.returncode == 3, ran.stdout
    assert "failed" not in ran.stdout.splitlines()[-1]
    assert said in ran.stdout
    assert any(said in problem for problem in _store(tmp_path).problems)
    assert ran.stdout.count("SKIPPED") >= 1


def test_a_sandbox_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sandbox").mkdir()
    (tmp_path / "sandbox" / "precious").touch()
    ran = _pytest(tmp_path, "--pyargs", "fsconform.suites", "--fs-uri", (tmp_path / "sandbox").as_uri())
    assert ran.returncode == 2, ran.stdout
    assert "ERROR: " in ran.stdout and "holds what is not ours ('precious')" in ran.stdout
    assert not (tmp_path / "results").exists()
    assert (tmp_path / "sandbox" / "precious").is_file()

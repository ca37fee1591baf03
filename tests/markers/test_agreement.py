"""``markers audit`` and ``clean`` beside Hadoop's own command, on generated buckets of a real MinIO.

FSCONFORM_MARKER_BUCKETS says how many buckets, FSCONFORM_MARKER_RELEASE with which
release; 200 with each for the night.
Each release has a fault of its own that these buckets leave out, and that a test of its own shows: up to 3.3.6 the
command looks at all keys that begin with the path's name, siblings among them; later ones see nothing at the root.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.adapters.hadoop.release import ReleaseClient
from fsconform.app.main import main
from fsconform.app.markers import commands
from fsconform.model.markers.scan import Scan, scan

BUCKETS = int(os.environ.get("FSCONFORM_MARKER_BUCKETS", "20"))
RELEASE = os.environ.get("FSCONFORM_MARKER_RELEASE", "3.3.6")
SEED = 20261122
BASE = "b"
"""The directory that has all keys where the root is left out."""

Command = Callable[..., tuple[int, str]]
NAMES = ("a", "b", "ab", "a b", "ü", "a+%2F", "x_$folder$", "0")


def generated(dice: random.Random) -> list[str]:
    """Keys of a bucket: files and markers of a random tree, with markers above some of them."""
    keys: set[str] = set()
    for _ in range(dice.choice((0, 1, 3, 8, 20))):
        parts = [dice.choice(NAMES[:6]) for _ in range(dice.randint(1, 4))]
        if dice.random() < 0.1:
            parts.append(NAMES[6])
        path = "/".join(parts)
        keys.add(path if dice.random() < 0.5 else f"{path}/")
        keys |= {"/".join(parts[:depth]) + "/" for depth in range(1, len(parts)) if dice.random() < 0.4}
    # A file below a file is what no connector can have written.
    return sorted(key for key in keys if not any(other != key and key.startswith(f"{other}/") for other in keys))


def _asked(dice: random.Random, keys: list[str]) -> tuple[list[str], str, dict[str, str]]:
    """Options, a path and the authoritative paths."""
    options = []
    for name, most in (("-min", 4), ("-max", 6), ("-limit", 12)):
        if dice.random() < 0.4:
            options += [name, str(dice.randint(0, most))]
    if dice.random() < 0.4:
        options.append("-nonauth")
    if dice.random() < 0.2:
        options.append("-verbose")
    directories = sorted({key[: key.find("/") + 1] for key in keys if "/" in key})
    path = dice.choice(["", *directories, "missing/"]) if dice.random() < 0.4 else ""
    paths = dice.sample(["/a", "/b/a", "/ab/", "/none"], dice.randint(0, 2))
    path = path.rstrip("/")
    if RELEASE.startswith("3.3."):
        if any(key.startswith(path) and not key.startswith(f"{path}/") for key in keys):
            path = ""
    elif not path:
        path = BASE
    if RELEASE.startswith("3.5.") and "-nonauth" in options:
        options.remove("-nonauth")  # its document has it, the command refuses it
    return options, path, {"authoritative.path": ",".join(paths)} if paths else {}


@pytest.fixture
def hadoop(release: Callable[[str], ReleaseClient], make: Callable[..., Any]) -> Callable[..., tuple[int, str]]:
    """Hadoop's own command on a bucket: exit code and what it prints."""

    def call(made: Any, own: dict[str, str], *arguments: str) -> tuple[int, str]:
        client = release(RELEASE)
        options = made.service.s3a_configuration() | {f"fs.s3a.bucket.{made.name}.{n}": v for n, v in own.items()}
        client.call("configure", configuration=options, files=[])
        answer = client.call("command", arguments=["markers", *arguments])
        return answer["status"], answer["out"] + answer["why"]

    return call


def _numbers(text: str) -> tuple[int, int, int]:
    """Objects, surplus markers and leaves, as either command tells them."""
    found = []
    for pattern in (
        r"Listed (\d+) object|(\d+) objects below",
        r"Found (\d+) surplus|(\d+) surplus markers$",
        r"Found (\d+) empty|(\d+) leaf markers",
    ):
        match = re.search(pattern, text, re.MULTILINE)
        found.append(int(match[1] or match[2]) if match else 0)
    return found[0], found[1], found[2]


def _differences(
    number: int, make: Callable[..., Any], markers: Command, hadoop: Callable[..., tuple[int, str]], folder: Path
) -> list[str]:
    """In what the two commands differ on the bucket of this number: codes, counts, keys, what is left."""
    dice = random.Random(f"{SEED} {number}")
    keys = generated(dice)
    if not RELEASE.startswith("3.3."):
        keys = sorted({f"{BASE}/", *(f"{BASE}/{key}" for key in keys)})
    theirs, ours = make(*keys), make(*keys)
    options, path, own = _asked(dice, keys)
    found = []
    lists = []
    for action in ("audit", "clean"):
        told = []
        for made, who in ((theirs, "hadoop"), (ours, "ours")):
            out = folder / f"{number}-{action}-{who}"
            arguments = [*options, "-out", str(out), made.uri + path]
            if who == "hadoop":
                code, said = hadoop(made, own, f"-{action}", *arguments)
            else:
                conf = [f"-Dfs.s3a.bucket.{made.name}.{name}={value}" for name, value in own.items()]
                code, said = markers(action, *conf, *arguments)
            told.append((code, _numbers(said) if code != 44 else (0, 0, 0)))
            lists.append(sorted(out.read_text("utf-8").replace(made.uri, "").split("\n")) if out.exists() else [])
        if told[0] != told[1]:
            found.append(f"{action} {options} /{path} {own} of {keys}: Hadoop {told[0]}, ours {told[1]}")
        if lists[-2] != lists[-1]:
            found.append(f"{action} {options} /{path} {own} of {keys}: Hadoop {lists[-2]}, ours {lists[-1]}")
    if theirs.held() != ours.held():
        found.append(f"clean {options} /{path} of {keys}: Hadoop left {theirs.held()}, ours {ours.held()}")
    return found


def test_each_release_has_a_fault_of_its_own(make: Callable[..., Any], hadoop: Callable[..., tuple[int, str]]) -> None:
    made = make("a/", "a/x", "ab/", "ab/x")
    at_root, below = hadoop(made, {}, "-audit", made.uri), hadoop(made, {}, "-audit", f"{made.uri}a")
    assert (_numbers(at_root[1])[1], _numbers(below[1])[1]) == ((2, 2) if RELEASE.startswith("3.3.") else (0, 1))


@pytest.mark.timeout(60 + BUCKETS * 3)
def test_both_commands_agree(
    make: Callable[..., Any], markers: Command, hadoop: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    found = [text for number in range(BUCKETS) for text in _differences(number, make, markers, hadoop, tmp_path)]
    assert found == []


def test_hadoops_command_deletes_data_and_ours_does_not(
    make: Callable[..., Any], markers: Command, hadoop: Callable[..., tuple[int, str]]
) -> None:
    """An object that holds bytes and whose key ends in a slash, with a file below it."""
    theirs, ours = make("d/a/x"), make("d/a/x")
    for made in (theirs, ours):
        made.put("d/a/", content=b"data")
    hadoop(theirs, {}, "-clean", f"{theirs.uri}d")
    assert markers("clean", f"{ours.uri}d")[0] == 0
    assert (theirs.held(), ours.held()) == (["d/a/x"], ["d/a/", "d/a/x"])


FAULTS: dict[str, Callable[[Scan], Scan]] = {
    "leaves are called surplus": lambda found: Scan(found.objects, found.files, (), found.markers),
    "the last surplus marker is missed": lambda found: Scan(
        found.objects, found.files, found.leaf, found.surplus[:-1], complete=found.complete
    ),
    "the limit is not told": lambda found: Scan(found.objects, found.files, found.leaf, found.surplus),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_seeded_faults_are_differences(
    make: Callable[..., Any],
    markers: Command,
    hadoop: Callable[..., tuple[int, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
) -> None:
    monkeypatch.setattr(commands, "scan", lambda *given: FAULTS[fault](scan(*given)))
    assert any(_differences(number, make, markers, hadoop, tmp_path) for number in range(BUCKETS))


USAGE = ("-audit", "-audit -clean {}", "{}", "-audit -min few {}", "-audit -x {}", "-audit -limit -1 {}")


@pytest.mark.parametrize("arguments", USAGE)
def test_usage_agrees(make: Callable[..., Any], hadoop: Callable[..., tuple[int, str]], arguments: str) -> None:
    made = make()
    given = arguments.format(made.uri).split()
    assert hadoop(made, {}, *given)[0] == CliRunner().invoke(main, ["markers", *given]).exit_code == 42

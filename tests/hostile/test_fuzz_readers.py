"""No file that a user names makes a reader raise anything but the error that names the file and says how to mend it.

Each reader gets valid files of its kind in which values, names, bytes and structure were changed, by Hypothesis and,
guided by what the readers cover, by Atheris. A few hundred by default; `make nightly` sets FSCONFORM_LONG=1 for 100,000
each; FSCONFORM_FUZZ sets another number.
"""

from __future__ import annotations

import builtins
import copy
import dataclasses
import io
import itertools
import json
import os
import re
import subprocess
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from rich.console import Console

from fsconform.adapters.markers.options import OptionError, load_xml
from fsconform.app.campaigns import identity
from fsconform.app.formal.playing import given as given_traces
from fsconform.app.replay import _recorded_contract
from fsconform.engine.audit.judge import AuditJudge
from fsconform.engine.audit.lines import entries
from fsconform.engine.formal.traces import TraceError
from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.histories.recorded import encode_history
from fsconform.engine.judge import Judge
from fsconform.engine.trial import Bench
from fsconform.engine.waivers import Known, WaiverError
from fsconform.engine.waivers import load as load_waivers
from fsconform.harness import folder, scrubbing
from fsconform.harness.folder import baseline_of, results_of
from fsconform.harness.layer_replays import DATASET_FILES, OBJECT_FILES
from fsconform.harness.problems import Problem
from fsconform.harness.reproducers import ReplayError, read
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Returned, Status
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import decode_program, encode_program
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.pipeline import layout, schema
from fsconform.pipeline.depot import LocalDepot
from fsconform.pipeline.recheck import Side, judged
from fsconform.proving.session import ProvingStore
from fsconform.records.comparison import ComparisonError, compare
from fsconform.records.given import GivenError, json_of, text_of
from fsconform.records.results import SCHEMA, Results
from fsconform.reports.comparison_html import page
from fsconform.reports.comparison_text import show
from fsconform.specs.contract_xml import ContractError
from fsconform.specs.contract_xml import load as load_contract
from fsconform.specs.layers import load_commit_contract, load_object_contract
from fsconform.specs.witness import witnesses

FEW, MANY = (int(os.environ.get("FSCONFORM_FUZZ", str(number))) for number in (200, 100_000))
COUNTS = [FEW, pytest.param(MANY, marks=[pytest.mark.long, pytest.mark.timeout(6 * 3600)])]
TESTS = Path(__file__).resolve().parents[1]

# ------------------------------------------------------------------------------------------- files that are changed

ODD = st.one_of(
    st.sampled_from(
        [
            *(None, True, False, 0, 1, -1, 2**31, 2**63, -(2**63) - 1, 10**30, -(10**30), 1.5, 1e308, 0.0),
            *("", " ", "\x00", "\x1b[2Jgone", "a\nb", "\u009b", "\u202e", "\ud800", "/", "//", "/a/../b"),
            *("file:x", "hadoop:x", "hadoop:readVectored", "hadoop:", ":", "os.path", "__init__", "answers"),
            *("x" * 3000, "9" * 40, [], {}, [[]], [None], {"": None}, {"a": {"b": []}}, list(range(50)), [[[[[]]]]]),
            ["/a"] * 9,
        ]
    ),
    st.integers(),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=12),
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=3), max_leaves=6
    ),
)
EDITS = st.lists(
    st.tuples(st.integers(0, 1 << 20), st.sampled_from(["put", "drop", "name", "twice", "swap"]), ODD), max_size=4
)
BYTES = st.lists(
    st.tuples(
        st.integers(0, 1 << 20),
        st.integers(0, 40),
        st.sampled_from(
            [
                b"",
                b"\xff",
                b"\x00",
                b"\x1b",
                b'"',
                b"<",
                b"]",
                b"[[",
                b"&x;",
                b"\t",
                b"\n",
                b"9" * 30,
                b"NaN",
                b"\xed\xa0\x80",
            ]
        )
        | st.binary(max_size=6),
    ),
    max_size=3,
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Where a nested value can be changed: containers with keys or numbers in them."""
    found, pending = [], [value]
    while pending:
        one = pending.pop()
        inner = list(one.items()) if isinstance(one, dict) else list(enumerate(one)) if isinstance(one, list) else []
        for key, child in inner:
            found.append((one, key))
            pending.append(child)
    return found


def changed(document: Any, edits: list[tuple[int, str, Any]]) -> Any:
    """A document with some of its values changed."""
    document = json.loads(json.dumps(document))
    for place, how, odd in edits:
        there = _places(document)
        odd = copy.deepcopy(odd)  # what is drawn again may have been put into itself
        if not there:
            return odd
        holder, key = there[place % len(there)]
        other, again = there[(place // 7) % len(there)]
        if how == "drop":
            del holder[key]
        elif how == "name" and isinstance(holder, dict):
            holder[str(odd)[:20]] = holder.pop(key)
        elif how == "twice" and isinstance(holder, list):
            holder += json.loads(json.dumps(holder, default=str))[:20]
        elif how == "swap":
            holder[key] = json.loads(json.dumps(other[again]))
        else:
            holder[key] = odd
    return document


def cut(data: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """Bytes with some taken out and others put in."""
    for place, length, more in edits:
        at = place % (len(data) + 1)
        data = data[:at] + more + data[at + length :]
    return data


@dataclass(frozen=True, slots=True)
class Files:
    """Files of a kind: valid ones, the words of their form, and what Hypothesis makes of them."""

    valid: tuple[bytes, ...]
    changed: st.SearchStrategy[bytes]
    words: tuple[bytes, ...] = ()


def json_files(*documents: Any) -> Files:
    """Files like these, changed as values and then as bytes; lone surrogates are escapes in them."""
    built = st.builds(
        lambda document, edits, spoiled: cut(json.dumps(changed(document, edits)).encode(), spoiled),
        st.sampled_from(documents),
        EDITS,
        st.just([]) | BYTES,
    )
    keys = {key.encode() for one in documents for _, key in _places(one) if isinstance(key, str)}
    return Files(tuple(json.dumps(one).encode() for one in documents), built, tuple(sorted(keys)))


def text_files(*texts: bytes, words: tuple[bytes, ...] = ()) -> Files:
    """Files like these, with words of their form moved and changed, and bytes."""

    def spoilt(text: bytes, tokens: list[tuple[int, int, bytes]], spoiled: list[tuple[int, int, bytes]]) -> bytes:
        parts = re.split(rb"(\W+)", text)
        for place, other, word in tokens:
            parts[place % len(parts)] = word or parts[other % len(parts)]
        return cut(b"".join(parts), spoiled)

    tokens = st.tuples(st.integers(0, 9999), st.integers(0, 9999), st.sampled_from((b"", *words)))
    return Files(texts, st.builds(spoilt, st.sampled_from(texts), st.lists(tokens, max_size=4), BYTES), words)


def byte_files(*contents: bytes) -> Files:
    """Files like these, with bytes changed."""
    return Files(contents, st.builds(cut, st.sampled_from(contents), BYTES))


# ------------------------------------------------------------------------------------------------- readers and kinds

_numbers = itertools.count()


@dataclass(frozen=True)
class Reader:
    """A reader, the errors by which it refuses a file, and files of its kind."""

    take: Callable[[Path], object]
    errors: tuple[type[Exception], ...]
    files: Files
    name: str = "given"


def _programs() -> list[Any]:
    found = [one.program for one in witnesses() if not one.root and len(one.program) < 6]
    return [encode_program(program) for program in found[::9]]


SETS = ["hdfs", "hadoop:readVectored", "s3a-root", "proving"]


RACE = {
    "beginning": [{"op": "mkdirs", "path": "/a"}],
    "lanes": [[{"op": "delete", "path": "/a", "recursive": True}], [{"op": "rename", "src": "/a", "dst": "/b"}]],
    "delays": [0, 200_000],
    "ending": [{"op": "listStatus", "path": "/"}],
}


def _replay(program: Any) -> dict[str, Any]:
    row = {"fsconform-replay": 1, "signature": "rename (missing) returned true", "verdict": "violation"}
    return row | {"store": "proving", "contract": {"supports-append": True}, "quirks": SETS, "program": program}


def _take_replay(path: Path) -> object:
    recorded = read(path)
    contract = _recorded_contract(path, recorded)
    return _played(recorded.program, contract)


MOST = 5_000


def _played(program: Any, contract: Any) -> object:
    """Execute and judge what was read, where it is small: what a reader lets in nothing behind it trips over."""
    size = sum(contents.length(getattr(step.operation, "content", ())) for step in program)
    if len(program) > 12 or size > MOST or any("script" in json.dumps(row) for row in encode_program(program)):
        return None
    session = ProvingStore().session()
    try:
        bench = Bench(session, Judge(Oracle(contract)))
        (trial,) = bench.try_all([program])
        assert not bench.internal.all(), bench.internal.all()[0].traceback
        assert "internal error" not in trial.execution.lost, trial.execution.lost
        return trial
    finally:
        session.close()


def _sample(kind: Any) -> Any:
    """A value of a type, with one of each thing in it: what stands in results.json."""
    if kind is Any:
        return {"op": "mkdirs", "path": "/a"}
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return {one.name: _sample(hints[one.name]) for one in dataclasses.fields(kind)}
    inner = get_args(kind)
    if type(None) in inner:
        return _sample(inner[0])
    match get_origin(kind):
        case typing.Literal:
            return inner[0]
        case builtins.list:
            return [_sample(inner[0])]
        case builtins.dict:
            return {"violation": _sample(inner[1])}
        case builtins.tuple:
            return [_sample(one) for one in inner if one is not ...]
    return {int: 1, float: 1.5, bool: True, str: "violation"}[kind]


def _results() -> Any:
    row = _sample(Results)
    for one in (one for store in row["stores"] for one in store["divergences"]):
        one |= {"impact": "", "baseline": "", "root": False}
    return row | {"schema": SCHEMA}


def _take_results(path: Path) -> object:
    found = results_of(path, "mend")
    baseline_of(path)
    compared = compare(found, found)
    show(compared, Console(file=io.StringIO(), width=100))
    return page(compared)


def _take_contract(path: Path) -> object:
    for load in (load_contract, load_commit_contract, load_object_contract):
        try:
            load(path)
        except ContractError as error:
            assert str(path) in str(error)
    return None


def _take_audit(path: Path) -> object:
    judge = AuditJudge()
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    damaged: list[int] = []
    other = [0]
    tally = judge.follow(entries(text.split("\n"), damaged, other))
    assert tally.damaged == len(damaged)
    return tally


def _take_parquet(path: Path) -> object:
    for table in schema.TABLES:
        try:
            rows = schema.from_parquet(table, path.read_bytes(), str(path))
        except schema.SchemaError as error:
            assert str(path) in str(error)
            continue
        if table in ("traces", "histories"):
            list(judged(rows, [Side("the contract of each trace")]))
    return None


def _take_history(path: Path) -> object:
    try:
        row = json_of(text_of(path.read_bytes(), str(path)), str(path))
    except GivenError as error:
        assert str(path) in str(error)
        return None
    return list(judged([HISTORY | row], [Side("recorded")])) if isinstance(row, dict) else None


def _take_layer(path: Path) -> object:
    for files in (DATASET_FILES, OBJECT_FILES):
        files.is_file(path)
        try:
            files.read(path)
        except Problem as error:
            assert str(path) in error.message
    return None


def _take_plan(path: Path) -> object:
    return identity.settle(LocalDepot(path.parent), str(path), {"seed": 1}, "c")


SHIPPED = sorted((TESTS.parent / "adapters" / "stores").glob("*/*.xml"))
WAIVERS = sorted((TESTS.parent / "adapters" / "stores").glob("*/*.toml"))
ITF = json.loads((TESTS / "formal" / "apalache-0.61.0.itf.json").read_text("utf-8"))
OLD = TESTS / "pipeline" / "schema-1"
_RACE: Concurrent[Operation] = Concurrent((), ((Mkdirs(("a",)),), (Delete(("a",), True), ListStatus(()))), (0, 5))
_SAW: list[tuple[int, bool | tuple[Status, ...], int, int | None]] = [
    (0, True, 1, 5),
    (1, True, 2, 3),
    (1, (), 4, None),
]
_CALLS: tuple[Call[Operation, Outcome], ...] = tuple(
    Call(client, _RACE.lanes[client][place > 1], Returned(value), began, ended)
    for place, (client, value, began, ended) in enumerate(_SAW)
)
HISTORY: dict[str, Any] = {
    **{"store": "s", "unit": 1, "number": 2, "options": "{}", "quirks": ["rawlocal"]},
    **encode_history(History(_RACE, _CALLS, (0, 1, 1))),
}
"""A row of a campaign's histories."""

HEAD = b"2026-01-01 00:00:00,000 INFO FSNamesystem.audit: allowed=true\tugi=root (auth:SIMPLE)\tip=/127.0.0.1\t"
LOG = b"\n".join(
    HEAD + b"cmd=%s\tsrc=%s\tdst=%s\tperm=null\tproto=rpc\tcallerContext=clientPort:1" % one
    for one in (
        (b"mkdirs", b"/a/b", b"null"),
        (b"create", b"/a/b/c", b"null"),
        (b"rename (options=[OVERWRITE])", b"/a/b", rb"/d\u00e9\t\\"),
        (b"concat", b"[/a/x, /a/y]", b"/a/z"),
        (b"delete", b"/a", b"null"),
        (b"listStatus", b"/", b"null"),
    )
)
CONF = (
    b"<?xml version='1.0'?>\n<configuration>\n"
    b"<property><name>fs.s3a.secret.key</name><value>abcdefgh</value></property>\n</configuration>\n"
)
DATASET = {
    "fsconform-dataset-replay": 1, "signature": "s", "verdict": "violation", "store": "spark-file-file-v1", "contract": {},  # noqa: E501
    "program": [
        {"dataset": "write", "rows": [1, 2, 3, 4], "tasks": 2, "fault": {"action": "fail", "phase": "task-commit", "task": 1}},  # noqa: E501
        {"dataset": "write-both", "first": {"dataset": "write", "rows": [5, 6], "gate": {"action": "hold", "nth": 1}},
         "second": {"dataset": "write", "rows": [7, 8]}},
        {"dataset": "feed", "rows": [9]}, {"dataset": "stream"},
    ],
}  # fmt: skip
OBJECT = {
    "request": 1, "signature": "s", "verdict": "violation", "store": "s3-proving", "contract": {},
    "program": [
        {"request": "PutObject", "key": "a", "content": [[1, 3, 0]]}, {"request": "GetObject", "key": "a", "range": "bytes=0-1"},  # noqa: E501
        {"request": "ListObjectsV2", "prefix": "a", "max_keys": 2}, {"request": "CreateMultipartUpload", "key": "b"},
        {"request": "UploadPart", "upload": 1, "part": 1, "content": [[1, 3, 0]]},
        {"request": "CompleteMultipartUpload", "upload": 1, "parts": ["1", "2!"]},
    ],
}  # fmt: skip

READERS = {
    "contract": Reader(
        _take_contract,
        (),
        text_files(*(file.read_bytes() for file in SHIPPED), words=(b"property", b"name", b"10", b"<!DOCTYPE")),
    ),
    "waivers": Reader(
        lambda path: [
            one.accepts("rename (file) returned true", {"path /a/b", "b"})
            for one in load_waivers(path, Known(("hdfs", "ftp"), ("namespace",)))
        ],
        (WaiverError,),
        text_files(
            *(file.read_bytes()[:2000] for file in WAIVERS),
            words=(b"[[waivers]]", b"rare = 1", b"(a+)+", b".*.*.*", b"2027"),
        ),
    ),
    "replay": Reader(
        _take_replay,
        (ReplayError, ContractError),
        json_files(*map(_replay, _programs()), _replay(_programs()[0]) | {"concurrent": RACE}),
    ),
    "layer replay": Reader(_take_layer, (), json_files(DATASET, OBJECT)),
    "results": Reader(_take_results, (Problem, ComparisonError), json_files(_results())),
    "progress": Reader(
        lambda path: folder.earlier_places(path.parent),
        (Problem,),
        json_files({"seed": 1, "places": {"s": {"witnesses": [3, 4], "hypothesis": [0, 9]}}}),
        folder.PROGRESS,
    ),
    "resumed": Reader(
        lambda path: folder.earlier_programs(path.parent, "s", decode_program),
        (Problem,),
        json_files(_results()),
        "results.json",
    ),
    "traces": Reader(lambda path: given_traces((path,)), (TraceError,), json_files(ITF)),
    "audit": Reader(
        _take_audit, (), text_files(LOG, LOG.replace(b"\t", b" "), words=(b"allowed", b"src", b"\\u", b"rename", b"/"))
    ),
    "configuration": Reader(
        load_xml, (OptionError,), text_files(CONF, words=(b"property", b"<xi:include href='/etc/passwd'/>"))
    ),
    "secrets": Reader(
        lambda path: scrubbing.secrets_of([], {}, [path], {}), (scrubbing.ConfigurationError,), text_files(CONF)
    ),
    "marker": Reader(
        lambda path: layout.decode_marker(path.read_bytes(), str(path)),
        (layout.MarkerError,),
        json_files(*(json.loads(file.read_bytes()) for file in sorted((OLD / "markers").iterdir()))),
    ),
    "plan": Reader(_take_plan, (Problem,), json_files(json.loads((OLD / "campaign.json").read_bytes())), layout.PLAN),
    "history": Reader(
        _take_history, (), json_files({name: HISTORY[name] for name in HISTORY if name not in ("store", "quirks")})
    ),
    "parquet": Reader(
        _take_parquet,
        (),
        byte_files(*(file.read_bytes() for file in sorted(OLD.rglob("*.parquet")))),
    ),
}


def refused(reader: Reader, path: Path) -> bool:
    """Whether a reader refuses a file, as it should: with an error that names it. Raises what else it raises."""
    try:
        reader.take(path)
    except reader.errors as error:
        told = error.format_message() if isinstance(error, Problem) else str(error)
        assert str(path.parent) in told or isinstance(error, ComparisonError), told
        assert len(told) < 2000, f"{told[:300]} ... {told[-300:]}"
        return True
    return False


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", READERS)
def test_files_that_were_changed(kind: str, count: int, tmp_path: Path) -> None:
    reader = READERS[kind]
    seen = {True: 0, False: 0}
    path = tmp_path / reader.name

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.shrink] if count < 1000 else [Phase.generate],
    )
    @given(reader.files.changed)
    @example(b"")
    @example(b"[" * 100_000)
    @example(b'{"a":' * 50_000)
    @example(b"<a>" * 100_000)
    @example(b"a = " + b"[" * 50_000)
    @example(b'{"program": ' + b"9" * 5000 + b"}")
    @example(b"\xff\xfe\x00")
    def run(data: bytes) -> None:
        path.write_bytes(data)
        seen[refused(reader, path)] += 1

    run()
    print(f"{kind}: {seen[True]} refused, {seen[False]} taken")
    if reader.errors and kind != "plan":
        assert seen[True] and seen[False], seen


@pytest.mark.parametrize(
    "odd", ["x" * 3000, ["y" * 3000], {"z" * 3000: 1}, 10**3000], ids=["text", "list", "name", "number"]
)
@pytest.mark.parametrize("kind", [kind for kind, one in READERS.items() if one.files.valid[0][:1] == b"{"])
def test_a_long_value_anywhere_is_not_quoted_whole(kind: str, odd: Any, tmp_path: Path) -> None:
    reader = READERS[kind]
    path = tmp_path / reader.name
    for valid in reader.files.valid:
        every = len(_places(json.loads(valid)))
        for number in range(0, every, 1 + every // 30):
            for how in ("put", "name"):
                path.write_text(json.dumps(changed(json.loads(valid), [(number, how, odd)])))
                refused(reader, path)


GUIDED = ("replay", "secrets")
"""Kinds that are tried by default under Atheris, which takes some ten seconds to start; by night all are."""


@pytest.mark.parametrize(
    ("kind", "count"),
    [(kind, min(FEW, 500)) for kind in GUIDED]
    + [pytest.param(kind, MANY, marks=[pytest.mark.long, pytest.mark.timeout(6 * 3600)]) for kind in READERS],
)
def test_files_that_atheris_makes(kind: str, count: int, tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="Atheris is there for Linux on x86-64")
    script = Path(__file__).with_name("fuzz_with_atheris.py")
    command = [sys.executable, str(script), kind, str(count)]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    told = (ended.stdout + ended.stderr)[-4000:]
    assert ended.returncode == 0, told
    done = re.search(r"Done (\d+) runs", told)
    assert done and int(done[1]) >= count, told


def _special(path: Path, what: str) -> None:
    if what == "missing":
        return
    if what == "folder":
        path.mkdir()
    elif what == "FIFO":
        os.mkfifo(path)
    elif what == "device":
        path.symlink_to("/dev/zero")
    elif what == "loop":
        path.symlink_to(path.name)
    else:
        path.symlink_to(f"/proc/self/{what}")


@pytest.mark.timeout(20)
@pytest.mark.parametrize("what", ["missing", "folder", "FIFO", "device", "loop"])
@pytest.mark.parametrize(
    "kind", [kind for kind, one in READERS.items() if one.errors and kind not in ("marker", "plan")]
)
def test_what_is_no_file(kind: str, what: str, tmp_path: Path) -> None:
    if kind in ("traces", "results", "resumed") and what == "folder":
        return  # they take folders
    reader = READERS[kind]
    path = tmp_path / reader.name
    _special(path, what)
    assert refused(reader, path)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("what", ["missing", "folder", "FIFO", "device", "loop"])
@pytest.mark.parametrize("load", [load_contract, load_commit_contract, load_object_contract])
def test_a_contract_that_is_no_file(load: Callable[[Path], object], what: str, tmp_path: Path) -> None:
    path = tmp_path / "contract.xml"
    _special(path, what)
    with pytest.raises(ContractError, match=re.escape(str(path))):
        load(path)


def test_a_name_with_a_nul_is_no_file() -> None:
    from fsconform.records.given import read_bytes

    for name in ("a\0b", "\ud800\0", "x" * 5000):
        with pytest.raises(GivenError):
            read_bytes(Path(name))

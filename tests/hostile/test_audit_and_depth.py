"""Torn lines of audit logs, paths as deep as HDFS has them, and campaign folders that are not whole."""

from __future__ import annotations

import gzip
import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.main import main
from fsconform.engine.audit.judge import AuditJudge
from fsconform.engine.audit.lines import LineError, entries, parse
from fsconform.engine.audit.tree import A_FILE, Shape
from fsconform.engine.judge import Judge
from fsconform.engine.trial import Bench
from fsconform.model.core.content import Segment
from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.metadata.permission import SetPermission
from fsconform.model.filesystem.metadata.xattrs import SetXAttr
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step, decode_program, encode_program
from fsconform.model.filesystem.state import EMPTY, Dir, File, locate, put, remove, walk
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.summaries import GetContentSummary
from fsconform.model.filesystem.transfer.local_copies import CopyTreeFromLocal
from fsconform.pipeline import layout, schema
from fsconform.pipeline.checking import check_files, first_broken
from fsconform.pipeline.depot import LocalDepot
from fsconform.pipeline.recheck import markers
from fsconform.proving.session import ProvingStore

OLD = Path(__file__).resolve().parents[1] / "pipeline" / "schema-1"
START = "2026-01-01 00:00:00,000 INFO FSNamesystem.audit: "
LINE = (
    f"{START}allowed=true\tugi=root (auth:SIMPLE)\tip=/127.0.0.1\tcmd=mkdirs\tsrc=/a/b\tdst=null"
    "\tperm=root:supergroup:rwxr-xr-x\tproto=rpc\tcallerContext=clientPort:1"
)
LEVELS = 1_000
"""Of a path, as the NameNode allows them."""


def _how(text: str) -> str:
    try:
        return "other" if parse(1, text) is None else "entry"
    except LineError:
        return "torn"


@pytest.mark.parametrize("line", [LINE, LINE.replace("\t", " ")], ids=["tabs", "spaces"])
def test_a_line_cut_off_anywhere_is_told(line: str) -> None:
    """From the logger's name on up to the field that is of no use; before that nothing tells it from other loggers."""
    for end in range(len(START), line.index("perm=") + 5):
        assert _how(line[:end] + "\n") == "torn", line[:end]
    assert _how(line) == "entry"


@pytest.mark.parametrize("line", [LINE, LINE.replace("\t", " ")], ids=["tabs", "spaces"])
def test_a_line_begun_anywhere_is_told(line: str) -> None:
    for start in range(line.index("allowed=") + 1, line.index("clientPort:") + 1):
        assert _how(line[start:] + "\n") == "torn", line[start:]


OTHER = LINE.replace("mkdirs", "delete").replace("/a/b", "/a")
BARE = LINE[len(START) :]


@pytest.mark.parametrize("line", [LINE, LINE.replace("\t", " "), BARE], ids=["tabs", "spaces", "no layout"])
def test_a_line_joined_to_the_next_anywhere_is_told(line: str) -> None:
    """From behind the logger's name on, as above; a call was lost silently where the rest had all fields."""
    other = OTHER if line is not BARE else OTHER[len(START) :]
    other = other if "\t" in line else other.replace("\t", " ")
    first = line.index("FSNamesystem.audit") + len("FSNamesystem.audit") if line is not BARE else 1
    for end in range(first, len(line) + 1):
        assert _how(f"{line[:end]}{other}\n") == "torn", line[:end]


@pytest.mark.parametrize("line", [LINE, LINE.replace("\t", " ")], ids=["tabs", "spaces"])
def test_a_line_within_another_is_told(line: str) -> None:
    other = OTHER if "\t" in line else OTHER.replace("\t", " ")
    for place in range(len(START), len(line)):
        assert _how(f"{line[:place]}{other}{line[place:]}\n") == "torn", line[:place]


def test_nuls_are_told() -> None:
    for place in range(len(LINE) + 1):
        assert _how(f"{LINE[:place]}\0\0{LINE[place:]}\n") == "torn", LINE[:place]
    assert _how("\0" * 512 + "\n") == "torn"


def test_a_name_that_looks_like_fields_is_a_name() -> None:
    odd = LINE.replace("src=/a/b", "src=/a allowed=true ugi=x cmd=open src=/b")
    entry = parse(1, odd)
    assert entry is not None and entry.sources == (("a allowed=true ugi=x cmd=open src=", "b"),)


def test_a_line_that_was_joined_is_named_and_ends_with_3(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    log.write_text(f"{LINE}\n{LINE[: LINE.index('perm=') + 8]}{OTHER}\n{LINE}\n", "utf-8")
    result = CliRunner().invoke(main, ["recheck", str(log), "--format", "hdfs-audit"])
    assert result.exit_code == 3 and "audit.log:2: this line is not whole" in result.output


def test_torn_lines_are_counted_named_and_end_with_3(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    between = LINE.index("\tcmd=")
    lines = [LINE, LINE[:between], LINE[between:], f"{START}allowed=true", "INFO something else", LINE]
    log.write_text("\n".join(lines) + "\n", "utf-8")
    result = CliRunner().invoke(main, ["recheck", str(log), "--format", "hdfs-audit", "--json", str(tmp_path / "told")])
    assert result.exit_code == 3, result.output
    assert [number for number in range(1, 7) if f"audit.log:{number}: this line is not whole" in result.output] == [
        2,
        3,
        4,
    ]
    assert "3 lines not whole, 1 of other loggers" in result.output.replace("\n", " ")
    assert json.loads((tmp_path / "told").read_text())["damaged"] == [2, 3, 4]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "allowed=true ugi=" + " ip= cmd= src= dst=" * 50_000,
        "allowed=true ugi=" + " " * 1_000_000,
        "src=" * 250_000,
        "allowed=true\tugi=r\tip=/1\tcmd=concat\tsrc=[" + "/d, " * 100_000 + "]\tdst=/d, /d\tperm=null",
        "allowed=true\tugi=r\tip=/1\tcmd=open\tsrc=" + "/a" * 100_000 + "\tdst=null\tperm=null",
        "allowed=true\tugi=r\tip=/1\tcmd=open\tsrc=/" + "\\" * 500_000 + "\tdst=null\tperm=null",
    ],
)
def test_no_line_takes_long(text: str) -> None:
    damaged: list[int] = []
    AuditJudge().follow(entries([text], damaged, [0]))


def test_a_line_without_an_end_is_not_kept(tmp_path: Path) -> None:
    log = tmp_path / "audit.log.gz"
    with gzip.open(log, "wt") as file:
        file.write(LINE + "\n")
        for _ in range(64):
            file.write("x" * (1 << 20))
        file.write("\n" + LINE + "\n")
    result = CliRunner().invoke(main, ["recheck", str(log), "--format", "hdfs-audit"])
    assert result.exit_code in (0, 3), result.output


# ------------------------------------------------------------------------------------------------------------ depth

DEEP = tuple(f"d{number % 10}" for number in range(LEVELS))
FILE = (Segment(1, 3, 0),)


def test_an_audit_log_of_deep_paths_is_followed() -> None:
    path = "/" + "/".join(DEEP)
    start = LINE.split("cmd=", maxsplit=1)[0]
    rows = [
        f"{start}cmd={command}\tsrc={src}\tdst={dst}\tperm=null\tproto=rpc"
        for command, src, dst in (
            ("mkdirs", path, "null"),
            ("create", path[:-1] + "f", "null"),
            ("rename", path, path[:-1] + "g"),
            ("delete", "/d0/d1", "null"),
            ("mkdirs", path, "null"),
            ("open", path[:-1] + "f", "null"),
        )
    ]
    damaged: list[int] = []
    tally = AuditJudge().follow(entries(rows, damaged, [0]))
    assert tally.entries == 6 and not damaged
    assert parse(1, f"{start}cmd=mkdirs\tsrc={path}\tdst=null\tperm=null") is not None
    assert _how(f"{start}cmd=mkdirs\tsrc={path}/x\tdst=null\tperm=null") == "torn"


def test_trees_of_what_is_known_are_joined_at_any_depth() -> None:
    shape = Shape()
    trees = [shape.changed(shape.gone.as_only(4) or shape.gone, (*DEEP, end), lambda _: A_FILE, True) for end in "ab"]
    one, other = trees
    assert one is not None and other is not None
    joined = shape.joined(one, other)
    assert shape.at(joined, (*DEEP, "a")).kinds and shape.forgotten(joined, (*DEEP, "a")) is not None


def test_a_deep_tree_is_a_value() -> None:
    tree = put(EMPTY, DEEP, File(FILE))
    again = put(EMPTY, DEEP, File(FILE))
    assert tree == again and hash(tree) == hash(again) and tree is not again
    assert tree != put(EMPTY, DEEP, File(())) and tree != remove(tree, DEEP)
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert len(list(walk(tree))) == LEVELS + 1 and "File" in repr(tree)
    assert locate(tree, DEEP) == File(FILE)


@pytest.mark.parametrize("contract", ["hdfs", "file", "s3a", "rawlocal"])
@pytest.mark.parametrize(
    "call",
    [
        lambda: Rename(DEEP[:1], ("e",)),
        lambda: Delete(DEEP[:1], True),
        lambda: ListFiles(DEEP[:1], True),
        lambda: GetContentSummary(DEEP[:1]),
        lambda: SetPermission(DEEP, 0o600),
        lambda: SetXAttr(DEEP, "user.a", "1", "create"),
        lambda: CopyTreeFromLocal(DEEP[:-1], FILE, False, True),
        lambda: Append(DEEP, FILE),
    ],
)
def test_programs_on_deep_paths_are_judged(contract: str, call: Callable[[], Operation]) -> None:
    program: Program = (Step(Create(DEEP, FILE, False)), Step(call()), Step(ListStatus(DEEP[:1])))
    assert decode_program(json.loads(json.dumps(encode_program(program)))) == program
    session = ProvingStore().session()
    bench = Bench(session, Judge(Oracle(load_shipped(contract))))
    (trial,) = bench.try_all([program])
    trial = bench.go_on(trial)
    assert not bench.internal.all(), bench.internal.all()[0].traceback[-800:]
    assert not trial.execution.lost and trial.judgement.operations
    for state in trial.judgement.states:
        for root in state if isinstance(state, frozenset | set | tuple | list) else (state,):
            if isinstance(root, Dir):
                assert pickle.loads(pickle.dumps(root)) == root
    session.close()


# -------------------------------------------------------------------------------------------------- campaign folders


def _spoilt(folder: Path, how: str, table: str) -> str:
    """Spoil one file of a copy of a campaign's folder; its name there."""
    (name, *_) = sorted(str(file.relative_to(folder)) for file in (folder / table).rglob("*.parquet"))
    file = folder / name
    data = file.read_bytes()
    if how == "missing":
        file.unlink()
    elif how == "folder":
        file.unlink()
        file.mkdir()
    else:
        file.write_bytes({"cut": data[: len(data) // 2], "empty": b"", "other": b"x" * len(data)}[how])
    return name


@pytest.mark.parametrize("table", ["traces", "verdicts"])
@pytest.mark.parametrize("how", ["missing", "cut", "empty", "folder"])
def test_a_campaign_folder_that_is_not_whole_names_the_file(tmp_path: Path, how: str, table: str) -> None:
    """Before Spark is started for it."""
    folder = tmp_path / "campaign"
    shutil.copytree(OLD, folder)
    depot = LocalDepot(folder)
    check_files(depot, markers(depot))
    name = _spoilt(folder, how, table)
    with pytest.raises(schema.SchemaError, match="copy the campaign's folder again, or remove markers/unit-") as caught:
        check_files(depot, markers(depot))
    assert str(caught.value).startswith(f"{name}: ")


def test_a_file_of_the_right_size_with_something_else_in_it_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    shutil.copytree(OLD, folder)
    depot = LocalDepot(folder)
    assert first_broken(depot, markers(depot)) == ""
    name = _spoilt(folder, "other", "verdicts")
    check_files(depot, markers(depot))
    assert first_broken(depot, markers(depot)).startswith(f"{name}: is no Parquet file that can be read: ")


@pytest.mark.parametrize("how", ["missing", "cut"])
def test_recheck_ends_with_2_and_names_the_file(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "campaign"
    shutil.copytree(OLD, folder)
    name = _spoilt(folder, how, "traces")
    result = CliRunner().invoke(main, ["recheck", str(folder), "--master", "local[1]"])
    assert result.exit_code == 2, result.output
    assert f"{folder}: {name}: " in result.output and "remove markers/unit-" in result.output


@pytest.mark.parametrize("name", ["/etc/passwd", "traces/../../x", "traces/store=a/suite=b/unit-1.x.parquet/../y", "x"])
def test_a_marker_names_files_of_its_folder_alone(name: str) -> None:
    file = OLD / "markers" / "unit-00000000.json"
    row = json.loads(file.read_bytes())
    row["files"]["traces"][0] = name
    with pytest.raises(layout.MarkerError, match="is no file of traces"):
        layout.decode_marker(json.dumps(row).encode(), "m")

"""``fsconform reproduce``: programs in Java, shell and Python that show a divergence, whatever names are in them."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from fsconform.adapters.jars import bundled_profile, load_profile, resolve
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.reproduce import written
from fsconform.harness import layer_replays
from fsconform.harness.languages import boto3_script, hadoop_shell, junit5
from fsconform.harness.languages.content import NotSaid, Part, parts_of
from fsconform.harness.languages.expected import Call, Expected, followed
from fsconform.harness.languages.s3_player import Player, bytes_of
from fsconform.harness.reproducers import Replay, write
from fsconform.model.core import content as contents
from fsconform.model.core.content import Segment, of
from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.concat import Concat
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.create_file import CreateNonRecursive
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.truncate import Truncate
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step, encode_program
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.model.objects import operations as requests
from fsconform.proving.objects.faults import objects

Command = Callable[..., subprocess.CompletedProcess[str]]
STRICT = Oracle(Contract({}, "strict"))
NAMES = (
    "plain",
    "it's",
    'say "so"',
    "$HOME",
    "${IFS}",
    "`id`",
    "$(id)",
    "a\nb",
    "a\r\nb",
    "\\u0022 + x",
    "\\",
    "\\\\u000a",
    "*/ }",
    "// x",
    "@CALLS@",
    "fs(0)",
    "{any_length}",
    "é\u2028\u202e\U0001f600",
    "e\u0301",
    "\x01\x7f\x85",
    "; exit 0 #",
    "%s%n",
    '"""',
    "''' + exit() + '''",
    "\ud800",
)


def program_of(*operations: Operation) -> Program:
    return tuple(map(Step, operations))


LOST = "getFileStatus (file) raised FileNotFoundException"
"""A signature that names no call of which a contract permits something."""

RAWLOCAL: dict[str, Program] = {
    "mkdirs (invalid path) returned true": program_of(Mkdirs(("a:b",))),
    "create (invalid path) succeeded": program_of(Create(("a:b",), (), False)),
    "createNonRecursive (parent missing) succeeded": program_of(CreateNonRecursive(("a", "b"), (), False)),
    "rename (file onto an existing file) returned true": program_of(
        Create(("a",), of(1, 5), False), Create(("b",), of(2, 3), False), Rename(("a",), ("b",))
    ),
    "rename (directory to an empty directory) returned true": program_of(
        Mkdirs(("a",)), Mkdirs(("b",)), Rename(("a",), ("b",)), GetFileStatus(("b", "a"))
    ),
    "listStatus (directory) returned a listing with a directory with a length": program_of(
        Mkdirs(("a",)), ListStatus(())
    ),
    "getFileStatus (directory) returned a directory with a length": program_of(Mkdirs(("a",)), GetFileStatus(("a",))),
    "rename (invalid path) returned true": program_of(Create(("a",), of(1, 3), False), Rename(("a",), ("b:c",))),
    "open (invalid path) returned other bytes": program_of(Create(("b:c",), of(1, 3), False), Open(("b:c",))),
    "getFileStatus (file) raised FileNotFoundException after rename (file into the directory it is in)": program_of(
        Create(("a",), of(1, 3), False), Rename(("a",), ()), GetFileStatus(("a",))
    ),
    "truncate (length out of range) raised IllegalArgumentException": program_of(
        Create(("a",), of(1, 3), False), Truncate(("a",), 4)
    ),
    "mkdirs (a name that a store may forbid) returned false": program_of(Mkdirs(("n" * 300,))),
}
"""Programs that show a finding of Hadoop's RawLocalFileSystem, by signature."""


def jars() -> list[Path]:
    return [*resolve(load_profile(), ("client",)), *resolve(bundled_profile("junit-3.5.0"), ("tests",))]


def compiled(folder: Path, sources: dict[str, str]) -> str:
    """Compile these sources by the names of their classes; the class path of what came of them."""
    files = [folder / f"{name}.java" for name in sources]
    for file, text in zip(files, sources.values(), strict=True):
        file.write_text(text, "ascii")
    path = os.pathsep.join(map(str, jars()))
    made = folder / "classes"
    done = subprocess.run(
        ["javac", "-proc:none", "-encoding", "ascii", "-d", made, "-cp", path, *files],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return os.pathsep.join((path, str(made)))


def test_java_reads_each_name_as_it_is_and_a_class_with_all_of_them_compiles(tmp_path: Path) -> None:
    rows = "\n".join(f"    show({junit5.literal(name)}); // {junit5.comment(name)}" for name in NAMES)
    show = 'static void show(String text) { for (char unit : text.toCharArray()) System.out.printf("%04x", (int) unit);'
    literals = (
        f"public class Literals {{\n  {show}\n    System.out.println(); }}\n"
        f"  public static void main(String[] given) {{\n{rows}\n  }}\n}}\n"
    )
    calls = [Create((name,), of(1, 3), False) for name in NAMES if "/" not in name]
    hostile = junit5.test_class(STRICT, program_of(*calls, Exists(("x",))), f"exists ({NAMES!r}) \u000a*/", "violation")
    whole = [junit5.test_class(STRICT, program_of(*operations), "s", "violation") for operations in (_of_each_kind(),)]
    (named,) = whole
    sources = {"Literals": literals, junit5.class_name(f"exists ({NAMES!r}) \u000a*/"): hostile, "TestS": named}
    path = compiled(tmp_path, sources)
    ran = subprocess.run(["java", "-cp", path, "Literals"], capture_output=True, text=True, check=True)
    shown = [bytes.fromhex(row).decode("utf-16-be", "surrogatepass") for row in ran.stdout.splitlines()]
    assert tuple(shown) == NAMES


def _of_each_kind() -> tuple[Operation, ...]:
    """A call of each kind that a test class has words for."""
    drawn: dict[str, Any] = {
        "path": ("a",),
        "src": ("a",),
        "dst": ("b",),
        "sources": (("c",),),
        "content": of(1, 9000),
        "stream": "s",
        "mode": "create",
        "owner": "me",
        "group": "",
    }
    found: list[Operation] = []
    for kind in junit5.CALLS:
        forms = {name: form for name, form in _shape(kind) if name != "via"}
        usual = {"flag": True, "number": 1}
        values = {name: drawn[name] if name in drawn else usual[form] for name, form in forms.items()}
        found.append(kind(**values))
    return tuple(found)


def _shape(kind: type[Operation]) -> tuple[tuple[str, str], ...]:
    from fsconform.model.core.operation import shape

    return shape(kind)


def ran_by_junit(path: str, classes: list[str], folder: Path) -> tuple[str, ...]:
    """The classes of which a test failed on Hadoop's RawLocalFileSystem."""
    conf = folder / "raw.xml"
    conf.write_text(
        "<configuration><property><name>fs.file.impl</name>"
        "<value>org.apache.hadoop.fs.RawLocalFileSystem</value></property></configuration>"
    )
    place = folder / "store"
    place.mkdir()
    words = ["java", f"-Dfsconform.conf={conf}", f"-Dfsconform.uri={place.as_uri()}", "-cp", path]
    words += ["org.junit.platform.console.ConsoleLauncher", "execute", "--details=none", f"--reports-dir={folder}/out"]
    words += [f"--select-class={name}" for name in classes]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    report = (folder / "out" / "TEST-junit-jupiter.xml").read_text("utf-8")
    assert list(place.iterdir()) == [], "a test left its folder"
    rows = re.findall(r'<testcase name="[^"]*" classname="([^"]*)"[^>]*?(/>|>.*?</testcase>)', report, re.DOTALL)
    assert sorted(name for name, _ in rows) == sorted(classes), done.stdout + done.stderr
    assert "<error" not in report, report
    return tuple(name for name, rest in rows if "<failure" in rest)


@pytest.mark.long
def test_test_classes_of_findings_fail_on_the_store_that_shows_them_and_pass_where_nothing_is_wrong(
    tmp_path: Path,
) -> None:
    oracle = Oracle(load_shipped("rawlocal"))
    sources = {
        junit5.class_name(signature): junit5.test_class(oracle, program, signature, "declared")
        for signature, program in RAWLOCAL.items()
    }
    assert len(sources) >= 10
    right = program_of(
        Create(("a", 'it\'s "$x"\n'), of(1, 70_000), False),
        Append(("a", 'it\'s "$x"\n'), of(2, 5)),
        Rename(("a", 'it\'s "$x"\n'), ("a", "é")),
        Open(("a", "é")),
        Exists(("a", "x")),
        Delete(("a",), True),
        ListStatus(()),
    )
    sources["TestRight"] = junit5.test_class(oracle, right, "right", "violation")
    path = compiled(tmp_path, sources)
    failed = ran_by_junit(path, list(sources), tmp_path)
    assert sorted(failed) == sorted(set(sources) - {"TestRight"})


def test_what_the_contract_allows_is_compared_call_by_call() -> None:
    program = program_of(Create(("a",), of(1, 3), False), Delete(("b",), False), Open(("a",)), Open(("b",)))
    rows = [call.expected for call in calls_of(followed(STRICT, program, LOST, "violation"))]
    assert rows[0] is not None and rows[0].constants == (None,) and not rows[0].errors
    assert rows[1] is not None and False in rows[1].constants
    assert rows[2] is not None and rows[2].data is not None and rows[2].data.length == 3
    assert rows[3] is not None and not rows[3].succeeds and "java.io.FileNotFoundException" in rows[3].errors


def calls_of(call: Call) -> list[Call]:
    """A call and those after it, on the way that comes first."""
    return [call, *(calls_of(call.ways[0][1]) if call.ways else ())]


def test_what_follows_is_compared_by_what_a_call_gave() -> None:
    program = program_of(Create(("e\u0301",), of(1, 3), False), Exists(("e\u0301",)))
    first = followed(STRICT, program, LOST, "violation")
    found = {None in given.constants: after.expected or Expected() for given, after in first.ways}
    assert found[True].constants == (True,)
    assert True not in found[False].constants and False in found[False].constants
    text = junit5.test_class(STRICT, program, LOST, "violation")
    assert re.search(r'if \(gave\("returned nothing"\)\) \{\n[^\n]*"returned true"\);\n    \} else if \(gave', text)


def test_what_a_contract_permits_is_not_allowed_where_that_is_the_divergence() -> None:
    oracle = Oracle(load_shipped("rawlocal"))
    signature = "rename (file onto an existing file) returned true"
    for verdict, allowed in (("declared", False), ("violation", True)):
        last = calls_of(followed(oracle, RAWLOCAL[signature], signature, verdict))[-1].expected
        assert last is not None and (True in last.constants) is allowed


@pytest.mark.parametrize("content", [of(1, 3), of(2, 9000), (Segment(1, 5000, 7), Segment(2, 3, 4090)), ()])
def test_the_bytes_of_content_are_the_same_in_every_language(content: contents.Content) -> None:
    parts = parts_of(content)
    wanted = b"".join(contents.chunks(content))
    assert bytes_of([[part.base64, part.offset, part.length] for part in parts]) == wanted
    assert all(isinstance(part, Part) and 0 <= part.offset < max(len(part.base64), 1) for part in parts)


FAKE = """#!/bin/sh
for word; do printf '%s\\0' "$word"; done >> "$LOG"
printf '\\n\\0' >> "$LOG"
echo 'WARN util.NativeCodeLoader: Unable to load native-hadoop library for your platform' >&2
case "$*" in *" -test "*/fsconform-shell-*/*) exit "$FOUND";; esac
case "$*" in *" -test "*) exit "$THERE";; *" -cat "*|*" -stat "*|*" -ls "*) printf %s "$TEXT"; exit "$FOUND";; esac
"""


def ran_by_shell(folder: Path, text: str, found: int, read: bytes, there: int = 1) -> tuple[int, list[list[str]]]:
    """The exit code of a script, and the words of each ``hadoop`` command that it ran; those write nothing."""
    fake, script, log = folder / "hadoop", folder / "x.sh", folder / "log"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    script.write_bytes(text.encode())
    log.write_bytes(b"")
    environment = {**os.environ, "HADOOP": str(fake), "LOG": str(log), "FOUND": str(found), "TEXT": read.decode()}
    environment["THERE"] = str(there)
    done = subprocess.run(["sh", script, "fake://x/y/"], env=environment, capture_output=True, check=False)
    words = log.read_bytes().decode().split("\0")[:-1]
    calls: list[list[str]] = [[]]
    for word in words:
        if word == "\n":
            calls.append([])
        else:
            calls[-1].append(word)
    return done.returncode, calls[:-1]


@pytest.mark.parametrize("name", [name for name in NAMES if not set(name) & {"/", "\ud800", "\0"}])
def test_a_shell_script_passes_each_name_on_as_it_is_or_says_why_not(tmp_path: Path, name: str) -> None:
    program = program_of(Create((name,), (), False), Exists((name,)))
    if set(name) & hadoop_shell.READ_BY_THE_SHELL:
        with pytest.raises(NotSaid, match="in a name by itself"):
            hadoop_shell.script(STRICT, program, LOST, "violation")
        return
    text = hadoop_shell.script(STRICT, program, f"exists ({name}) returned false", "violation")
    code, calls = ran_by_shell(tmp_path, text, 0, b"")
    assert code == 0
    base = calls[0][-1]
    assert base.startswith("fake://x/y/fsconform-shell-")
    assert calls.pop(0) == ["fs", "-test", "-e", base] and calls[0] == ["fs", "-mkdir", "-p", base]
    assert calls[1] == ["fs", "-put", "-d", "-", f"{base}/{name}"]
    assert calls[2] == ["fs", "-test", "-e", f"{base}/{name}"]
    assert calls[-1] == ["fs", "-rm", "-r", "-f", "-skipTrash", base]
    assert ran_by_shell(tmp_path, text, 1, b"")[0] == 1, "a store that lost the file is not seen"


def test_a_shell_script_leaves_alone_what_is_there_already(tmp_path: Path) -> None:
    text = hadoop_shell.script(STRICT, program_of(Mkdirs(("a",)), Exists(("a",))), "exists returned false", "violation")
    code, calls = ran_by_shell(tmp_path, text, 0, b"", there=0)
    assert code == 2 and [call[1] for call in calls] == ["-test"]


def test_a_shell_script_compares_what_is_read(tmp_path: Path) -> None:
    content = (Segment(3, 1, 4), Segment(3, 1, 5))  # two characters of ASCII
    read = b"".join(contents.chunks(content))
    assert read.isascii()
    program = program_of(Create(("a",), content, False), Open(("a",)))
    text = hadoop_shell.script(STRICT, program, "open (file) returned other bytes", "violation")
    assert ran_by_shell(tmp_path, text, 0, b"another")[0] == 1
    assert ran_by_shell(tmp_path, text, 0, read.rstrip(b"\0"))[0] == int(b"\0" in read)


@pytest.mark.parametrize(
    ("operations", "text"),
    [
        ((Create(("a",), (), False), Open(("a",))), b""),
        ((Create(("a",), (), False), GetFileStatus(("a",))), b"regular file 0\n"),
        ((Create(("a",), (), False), ListStatus(())), b"fake://x/y/z/a\n"),
        ((Create(("a",), (), False), Delete(("a",), False), ListStatus(())), b""),
    ],
)
def test_a_query_in_a_shell_script_compares_what_is_printed_and_that_it_succeeded(
    tmp_path: Path, operations: tuple[Operation, ...], text: bytes
) -> None:
    script = hadoop_shell.script(STRICT, program_of(*operations), "s", "violation")
    assert ran_by_shell(tmp_path, script, 0, text)[0] == 0, "a warning on standard error was taken for an answer"
    assert ran_by_shell(tmp_path, script, 1, text)[0] == 1, "a call that failed was taken for one that succeeded"
    assert ran_by_shell(tmp_path, script, 0, text + b"another")[0] == 1


@pytest.mark.parametrize(
    ("operation", "signature", "shown"),
    [
        (Exists(("b",)), "exists (missing) raised IOException", False),
        (Exists(("b",)), "exists (missing) returned true", True),
        (Exists(("a",)), "exists (file) returned false", True),
        (Exists(("a",)), "exists (file) raised IOException after create (missing)", True),
        (Mkdirs(("b",)), "mkdirs (missing) returned true", False),
        (Mkdirs(("b",)), "mkdirs (missing) raised IOException", True),
    ],
)
def test_a_shell_script_is_written_only_where_an_exit_code_shows_the_divergence(
    operation: Operation, signature: str, shown: bool
) -> None:
    program = program_of(Create(("a",), (), False), operation)
    if shown:
        assert hadoop_shell.script(STRICT, program, signature, "violation")
    else:
        with pytest.raises(NotSaid, match="the same exit code"):
            hadoop_shell.script(STRICT, program, signature, "violation")


@pytest.mark.parametrize("path", [("..", "x"), ("a", "..", "..", "x"), (".",), ("", "x"), ("a/../..", "x")])
@pytest.mark.parametrize("written", [junit5.test_class, hadoop_shell.script])
def test_no_program_leaves_its_own_folder(path: tuple[str, ...], written: Callable[..., str]) -> None:
    for operation in (Delete(path, True), Rename(("a",), path), Concat(("a",), (path,))):
        with pytest.raises(NotSaid, match="a client resolves"):
            written(STRICT, program_of(Create(("a",), (), False), operation), "s", "violation")


@pytest.mark.parametrize(
    ("operations", "said"),
    [
        ((Create(("a",), (), False), Create(("b",), (), False), Rename(("a",), ("b",))), "-mv looks at"),
        ((Mkdirs(("a",)), Mkdirs(("a",))), "-mkdir looks"),
        ((Delete(("a",), True),), "refuses this delete"),
        ((Mkdirs(("a",)), GlobStatus("/*")), "no command for globStatus"),
        ((Create(("a",), of(1, 1 << 20), False),), "carries files of up to"),
    ],
)
def test_a_program_that_hadoop_fs_can_not_say_has_a_reason(operations: tuple[Operation, ...], said: str) -> None:
    with pytest.raises(NotSaid, match=said):
        hadoop_shell.script(STRICT, program_of(*operations), LOST, "violation")


PUT, UNDER = requests.PutObject("a", of(1, 9)), requests.PutObject("a/b", of(2, 3), meta="m")
OF_OBJECTS: dict[str, requests.Program] = {
    "hides-below-objects": (PUT, UNDER, requests.ListObjectsV2()),
    "ignores-if-none-match": (PUT, requests.PutObject("a", if_none_match="*")),
    "ignores-if-match": (PUT, requests.PutObject("a", if_match="other")),
    "range-one-too-far": (PUT, requests.GetObject("a", range="bytes=0-3")),
    "copy-drops-metadata": (UNDER, requests.CopyObject("a/b", "c"), requests.HeadObject("c")),
    "delete-ignored": (PUT, requests.DeleteObject("a"), requests.HeadObject("a")),
    "missing-is-empty": (requests.GetObject("a"),),
    "loses-key-between-pages": (PUT, UNDER, requests.PutObject("c"), requests.ListObjectsV2(max_keys=1)),
    "digest-not-checked": (requests.PutObject("a", of(1, 9), digest="wrong"),),
    "omits-directory-object": (requests.PutObject("a/"), UNDER, requests.ListObjectsV2(prefix="a/")),
}
"""Programs that show a seeded fault of the object store in memory."""


def run_alone(source: str, client: Any) -> bool:
    """Whether a script that fsconform wrote sees a divergence of a store."""
    names: dict[str, Any] = {"__name__": "alone"}
    exec(compile(source, "alone.py", "exec"), names)
    client.create_bucket(Bucket="b")
    player = names["Player"](client, "b", "p/")
    answers = player.play(names["PROGRAM"])
    player.clean()
    left = client.list_objects_v2(Bucket="b").get("Contents", [])
    assert left == [] or type(client).__name__ == "DeleteIgnored"
    return not all(map(names["agrees"], answers, names["EXPECTED"]))


@pytest.mark.parametrize("fault", OF_OBJECTS)
def test_a_script_of_requests_sees_a_fault_and_nothing_where_there_is_none(fault: str) -> None:
    source = boto3_script.script(OF_OBJECTS[fault], "signature", "divergence")
    assert not run_alone(source, objects())
    assert run_alone(source, objects(fault))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "\ud800"])
def test_no_key_breaks_out_of_a_script_of_requests(name: str) -> None:
    program = (requests.PutObject(name, of(1, 3)), requests.GetObject(name))
    source = boto3_script.script(program, f"GetObject {name}", "divergence")
    plain = boto3_script.script((requests.PutObject("k", of(1, 3)), requests.GetObject("k")), "s", "divergence")
    kinds = [type(statement) for statement in ast.parse(source).body]
    assert kinds == [type(statement) for statement in ast.parse(plain).body]
    assert not run_alone(source, objects())


class Refusing:
    """A client of boto3 with whom a bucket can't be used, or whose store is lost after it was found."""

    def __init__(self, lost: bool) -> None:
        self._lost = lost

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(**_: Any) -> dict[str, Any]:
            if name == "head_bucket" and self._lost:
                return {}
            raise EndpointConnectionError(endpoint_url="http://nowhere")

        return call


@pytest.mark.parametrize("lost", [False, True])
def test_a_script_of_requests_says_of_a_store_that_it_can_not_reach_nothing_else(
    lost: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, Any] = {"__name__": "alone"}
    exec(compile(boto3_script.script((PUT,), "signature", "divergence"), "alone.py", "exec"), names)
    monkeypatch.setattr("boto3.client", lambda *_: Refusing(lost))
    monkeypatch.setattr("sys.argv", ["alone.py", "bucket"])
    assert names["main"]() == 2
    shown = capsys.readouterr()
    assert "nowhere" in shown.err and "DIVERGENCE" not in shown.out


def test_a_script_of_requests_deletes_what_it_can_where_a_key_can_not_be_deleted() -> None:
    client = objects()
    client.create_bucket(Bucket="b")
    player = Player(client, "b", "p/")
    player.play([requests.encode(requests.PutObject(key)) for key in ("a", "b", "c")])
    delete = client.delete_object

    def refusing(**asked: Any) -> Any:
        if asked["Key"] == "p/a":
            raise OSError("refused")
        return delete(**asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "delete_object", refusing)
        assert len(player.clean()) == 1
    assert [entry["Key"] for entry in client.list_objects_v2(Bucket="b")["Contents"]] == ["p/a"]


def test_signatures_that_begin_alike_have_classes_of_their_own() -> None:
    beginning = "listStatus (directory) returned a listing with missing entries after create (a name that a store may"
    names = {junit5.class_name(f"{beginning} {end})") for end in ("forbid; missing", "forbid; file")}
    assert len(names) == 2 and all(re.fullmatch(r"Test\w+", name) for name in names)
    assert junit5.class_name("open (file) returned other bytes") == "TestOpenFileReturnedOtherBytes"


def recorded(folder: Path, program: Program) -> Path:
    file = folder / "one.json"
    write(
        file,
        Replay("exists (directory) returned false", "violation", "proving", program, {}),
        encode_program(program),
    )
    return file


def test_the_command_writes_a_file_and_names_it(fsconform: Command, tmp_path: Path) -> None:
    file = recorded(tmp_path, program_of(Mkdirs(("a",)), Exists(("a",))))
    for form, name in (("junit5", "TestExistsDirectoryReturnedFalse.java"), ("shell", "one.sh")):
        done = fsconform("reproduce", file, "--as", form, "--out", tmp_path / "made" / form)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == str(tmp_path / "made" / form / name)
        assert (tmp_path / "made" / form / name).stat().st_size


def test_the_command_writes_a_script_of_requests(fsconform: Command, tmp_path: Path) -> None:
    row = {
        "fsconform-object-replay": 1,
        "signature": "s",
        "verdict": "violation",
        "store": "s3-proving",
        "contract": {},
        "program": [requests.encode(PUT), requests.encode(requests.GetObject("a"))],
    }
    file = tmp_path / "two.json"
    file.write_text(json.dumps(row))
    done = fsconform("reproduce", file, "--as", "boto3")
    assert done.returncode == 0, done.stderr
    assert not run_alone((tmp_path / "two.py").read_text(), objects())
    refused = fsconform("reproduce", file)
    assert refused.returncode == 2 and "said by boto3" in refused.stderr


def test_each_kind_of_replay_file_is_known_and_what_has_no_words_is_said(tmp_path: Path) -> None:
    kinds = [one for one in vars(layer_replays).values() if isinstance(one, layer_replays.ReplayFiles)]
    assert len(kinds) >= 3
    for kind in kinds:
        file = tmp_path / f"{kind.key}.json"
        file.write_text(json.dumps({kind.key: 1}))
        with pytest.raises(NotSaid, match="it shows"):
            written(file, "shell")


@pytest.mark.parametrize(
    ("operation", "form", "said"),
    [
        (GlobStatus("/*"), "junit5", "what globStatus is to return is not known"),
        (ListStatus((), "iterator"), "shell", "no command for listStatus by way of"),
        (Mkdirs(("a",)), "boto3", "calls of a FileSystem"),
    ],
)
def test_the_command_says_why_a_program_can_not_be_said(
    fsconform: Command, tmp_path: Path, operation: Operation, form: str, said: str
) -> None:
    done = fsconform("reproduce", recorded(tmp_path, program_of(operation)), "--as", form)
    assert done.returncode == 2
    assert said in done.stderr and str(tmp_path / "one.json") in done.stderr

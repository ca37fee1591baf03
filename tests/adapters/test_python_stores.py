"""Stores behind libraries of Python, under their contracts: nothing new is found, and a seeded fault is."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters import jars
from fsconform.adapters.pythonic import arrow, fsspecs, webhdfs
from fsconform.adapters.pythonic.store import PythonStore
from fsconform.adapters.services.hdfs import HdfsService
from fsconform.adapters.services.minio import MinioService
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.site import Setup
from fsconform.engine.benches import Benches
from fsconform.engine.exploration import Plan, explore
from fsconform.engine.explorers import from_list
from fsconform.engine.findings import Finding
from fsconform.engine.judge import FAILING
from fsconform.engine.protocol import Store
from fsconform.engine.waivers import Failing, apply, parse, traits_of
from fsconform.harness.presets import PRESETS, build_preset
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.specs.witness import witnesses

REPOSITORY = Path(__file__).resolve().parent.parent.parent
ONE, TWO = contents.of(1, 100), contents.of(2, 50)
A, B, AB = ("a",), ("b",), ("a", "b")
EVERY = int(os.environ.get("FSCONFORM_EVERY_WITNESS", "3"))
"""One witness of so many is played on the local stores; the nightly job plays all of them."""

PROBED: tuple[tuple[Operation, ...], ...] = (
    (Create(A, ONE, True), Open(A), GetFileStatus(A), ListStatus(())),
    (Create(A, ONE, True), Create(A, TWO, True), Open(A)),
    (Create(A, ONE, True), Rename(A, B), Exists(A), Open(B)),
    (Create(A, ONE, True), Create(B, TWO, True), Rename(A, B), Open(B), Exists(A)),
    (Mkdirs(A), Create(AB, ONE, True), Delete(AB, False), Exists(AB)),
)
"""Programs of which any store has all calls."""


class Faulty:
    """A library's object with other methods in the place of some."""

    def __init__(self, inner: Any, **methods: Any) -> None:
        self._inner = inner
        self.__dict__.update(methods)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __enter__(self) -> Any:
        self._inner.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._inner.__exit__(*raised)


def lossy(file: Any) -> Any:
    """A file object that loses the last byte of each write, and says that all were taken."""

    def write(data: bytes) -> int:
        file.write(bytes(data)[:-1])
        return len(data)

    return Faulty(file, write=write)


def programs(all_of: Sequence[Sequence[Operation]]) -> list[Program]:
    return [tuple(map(Step, one)) for one in all_of]


def undeclared(name: str, store: Store, wanted: Sequence[Program]) -> list[Finding]:
    """What the programs show that neither the shipped contract nor a shipped waiver of the store allows."""
    benches = Benches(store, load_shipped(name), 1)
    try:
        outcome = explore(benches, Plan((from_list("given", wanted, whole=True),), 0))
    finally:
        benches.close()
    assert outcome.problems == [] and not outcome.collected.losses
    assert outcome.collected.programs == len(wanted) and outcome.collected.operations >= len(wanted)
    samples = {key: one for key, one in outcome.collected.samples.items() if one.finding.verdict in FAILING}
    failing = {key: Failing(traits_of(one.program, clause=one.finding.clause)) for key, one in samples.items()}
    file = REPOSITORY / "adapters" / "stores" / name.replace("-", "_") / "waivers.toml"
    waived = apply(parse(file.read_text("utf-8"), file), name, failing, datetime.date.today(), False)
    assert waived.problems == ()
    return [one.finding for key, one in samples.items() if key not in waived.by_signature]


def built(name: str, folder: Path) -> Store:
    return build_preset(PRESETS[name], Setup(folder, print))


@pytest.mark.parametrize("name", ["pyarrow", "fsspec"])
def test_local_stores_show_nothing_new(name: str, tmp_path: Path) -> None:
    store = built(name, tmp_path)
    try:
        assert undeclared(name, store, [one.program for one in witnesses() if not one.root][::EVERY]) == []
    finally:
        store.close()


def test_a_lost_byte_is_found_through_pyarrow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from pyarrow.fs import LocalFileSystem

    inner = LocalFileSystem()
    faulty = Faulty(inner, open_output_stream=lambda path: lossy(inner.open_output_stream(path)))
    monkeypatch.setattr(arrow, "local", lambda: lambda base: arrow.ArrowBinding(faulty, base))
    store = built("pyarrow", tmp_path)
    found = undeclared("pyarrow", store, programs(PROBED))
    store.close()
    assert "filesystem.create.post" in {one.clause for one in found}


def test_a_source_that_stays_is_found_through_fsspec(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from fsspec.implementations.local import LocalFileSystem

    inner = LocalFileSystem(auto_mkdir=True, skip_instance_cache=True)
    faulty = Faulty(inner, mv=lambda one, two, recursive: inner.cp_file(one, two))
    monkeypatch.setattr(fsspecs, "local", lambda: lambda base: fsspecs.FsspecBinding(faulty, base, lambda call: call()))
    store = built("fsspec", tmp_path)
    found = undeclared("fsspec", store, programs(PROBED))
    store.close()
    assert "filesystem.rename.post.file" in {one.clause for one in found}


@pytest.fixture(scope="module")
def minio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """The name of a bucket, and the settings by which MinIO is reached."""
    with MinioService(tmp_path_factory.mktemp("minio") / "home") as service:
        reached = service.s3a_configuration()
        names = {"endpoint": "endpoint", "access.key": "access.key", "secret.key": "secret.key"}
        settings = {own: reached[f"fs.s3a.{name}"] for own, name in names.items()}
        yield service.bucket, settings | {"region": reached["fs.s3a.endpoint.region"]}


@pytest.mark.timeout(1800)  # the first test of a new machine builds MinIO
@pytest.mark.parametrize(
    ("name", "sandbox"), [("pyarrow-s3", "/sandbox"), pytest.param("fsspec-s3", "", marks=pytest.mark.long)]
)
def test_s3_stores_show_nothing_new_but_a_lost_byte(
    name: str, sandbox: str, minio: tuple[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket, settings = minio
    store = PythonStore(name, name, f"s3://{bucket}{sandbox}", settings, 30.0)
    assert undeclared(name, store, programs(PROBED)) == []
    module, opener = (arrow, "open_output_stream") if name == "pyarrow-s3" else (fsspecs, "open")
    real = module.s3

    def faulty(*given: Any) -> Any:
        made = real(*given)
        bind, end = made if isinstance(made, tuple) else (made, None)

        def bound(base: str) -> Any:
            binding = bind(base)
            inner = binding._fs
            binding._fs = Faulty(inner, **{opener: lambda path, *mode: _opened(getattr(inner, opener), path, *mode)})
            return binding

        return bound if end is None else (bound, end)

    monkeypatch.setattr(module, "s3", faulty)
    found = undeclared(name, store, programs(PROBED))
    assert "filesystem.create.post" in {one.clause for one in found}


def _opened(opener: Any, path: str, *mode: str) -> Any:
    file = opener(path, *mode)
    return file if mode == ("rb",) else lossy(file)


@pytest.mark.long
def test_webhdfs_shows_nothing_new_but_a_rename_that_overwrites(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    minicluster = jars.resolve(jars.load_profile(), ["minicluster"])
    with HdfsService(tmp_path_factory.mktemp("webhdfs"), minicluster, start_timeout=240.0) as service:
        store = PythonStore("webhdfs-python", "webhdfs-python", f"{service.web_uri}/fsconform", {}, 30.0)
        assert undeclared("webhdfs-python", store, programs(PROBED)) == []
        real = webhdfs.client

        def faulty(*given: Any) -> Any:
            inner = real(*given)

            def rename(source: str, destination: str) -> None:
                inner.delete(destination)
                inner.rename(source, destination)

            return Faulty(inner, rename=rename)

        monkeypatch.setattr(webhdfs, "client", faulty)
        found = undeclared("webhdfs-python", store, programs(PROBED))
    assert "filesystem.rename.pre.no-file-at-destination" in {one.clause for one in found}

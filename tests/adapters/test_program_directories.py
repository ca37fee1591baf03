"""Directories of programs in stores that the harness started: cheaper to make, and the same as those of the client."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.hadoop.sandbox import GROUP
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.services.minio import MinioService
from fsconform.adapters.stores.site import Setup
from fsconform.engine.protocol import Job
from fsconform.harness.presets import PRESETS, Custom, custom_connection
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data, Returned
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.status.list_status import ListStatus

RAW = {"fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem"}
NOTHING = Job((Step(ListStatus(())),))
PROGRAMS = GROUP + 2

Build = Callable[..., HadoopStore]


def jars(group: str) -> list[Path]:
    return resolve(load_profile(), (group,), lambda text: None)


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often ``chmod`` was started since the last look."""
    (told := tmp_path / "told").touch()
    folder = tmp_path / "bin"
    folder.mkdir()
    real = next(Path(one, "chmod") for one in os.environ["PATH"].split(":") if Path(one, "chmod").exists())
    (folder / "chmod").write_text(f'#!/bin/sh\necho >> "{told}"\nexec "{real}" "$@"\n')
    (folder / "chmod").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def count() -> int:
        found = len(told.read_text())
        told.write_text("")
        return found

    return count


@pytest.mark.parametrize("configuration", [RAW, {}], ids=["rawlocal", "file"])
@pytest.mark.parametrize("umask", ["022", "027"])
def test_a_directory_on_this_machine_is_as_the_client_makes_it(
    tmp_path: Path, started: Callable[[], int], configuration: dict[str, str], umask: str
) -> None:
    found = []
    for own in (False, True):
        store = HadoopStore(
            "local",
            (tmp_path / f"sandbox-{own}").as_uri(),
            classpath=jars("client"),
            configuration=configuration | {"fs.permissions.umask-mode": umask},
            logs_folder=tmp_path / "logs",
            own=own,
        )
        with store.session() as session:
            modes = []
            started()
            for execution in session.execute([NOTHING] * PROGRAMS):
                assert [event.outcome for event in execution.trace.events] == [Returned(())]
                place = Path(execution.base)
                modes.append(stat.S_IMODE(place.stat().st_mode) if place.exists() else None)
            found.append((set(modes[GROUP:]), started(), len(list(place.parent.parent.iterdir()))))
        store.close()
    assert found[0][0] == found[1][0] == {0o777 & ~int(umask, 8)}
    assert found[0][1] >= PROGRAMS
    assert found[1][1] == 2, "one for each group of programs"
    assert found[0][2] == found[1][2] == 1, "the group before is removed"


@pytest.fixture(scope="module")
def minio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MinioService]:
    with MinioService(tmp_path_factory.mktemp("minio") / "minio") as service:
        yield service


def test_a_directory_of_s3a_is_the_marker_that_the_client_writes(minio: MinioService, tmp_path: Path) -> None:
    client, found = minio.client(), []
    for own in (False, True):
        store = HadoopStore(
            "s3a",
            f"s3a://{minio.bucket}/sandbox-{own}",
            classpath=jars("s3a"),
            configuration=minio.s3a_configuration(),
            logs_folder=tmp_path / "logs",
            own=own,
        )
        with store.session() as session:
            bases = [execution.base for execution in session.execute([NOTHING] * 3)]
            shown: list[Any] = []
            for base in bases:
                key = f"{base.strip('/')}/"
                head = client.head_object(Bucket=minio.bucket, Key=key)
                shown.append([head[field] for field in ("ContentLength", "ContentType", "ETag", "Metadata")])
            listed = client.list_objects_v2(Bucket=minio.bucket, Prefix=f"sandbox-{own}/")["Contents"]
            found.append((shown, sorted(one["Key"].rpartition("/g0/")[2] for one in listed if "/g0/" in one["Key"])))
        store.close()
    assert found[0] == found[1]
    assert found[0][1] == ["p0/", "p1/", "p2/"]


def test_in_the_real_root_no_client_remembers_what_an_earlier_program_read(tmp_path: Path) -> None:
    path, old = ("a",), contents.of(1, 512)
    earlier = Job((Step(Create(path, old, False)), Step(Open(path))))
    later = Job((Step(Create(path, contents.of(2, 512), False)), Step(Open(path, via="builder and length"))))
    with MinioService(tmp_path / "minio") as service:
        store = HadoopStore(
            "s3a",
            f"s3a://{service.bucket}/sandbox",
            classpath=jars("s3a"),
            configuration=service.s3a_configuration(),
            logs_folder=tmp_path / "logs",
            own=True,
        )
        # The empty key of the root is refused, and tried again for long.
        root = store.on_root({"fs.s3a.retry.limit": "1"})
        with root.session() as session:
            read = [execution.trace.events[1].outcome for execution in session.execute([earlier, later, later])]
        root.close()
    expected = [Returned(Data(512, contents.digest(contents.of(seed, 512)) or "")) for seed in (1, 2, 2)]
    assert read == expected


def test_only_stores_that_the_harness_starts_have_them(tmp_path: Path) -> None:
    for name in ("rawlocal", "file"):
        site = PRESETS[name].bring_up(PRESETS[name], Setup(tmp_path, lambda text: None))
        assert site.connection.own
        site.close()
    of_a_user = Custom((tmp_path / "sandbox").as_uri(), configuration=RAW)
    assert not custom_connection("mine", of_a_user).connection.own

"""The MinIO service with the real server: ready when it says so, private, and gone without a trace."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconform.adapters.golang import built
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.minio import MINIO, MinioService
from fsconform.adapters.stores.preset import presets

pytestmark = pytest.mark.timeout(1800)  # the first test of a new machine builds MinIO

LOOPBACK = {"0100007F", "00000000000000000000000001000000"}
"""127.0.0.1 and ::1, as the kernel writes them."""


def _gone(pid: int, seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(scope="module")
def executable() -> Path:
    return built(MINIO, print)


@pytest.fixture(scope="module")
def service(executable: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MinioService]:
    with MinioService(tmp_path_factory.mktemp("minio"), executable) as running:
        yield running


def _listening(pid: int) -> set[str]:
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            inodes.add(str(descriptor.readlink()))
        except OSError:
            continue
    tables = [Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables for line in table]
    return {row[1].split(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in inodes}


def test_running_service_is_ready_and_private(service: MinioService) -> None:
    assert service.alive()
    client = service.client()
    assert [row["Name"] for row in client.list_buckets()["Buckets"]] == [service.bucket]
    client.put_object(Bucket=service.bucket, Key="x/y", Body=b"abc")
    assert client.get_object(Bucket=service.bucket, Key="x/y")["Body"].read() == b"abc"
    client.delete_object(Bucket=service.bucket, Key="x/y")
    for pid in service.pids.values():
        assert _listening(pid) <= LOOPBACK, "127.0.0.1, to which MinIO adds ::1, and nothing else"
        assert os.getsid(pid) != os.getsid(0), "Ctrl-C at the terminal does not reach it"


def test_wrong_secrets_are_refused(service: MinioService) -> None:
    import boto3
    from botocore.exceptions import ClientError

    stranger = boto3.client(
        "s3",
        endpoint_url=service.endpoint,
        aws_access_key_id=service.access_key,
        aws_secret_access_key="not the one",
        region_name="us-east-1",
    )
    with pytest.raises(ClientError):
        stranger.list_buckets()


def test_stopping_removes_everything(executable: Path, tmp_path: Path) -> None:
    service = MinioService(tmp_path / "work", executable)
    service.start()
    pids = list(service.pids.values())
    service.stop()
    service.stop()
    assert pids and all(_gone(pid) for pid in pids)
    assert not (tmp_path / "work").exists()


def test_a_taken_port_is_named(executable: Path, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ServiceError, match=f"{port} is taken"):
            MinioService(tmp_path / "work", executable, port=port).start()


def test_a_directory_in_use_is_refused(executable: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(ServiceError, match="new or empty"):
        MinioService(tmp_path, executable).start()
    assert (tmp_path / "mine").exists()


def test_a_server_that_fails_leaves_its_log(tmp_path: Path) -> None:
    broken = tmp_path / "minio"
    broken.write_text("#!/bin/sh\necho no drive\nexit 7\n")
    broken.chmod(0o755)
    service = MinioService(tmp_path / "work", broken)
    with pytest.raises(ServiceError, match=r"ended with code 7(.|\n)*no drive"):
        service.start()
    assert [path.read_text() for path in service.logs()] == ["no drive\n"]


@pytest.mark.parametrize(("host", "bucket"), [("0.0.0.0", "good"), ("127.0.0.1", "Bad_Bucket")])
def test_arguments_that_cannot_be_meant_are_refused(tmp_path: Path, host: str, bucket: str) -> None:
    with pytest.raises(ValueError):
        MinioService(tmp_path, host=host, bucket=bucket)


def test_the_server_dies_with_the_process_that_wanted_it(executable: Path, tmp_path: Path) -> None:
    script = tmp_path / "owner.py"
    script.write_text(
        "import sys, time\nfrom pathlib import Path\n"
        "from fsconform.adapters.services.minio import MinioService\n"
        f"service = MinioService(Path({str(tmp_path / 'work')!r}), Path({str(executable)!r}))\n"
        "service.start()\nprint(*service.pids.values(), flush=True)\ntime.sleep(600)\n"
    )
    owner = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    pids = [int(word) for word in owner.stdout.readline().split()]
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    assert pids and all(_gone(pid) for pid in pids)


@pytest.mark.timeout(300)
def test_a_server_that_is_crashed_comes_back_with_what_it_had(executable: Path, tmp_path: Path) -> None:
    with MinioService(tmp_path / "minio", executable) as service:
        assert service.parts == presets()["s3a"].parts == ("minio",)
        client, before, endpoint = service.client(), service.pids["minio"], service.endpoint
        client.put_object(Bucket=service.bucket, Key="one", Body=b"first")
        service.crash("minio")
        assert not service.alive()
        service.restart("minio")
        assert service.alive() and service.pids["minio"] != before and service.endpoint == endpoint
        assert client.get_object(Bucket=service.bucket, Key="one")["Body"].read() == b"first"
        client.put_object(Bucket=service.bucket, Key="two", Body=b"then")
    assert not (tmp_path / "minio").exists()

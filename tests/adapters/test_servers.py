"""Servers of one process: FTP, SFTP and S3Proxy answer, are private, keep strangers out, and are gone when stopped."""

from __future__ import annotations

import asyncio
import ftplib
import inspect
import io
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconform.adapters.golang import GoError, built
from fsconform.adapters.jars import bundled_profile, resolve
from fsconform.adapters.java import NoJava, find_java
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.hdfs import HdfsService
from fsconform.adapters.services.minio import MINIO, MinioService
from fsconform.adapters.services.s3proxy import PROFILE, S3ProxyService
from fsconform.adapters.services.server import Server
from fsconform.adapters.services.transfer import USER, Protocol, TransferServer, lacks
from fsconform.adapters.stores.preset import presets
from fsconform.adapters.stores.starting import Together

LISTENS = re.compile(r"^listening on port (\d+)$", re.MULTILINE)
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}
"""127.0.0.1, as the kernel writes it for sockets of both families."""


def script(work: Path, text: str) -> Server:
    """A server that is a few lines of Python."""
    return Server("small", work, lambda home: (sys.executable, "-c", text), LISTENS, start_timeout=10)


def listening(pid: int) -> set[str]:
    """The addresses that a process listens on."""
    inodes = {str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir() if one.is_symlink()}
    tables = [Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables for line in table]
    return {row[1].split(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in inodes}


def gone(pid: int, seconds: float = 10.0) -> bool:
    """Whether a process has ended, or does within so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(("protocol", "library"), [("ftp", "pyftpdlib"), ("sftp", "asyncssh")])
def test_a_server_whose_library_is_not_installed_names_the_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: Protocol, library: str
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ServiceError, match=rf"there is no {library}: pip install 'fsconform\[transfer\]'"):
        TransferServer(protocol, tmp_path / "work").start()


def test_the_port_is_the_one_that_the_server_tells(tmp_path: Path) -> None:
    server = script(tmp_path / "work", "import time; print('listening on port 4711', flush=True); time.sleep(60)")
    with pytest.raises(ServiceError, match="before it is started"):
        assert server.port
    server.start()
    pids = list(server.pids.values())
    assert (server.port, server.alive()) == (4711, True)
    server.stop()
    server.stop()
    assert pids and all(map(gone, pids))
    assert not (tmp_path / "work").exists()


def test_a_server_that_ends_leaves_its_log(tmp_path: Path) -> None:
    server = script(tmp_path / "work", "print('no room'); raise SystemExit(7)")
    with pytest.raises(ServiceError, match=r"ended with code 7(.|\n)*no room"):
        server.start()
    assert [path.read_text() for path in server.logs()] == ["no room\n"]
    assert not (tmp_path / "work" / "small").exists()


def test_a_server_that_tells_no_port_is_given_up(tmp_path: Path) -> None:
    text = "import time; print('thinking', flush=True); time.sleep(60)"
    server = Server("small", tmp_path / "work", lambda home: (sys.executable, "-c", text), LISTENS, start_timeout=0.5)
    with pytest.raises(ServiceError, match=r"not ready after(.|\n)*thinking"):
        server.start()
    assert not server.alive()


def test_a_directory_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(ServiceError, match="new or empty"):
        script(tmp_path, "").start()
    assert (tmp_path / "mine").exists()


@pytest.fixture(params=["ftp", "sftp"])
def transfer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TransferServer]:
    """A server of each protocol."""
    protocol: Protocol = "sftp" if request.param == "sftp" else "ftp"
    if missing := lacks(protocol):
        pytest.skip(missing[0])
    server = TransferServer(protocol, tmp_path / "work")
    server.start()
    yield server
    server.stop()


def password(server: TransferServer) -> str:
    """The password that clients are told."""
    return next(value for name, value in server.client_configuration().items() if ".password." in name)


def port(server: TransferServer) -> int:
    """The port in the server's URI."""
    return int(server.uri.rpartition(":")[2])


async def by_sftp(server: TransferServer, secret: str) -> list[str]:
    """Write a file and give the names in the root."""
    import asyncssh

    connected = asyncssh.connect("127.0.0.1", port(server), username=USER, password=secret, known_hosts=None, config=())
    async with connected as connection, connection.start_sftp_client() as client:
        async with client.open("/a", "wb") as file:
            await file.write(b"abc")
        assert await client.getsize("/a") == 3
        return sorted(str(name) for name in await client.listdir("/"))


def by_ftp(server: TransferServer, secret: str) -> list[str]:
    """Write a file and give the names in the root."""
    with ftplib.FTP(timeout=10) as client:
        client.connect("127.0.0.1", port(server))
        client.login(USER, secret)
        client.storbinary("STOR a", io.BytesIO(b"abc"))
        client.voidcmd("TYPE I")
        assert client.size("a") == 3
        return sorted(client.nlst())


def names(server: TransferServer, secret: str) -> list[str]:
    """Write a file by the server's protocol and give the names in its root."""
    return by_ftp(server, secret) if server.protocol == "ftp" else asyncio.run(by_sftp(server, secret))


def test_a_transfer_server_serves_its_folder_to_its_user_alone(transfer: TransferServer, tmp_path: Path) -> None:
    assert [name for name in names(transfer, password(transfer)) if name not in (".", "..")] == ["a"]
    assert [path.read_bytes() for path in tmp_path.glob("work/*/files/*")] == [b"abc"]
    with pytest.raises(Exception, match=r"(?i)authentication|permission|530"):
        names(transfer, "another")
    for pid in transfer.pids.values():
        assert listening(pid) <= LOOPBACK
    assert password(transfer) not in "".join(log.read_text() for log in transfer.logs())


def test_s3proxy_answers_its_own_keys_alone(tmp_path: Path) -> None:
    try:
        find_java()
    except NoJava as error:
        pytest.skip(str(error))
    service = S3ProxyService(tmp_path / "work", resolve(bundled_profile(PROFILE), ("server",)))
    service.start()
    try:
        client = service.client()
        client.put_object(Bucket=service.bucket, Key="x/y", Body=b"abc")
        assert client.get_object(Bucket=service.bucket, Key="x/y")["Body"].read() == b"abc"
        assert service.alive()
        for pid in service.pids.values():
            assert listening(pid) <= LOOPBACK
        stranger = S3ProxyService(tmp_path / "other", ())
        stranger._port = service.port
        with pytest.raises(Exception, match=r"403|InvalidAccessKeyId|SignatureDoesNotMatch"):
            stranger.client().list_buckets()
        pids = list(service.pids.values())
    finally:
        service.stop()
    assert pids and all(map(gone, pids))
    assert not (tmp_path / "work").exists()


@pytest.mark.timeout(300)
def test_s3proxy_that_is_crashed_comes_back_on_its_port_before_what_it_had(tmp_path: Path) -> None:
    try:
        find_java()
        executable = built(MINIO, lambda message: None)
    except (NoJava, GoError) as error:
        pytest.skip(str(error))
    jars = resolve(bundled_profile(PROFILE), ("server",))
    assert S3ProxyService(tmp_path / "none", jars).parts == (), "what is in memory is gone"
    with MinioService(tmp_path / "minio", executable) as minio:
        proxy = S3ProxyService(tmp_path / "s3proxy", jars, minio.s3a_configuration(), "proxied")
        with proxy:
            both = Together([minio, proxy])
            assert both.parts == presets()["s3proxy"].parts[::-1] == ("minio", "s3proxy")
            client, endpoint = proxy.client(), proxy.endpoint
            for number, part in enumerate(both.parts):
                client.put_object(Bucket=proxy.bucket, Key=f"x/{number}", Body=b"abc")
                before = minio.pids | proxy.pids
                both.crash(part)
                assert gone(before[part])
                both.restart(part)
                assert client.get_object(Bucket=proxy.bucket, Key=f"x/{number}")["Body"].read() == b"abc"
            assert proxy.endpoint == endpoint
            with pytest.raises(KeyError):
                both.crash("namenode")


@pytest.mark.parametrize("service", [HdfsService, MinioService, Server])
def test_a_service_has_minutes_to_start_on_a_busy_machine(service: type) -> None:
    assert inspect.signature(service).parameters["start_timeout"].default >= 180

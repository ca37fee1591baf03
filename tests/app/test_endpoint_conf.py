"""Links before the endpoint of a store that a user names: S3A on MinIO, given as any other connector."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.services.minio import MinioService
from fsconform.app.main import main
from fsconform.harness.endpoints import Named, named
from fsconform.harness.problems import Problem
from fsconform.records import codec
from fsconform.suites.wires import ENDPOINT, SOCKET


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("http://127.0.0.1:9000", Named("p", "http", "127.0.0.1", 9000)),
        ("http://store.example/base", Named("p", "http", "store.example", 80, "/base")),
        ("127.0.0.1:9000", Named("p", "", "127.0.0.1", 9000)),
    ],
)
def test_an_endpoint_is_a_url_or_a_host_and_a_port(value: str, found: Named) -> None:
    endpoint = named("p", {"p": value}, ())
    assert endpoint == found and endpoint.link == (ENDPOINT if found.scheme else SOCKET)
    route = endpoint.network().route(lambda name: ("127.0.0.1", 7))
    before, after = ("http://", found.path) if found.scheme else ("", "")
    assert route.settings == {"p": f"{before}127.0.0.1:7{after}"}


@pytest.mark.parametrize("value", ["", "host", "ftp://a:1", "http://u:p@a:1", "http://a:x", "http:///x"])
def test_what_is_no_endpoint_is_refused_and_not_repeated(value: str) -> None:
    with pytest.raises(Problem, match=r"no URL and no HOST:PORT") as raised:
        named("p", {"p": value}, ())
    assert not value or value not in str(raised.value)


def test_an_endpoint_with_tls_and_one_that_is_not_there_are_refused() -> None:
    with pytest.raises(Problem, match="TLS"):
        named("p", {"p": "https://a"}, ())
    with pytest.raises(Problem, match="neither --conf nor --conf-file"):
        named("p", {"q": "http://a"}, ())


def test_it_is_found_in_files_too(tmp_path: Path) -> None:
    file = tmp_path / "site.xml"
    rows = "<property><name>p</name><value>http://${h}:5</value></property><property><name>h</name><value>a</value></property>"
    file.write_text(f"<configuration>{rows}</configuration>", encoding="utf-8")
    assert named("p", {}, (file,)) == Named("p", "http", "a", 5)


def test_it_is_of_a_store_of_the_users_own(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["run", "--store", "proving", "--endpoint-conf", "p", "--out", str(tmp_path)])
    assert done.exit_code == 2 and "give its --uri" in done.output


@pytest.mark.parametrize(
    ("words", "mend"),
    [
        (("--store", "hdfs", "--store", "file"), "no link of file that could fail"),
        (("--uri", "ftp://127.0.0.1/sandbox", "--conf", "p=127.0.0.1:21"), "needs --endpoint-conf NAME"),
        (("--store", "s3a", "--via", "container"), "leave --via container out"),
    ],
)
def test_a_network_that_is_not_there_can_not_fail(words: tuple[str, ...], mend: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["run", "--suite", "wire", *words, "--out", str(tmp_path)])
    assert done.exit_code == 2 and mend in " ".join(done.output.split()) and not [*tmp_path.iterdir()]


@pytest.mark.timeout(1800)  # a new machine builds MinIO and Toxiproxy, and installs mitmproxy
def test_links_are_put_before_a_connector_that_a_user_names(tmp_path: Path) -> None:
    with MinioService(tmp_path / "minio") as minio:
        settings = minio.s3a_configuration() | {"fs.s3a.attempts.maximum": "2", "fs.s3a.retry.limit": "2"}
        arguments = [
            "run",
            "--suite",
            "wire",
            "--effort",
            "quick",
            "--uri",
            f"s3a://{minio.bucket}/own",
            "--name",
            "own",
        ]
        for jar in resolve(load_profile(), ("s3a",), print):
            arguments += ["--jars", str(jar)]
        for name, value in settings.items():
            arguments += ["--conf", f"{name}={value}"]
        contract = Path(__file__).parents[2] / "adapters" / "stores" / "s3a" / "contract.xml"
        arguments += [
            "--contract",
            str(contract),
            "--endpoint-conf",
            "fs.s3a.endpoint",
            "--out",
            str(tmp_path / "runs"),
        ]
        done = CliRunner().invoke(main, arguments)
    run = tmp_path / "runs" / "latest"
    [record] = codec.loads((run / "results.json").read_bytes()).stores
    assert record.races is not None and record.races.programs == record.races.planned > 5, done.output
    assert record.races.overlaps > 3 and {pair.group for pair in record.races.pairs} == {"the network fails"}

"""The commands on markers without a server: usage, options, and what they describe."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.adapters.markers.options import OptionError, connection, load_xml, place
from fsconform.app.main import main

AT = "s3a://london/"


def _call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Missing command"),
        (("tidy", AT), "No such command"),
        (("-audit", "-clean", AT), "exactly one of -audit and -clean"),
        (("-limit", "3", AT), "No such option"),
        (("-audit",), "Missing argument 'URI'"),
        (("audit",), "Missing argument 'URI'"),
        (("audit", AT, AT), "unexpected extra argument"),
        (("audit", "-limit", "-1", AT), "not in the range"),
        (("audit", "-min", "few", AT), "not a valid integer"),
        (("audit", "-frobnicate", AT), "No such option"),
        (("audit", "london"), "write it as s3a://BUCKET/PATH"),
        (("audit", "hdfs://london/"), "write it as s3a://BUCKET/PATH"),
        (("audit", "s3a://l/"), "no name of a bucket"),
        (("audit", "s3a://london/a/../b"), "without . and .."),
        (("audit", "-D", "fs.s3a.endpoint", AT), "write it as NAME=VALUE"),
        (("audit", "--conf-file", "missing.xml", AT), "missing.xml: no such file"),
        (("audit", "-D", "fs.s3a.directory.marker.retention=retain", AT), "policies are delete, keep"),
        (("audit", "-D", "fs.s3a.access.key=x", AT), "fs.s3a.secret.key is missing"),
        (("audit", "-D", "fs.s3a.bulk.delete.page.size=1001", AT), "not a number from 1 to 1000"),
        (("audit", "-D", "fs.s3a.path.style.access=yes", AT), "not true or false"),
        (("audit", "-D", "fs.s3a.endpoint=${where}", AT), "names a variable"),
        (("audit", "-D", "fs.s3a.endpoint=http://[", AT), "no connection to S3"),
        (("clean", "-D", "hadoop.security.credential.provider.path=jceks://x", AT), "read by Hadoop alone"),
        (("bucket-info", AT), "Missing option '-markers'"),
        (("bucket-info", "-markers", "kept", AT), "is not one of"),
        (("bucket-info", "-markers", "keep", "--hadoop", "1.0", AT), "there are profiles for"),
    ],
)
def test_usage_has_the_documents_code(arguments: tuple[str, ...], said: str) -> None:
    code, output = _call("markers", *arguments)
    assert said in output
    assert code == 42


@pytest.mark.parametrize("arguments", [(), ("x",), ("x", "no-uri"), ("x", AT, "--hadoop", "9")])
def test_usage_of_pathcapability(arguments: tuple[str, ...]) -> None:
    assert _call("pathcapability", *arguments)[0] == 42


BROKEN = (
    "",
    "<a/>",
    "<configuration",
    "<!DOCTYPE x [<!ENTITY a 'b'>]><configuration>&a;</configuration>",
    "<configuration><property><value>x</value></property></configuration>",
)


@pytest.mark.parametrize("text", BROKEN)
def test_broken_and_hostile_files_are_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "core-site.xml"
    file.write_text(text, "utf-8")
    code, output = _call("markers", "audit", "-conf", str(file), AT)
    assert "core-site.xml:" in output
    assert code == 42


def test_a_file_of_hadoop(tmp_path: Path) -> None:
    file = tmp_path / "core-site.xml"
    file.write_text(
        "<configuration><property><name> fs.s3a.access.key </name><value> who </value><final>true</final></property>"
        "<property><name>unset</name></property></configuration>",
        "utf-8",
    )
    assert load_xml(file) == {"fs.s3a.access.key": "who"}
    for tag in ("name", "value"):
        file.write_text(
            f"<configuration><property><name>a</name><value>b</value><{tag}>c</{tag}></property></configuration>"
        )
        with pytest.raises(OptionError, match=f"more than one <{tag}>"):
            load_xml(file)


def test_a_connection() -> None:
    options = {
        "fs.s3a.endpoint": "s3.example.org:9000",
        "fs.s3a.bucket.london.endpoint.region": "eu-west-2",
        "fs.s3a.bucket.london.path.style.access": "true",
        "fs.s3a.access.key": "who",
        "fs.s3a.secret.key": "knows",
        "fs.s3a.bulk.delete.page.size": "7",
    }
    found = connection(options, "london")
    assert (found.endpoint, found.region, found.path_style, found.page) == (
        "https://s3.example.org:9000",
        "eu-west-2",
        True,
        7,
    )
    assert "knows" not in repr(found)
    assert (
        connection(options | {"fs.s3a.connection.ssl.enabled": "false"}, "paris").endpoint
        == "http://s3.example.org:9000"
    )
    assert connection(options | {"fs.s3a.multiobjectdelete.enable": "false"}, "paris").page == 1
    assert connection({"fs.s3a.aws.credentials.provider": "org.x.AnonymousAWSCredentialsProvider"}, "x").anonymous


@pytest.mark.parametrize(
    ("uri", "prefix"),
    [
        ("s3a://abc", ""),
        ("s3a://abc/", ""),
        ("s3://abc/a/b", "a/b/"),
        ("s3a://abc//a//", "a/"),
        ("s3a://abc/a?b#c", "a?b#c/"),
    ],
)
def test_places(uri: str, prefix: str) -> None:
    assert place(uri).prefix == prefix


def test_a_place_is_a_bucket_of_s3() -> None:
    with pytest.raises(OptionError):
        place("s3a://user:word@abc/")

"""Secrets stay out of all that a run writes: those of options, files, environment, URIs and credential providers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fsconform.adapters.jars import class_path, load_profile, resolve
from fsconform.adapters.java import find_java
from fsconform.engine.secrecy import KNOWN
from fsconform.harness import scrubbing
from fsconform.records.codec import loads
from fsconform.records.results import Results

Command = Callable[..., subprocess.CompletedProcess[str]]
EXAMPLE = Path(__file__).resolve().parents[2] / "records" / "example.json"

OF_OPTION, OF_FILE, OF_ENVIRONMENT, OF_URI = "Opt10n+Hush/Hush=", "F1le&Hush<Hush", "Env1r0nment-Hush", "Ur1%40Hush"
QUIET = ("--budget", "0", "--suite", "delete", "--shards", "1", "--out", "out")


@pytest.mark.parametrize(
    "name",
    [
        "fs.s3a.secret.key",
        "fs.s3a.access.key",
        "fs.s3a.session.token",
        "fs.s3a.bucket.mine.secret.key",
        "fs.azure.account.key.mine.dfs.core.windows.net",
        "fs.azure.sas.container.mine.blob.core.windows.net",
        "fs.azure.account.oauth2.client.secret",
        "dfs.web.ssl.keystore.pass",
        "ftp.password",
        "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWD",
        "my.passphrase",
    ],
)
def test_names_of_secrets_are_known(name: str) -> None:
    assert scrubbing.redacted({name: "hush"}) == {name: "(redacted)"}


@pytest.mark.parametrize("name", ["fs.s3a.endpoint", "fs.defaultFS", "dfs.replication", "monkey.business", "keyboard"])
def test_other_names_keep_their_values(name: str) -> None:
    assert scrubbing.redacted({name: "told"}) == {name: "told"}


def test_arguments_lose_the_values_of_secrets_and_no_others() -> None:
    given = ["--conf", "a.secret=hush", "--conf=a.key=hush=hush", "--fs-conf=a.token=hush", "--seed=3", "--conf", "b=c"]
    assert scrubbing.arguments([*given, "--uri", "my://me:hush@host/x", "--out", "key=hush"]) == [
        "--conf",
        "a.secret=(redacted)",
        "--conf=a.key=(redacted)",
        "--fs-conf=a.token=(redacted)",
        "--seed=3",
        "--conf",
        "b=c",
        "--uri",
        "my://me:(redacted)@host/x",
        "--out",
        "key=(redacted)",
    ]


def test_uris_lose_passwords_and_signatures_and_keep_what_names_a_place() -> None:
    assert (
        scrubbing.uri("abfs://box@account.host/x?sv=1&sig=hush#y") == "abfs://box@account.host/x?sv=1&sig=(redacted)#y"
    )
    assert scrubbing.uri("hdfs://host:8020/a:b@c") == "hdfs://host:8020/a:b@c"


def test_values_that_no_one_would_hide_are_no_secrets(tmp_path: Path) -> None:
    settings = {
        "a.secret": "true",
        "b.key": "abc",
        "token.renew-interval": "86400000",
        "hadoop.security.key.default.bitlength": "128000",
        "fs.x.aws.credentials.provider": "a.b.One, c.d.Two",
        "hadoop.security.credential.provider.path": "jceks://file/x",
        "my.secret.file": str(tmp_path),
    }
    variables = {"MY_TOKEN": "short", "PWD": str(tmp_path), "GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path / "x.json")}
    assert scrubbing.secrets_of([], settings, [], variables) == ()


def test_digits_and_what_names_a_path_are_secrets_too(tmp_path: Path) -> None:
    values = ["12.5e", "4711", "org.apache.hadoop.Provider", "jceks://file/x", str(tmp_path)]
    settings = {f"{number}.password": value for number, value in enumerate(values)}
    assert set(scrubbing.secrets_of([], settings, [], {})) == set(values)
    assert scrubbing.secrets_of([], {}, [], {"MYSQL_PWD": "0815081508150815"}) == ("0815081508150815",)
    assert scrubbing.secrets_of([], {"my.pwd": "told"}, [], {}) == ("told",)


def test_tokens_are_secrets() -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
    assert scrubbing.secrets_of([], {"my.token": token}, [], {}) == (token,)


def test_the_password_in_a_uri_is_a_secret_in_both_its_forms() -> None:
    found = scrubbing.secrets_of([f"my://me:{OF_URI}@host/x"], {}, [], {})
    assert OF_URI in found and "Ur1@Hush" in found


def test_every_text_of_the_records_loses_them_and_programs_do_not() -> None:
    results: Results = loads(EXAMPLE)
    store = results.stores[0]
    one = store.divergences[0]
    told = f"denied for {OF_OPTION}"
    step = replace(one.sequence[0], observed=told, changed=(told,))
    program = [{"op": "mkdirs", "path": [OF_OPTION]}]
    bad = replace(one, message=told, stack=told, logs=[told], note=told, program=program, sequence=[step])
    hostile = replace(store, uri=told, problems=[told], versions={"x": told}, divergences=[bad])
    KNOWN.learn([OF_OPTION])
    clean = scrubbing.hidden(replace(results, stores=[hostile])).stores[0]
    (shown,) = clean.divergences
    assert shown.program == program
    assert OF_OPTION not in repr(replace(clean, divergences=[replace(shown, program=[])]))
    assert shown.message == "denied for (redacted)"
    KNOWN.forget()
    assert scrubbing.hidden(results) is results


def _leaks(folder: Path, *secrets: str) -> list[str]:
    return [
        f"{file.relative_to(folder)}: {secret}"
        for file in folder.rglob("*")
        if file.is_file()
        for secret in secrets
        if secret.encode() in file.read_bytes()
    ]


def test_a_store_that_tells_its_secrets_leaves_none_in_the_run(
    fsconform: Command, tmp_path: Path, seeded: list[str]
) -> None:
    """The store puts all it knows into an error's message and into its log."""
    given = [*seeded[: seeded.index("--contract")], "--contract", "rawlocal", *QUIET]
    site = tmp_path / "site.xml"
    escaped = OF_FILE.replace("&", "&amp;").replace("<", "&lt;")
    site.write_text(
        f"<configuration><property><name>seeded.access.key</name><value>{escaped}</value></property></configuration>"
    )
    own = {"SEEDED_SESSION_TOKEN": OF_ENVIRONMENT}
    told = [
        "--conf-file",
        str(site),
        "--conf",
        f"seeded.other.secret={OF_OPTION}",
        "--conf",
        "seeded.fault=tells-secret",
    ]
    ran = fsconform("run", *given, *told, environment=own)
    assert ran.returncode == 1, ran.stderr
    results = loads(tmp_path / "out" / "latest" / "results.json")
    messages = [one.message for store in results.stores for one in store.divergences]
    assert "no delete with the key (redacted) (redacted) (redacted)" in messages
    logs = b"".join(file.read_bytes() for file in (tmp_path / "out" / "latest" / "logs").iterdir())
    assert b"delete with the key (redacted) (redacted) (redacted)" in logs
    assert not _leaks(tmp_path / "out", OF_OPTION, OF_FILE, escaped, OF_ENVIRONMENT)
    assert not any(secret in ran.stdout + ran.stderr for secret in (OF_OPTION, OF_FILE, OF_ENVIRONMENT))


nightly = pytest.mark.long


@nightly
def test_a_credential_provider_is_used_and_nothing_of_it_is_written(
    fsconform: Command, tmp_path: Path, seeded: list[str]
) -> None:
    provider = f"localjceks://file{tmp_path}/hush.jceks"
    jars = class_path(resolve(load_profile(), ("client",)))
    shell = "org.apache.hadoop.security.alias.CredentialShell"
    command = [str(find_java().executable), "-cp", jars, shell, "create", "seeded.access.key", "-value", OF_OPTION]
    subprocess.run([*command, "-provider", provider], check=True, capture_output=True, timeout=60)
    expected = _java_hash(OF_OPTION)
    given = [*seeded[: seeded.index("--contract")], "--contract", "rawlocal", *QUIET]
    given += ["--conf", "seeded.fault=wants-secret", "--conf", f"seeded.expected={expected}"]
    denied = fsconform("run", *given)
    assert denied.returncode == 3 and "access denied" in denied.stderr
    ran = fsconform("run", *given, "--conf", f"hadoop.security.credential.provider.path={provider}")
    assert ran.returncode == 0, ran.stderr
    assert loads(tmp_path / "out" / "latest" / "results.json").stores[0].operations > 0
    assert not _leaks(tmp_path / "out", OF_OPTION)


def _java_hash(text: str) -> str:
    value = 0
    for character in text:
        value = (31 * value + ord(character)) & 0xFFFFFFFF
    return f"{value:x}"

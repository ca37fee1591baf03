"""Every command there is, called with a canary in each place where somebody may put one by mistake."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fsconform.app.main import main

OF_OPTION, OF_URI, OF_CI = "Opt10n-Canary=", "Us3rinfo-Canary", "C1-Canary-xxxxxxxx"


def _canaries(text: str) -> list[str]:
    return [one for one in (OF_OPTION.rstrip("="), OF_URI, OF_CI) if one in text]


def _commands(group: click.Group, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from _commands(found, (*names, name))
        else:
            yield (*names, name)


COMMANDS = tuple(_commands(main))
MISTYPED = (
    ("--conf", f"fs.x.secret.key:{OF_OPTION}"),
    ("--conf", f"fs.x.secret.key:{OF_OPTION}="),
    ("--conf", f"fs.x.secret.key: {OF_OPTION}"),
    ("--conf", f"fs.x.secret.key;{OF_OPTION}"),
    ("--conf", f"fs.x.secret.key {OF_OPTION}"),
    ("--conf", f"'fs.x.secret.key':'{OF_OPTION}'"),
    (f"--conf=fs.x.secret.key:{OF_OPTION}",),
    (f"-Dfs.x.secret.key:{OF_OPTION}",),
    ("--conf", "fs.x.secret.key", OF_OPTION),
    (f"fs.x.secret.key={OF_OPTION}", "--no-such-option"),
    ("--uri", f"no scheme://me:{OF_URI}@host"),
    (f"leaky://me:{OF_URI}@host", "--name", f"x://me:{OF_URI}@"),
    ("--uri", f"leaky://me:{OF_URI}/odd#@host/x", "--store", "none"),
    ("--uri", f"leaky host/x?access_token={OF_URI}"),
    ("--uri", f"leaky://ho st/x;client_secret={OF_URI}#id_token={OF_CI}"),
    ("--no-such-option", OF_CI),
    ("--timeout", OF_CI),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_repeats_what_is_mistyped(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CI_JOB_TOKEN", OF_CI)
    for given in MISTYPED:
        ran = CliRunner().invoke(main, [*command, *given])
        assert ran.exit_code != 0, (given, ran.output)
        assert _canaries(ran.output) == [], given
        assert not any(one in ran.output for one in ("odd#", "Us3rinfo"))
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("userinfo", ["me:Us3rinfo-Canary@", "Us3rinfo-Canary:x@"])
def test_init_writes_no_password(tmp_path: Path, userinfo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(main, ["init", "project", "--uri", f"leaky://{userinfo}host/x"])
    assert ran.exit_code == 2 and "CI's secrets" in ran.output
    signed = CliRunner().invoke(main, ["init", "project", "--uri", "leaky://host/x?sig=Us3rinfo-Canary"])
    assert signed.exit_code == 2
    assert list(tmp_path.rglob("*")) == [] and "Canary" not in signed.output
    ran = CliRunner().invoke(main, ["init", "p", "--uri", "leaky://host/x", "--conf", f"a.pwd={OF_OPTION}"])
    assert ran.exit_code == 0, ran.output
    assert not any(OF_OPTION in file.read_text() for file in tmp_path.rglob("*") if file.is_file())
    assert "secrets.A_PWD" in (tmp_path / "p" / ".github" / "workflows" / "fsconform.yml").read_text()


def test_init_refuses_secrets_in_other_properties(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    conf = f"fs.leaky.proxy=http://me:{OF_URI}@proxy:8080"
    ran = CliRunner().invoke(main, ["init", "--uri", "leaky://host/x", "--conf", conf])
    assert ran.exit_code == 2 and OF_URI not in ran.output
    assert list(tmp_path.rglob("*")) == []


PARAMETERS = ("?X-Amz-Signature=", "?a=b&access_token=", "?client_secret=", ";sig=", "#access_token=", "?my%5Ftoken=")


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_init_refuses_signatures_and_tokens(tmp_path: Path, parameter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for given in (
        ("--uri", f"leaky://host/x{parameter}{OF_URI}"),
        ("--uri", "leaky://host/x", "--conf", f"fs.leaky.proxy=http://proxy/x{parameter}{OF_URI}"),
        ("--uri", "leaky://host/x", "--conf", f"fs.leaky.options=-Xmx1g -Dmy.token={OF_URI}"),
        ("--uri", "leaky://host/x", "--jars", f"https://host/x.jar{parameter}{OF_URI}"),
    ):
        ran = CliRunner().invoke(main, ["init", *given])
        assert ran.exit_code == 2 and OF_URI not in ran.output, ran.output
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("sign", [":", ";", ",", " ", ": ", "|"])
def test_init_writes_no_property_with_another_sign(tmp_path: Path, sign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    conf = f"fs.azure.account.key.x{sign}{OF_OPTION}="
    ran = CliRunner().invoke(main, ["init", "--uri", "leaky://host/x", "--conf", conf])
    assert ran.exit_code == 2 and "NAME=VALUE" in ran.output and _canaries(ran.output) == []
    assert list(tmp_path.rglob("*")) == []


def test_colons_in_names_that_tell_no_secret_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    conf = "fs.viewfs.mounttable.c.linkRegex.replaceresolveddstpath:_:-#.^/user=file:///x?page=1"
    ran = CliRunner().invoke(main, ["init", "--uri", "leaky://host/x?version=2", "--conf", conf])
    assert ran.exit_code == 0, ran.output

"""Usage and configuration that can't be used: exit code 2, and a text that names the mend."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fsconform.app.main import main

PROVING = ("run", "--store", "proving", "--budget", "0")
BOMB = """<?xml version="1.0"?>
<!DOCTYPE configuration [
  <!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">
  <!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;">
]>
<configuration><property><name>fs.contract.is-case-sensitive</name><value>&e;</value></property></configuration>
"""
EXTERNAL = """<?xml version="1.0"?>

<!DOCTYPE configuration [<!ENTITY secret SYSTEM "file:///etc/hostname">]>
<configuration><property><name>fs.contract.is-case-sensitive</name><value>&secret;</value></property></configuration>
"""


def _property(name: str, value: str) -> str:
    return (
        f"<configuration>\n <property>\n <name>{name}</name>\n <value>{value}</value>\n </property>\n</configuration>"
    )


def _call(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--out", str(folder / "out")])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "--store", "rawlokal"), "no store 'rawlokal': did you mean 'rawlocal'?"),
        ((*PROVING, "--suite", "renam"), "no suite 'renam': did you mean 'rename'?"),
        ((*PROVING, "--op", "mkdir"), "no operation 'mkdir': did you mean 'mkdirs'?"),
        ((*PROVING, "--fault", "delete-nonempty"), "no fault 'delete-nonempty': did you mean 'delete-non-empty'?"),
        (
            (*PROVING, "--clause", "filesystem.delete.pre.not-emty"),
            "no clause 'filesystem.delete.pre.not-emty': did you mean 'filesystem.delete.pre.not-empty'?",
        ),
        (("run", "--store", "rawlocal", "--fault", "delete-non-empty"), "--fault is for the store 'proving' alone"),
        (
            ("run", "--store", "local", "--suite", "rename", "--suite", "root"),
            "needs a store that is the harness's own",
        ),
        (("run", "--store", "rawlocal", "--suite", "root"), "not 'rawlocal'"),
        ((*PROVING, "--uri", "file:///x"), "--uri names a store of your own and --store a built-in one"),
        ((*PROVING, "--conf", "a=b"), "give its --uri"),
        ((*PROVING, "--name", "mine"), "give its --uri"),
        (
            ("run", "--uri", "x:///y", "--conf", "nothing"),
            "--conf: the 1st one has no name or no =: write it as NAME=VALUE",
        ),
        (("run", "--uri", "x:///y", "--conf-file", "missing.xml"), "--conf-file missing.xml: no such file"),
        (("run", "--uri", "x:///y", "--jars", "missing/*.jar"), "--jars 'missing/*.jar': no such file"),
        (("run", "--uri", "x:///y", "--name", "a/b"), "--name 'a/b'"),
        ((*PROVING, "--budget", "-1"), "--budget"),
        ((*PROVING, "--budget", "nan"), "Invalid value for '--budget': 'nan' is not a number"),
        ((*PROVING, "--rate", "nan"), "Invalid value for '--rate': 'nan' is not a number"),
        ((*PROVING, "--shards", "0"), "--shards"),
        ((*PROVING, "--xmx", "lots"), "--xmx 'lots': write a number and k, m or g"),
        ((*PROVING, "--hadoop", "9.9"), "no Hadoop profile '9.9'"),
        ((*PROVING, "--waivers", "missing.toml"), "missing.toml"),
        ((*PROVING, "--contract", "missing.xml"), "missing.xml: No such file or directory (shipped contracts:"),
        ((*PROVING, "--resume", "missing"), "missing/progress.json: No such file"),
        ((*PROVING, "--frobnicate"), "No such option"),
    ],
)
def test_what_cannot_be_meant_is_named(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    result = _call(tmp_path, *arguments)
    assert said in result.output
    assert result.exit_code == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (_property("fs.contract.is-case-sensitiv", "true"), 2, "did you mean 'fs.contract.is-case-sensitive'?"),
        (_property("fs.contract.is-case-sensitive", "yes"), 2, "is 'yes', not true or false"),
        (_property("fs.contract.max-path", "long"), 2, "is 'long', not a whole number"),
        ("<configuration>\n<propertee/>\n</configuration>", 2, "<propertee> where <property> is expected"),
        ("<configuration>\n<property>\n</configuration>", 3, "not well-formed XML"),
        ("", 1, "not well-formed XML"),
        ("\x00\x01", 1, "not well-formed XML"),
        ("<html/>", 1, "the root element is <html>"),
        (BOMB, 2, "a document type declaration is not allowed"),
        (EXTERNAL, 3, "a document type declaration is not allowed"),
    ],
)
def test_broken_and_hostile_contracts_are_refused_with_file_and_line(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    contract = tmp_path / "contract.xml"
    contract.write_text(text, "utf-8")
    result = _call(tmp_path, *PROVING, "--contract", str(contract))
    assert f"{contract}:{line}: " in result.output
    assert said in result.output
    assert result.exit_code == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[waiver]", "waivers.toml: "),
        ('[[waiver]]\nstore = "proving"', "waivers.toml: waiver 1 has no signature"),
        (
            '[[waiver]]\nstore="proving"\nsignature="s"\nreason="r"\nlink="l"\nexpires="2027-01-31"',
            "waivers.toml: waiver 1: expires is a date",
        ),
    ],
)
def test_broken_waivers_are_refused(tmp_path: Path, text: str, said: str) -> None:
    waivers = tmp_path / "waivers.toml"
    waivers.write_text(text, "utf-8")
    result = _call(tmp_path, *PROVING, "--waivers", str(waivers))
    assert said in result.output
    assert result.exit_code == 2


@pytest.mark.parametrize(("expires", "said"), [("2099-01-31", "unused"), ("2020-01-31", "expired on 2020-01-31")])
def test_a_waiver_that_is_unused_or_expired_fails_the_gate(tmp_path: Path, expires: str, said: str) -> None:
    waivers = tmp_path / "waivers.toml"
    waivers.write_text(
        f'[[waiver]]\nstore="proving"\nsignature="delete x"\nreason="r"\nlink="l"\nexpires={expires}\n', "utf-8"
    )
    result = _call(tmp_path, *PROVING, "--waivers", str(waivers))
    assert said in result.output
    assert result.exit_code == 1


def test_several_values_may_follow_one_name(tmp_path: Path) -> None:
    result = _call(tmp_path, "run", "--store", "proving", "rawlokal", "--budget", "0")
    assert "did you mean 'rawlocal'" in result.output


@pytest.mark.parametrize("out", ["/dev/null/x", "/proc/nowhere"])
def test_a_folder_that_cannot_be_written_is_named(out: str) -> None:
    result = CliRunner().invoke(main, [*PROVING, "--out", out])
    assert result.exit_code == 2
    assert result.output.startswith(f"Error: {out}/")
    assert "choose another folder with --out" in result.output

"""The configuration file: schema, command line and file agree in every option; who wins; what is wrong is named."""

from __future__ import annotations

import argparse
import json
from importlib import resources
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
from click.testing import CliRunner

from fsconform.app.configuration import COMMANDS, SCHEMA, made
from fsconform.app.main import main
from fsconform.app.options import STORE_OF_A_FILE
from fsconform.app.pytest_plugin import DESTINATIONS, FLAGS, ONE, SEVERAL
from fsconform.app.pytesting.options import NOT_OF_PYTEST, PYTEST, order
from fsconform.harness import configuration_file
from fsconform.harness.configuration_file import key_of, options_of
from fsconform.harness.configured import OF_STORES
from fsconform.harness.problems import Problem

DOCUMENT = made()
TABLES = {**COMMANDS, "store": STORE_OF_A_FILE}
OPTIONS = [(table, key) for table, command in TABLES.items() for key in options_of(command)]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(*words: str, code: int = 2) -> str:
    ended = CliRunner().invoke(main, words)
    assert ended.exit_code == code, ended.output
    return " ".join(ended.output.split())


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {toml(each)}" for name, each in value.items()) + "}"
    return json.dumps(value)


def document(table: str, key: str, value: Any) -> dict[str, Any]:
    """The smallest file that says this of an option."""
    if table == "store":
        return {"stores": {"mine": {"uri": "my://x/y", key: value}}}
    return {table: {key: value}}


def write(content: dict[str, Any]) -> None:
    lines = []
    for table, values in content.items():
        for name, inner in values.items() if table == "stores" else ((None, values),):
            lines.append(f"[{table}.{name}]" if name else f"[{table}]")
            lines += [f"{key} = {toml(value)}" for key, value in inner.items()]
    Path("fsconform.toml").write_text("\n".join(lines), "utf-8")


def sample(option: click.Option) -> Any:
    """A value that an option takes, as a file has it."""
    kind = option.type
    if option.is_flag:
        return True
    if option.metavar == "NAME=VALUE":
        return {"fs.a.b": "c"}
    if isinstance(kind, click.IntRange):
        return 3
    if isinstance(kind, click.FloatRange):
        return 2.5
    if isinstance(kind, click.Choice):
        return kind.choices[-1]
    value: Any = {"effort": 7}.get(str(option.name), "some.text")
    return [value, value + "2"] if option.multiple else value


def wrong(option: click.Option) -> Any:
    """A value of a type that no such option has."""
    return [[1]] if option.multiple or option.metavar == "NAME=VALUE" else {"a": "b"}


def as_words(option: click.Option, value: Any) -> list[str]:
    """The same on the command line."""
    name = f"--{key_of(option)}"
    if option.is_flag:
        return [name]
    if isinstance(value, dict):
        return [word for each, text in value.items() for word in (name, f"{each}={text}")]
    return [word for each in (value if isinstance(value, list) else [value]) for word in (name, str(each))]


def refused_by_schema(content: dict[str, Any]) -> bool:
    return not jsonschema.Draft202012Validator(DOCUMENT).is_valid(content)


def test_the_shipped_schema_is_that_of_the_options() -> None:
    shipped = json.loads((resources.files("fsconform.records") / SCHEMA).read_text("utf-8"))
    assert shipped == DOCUMENT, "write records/configuration.schema.json anew: app.configuration.made()"
    jsonschema.Draft202012Validator.check_schema(shipped)
    assert json.loads(CliRunner().invoke(main, ["config", "schema"]).output) == shipped


@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_is_left_out(name: str) -> None:
    properties = set(DOCUMENT["$defs"][name.capitalize()]["properties"])
    command = COMMANDS[name]
    words = {max(one.opts, key=len)[2:] for one in command.params if isinstance(one, click.Option)} - {"config"}
    assert properties == words


def test_the_table_of_pytest_has_what_the_plugin_has() -> None:
    """The plugin's own lists are loaded in every session, and so stand by themselves."""
    rows = {row[0][5:] for row in (*ONE, *SEVERAL, *FLAGS)} - {"config"}
    assert rows == set(options_of(PYTEST))
    assert {row[0][5:] for row in SEVERAL} == {key for key, one in options_of(PYTEST).items() if one.multiple}
    assert {row[0][5:] for row in FLAGS} == {key for key, one in options_of(PYTEST).items() if one.is_flag}
    assert not NOT_OF_PYTEST & {one.name for one in PYTEST.params}


def test_the_table_of_a_store_has_what_a_store_may_have() -> None:
    assert {one.name for one in options_of(STORE_OF_A_FILE).values()} == OF_STORES


@pytest.mark.parametrize(("table", "key"), OPTIONS)
def test_schema_file_and_command_line_agree_in_each_option(table: str, key: str) -> None:
    command = TABLES[table]
    option = options_of(command)[key]
    value = sample(option)
    content = document(table, key, value)
    assert not refused_by_schema(content)
    write(content)
    found = configuration_file.find(None)
    assert found is not None
    values = content[table] if table != "store" else content["stores"]["mine"]
    configuration_file.check(found, table, values, command)
    given = configuration_file.as_given(found, table, values, command)
    parser = click.Command("bare", params=[one for one in command.params if not one.required or one is option])
    spoken = parser.make_context("bare", as_words(option, value)).params[str(option.name)]
    assert given[str(option.name)] == spoken


@pytest.mark.parametrize(("table", "key"), OPTIONS)
def test_schema_and_file_refuse_the_same_for_each_option(table: str, key: str) -> None:
    command = TABLES[table]
    bad = wrong(options_of(command)[key])
    assert refused_by_schema(document(table, key, bad))
    assert refused_by_schema(document(table, f"{key}x", "a"))
    write(document(table, key, "a"))
    found = configuration_file.find(None)
    assert found is not None
    with pytest.raises(Problem, match=rf"fsconform\.toml: \[{table}\] {key}.*expected .* it is for --{key}: "):
        configuration_file.check(found, table, {key: bad}, command)
    with pytest.raises(Problem, match=rf"fsconform\.toml: \[{table}\]: no key '{key}x'.*'"):
        configuration_file.check(found, table, {f"{key}x": "a"}, command)


BAD = {
    "[run\n": "fsconform.toml: not TOML: Expected ']' at the end of a table declaration (at line 1, column 5): mend",
    "[runs]\n": "fsconform.toml: no table 'runs': did you mean 'run'?",
    "run = 3\n": "fsconform.toml: [run]: expected table, got integer",
    "stores = 3\n": "fsconform.toml: [stores]: expected a table: write [",
    "[run]\nsed = 3\n": "fsconform.toml: [run]: no key 'sed': did you mean 'seed'?",
    "[run]\nseed = 'x'\n": "fsconform.toml: [run] seed: expected integer, got string: it is for --seed: The seed",
    "[run]\nshards = 99\n": "fsconform.toml: [run] shards: expected integer <= 64",
    "[run]\neffort = 'quik'\n": "fsconform.toml: [run] effort: Invalid enum value 'quik': it is for --effort:",
    "[run]\neffort = -3\n": "fsconform.toml: [run] effort: ",
    "[run]\nout = ''\n": "fsconform.toml: [run] out: it is empty: name a path",
    "[run]\nsuite = 'renam'\nstore = 'proving'\n": "[run] suite: no suite 'renam': did you mean 'rename'?",
    "[run]\nuri = '${NO_SUCH}'\n": "fsconform.toml: [run] uri: the environment has no NO_SUCH: set it",
    "[stores.x]\njars = 'a.jar'\n": "[stores.x]: Object missing required field uri",
    "[stores.x]\nuri = 'y'\n": "fsconform.toml: [stores.x]: --uri has no scheme",
    "[stores.hdfs]\nuri = 'my://x/y'\n": "[stores.hdfs]: a built-in store has this name: choose another",
    "[stores.'a b']\nuri = 'my://x/y'\n": "the name of a store has letters, digits",
    "[stores.x]\nuri = 'my://x/y'\njars = 'no.jar'\n": "fsconform.toml: [stores.x]: --jars 'no.jar': no such file",
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_wrong_is_named_with_file_and_key(text: str) -> None:
    Path("fsconform.toml").write_text(text, "utf-8")
    assert BAD[text] in told("run")
    assert not Path("results").exists()


@pytest.mark.parametrize("text", BAD)
def test_pyproject_has_the_same_tables(text: str) -> None:
    inside = text.replace("[run", "[tool.fsconform.run").replace("[stores.", "[tool.fsconform.stores.")
    inside = f"[tool.fsconform]\n{text}" if "=" in text.partition("\n")[0] else inside
    Path("pyproject.toml").write_text(inside, "utf-8")
    said = BAD[text].partition("]")[2] or BAD[text].partition(": ")[2]
    if "(at line" not in said and text != "[runs]\n":
        assert said in told("run")


def test_help_and_an_unrelated_pyproject_do_not_need_a_good_file() -> None:
    Path("fsconform.toml").write_text("[run", "utf-8")
    assert "Judge stores" in told("run", "--help", code=0)
    Path("fsconform.toml").unlink()
    Path("pyproject.toml").write_text("[tool", "utf-8")
    assert "no store 'nowhere'" in told("run", "--store", "nowhere")


def test_a_store_that_is_not_there_is_told_with_those_of_the_file() -> None:
    write({"stores": {"mine": {"uri": "my://x/y"}}})
    assert "no store 'mien': did you mean 'mine'?" in told("run", "--store", "mien")


def parsed(*words: str) -> dict[str, Any]:
    return COMMANDS["run"].make_context("run", [*words]).params


def test_command_line_then_environment_then_file_then_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parsed("--store", "proving")["via"] == "embedded"
    write({"run": {"via": "container", "timeout": 5, "seed": 4}})
    assert parsed("--store", "hdfs")["via"] == "container"
    monkeypatch.setenv("FSCONFORM_VIA", "embedded")
    found = parsed("--store", "hdfs", "--seed", "9")
    assert (found["via"], found["timeout"], found["seed"], found["xmx"]) == ("embedded", 5.0, 9, "512m")
    monkeypatch.setenv("FSCONFORM_VIA", "container")
    assert parsed("--store", "hdfs", "--via", "embedded")["via"] == "embedded"


def test_who_names_a_store_leaves_that_of_the_file_aside() -> None:
    write({"run": {"uri": "my://x/y", "conf": {"a.b": True}, "seed": 4}})
    found = parsed("--store", "proving")
    assert (found["uri"], found["conf"], found["seed"]) == (None, (), 4)
    assert parsed()["conf"] == ("a.b=true",)


def test_stores_of_the_file_and_what_the_command_line_changes_of_them() -> None:
    stores = {
        "first": {"uri": "my://x/y", "conf": {"a.b": 1}, "timeout": 7},
        "second": {"uri": "my://z", "shards": 1, "contract": "c.xml"},
    }
    write({"stores": stores})
    first, second = parsed()["own"]
    assert (first.name, first.conf, first.timeout, second.shards, second.contract) == (
        *("first", ("a.b=1",), 7.0, 1),
        Path("c.xml"),
    )
    (alone,) = parsed("--store", "first", "--conf", "c.d=2", "--timeout", "9")["own"]
    assert (alone.conf, alone.timeout) == (("a.b=1", "c.d=2"), 9.0)
    beside = parsed("--store", "first", "--store", "proving")
    assert [one.name for one in beside["own"]] == ["first"] and beside["stores"] == ("proving",)
    assert parsed("--store", "proving")["own"] == () and parsed("--uri", "my://q")["own"] == ()
    assert "give one of them" in told("run", "--uri", "my://q", "--store", "first")
    assert "first is a filesystem" in told("run", "--store", "first", "--store", "s3")


ONE_STORE = {"uri": "my://x/y", "conf": {"a.b": "c"}, "contract": "of-the-file.xml", "timeout": 7}
OF_ONE_STORE = (("try",), ("contract", "infer"), ("contract", "check"), ("replay", "recorded.json"), ("clean",))


def taken_by(words: tuple[str, ...], *more: str) -> dict[str, Any]:
    """The parameters that a command for one store is given."""
    command: Any = main
    for word in words:
        command = command.get_command(click.Context(command), word) if isinstance(command, click.Group) else command
    rest = [word for word in words if word.endswith(".json")]
    context = command.make_context(words[0], [*rest, *more])
    return dict(context.params)


@pytest.mark.parametrize("words", OF_ONE_STORE, ids=" ".join)
def test_commands_for_one_store_take_it_from_the_file(words: tuple[str, ...]) -> None:
    Path("recorded.json").write_text("{}", "utf-8")
    write({"stores": {"mine": ONE_STORE, "other": {"uri": "other://x/y"}}})
    got = taken_by(words, "--store", "mine", "--conf", "d.e=f")
    asked: dict[str, Any] = {"uri": "my://x/y", "conf": ("a.b=c", "d.e=f"), "store": None}
    asked |= {"name": "mine", "timeout": 7.0} if "clean" not in words else {}
    assert {name: got[name] for name in asked} == asked
    if "contract" in got:
        assert got["contract"] == (None if "replay" in words else Path("of-the-file.xml"))
    assert taken_by(words, "--store", "mine", "--uri", "another://x/y")["uri"] == "another://x/y"


@pytest.mark.parametrize("words", OF_ONE_STORE[:3], ids=" ".join)
def test_the_only_store_of_the_file_is_meant(words: tuple[str, ...]) -> None:
    write({"stores": {"mine": ONE_STORE}})
    assert taken_by(words)["uri"] == "my://x/y"
    write({"stores": {"mine": ONE_STORE, "other": {"uri": "other://x/y"}}})
    with pytest.raises(Problem, match="by --store: mine, other"):
        taken_by(words)


def test_a_store_for_one_command_that_is_not_there_is_told() -> None:
    write({"stores": {"mine": ONE_STORE}})
    Path("recorded.json").write_text("{}", "utf-8")
    for words in OF_ONE_STORE:
        said = told(*words, "--store", "mien")
        assert "no store 'mien'" in said and "mine" in said
    assert "no such store in the configuration file" in told("clean", "--store", "hdfs")


def test_paths_count_from_the_folder_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    write({"run": {"jars": "a/*.jar", "contract": "c.xml", "uri": "my://x/y", "baseline": "/b"}})
    Path("fsconform.toml").rename(tmp_path / "sub" / "other.toml")
    found = parsed("--config", "sub/other.toml")
    assert (found["jars"], found["contract"], found["baseline"]) == (("sub/a/*.jar",), Path("sub/c.xml"), Path("/b"))
    assert found["uri"] == "my://x/y"


def test_variables_of_the_environment() -> None:
    found = configuration_file.substituted(
        {"a": ["${X}-${X}", "$${X}", "${hadoop.tmp.dir}", "$", 3]}, "here", {"X": "${Y}"}
    )
    assert found == {"a": ["${Y}-${Y}", "${X}", "${hadoop.tmp.dir}", "$", 3]}


def test_config_check_looks_at_all_tables() -> None:
    write({"run": {"seed": 3}, "campaign": {"programs": 5}, "stores": {"mine": {"uri": "my://x/y"}}})
    assert "in order: [run], [campaign] and stores: mine" in told("config", "check", code=0)
    write({"run": {"seed": 3}, "campaign": {"programs": "x"}})
    assert "[campaign] programs: expected integer" in told("config", "check")
    Path("fsconform.toml").unlink()
    assert "there is no fsconform.toml here" in told("config", "check")


SECRET = "hunter2-hunter2"


@pytest.mark.long
def test_two_stores_of_a_file_are_judged_and_its_secrets_are_masked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_STORE", SECRET)
    stores = {
        "one": {"uri": f"file://{tmp_path}/one", "conf": {"fs.a.secret": "${OF_THE_STORE}"}, "timeout": 60},
        "two": {"uri": f"file://{tmp_path}/two"},
    }
    narrow = {"op": "append", "explorer": "witnesses", "shards": 1, "budget": 0, "count-inherited": True}
    write({"run": narrow, "stores": stores})
    ended = CliRunner().invoke(main, ["run"])
    assert ended.exit_code in (0, 1), ended.output
    results = json.loads(Path("results/latest/results.json").read_text("utf-8"))
    assert [one["name"] for one in results["stores"]] == ["one", "two"]
    assert results["run"]["configuration"]["one: fs.a.secret"] == "(redacted)"
    every = [one.read_bytes() for one in Path("results").rglob("*") if one.is_file()]
    assert not any(SECRET.encode() in one for one in every) and SECRET not in ended.output


PAGE = Path(__file__).resolve().parents[2] / "docs" / "configuration-file.md"


def test_file_and_commands_of_the_page_work_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text("utf-8")
    Path("fsconform.toml").write_text(page.partition("```toml\n")[2].partition("```")[0], "utf-8")
    monkeypatch.setenv("MYSTORE_SECRET", SECRET)
    commands = [line.strip() for line in page.splitlines() if line.startswith("    fsconform ")]
    assert len(commands) == 2
    for command in commands:
        assert SECRET not in told(*command.split()[1:], code=0)
    mine, mirror = parsed()["own"]
    assert mine.conf == ("fs.mystore.impl=org.example.MyFs", f"fs.mystore.secret={SECRET}") and mirror.shards == 1
    assert parsed()["effort"].level == "quick"
    monkeypatch.delenv("MYSTORE_SECRET")
    assert "[stores.mine] conf: the environment has no MYSTORE_SECRET" in told("config", "check")


def test_a_session_of_pytest_takes_options_and_stores_of_the_file() -> None:
    write({"pytest": {"effort": 5, "out": "there", "strict-quirks": True}, "stores": {"mine": {"uri": "my://x/y"}}})
    given: dict[str, Any] = dict.fromkeys((*DESTINATIONS, "fs_store"))
    found = order(argparse.Namespace(**given | {"fs_store": ["mine"], "fs_timeout": "9"}))
    assert [one.name for one in found.targets] == ["mine"] and found.targets[0].custom is not None
    assert (str(found.effort), found.out, found.timeout, found.strict_quirks) == ("5", Path("there"), 9.0, True)
    both = order(argparse.Namespace(**given | {"fs_store": ["mine", "proving"], "fs_effort": "quick"}))
    assert {one.name for one in both.targets} == {"mine", "proving"} and str(both.effort) == "quick"
    with pytest.raises(Problem, match=r"\[pytest\]: no key 'sed'"):
        write({"pytest": {"sed": 5}})
        order(argparse.Namespace(**given))


def test_a_secret_of_the_file_is_in_no_error() -> None:
    write({"run": {"conf": {"fs.a.secret": SECRET}, "effort": SECRET}})
    assert SECRET not in told("run")

"""results.json: what is written can be read back and fits the schema, and what is wrong is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsconform.records import codec
from fsconform.records.results import (
    IMPACTS,
    VERDICTS,
    Change,
    ClauseRecord,
    Divergence,
    ExplorerRecord,
    InternalErrorRecord,
    Latency,
    OptionRecord,
    Results,
    Run,
    StepRecord,
    StoreRecord,
)

ROOM = Path(__file__).resolve().parent.parent.parent / "records"
EXAMPLE = ROOM / "example.json"
SCHEMA = ROOM / "results.schema.json"

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
counts = st.integers()
seconds = st.floats(allow_nan=False, allow_infinity=False)
names = st.dictionaries(texts, texts, max_size=2)
values = st.none() | st.booleans() | st.integers() | texts
objects = st.dictionaries(texts, values | st.lists(values, max_size=2), max_size=2)
verdicts = st.sampled_from(VERDICTS)


def few(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """A short list."""
    return st.lists(strategy, max_size=2)


booleans = st.booleans()
steps = st.builds(StepRecord, texts, objects, texts, texts, booleans, booleans, few(texts).map(tuple), booleans, counts)
divergences = st.builds(
    Divergence,
    *(texts, verdicts, texts, texts, texts, texts, texts, texts),
    program=few(objects),
    steps=counts,
    confirmed=texts,
    options=few(few(st.builds(Change, texts, values, values, texts))),
    replay=texts,
    count=counts,
    sequence=few(steps),
    logs=few(texts),
    note=texts,
    impact=st.sampled_from(("", *IMPACTS)),
    cause=texts,
    quirk=texts,
)
stores = st.builds(
    StoreRecord,
    *(texts, texts, counts, counts, counts, seconds, seconds),
    verdicts=st.dictionaries(verdicts, counts, max_size=3),
    clauses=st.dictionaries(texts, counts, max_size=2),
    options=st.dictionaries(texts, st.builds(OptionRecord, values, values, texts, values, texts, texts), max_size=2),
    divergences=few(divergences),
    explorers=few(st.builds(ExplorerRecord, texts, counts, counts, seconds, st.none() | counts, st.none() | counts)),
    latencies=st.dictionaries(texts, st.builds(Latency, counts, seconds, seconds, seconds, seconds), max_size=2),
    versions=names,
    problems=few(texts),
    waiver_problems=few(texts),
    internal_errors=few(st.builds(InternalErrorRecord, texts, texts, texts, counts)),
)
runs = st.builds(Run, texts, counts, names, texts, seconds, counts, texts, names)
clauses = st.builds(ClauseRecord, texts, texts, texts, texts, texts, texts, texts)
anything = st.builds(Results, st.just(1), runs, few(stores), few(clauses))


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The schema that is checked in."""
    loaded: dict[str, Any] = json.loads(SCHEMA.read_bytes())
    jsonschema.Draft202012Validator.check_schema(loaded)
    return loaded


@pytest.fixture
def plain() -> dict[str, Any]:
    """The example as plain data."""
    loaded: dict[str, Any] = json.loads(EXAMPLE.read_bytes())
    return loaded


def fits(schema: dict[str, Any], instance: object) -> bool:
    """Whether an instance is valid."""
    return jsonschema.Draft202012Validator(schema).is_valid(instance)


def test_schema_is_what_the_records_say() -> None:
    """After a change of the records: ``python -c`` with ``codec.schema_bytes()`` writes the file anew."""
    assert SCHEMA.read_bytes() == codec.schema_bytes()


def test_example_fits_the_schema(schema: dict[str, Any], plain: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(schema).validate(plain)


def test_example_is_written_as_it_was_read() -> None:
    assert codec.dumps(codec.loads(EXAMPLE)) == EXAMPLE.read_bytes()


def test_example_shows_every_verdict() -> None:
    """The example serves the reports' tests too."""
    found = {one.verdict for store in codec.loads(EXAMPLE).stores for one in store.divergences}
    assert found == set(VERDICTS) - {"conforms"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(results=anything)
def test_round_trip(results: Results) -> None:
    data = codec.dumps(results)
    assert codec.loads(data) == results
    jsonschema.Draft202012Validator(codec.json_schema()).validate(json.loads(data))


def test_equal_results_give_equal_bytes() -> None:
    """Whatever the order in which mappings were filled."""
    results = codec.loads(EXAMPLE)
    turned = replace(
        results,
        stores=[
            replace(
                store,
                clauses=dict(reversed(store.clauses.items())),
                options=dict(reversed(store.options.items())),
                latencies=dict(reversed(store.latencies.items())),
            )
            for store in results.stores
        ],
    )
    assert list(turned.stores[0].clauses) != list(results.stores[0].clauses)
    assert codec.dumps(turned) == codec.dumps(results)


def test_result_is_indented_and_ends_in_a_newline() -> None:
    data = codec.dumps(codec.loads(EXAMPLE))
    assert data.startswith(b'{\n  "schema": 1,\n  "run": {\n    "id": ')
    assert data.endswith(b"}\n") and not data.endswith(b"\n\n")


def test_lone_surrogate_is_written_as_its_escape() -> None:
    """A name of a file that is no UTF-8 reaches Python as lone surrogates."""
    results = codec.loads(EXAMPLE)
    store = replace(results.stores[0], name="a\udcff", clauses={"\ud800": 1})
    read = codec.loads(codec.dumps(replace(results, stores=[store])))
    assert read.stores[0].name == "a\\udcff"
    assert read.stores[0].clauses == {"\\ud800": 1}


def test_unknown_fields_are_ignored(plain: dict[str, Any]) -> None:
    plain["later"] = plain["run"]["later"] = {"x": 1}
    assert codec.loads(json.dumps(plain).encode()) == codec.loads(EXAMPLE)


def test_what_could_not_be_read_is_not_written() -> None:
    results = codec.loads(EXAMPLE)
    for wrong in (
        replace(results, schema=2),
        replace(results, run=replace(results.run, seconds=float("nan"))),
        replace(results, stores=[replace(results.stores[0], verdicts={"fine": 1})]),
        replace(results, stores=[replace(results.stores[0], name=None)]),  # type: ignore[arg-type]
        replace(results, stores=[replace(results.stores[0], name=None, uri="\ud800")]),  # type: ignore[arg-type]
    ):
        with pytest.raises(codec.RecordError):
            codec.dumps(wrong)


def broken(plain: dict[str, Any], *path: str | int, value: object = ...) -> bytes:
    """The example with one place changed, or taken away."""
    place: Any = plain
    for key in path[:-1]:
        place = place[key]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(plain).encode()


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("schema",), 2, "has schema 2, and this version reads schema 1"),
        (("schema",), ..., "`schema`"),
        (("schema",), "1", "$.schema"),
        (("run", "seed"), ..., "`seed` - at `$.run`"),
        (("run", "seed"), "7", "$.run.seed"),
        (("stores", 0, "name"), ..., "`name` - at `$.stores"),
        (("stores", 1, "divergences", 2, "replay"), ..., "`replay`"),
        (("stores", 1, "divergences", 2, "verdict"), "fine", "no verdict 'fine' - at `$.stores[1].divergences[2]"),
        (
            ("stores", 1, "divergences", 2, "impact"),
            "grave",
            "no impact 'grave' - at `$.stores[1].divergences[2].impact`",
        ),
        (("stores", 2, "verdicts"), {"fine": 1}, "no verdict 'fine' - at `$.stores[2].verdicts`"),
        (("stores", 0, "latencies", "create", "p50"), None, "latencies"),
    ],
)
def test_what_is_wrong_is_named(
    tmp_path: Path,
    plain: dict[str, Any],
    schema: dict[str, Any],
    path: tuple[str | int, ...],
    value: object,
    says: str,
) -> None:
    """By the reader with the file's name; and the schema refuses the same."""
    file = tmp_path / "results.json"
    file.write_bytes(broken(plain, *path, value=value))
    with pytest.raises(codec.RecordError) as caught:
        codec.loads(file)
    assert str(file) in str(caught.value)
    assert says in str(caught.value)
    assert not fits(schema, plain)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"not json",
        b'{"schema": 1, "run": {"id": "\xff"}}',
        b'{"schema": 1, "x": ' + b"[" * 100_000,
        b'{"schema": 1} x',
    ],
    ids=["empty", "cut", "text", "no UTF-8", "deep", "more after it"],
)
def test_what_is_not_json_is_said_so(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "results.json"
    file.write_bytes(data)
    with pytest.raises(codec.RecordError, match="is not JSON") as caught:
        codec.loads(file)
    assert str(file) in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(codec.RecordError, match=r"absent\.json: No such file"):
        codec.loads(tmp_path / "absent.json")


@pytest.mark.parametrize("data", [b"[]", b"null", b"1"])
def test_json_that_is_no_results(data: bytes) -> None:
    with pytest.raises(codec.RecordError, match="is not the results of a run"):
        codec.loads(data)

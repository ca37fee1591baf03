"""Contracts of committers on stores: those that are shipped, and what is wrong with others."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsconform.adapters.spark.committers import COMMITTERS, for_scheme, of_class
from fsconform.adapters.stores.contracts import shipped, shipped_commit_contract, shipped_commit_contracts
from fsconform.harness.layer_plans import DatasetPlan
from fsconform.harness.layer_plans import plan_datasets as plan
from fsconform.harness.layer_plans import spark_names as names
from fsconform.harness.layer_stores import SPARK_STORES as STORES
from fsconform.harness.problems import Problem
from fsconform.model.datasets import contract as options
from fsconform.model.filesystem.contract import OPTIONS as FILESYSTEM_OPTIONS
from fsconform.specs.contract_xml import ContractError
from fsconform.specs.layers import load_commit_contract, parse_commit_contract, property_of


def asked(*stores: str, committers: tuple[str, ...] = (), suites: tuple[str, ...] = ()) -> DatasetPlan:
    return plan(stores, suites, committers, None, (), (), default=False)


def test_each_committer_has_a_contract_on_each_store_it_is_for_and_no_other_has() -> None:
    wanted = {f"{store}-{one.name}" for store, preset in STORES.items() for one in for_scheme(preset.scheme)}
    assert set(shipped_commit_contracts()) == wanted
    assert {pair.name for pair in asked(*STORES).pairs} == wanted
    assert not wanted & set(shipped())


def test_what_is_shipped_is_no_perfect_contract_and_says_what_is_known_of_the_committers() -> None:
    for name in shipped_commit_contracts():
        declared = {option for option, value in shipped_commit_contract(name).declared.items() if value}
        assert declared, name
        assert (options.COMMITS_BY_COPYING in declared) is name.startswith("spark-s3a-file"), name
        assert (options.FAILED_JOB_LEAVES_ROWS in declared) is name.endswith("file-v2"), name
        assert (options.ROWS_SEEN_BEFORE_JOB_COMMIT in declared) is name.endswith("file-v2"), name


def test_shipped_waivers_are_of_stores_that_there_are() -> None:
    for pair in asked(*STORES).pairs:
        assert all(waiver.store == pair.name for waiver in pair.waivers)
        assert bool(pair.waivers) is (pair.committer.name == "manifest")


def test_options_have_names_of_their_own() -> None:
    assert not set(options.OPTIONS) & set(FILESYSTEM_OPTIONS)
    assert all(property_of(name).startswith("fs.contract.fsconform.") for name in options.OPTIONS)


def test_an_unknown_option_is_refused_with_the_line_and_the_closest_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.xml"
    path.write_text(
        "<configuration>\n<property><name>fs.contract.fsconform.commits-by-copyin</name><value>true</value></property>\n"
        "</configuration>"
    )
    with pytest.raises(ContractError, match=r"mine\.xml:2: no such contract option .*commits-by-copying"):
        load_commit_contract(path)
    with pytest.raises(ContractError, match="not true or false"):
        parse_commit_contract(path.read_bytes().replace(b"copyin<", b"copying<").replace(b"true", b"maybe"), "mine.xml")
    with pytest.raises(ContractError, match=r"none\.xml"):
        load_commit_contract(tmp_path / "none.xml")


def test_a_store_means_all_its_committers_and_one_can_be_chosen() -> None:
    assert {pair.committer.name for pair in asked("spark-s3a").pairs} == set(COMMITTERS) - {"manifest"}
    assert [pair.name for pair in asked("spark-hdfs-manifest").pairs] == ["spark-hdfs-manifest"]
    chosen = asked("spark-file", "spark-s3a", committers=("file-v2", "magic"))
    assert [pair.name for pair in chosen.pairs] == ["spark-file-file-v2", "spark-s3a-file-v2", "spark-s3a-magic"]
    assert {"spark-file", "spark-s3a-directory"} <= set(names())


def test_a_committer_of_ones_own_is_judged_as_a_perfect_one() -> None:
    (pair,) = asked("spark-file", committers=("org.example.Mine$Factory",)).pairs
    assert not pair.contract.declared and pair.committer.factory == "org.example.Mine$Factory"
    assert of_class("a.B").job_options("file") == {"mapreduce.outputcommitter.factory.scheme.file": "a.B"}


def test_a_run_that_chooses_nothing_has_the_short_selection_on_one_store() -> None:
    found = plan((), (), (), None, (), (), default=True)
    assert found.short and not found.alone and found.stores == ("spark-file",)
    assert plan(("hdfs",), (), (), None, (), (), default=False) == DatasetPlan()


def test_streams_are_judged_once_a_store() -> None:
    assert [pair.name for pair in asked("spark-file", suites=("spark-streaming",)).pairs] == ["spark-file-file-v1"]


@pytest.mark.parametrize(
    ("stores", "suites", "committers", "told"),
    [
        (("spark-file",), ("spark-streaming",), ("manifest",), "ask for the committer file-v1"),
        (("spark-files",), (), (), "did you mean 'spark-file'"),
        (("spark-file", "hdfs"), (), (), "leave hdfs out"),
        (("spark-file",), ("rename",), (), "leave rename out"),
        (("spark-file",), ("spark-writer",), (), "did you mean 'spark-writers'"),
        (("hdfs",), ("spark-writers",), (), "add --store spark-file"),
        ((), (), ("magic",), "add --store spark-file"),
        (("spark-file",), (), ("magic",), "there are file-v1, file-v2, manifest"),
        (("spark-file",), (), ("magik",), "did you mean 'magic'"),
    ],
)
def test_what_can_not_be_asked_for_is_told_with_the_mend(
    stores: tuple[str, ...], suites: tuple[str, ...], committers: tuple[str, ...], told: str
) -> None:
    with pytest.raises(Problem, match=told):
        asked(*stores, committers=committers, suites=suites)

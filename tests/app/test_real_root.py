"""The real root in a run of all suites: after the rest, by one session, only where nobody can lose anything."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

import pytest
from click.testing import CliRunner

from fsconform.adapters.stores.site import Connection, Site
from fsconform.app.main import main
from fsconform.engine.effort import Effort
from fsconform.engine.events import unheard
from fsconform.engine.protocol import StoreLost
from fsconform.harness import plans, real_root
from fsconform.harness.fleet import Assignment
from fsconform.harness.judging import Judged, judge_store
from fsconform.harness.presets import Custom
from fsconform.harness.sites import Owned
from fsconform.harness.targets import Target, targets
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import decode_program
from fsconform.proving.session import ProvingStore
from fsconform.records.joined import IN_ROOT, joined
from fsconform.suites.registry import DEFAULT, SUITES

SEED = 3
NOTHING = plans.Filter()
NORMAL = Effort().amounts("fast")
FAULTS = ("root-renamed", "root-with-children-deleted", "root-missing")


class Somebodys:
    """A store in memory that is not the harness's own: it has no real root to offer."""

    def __init__(self) -> None:
        self._store = ProvingStore()
        self.name, self.uri, self.versions = self._store.name, self._store.uri, self._store.versions
        self.session, self.logs, self.close = self._store.session, self._store.logs, self._store.close


def target() -> Target:
    """The store in memory, as it is asked for by name."""
    (one,) = targets(("proving",), None, "", None, 1)
    return one


def judged(store: ProvingStore | Somebodys, suites: tuple[str, ...] = ("delete",)) -> Judged:
    """A store judged by the witnesses of some suites, and then in its real root."""
    usual = tuple(SUITES[name] for name in suites)
    kinds = frozenset(("witnesses", "hypothesis"))
    command = "fsconform replay {replay} --root"
    part = real_root.part_of(target(), (SUITES["root"],), SEED, NOTHING, kinds, NORMAL, command)
    assert part is not None
    explorers = partial(plans.explorers, usual, seed=SEED, wanted=NOTHING, kinds=frozenset(("witnesses",)))
    one = target()
    assignment = Assignment(one.name, lambda: store, one.contract, explorers, 60.0, 1, on_root=part)
    return judge_store(assignment, unheard, ())


@pytest.mark.parametrize("fault", FAULTS)
def test_what_only_the_root_shows_is_in_the_record_of_the_store(fault: str) -> None:
    record = judged(ProvingStore(fault=fault)).record
    failing = [one for one in record.divergences if one.verdict == "violation"]
    assert failing and all(one.root and one.reproducer.endswith("--root") for one in failing)
    assert record.verdicts["violation"] == len(failing)
    kinds = {type(step.operation) for one in failing for step in decode_program(one.program)}
    assert kinds & {Rename, Delete} or fault == "root-missing"


def test_a_sound_store_is_judged_in_both_places() -> None:
    found = judged(ProvingStore())
    record = found.record
    assert record.divergences == [] and record.problems == []
    names = {one.name: one for one in record.explorers}
    assert names["witnesses"].programs > 10 < names[f"{IN_ROOT}witnesses"].programs
    assert names[f"{IN_ROOT}hypothesis root"].programs == NORMAL.least
    assert record.programs == sum(one.programs for one in record.explorers)
    assert record.operations == sum(one.operations for one in record.explorers)
    assert record.sessions == 2
    place, programs = found.places[f"{IN_ROOT}hypothesis root"]
    assert place >= programs == NORMAL.least


def test_the_same_seed_gives_the_same_programs_and_verdicts() -> None:
    first, second = (judged(ProvingStore(fault="root-renamed")).record for _ in range(2))
    assert first.divergences == second.divergences
    assert first.clauses == second.clauses and first.operations == second.operations


def test_a_store_that_is_not_our_own_is_left_alone_and_that_is_said() -> None:
    record = judged(Somebodys()).record
    assert record.problems == [f"{IN_ROOT}the real root of 'proving' is not the harness's own"]
    assert not any(one.name.startswith(IN_ROOT) for one in record.explorers)


def test_no_site_without_a_service_has_a_root_to_offer(tmp_path: Path) -> None:
    site = Site(Connection("own", uri="hdfs://example/sandbox"))
    with pytest.raises(StoreLost, match="'own' is not the harness's own"):
        Owned(ProvingStore("own"), site).on_root()
    assert isinstance(Owned(ProvingStore(), Site(Connection("proving", "proving"))).on_root(), ProvingStore)


def test_what_the_user_named_is_never_played_with() -> None:
    own = replace(target(), custom=Custom("hdfs://example/"))
    suites = (SUITES["root"],)
    assert real_root.part_of(own, suites, 0, NOTHING, frozenset(), NORMAL, "") is None
    (local,) = targets(("local",), None, "", None, 1)
    assert real_root.part_of(local, suites, 0, NOTHING, frozenset(), NORMAL, "") is None
    assert real_root.part_of(target(), (), 0, NOTHING, frozenset(), NORMAL, "") is None


def test_the_suite_belongs_to_a_run_of_all_suites() -> None:
    usual = tuple(SUITES[name] for name in DEFAULT)
    assert real_root.parts_of(usual, named=False) == real_root.Parts(usual, (SUITES["root"],), False)
    assert real_root.parts_of(usual[:2], named=True) == real_root.Parts(usual[:2], (), False)
    both = real_root.parts_of((usual[0], SUITES["root"]), named=True)
    assert both == real_root.Parts((usual[0],), (SUITES["root"],), False)
    assert real_root.parts_of((SUITES["root"],), named=True).alone


def test_a_signature_of_both_places_is_told_once_by_the_worse_verdict() -> None:
    record = judged(ProvingStore(fault="root-renamed")).record
    violation = next(one for one in record.divergences if one.verdict == "violation")
    waived = replace(violation, verdict="waived", root=False, count=2)
    for store, root in ((waived, violation), (violation, waived)):
        both = joined(replace(record, divergences=[store]), replace(record, divergences=[root]))
        (one,) = both.divergences
        assert (one.verdict, one.count) == ("violation", violation.count + 2)
        assert both.verdicts["violation"] == 1 and both.verdicts["waived"] == 0


def test_the_command_judges_both_and_says_so(tmp_path: Path) -> None:
    arguments = ["run", "--store", "proving", "--explorer", "witnesses", "--budget", "0", "--out", str(tmp_path)]
    ran = CliRunner().invoke(main, arguments)
    assert ran.exit_code == 0, ran.output
    results = json.loads((tmp_path / "latest" / "results.json").read_text("utf-8"))
    (store,) = results["stores"]
    assert [one["name"] for one in store["explorers"]] == ["witnesses", f"{IN_ROOT}witnesses"]
    assert results["run"]["configuration"]["suites"].endswith("root")


def test_an_operation_that_does_not_play_in_the_root_is_judged_without_it(tmp_path: Path) -> None:
    narrow = ("--op", "setReplication", "--explorer", "hypothesis", "--effort", "60")
    result = CliRunner().invoke(main, ["run", "--store", "proving", *narrow, "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    (store,) = json.loads((tmp_path / "latest" / "results.json").read_bytes())["stores"]
    assert store["problems"] == [] and store["operations"]


def test_settings_of_the_client_in_the_root_are_given_to_it() -> None:
    asked: list[dict[str, str]] = []

    class Rooted(ProvingStore):
        def on_root(self, configuration: object = MappingProxyType({})) -> ProvingStore:
            assert isinstance(configuration, dict)
            asked.append(configuration)
            return self

    connection = Connection("proving", "proving", root_configuration={"a": "1"})
    Owned(Rooted(), Site(connection)).on_root({"b": "2"})
    assert asked == [{"a": "1", "b": "2"}]

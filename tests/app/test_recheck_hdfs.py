"""An audit log of a real HDFS, made by two clients at once: no false alarm, and what is altered is flagged."""

from __future__ import annotations

import threading

import pytest

from fsconform.adapters import jars
from fsconform.adapters.services.hdfs import HdfsService
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.site import Connection, Setup
from fsconform.app.campaigns.programs import programs
from fsconform.engine.audit.alterations import altered, apply
from fsconform.engine.audit.effects import Assumptions
from fsconform.engine.audit.judge import AuditJudge, Tally
from fsconform.engine.audit.lines import entries
from fsconform.engine.protocol import Job
from fsconform.harness.sites import connect
from fsconform.model.filesystem.oracle import Oracle
from fsconform.pipeline.units import Unit

CLIENTS = 2
PROGRAMS = 110
IN_ORDER = Assumptions(clients_in_order=True)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of the log of programs of the suite namespace, drawn and enumerated."""
    home = tmp_path_factory.mktemp("audit")
    oracle = Oracle(load_shipped("hdfs"))

    def drive(number: int, service: HdfsService) -> None:
        connection = Connection("hdfs", uri=f"{service.uri}/fsconform", configuration=service.client_configuration())
        store = connect(connection, Setup(home, lambda text: None))
        session = store.session()
        try:
            unit = Unit(number, "hdfs", "namespace", "drawn", number * PROGRAMS, PROGRAMS)
            for _ in session.execute([Job(program) for _, program in programs(oracle, 3, unit)]):
                pass
        finally:
            session.close()
            store.close()

    classpath = jars.resolve(jars.load_profile(), ["minicluster"])
    file = home / "audit.log"
    with HdfsService(home / "hdfs", classpath, audit=file) as service:
        clients = [threading.Thread(target=drive, args=(number, service)) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    with file.open(encoding="utf-8", newline="\n") as lines:
        return lines.readlines()


def _judged(log: list[str], assumptions: Assumptions = IN_ORDER) -> Tally:
    damaged: list[int] = []
    tally = AuditJudge(assumptions).follow(entries(log, damaged, [0]))
    assert not damaged
    return tally


@pytest.mark.parametrize("assumptions", [IN_ORDER, Assumptions()], ids=["in order", "nothing assumed"])
def test_there_is_no_false_alarm(log: list[str], assumptions: Assumptions) -> None:
    tally = _judged(log, assumptions)
    assert tally.entries >= 2000 and tally.commands["create"] > 50
    assert (tally.flags, tally.explained, tally.unheard_of) == ([], [], {})


def test_clients_are_told_apart(log: list[str]) -> None:
    """By their ports, which the log is made to tell."""
    callers = {one.caller for one in entries(log, [], [0])}
    assert len(callers) >= CLIENTS


@pytest.mark.parametrize("seed", range(3))
def test_altered_lines_are_flagged_and_no_others(log: list[str], seed: int) -> None:
    changed = altered(log, 2, seed)
    assert changed
    flags = [flag.line for flag in _judged(apply(log, changed)).flags]
    assert flags == [one.line for one in changed]

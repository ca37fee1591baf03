"""The cluster with real daemons: what can be done to its machines, and what the NameNode says of them then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconform.adapters import jars
from fsconform.adapters.services.daemon import Daemon, ServiceError
from fsconform.adapters.services.hdfs_cluster import HdfsCluster

SECONDS = 60.0
NODES = ("datanode-0", "datanode-1", "datanode-2")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HdfsCluster]:
    minicluster = jars.resolve(jars.load_profile(), ["minicluster"])
    with HdfsCluster(tmp_path_factory.mktemp("cluster") / "hdfs", minicluster) as running:
        yield running


def test_a_cluster_has_three_to_five_datanodes(tmp_path: Path) -> None:
    for datanodes in (2, 6):
        with pytest.raises(ValueError, match="has 3 to 5 DataNodes"):
            HdfsCluster(tmp_path / "work", [], datanodes=datanodes)


def test_a_daemon_whose_kill_was_interrupted_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = HdfsCluster(tmp_path / "work", [])
    home = tmp_path / "home"
    home.mkdir()
    daemon = Daemon("datanode-0", ["sleep", "600"], home, tmp_path / "log")

    def bring_up() -> None:
        daemon.start()
        cluster._daemons = [Daemon("namenode", ["true"], home, tmp_path / "log"), daemon]

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cluster, "_bring_up", bring_up)
    monkeypatch.setattr(daemon, "crash", interrupted)
    try:
        cluster.start()
        with pytest.raises(KeyboardInterrupt):
            cluster.crash("datanode-0")
        cluster.stop()
        assert not daemon.alive()
    finally:
        daemon.stop()


@pytest.mark.long
def test_nodes_are_on_the_racks_of_the_table_and_have_two_volumes(cluster: HdfsCluster) -> None:
    nodes = cluster.nodes()
    assert set(nodes) == {*NODES} == {*cluster.datanode_names}
    assert {name: node["location"] for name, node in nodes.items()} == {name: cluster.rack_of(name) for name in NODES}
    assert len({cluster.rack_of(name) for name in NODES}) == 2
    assert all(path.is_dir() for name in NODES for path in cluster.volumes_of(name))
    assert {cluster.node_at(node["xferaddr"]) for node in nodes.values()} == {*NODES}


@pytest.mark.long
def test_a_killed_datanode_comes_back_with_its_ports_and_its_identity(cluster: HdfsCluster) -> None:
    before, processes = cluster.nodes()["datanode-1"], cluster.pids
    cluster.crash("datanode-1")
    assert cluster.down == {"datanode-1"} and cluster.alive()
    cluster.restart("datanode-1")
    after = cluster.nodes()["datanode-1"]
    assert not cluster.down and cluster.pids["datanode-1"] != processes["datanode-1"]
    assert {name: pid for name, pid in cluster.pids.items() if name != "datanode-1"} == {
        name: pid for name, pid in processes.items() if name != "datanode-1"
    }
    assert (after["xferaddr"], after["uuid"]) == (before["xferaddr"], before["uuid"])


@pytest.mark.long
def test_a_halted_datanode_counts_as_dead_until_it_goes_on(cluster: HdfsCluster) -> None:
    cluster.halt("datanode-2")
    assert cluster.until(lambda: "datanode-2" not in cluster.nodes(), SECONDS)
    cluster.go_on("datanode-2")
    assert cluster.until(lambda: "datanode-2" in cluster.nodes(), SECONDS)


@pytest.mark.long
def test_a_restarted_namenode_knows_all_datanodes(cluster: HdfsCluster) -> None:
    cluster.crash("namenode")
    cluster.restart("namenode")
    assert set(cluster.nodes()) == {*cluster.datanode_names}


@pytest.mark.long
def test_datanodes_are_added_and_decommissioned(cluster: HdfsCluster) -> None:
    names = [cluster.add_datanode(), cluster.add_datanode()]
    assert names == ["datanode-3", "datanode-4"] and {*names} < set(cluster.nodes())
    with pytest.raises(ServiceError, match="5 DataNodes at most"):
        cluster.add_datanode()
    cluster.decommission(["datanode-0"])
    assert cluster.until(lambda: cluster.nodes()["datanode-0"]["adminState"] == "Decommissioned", SECONDS)
    cluster.decommission([])
    assert cluster.until(lambda: cluster.nodes()["datanode-0"]["adminState"] == "In Service", SECONDS)


@pytest.mark.long
def test_nothing_is_left_where_a_daemon_was_killed_and_another_one_halted(tmp_path: Path) -> None:
    minicluster = jars.resolve(jars.load_profile(), ["minicluster"])
    with HdfsCluster(tmp_path / "hdfs", minicluster) as cluster:
        processes = cluster.pids.values()
        cluster.crash("datanode-0")
        cluster.halt("datanode-1")
    assert not (tmp_path / "hdfs").exists()
    assert not any(Path(f"/proc/{pid}").exists() for pid in processes)

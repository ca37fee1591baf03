"""The configuration of a small HDFS that answers fast: what the daemons are told, and what a client must be told.

Nothing here changes what a client may observe. Speed comes from not waiting and from not forcing data to a disk that is
thrown away. In particular ``dfs.namenode.file.close.num-committed-allowed`` stays 0: with 1, close returns before the
DataNode has reported the block.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

LOGGING = """\
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
log4j.logger.org.apache.hadoop.hdfs.StateChange=WARN
log4j.logger.BlockStateChange=WARN
log4j.logger.org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace=WARN
log4j.logger.org.apache.hadoop.hdfs.server.namenode.FSNamesystem.audit=WARN
log4j.logger.http.requests=WARN
log4j.logger.org.apache.hadoop.hdfs.server.datanode=WARN
log4j.logger.org.apache.hadoop.hdfs.server.namenode.FSNamesystem=WARN
"""
"""Logging of the daemons: all to standard error, without the lines that come with every block and every call."""

AUDIT = "log4j.logger.org.apache.hadoop.hdfs.server.namenode.FSNamesystem.audit"

CALLERS = {"hadoop.caller.context.enabled": "true", "dfs.namenode.audit.log.with.remote.port": "true"}
"""What makes the audit log tell each client's port, by which clients of one user on one machine are told apart."""

SHARED = {
    "dfs.replication": "1",
    "dfs.blocksize": "1048576",
    "dfs.client.block.write.replace-datanode-on-failure.policy": "NEVER",
    "dfs.client.block.write.locateFollowingBlock.initial.delay.ms": "1",
    "dfs.client.block.write.locateFollowingBlock.max.delay.ms": "100",
    "dfs.client.block.write.locateFollowingBlock.retries": "60",
    "dfs.client.retry.window.base": "10",
}
"""What daemons and clients both use. Blocks are small, so that a file of a few MiB has several.

A reader that has no DataNode left waits at random, up to 3 s, before it asks the NameNode again; here 10 ms.

A close that comes before the DataNode's report is repeated after a delay that doubles. Hadoop begins with 400 ms and
gives up after 5 repetitions; beginning with 1 ms needs more of them, or a busy machine would look like a failed close.
"""

GROUPS = "dr.who=;fsconform-ann=fsconform-staff;fsconform-bob=fsconform-staff;fsconform-eve="
"""The groups of users that no system knows, for calls by several users; dr.who is Hadoop's own default."""

NAMENODE = {
    "dfs.namenode.fs-limits.min-block-size": "0",
    "dfs.namenode.edits.noeditlogchannelflush": "true",
    "dfs.namenode.handler.count": "4",
    "dfs.namenode.safemode.extension": "0",
    "dfs.namenode.redundancy.interval.seconds": "1s",
    "dfs.namenode.resource.du.reserved": "1048576",
    "dfs.namenode.datanode.registration.ip-hostname-check": "false",
    "hadoop.user.group.static.mapping.overrides": GROUPS,
}
"""The NameNode's own. Edits are written but not forced; reverse look-ups of DataNodes are left out."""

DATANODE = {
    "dfs.heartbeat.interval": "1s",
    "dfs.datanode.directoryscan.interval": "-1",
    "dfs.block.scanner.volume.bytes.per.second": "0",
    "dfs.datanode.du.reserved": "0",
    "dfs.datanode.handler.count": "2",
    "ipc.client.connect.max.retries": "1200",
    "ipc.client.connect.retry.interval": "50",
}
"""The DataNode's own. It tries to reach the NameNode every 50 ms."""


DURABLE = {
    "dfs.namenode.edits.noeditlogchannelflush": "false",
    "dfs.namenode.safemode.threshold-pct": "0",
    "dfs.blockreport.initialDelay": "0",
    "dfs.namenode.resource.check.interval": "200",
}
"""What daemons are told whose power or disk is to fail: edits are forced, as by default, what is lost keeps no NameNode
in safe mode, and it looks every 200 ms, not every 5 s, whether there is room for its journal."""


def logging(audit: Path | None = None) -> str:
    """The daemons' logging; with a file, the NameNode's audit log goes there."""
    if audit is None:
        return LOGGING
    kept = [line for line in LOGGING.splitlines() if not line.startswith(AUDIT)]
    own = {
        AUDIT: "INFO,audit",
        AUDIT.replace(".logger.", ".additivity."): "false",
        "log4j.appender.audit": "org.apache.log4j.FileAppender",
        "log4j.appender.audit.File": str(audit).replace("\\", "\\\\"),
        "log4j.appender.audit.Encoding": "UTF-8",
        "log4j.appender.audit.layout": "org.apache.log4j.PatternLayout",
        "log4j.appender.audit.layout.ConversionPattern": "%d{ISO8601} %p %c{2}: %m%n",
    }
    return "\n".join([*kept, *(f"{name}={value}" for name, value in own.items()), ""])


def client_settings(host: str, port: int, datanodes: int, overrides: Mapping[str, str]) -> dict[str, str]:
    """What a client must set to use the service."""
    settings = {**SHARED, "fs.defaultFS": f"hdfs://{host}:{port}", **overrides}
    settings["dfs.replication"] = str(min(int(settings["dfs.replication"]), datanodes))
    return settings


def daemon_settings(
    host: str, port: int, storage: Path, overrides: Mapping[str, str], advertised: str = ""
) -> dict[str, str]:
    """What a daemon is told; the same for all kinds, each reads its own. The other ports are ephemeral.

    DataNodes give ``advertised`` as their name, or else ``host``.

    Overrides cannot move a listening address or the storage: those are what keep the service private and removable.
    """
    return {
        **SHARED,
        **NAMENODE,
        **DATANODE,
        **overrides,
        "fs.defaultFS": f"hdfs://{host}:{port}",
        "dfs.namenode.rpc-address": f"{host}:{port}",
        "dfs.namenode.rpc-bind-host": host,
        "dfs.namenode.http-address": f"{host}:0",
        "dfs.namenode.http-bind-host": host,
        "dfs.namenode.name.dir": (storage / "name").as_uri(),
        "dfs.datanode.hostname": advertised or host,
        "dfs.datanode.address": f"{host}:0",
        "dfs.datanode.http.address": f"{host}:0",
        "dfs.datanode.ipc.address": f"{host}:0",
        "dfs.datanode.data.dir": (storage / "data").as_uri(),
        "hadoop.tmp.dir": str(storage / "tmp"),
    }


def as_xml(settings: Mapping[str, str]) -> str:
    """The settings as a Hadoop configuration file."""
    pairs = ((escape(name), escape(value)) for name, value in settings.items())
    lines = (f"<property><name>{name}</name><value>{value}</value></property>" for name, value in pairs)
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<configuration>", *lines, "</configuration>", ""])

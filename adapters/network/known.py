"""The networks of the services that the harness starts, and the settings by which their clients give up soon.

Nothing is changed but times and numbers of attempts: which calls are tried again is as it is by default, but for HDFS,
whose client tries none again where there is one NameNode only; here it does, as it does with two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from fsconform.adapters.network.links import Endpoint, Network, Route
from fsconform.adapters.network.requests import BlockTransfers, Bytes, Commands, HadoopCalls
from fsconform.adapters.services.hdfs import ADVERTISED, HdfsService
from fsconform.adapters.services.s3_access import S3Server
from fsconform.adapters.services.transfer import TransferServer
from fsconform.engine.injection import DATANODE, FTP, NAMENODE, S3, WEBHDFS

HDFS_CLIENT = {
    "dfs.client.use.datanode.hostname": "true",
    "dfs.client.socketcache.capacity": "0",
    "dfs.client.retry.policy.enabled": "true",
    "dfs.client.retry.policy.spec": "20,2",
    "dfs.client.socket-timeout": "1000",
    "dfs.datanode.socket.write.timeout": "1000",
    "dfs.client.block.write.retries": "1",
    "dfs.client.max.block.acquire.failures": "1",
    "dfs.client.block.write.locateFollowingBlock.retries": "8",
    "ipc.client.rpc-timeout.ms": "1000",
    "ipc.ping.interval": "1000",
    "ipc.client.connect.timeout": "1000",
    "ipc.client.connect.max.retries": "1",
    "ipc.client.connect.max.retries.on.timeouts": "1",
}
"""HDFS's client: 3 attempts of a call, each of one second; no connection to a DataNode is kept for a second transfer.

The DataNode is reached by the name that it gives, at which a link listens: a second address of this machine.
"""

S3A_CLIENT = {
    "fs.s3a.attempts.maximum": "2",
    "fs.s3a.retry.limit": "2",
    "fs.s3a.retry.interval": "10ms",
    "fs.s3a.retry.throttle.limit": "2",
    "fs.s3a.retry.throttle.interval": "10ms",
    "fs.s3a.connection.timeout": "15s",
    "fs.s3a.connection.establish.timeout": "15s",
    "fs.s3a.connection.part.upload.timeout": "15s",
    "fs.s3a.connection.request.timeout": "15s",
}
"""S3A: 15 s is the shortest time-out that it takes (AWSClientConfig.MINIMUM_NETWORK_OPERATION_DURATION)."""


def of_hdfs(service: HdfsService) -> Network:
    """The network of an HDFS with one DataNode."""

    def endpoints() -> Sequence[Endpoint]:
        host, port = service.datanodes()[0]
        return (
            Endpoint(NAMENODE, host, service.port, HadoopCalls),
            Endpoint(DATANODE, host, port, BlockTransfers, (ADVERTISED, port)),
        )

    def route(address: Callable[[str], tuple[str, int]]) -> Route:
        host, port = address(NAMENODE)
        uri = f"hdfs://{host}:{port}"
        return Route(f"{uri}/fsconform", HDFS_CLIENT | {"fs.defaultFS": uri})

    return Network((NAMENODE, DATANODE), endpoints, route)


def of_s3a(service: S3Server) -> Network:
    """The network of an S3 server, for S3A."""

    def route(address: Callable[[str], tuple[str, int]]) -> Route:
        host, port = address(S3)
        return Route(settings=S3A_CLIENT | {"fs.s3a.endpoint": f"http://{host}:{port}"})

    return Network((S3,), lambda: (Endpoint(S3, "127.0.0.1", service.port),), route)


WEBHDFS_CLIENT = {"dfs.webhdfs.socket.connect-timeout": "2s", "dfs.webhdfs.socket.read-timeout": "2s"}
"""WebHDFS: a minute each by default. The clients of FTP and SFTP have no time-outs."""


def of_transfer(server: TransferServer) -> Network:
    """The network of a server of FTP, of which the control connection is a link, or of SFTP."""
    name = server.protocol

    def route(address: Callable[[str], tuple[str, int]]) -> Route:
        host, port = address(name)
        return Route(f"{name}://{host}:{port}/fsconform")

    splitting = Commands if name == FTP else Bytes
    return Network((name,), lambda: (Endpoint(name, "127.0.0.1", server.port, splitting),), route)


def of_webhdfs(service: HdfsService) -> Network:
    """The network of a NameNode by HTTP; the DataNode that it names is reached without a link."""

    def endpoints() -> Sequence[Endpoint]:
        where = urlsplit(service.web_uri)
        return (Endpoint(WEBHDFS, str(where.hostname), int(where.port or 0)),)

    def route(address: Callable[[str], tuple[str, int]]) -> Route:
        host, port = address(WEBHDFS)
        uri = f"webhdfs://{host}:{port}"
        return Route(f"{uri}/fsconform", WEBHDFS_CLIENT | {"fs.defaultFS": uri})

    return Network((WEBHDFS,), endpoints, route)

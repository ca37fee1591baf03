"""The store ``httpfs``: how it is brought up."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from pathlib import Path

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.adapters.stores.starting import START_SECONDS, started

PROFILE = "httpfs-3.4.2"
"""The gateway's own jars, whatever Hadoop the run uses: Maven Central has none of it for 3.5.0."""

USER = "httpfs"
"""The gateway's own user, who may act for any other."""

_MAIN = "org.apache.hadoop.fs.http.server.HttpFSServerWebServer"
_LISTENS = re.compile(r"Started ServerConnector.*\{127\.0\.0\.1:(\d+)\}")
_JAXB = "--add-opens=java.base/java.lang=ALL-UNNAMED"
"""What the gateway's JAXB, of Java 8, asks of a newer one."""


def command(home: Path, jars: Sequence[Path], hdfs: str) -> Sequence[str]:
    """What starts the gateway in a folder, on any free port, before an HDFS. Raises NoJava or OSError."""
    from fsconform.adapters.java import find_java
    from fsconform.adapters.services.hdfs import JVM
    from fsconform.adapters.services.hdfs_configuration import LOGGING, as_xml

    conf, parts = home / "conf", ("conf", "log", "temp")
    for part in parts:
        (home / part).mkdir()
    (conf / "httpfs-signature.secret").write_text(secrets.token_hex(), encoding="utf-8")
    (conf / "log4j.properties").write_text(LOGGING, encoding="utf-8")
    (conf / "core-site.xml").write_text(as_xml({"fs.defaultFS": hdfs}), encoding="utf-8")
    own = {"httpfs.http.hostname": "127.0.0.1", "httpfs.http.port": "0", "httpfs.hadoop.config.dir": str(conf)}
    (conf / "httpfs-site.xml").write_text(as_xml(own | {"hadoop.tmp.dir": str(home / "temp")}), encoding="utf-8")
    places = [f"-Dhttpfs.home.dir={home}", *(f"-Dhttpfs.{name}.dir={home / name}" for name in ("log", "temp"))]
    path = ":".join(map(str, (conf, *jars)))
    return (str(find_java().executable), *JVM, _JAXB, "-Xmx256m", *places, "-cp", path, _MAIN)


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.jars import bundled_profile, resolve
    from fsconform.adapters.services.hdfs import HdfsService
    from fsconform.adapters.services.server import Server

    jars, home = resolve(bundled_profile(PROFILE), ("server",), setup.say), temporary.folder(preset.name)
    hdfs = HdfsService(
        home / "hdfs",
        setup.jars("minicluster"),
        configuration={f"hadoop.proxyuser.{USER}.{what}": "*" for what in ("hosts", "groups")},
        progress=setup.say,
        start_timeout=START_SECONDS,
    )
    gateway = Server(
        "httpfs",
        home / "gateway",
        lambda folder: command(folder, jars, hdfs.uri),
        _LISTENS,
        {"HADOOP_USER_NAME": USER},
        setup.say,
        START_SECONDS,
    )
    service = started(preset.name, home, setup, [hdfs, gateway])
    uri = f"webhdfs://127.0.0.1:{gateway.port}"
    connection = Connection(
        preset.name,
        uri=f"{uri}/fsconform",
        group="minicluster",  # as of webhdfs
        configuration=hdfs.client_configuration() | {"fs.defaultFS": uri},
        versions=hdfs.versions | {"httpfs": PROFILE.rpartition("-")[2]},
    )
    return Site(connection, home, service)


STORE = Preset(
    "httpfs",
    "HDFS by way of HttpFS, Hadoop's gateway for HTTP: WebHdfsFileSystem on a gateway before an HDFS",
    "httpfs",
    bring_up,
    default=False,
    pace="slow",
    like="webhdfs",
    draft=True,
)

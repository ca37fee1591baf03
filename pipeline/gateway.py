"""A JVM beside an executor's Python, with the Hadoop client that Spark brings; it ends when its standard input does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HEAP = "-Xmx256m"


def started(jars: Sequence[str]) -> tuple[Any, Callable[[], None]]:
    """A py4j gateway to a new JVM with these jars before Spark's own, and what ends it.

    It listens on 127.0.0.1 and asks for a secret. Raises OSError if there is no Java or no Spark.
    """
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

    own = spark_jars()
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java") or "java"
    port, secret, process = launch_gateway(
        jarpath=str(next(iter(sorted(own.glob("py4j-*.jar"))))),
        classpath=os.pathsep.join([*jars, str(own / "*")]),
        javaopts=[HEAP, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dlog4j2.level=ERROR"],
        die_on_exit=True,
        java_path=java,
        enable_auth=True,
        create_new_process_group=True,
        return_proc=True,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=secret, auto_convert=True))

    def end() -> None:
        gateway.shutdown()  # what Python still holds of it is not released call by call any more
        if process.stdin is not None:
            process.stdin.close()
        process.wait()

    return gateway, end


def spark_jars() -> Path:
    """The folder of Spark's own jars: an executor has pyspark in an archive beside it. Raises FileNotFoundError."""
    import pyspark

    homes = [os.environ.get("SPARK_HOME", ""), *map(str, Path(pyspark.__file__).parents)]
    for home in filter(None, homes):
        folder = Path(home) / "jars"
        if next(folder.glob("py4j-*.jar"), None) is not None:
            return folder
    raise FileNotFoundError(f"Spark's jars are not at {homes[0] or homes[1]}: set SPARK_HOME on the executors")

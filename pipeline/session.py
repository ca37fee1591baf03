"""The Spark session of a campaign: made with what a campaign needs, and gone with all it started."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"

TASK_FAILURES = 64
"""How often a unit's task may fail, such as by a killed Python worker, before Spark gives the job up."""

FRUGAL = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""On one machine Spark's JVMs share the cores with what they start, and have little to compute."""

LOGGING = """\
status = error
rootLogger.level = {level}
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd'T'HH:mm:ss.SSS}} %p %c{{1}}: %m%n%ex
"""


class SparkTrouble(Exception):
    """Spark can't be started, or its master can't be reached; the text says why."""


def on_this_machine(master: str) -> bool:
    """True for a master whose executors are on this machine."""
    return master.startswith("local")


def with_retries(master: str) -> str:
    """A local master that tries a failed task again: Spark's own does not."""
    found = re.fullmatch(r"local(?:\[(\*|\d+)\])?", master)
    return f"local[{found[1] or 1},{TASK_FAILURES}]" if found else master


def configuration(master: str, given: Mapping[str, str]) -> dict[str, str]:
    """The properties of a session; what was ``given`` wins."""
    own = {
        "spark.app.name": "fsconform campaign",
        "spark.master": with_retries(master),
        "spark.task.maxFailures": str(TASK_FAILURES),
        "spark.ui.showConsoleProgress": "false",
        "spark.python.worker.reuse": "true",
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        # The order of a map's names follows their hashes: the same programs in every executor. (It is Spark's default.)
        "spark.executorEnv.PYTHONHASHSEED": "0",
        # An executor that is lost is replaced however often: what it held is done again and nothing else.
        "spark.deploy.maxExecutorRetries": "-1",
        # Units are of different length and few: what is aggregated is small.
        "spark.sql.shuffle.partitions": "4",
    }
    if on_this_machine(master):
        own |= {
            "spark.driver.host": LOOPBACK,
            "spark.driver.bindAddress": LOOPBACK,
            "spark.pyspark.python": sys.executable,
            "spark.pyspark.driver.python": sys.executable,
            "spark.driver.extraJavaOptions": FRUGAL,
            "spark.executor.extraJavaOptions": FRUGAL,
        }
    return own | dict(given)


@contextlib.contextmanager
def session(master: str, given: Mapping[str, str], logs: Path) -> Iterator[Any]:
    """A Spark session; its JVM and all that it started end with it. Raises SparkTrouble.

    Spark's own log goes to ``logs``. Only one can be open at a time in a process.
    """
    os.environ.pop("SPARK_REMOTE", None)  # a server of Spark Connect would be another session
    if on_this_machine(master):
        os.environ["SPARK_LOCAL_IP"] = LOOPBACK
        os.environ["PYSPARK_PYTHON"] = sys.executable
    from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    properties = configuration(master, given)
    logs = logs.absolute()
    logs.mkdir(parents=True, exist_ok=True)
    settings = logs / "log4j2.properties"
    settings.write_text(LOGGING.format(level="warn", file=logs / "spark.log"), "utf-8")
    java = properties.get("spark.driver.extraJavaOptions", "")
    properties["spark.driver.extraJavaOptions"] = f"{java} -Dlog4j2.configurationFile={settings.as_uri()}".strip()
    conf = SparkConf()
    for name, value in properties.items():
        conf.set(name, value)
    try:
        spark = SparkSession.builder.config(conf=conf).getOrCreate()
    except (PySparkException, Py4JError, Py4JNetworkError, OSError, RuntimeError) as error:
        _end_gateway(SparkContext)
        java_error = error.java_exception.toString() if isinstance(error, Py4JJavaError) else str(error)
        raise SparkTrouble(f"Spark could not be started at {master}: {java_error}") from error
    try:
        yield spark
    finally:
        with contextlib.suppress(Py4JError, Py4JNetworkError, OSError):
            spark.stop()
        _end_gateway(SparkContext)


def _end_gateway(context: Any) -> None:
    """End the JVM: PySpark leaves it until the process ends, and a later session would get its settings."""
    gateway = context._gateway
    if gateway is None:
        return
    process = getattr(gateway, "proc", None)
    gateway.shutdown()
    context._gateway = context._jvm = None
    if process is not None:
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(20)
        except Exception:
            process.kill()
            process.wait()

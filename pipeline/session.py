"""The Spark session of a campaign: made with what a campaign needs, and gone with all it started."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fsconform.engine.secrecy import KNOWN, SECRET, Pump, of_properties

LOOPBACK = "127.0.0.1"

TASK_FAILURES = 64
"""How often a unit's task may fail, such as by a killed Python worker, before Spark gives the job up."""

FRUGAL = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""On one machine Spark's JVMs share the cores with what they start, and have little to compute."""

LOGGING = """\
status = error
rootLogger.level = {level}
rootLogger.appenderRef.file.ref = file
appender.file.type = Console
appender.file.name = file
appender.file.target = SYSTEM_ERR
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd'T'HH:mm:ss.SSS}} %p %c{{1}}: %m%n%ex
"""


SETTLE_SECONDS = 5.0
"""For so long at most the log is waited for once the JVM is gone."""


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
        # What Spark shows and logs of properties.
        "spark.redaction.regex": f"(?i){SECRET.pattern}|access[.]?key",
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

    Spark's own log goes to ``logs``, with all else that its JVM prints, without secrets. Only one can be open at a time
    in a process.
    """
    os.environ.pop("SPARK_REMOTE", None)  # a server of Spark Connect would be another session
    if on_this_machine(master):
        os.environ["SPARK_LOCAL_IP"] = LOOPBACK
        os.environ["PYSPARK_PYTHON"] = sys.executable
    from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    properties = configuration(master, given)
    logs = logs.absolute()
    logs.mkdir(mode=0o700, parents=True, exist_ok=True)
    settings = logs / "log4j2.properties"
    settings.write_text(LOGGING.format(level="warn"), "utf-8")
    java = properties.get("spark.driver.extraJavaOptions", "")
    properties["spark.driver.extraJavaOptions"] = f"{java} -Dlog4j2.configurationFile={settings.as_uri()}".strip()
    pump = Pump(logs / "spark.log")
    try:
        # What is set before there is a JVM stands on its command line, for all users of the machine to read.
        first = SparkConf()
        for name, value in properties.items():
            if not is_private(name):
                first.set(name, value)
        try:
            gateway = launch_gateway(first, {"stdout": pump.end, "stderr": pump.end})  # type: ignore[no-untyped-call]
        finally:
            pump.started()
        SparkContext._ensure_initialized(gateway=gateway)
        conf = SparkConf()
        for name, value in properties.items():
            conf.set(name, value)
        spark = SparkSession.builder.config(conf=conf).getOrCreate()
        KNOWN.learn(_secrets(spark._jsc.hadoopConfiguration()))
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
        pump.settle(SETTLE_SECONDS)


def is_private(name: str) -> bool:
    """Whether a property of Spark may hold a secret: it reaches the JVM over its socket and by no command line."""
    return name.startswith("spark.hadoop.") or SECRET.search(name) is not None


def _secrets(configuration: Any) -> set[str]:
    """What Hadoop's configuration in Spark's JVM resolves secrets to, files of HADOOP_CONF_DIR among it."""
    found: set[str] = set()
    for name, value in dict(configuration.getValByRegex(f"(?i){SECRET.pattern}")).items():
        sources = configuration.getPropertySources(name)
        if sources is None or not all(str(one).endswith("-default.xml") for one in sources):
            found |= of_properties([(str(name), str(value))])
    return found


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

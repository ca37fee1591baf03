"""A Spark driver as a process of its own: started, asked, killed, and started anew."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fsconform.adapters.child import Child
from fsconform.adapters.java import find_java
from fsconform.adapters.lines import Closed, Line, Row
from fsconform.adapters.patience import patient
from fsconform.engine.protocol import StoreLost
from fsconform.engine.secrecy import KNOWN, of_properties

START_SECONDS = 180.0
REQUEST_SECONDS = 180.0
SETTLE_SECONDS = 10.0
_PASSED_ON = ("HOME", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "TZ", "USER", "VIRTUAL_ENV")

LOCAL = "local[2,2]"
"""Two tasks at a time in the driver itself; each is attempted twice."""
CLUSTER = "local-cluster[2,1,512]"
"""Two executors in processes of their own."""

JVM_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData -Djava.net.preferIPv4Stack=true"
"""Jobs are small: what counts is a quick start."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a driver is started with. ``home`` is a folder of its own, ``class_path`` comes before Spark's own jars."""

    home: Path
    class_path: str
    log: Path
    configuration: Mapping[str, str] = field(default_factory=dict)
    helper: bool = False

    def conf(self, master: str) -> dict[str, str]:
        """Spark's configuration."""
        temporary = str(self.home / "tmp")
        java = f"{JVM_OPTIONS} -Djava.io.tmpdir={temporary} -Dderby.system.home={temporary}"
        conf = {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.extraClassPath": self.class_path,
            "spark.executor.extraClassPath": self.class_path,
            "spark.driver.extraJavaOptions": java,
            "spark.executor.extraJavaOptions": java,
            "spark.driver.memory": "768m",
            "spark.executor.memory": "512m",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.local.dir": temporary,
            "spark.sql.warehouse.dir": (self.home / "warehouse").as_uri(),
            "spark.sql.shuffle.partitions": "2",
            "spark.task.maxFailures": "2",
            "spark.hadoop.hadoop.tmp.dir": temporary,
        }
        if master == CLUSTER:
            conf |= {
                "spark.speculation": "true",
                "spark.speculation.interval": "100ms",
                "spark.speculation.multiplier": "1.5",
                "spark.speculation.quantile": "0.5",
                "spark.speculation.minTaskRuntime": "500ms",
                "spark.excludeOnFailure.enabled": "false",
            }
        return conf | {f"spark.hadoop.{name}": value for name, value in self.configuration.items()}


class Driver:
    """One driver at a time, of the master that is asked for; one that was killed is followed by another."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._child: Child | None = None
        self._line: Line | None = None
        self._master = ""
        self.versions: dict[str, str] = {}
        self.started = 0
        """How many drivers were started."""
        self.starting_seconds = 0.0

    def ask(self, request: Row, master: str = LOCAL) -> Row:
        """The answer to a request; a row with ``killed`` if the driver ended meanwhile. Raises StoreLost."""
        line, seconds = self._opened(master), patient(REQUEST_SECONDS)
        try:
            line.send(request)
            answer = line.receive(seconds)
        except Closed as error:
            answer = {"killed": f"the driver ended: {error}"}
        except TimeoutError as error:
            self.kill()
            raise StoreLost(
                f"Spark did not answer within {seconds:.0f} s and was stopped; see {self._settings.log}"
            ) from error
        if "killed" in answer:
            self.kill()
        elif "broken" in answer:
            raise StoreLost(f"the Spark worker failed: {answer['broken']}; see {self._settings.log}")
        return answer

    def start(self) -> None:
        """Start the driver that most programs ask for, unless there is one. Raises StoreLost."""
        if self._line is None:
            self._opened(LOCAL)

    @property
    def master(self) -> str:
        """The master of the driver that runs, else the one for most programs."""
        return self._master or LOCAL

    def _opened(self, master: str) -> Line:
        if self._line is not None and master == self._master:
            return self._line
        self.close()
        begun = time.monotonic()
        self._start(master)
        self.starting_seconds += time.monotonic() - begun
        assert self._line is not None
        return self._line

    def _start(self, master: str) -> None:
        settings = self._settings
        (settings.home / "tmp").mkdir(parents=True, exist_ok=True)
        variables = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        variables |= {
            "LC_ALL": "C.UTF-8",
            "JAVA_HOME": str(find_java().home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "TMPDIR": str(settings.home / "tmp"),
        }
        KNOWN.learn(of_properties(settings.configuration.items()))
        self._child = Child(settings.log, "fsconform.adapters.spark.worker", variables, settings.home)
        line = self._line = Line(self._child.connection)
        self._master = master
        try:
            line.send({"master": master, "conf": settings.conf(master), "helper": settings.helper})
            answer = line.receive(patient(START_SECONDS))
        except (Closed, TimeoutError) as error:
            self.kill()
            raise StoreLost(f"Spark could not be started: {error}; see {settings.log}") from error
        self.versions = dict(answer["opened"])
        self.started += 1

    def kill(self) -> None:
        """End the driver and all that it started, at once."""
        if self._child is not None:
            self._child.kill()
        self._forget()

    def close(self) -> None:
        """Let the driver end. May be called twice."""
        if self._line is not None:
            self._line.close()
        if self._child is not None:
            self._child.let_end(SETTLE_SECONDS)
        self._forget()

    def _forget(self) -> None:
        if self._line is not None:
            self._line.close()
        self._line, self._child, self._master = None, None, ""

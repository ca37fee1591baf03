"""The Spark worker: a driver in a process of its own, started as a script, that ends when its line closes.

It is the one module outside of pipeline that imports PySpark: nothing imports it, and no other process loads it.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
import time
import traceback
from typing import Any

from py4j.protocol import Py4JJavaError, Py4JNetworkError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from fsconform.adapters.lines import Closed, Line, Row

FAULTS = "org.fsconform.spark.Faults"
PARTS = ("x", "y", "z")
"""The values of the partition column: which one a row has follows from its number."""
STACK_LINES = 40
POLL_SECONDS = 0.01
GRACE_SECONDS = 5.0
"""For so long Spark may stop in good order once the line is closed."""


class Worker:
    """One Spark session. What it is asked for it does; it never judges."""

    def __init__(self, opened: Row) -> None:
        # What is set before there is a JVM stands on its command line, for all users of the machine to read.
        first = SparkConf().setMaster(opened["master"])
        for name, value in opened["conf"].items():
            if not name.startswith("spark.hadoop."):
                first.set(name, value)
        SparkContext._ensure_initialized(gateway=launch_gateway(first))  # type: ignore[no-untyped-call]
        builder = SparkSession.builder.master(opened["master"]).appName("fsconform")
        for name, value in opened["conf"].items():
            builder = builder.config(name, value)
        self._spark = builder.getOrCreate()
        self._spark.sparkContext.setLogLevel("WARN")
        self._jvm: Any = self._spark.sparkContext._jvm
        self._helper = bool(opened["helper"])

    def versions(self) -> dict[str, str]:
        """What runs."""
        return {
            "spark": self._spark.version,
            "hadoop client": str(self._jvm.org.apache.hadoop.util.VersionInfo.getVersion()),
        }

    def do(self, request: Row) -> Row:
        """Carry one request out."""
        match request["do"]:
            case "write":
                return self._watched(request) if request["gate"]["action"] == "hold" else self._write(request)
            case "write-both":
                return self._both(request)
            case "look":
                return self._look(request)
            case "feed":
                return self._feed(request)
            case "stream":
                return self._stream(request)
            case "put":
                return self._put(request)
            case "remove":
                path = self._jvm.org.apache.hadoop.fs.Path(request["path"])
                return {"removed": bool(self._filesystem(path).delete(path, True))}
        raise ValueError(f"no such request: {request['do']}")

    def _filesystem(self, path: Any) -> Any:
        return path.getFileSystem(self._spark.sparkContext._jsc.hadoopConfiguration())

    def _rows(self, request: Row, fault: str) -> DataFrame:
        """Rows by number, dealt out to tasks in slices; the partition column follows from the number."""
        ids = request["ids"]
        tasks = request["tasks"]
        numbers = sql.array(*[sql.lit(one).cast("bigint") for one in ids])
        frame = self._spark.range(0, len(ids), 1, tasks).select(
            sql.element_at(numbers, (sql.col("id") + 1).cast("int")).alias("id")
        )
        parts = sql.array(*[sql.lit(one) for one in PARTS])
        part = sql.element_at(parts, (sql.col("id") % len(PARTS) + 1).cast("int"))
        number = sql.col("id")
        if fault and self._helper:
            told = sql.call_function("java_method", sql.lit(FAULTS), sql.lit("row"), sql.lit(fault), number)
            number = told.cast("bigint")
        if request["format"] == "text":
            if request["partitioned"]:
                return frame.select(number.cast("string").alias("value"), part.alias("p"))
            return frame.select(sql.concat_ws(":", number.cast("string"), part).alias("value"))
        return frame.select(number.alias("id"), part.alias("p"))

    def _write(self, request: Row) -> Row:
        if self._helper:
            gate = request["gate"]
            self._gate().arm(gate["under"], gate["action"], gate["nth"])
        answer = self._save(request)
        return answer | self._counts()

    def _gate(self) -> Any:
        return self._jvm.org.fsconform.spark.Gate

    def _counts(self) -> Row:
        if not self._helper:
            return {}
        published, copies, completed = map(int, str(self._gate().counts()).split(","))
        return {"published": published, "copies": copies, "completed": completed}

    def _save(self, request: Row) -> Row:
        for name, value in request["session"].items():
            self._spark.conf.set(name, value)
        fault = request["fault"]
        writer = self._rows(request, fault).write.format(request["format"]).mode(request["mode"])
        options = dict(request["options"])
        if fault:
            options["fsconform.fault"] = fault
        writer = writer.options(**options)
        if request["partitioned"]:
            writer = writer.partitionBy("p")
        try:
            writer.save(request["path"])
        except (PySparkException, Py4JJavaError) as error:
            return {"ended": "failed", "error": _told(error)}
        return {"ended": "committed"}

    def _watched(self, request: Row) -> Row:
        """Write, and read while the job is held before each publishing call but the first, and once it was let go."""
        gate = self._gate()
        gate.arm(request["gate"]["under"], "hold", request["gate"]["nth"])
        answers: list[Row] = []
        job = threading.Thread(target=lambda: answers.append(self._save(request)))
        job.start()
        seen: list[Row] = []
        while job.is_alive():
            if gate.isWaiting():
                seen.append(self._look(request))
                gate.open()
                break
            job.join(POLL_SECONDS)
        job.join()
        return answers[0] | {"seen": seen} | self._counts()

    def _both(self, request: Row) -> Row:
        """Two jobs at once; with a gate the first is held at a publishing call until the second has ended."""
        first, second = request["jobs"]
        answers: dict[int, Row] = {}
        held = self._helper
        if held:
            self._gate().arm(first["gate"]["under"], "hold", first["gate"]["nth"])
        job = threading.Thread(target=lambda: answers.__setitem__(0, self._save(first)))
        job.start()
        met = False
        while held and job.is_alive() and not met:
            met = bool(self._gate().isWaiting())
            job.join(POLL_SECONDS)
        if held:
            self._gate().arm("", "", 0) if not met else None
        other = threading.Thread(target=lambda: answers.__setitem__(1, self._save(second)))
        other.start()
        other.join()
        if held:
            self._gate().open()
        job.join()
        return {"jobs": [answers[0], answers[1]], "held": met}

    def _look(self, request: Row) -> Row:
        """What stands below the dataset's directory, and what a reader gets."""
        path = self._jvm.org.apache.hadoop.fs.Path(request["path"])
        filesystem = self._filesystem(path)
        files: list[list[Any]] = []
        exists = bool(filesystem.exists(path))
        if exists:
            root = str(filesystem.makeQualified(path).toString())
            self._walk(filesystem, filesystem.listStatus(path), root, files)
        rows, problem = self._read(request) if exists else ([], None)
        return {"exists": exists, "files": sorted(files), "rows": rows, "unreadable": problem}

    def _walk(self, filesystem: Any, statuses: Any, root: str, files: list[list[Any]]) -> None:
        for status in statuses:
            where = status.getPath()
            name = str(where.toString())[len(root) + 1 :]
            if not status.isDirectory():
                files.append([name, int(status.getLen())])
                continue
            try:
                below = filesystem.listStatus(where)
            except Py4JJavaError as error:
                if not _is_missing(error):
                    raise
                continue  # a task that is still at work has just deleted it
            files.append([name + "/", 0])
            self._walk(filesystem, below, root, files)

    def _read(self, request: Row) -> tuple[list[str], Row | None]:
        kind = request["format"]
        text = kind == "text"
        schema = "value STRING" if text else "id BIGINT, p STRING"
        if text and request["partitioned"]:
            schema += ", p STRING"
        try:
            frame = self._spark.read.format(kind).schema(schema).load(request["path"])
            if text and not request["partitioned"]:
                return sorted(str(row[0]) for row in frame.collect()), None
            return sorted(f"{row[0]}:{row[1]}" for row in frame.collect()), None
        except (PySparkException, Py4JJavaError) as error:
            return [], _told(error)

    def _put(self, request: Row) -> Row:
        """Put a file somewhere, as another program would."""
        path = self._jvm.org.apache.hadoop.fs.Path(request["path"])
        stream = self._filesystem(path).create(path, True)
        stream.write(bytearray(request["text"].encode()))
        stream.close()
        return {}

    def _feed(self, request: Row) -> Row:
        """Put one file of rows into the source of a stream: written beside it, then renamed into it."""
        lines = "".join(f'{{"id": {one}, "p": "{PARTS[one % len(PARTS)]}"}}\n' for one in request["ids"])
        aside = request["source"] + "/.part"
        self._put({"path": aside, "text": lines})
        source = self._jvm.org.apache.hadoop.fs.Path(aside)
        target = self._jvm.org.apache.hadoop.fs.Path(f"{request['source']}/{request['name']}.json")
        return {"fed": bool(self._filesystem(source).rename(source, target))}

    def _stream(self, request: Row) -> Row:
        """Run a query from a source of files to a file sink until all that is there was processed."""
        if self._helper:
            self._jvm.org.fsconform.spark.Faults.arm(request["fault"])
            self._gate().arm(request["gate"]["under"], request["gate"]["action"], request["gate"]["nth"])
        for name, value in request["session"].items():
            self._spark.conf.set(name, value)
        source = self._spark.readStream.schema("id BIGINT, p STRING").option("maxFilesPerTrigger", 1)
        writer = source.json(request["source"]).writeStream.format(request["format"]).outputMode("append")
        if request["partitioned"]:
            writer = writer.partitionBy("p")
        writer = writer.option("checkpointLocation", request["checkpoint"]).trigger(availableNow=True)
        try:
            query = writer.start(request["path"])
            query.awaitTermination()
        except (PySparkException, Py4JJavaError) as error:
            return {"ended": "failed", "error": _told(error)} | self._counts()
        finally:
            if self._helper:
                self._jvm.org.fsconform.spark.Faults.arm("")
        return {"ended": "committed"} | self._counts()

    def stop(self) -> None:
        """Stop Spark."""
        self._spark.stop()


def _told(error: BaseException) -> Row:
    """An error: its class, the first line of its message, and its stack; of an error in Java those of its root."""
    kind, message = type(error).__name__, str(error)
    if isinstance(error, Py4JJavaError):
        root = error.java_exception
        while (cause := root.getCause()) is not None:
            root = cause
        kind, message = str(root.getClass().getName()), str(root.getMessage() or "")
    lines = [line for line in message.splitlines() if line.strip()]
    return {
        "kind": kind,
        "condition": str(getattr(error, "getCondition", lambda: "")() or ""),
        "message": lines[0][:1000] if lines else "",
        "stack": "".join(traceback.format_exception(error)).splitlines()[-STACK_LINES:],
    }


def _is_missing(error: Py4JJavaError) -> bool:
    return str(error.java_exception.getClass().getName()) == "java.io.FileNotFoundException"


def _end_with(end: socket.socket) -> None:
    """End this process and all that it started as soon as the other side of the line is gone."""
    watched = select.poll()
    watched.register(end, select.POLLRDHUP)
    watched.poll()
    time.sleep(GRACE_SECONDS)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def _serve(line: Line) -> None:
    worker = Worker(line.receive())
    line.send({"opened": worker.versions()})
    while True:
        try:
            request = line.receive()
        except Closed:
            worker.stop()
            return
        try:
            line.send(worker.do(request))
        except (Py4JNetworkError, ConnectionError, EOFError) as error:
            line.send({"killed": str(error)[:500]})
            os._exit(1)
        except Exception as error:
            line.send({"broken": f"{type(error).__name__}: {error}"[:2000]})


def main() -> None:
    """Serve the line whose descriptor is the first argument."""
    end = socket.socket(fileno=int(sys.argv[1]))
    threading.Thread(target=_end_with, args=(end,), daemon=True).start()
    _serve(Line(end))


if __name__ == "__main__":
    main()

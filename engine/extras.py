"""Libraries that only some commands and stores need, and the extra of the wheel that brings each."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

EXTRAS = {
    "asyncssh": "transfer",
    "boto3": "s3",
    "botocore": "s3",
    "fsspec": "fsspec",
    "hdfs": "webhdfs",
    "numpy": "spark",
    "pandas": "spark",
    "py4j": "spark",
    "pyarrow": "arrow",
    "pyftpdlib": "transfer",
    "pysat": "infer",
    "pyspark": "spark",
    "s3fs": "fsspec",
    "swift": "swift",
    "testcontainers": "container",
}
"""Each library by the name of its module, with the extra of fsconform that installs it."""


def install(*extras: str) -> str:
    """The command that installs extras."""
    return f"pip install 'fsconform[{','.join(dict.fromkeys(extras))}]'"


def lacking(modules: Iterable[str]) -> str:
    """What to install for modules that are not here: one sentence, empty if all are."""
    gone = [module for module in modules if find_spec(module) is None]
    if not gone:
        return ""
    return f"no {' and no '.join(gone)}: {install(*(EXTRAS[module] for module in gone))}"


def mend(error: ImportError) -> str:
    """What to do about a module that could not be imported; empty if no extra brings it."""
    module = (error.name or "").partition(".")[0]
    return f"this needs {module}, which is not installed: {install(EXTRAS[module])}" if module in EXTRAS else ""

"""What runs first in an executor's Python: it makes fsconform importable out of wheels, then attempts units.

Sent by value and made of the standard library alone, as fsconform may not be there yet. Wheels are unpacked once for
each executor, into the folder that Spark keeps for it and removes at its end.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

WHEELS = "fsconform-wheels"


def unpack(wheels: Sequence[Path], into: Path) -> Path:
    """Unpack wheels side by side, in one step that another process may have taken. Raises OSError or BadZipFile."""
    import os
    import shutil
    import tempfile
    import zipfile

    if into.is_dir():
        return into
    half = Path(tempfile.mkdtemp(prefix=f"{into.name}-", dir=into.parent))
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(half)
    try:
        os.rename(half, into)  # noqa: PTH104 - a Path's rename would replace an empty folder
    except OSError:
        shutil.rmtree(half, ignore_errors=True)
        if not into.is_dir():
            raise
    return into


def spare_archives() -> None:
    """Let the importers of archives that were read go: one is made again where it is needed, of what was read.

    Spark has all import caches invalidated before each task, and an importer of an archive, such as Spark's own
    pyspark.zip, then reads its whole directory anew: 0.2 s a task.
    """
    import sys
    import zipimport

    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimport.zipimporter):
            del sys.path_importer_cache[path]


def over_units(blob: bytes, wheels: tuple[str, ...]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What executors run over batches of units: ``blob`` is the pickled task, ``wheels`` are names of files."""

    def over(batches: Iterator[Any]) -> Iterator[Any]:
        import sys

        if wheels:
            from pyspark import SparkFiles

            root = Path(SparkFiles.getRootDirectory())
            folder = str(unpack([root / name for name in wheels], root / WHEELS))
            if folder not in sys.path:
                sys.path.insert(0, folder)
        from fsconform.pipeline.attempt import attempts

        yield from attempts(pickle.loads(blob))(batches)
        spare_archives()

    return over


def sent(task: Any, wheels: Sequence[str] = ()) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The function for Spark to send, which needs nothing of ours where it is unpickled."""
    from pyspark import cloudpickle

    from fsconform.pipeline import bootstrap

    cloudpickle.register_pickle_by_value(bootstrap)  # type: ignore[no-untyped-call]
    return over_units(pickle.dumps(task), tuple(wheels))

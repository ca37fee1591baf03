"""What is left of services that did not come up: their logs stay with the run, and errors say where."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.stores.site import Setup

_STORAGE = ("data", "name", "shared", "files", "tmp")
"""So begin the names of folders that hold what a service stores. A log may begin so too: it is a file."""


def _stored(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(_STORAGE) and (Path(folder) / name).is_dir()]


@contextmanager
def logs_kept(name: str, home: Path, setup: Setup, stop: Callable[[], object]) -> Iterator[None]:
    """Start services of a store within this. If that fails they are stopped, and their folder ``home`` is removed.

    What it has of logs goes to the run's logs, to a folder with the store's ``name``, and a ServiceError is raised anew
    with the paths that the logs have there.
    """
    try:
        yield
    except BaseException as error:
        stop()
        kept = setup.logs / name
        shutil.copytree(home, kept, ignore=_stored, dirs_exist_ok=True)
        shutil.rmtree(home, ignore_errors=True)
        if isinstance(error, ServiceError):
            raise ServiceError(str(error).replace(str(home), str(kept))) from error
        raise

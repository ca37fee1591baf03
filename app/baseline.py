"""``--baseline RUN``: an earlier run that this one is held against, read from its folder or its results.json."""

from __future__ import annotations

from pathlib import Path

from fsconform.app.problems import Problem
from fsconform.records.baseline import Baseline
from fsconform.records.codec import RecordError, SchemaError, loads
from fsconform.records.comparison import ComparisonError
from fsconform.records.results import Results

RESULTS = "results.json"


def results_of(path: Path, mend: str) -> Results:
    """The results of a run, of its folder or its file. Raises Problem, which names the file and the mend."""
    file = path / RESULTS if path.is_dir() else path
    try:
        return loads(file)
    except SchemaError as error:
        raise Problem(f"{error}: compare with the version that wrote it, or judge again with this one") from error
    except RecordError as error:
        raise Problem(f"{error}: {mend}") from error


def baseline_of(path: Path | None) -> Baseline | None:
    """The baseline at a path; None where none is given. Raises Problem."""
    if path is None:
        return None
    try:
        return Baseline(str(path), results_of(path, "--baseline takes the folder of a whole run, or its results.json"))
    except ComparisonError as error:
        raise Problem(f"{path}: {error}: give --baseline a run that has each store once") from error

"""Waivers in files of the user's own: those of one store or another, of which each must be one that there is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from fsconform.engine.waivers import Known, Waiver, load


@cache
def _shipped() -> Known:
    # What the layers need is loaded only where there are waivers at all.
    from fsconform.adapters.spark.committers import for_scheme
    from fsconform.app.layers.plan import SUITES as OF_DATASETS
    from fsconform.app.layers.stores import OBJECT_STORES, SPARK_STORES
    from fsconform.app.presets import PRESETS
    from fsconform.suites.registry import SUITES
    from fsconform.suites.s3_objects import S3_OBJECTS

    committed = {f"{name}-{one.name}" for name, (scheme, *_) in SPARK_STORES.items() for one in for_scheme(scheme)}
    return Known({*PRESETS, *OBJECT_STORES, *committed}, {*SUITES, *OF_DATASETS, S3_OBJECTS.name})


def given_waivers(files: Iterable[Path], *own: str) -> tuple[Waiver, ...]:
    """The waivers in files. ``own`` are the names of stores that are judged now. Raises WaiverError.

    One for a store, or of a suite, that there is none of is an error: it would never accept anything.
    """
    files = tuple(files)
    if not files:
        return ()
    known = Known({*_shipped().stores, *own}, _shipped().suites)
    return tuple(waiver for file in files for waiver in load(file, known))

"""What a shell completes: names of stores, suites, operations, clauses, explorers and faults.

What has the names is loaded when a shell asks for them, so that no command begins later for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import click
from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completing(names: Callable[[], Mapping[str, str]]) -> Completer:
    """A completer of names, each with a line of help or an empty text."""

    def complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [
            CompletionItem(name, help=text.partition("\n")[0] or None)
            for name, text in names().items()
            if name.startswith(incomplete)
        ]

    return complete


def _unexplained(names: Iterable[str]) -> dict[str, str]:
    return dict.fromkeys(names, "")


def _stores() -> dict[str, str]:
    from fsconform.harness.presets import PRESETS

    told = {name: preset.statement for name, preset in PRESETS.items()}
    return _unexplained([*_configured(), *store_names()]) | told


def store_names() -> tuple[str, ...]:
    """The names of all built-in stores, those of object stores, clusters and Spark's writers among them."""
    from fsconform.harness.block_plans import BLOCK_STORES
    from fsconform.harness.layer_plans import spark_names
    from fsconform.harness.layer_stores import OBJECT_STORES
    from fsconform.harness.presets import PRESETS

    return (*PRESETS, *OBJECT_STORES, *BLOCK_STORES, *spark_names())


def _configured() -> list[str]:
    """The stores that the configuration file of this folder describes; none where it can't be read."""
    from fsconform.harness import configuration_file
    from fsconform.harness.problems import Problem

    try:
        found = configuration_file.find(None)
    except Problem:
        return []
    stores = found.tables.get(configuration_file.STORES) if found is not None else None
    return list(stores) if isinstance(stores, dict) else []


def _own_stores() -> dict[str, str]:
    return _unexplained(_configured())


def _suites() -> dict[str, str]:
    from fsconform.suites.blocks import BLOCK_SUITES
    from fsconform.suites.races import RACE_SUITES
    from fsconform.suites.registry import SUITES
    from fsconform.suites.s3_objects import S3_OBJECTS
    from fsconform.suites.spark_streaming import DATASET_SUITES

    return _unexplained([*SUITES, *RACE_SUITES, *DATASET_SUITES, *BLOCK_SUITES, S3_OBJECTS.name])


def _operations() -> dict[str, str]:
    from fsconform.model.core.operation import OPERATIONS
    from fsconform.model.filesystem import families

    families.load()
    return _unexplained(sorted(OPERATIONS))


def _clauses() -> dict[str, str]:
    from fsconform.specs.catalogue import catalogue

    return {name: clause.statement for name, clause in catalogue().items()}


def _every_clause() -> dict[str, str]:
    from fsconform.specs.layers import every_clause

    return {name: clause.statement for name, clause in every_clause().items()}


def _explorers() -> dict[str, str]:
    from fsconform.harness.plans import KINDS

    return _unexplained(KINDS)


def _faults() -> dict[str, str]:
    from fsconform.proving.blocks.faults import FAULTS as of_blocks
    from fsconform.proving.faults import FAULTS, SHARED
    from fsconform.proving.objects.faults import FAULTS as of_objects
    from fsconform.proving.objects.faults import RACES

    return _unexplained([*FAULTS, *SHARED, *of_objects, *RACES, *of_blocks])


def _applications() -> dict[str, str]:
    from fsconform.records import profiles

    return {name: profile.title for name, profile in profiles.every().items()}


def _ways() -> dict[str, str]:
    from fsconform.records import profiles

    return {way.id: way.says for profile in profiles.every().values() for way in profile.ways}


def _atlas_stores() -> dict[str, str]:
    from fsconform.records import atlas

    return {entry.store: entry.statement for entry in atlas.read() if entry.versions.get("filesystem")}


def _committers() -> dict[str, str]:
    from fsconform.adapters.spark.committers import COMMITTERS

    return {name: committer.statement for name, committer in COMMITTERS.items()}


def _groups() -> dict[str, str]:
    from fsconform.suites.s3_objects import S3_OBJECTS
    from fsconform.suites.spark_streaming import DATASET_SUITES

    of_spark = [trial.group for suite in DATASET_SUITES.values() for trial in suite.trials]
    return _unexplained([*of_spark, *(group.name for group in S3_OBJECTS.groups)])


STORES, OWN_STORES, SUITES, OPERATIONS, CLAUSES, EVERY_CLAUSE, EXPLORERS, FAULTS, COMMITTERS, GROUPS = map(
    _completing,
    (
        *(_stores, _own_stores, _suites, _operations, _clauses),
        *(_every_clause, _explorers, _faults, _committers, _groups),
    ),
)
APPLICATIONS, WAYS, ATLAS_STORES = map(_completing, (_applications, _ways, _atlas_stores))

"""Amounts that options take: numbers in a range, of which "not a number" is none."""

from __future__ import annotations

import math
from typing import Any

import click


class Amount(click.FloatRange):
    """A number of at least ``min``; nan, which no comparison refuses, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises BadParameter."""
        amount = super().convert(value, param, ctx)
        if math.isnan(amount):
            self.fail(f"{value!r} is not a number", param, ctx)
        return amount


SEED = click.IntRange(-(1 << 63), (1 << 63) - 1)
"""A seed: a number that records, progress and Spark's rows can hold, so that a run with it can be resumed."""

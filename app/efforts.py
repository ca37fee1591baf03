"""The options --effort and --budget, as every command has them, and what they give each store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from fsconform.app.amounts import Amount
from fsconform.app.presets import PRESETS
from fsconform.app.targets import Target
from fsconform.engine.effort import (
    BUDGET_HELP,
    DEFAULT_BUDGET,
    DEFAULT_EFFORT,
    EFFORT_HELP,
    Effort,
    Level,
    Pace,
    budget_text,
    effort_of,
)


class EffortType(click.ParamType[Effort]):
    """An effort, as a level or as a number of programs."""

    name = "effort"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Effort:
        """The effort. Raises BadParameter."""
        if isinstance(value, Effort):
            return value
        try:
            return effort_of(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def effort_option(default: Level = DEFAULT_EFFORT) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option --effort: None where it is not given, which stands for ``default``."""
    return click.option(
        "--effort",
        type=EffortType(),
        metavar="quick|normal|deep|N",
        show_default=default,
        help=EFFORT_HELP,
    )


def budget_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option --budget: None where it is not given."""
    return click.option(
        "--budget",
        type=Amount(min=0),
        default=DEFAULT_BUDGET,
        show_default=budget_text(DEFAULT_BUDGET),
        metavar="SECONDS",
        help=BUDGET_HELP,
    )


def pace_of(target: Target) -> Pace:
    """What a store can be asked for: a built-in one says so itself, of another its contract does."""
    if target.custom is None:
        return PRESETS[target.name].pace
    return "slow" if target.contract.declared.get("is-blobstore") is True else "fast"

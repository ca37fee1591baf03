"""Contracts of clusters: no option permits a departure."""

from __future__ import annotations

from dataclasses import dataclass

from fsconform.model.core.layers import LayerContract


@dataclass(frozen=True, slots=True)
class BlockContract(LayerContract):
    """What a cluster declares: nothing."""

    source: str = "no contract: all that the paper of 2010 and the history of appends say"


PROMISED = BlockContract()

"""What is declared once is not declared again, and what is not declared is not known."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from fsconform.model.core.layers import LayerContract
from fsconform.model.core.operation import OPERATIONS, Operation, operation
from fsconform.model.datasets.contract import CommitContract
from fsconform.model.filesystem.branches import MEANINGS, Cases, meaning
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.options.core import IS_CASE_SENSITIVE, OPTIONS, option
from fsconform.model.filesystem.programs import decode_operation
from fsconform.model.filesystem.quirks import Quirk, Quirks
from fsconform.model.objects.contract import ObjectContract


def test_an_operation_has_one_type_and_one_meaning() -> None:
    @dataclass(frozen=True, slots=True)
    class Other(Operation):
        NAME: ClassVar[str] = "mkdirs"

    with pytest.raises(ValueError, match="two operations are called mkdirs"):
        operation(Other)
    before = MEANINGS[Mkdirs]
    with pytest.raises(ValueError, match="two meanings of Mkdirs"):
        meaning(Mkdirs, Cases())(lambda root, op: 0)
    assert OPERATIONS["mkdirs"] is Mkdirs and MEANINGS[Mkdirs] is before


def test_an_option_is_declared_once() -> None:
    before = OPTIONS[IS_CASE_SENSITIVE]
    with pytest.raises(ValueError, match=f"two options are called {IS_CASE_SENSITIVE}"):
        option(IS_CASE_SENSITIVE, "permits", "anything")
    assert OPTIONS[IS_CASE_SENSITIVE] is before


def test_a_quirk_has_an_id_of_its_own() -> None:
    def quirk(name: str) -> Quirk:
        return Quirk(name, "it does", "c", "data lost", "why", "where", datetime.date(2099, 1, 1), (), (Mkdirs,))

    assert len(Quirks((quirk("s/a"), quirk("s/b"))).all) == 2
    with pytest.raises(ValueError, match="two quirks have one id"):
        Quirks((quirk("s/a"), quirk("s/a")))


@pytest.mark.parametrize("kind", [ObjectContract, CommitContract])
def test_a_contract_declares_options_that_there_are(kind: type[LayerContract]) -> None:
    first, second, *_ = kind.OPTIONS
    declared = kind({first: True})
    assert declared.permits(first) and not declared.permits(second)
    with pytest.raises(ValueError, match="no such contract option: is-fast, is-good"):
        kind({"is-good": True, "is-fast": True})


@pytest.mark.parametrize(
    "row",
    [
        {"op": "access", "path": "/a", "mode": "rwz"},
        {"op": "setXAttr", "path": "/a", "name": "user.n", "value": "v", "flag": "maybe"},
    ],
)
def test_a_word_of_an_operation_is_one_of_those_it_declares(row: dict[str, Any]) -> None:
    name = "mode" if "mode" in row else "flag"
    decode_operation({**row, name: "rw" if name == "mode" else "create"})
    with pytest.raises(ValueError, match=f"{name} of {row['op']} is"):
        decode_operation(row)

"""TLA+ values are read as TLC prints them."""

from __future__ import annotations

from typing import Any

import pytest

from fsconform.engine.formal.terms import Function, TermError, read, read_state


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("TRUE", True),
        ("-12", -12),
        ('"a \\"b\\""', 'a "b"'),
        ("{}", frozenset()),
        ("<< >>", ()),
        ('{<<>>, <<"a", "b">>}', frozenset({(), ("a", "b")})),
        ('[op |-> "init", flag |-> FALSE]', Function({"op": "init", "flag": False})),
        ('(<<"a">> :> <<"x">> @@ <<"b">> :> <<>>)', Function({("a",): ("x",), ("b",): ()})),
        ("{[a |-> 1], [a |-> 2]}", frozenset({Function({"a": 1}), Function({"a": 2})})),
    ],
)
def test_values(text: str, value: Any) -> None:
    assert read(text) == value


@pytest.mark.parametrize("text", ["", "{1", "<<1, 2", "[a |-> ]", "(1 :> 2", "1 2", "?", "[a = 1]", "a"])
def test_what_is_no_value(text: str) -> None:
    with pytest.raises(TermError):
        read(text)


def test_states_are_conjunctions() -> None:
    state = read_state('/\\ dirs = {<<>>}\n/\\ act = [ op |-> "init",\n  seen |-> {} ]\n')
    assert state == {"dirs": frozenset({()}), "act": Function({"op": "init", "seen": frozenset()})}
    assert read_state("x = 1") == {"x": 1}


def test_functions_are_values() -> None:
    one, other = Function({"a": 1, "b": 2}), Function({"b": 2, "a": 1})
    assert one == other and hash(one) == hash(other) and len({one, other}) == 1
    assert "a" in repr(one)

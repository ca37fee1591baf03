"""A divergence that stands on an earlier one is its symptom, however far from the steps the earlier one lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from fsconform.engine.benches import Benches
from fsconform.engine.causes import odd_traits
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import prove_all
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.validity import SURE_DEPTH
from fsconform.proving.full_store import FullStore
from fsconform.proving.session import ProvingStore

Make = Callable[[str], Program]


class Haunted(FullStore):
    """After a delete of something each directory of the name b has a directory that nobody made."""

    def delete(self, path: str, recursive: bool) -> bool:
        """As it should be, and more."""
        done = super().delete(path, recursive)
        for place in [key for key in self.nodes if done and key.endswith("/b")]:
            super().mkdirs(f"{place}/ghost")
        return done


class HauntedStore(ProvingStore):
    def make(self) -> FullStore:
        return Haunted(self.behaviour)


def causes(program: Program, store: ProvingStore | None = None) -> dict[str, str]:
    benches = Benches(store or HauntedStore(), Contract({"supports-strict-exceptions": True}), 1)
    bench = benches.take()
    collected = Collected()
    for trial in bench.try_all([program]):
        collected.add(trial, benches.oracle)
    benches.give_back(bench)
    return {one.finding.signature: one.cause for one in prove_all(benches, collected)}


def test_what_an_earlier_step_left_far_from_its_path_is_the_cause(program: Make) -> None:
    ghost = "listStatus (directory) returned a listing with extra entries after"
    found = causes(program("mkdirs /b; create /f 1; delete /f; rename /b /c; ?list /c"))
    assert found == {f"{ghost} rename (directory to a free destination)": f"{ghost} mkdirs (missing)"}


def test_a_first_divergence_has_no_cause(program: Make) -> None:
    assert list(causes(program("mkdirs /b; create /f 1; delete /f; ?list /b")).values()) == [""]


def test_what_a_second_client_or_a_probe_alone_shows_has_no_cause_before_it(program: Make) -> None:
    class Full(FullStore):
        def exists(self, path: str) -> bool:
            return True

    class Store(ProvingStore):
        def make(self) -> FullStore:
            return Full(self.behaviour)

    second = tuple(replace(step, client=1) for step in program("exists /a"))
    for text in (program("?exists /a"), (*program("mkdirs /b"), *second)):
        assert set(causes(text, Store()).values()) == {""}


@pytest.mark.parametrize(
    ("path", "traits"),
    [
        (("a", "b c"), ()),
        (("a:b",), ("a colon in a name",)),
        (("a\\b",), ("a backslash in a name",)),
        (("a", ".."), ("a dot-segment",)),
        (("a\x7f",), ("a control character in a name",)),
        (("\u00e9\n",), ("a control character in a name", "a name beyond ASCII")),
        ((" a",), ("a space at an end of a name",)),
        (("n" * 256,), ("a name of more than 255 bytes",)),
        (("a",) * (SURE_DEPTH + 1), (f"a path of more than {SURE_DEPTH} names",)),
    ],
)
def test_what_is_odd_about_a_name_is_told_in_words(path: tuple[str, ...], traits: tuple[str, ...]) -> None:
    program = (Step(Mkdirs(("plain",))), Step(Rename(("plain",), path)))
    assert odd_traits(program, 1) == traits and odd_traits(program, 0) == odd_traits(program, 2) == ()

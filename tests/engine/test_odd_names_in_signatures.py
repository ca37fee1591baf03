"""An odd name is a part of a signature only if it plays a part in what departs."""

from __future__ import annotations

from collections.abc import Callable

from fsconform.engine.confirm import Proven
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.validity import ODD_CASE
from fsconform.proving.full_store import FullStore
from fsconform.proving.session import ProvingStore

Make = Callable[[str], Program]
Proving = Callable[..., list[Proven]]


class KeepsAll(ProvingStore):
    """Nothing is deleted, and true is returned."""

    def make(self) -> FullStore:
        class Store(FullStore):
            def delete(self, path: str, recursive: bool) -> bool:
                return True

        return Store(self.behaviour)


class KeepsOdd(ProvingStore):
    """A file whose name is beyond ASCII is not deleted, and true is returned."""

    def make(self) -> FullStore:
        class Store(FullStore):
            def delete(self, path: str, recursive: bool) -> bool:
                return not path.isascii() or super().delete(path, recursive)

        return Store(self.behaviour)


def test_a_name_that_plays_no_part_is_made_plain(program: Make, proving: Proving) -> None:
    (one,) = proving(ProvingStore(fault="delete-file-false"), [program("create /\u00e9 0; delete /\u00e9")])
    assert one.program == program("create /a 0; delete /a")
    assert one.finding.roles == {"file"} and one.confirmed == "3/3"
    text = "create /{0} 0; delete /{0}; exists /{0}"
    (one,) = proving(KeepsAll(), [program(text.format("\u00e9"))])
    assert one.program == program(text.format("a")) and one.finding.roles == {"missing"}


def test_what_is_one_signature_with_plain_names_is_told_once(program: Make, proving: Proving) -> None:
    texts = ("create /a 0; delete /a", "mkdirs /b; create /\u00e9 0; delete /\u00e9")
    (one,) = proving(ProvingStore(fault="delete-file-false"), map(program, texts))
    assert one.program == program(texts[0]) and one.count == 2


def test_a_name_that_plays_a_part_stays(program: Make, proving: Proving) -> None:
    text = program("create /\u00e9 0; delete /\u00e9; exists /\u00e9")
    (one,) = proving(KeepsOdd(), [text])
    assert one.program == text
    assert one.finding.roles == {"missing", ODD_CASE.name} and one.confirmed == "3/3"

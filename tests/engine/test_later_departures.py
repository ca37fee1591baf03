"""What departs after another departure is told if it departs by itself as well, by a program that shows it alone."""

from __future__ import annotations

from collections.abc import Callable

from fsconform.engine.confirm import Proven
from fsconform.model.filesystem.programs import Program
from fsconform.proving.full_store import FullStore
from fsconform.proving.session import ProvingStore

Make = Callable[[str], Program]
Proving = Callable[..., list[Proven]]


class TwoFaults(FullStore):
    """A file that is deleted is gone, and false is returned; to make a directory that is there returns false."""

    failed = True

    def delete(self, path: str, recursive: bool) -> bool:
        is_file = not self.get_file_status(path).is_dir
        self.failed = True
        return super().delete(path, recursive) and not is_file

    def mkdirs(self, path: str) -> bool:
        return not (self.failed and self.exists(path)) and super().mkdirs(path)


class OnlyTogether(TwoFaults):
    """The second fault shows only once the first one did."""

    failed = False

    def reset(self) -> None:
        self.failed = False
        super().reset()


def shown(kind: type[FullStore], proving: Proving, program: Program) -> list[tuple[str, Program, str]]:
    class Store(ProvingStore):
        def make(self) -> FullStore:
            return kind(self.behaviour)

    return [(one.finding.operation, one.program, one.confirmed) for one in proving(Store(), [program])]


TEXT = "create /a 1; delete /a; mkdirs /b; create /c 1; mkdirs /b"


def test_the_later_one_is_shown_alone(program: Make, proving: Proving) -> None:
    later = ("mkdirs", program("mkdirs /a; mkdirs /a"), "3/3")
    assert later in shown(TwoFaults, proving, program(TEXT))


def test_what_never_departs_alone_is_not_told(program: Make, proving: Proving) -> None:
    assert [operation for operation, _, _ in shown(OnlyTogether, proving, program(TEXT))] == ["delete"]

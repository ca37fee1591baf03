"""What a store logs while a divergence is replayed stands beside it, and nothing that it logged before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fsconform.engine.confirm import LOG_LINES, Proven
from fsconform.engine.subject import REPLAYS
from fsconform.model.filesystem.programs import Program
from fsconform.proving.full_store import FullStore
from fsconform.proving.session import ProvingStore

Make = Callable[[str], Program]
Proving = Callable[..., list[Proven]]


class Logging(ProvingStore):
    """A store that does not delete files, and numbers all deletes in a log; of a second log it has only the name."""

    def __init__(self, log: Path, lines: int) -> None:
        self.log, self.lines, self.deletes = log, lines, 0
        super().__init__()

    def make(self) -> FullStore:
        outer = self

        class Store(FullStore):
            def delete(self, path: str, recursive: bool) -> bool:
                outer.deletes += 1
                with outer.log.open("a") as log:
                    log.writelines(f"delete {outer.deletes}, line {number}\n" for number in range(outer.lines))
                return False

        return Store(self.behaviour)

    def logs(self) -> tuple[str, ...]:
        return (str(self.log), str(self.log.with_name("missing.log")))


def logged(tmp_path: Path, proving: Proving, program: Program, lines: int) -> tuple[str, ...]:
    store = Logging(tmp_path / "store.log", lines)
    (one,) = [one for one in proving(store, [program]) if one.finding.operation == "delete"]
    assert one.confirmed == f"{REPLAYS}/{REPLAYS}"
    return one.logs


TEXT = "create /a 1; mkdirs /b; delete /a"


def test_the_lines_of_the_replays_are_kept(tmp_path: Path, proving: Proving, program: Make) -> None:
    told = logged(tmp_path, proving, program(TEXT), 1)
    numbers = [int(line.removeprefix("store.log: delete ").partition(",")[0]) for line in told]
    assert numbers == list(range(numbers[0], numbers[0] + len(told)))
    assert len(told) >= REPLAYS and numbers[0] > 1


def test_the_last_of_many_lines_are_kept(tmp_path: Path, proving: Proving, program: Make) -> None:
    told = logged(tmp_path, proving, program(TEXT), LOG_LINES)
    assert len(told) == LOG_LINES and told[-1].endswith(f"line {LOG_LINES - 1}")
    assert len({line.partition(",")[0] for line in told}) == 1

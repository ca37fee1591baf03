"""The matrix of races of an object store: what the same requests break one after another is no race."""

from __future__ import annotations

from dataclasses import replace

from fsconform.engine.histories.concurrent import Concurrent
from fsconform.engine.histories.confirming import Clients, Judge, serial
from fsconform.engine.histories.judging import Judged
from fsconform.engine.histories.matrix import Matrix, Row
from fsconform.engine.objects.histories import ObjectHistory, ObjectJudge
from fsconform.engine.objects.races import OBJECT_RACES
from fsconform.model.objects.answers import Answer
from fsconform.model.objects.operations import Request


class ObjectMatrix(Matrix[Request, Answer]):
    """Judges histories of requests; ``clients`` show what the same requests break one after another."""

    def __init__(self, clients: Clients[Request, Answer], judge: ObjectJudge) -> None:
        """Nothing was seen yet."""
        super().__init__(OBJECT_RACES, judge)
        self._clients, self._strict = clients, judge
        self._judges: dict[Concurrent[Request], tuple[ObjectJudge, bool]] = {}

    def judged(self, row: Row[Request], history: ObjectHistory) -> tuple[Judge[Request, Answer], Judged]:
        """The verdict on a history, without what one client alone shows too. Raises StoreLost."""
        judged = self._strict.judge(history)
        if not judged.fails:
            return self._strict, judged
        judge, alone = self._judge_of(history.program)
        judged = Judged("conforms") if alone else judge.judge(history)
        if not judged.fails:
            self.alone[" beside ".join(row.pair)] += 1
        return judge, judged

    def _judge_of(self, program: Concurrent[Request]) -> tuple[ObjectJudge, bool]:
        """A judge that asks nothing of the program's requests that they don't keep one after another.

        And whether what they show one after another is more than that judge can excuse. Raises StoreLost.
        """
        still = replace(program, delays=(0,) * len(program.delays))
        if still not in self._judges:
            histories = self._clients.execute(list(serial(still)))
            judge = self._strict.excusing(histories)
            self._judges[still] = judge, any(judge.judge(history).fails for history in histories)
        return self._judges[still]

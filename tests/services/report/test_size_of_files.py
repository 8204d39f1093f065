"""What is asked for every verdict of a study of 80,000 is not looked up anew for each of them."""

from __future__ import annotations

from collections.abc import Iterator

from protocol.context import TextSettings
from protocol.study_phases import StudyPhases
from services.reading.field_keys import StudyKeys
from services.report.rows.listed_rows import CandidateLine, ListedRows


class Counted(list[CandidateLine]):
    """Lines of candidates that count how often somebody went through them."""

    times = 0

    def __iter__(self) -> Iterator[CandidateLine]:
        self.times += 1
        return super().__iter__()


def test_whether_answers_are_compared_is_asked_of_the_candidates_once() -> None:
    candidates = Counted([CandidateLine(1, "k1", "i1", "model", "left", {})])
    phases = StudyPhases((), {}, 1, "", "", TextSettings(), None, listed=True)
    rows = ListedRows([], candidates, [], [], [], [], [], [], StudyKeys(phases, {}, {}))

    assert [rows.compares for _ in range(3)] == [False] * 3
    assert candidates.times == 1

"""The rows of a foreign file on their candidates, not held in memory: they are read again for each iteration."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from exchange.file_format import JudgeLine
from exchange.foreign.layout import Asked, ForeignLine, Layout, Source
from exchange.foreign.reading import read_foreign
from exchange.judge_verdicts import JudgeRow, judge_rows
from exchange.refusal import Problems, shown
from protocol.scales import JudgeScale
from services.judging.placing import PlaceKeys, Places

_NOT_PLACED = -1


@dataclass(frozen=True)
class Unplaced:
    """A line that fits no candidate of the study, or several, or is not as its format says, and why."""

    place: str
    because: str


class ForeignLines:
    """The lines of a foreign file, each with its candidate's number: four bytes per line.

    Attributes
    ----------
    unit
        The noun with which its lines are numbered, such as "line".
    identity
        What the file says about the judge.
    parties
        Whose lines they are, among those with a candidate, in the order of the file.
    unplaced, left_out
        The first lines without a candidate, with the reasons, and how many there are in all.
    gaps
        Mapped columns and paths that some rows lack, by what they are mapped to.
    stopped
        The status of a file whose evaluation did not run to its end, otherwise empty.
    """

    def __init__(
        self,
        source: Source,
        layout: Layout,
        asked: Asked,
        scale: JudgeScale,
        places: Places,
        problems: Problems,
        most_reasons: int,
        *,
        skip_unplaced: bool = False,
    ) -> None:
        """Read the file once.

        Parameters
        ----------
        problems
            Collects what is wrong with it.
        most_reasons
            For how many lines without a candidate the reason is given.
        skip_unplaced
            Whether rows that are not as their format says count as lines without a candidate, and not as problems.

        Raises
        ------
        InputRefused
            It cannot be read at all, or its lines identify candidates by something that the study does not have.
        """
        self._source, self._layout, self._scale = source, layout, scale
        self._asked = replace(asked, models=places.models)
        self._keys: PlaceKeys = places.keys
        self._candidates = array("i")
        self.left_out = 0
        self._last_left_out: int | None = None
        self.unplaced: list[Unplaced] = []
        named: dict[str, None] = {}
        self._most_reasons = most_reasons
        leave_out = self._leave_out if skip_unplaced else None
        foreign = read_foreign(source, layout, self._asked, scale, problems, leave_out)
        self.unit, self.identity, self.stopped = foreign.unit, foreign.identity, foreign.stopped
        for line in foreign.lines:
            candidate = places.find(line.clues, layout.stand_for)
            if candidate is None:
                is_listed = len(self.unplaced) < most_reasons
                because = _named(line, places.why_not(line.clues, layout.stand_for)) if is_listed else ""
                self._leave_out(line.number, because)
            else:
                named.setdefault(line.party)
            self._candidates.append(_NOT_PLACED if candidate is None else candidate)
        self.parties: Sequence[str] = tuple(named)
        self.gaps = foreign.gaps

    def __len__(self) -> int:
        return len(self._candidates)

    def _leave_out(self, number: int, because: str) -> None:
        # What several people said stands in one line.
        if number == self._last_left_out:
            return
        self.left_out, self._last_left_out = self.left_out + 1, number
        if len(self.unplaced) < self._most_reasons:
            self.unplaced.append(Unplaced(f"{self.unit} {number}", because))

    def of(self, party: str) -> Iterator[JudgeLine]:
        """Yield what one party said, under the candidates' keys."""
        return (line for whose, line in self.of_all() if whose == party)

    def of_all(self) -> Iterator[tuple[str, JudgeLine]]:
        """Yield what every party said, with the party, in the order of the file."""
        # Problems of the file were collected by the first pass.
        foreign = read_foreign(self._source, self._layout, self._asked, self._scale, Problems())
        for line, candidate in zip(foreign.lines, self._candidates, strict=True):
            if candidate != _NOT_PLACED:
                item, key = self._keys.of(candidate)
                yield line.party, (line.number, {**line.said, "item": item, "candidate": key})


class ForeignRows:
    """What one party said in a foreign file, as rows that are checked like those of our own tables.

    Parameters
    ----------
    problems
        Collects what is wrong, in the first iteration only.
    """

    def __init__(self, lines: ForeignLines, party: str, name: str, scale: JudgeScale, problems: Problems) -> None:
        self._lines, self._party, self._name, self._scale = lines, party, name, scale
        self._problems = problems

    def __iter__(self) -> Iterator[JudgeRow]:
        problems, self._problems = self._problems, Problems()
        return judge_rows(self._lines.of(self._party), self._name, self._scale, problems, self._lines.unit)


def rows_of(lines: ForeignLines, name: str, scale: JudgeScale, problems: Problems) -> Mapping[str, Iterable[JudgeRow]]:
    """Return the rows of a foreign file by party.

    For several people the rows are held in memory, but not their lines, which take several times as much. Reading the
    file again for each of hundreds of people would take hours.
    """
    if len(lines.parties) < 2:
        return {party: ForeignRows(lines, party, name, scale, problems) for party in lines.parties}
    rows: dict[str, list[JudgeRow]] = {party: [] for party in lines.parties}
    whose = ""

    def said() -> Iterator[JudgeLine]:
        nonlocal whose
        for party, line in lines.of_all():
            whose = party
            yield line

    # A row is produced as soon as its line has been read.
    for row in judge_rows(said(), name, scale, problems, lines.unit):
        rows[whose].append(row)
    return rows


def _named(line: ForeignLine, because: str) -> str:
    return f"{because} (of {shown(line.party)})" if line.party else because

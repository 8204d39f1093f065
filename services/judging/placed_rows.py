"""Find the candidate of each verdict in a file, and everything that prevents storing them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from exchange.judge_verdicts import JudgeRow
from exchange.refusal import InputRefused, Problems, shown
from protocol.scales import EXCLUDED
from services.judging.candidate_keys import UNKNOWN, CandidateKeys, Ids
from services.judging.foreign_rows import Unplaced
from services.judging.named_models import NamedModels
from services.judging.sources import LISTED, leaving_out

_NAMED = 5
AT_ONCE = 5_000


@dataclass
class Offenders:
    """Rows with the same fault: how many, and the first of them."""

    count: int = 0
    first: list[JudgeRow] = field(default_factory=list)

    def add(self, row: JudgeRow) -> None:
        """Count another row."""
        self.count += 1
        if len(self.first) < _NAMED:
            self.first.append(row)

    @property
    def named(self) -> str:
        """The first of these rows with their places, for use in a sentence."""
        return ", ".join(f"{shown(row.item)} + {shown(row.candidate)} ({row.place})" for row in self.first)


@dataclass(frozen=True, eq=False)
class PlacedRows:
    """The candidate of each row, without the rows.

    Attributes
    ----------
    ids
        In the order of the rows; `UNKNOWN` if a row is left out.
    errors
        How many of the stored rows have an error in place of a verdict.
    excluded
        How many of them have the verdict *excluded*.
    left_out, unplaced
        How many rows are left out because the study has no such candidate, and the first of them.
    unused_models
        The first values of a column `model` if it names no model of the study.
    """

    ids: Ids
    errors: int
    excluded: int
    left_out: int
    unplaced: tuple[Unplaced, ...]
    unused_models: Sequence[str] = ()

    @property
    def stored(self) -> int:
        """How many rows are stored."""
        return int(self.ids.size) - self.left_out


def in_parts(rows: Iterable[JudgeRow], at_once: Callable[[], int]) -> Iterator[list[JudgeRow]]:
    """Yield rows in lists, each as long as `at_once` asks for."""
    waiting = iter(rows)
    while part := list(islice(waiting, at_once())):
        yield part


def placed_rows(
    rows: Iterable[JudgeRow],
    keys: CandidateKeys,
    newer: Mapping[tuple[str, str], str],
    file_name: str,
    problems: Problems,
    models: NamedModels,
    *,
    skip_unplaced: bool,
    feed: Callable[[int], None] = lambda _: None,
    doubled_says: str = "one run may judge a candidate once, but some are judged twice",
    unit: str = "candidate",
) -> PlacedRows:
    """Read the rows once and return the candidate of each.

    Parameters
    ----------
    newer
        For the keys that a version of the study replaced, the key of the replacement.
    problems
        Collects the reader's problems in the meantime.
    models
        Compares a column `model` with the candidates.
    skip_unplaced
        Whether rows about no candidate of the study are left out, instead of refusing the file.
    feed
        Called with how many rows have been processed.
    doubled_says
        The sentence on two rows about one candidate.
    unit
        What a row names beside its item: a candidate, or a pair.

    Raises
    ------
    InputRefused
        Lists everything that is wrong: the reader's problems, keys that the study lacks or has replaced, models other
        than the one that answered, and doubled verdicts.
    """
    codes, errors, excluded = array("q"), 0, 0
    unplaced: list[Unplaced] = []
    replaced, unmatched, left_out = Offenders(), Offenders(), 0
    for part in in_parts(rows, lambda: AT_ONCE):
        ids = keys.ids_of([(row.item, row.candidate) for row in part]).tolist()
        for row, number in zip(part, ids, strict=True):
            code = number
            if (row.item, row.candidate) in newer:
                replaced.add(row)
            if number != UNKNOWN:
                errors += row.verdict is None
                excluded += row.verdict == EXCLUDED
            elif skip_unplaced:
                left_out += 1
                if len(unplaced) < LISTED:
                    because = f"the study has no {unit} {shown(row.item)} + {shown(row.candidate)}"
                    unplaced.append(Unplaced(row.place, because))
            else:
                unmatched.add(row)
                code = _code_of_unknown(row)
            codes.append(code)
        models.look_at(part, ids)
        feed(len(codes))
    # Shares the memory instead of copying it.
    placed = np.frombuffer(codes, dtype=np.int64) if codes else np.empty(0, dtype=np.int64)
    _note_replaced(replaced, newer, len(placed), file_name, problems)
    _note_unmatched(unmatched, len(placed), file_name, problems, unit)
    models.note(len(placed), file_name, problems)
    _note_doubled(rows, placed, file_name, problems, doubled_says)
    problems.refuse()
    if left_out and left_out == placed.size:
        raise InputRefused(
            f"{file_name} holds no verdicts on {unit}s of the study, {unplaced[0].place}: {unplaced[0].because}; "
            "correct the keys, or choose the study that it is about."
        )
    return PlacedRows(placed, errors, excluded, left_out, tuple(unplaced), models.unused)


def _code_of_unknown(row: JudgeRow) -> int:
    """Return a number below `UNKNOWN` that identifies rows with the same keys; the file will be refused anyway.

    If only one order of each pair is read, this is the order too: which of them a line is about is known only of pairs
    of the study, so both orders of another pair are read, and neither is a second verdict.
    """
    return UNKNOWN - 1 - (hash((row.item, row.candidate, row.shown_first)) & (2**62 - 1))


def _note_replaced(
    replaced: Offenders, newer: Mapping[tuple[str, str], str], rows: int, file_name: str, problems: Problems
) -> None:
    """Note verdicts on what a version replaced: the study folder now has the corrected answer under that key."""
    if replaced.count:
        first = replaced.first[0]
        problems.take(
            InputRefused(
                f"{file_name}: {replaced.count} of {rows} verdicts name what a version of the study replaced, such "
                f"as {replaced.named}; name what came in its place, of the first '{newer[first.item, first.candidate]}'"
                ", with its item as candidates.csv of the data files has them."
            )
        )


def _note_unmatched(unmatched: Offenders, rows: int, file_name: str, problems: Problems, unit: str) -> None:
    if unmatched.count:
        # A judge often compares every two answers, of which a phase draws some.
        lines = "lines about pairs that were not drawn for people" if unit == "pair" else "such lines"
        problems.take(
            InputRefused(
                f"{file_name}: {unmatched.count} of {rows} verdicts name an item and {unit} that the study "
                f"lacks, such as {unmatched.named}; correct the keys and import again, or {leaving_out(lines)}."
            )
        )


def _note_doubled(rows: Iterable[JudgeRow], codes: Ids, file_name: str, problems: Problems, says: str) -> None:
    ascending = np.sort(codes)
    twice = ascending[1:][ascending[1:] == ascending[:-1]]
    twice = twice[twice != UNKNOWN]
    if not twice.size:
        return
    places = np.flatnonzero(np.isin(codes, twice))[:_NAMED].tolist()
    doubled = Offenders()
    for place, row in enumerate(islice(rows, places[-1] + 1)):
        if place in places:
            doubled.add(row)
    problems.take(
        InputRefused(f"{file_name}: {says}, such as {doubled.named}; keep one verdict of each and import again.")
    )

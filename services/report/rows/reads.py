"""The reads as one column per rater over the same items; every section of the report computes from these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from exchange.report.estimate_rows import ALL_ITEMS, Party, Stratum
from exchange.report.report_words import FORMATS, GROUNDINGS
from protocol.phases import READING
from services.reading.correctness import NOT_ASSESSABLE, Score, canonical, in_words, score, score_written
from services.report.rows.study_rows import Entry, Member, ReadItem, StudyRows


@dataclass(frozen=True)
class Column:
    """One rater's reads, in the order of the items; None for items not assigned or without a value that counts.

    Attributes
    ----------
    answers
        Canonical answers; None if the read is not an answer.
    correct
        Whether the answer is right; None without an answer or without a reference.
    shares, ranks
        What stands beside that: of several options the share on which answer and reference agree, of a ranked list the
        place of its first accepted line, counted from 1.
    """

    rater: Member
    entries: tuple[Entry | None, ...]
    answers: tuple[str | None, ...]
    correct: tuple[bool | None, ...]
    shares: tuple[float | None, ...]
    ranks: tuple[int | None, ...]
    token_f1: tuple[float | None, ...]
    words: tuple[str, ...]

    @property
    def party(self) -> Party:
        """The rater, as the party that an estimate is about."""
        return self.rater.party

    @cached_property
    def assigned(self) -> tuple[bool, ...]:
        """Which items were assigned to this rater."""
        return tuple(entry is not None for entry in self.entries)

    @cached_property
    def not_assessable(self) -> tuple[bool, ...]:
        """Which items the rater called not assessable."""
        return tuple(entry is not None and entry.status == "not_assessable" for entry in self.entries)

    @cached_property
    def said(self) -> tuple[str | None, ...]:
        """The verdicts, counting "not assessable" as an answer; None without a verdict."""
        return tuple(
            NOT_ASSESSABLE if apart else answer for answer, apart in zip(self.answers, self.not_assessable, strict=True)
        )


@dataclass(frozen=True)
class Part:
    """A subset of the items, with their positions."""

    stratum: Stratum
    positions: tuple[int, ...]

    def of(self, values: Sequence[Any]) -> list[Any]:
        """Return the values at this part's positions."""
        return [values[position] for position in self.positions]


@dataclass(frozen=True)
class Reads:
    """All raters' reads of the frozen items, first pass."""

    items: tuple[ReadItem, ...]
    columns: tuple[Column, ...]
    floor: tuple[bool | None, ...]

    @cached_property
    def subjects(self) -> tuple[str, ...]:
        """The subject of each item: the cluster of every interval."""
        return tuple(item.subject for item in self.items)

    @cached_property
    def pairs(self) -> list[tuple[Column, Column]]:
        """Every pair of raters."""
        return list(combinations(self.columns, 2))

    @cached_property
    def answers_by_format(self) -> dict[int, tuple[str | None, ...]]:
        """The canonical answers by rater id, each prefixed with its format."""
        return {
            column.rater.id: tuple(
                None if answer is None else f"{item.format}: {answer}"
                for item, answer in zip(self.items, column.answers, strict=True)
            )
            for column in self.columns
        }

    @cached_property
    def everything(self) -> Part:
        """All items."""
        return self._where(ALL_ITEMS, lambda item: True)

    @cached_property
    def closed_ended(self) -> Part:
        """Items that are answered by choosing from options."""
        return self._where(Stratum("closed"), lambda item: item.is_closed_ended)

    @cached_property
    def formats(self) -> list[Part]:
        """One part for each format that occurs."""
        return self._filled(
            self._where(Stratum("format", key), lambda item, key=key: item.format == key)  # type: ignore[misc]
            for key in FORMATS
        )

    @cached_property
    def categories(self) -> list[Part]:
        """One part for each category, sorted by name."""
        return self._filled(
            self._where(Stratum("category", name), lambda item, name=name: item.category == name)  # type: ignore[misc]
            for name in sorted({item.category for item in self.items})
        )

    @cached_property
    def groundings(self) -> list[Part]:
        """Image-grounded and image-informed items."""
        return self._filled(
            self._where(Stratum("grounding", key), lambda item, key=key: item.grounding == key)  # type: ignore[misc]
            for key in GROUNDINGS
        )

    @cached_property
    def referenced(self) -> Part:
        """Items with a reference; on all others, nothing is right or wrong."""
        return self._where(ALL_ITEMS, lambda item: item.has_reference)

    def with_reference(self, parts: Iterable[Part]) -> list[Part]:
        """Return the items with a reference of each part, without parts that have none."""
        known = set(self.referenced.positions)
        return self._filled(Part(part.stratum, tuple(i for i in part.positions if i in known)) for part in parts)

    def subjects_of(self, part: Part) -> list[str]:
        """Return the subjects of a part's items."""
        return part.of(self.subjects)

    def _where(self, stratum: Stratum, belongs: Callable[[ReadItem], bool]) -> Part:
        return Part(stratum, tuple(i for i, item in enumerate(self.items) if belongs(item)))

    @staticmethod
    def _filled(parts: Iterable[Part]) -> list[Part]:
        return [part for part in parts if part.positions]


def reads_of(study: StudyRows) -> Reads:
    """Arrange all raters' reads over the frozen items."""
    place = {item.id: position for position, item in enumerate(study.items)}
    by_rater: dict[int, dict[int, Entry]] = {rater.id: {} for rater in study.raters}
    for entry in study.entries_of(READING.key):
        if entry.member_id in by_rater and entry.item_id in place:
            by_rater[entry.member_id][place[entry.item_id]] = entry
    judged: dict[tuple[int, str], _Judged] = {}
    return Reads(
        items=study.items,
        columns=tuple(column_of(rater, by_rater[rater.id], study.items, judged) for rater in study.raters),
        floor=tuple(
            score_written(item, item.text_only_answer).correct if item.text_only_answer else None
            for item in study.items
        ),
    )


@dataclass(frozen=True)
class _Judged:
    """What a read has in common with equal reads by other raters: its compared form, its score, and what it says."""

    answer: str | None
    score: Score
    words: str


def column_of(
    rater: Member, entries: dict[int, Entry], items: tuple[ReadItem, ...], judged: dict[tuple[int, str], _Judged]
) -> Column:
    """Arrange one rater's reads, given by place, over the items.

    Parameters
    ----------
    judged
        A cache by place and answer: most answers have already been given by another rater.
    """
    placed = tuple(entries.get(position) for position in range(len(items)))
    reads = []
    for position, (item, entry) in enumerate(zip(items, placed, strict=True)):
        if entry is None or not _has_answer(entry) or not isinstance(entry.answer, str):
            reads.append(_judged(item, entry))
            continue
        place = (position, entry.answer)
        if place not in judged:
            judged[place] = _judged(item, entry)
        reads.append(judged[place])
    return Column(
        rater=rater,
        entries=placed,
        answers=tuple(read.answer for read in reads),
        correct=tuple(read.score.correct for read in reads),
        shares=tuple(read.score.share for read in reads),
        ranks=tuple(read.score.rank for read in reads),
        token_f1=tuple(read.score.token_f1 for read in reads),
        words=tuple(read.words for read in reads),
    )


def _judged(item: ReadItem, entry: Entry | None) -> _Judged:
    if entry is None or not _has_answer(entry):
        return _Judged(None, Score(None), said_in_words(item, entry))
    return _Judged(canonical(item.type, entry.answer), score(item, entry.answer), said_in_words(item, entry))


def said_in_words(item: ReadItem, entry: Entry | None) -> str:
    """Return what became of an assigned item, in words."""
    if entry is None:
        return "not assigned"
    if entry.status == "not_assessable":
        return f"Not assessable: {entry.reason}"
    if entry.status == "technical_failure":
        return "Technical failure"
    return in_words(item, entry.answer) if _has_answer(entry) else "No verdict"


def _has_answer(entry: Entry | None) -> bool:
    return entry is not None and entry.status == "answered" and entry.answer is not None

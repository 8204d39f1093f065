"""The hidden values of a study at one moment, each with its kind and the units it belongs to."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from sqlalchemy import func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db import (
    Adjudication,
    Assignment,
    Candidate,
    CandidatePair,
    Case,
    Flag,
    ImportedLabel,
    Item,
    JudgeVerdict,
    Membership,
    Verdict,
)
from db.asking import ask
from db.base import stored_id
from services.record.blinding_audit.kinds import KINDS, Kind
from services.record.blinding_audit.matching import Index, Literal

# What a value belongs to: "item", "case", "subject", "candidate" or "member" with its id, or the study.
Unit = tuple[str, int | str]
STUDY: Unit = ("study", 0)


@dataclass(frozen=True)
class Cut:
    """The highest ids at one moment: rows are added, never changed, so the state at that moment can be read again."""

    assignment: int
    membership: int
    verdict: int
    flag: int
    adjudication: int
    judge_verdict: int
    imported_label: int = 0

    @staticmethod
    def now(session: Session) -> Cut:
        """Return the cut at this moment."""
        return Cut(**{name: newest or 0 for name, newest in ask(session, _NEWEST).mappings().one().items()})

    def as_json(self) -> dict[str, int]:
        """Return the cut for a file."""
        return asdict(self)


_TABLES: dict[str, Any] = {
    "assignment": Assignment, "membership": Membership, "verdict": Verdict, "flag": Flag,
    "adjudication": Adjudication, "judge_verdict": JudgeVerdict,
    "imported_label": ImportedLabel,
}  # fmt: skip
_NEWEST: Any = select_columns(
    *(select(func.max(table.id)).scalar_subquery().label(name) for name, table in _TABLES.items())
)


@dataclass
class Value:
    """A hidden value: its kind, the forms that are searched for, and the units it belongs to.

    Attributes
    ----------
    text
        The value as it is stored.
    units
        The units it belongs to. For an answer, each unit has the ids of the members or candidates who gave it.
    """

    kind: Kind
    text: str
    literals: tuple[Literal, ...]
    units: dict[Unit, set[int]] = field(default_factory=dict)

    @property
    def searched(self) -> tuple[Literal, ...]:
        """The forms that are long enough to be searched for; for names also labels such as s01."""
        is_name = self.kind.sort == "name"
        return tuple(part for part in self.literals if not part.is_too_short or (is_name and part.is_label))

    @property
    def is_plain(self) -> bool:
        """Whether it is a single ordinary word."""
        return any(literal.is_plain for literal in self.literals)

    @property
    def is_name(self) -> bool:
        """Whether it names a thing or person wherever it occurs; an ordinary word may refer to something else."""
        return self.kind.sort == "name" and not (self.is_plain and self.kind.plain == "as a fact")

    @property
    def word_count(self) -> int:
        """The number of its words."""
        return max((len(literal.words) for literal in self.literals), default=0)


class HiddenValues:
    """The values of a study, numbered in a reproducible order, and those that are not searched for.

    Parameters
    ----------
    shared
        Words that everybody gets: a name that is among them reveals nothing.
    """

    def __init__(self, values: Iterable[Value], shared: frozenset[str]) -> None:
        self.values: list[Value] = []
        self.too_short: dict[str, list[str]] = defaultdict(list)
        self.too_common: dict[str, list[str]] = defaultdict(list)
        for value in sorted(values, key=lambda value: (value.kind.key, value.text)):
            if value.word_count < value.kind.fewest_words or not value.searched:
                self.too_short[value.kind.key].append(value.text)
            elif _is_too_common(value, shared):
                self.too_common[value.kind.key].append(value.text)
            else:
                self.values.append(value)
        self.index = Index((number, literal) for number, value in enumerate(self.values) for literal in value.searched)

    def count(self) -> dict[str, int]:
        """Return how many values of each kind are searched for."""
        counts = {key: 0 for key, kind in KINDS.items() if kind.is_searched}
        for value in self.values:
            counts[value.kind.key] += 1
        return counts

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all values: an interrupted audit is resumed only if it is unchanged."""
        rows = [(value.kind.key, value.text, sorted(map(str, value.units.items()))) for value in self.values]
        left_out = [sorted(self.too_short.items()), sorted(self.too_common.items())]
        return hashlib.sha256(repr([rows, left_out]).encode()).hexdigest()


class Subjects:
    """The subjects of a study's units: a text about a case is on the screens of all its subject's items."""

    def __init__(self, session: Session, study_id: int) -> None:
        items = select(Item.id, Case.id, Case.subject).join(Case, col(Case.id) == Item.case_id)
        candidates = select(Candidate.id, Candidate.item_id).where(Candidate.study_id == study_id)
        pairs = select(CandidatePair).where(CandidatePair.study_id == study_id)
        self._compared = {row.candidate_id: (row.first_id, row.second_id) for row in session.exec(pairs)}
        self._of: dict[Unit, str] = {}
        self._items: dict[Unit, set[Unit]] = defaultdict(set)
        self._of_values: dict[tuple[str, str], frozenset[str]] = {}
        for item, case, subject in session.exec(items.where(Item.study_id == study_id)):
            self._of |= {("item", stored_id(item)): subject, ("case", stored_id(case)): subject}
            self._of["subject", subject] = subject
            for unit in (("case", stored_id(case)), ("subject", subject)):
                self._items[unit].add(("item", stored_id(item)))
        for candidate, item in session.exec(candidates):
            self._of["candidate", stored_id(candidate)] = self._of["item", item]

    def answers_of(self, candidate_id: int) -> frozenset[int]:
        """Return the ids under which an answer is known; for a pair these include both of its answers."""
        return frozenset((candidate_id, *self._compared.get(candidate_id, ())))

    def of(self, units: Iterable[Unit]) -> frozenset[str]:
        """Return the subjects of some units."""
        return frozenset(self._of[unit] for unit in units if unit in self._of)

    def of_value(self, value: Value) -> frozenset[str]:
        """Return the subjects that a value belongs to; cached, because a common value has thousands of units."""
        name = (value.kind.key, value.text)
        if name not in self._of_values:
            self._of_values[name] = self.of(value.units)
        return self._of_values[name]

    def rated(self, units: Iterable[Unit]) -> frozenset[Unit]:
        """Return the items and candidates that some units are or comprise."""
        return frozenset(rated for unit in units for rated in self._items.get(unit, {unit}))


def _is_too_common(value: Value, shared: frozenset[str]) -> bool:
    if not value.is_plain:
        return False
    rule = value.kind.plain
    return rule == "never" or (rule == "unless shared" and any(part.text in shared for part in value.literals))

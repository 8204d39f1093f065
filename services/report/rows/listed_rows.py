"""The rows of a study that lists its phases, one line each, from which files, sections and figures are built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from protocol.fields import SETS
from protocol.fields.pixels import Pixels
from protocol.phases import THEN
from protocol.references import ItemReferences
from services.reading.answers import as_asked
from services.reading.field_keys import FieldResult, StudyKeys, results_of
from services.report.rows.study_rows import Entry, Member


@dataclass(frozen=True)
class ItemLine:
    """An item of the study, with what counts as right and the declared attributes of the item and its case."""

    id: int
    key: str
    case: str
    subject: str
    category: str
    format: str
    grounding: str
    prompt: str
    options: tuple[tuple[str, str], ...]
    accepted: tuple[str, ...]
    low: float | None
    high: float | None
    references: ItemReferences
    attributes: dict[str, str]
    # The item's form, in studies whose items name their own.
    form: str = ""
    practice: bool = False
    # Those of the image without scale on which it opens, in which its places are; None if it opens on a scan in mm.
    pixels: Pixels | None = None

    @property
    def in_pixels(self) -> bool:
        """Whether places in it are in pixels."""
        return self.pixels is not None


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """A candidate of the study. A person's answer also has its author and the phase in which it was given.

    `answers` is what a model wrote in separate columns for fields, by the key under which each is stored.
    """

    id: int
    key: str
    item: str
    model: str
    answer: str
    attributes: dict[str, str]
    author: str = ""
    given_in: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    # For a comparison: its two answers, in the order of the tables.
    pair: tuple[CandidateLine, ...] = ()
    # The version of the study that added it, and the version that replaced it by a corrected one.
    version: int = 1
    replaced_in: int | None = None


@dataclass(frozen=True)
class DrawnLine:
    """A unit as it was drawn for a phase.

    `probability` is its chance in this phase, given what the phase draws from, with its Monte Carlo `error`; `overall`
    is the chance through all phases that it came by. Both are None where not known. `together` says whether chance kept
    the units of an item together, in this phase and before.
    """

    phase: str
    item: str
    candidate: str | None
    stratum: str
    probability: float | None
    error: float | None
    # The slots to which it was dealt; none if everybody in the phase rates it.
    slots: tuple[str, ...] = ()
    # The version of the study that added it, and the version that replaced it by a corrected one.
    version: int = 1
    replaced_in: int | None = None
    overall: float | None = None
    together: bool = True


@dataclass(frozen=True)
class ListedRows:
    """Everything in the data files; attributes by the table that declares them, in the order of the protocol.

    Attributes
    ----------
    keys
        How each field is answered on each item, and what counts as right in it.
    versions
        The numbers of the study's versions, by the hash that verdicts name.
    """

    items: Sequence[ItemLine]
    candidates: Sequence[CandidateLine]
    drawn: Sequence[DrawnLine]
    members: Sequence[tuple[str, Member]]
    entries: Sequence[Entry]
    attributes_of_items: Sequence[str]
    attributes_of_candidates: Sequence[str]
    attributes_of_raters: Sequence[str]
    keys: StudyKeys
    # Keys of the fields for which models' answers have columns of their own.
    fields_of_models: Sequence[str] = ()
    # Keys of phases that show more after the own answer and ask nothing more.
    asking_nothing: frozenset[str] = frozenset()
    # Keys of the fields that ask which of two answers is better, with their phases.
    preferences: frozenset[tuple[str, str]] = frozenset()
    versions: Mapping[str, int] = field(default_factory=dict)

    # Cached: it is read once for every verdict and field.
    @cached_property
    def compares(self) -> bool:
        """Whether two answers are compared anywhere in the study."""
        return any(line.pair for line in self.candidates)

    @cached_property
    def replaced(self) -> frozenset[tuple[str, str, str | None]]:
        """Phase, item and candidate of each unit that a version replaced; no statistic counts them."""
        return frozenset((line.phase, line.item, line.candidate) for line in self.drawn if line.replaced_in is not None)

    @cached_property
    def to_rate(self) -> tuple[Entry, ...]:
        """The assigned work and what became of it, without units that a version replaced before their verdict."""
        return tuple(entry for entry in self.entries if not self.was_replaced(entry))

    def was_replaced(self, entry: Entry) -> bool:
        """Return whether a version replaced what was assigned before there was a verdict: it is not missing."""
        if entry.status != "missing" or not self.replaced:
            return False
        item, candidate = self._keys["item", entry.item_id], self._keys.get(("candidate", entry.candidate_id or 0))
        return (entry.phase.removesuffix(THEN), item, candidate) in self.replaced

    @cached_property
    def _keys(self) -> dict[tuple[str, int], str]:
        """The keys of items and candidates, by kind and id."""
        return {("item", item.id): item.key for item in self.items} | {
            ("candidate", candidate.id): candidate.key for candidate in self.candidates
        }


def results_of_entry(rows: ListedRows, entry: Entry) -> tuple[FieldResult, ...]:
    """Return, for each field of a verdict, what was answered and whether it is right.

    Fields that were not answered, verdicts of "not assessable", and ratings of answers or references are left out.
    """
    if entry.verdict_id is None or entry.not_assessable is not None:
        return ()
    return tuple(results_of(rows.keys.of(entry.phase, entry.item_id), dict(entry.fields)))


def sets_left_empty(rows: ListedRows, entry: Entry) -> tuple[str, ...]:
    """Return the fields of a verdict that take any number of options, were asked, and got none."""
    part = rows.keys.phases.named(entry.phase)
    if entry.verdict_id is None or entry.not_assessable is not None or entry.phase in rows.asking_nothing:
        return ()
    given = dict(entry.fields)
    return tuple(
        field.key
        for field in rows.keys.phases.rules_of(part).fields_of(rows.keys.items[entry.item_id].form)
        if field.type in SETS and given.get(field.key) is None and as_asked(field, given) is not None
    )

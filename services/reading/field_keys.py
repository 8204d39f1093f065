"""How each field of a phase is answered for an item, what counts as right in it, and whether an answer is right.

Practice, the data files and every figure of a study that lists its phases use these rules.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from protocol.fields import KINDS, SETS, text
from protocol.fields.abstention import is_undetermined
from protocol.forms import PhaseField
from protocol.phase_rules import PhaseRules
from protocol.references import FieldReference, ItemReferences, ReferenceState, state_of
from protocol.study_phases import StudyPhases
from services.reading import shown_forms
from services.reading.answers import as_asked
from services.reading.correctness import AnswerKey, Score, score

# An unasked field is not applicable: neither an abstention nor missing.
AnswerState = Literal["given", "undetermined", "not_given", "not_applicable"]
NOTHING = Score(None)


class AskedItem(Protocol):
    """The properties of an item on which its fields depend; both stored and shown items have them."""

    @property
    def form(self) -> str:
        """The form that the item names."""

    @property
    def format(self) -> str:
        """How the item is answered."""

    @property
    def options(self) -> Sequence[Mapping[str, str]]:
        """The options that can be chosen."""


@dataclass(frozen=True)
class FieldKey:
    """One field as it is asked about an item, with what counts as right.

    Attributes
    ----------
    compared
        Whether it is the field that the phase compares.
    reference
        What answers are compared with; None if there is none, or if it is shown on the screen.
    state
        Whether the field has a reference, and who compares answers with it.
    """

    field: PhaseField
    key: AnswerKey
    compared: bool
    reference: FieldReference | None
    state: ReferenceState
    _scored: dict[str, Score] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    def score(self, answer: Any) -> Score:
        """Return the score of an answer; each text is compared only once, however often a report asks."""
        if not isinstance(answer, str):
            return score(self.key, answer)
        if answer not in self._scored:
            self._scored[answer] = score(self.key, answer)
        return self._scored[answer]

    @property
    def score_of_none(self) -> Score:
        """The score of an empty set: never right, as no reference names it, but it leaves others rightly alone."""
        return Score(correct=False, share=self.score(()).share)


@dataclass(frozen=True)
class FieldResult:
    """An answer to a field, compared with what counts as right.

    Attributes
    ----------
    answer
        The answer; None unless `given` is "given".
    score
        `correct` is None if nothing can be said: no reference, compared by people, or not applicable. If a program
        compares, an abstention is not right, and neither is an empty selection in a field that takes a set.
    """

    asked: FieldKey
    given: AnswerState
    answer: Any
    score: Score

    @property
    def field(self) -> str:
        """The key of the field."""
        return self.asked.field.key


def keys_of_item(rules: PhaseRules, item: AskedItem, references: ItemReferences) -> tuple[FieldKey, ...]:
    """Return the fields that a phase asks about an item, each with what counts as right."""
    compared = rules.compared_in(item.form)
    return tuple(
        _key(
            asked,
            item,
            references,
            asked.key == compared,
            shown=bool({"reference", f"reference.{asked.key}"} & rules.shows),
        )
        for asked in shown_forms.fields_asked(rules, item.form, item.options)
    )


def _key(asked: PhaseField, item: AskedItem, references: ItemReferences, compared: bool, *, shown: bool) -> FieldKey:
    reference = references.of(asked.key, compared=compared)
    if reference is not None and not reference.field and not can_be_right(asked, reference):
        reference = None
    state = state_of(reference)
    if shown and reference is not None:
        # A rater who sees what counts as right is not compared with it.
        reference, state = None, "shown"
    key = AnswerKey(
        format=item.format,
        type=asked.type,
        options=tuple((option.id, option.text) for option in asked.offered),
        accepted=text.with_synonyms(reference.accepted, asked.synonyms) if reference else (),
        low=reference.low if reference else None,
        high=reference.high if reference else None,
        radius=reference.radius if reference else None,
        region=reference.region if reference else None,
        compared_by=reference.compared_by if reference else "program",
        unit=asked.unit,
    )
    return FieldKey(asked, key, compared, reference, state)


def can_be_right(asked: PhaseField, reference: FieldReference) -> bool:
    """Return whether a reference that names no field could be an answer to this one.

    Reviewed items have a reference too, but it does not answer the field that asks what is wrong with the item.
    """
    ids = {option.id for option in asked.offered}
    if ids and not ids & set(reference.accepted):
        return False
    return not KINDS[asked.type].problem_of_reference(asked, reference.counts_as_right)


def results_of(keys: Sequence[FieldKey], answers: Mapping[str, Any]) -> Iterator[FieldResult]:
    """Yield, for each field of an item, the answer and whether it is right.

    Parameters
    ----------
    answers
        The fields of a stored verdict that did assess its unit.
    """
    for key in keys:
        answer = answers.get(key.field.key)
        given = _given(key.field, answer, answers)
        result = NOTHING
        if given == "given":
            result = key.score(answer)
        elif key.state == "program" and given == "undetermined":
            result = Score(correct=False)
        elif key.state == "program" and _chose_none(key.field, given):
            result = key.score_of_none
        yield FieldResult(key, given, answer if given == "given" else None, result)


def _chose_none(asked: PhaseField, given: AnswerState) -> bool:
    """Return whether a field that takes a set of options was asked and given none.

    An empty set is an answer, but never the right one: no reference names an empty set.
    """
    return given == "not_given" and asked.type in SETS


def _given(asked: PhaseField, answer: Any, answers: Mapping[str, Any]) -> AnswerState:
    if is_undetermined(answer):
        return "undetermined"
    if answer is not None:
        return "given"
    return "not_applicable" if as_asked(asked, answers) is None else "not_given"


@dataclass(frozen=True)
class StudyKeys:
    """The fields of every phase for every item, each combination looked up once.

    Attributes
    ----------
    items, references
        By item id.
    """

    phases: StudyPhases
    items: Mapping[int, AskedItem]
    references: Mapping[int, ItemReferences]
    _looked_up: dict[tuple[str, int], tuple[FieldKey, ...]] = dataclasses.field(default_factory=dict, compare=False)

    def of(self, phase: str, item_id: int) -> tuple[FieldKey, ...]:
        """Return the fields that a phase asks about an item; empty if the phase rates answers or references.

        Parameters
        ----------
        phase
            The key stored with an assignment, for a first or second step.
        """
        if (phase, item_id) not in self._looked_up:
            part = self.phases.named(phase)
            keys: tuple[FieldKey, ...] = ()
            if part.kind == "items":
                references = self.references.get(item_id, ItemReferences())
                keys = keys_of_item(self.phases.rules_of(part), self.items[item_id], references)
            self._looked_up[phase, item_id] = keys
        return self._looked_up[phase, item_id]

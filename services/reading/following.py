"""Select units by their answers: flagged, not assessable, in disagreement, or answered with a given value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agreement.consensus import are_different
from db.queries import StandingAnswer
from protocol.fields import KINDS, abstention
from protocol.fields.preference import as_in_table
from protocol.language.expansion import Condition, Entry, Expansion, Field, Phase
from protocol.language.listed import kind_of_field
from protocol.language.pools import rates_texts
from services.reading import correctness
from services.studies.sampling.units import Unit

# The standing answers of each phase, by its key.
Answers = Mapping[str, Sequence[StandingAnswer]]
# Has no distance to anything: stands for an answer that is not a number, or is missing.
_NO_NUMBER = float("nan")


def selected_by_answers(study: Expansion, phase: Phase, units: Iterable[Unit], answers: Answers) -> list[Unit]:
    """Return the units whose answers meet the conditions that a phase states as `PHASE.FIELD`."""
    left = list(units)
    for condition in phase.source.where:
        key, _, name = condition.name.partition(".")
        if name:
            given = _by_unit(study, phase, study.phase(key), answers)
            left = [unit for unit in left if _is_result(study, condition, key, name, given(unit))]
    return left


def parted_by_answers(
    study: Expansion, phase: Phase, units: Sequence[Unit], answers: Answers
) -> tuple[list[Unit], list[Unit]]:
    """Return the units that `let_in` admits, and the other answered ones; the turns of a conversation stay together.

    Without `let_in` all units are admitted.
    """
    source = phase.source
    if source.phase is None or not source.let_in:
        return list(units), []
    answered_in = study.phase(source.phase)
    given = _by_unit(study, phase, answered_in, answers)
    let_in = {
        _whole(unit) for unit in units if any(_lets_in(study, answered_in, e, given(unit)) for e in source.let_in)
    }
    others = {_whole(unit) for unit in units if given(unit)} - let_in
    return [unit for unit in units if _whole(unit) in let_in], [unit for unit in units if _whole(unit) in others]


def _whole(unit: Unit) -> tuple[str, str]:
    """Return what is let in as a whole: a conversation, whose turns build on each other, or the unit itself."""
    conversation = unit.attributes.get("conversation")
    return ("conversation", conversation) if conversation and unit.key == unit.item else ("unit", unit.key)


class _Given:
    """The answers about a unit, which either was answered itself or belongs to an item that was."""

    def __init__(self, answers: Iterable[StandingAnswer], by_candidate: bool) -> None:
        self._by_candidate = by_candidate
        self._answers: dict[str, list[StandingAnswer]] = defaultdict(list)
        for answer in answers:
            self._answers[(answer.candidate or "") if by_candidate else answer.item].append(answer)

    def __call__(self, unit: Unit) -> Sequence[StandingAnswer]:
        return self._answers.get(unit.key if self._by_candidate else unit.item, ())


def _by_unit(study: Expansion, phase: Phase, answered_in: Phase, answers: Answers) -> _Given:
    both_texts = rates_texts(answered_in) and rates_texts(phase)
    by_candidate = both_texts or (answered_in.pairs is not None and phase.pairs is not None)
    return _Given(answers.get(answered_in.key, ()), by_candidate=by_candidate)


def _fields(study: Expansion, phase: Phase, form: str) -> Sequence[Field]:
    """Return the fields that were asked of an item that names this form."""
    if phase.form != "as_item":
        return phase.fields
    return next((named.fields for named in study.forms if named.key == form), ())


def _lets_in(study: Expansion, phase: Phase, entry: Entry, given: Sequence[StandingAnswer]) -> bool:
    if entry.reason == "flagged":
        return any(answer.flagged for answer in given)
    if entry.reason == "not_assessable":
        return any(answer.not_assessable is not None for answer in given)
    if entry.reason == "answered":
        return any(_is_filled_in(answer.fields.get(str(entry.field))) for answer in given)
    if len(given) < 2:
        return False
    fields = {asked.key: asked for asked in _fields(study, phase, given[0].form)}
    steps = {part.field: part.steps for part in entry.differences}
    steps = steps or {key: 1 for key, asked in fields.items() if asked.primary}
    return any(_differ(fields[key], given, least) for key, least in steps.items() if key in fields)


def _is_filled_in(value: Any) -> bool:
    return value is not None and value not in ("", [])


def _differ(asked: Field, given: Sequence[StandingAnswer], steps: int) -> bool:
    """Return whether answers to a field are at least `steps` apart; an abstention differs from every answer."""
    words = [_said(asked, answer) for answer in given]
    if steps == 1:
        return are_different(words)
    places = [_place(asked, answer.fields.get(asked.key)) for answer in given if answer.not_assessable is None]
    numbers = [place for place in places if place == place]
    abstains = [word for answer, word in zip(given, words, strict=True) if _abstains(asked, answer)]
    return bool(abstains and numbers) or (len(numbers) > 1 and max(numbers) - min(numbers) >= steps)


def _abstains(asked: Field, answer: StandingAnswer) -> bool:
    return answer.not_assessable is not None or abstention.is_undetermined(answer.fields.get(asked.key))


def _given(asked: Field, answer: StandingAnswer) -> Any:
    """Return an answer as it is compared with others: a preference names the preferred answer, not its side."""
    value = answer.fields.get(asked.key)
    return as_in_table(value, answer.sides) if asked.type == "preference" and isinstance(value, str) else value


def _said(asked: Field, answer: StandingAnswer) -> object:
    """Return the comparable value of an answer; None if the field was left empty or not asked."""
    value = _given(asked, answer)
    if answer.not_assessable is None and abstention.is_undetermined(value):
        return (abstention.ID,)
    # A field that takes the item's format is answered with one of the item's options, or with text.
    kind = "choice" if asked.type == "as_item" and answer.has_options else kind_of_field(asked)
    given = value if _is_filled_in(value) else None
    given = correctness.as_meant(kind, given, [group.words for group in asked.synonyms])
    return correctness.said(kind, given, not_assessable=answer.not_assessable is not None)


def _place(asked: Field, value: Any) -> float:
    """Return an answer as a number: its own value, or its position among the steps of a scale."""
    if isinstance(value, bool) or value is None or abstention.is_undetermined(value):
        return _NO_NUMBER
    if isinstance(value, int | float):
        return float(value)
    ids = [option.id for option in asked.options]
    if KINDS[kind_of_field(asked)].scale != "ordinal" or not isinstance(value, str):
        return _NO_NUMBER
    if asked.steps is not None:
        return float(value)
    return float(ids.index(value)) if value in ids else _NO_NUMBER


def _is_result(study: Expansion, condition: Condition, key: str, name: str, given: Sequence[StandingAnswer]) -> bool:
    """Return whether the combined result of several answers, by the rule of their phase, is one of some values."""
    phase = study.phase(key)
    asked = (
        next((field for field in _fields(study, phase, given[0].form) if field.key == name), None) if given else None
    )
    if asked is None:
        return False
    # A number is the same however it is written.
    values = [correctness.canonical("number", value) for value in condition.values] if _is_number(asked) else []
    values = values or condition.values
    if phase.result in ("mean", "median"):
        return _middle(asked, phase.result, given) in values
    shares = [_values(asked, answer) for answer in given]
    needed = len(given) if phase.result == "unanimous" else len(given) // 2 + 1
    return any(sum(value in values for values in shares) >= needed for value in values)


def _is_number(asked: Field) -> bool:
    return KINDS[kind_of_field(asked)].scale == "interval"


def _values(asked: Field, answer: StandingAnswer) -> set[str]:
    """Return the values that one person gave for a field; a field with several options can have several."""
    value = _given(asked, answer)
    if answer.not_assessable is not None or not _is_filled_in(value) or abstention.is_undetermined(value):
        return set()
    return {correctness.as_text(part) for part in (value if isinstance(value, list) else [value])}


def _middle(asked: Field, rule: str, given: Sequence[StandingAnswer]) -> str | None:
    """Return the mean or median as a value of the field; None if it lies between two steps of a scale."""
    numbers = sorted(_place(asked, answer.fields.get(asked.key)) for answer in given if answer.not_assessable is None)
    if not numbers or any(number != number for number in numbers) or len(numbers) < len(given):
        return None
    size = len(numbers)
    middle = sum(numbers) / size if rule == "mean" else (numbers[(size - 1) // 2] + numbers[size // 2]) / 2
    if _is_number(asked):
        return correctness.as_text(middle)
    if not middle.is_integer():
        return None
    return str(int(middle)) if asked.steps is not None else asked.options[int(middle)].id

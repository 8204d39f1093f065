"""Models' answers in the fields that people fill in: one column of candidates.csv for each, stored as written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from exchange.csv_table import Line
from exchange.refusal import shown
from exchange.study_folder.folder_rows import CandidateRow
from exchange.study_folder.item_table import Attributes
from exchange.tables import Column
from protocol.language.expansion import Expansion
from protocol.language.model_answers import ANSWER, answers_items, beside_models, fields_of_models, stored_as
from protocol.language.results import filled_in

# With fewer lines, a model for each may well be meant.
_FEWEST_LINES = 4
# Keys may have a space or two.
_FEWEST_WORDS = 4


def columns_of_models(study: Expansion, others: Collection[str] = ()) -> tuple[Column, ...]:
    """Return the columns of candidates.csv in which models answer fields, besides `others` and its own."""
    return tuple(
        Column(field.key, "What the model answered in this field.", "text", "", "", optional=True)
        for field in fields_of_models(study)
        if field.key not in (*others, ANSWER)
    )


def unanswered_by_models(study: Expansion, candidates: Sequence[CandidateRow]) -> Iterator[str]:
    """Yield the places where the plan compares models with people in a field that no model answers."""
    written = {key for row in candidates for key, _ in row.attributes}
    texts = any(row.answer for row in candidates)
    for phase in study.phases:
        for field in filled_in(phase, {form.key: form.fields for form in study.forms}):
            asked = field.key in beside_models(study, phase) and answers_items(phase)
            if asked and stored_as(field.key) not in written and not (field.primary and texts):
                yield (
                    f"candidates.csv: the analysis plan puts models beside people in '{field.key}' of phase "
                    f"'{phase.key}', and no model answers it; add a column {field.key} with what each model "
                    "answered, or the report will have people alone."
                )


def exchanged_columns(candidates: Sequence[CandidateRow]) -> Iterator[str]:
    """Yield a warning if every line has a model of its own and few answers recur, each once for an item.

    Such a table has probably got the model's name in the column of the answer.
    """
    # Models that answer in columns of fields leave the column of the answer empty.
    rows = [row for row in candidates if row.answer]
    models, answers = {row.model for row in rows}, {row.answer for row in rows}
    recurs_in_no_item = len({(row.item, row.answer) for row in rows}) == len(rows)
    if len(models) == len(rows) >= _FEWEST_LINES and 2 * len(answers) <= len(rows) and recurs_in_no_item:
        first, recur = rows[0], "one answer recurs" if len(answers) == 1 else f"{len(answers)} answers recur"
        yield (
            f"candidates.csv: each of the {len(rows)} lines with an answer has a model of its own, and {recur}: "
            f"line {first.line} has model '{shown(first.model)}' and answer '{shown(first.answer)}'. Check that the "
            "columns model and answer are not exchanged."
        )


def exchanged_keys(candidates: Sequence[CandidateRow]) -> Iterator[str]:
    """Yield a warning if most keys of candidates are phrases, while each answer is another word with a digit.

    Such a table has probably got the answers in the column of the keys.
    """
    rows = [row for row in candidates if row.answer]
    phrases = sum(len(row.key.split()) >= _FEWEST_WORDS for row in rows)
    single = {row.answer for row in rows if len(row.answer.split()) == 1 and _has_digit(row.answer)}
    if len(rows) >= _FEWEST_LINES and 2 * phrases > len(rows) == len(single):
        first = rows[0]
        yield (
            f"candidates.csv: {phrases} of the {len(rows)} lines with an answer have a phrase as their key, and every "
            f"answer is a word of its own with a digit: line {first.line} has candidate '{shown(first.key)}' and "
            f"answer '{shown(first.answer)}'. Check that the columns candidate and answer are not exchanged."
        )


def _has_digit(word: str) -> bool:
    return any(character.isdigit() for character in word)


def answers_in_fields(line: Line, study: Expansion) -> Attributes:
    """Return the cells of a line in field columns, as they are stored, without empty ones."""
    cells = ((field.key, line.text(field.key)) for field in fields_of_models(study))
    return tuple((stored_as(key), cell) for key, cell in cells if cell)

"""A model's answer in its own words answers the primary field only if models have no column for that field."""

from __future__ import annotations

import pytest

from db import Item
from protocol.language.listed import phases_of_listed
from protocol.language.model_answers import stored_as
from protocol.references import ItemReferences
from services.reading.field_keys import StudyKeys
from services.report.rows.listed_rows import CandidateLine, ItemLine, ListedRows
from services.report.rows.models import answers_of_models
from tests.protocol.language.study_text import expanded

STUDY = """
phases:
  - {key: read, title: R, rates: items, shows: [prompt], form: {dx: {type: choice, options: [left, right]}}}
analysis: {primary: {estimate: accuracy, of: read.dx, with: models}}
"""


@pytest.mark.parametrize(
    ("of_another_model", "said"),
    [({stored_as("dx"): "left"}, ("no_response", None)), ({}, ("answered", "right"))],
    ids=["a_column_for_the_field", "no_column_for_the_field"],
)
def test_words_answer_a_field_for_which_models_have_no_column(
    of_another_model: dict[str, str], said: tuple[str, str | None]
) -> None:
    study, references = expanded(STUDY), ItemReferences(())
    item = ItemLine(1, "i1", "c1", "s1", "", "open", "", "", (), (), None, None, references, {})
    candidates = [
        CandidateLine(1, "k1", "i1", "in words", "right", {}),
        CandidateLine(2, "k2", "i1", "in a column", "right", {}, answers=of_another_model),
    ]
    keys = StudyKeys(phases_of_listed(study), {1: Item(format="open", form="", options=[])}, {1: references})
    rows = ListedRows([item], candidates, [], [], [], [], [], [], keys)

    answered = answers_of_models(rows, study, study.phase("read"), [item])

    assert answered["in words"][1]["dx"] == said

"""Models' answers in the fields of people: in their own words or in columns, once or under several conditions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from db import Item
from protocol.language.listed import phases_of_listed
from protocol.language.model_answers import stored_as
from protocol.references import ItemReferences
from services.reading.field_keys import StudyKeys
from services.report.rows.listed_rows import CandidateLine, ItemLine, ListedRows
from services.report.rows.models import Answered, answers_of_models, model_of
from tests.protocol.language.study_text import expanded

STUDY = """
phases:
  - {key: read, title: R, rates: items, shows: [prompt], form: {dx: {type: choice, options: [left, right]}}}
analysis: {primary: {estimate: accuracy, of: read.dx, with: models}}
"""


CONDITIONS = """
attributes: {candidates: {image: {type: choice, options: {shown: With it, absent: absent}}}}
"""


def item_of(number: int) -> ItemLine:
    return ItemLine(number, f"i{number}", "c1", "s1", "", "open", "", "", (), (), None, None, ItemReferences(()), {})


def said_by_models(
    text: str, items: list[ItemLine], candidates: list[CandidateLine], conditions: Sequence[str] = ()
) -> dict[str, dict[int, Answered]]:
    """Return what models answered in the phase of such a study."""
    study, forms = expanded(text), {item.id: Item(format="open", form="", options=[]) for item in items}
    keys = StudyKeys(phases_of_listed(study), forms, {item.id: ItemReferences(()) for item in items})
    rows = ListedRows(items, candidates, [], [], [], [], [], [], keys)
    return answers_of_models(rows, study, study.phase("read"), items, conditions)


@pytest.mark.parametrize(
    ("of_another_model", "said"),
    [({stored_as("dx"): "left"}, ("no_response", None)), ({}, ("answered", "right"))],
    ids=["a_column_for_the_field", "no_column_for_the_field"],
)
def test_words_answer_a_field_for_which_models_have_no_column(
    of_another_model: dict[str, str], said: tuple[str, str | None]
) -> None:
    candidates = [
        CandidateLine(1, "k1", "i1", "in words", "right", {}),
        CandidateLine(2, "k2", "i1", "in a column", "right", {}, answers=of_another_model),
    ]

    answered = said_by_models(STUDY, [item_of(1)], candidates)

    assert answered["in words"][1]["dx"] == said


def test_answers_under_several_conditions_are_apart_whichever_of_them_an_item_lacks() -> None:
    asked = [("i1", "twice", "shown"), ("i1", "twice", "absent"), ("i2", "twice", "absent"), ("i2", "once", "shown")]
    candidates = [
        CandidateLine(n, f"k{n}", item, model, "left", {"image": image}) for n, (item, model, image) in enumerate(asked)
    ]

    answered = said_by_models(f"{CONDITIONS}{STUDY}", [item_of(1), item_of(2)], candidates, ["image"])

    assert {name: [*of_items] for name, of_items in answered.items()} == {
        "once": [2], "twice (image: With it)": [1], "twice (image: absent)": [1, 2],
    }  # fmt: skip
    assert {model_of(name, ["image"]) for name in answered} == {"once", "twice"}


def test_answers_repeated_under_one_condition_have_it_in_their_name_as_those_under_others_do() -> None:
    asked = [("other", "shown"), ("other", "absent"), ("again", "absent"), ("again", "absent")]
    candidates = [
        CandidateLine(n, f"k{n}", "i1", model, "left", {"image": image}) for n, (model, image) in enumerate(asked)
    ]

    answered = said_by_models(f"{CONDITIONS}{STUDY}", [item_of(1)], candidates, ["image"])

    assert [name for name in answered if name.startswith("again")] == [
        "again (image: absent)",
        "again (image: absent), answer 2",
    ]


def test_a_model_whose_name_ends_in_brackets_is_not_taken_for_another_under_a_condition() -> None:
    assert model_of("large (size: 7b)", ["image"]) == "large (size: 7b)"


def test_a_model_is_the_same_under_a_condition_whose_text_has_brackets() -> None:
    assert model_of("large (image: shown (with a hint)), answer 2", ["image"]) == "large"

"""Which attributes are the conditions under which a model answered an item several times."""

from __future__ import annotations

import pytest

from services.report.rows.conditions import telling_apart

TWICE = ["q1 A", "q1 A", "q2 A", "q2 A", "q1 B"]


@pytest.mark.parametrize(
    ("attributes", "conditions"),
    [
        ({"primed": ["no", "yes", "no", "yes", "no"]}, ("primed",)),
        # A mark that happens to tell some apart is none where another attribute tells all of them apart.
        ({"mark": ["x", "y", "x", "x", "x"], "primed": ["no", "yes", "no", "yes", "no"]}, ("primed",)),
        ({"heat": ["0", "1", "0", "0", "0"], "run": ["1", "1", "1", "2", "1"]}, ("heat", "run")),
        ({"tier": ["1", "1", "2", "2", "1"]}, ()),
        ({}, ()),
    ],
)
def test_conditions_are_the_attributes_that_tell_a_models_answers_to_an_item_apart(
    attributes: dict[str, list[str]], conditions: tuple[str, ...]
) -> None:
    assert telling_apart(TWICE, attributes) == conditions


def test_models_with_one_answer_to_each_item_have_no_conditions() -> None:
    assert telling_apart(["q1 A", "q1 B", "q2 A"], {"primed": ["no", "yes", "no"]}) == ()

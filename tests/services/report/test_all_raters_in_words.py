"""A row of all raters says above its table what it is: of some figures a mean over pairs, of others what all did."""

from __future__ import annotations

from typing import Any, cast

import pytest

from agreement import percent_agreement
from exchange.report.estimate_rows import ALL_ITEMS, ALL_RATERS, EstimateRow, Party
from services.report.rows.ratings import Ratings
from services.report.sections.fields import (
    against_reference,
    as_item,
    correctness,
    nominal,
    ordinal,
    point,
    ranked,
    several,
    text,
)
from services.report.sections.fields.topics import Topic

SAME = percent_agreement(["a", "b", "a"], ["a", "b", "b"])
OF_ALL = "“All raters” gave the same answer where every one of them did"
OF_PAIRS = "“All raters” is the mean over every two of them."
# The conditions of these sentences read the rows alone.
NO_RATINGS = cast(Ratings, None)


def explanation_of(topic: Topic, *parties: Party) -> str:
    row = EstimateRow("percent_agreement", "answers", parties, ALL_ITEMS, SAME)
    of_rows: list[tuple[str, Any]] = [(says, holds) for says, holds in topic.further if "“All raters”" in says]
    return " ".join(says for says, holds in of_rows if holds(NO_RATINGS, [row]))


@pytest.mark.parametrize(
    ("topic", "says"),
    [
        (nominal.AGREEMENT, OF_ALL),
        (ordinal.AGREEMENT, OF_ALL),
        (as_item.AGREEMENT, OF_ALL),
        (correctness.AGREEMENT, OF_ALL),
        (against_reference.ON_CORRECTNESS, OF_ALL),
        (text.AGREEMENT, OF_ALL),
        (several.AGREEMENT, OF_PAIRS),
        (several.OF_OPTIONS, OF_PAIRS),
        (ranked.AGREEMENT, OF_PAIRS),
        (point.AGREEMENT, OF_PAIRS),
    ],
)
def test_it_is_said_of_which_kind_it_is_where_there_is_one(topic: Topic, says: str) -> None:
    pair = (Party("rater", "Rater 1"), Party("rater", "Rater 2"))

    assert says in explanation_of(topic, ALL_RATERS)
    assert explanation_of(topic, *pair) == ""

"""A table by an attribute of raters says how many raters have no value of it, and so are in none of its parts."""

from __future__ import annotations

import pytest

from exchange.report.estimate_rows import Party
from services.report.rows.columns import Column
from services.report.rows.ratings import Ratings
from services.report.sections.selecting import raters_left_out_in_words
from tests.protocol.language.study_text import expanded, one_phase

STUDY = expanded(
    one_phase("{answer: yes_no}")
    + "\nanalysis: {primary: {estimate: rate, of: a.answer, option: yes, by: specialty}}\n"
)


@pytest.mark.parametrize(
    ("specialties", "said"),
    [
        (("neuroradiology", "", "neurology"), "1 of 3 raters has no value of “specialty” and is in none of its parts."),
        (("neuroradiology", "", ""), "2 of 3 raters have no value of “specialty” and are in none of its parts."),
        (("neuroradiology", "neurology", "neurology"), ""),
        (("", "", ""), ""),  # the line is left out as a whole, which is said elsewhere
    ],
)
def test_raters_without_a_value_are_counted(specialties: tuple[str, ...], said: str) -> None:
    phase = STUDY.phase("a")
    columns = tuple(
        Column(Party("rater", f"Rater {place}"), ("answered",), ("yes",), rater={"specialty": specialty})
        for place, specialty in enumerate(specialties, start=1)
    )
    ratings = Ratings(phase, phase.fields[0], (), columns, ("s1",), (), (), ())

    assert raters_left_out_in_words(STUDY, STUDY.analysis.primary, ratings) == said

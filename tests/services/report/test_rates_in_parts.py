"""The rate of an option that a plan asks for is of each rater in each part, as accuracies are."""

from __future__ import annotations

from typing import cast

from exchange.report.estimate_rows import ALL_ITEMS, ALL_RATERS, Party, Stratum
from protocol.analysis import AnalysisPlan
from protocol.fields import KINDS
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Column, Unit
from services.report.rows.listed_rows import ItemLine
from services.report.rows.ratings import Ratings
from services.report.sections.fields.shares import distribution, rates
from tests.protocol.language.study_text import expanded, one_phase

CLUSTERS = tuple(f"s{n}" for n in range(6))
SETTINGS = IntervalSettings.of(AnalysisPlan(resamples=200), CLUSTERS)
FIRST, SECOND = Party("rater", "Rater 1"), Party("rater", "Rater 2")
PART = Stratum("attribute", "site", "A")


def test_raters_have_their_own_rate_in_a_part_and_their_own_distribution_on_all_units_only() -> None:
    phase = expanded(one_phase("{seen: yes_no}")).phase("a")
    columns = (
        Column(FIRST, ("answered",) * 6, ("yes", "yes", "no", "no", "no", "no")),
        Column(SECOND, ("answered",) * 6, ("yes", "yes", "yes", "no", "no", "no")),
    )
    units = (Unit(cast(ItemLine, None), None, probability=None),) * 6
    ratings = Ratings(phase, phase.fields[0], units, columns, CLUSTERS, (KINDS["yes_no"],) * 6, (None,) * 6, ())

    of_yes = [row for row in rates(ratings, PART, SETTINGS) if row.category is not None and row.category.id == "yes"]
    in_part = [(row.parties[0], row.estimate.value) for row in of_yes]

    assert in_part == [(FIRST, 2 / 6), (SECOND, 3 / 6), (ALL_RATERS, 5 / 12)]
    assert {row.parties[0] for row in distribution(ratings, PART, SETTINGS)} == {ALL_RATERS}
    assert {row.parties[0] for row in distribution(ratings, ALL_ITEMS, SETTINGS)} == {FIRST, SECOND, ALL_RATERS}

"""What n of a corrected difference counts: items, or an item once in each condition under which it was posed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from agreement.judge.factors import Factor
from agreement.judge.pool import Pool
from exchange.report.shown_numbers import shown_count
from services.report.sections.judged_lines import corrected_difference
from tests.agreement.judge.panel_material import PLAN, material

ITEMS = 40


def pool_of(conditions: Mapping[str, Factor]) -> Pool:
    """Return two answers to each item by each of two models, all rated by people and by a judge."""
    rng = np.random.default_rng(5)
    human, judge = (rng.integers(0, 2, 4 * ITEMS).astype(float) for _ in range(2))
    posed = material(
        [human], {"judge": judge},
        models=Factor(np.repeat([0, 1], 2 * ITEMS), ("A", "B")),
        items=np.tile(np.repeat(np.arange(ITEMS), 2), 2), conditions=conditions,
    )  # fmt: skip
    return Pool(posed, human, judge, PLAN)


@pytest.mark.parametrize(
    ("conditions", "counted"),
    [({}, "40 items"), ({"image": Factor(np.tile([0, 1], 2 * ITEMS), ("shown", "absent"))}, "80 items in a condition")],
    ids=["no_conditions", "two_conditions"],
)
def test_an_item_counts_once_in_each_of_its_conditions_and_the_unit_says_so(
    conditions: Mapping[str, Factor], counted: str
) -> None:
    pool = pool_of(conditions)
    corrected = {model: pool.corrected(model) for model in pool.models}

    difference = corrected_difference(pool, "A", "B", corrected)

    assert shown_count(difference.n, difference.unit) == counted

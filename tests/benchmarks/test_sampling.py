"""What is measured of drawing is the draw that the table names."""

from __future__ import annotations

import pytest

from benchmarks import sampling

DRAWN = {
    "300 over models, no limit": 300,
    "all of tiers 2 and 3 of one model": 18 + 17 * 50,  # 17 of every 100 of 5,000 items
    "100 over categories, template and subject once": 100,
    "170 of 178 templates, template and subject once": 170,
    "100 over models, template and subject once": 100,
}


@pytest.mark.parametrize("design", sampling.DESIGNS)
def test_each_design_draws_what_its_name_says(design: str) -> None:
    assert sampling.measured(20_000, design, repeats=2)["drawn"] == DRAWN[design]

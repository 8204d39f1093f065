"""Answers on which most people did not agree: each model's corrected score counts its own."""

from __future__ import annotations

import numpy as np
import pytest

from agreement.judge.bases import main_basis
from agreement.judge.factors import Factor
from agreement.judge.pool import pool_of
from services.report.sections.judged_lines import corrected_score
from tests.agreement.judge.panel_material import PLAN, material

RATED, ANSWERS = 30, 60
# Of so many of its rated answers two of the three people say nothing.
SAID_BY_ONE = {"A": 0, "B": 1, "C": 2}


@pytest.mark.parametrize(
    ("model", "warning"),
    [
        ("A", None),
        ("B", "1 of the answers that people rated has no majority of the 3 raters and counts as not rated"),
        ("C", "2 of the answers that people rated have no majority of the 3 raters and count as not rated"),
    ],
)
def test_a_corrected_score_warns_of_the_answers_of_its_own_model_that_have_no_majority(
    model: str, warning: str | None
) -> None:
    rng = np.random.default_rng(3)
    said = rng.integers(0, 2, (len(SAID_BY_ONE), ANSWERS)).astype(float)
    said[:, RATED:] = np.nan
    by_two = said.copy()
    for place, count in enumerate(SAID_BY_ONE.values()):
        by_two[place, :count] = np.nan
    scored = material(
        [said.ravel(), by_two.ravel(), by_two.ravel()],
        {"judge": rng.integers(0, 2, said.size)},
        models=Factor(np.repeat(np.arange(len(SAID_BY_ONE)), ANSWERS), tuple(SAID_BY_ONE)),
        probability=np.full(said.size, RATED / ANSWERS),
    )
    basis = main_basis(scored, PLAN)
    pool = pool_of(scored, "judge", basis, PLAN)

    estimate = corrected_score(pool, model, basis)

    assert (estimate.n, estimate.warning) == (RATED - SAID_BY_ONE[model], warning)

"""What lines on judges say of the verdicts of several raters that they rest on."""

from __future__ import annotations

import numpy as np
import pytest

from agreement import Estimate
from agreement.judge.bases import Basis, bases
from agreement.judge.material import Material
from agreement.judge.pool import pool_of
from agreement.judge.scale import Scale
from exchange.report.estimate_rows import EstimateRow, Party, Stratum
from exchange.report.statistic_names import Compared
from services.report.sections.judged_lines import corrected_score, says_of_mean
from tests.agreement.judge.panel_material import PLAN, YES_NO, material

NAN = np.nan


def basis_of(given: Material, rule: str) -> Basis:
    return next(basis for basis in bases(given) if basis.is_called(rule))


def test_answers_on_which_raters_have_no_majority_are_said_to_count_as_not_rated() -> None:
    first, second, third = [1, 1, 0, 1, NAN, NAN], [1, 1, 0, 0, NAN, NAN], [1, 0, 0, NAN, NAN, NAN]
    given = material([first, second, third], {"judge": [1, 1, 0, 1, 1, 0]}, YES_NO, probability=np.full(6, 4 / 6))
    basis = basis_of(given, "majority")

    warning = corrected_score(pool_of(given, "judge", basis, PLAN), "all answers", basis).warning

    said = "1 of the answers that people rated has no majority of the 3 raters and counts as not rated"
    assert warning is not None and said in warning


@pytest.mark.parametrize(("compared", "says_so"), [("corrected_score", True), ("levels", True), ("raw_score", False)])
def test_a_line_that_rests_on_a_mean_says_on_how_many_candidates_it_is_of_a_single_rater(
    compared: Compared, says_so: bool
) -> None:
    given = material([[1.0, 3.0, 2.0], [NAN, 2.0, NAN]], {"judge": [1.0, 2.0, 3.0]}, Scale("number"))
    estimate = Estimate("mean", 2.0, 1.0, 3.0, 3, "candidate", "some method")
    row = EstimateRow("mean_answer", compared, (Party("judge", "judge"),), Stratum("all"), estimate)

    (said,) = says_of_mean([row], basis_of(given, "mean"))

    assert said.estimate.method.endswith("; the mean is of whoever rated a candidate (2 by a single rater)") == says_so
    assert says_of_mean([row], basis_of(given, "h1")) == [row]

"""What lines on judges say of the verdicts of several raters that they rest on."""

from __future__ import annotations

import numpy as np
import pytest

from agreement import Estimate
from agreement.judge.bases import Basis, bases
from agreement.judge.material import Material
from agreement.judge.scale import Scale
from exchange.report.estimate_rows import EstimateRow, Party, Stratum
from exchange.report.statistic_names import Compared
from services.report.sections.judged_lines import says_of_mean
from tests.agreement.judge.panel_material import material

NAN = np.nan


def basis_of(given: Material, rule: str) -> Basis:
    return next(basis for basis in bases(given) if basis.is_called(rule))


@pytest.mark.parametrize(("compared", "says_so"), [("corrected_score", True), ("levels", True), ("raw_score", False)])
def test_a_line_that_rests_on_a_mean_says_on_how_many_candidates_it_is_of_a_single_rater(
    compared: Compared, says_so: bool
) -> None:
    given = material([[1.0, 3.0, 2.0], [NAN, 2.0, NAN]], {"judge": [1.0, 2.0, 3.0]}, Scale("number"))
    estimate = Estimate("mean", 2.0, 1.0, 3.0, 3, "candidate", "some method")
    row = EstimateRow("mean_answer", compared, (Party("judge", "judge"),), Stratum("all"), estimate)

    (said,) = says_of_mean([row], basis_of(given, "mean"))

    assert said.estimate.method.endswith("; the mean is of all who rated a candidate (2 by a single rater)") == says_so
    assert says_of_mean([row], basis_of(given, "h1")) == [row]

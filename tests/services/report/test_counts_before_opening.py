"""What is said of sealed verdicts before agreement on test is opened: numbers, and none of a few."""

from __future__ import annotations

import numpy as np
import pytest

from agreement.judge.factors import Factor
from services.report.calibration.opening import counts_in_words
from tests.agreement.judge.panel_material import PLAN, material

# Twenty candidates of a common tier and two of a rare one, on the first of which the human could not decide.
TIERS = Factor(np.repeat([0, 1], [20, 2]), ("common", "rare"))


@pytest.mark.parametrize("undecided", [[], [20], [20, 21]], ids=["none", "one of the rare", "all of the rare"])
def test_a_tier_of_few_is_counted_alike_whatever_people_could_decide_in_it(undecided: list[int]) -> None:
    human = np.ones(22)
    human[undecided] = np.nan

    counts, *_ = counts_in_words(material([human], {"judge": np.ones(22)}, factors={"tier": TIERS}), PLAN, "candidates")

    assert ", tier common: not said, tier rare: not said." in counts


@pytest.mark.parametrize("undecided", [30, 5])
def test_nor_does_what_cannot_pass_tell_where_people_could_not_decide(undecided: int) -> None:
    tiers = Factor(np.repeat([0, 1, 2], [30, 1, 40]), ("x", "rare", "y"))
    human = np.ones(71)
    human[undecided] = np.nan

    *_, short = counts_in_words(material([human], {"judge": np.ones(71)}, factors={"tier": tiers}), PLAN, "candidates")

    assert "fewer than 30 in tier rare (not said)." in short

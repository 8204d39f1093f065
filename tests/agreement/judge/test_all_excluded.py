"""Where humans excluded all that they labelled, the panels say so, and neither that labels lack nor what to name."""

from dataclasses import replace

import numpy as np
import pytest

from agreement.judge.panels import corrected, direction, uniformity
from agreement.judge.plan import Plan
from agreement.judge.printing import what_was_read
from agreement.judge.scale import Scale, State
from tests.agreement.judge.panel_material import YES_NO, three_humans, verdicts


@pytest.mark.parametrize("scale", [YES_NO, Scale("nominal", YES_NO.levels)], ids=["scored", "categories"])
@pytest.mark.parametrize("among", [slice(None), slice(1, None)], ids=["all", "all but one"])
def test_where_humans_excluded_all_that_they_labelled_this_is_the_only_reason_given(scale, among):
    part = three_humans(items=60, n_labelled=40)
    excluded = np.zeros(180, dtype=np.bool_)
    excluded[part.labelled_places[among]] = True
    humans = {
        name: verdicts(np.where(excluded, np.nan, own.codes), np.where(excluded, State.EXCLUDED, own.states))
        for name, own in part.humans.items()
    }
    part, plan = replace(part, humans=humans, scale=scale), Plan(design="random", resamples=400)
    reason = "Humans excluded all 120 candidates that they labelled, so that there is nothing to score or to compare."

    panels = [panel(part, plan) for panel in (direction.panel, uniformity.panel, corrected.panel)]

    is_all = among == slice(None)
    assert [any(reason in why for why in panel.refused) for panel in panels] == [is_all] * 3
    assert (reason in what_was_read(part, plan)) == is_all
    for said in ("no human labels", "count as unlabelled", "--positive"):
        assert not (is_all and any(said in why for panel in panels for why in panel.refused)), said
    sealed = replace(plan, fewest_shown=5)
    assert reason not in what_was_read(part, sealed), "It would tell each verdict."

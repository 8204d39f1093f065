"""A certificate does not tell what was said of a few sealed candidates, nor on which of them nobody decided."""

import numpy as np
import pytest

from agreement.judge.card import card
from agreement.judge.certificate import MOST_REPEATED, Identity, Origin, certificate, name_hash
from agreement.judge.columns import Columns
from agreement.judge.factors import Factor
from agreement.judge.panels import PANELS, criteria
from tests.agreement.judge.panel_material import PLAN, SEALED, agreeing, material


def test_a_certificate_withholds_how_many_of_a_few_sealed_candidates_are_labelled():
    category = Factor(np.repeat([0, 1, 2], [2, 30, 40]), ("rare", "x", "y"))
    human = agreeing(72)
    human[0] = np.nan
    given = material([human], {"judge": agreeing(72)}, factors={"category": category})
    panels = {key: panel.compute(given, SEALED) for key, panel in PANELS.items()}

    document = certificate(given, panels, SEALED, Identity(), Origin((), Columns((), ("judge",))))

    assert document["covered"]["strata"] == {"category": {"rare": None, "x": None, "y": 40}}
    assert "By category  rare: withheld, x: withheld, y: 40 labelled" in card(document)


@pytest.mark.parametrize(
    ("labelled", "x"),
    [(30, "passed, as follows from other numbers; its own is withheld"), (29, "not estimable, its number is withheld")],
)
def test_a_certificate_says_of_a_level_whose_number_of_labels_is_withheld_why_it_passes_nevertheless(labelled, x):
    category = Factor(np.repeat([0, 1, 2], [1, 30, 40]), ("rare", "x", "y"))
    human = agreeing(71)
    human[1 : 31 - labelled] = np.nan
    given = material([human], {"judge": agreeing(71)}, factors={"category": category})
    panels = {key: panel.compute(given, SEALED) for key, panel in PANELS.items()}

    of_levels = card(certificate(given, panels, SEALED, Identity(), Origin((), Columns((), ("judge",)))))

    assert "category rare: failed, as follows from other numbers; its own is withheld" in of_levels
    assert f"category x: {x}" in of_levels
    assert "category y: passed, 40 candidates with a verdict" in of_levels


def test_what_a_certificate_covers_and_its_criteria_withhold_the_same_levels():
    """One level here and another there would tell together whether the rare candidate is labelled."""
    category = Factor(np.repeat([0, 1, 2], [1, 30, 31]), ("rare", "x", "y"))
    human, judge = agreeing(62), agreeing(62)
    human[0] = np.nan
    # By its verdicts y is the smaller one.
    judge[40:42] = np.nan
    given = material([human], {"judge": judge}, factors={"category": category})
    panels = {criteria.KEY: criteria.panel(given, SEALED)}

    document = certificate(given, panels, SEALED, Identity(), Origin((), Columns((), ("judge",))))

    assert document["covered"]["strata"] == {"category": {"rare": None, "x": None, "y": 31}}
    numbers = {row.stratum: row.estimate.n for row in panels[criteria.KEY].of(criteria.STRATUM)}
    assert numbers == {"category rare": 0, "category x": 0, "category y": 29}


def test_the_verdicts_in_a_certificate_do_not_tell_which_of_many_sealed_candidates_are_labelled():
    judge = agreeing(MOST_REPEATED + 1_000)
    human = np.where(np.arange(judge.size) < 60, judge, np.nan)
    undecided = human.copy()
    undecided[7] = np.nan
    origin = Origin((), Columns((), ("judge",)), lambda places: [str(place) for place in places])

    def repeated(first, plan):
        given = material([first], {"judge": judge})
        panels = {criteria.KEY: criteria.panel(given, plan)}
        return certificate(given, panels, plan, Identity(), origin)["repeats"]

    assert repeated(human, SEALED) == repeated(undecided, SEALED)
    assert len(repeated(human, SEALED)) == MOST_REPEATED
    assert {name_hash(str(place)) for place in range(60)} <= repeated(human, PLAN).keys()

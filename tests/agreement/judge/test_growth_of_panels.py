"""The work of a calibration grows with candidates, runs and categories, not with the square of any: calls are counted.

Two by two are compared models, and up to a number of them people, runs of a version and levels of a category.
"""

from dataclasses import replace

import numpy as np
import pytest

from agreement.judge.factors import Factor
from agreement.judge.panels import PANELS, corrected
from agreement.judge.panels.repeatability import MOST_RUNS
from agreement.judge.plan import Plan
from agreement.judge.printing import report
from agreement.judge.uniform import MOST_LEVELS
from tests.agreement.judge.panel_material import three_humans, verdicts
from tests.harness.counting import calls_of

PLAN = Plan(design="random", resamples=100)
TIMES = 4
# What grows with the square of a number that is four times as large is called 16 times as often.
MOST = 2.0 * TIMES
FEW = 50
SMALL = {"items": 60, "runs": MOST_RUNS + 1, "categories": MOST_LEVELS + 1}


def calls_of_a_calibration(items, runs, categories):
    """How often the panels and their text call each function of the program; steps of generators are calls."""
    made = three_humans(items=items, n_labelled=items)
    places = np.arange(made.n)
    codes = made.judges["judge"].codes
    of_judge = {
        f"run {number}": verdicts(np.where(places % (7 + number) == 0, 1 - codes, codes)) for number in range(runs)
    }
    category = Factor(places % categories, tuple(f"category {number}" for number in range(categories)))
    material = replace(
        made, judges={"judge": of_judge["run 0"]}, runs={"judge": of_judge}, factors={"category": category}
    )

    def calibrate():
        report(material, {key: kind.compute(material, PLAN) for key, kind in PANELS.items()}, PLAN)

    return calls_of(calibrate, within="/agreement/")


@pytest.fixture(scope="module")
def few():
    return calls_of_a_calibration(**SMALL)


# More categories come with more items, so that each keeps its candidates.
@pytest.mark.parametrize("grown", [["runs"], ["items", "categories"]], ids=" and ".join)
def test_no_function_is_called_with_the_square_of_candidates_runs_or_categories(few, grown):
    many = calls_of_a_calibration(**SMALL | {name: TIMES * SMALL[name] for name in grown})

    assert {name: (few[name], n) for name, n in many.items() if n > max(MOST * few[name], FEW)} == {}


def test_the_errors_of_a_model_are_summed_once_though_it_is_compared_with_every_other():
    """Each sum goes through all candidates, of which there may be 1.6 million."""
    made = three_humans(n_labelled=120)
    # No item is labelled for two models, so that none is compared item by item.
    alone = np.arange(made.n) // 3 % 3 == np.arange(made.n) % 3
    material = replace(
        made, humans={name: verdicts(np.where(alone, own.codes, np.nan)) for name, own in made.humans.items()}
    )

    calls = calls_of(lambda: corrected.panel(material, PLAN), within="/agreement/judge/pool.py")

    assert {n for name, n in calls.items() if name.endswith("_errors")} == {3}

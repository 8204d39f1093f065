"""An estimate carries a warning where it rests on few clusters, few raters or a rare category."""

from dataclasses import replace

import numpy as np
import pytest

from agreement import (
    Estimate,
    brennan_prediger,
    cohen_kappa,
    cohen_kappa_of_table,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    icc,
    krippendorff_alpha,
    reader_averaged_difference,
    readers_against_judge,
    two_way_bootstrap,
)

RARE = "a category is expected in fewer than 5 items: value and interval are uncertain"
FEW = "fewer than 5 raters: what is said about other raters is uncertain"


def uses(rare):
    """Verdicts of two raters on 40 items, with a category that each uses so often."""
    a = ["yes"] * rare + ["no"] * (40 - rare)
    return a, [*a[1:], "no"]


@pytest.mark.parametrize("rare", [3, 9])
def test_a_rare_category_warns_where_chance_agreement_depends_on_it(rare):
    a, b = uses(rare)
    table = list(zip(a, b, strict=True))

    warned = RARE if rare == 3 else None
    assert cohen_kappa(a, b).warning == cohen_kappa(a, b, interval="percentile", resamples=50).warning == warned
    for coefficient in (fleiss_kappa, conger_kappa, krippendorff_alpha):
        assert coefficient(table).warning == warned
    assert gwet_ac(table).warning is None
    assert brennan_prediger(table).warning is None


def test_a_category_that_is_declared_and_not_used_is_not_rare():
    a, b = uses(9)

    assert cohen_kappa(a, b, categories=["no", "yes", "unclear"]).warning is None
    assert cohen_kappa_of_table([[30, 5, 0], [5, 30, 0], [0, 0, 0]]).warning is None
    assert cohen_kappa_of_table([[30, 5, 0], [5, 30, 0], [0, 0, 2]]).warning == RARE


@pytest.mark.parametrize("raters", [4, 5])
def test_few_raters_warn_where_other_raters_are_meant(raters):
    table = np.random.default_rng(1).integers(0, 9, (30, raters))
    judge = table[:, 0]

    warned = FEW if raters < 5 else None
    assert [icc(table, model).warning for model in (1, 2, 3)] == [warned, warned, None]
    assert two_way_bootstrap(np.mean, table, seed=1, resamples=50).warning == warned
    for readers, expected in (("random", warned), ("fixed", None)):
        assert reader_averaged_difference(table, table[:, ::-1] + 1, readers=readers).warning == expected
        assert readers_against_judge(table, judge, readers=readers).warning == expected


def test_warnings_stand_together_few_clusters_first_and_each_once():
    a, b = uses(3)
    few = cohen_kappa(a, b, clusters=np.arange(40) // 8, resamples=50)

    assert few.warning == f"only 5 clusters: an interval from fewer than 10 clusters is likely to be too narrow; {RARE}"
    assert replace(few, name="kappa").warning == few.warning
    assert few.warned(RARE).warning == few.warning
    assert few.as_dict()["warning"] == few.warning


def test_an_estimate_warns_of_nothing_by_default():
    assert Estimate("accuracy", 0.5, 0.2, 0.8, 80, "item", "Wilson").warning is None


def test_weights_that_hold_near_categories_together_make_none_rare():
    a, b = [3] * 30 + [2, 4, 3, 1, 5], [3] * 30 + [3, 3, 4, 2, 4]
    table = list(zip(a, b, strict=True))

    assert cohen_kappa(a, b, weights="quadratic").warning is None
    assert fleiss_kappa(table, weights="linear").warning is None
    assert krippendorff_alpha(table, "ordinal").warning is None
    assert cohen_kappa(a, b).warning == krippendorff_alpha(table).warning == RARE

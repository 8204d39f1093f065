"""Values of R and of Python programs, frozen with their inputs: kappas, alpha, ICC, concordance, marginal homogeneity.

Made with vcd's Kappa (weights = "Equal-Spacing", "Fleiss-Cohen"), psych's ICC(lmer = FALSE), epiR's epi.ccc,
friedman.test, irrCAC's CAC with all categories declared, krippendorff's alpha, and statsmodels' fleiss_kappa and
SquareTable(shift_zeros=False).homogeneity("bhapkar"). The versions stand in the file. The limits of irrCAC are left
out: the t quantiles of its old scipy are right to nine digits only.
"""

import json
from pathlib import Path

import pytest

from agreement import (
    brennan_prediger,
    cohen_kappa_of_table,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    icc,
    kendall_w,
    krippendorff_alpha,
    lin_ccc,
    marginal_homogeneity,
)

FILE = Path(__file__).parent / "reference_values" / "agreement_of_raters.json"
SAMPLES = json.loads(FILE.read_text(encoding="utf-8"))["samples"]
WEIGHTS = {"None": None, "linear": "linear", "quadratic": "quadratic"}

in_every_sample = pytest.mark.parametrize(
    "sample",
    SAMPLES,
    ids=lambda row: f"{len(row['full'])} items {len(row['full'][0])} raters {row['categories']} categories",
)


def close(wanted):
    return pytest.approx(wanted, rel=1e-9, abs=1e-11)


@in_every_sample
@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_and_its_standard_error_are_those_of_vcd(sample, weights):
    estimate = cohen_kappa_of_table(sample["table"], weights=WEIGHTS[weights])

    assert [estimate.value, estimate.se] == close(sample["kappa"][weights])


@in_every_sample
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    ("name", "coefficient"),
    [("gwet", gwet_ac), ("fleiss", fleiss_kappa), ("conger", conger_kappa), ("bp", brennan_prediger)],
)
def test_coefficients_of_ratings_with_gaps_are_those_of_irrcac(sample, weights, name, coefficient):
    scale = range(1, sample["categories"] + 1)

    estimate = coefficient(sample["ratings"], categories=scale, weights=WEIGHTS[weights], interval="t")

    assert [estimate.value, estimate.se] == close(sample["cac"][f"{name} {weights}"])


@in_every_sample
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_is_that_of_krippendorff(sample, level):
    assert krippendorff_alpha(sample["ratings"], level).value == close(sample["alpha"][level])


@in_every_sample
@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_the_standard_error_of_alpha_is_that_of_irrcac(sample, level):
    assert krippendorff_alpha(sample["ratings"], level, interval="t").se == close(sample["alpha_se"][level])


@in_every_sample
def test_fleiss_kappa_of_complete_ratings_is_that_of_statsmodels(sample):
    assert fleiss_kappa(sample["full"]).value == close(sample["fleiss"])


@in_every_sample
@pytest.mark.parametrize(
    ("row", "model", "average"), [(0, 1, False), (1, 2, False), (2, 3, False), (3, 1, True), (4, 2, True), (5, 3, True)]
)
def test_icc_is_that_of_psych(sample, row, model, average):
    estimate = icc(sample["numbers"], model, average, interval="f")

    value, low, high, p = sample["icc"][row]
    # psych prints lower limits that no correlation can have; here they are clipped
    assert [estimate.value, estimate.low, estimate.high, estimate.p] == close([value, max(-1.0, low), high, p])


@in_every_sample
def test_lins_concordance_is_that_of_epir(sample):
    estimate = lin_ccc([row[0] for row in sample["numbers"]], [row[1] for row in sample["numbers"]])

    assert [estimate.value, estimate.low, estimate.high] == close(sample["ccc"])


@in_every_sample
def test_w_is_that_of_friedmans_test_with_and_without_ties(sample):
    for ratings, wanted in ((sample["full"], sample["w"]), (sample["numbers"], sample["w_of_ranks"])):
        estimate = kendall_w(ratings)
        assert [estimate.value, estimate.p] == close(wanted)


@pytest.mark.parametrize("sample", [row for row in SAMPLES if row["bhapkar"] is not None])
def test_bhapkars_p_value_is_that_of_statsmodels(sample):
    assert marginal_homogeneity(sample["table"]).p == close(sample["bhapkar"])

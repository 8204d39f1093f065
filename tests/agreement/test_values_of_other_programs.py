"""Values of R, frozen with their inputs: proportions, McNemar, P values, correlations, areas, weighted means.

Made with R's prop.test(correct = FALSE), binom.test, mcnemar.test, p.adjust, cor.test (Spearman with
exact = FALSE except for up to nine pairs without ties), wilcox.test, pROC's roc(direction = "<") with DeLong, and
survey's svymean(na.rm = TRUE) and svyratio with strata, clusters and fpc, confint(df = degf). The versions stand in the
file.
"""

import json
from pathlib import Path

import pytest

from agreement import (
    adjust_p_values,
    clopper_pearson_interval,
    kendall_tau,
    mann_whitney,
    mcnemar,
    pearson,
    roc_auc,
    spearman,
    weighted_mean,
    wilson_interval,
)

FILE = Path(__file__).parent / "reference_values" / "proportions_correlations_surveys.json"
R = json.loads(FILE.read_text(encoding="utf-8"))


def close(wanted):
    return pytest.approx(wanted, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("row", R["proportion"], ids=lambda row: f"{row['x']} of {row['n']}")
def test_intervals_of_a_proportion(row):
    wilson, exact = wilson_interval(row["x"], row["n"]), clopper_pearson_interval(row["x"], row["n"])

    assert [wilson.low, wilson.high] == close(row["wilson"])
    assert [exact.low, exact.high] == close(row["clopper_pearson"])


@pytest.mark.parametrize("row", R["mcnemar"], ids=lambda row: f"{row['b']} against {row['c']}")
def test_mcnemar(row):
    for method in ("exact", "mid-p", "chi2", "chi2-corrected"):
        assert mcnemar(row["b"], row["c"], method).p == close(row[method])


@pytest.mark.parametrize("row", R["p.adjust"], ids=lambda row: f"{len(row['p'])} P values")
def test_adjusted_p_values(row):
    for method in ("bonferroni", "holm", "bh", "by"):
        assert adjust_p_values(row["p"], method).tolist() == close(row[method])


@pytest.mark.parametrize("row", R["correlation"], ids=lambda row: f"{len(row['x'])} pairs")
def test_correlations(row):
    r, rho, tau = (function(row["x"], row["y"]) for function in (pearson, spearman, kendall_tau))

    assert [r.value, r.p, r.low, r.high] == close([row["pearson"][key] for key in ("value", "p", "low", "high")])
    assert [rho.value, rho.p] == close([row["spearman"]["value"], row["spearman"]["p"]])
    assert [tau.value, tau.p] == close([row["kendall"]["value"], row["kendall"]["p"]])


@pytest.mark.parametrize("row", R["wilcoxon and roc"], ids=lambda row: f"{len(row['x'])} and {len(row['y'])} values")
def test_mann_whitney_and_the_roc_area_with_delongs_interval(row):
    groups = mann_whitney(row["x"], row["y"], interval="normal")
    area = roc_auc(row["x"] + row["y"], [1] * len(row["x"]) + [0] * len(row["y"]), interval="normal")

    assert groups.p == close(row["p"])
    for estimate in (groups, area):
        assert [estimate.value, estimate.se, estimate.low, estimate.high] == close(
            [row[k] for k in ("value", "se", "low", "high")]
        )


@pytest.mark.parametrize("row", R["survey"])
def test_weighted_means_with_linearised_standard_error(row):
    design = {key: row[key] for key in ("strata", "clusters", "finite_pool")}

    estimate = weighted_mean(row["values"], row["probabilities"], interval="linearised", **design)

    assert [estimate.value, estimate.se] == close([row["value"], row["se"]])
    assert estimate.se == close(row["svyratio_se"])
    if row["low"] is not None:  # R counts strata that were drawn completely among the degrees of freedom
        assert [estimate.low, estimate.high] == close([row["low"], row["high"]])

"""Values of other programs, frozen with their inputs: what a judge's verdicts say, and whether it may stand in.

ppi_mean_pointestimate and ppi_mean_ci of ppi-python, PPI++ with the lambda of moments over n - 1; the formulas of
asht's prevSeSp; alt_test of the notebook of its authors; statsmodels' Wald test of cluster-robust means with
G / (G - 1). The versions stand in the file.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from agreement import alt_test, prediction_powered_mean, reader_averaged_difference, rogan_gladen
from agreement.readers import _one_condition, _two_conditions, jackknifed_accuracies

FOUND = json.loads((Path(__file__).parent / "reference_values" / "judges.json").read_text(encoding="utf-8"))

# OR-DBM MRMC 2.51 on the data of Van Dyke et al. (1993), trapezoidal areas, jackknife: 5 readers, two conditions
AREAS = np.array(
    [
        [0.91964573, 0.85877617, 0.90386473, 0.97310789, 0.82979066],
        [0.94782609, 0.90531401, 0.92173913, 0.99935588, 0.92995169],
    ]
)
COMPONENTS = (0.00080229, 0.00034661, 0.00034407, 0.00023903)  # Var(Error), Cov1, Cov2, Cov3


@pytest.mark.parametrize("row", FOUND["prediction_powered_mean"])
@pytest.mark.parametrize("tuned", [False, True])
def test_prediction_powered_means_are_those_of_ppi_python(row, tuned):
    estimate = prediction_powered_mean(row["human"], row["judge"], row["unlabelled"], tuned=tuned, interval="normal")

    expected = row["ppi_plus_plus" if tuned else "ppi"]
    assert [estimate.value, estimate.low, estimate.high] == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("row", FOUND["rogan_gladen"])
def test_corrected_prevalences_are_those_of_asht(row):
    judged_positive, judged, tp, fn, tn, fp = row["counts"]

    estimate = rogan_gladen(
        judged_positive,
        judged,
        true_positive=tp,
        false_negative=fn,
        true_negative=tn,
        false_positive=fp,
        confidence=row["confidence"],
    )

    assert [estimate.value, estimate.low, estimate.high] == pytest.approx(row["prevalence"], rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(
    ("counts", "low", "high", "digits"),
    [
        ((4060, 11284, 178, 1, 358, 1), 0.349, 0.372, 3),
        ((51, 2971, 32, 1, 20, 0), 0.0, 0.053, 3),
        ((712, 11862, 8, 2, 12, 0), 0.0, 0.147, 3),
        ((259, 509, 84, 43, 96, 13), 0.58, 0.87, 2),
        ((51, 509, 23, 18, 187, 8), 0.037, 0.195, 3),
    ],
)
def test_the_examples_of_lang_and_reiczigel_come_out_as_printed(counts, low, high, digits):
    judged_positive, judged, tp, fn, tn, fp = counts

    estimate = rogan_gladen(
        judged_positive, judged, true_positive=tp, false_negative=fn, true_negative=tn, false_positive=fp
    )

    assert (round(estimate.low, digits), round(estimate.high, digits)) == (low, high)


@pytest.mark.parametrize("row", FOUND["alt_test"])
def test_the_alt_test_is_that_of_its_authors(row):
    result = alt_test(row["humans"], row["judge"], row["epsilon"], level=row["level"], resamples=20)

    assert result.winning_rate.value == pytest.approx(row["winning_rate"], abs=1e-12)
    assert result.advantage_probability.value == pytest.approx(row["advantage_probability"], abs=1e-12)
    assert [rater.p for rater in result.raters if rater.p is not None] == pytest.approx(row["p"], rel=1e-9)


def test_random_readers_are_those_of_or_dbm_mrmc():
    squared, df = _two_conditions(AREAS, COMPONENTS, "random")

    assert squared**0.5 == pytest.approx(0.02075, abs=5e-6)
    assert df == pytest.approx(15.26, abs=5e-3)


def test_fixed_readers_are_those_of_or_dbm_mrmc():
    squared, df = _two_conditions(AREAS, COMPONENTS, "fixed")

    assert squared**0.5 == pytest.approx(0.01872, abs=5e-6)
    assert df == np.inf


@pytest.mark.parametrize(
    ("readers", "se", "df"), [("random", 0.03317360, 12.74), ("fixed", 0.02428971, np.inf)], ids=["random", "fixed"]
)
def test_one_condition_is_that_of_or_dbm_mrmc(readers, se, df):
    covariance = np.full((5, 5), 0.00048396)
    np.fill_diagonal(covariance, 0.00101410)

    squared, result = _one_condition(AREAS[0], covariance, readers)

    assert squared**0.5 == pytest.approx(se, abs=5e-8)
    assert result == pytest.approx(df, abs=5e-3)


def plain_area(score, positive):
    """Share of the pairs of a positive and a negative in which the positive scores above, ties one half."""
    pairs = [(above > below) + (above == below) / 2 for above in score[positive] for below in score[~positive]]
    return np.mean(pairs)


@pytest.mark.parametrize("clustered", [False, True])
def test_the_jackknife_of_areas_is_that_of_leaving_out_one_at_a_time(clustered):
    rng = np.random.default_rng(4)
    positive = np.array([True, False] * 9)
    scores = np.round(positive[:, None] + rng.normal(0, 1, (18, 3)), 1)
    clusters = np.repeat(np.arange(6), 3) if clustered else np.arange(18)

    areas, covariance, design = jackknifed_accuracies(scores, positive, clusters, "item")

    without = np.array(
        [
            [plain_area(scores[clusters != left_out, j], positive[clusters != left_out]) for j in range(3)]
            for left_out in range(design.n_clusters)
        ]
    )
    units = design.n_clusters
    assert areas == pytest.approx([plain_area(scores[:, j], positive) for j in range(3)], abs=1e-12)
    assert covariance == pytest.approx(np.cov(without.T) * (units - 1) ** 2 / units, abs=1e-12)


def test_areas_need_positives_and_negatives_without_any_one_item():
    estimate = reader_averaged_difference([[1, 2], [2, 1], [3, 3]], [[1, 2], [2, 2], [3, 1]], outcome=[1, 0, 0])

    assert estimate.undefined_because == "without one item there is no positive or no negative left"

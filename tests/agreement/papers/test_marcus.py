"""MARCUS: the rules of its evaluation page and the figures of its two tables."""

from itertools import product

import numpy as np
import pytest

from agreement import accuracy, bootstrap, mcnemar, mirage_rate, paired_difference, wilson_interval
from tests.agreement.papers.printing import percent


def test_excluded_answers_leave_numerator_and_denominator():
    result = accuracy(["Correct"] * 6 + ["Incorrect"] * 2 + ["Excluded"] * 2, "Correct", excluded={"Excluded"})

    assert result.primary.value == 0.75
    assert (result.worst_case.value, result.best_case.value) == (0.6, 0.8)


@pytest.mark.parametrize(("excluded", "raw", "share"), [(100, 600, 17), (100, 650, 15)], ids=["ECG", "Echo and CMR"])
def test_exclusion_rates_in_thousands_of_questions(excluded, raw, share):
    assert percent(wilson_interval(excluded, raw).value, 0) == share


def test_a_mirage_is_positive_with_and_without_the_image_where_the_reference_is_negative():
    present, absent, reference = zip(
        *product(
            ("positive", "negative", "uncertain"), ("positive", "negative", "uncertain"), ("positive", "negative")
        ),
        strict=True,
    )

    estimate = mirage_rate(present, absent, reference)

    assert (estimate.value, estimate.n) == (pytest.approx(1 / 9), 9)


def test_mcnemar_with_the_correction_at_every_count():
    # its text asks for the corrected chi-square throughout; "exact below 25 pairs" gives .0352 here
    assert mcnemar(12, 3, "chi2-corrected").p == pytest.approx(0.0388671, abs=1e-7)
    assert mcnemar(12, 3).p == pytest.approx(1152 / 2**15)


def test_bootstrap_of_a_mean_likert_score_as_its_text_draws_it():
    # 10,000 draws of the scores with replacement, limits at 2.5 and 97.5 %
    scores = np.array([5] * 40 + [4] * 30 + [3] * 15 + [2] * 10 + [1] * 5)
    random = np.random.default_rng(7)
    means = [random.choice(scores, size=scores.size).mean() for _ in range(10_000)]

    estimate = bootstrap(np.mean, scores, resamples=10_000, seed=1)

    assert (estimate.low, estimate.high) == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])), abs=0.02)


def test_bootstrap_of_a_paired_difference_as_its_text_draws_it():
    first = np.array([1] * 70 + [0] * 30)
    second = np.array([1] * 55 + [0] * 15 + [1] * 5 + [0] * 25)
    random = np.random.default_rng(8)
    drawn = [random.integers(100, size=100) for _ in range(10_000)]
    differences = [first[index].mean() - second[index].mean() for index in drawn]

    estimate = paired_difference(first, second, resamples=10_000, seed=1)

    assert (estimate.low, estimate.high) == pytest.approx(tuple(np.percentile(differences, [2.5, 97.5])), abs=0.011)

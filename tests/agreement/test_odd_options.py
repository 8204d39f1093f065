"""An option that is no such thing, such as an array for a name, is refused by one sentence that names it."""

import math
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import agreement
from agreement.arguments import number_in, one_of, shown

A, B = [1, 0, 1, 1, 0, 1], [1, 0, 0, 1, 0, 1]
TABLE = [list(row) for row in zip(A, B, A, strict=True)]
TEN = [[*row, *row, *row] for row in TABLE]
MANY = np.zeros((40, 3))
LISTS = pd.ArrowDtype(pa.list_(pa.int64()))
with warnings.catch_warnings():
    warnings.simplefilter("ignore", PendingDeprecationWarning)  # numpy's word on matrices, which files still hold
    MATRIX = np.matrix(np.eye(2))
SOURCE, GUESS = ["drug", "placebo"] * 3, ["drug"] * 6

ODD = {
    "confidence": lambda: agreement.wilson_interval(3, 5, confidence=MANY),
    "resamples": lambda: agreement.light_kappa(TABLE, resamples=True),
    "seed": lambda: agreement.light_kappa(TABLE, seed=pd.Series(["a"] * 50)),
    "interval": lambda: agreement.fleiss_kappa(TABLE, interval=MANY),
    "level": lambda: agreement.krippendorff_alpha(TABLE, level=pd.Series(["nominal"])),
    "model": lambda: agreement.icc(TABLE, model=MANY),
    "rule": lambda: agreement.consensus(TABLE, rule=np.array([])),
    "ties": lambda: agreement.consensus(TABLE, ties=pd.Series([True])),
    "method": lambda: agreement.adjust_p_values([0.1], method=MANY),
    "p": lambda: agreement.rank_biased_overlap(["a"], ["b"], p="half"),
    "ks": lambda: agreement.ranking_accuracy([["a"]], ["a"], ks=3),
    "accepted": lambda: agreement.rank_of_accepted(["a"], [["a"]]),
    "ranking": lambda: agreement.rank_of_accepted([{"a"}], "a"),
    "radius": lambda: agreement.place_agreement([[[0, 0, 0], [1, 1, 1]]], radius=[2]),
    "affine": lambda: agreement.distance_to_mask([0, 0, 0], np.zeros((3, 3, 3)), {"a": 1}),
    "readers": lambda: agreement.reader_averaged_difference(TABLE, TABLE, readers=["random"]),
    "statistic": lambda: agreement.two_way_bootstrap("mean", TABLE, seed=1),
    "measure": lambda: agreement.mean_over_pairs(TABLE, [1, 2]),
    "categories": lambda: agreement.fleiss_kappa(TABLE, categories=[["a"], ["b"]]),
    "tolerance": lambda: agreement.dawid_skene(TABLE, seed=1, tolerance=None),
    "share": lambda: agreement.development_and_test([1, 2], ["a", "b"], seed=1, share=np.array([])),
    "sources": lambda: agreement.james_blinding_index(SOURCE, GUESS, sources=["drug", "placebo"] * 3),
    "of": lambda: agreement.bang_blinding_index(SOURCE, GUESS, MANY, sources=("drug", "placebo")),
    "a": lambda: agreement.overlap_at_k([Decimal("sNaN")], ["a"], 1),
    "accepted without an answer": lambda: agreement.rank_of_accepted(["a"], np.array(["b", ["c"]], dtype=object)),
    "clusters": lambda: agreement.pabak(A, B, clusters=pd.Series([[1], [2]] * 3, dtype=LISTS)),
    "categories of dates": lambda: agreement.fleiss_kappa(TABLE, categories=pd.date_range("2026", periods=12)),
    "first or second": lambda: agreement.rater_group_difference(TEN, [[[1], [2]]] * 6, seed=1),
    "seed of a plan": lambda: agreement.plan_by_simulation("cohen_kappa", [20], value=0.5, simulations=2, seed=[[1]]),
    "preferred": lambda: agreement.bradley_terry(["a"], ["b"], [["first"]]),
    "second": lambda: agreement.bradley_terry(["a"], 3, ["first"]),
    "cluster_size": lambda: agreement.labels_needed(width=0.1, cluster_size=[3]),
    "strict": lambda: agreement.labels_needed(power=0.8, strict="few", lenient=0.1),
    "values": lambda: agreement.weighted_mean([10**400], [0.5]),
    "options": lambda: agreement.chance_floor([10**400]),
    "weights": lambda: agreement.cohen_kappa_with_weights(A, B, [[10**400, 0], [0, 1]], [0, 1]),
    "n": lambda: agreement.clopper_pearson_interval(0, 10**30),
    "scoring": lambda: agreement.alt_test(TABLE, A, epsilon=0.2, scoring=[1, 2]),
    "text": lambda: agreement.normalise_answer(MANY),
    "average": lambda: agreement.icc_with_missing(TABLE, average=MANY),
    "method of a test": lambda: agreement.mcnemar_in_clusters(A, B, clusters=A, method=MANY),
    "positive": lambda: agreement.mirage_rate(A, B, A, positive=MANY, negative=0),
    "negative": lambda: agreement.mirage_rate(A, B, A, positive=1, negative=pd.Series(A)),
    "positive of a judge": lambda: agreement.diagnostic_accuracy(A, B, MANY),
    "correction": lambda: agreement.judge_bias_by_factor(A, B, {"model": A}, correction=MANY),
    "finite_pool": lambda: agreement.weighted_mean(A, [0.5] * 6, finite_pool=pd.NA),
    "tuned": lambda: agreement.prediction_powered_mean(A, B, A, tuned=MANY),
    "interval of labels": lambda: agreement.prediction_powered_mean(A, B, A, interval=MANY),
    "tests_zero": lambda: agreement.paired_difference(A, B, seed=1, tests_zero=MANY),
    "judge": lambda: agreement.leave_one_out(TABLE, judge=list(MANY[:6])),
    "confidence of preferences": lambda: agreement.bradley_terry(["a"], ["b"], ["first"], confidence=MANY),
    "level of a curve": lambda: agreement.brier_score([0.5, 0.2], [1, 0], level=Decimal("0.5")),
    "resamples beyond memory": lambda: agreement.icc(TABLE, interval="bca", resamples=10**15),
    "bins": lambda: agreement.reliability_curve([0.5, 0.2], [1, 0], bins=10**15),
    "seed that is a matrix": lambda: agreement.light_kappa(TABLE, seed=MATRIX),
    "components": lambda: agreement.cases_needed([1, 2], 4, difference=0.1, power=0.8),
    "cases": lambda: agreement.plan_reader_study(agreement.VARIANCES["Van Dyke"], [4], 100),
    "table": lambda: agreement.cohen_kappa_of_table([[1j, 1], [1, 1]]),
    "alpha": lambda: agreement.alt_test(TABLE, A, alpha=10**400),
    "test_in_clusters": lambda: agreement.judge_direction(A, B, test_in_clusters=0.03),
    "name": lambda: agreement.wilson_interval(3, 9, name=3),
    "given_above": lambda: agreement.chance_floor([2, 4], given_above=pd.NA),
    "of nothing known": lambda: agreement.bang_blinding_index(SOURCE, GUESS, pd.NA, sources=("drug", "placebo")),
    "level of bins": lambda: agreement.reliability_curve([0.5, 0.2], [1, 0], level=None),
    "ratings in a column of Arrow": lambda: agreement.kendall_w(pa.array([1, None, 3])),
    "humans in a column of Arrow": lambda: agreement.alt_test(pa.array([["a"], ["b"]]), A),
    "resamples of a variance": lambda: agreement.rater_group_difference(TEN, TEN, seed=1, resamples=1),
    "shares": lambda: agreement.plan_by_simulation("cohen_kappa", [30], value=0.5, shares=[pd.NA, 1], seed=1),
    "shares beyond any float": lambda: agreement.plan_by_simulation(
        "cohen_kappa", [30], value=0.5, shares=[10**400, 1], seed=1
    ),
    "place": lambda: agreement.distance_to_mask([10**400, 0, 0], np.ones((3, 3, 3)), np.eye(4)),
}


@pytest.mark.parametrize("argument", ODD)
def test_it_is_refused_by_one_sentence_that_names_it(argument):
    with pytest.raises(ValueError, match=rf"\b{argument.split()[0]}\b") as refused:
        ODD[argument]()

    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_two_groups_of_raters_without_items_differ_by_nothing_that_is_known():
    estimate = agreement.rater_group_difference([], [], seed=1, resamples=50)

    assert math.isnan(estimate.value)
    assert estimate.undefined_because


def test_what_is_shown_of_a_long_table_is_one_short_line():
    assert shown(MANY).startswith("array([[0., 0., 0.], [0.,")
    assert len(shown(MANY)) == 100


def test_a_number_may_be_of_any_kind_and_a_name_only_one_of_those_that_there_are():
    for half in (0.5, np.float32(0.5), Fraction(1, 2)):
        assert number_in(half, "p", "a share", lambda p: 0 < p < 1) == 0.5
    one_of(np.int64(2), "model", (1, 2, 3))
    for odd in (None, "0.5", [0.5], 10**400, 1j):
        with pytest.raises(ValueError, match=r"p is .*; expected a share"):
            number_in(odd, "p", "a share", lambda p: 0 < p < 1)
    with pytest.raises(ValueError, match="model is 4; expected 1, 2 or 3"):
        one_of(4, "model", (1, 2, 3))


@pytest.mark.parametrize("unit", [3, None, True, ["item"]])
def test_a_unit_that_is_no_word_is_refused(unit):
    with pytest.raises(ValueError, match=r"unit is .*; expected what is counted, such as 'item'"):
        agreement.cohen_kappa([1, 0, 1], [1, 1, 0], unit=unit)


@pytest.mark.parametrize(
    "odd",
    [
        np.eye(2).astype("datetime64[D]"),
        np.eye(2).astype("timedelta64[s]"),
        np.array([[(1.0,), (0.0,)], [(0.0,), (1.0,)]], dtype=[("share", float)]),
    ],
    ids=["dates", "durations", "records"],
)
def test_dates_durations_and_records_are_no_numbers(odd):
    with pytest.raises(ValueError, match=r"^p is "):
        agreement.hommel_p_values(odd[0])
    with pytest.raises(ValueError, match=r"^table holds "):
        agreement.cohen_kappa_of_table(odd)
    with pytest.raises(ValueError, match=r"^weights is "):
        agreement.agreement_weights(odd, 2)


def test_a_confidence_may_be_of_any_kind_of_number():
    usual = agreement.wilson_interval(3, 9, confidence=0.5)

    assert agreement.wilson_interval(3, 9, confidence=Fraction(1, 2)) == usual
    assert agreement.wilson_interval(3, 9, confidence=np.float16(0.5)) == usual
    assert str(agreement.wilson_interval(3, 9, confidence=Fraction(1, 2))) == str(usual)


def test_a_share_of_two_bytes_counts_as_many_labels_as_one_of_eight():
    assert agreement.labels_needed(width=0.1, proportion=np.float16(0.5)) == agreement.labels_needed(width=0.1)


def test_a_difference_of_two_bytes_plans_as_one_of_eight():
    components = agreement.VARIANCES["Van Dyke"]
    small, usual = (
        agreement.plan_reader_study(components, [5], [100], difference=number(0.125)) for number in (np.float16, float)
    )

    assert small == usual


def test_a_signalling_nan_is_missing_as_any_other():
    assert agreement.accuracy_of_correctness([True, Decimal("sNaN"), False]).primary.n == 2


def test_a_one_sided_limit_of_a_strength_needs_a_confidence_above_one_half():
    strengths = agreement.bradley_terry(["a", "b", "a"], ["b", "c", "c"], ["first"] * 3, confidence=0.5)

    assert all(math.isnan(estimate.low) for estimate in strengths.of.values())


@pytest.mark.filterwarnings("error")
def test_huge_numbers_raise_no_warning():
    huge = [1e308, -1e308, 5e307, -5e307, 0.0]
    table = [[1e308, -1e308], [-1e308, 1e308], [0.0, 1e308], [1e308, 0.0]]

    assert agreement.kendall_tau(huge, huge, interval="bca", resamples=50).value == pytest.approx(1.0)
    assert agreement.rank_sets(table, seed=1, resamples=50).ranks[0].best == 1
    assert agreement.distance_to_mask([1e308, 0, 0], np.ones((2, 2, 2)), np.eye(4)) == pytest.approx(1e308)


def test_the_magnitude_of_scores_does_not_matter_to_the_ranks_of_models():
    scores = np.random.default_rng(1).normal([2.0, 1.0, 0.0], size=(40, 3))
    ranks = [
        [(model.best, model.worst) for model in agreement.rank_sets(scores * factor, seed=1, resamples=200).ranks]
        for factor in (1.0, 1e-14, 1e200)
    ]

    assert ranks[0] == ranks[1] == ranks[2]


def test_an_epsilon_may_be_a_fraction():
    at = [
        agreement.alt_test_power(40, 3, rater_closer=0.1, judge_closer=0.2, epsilon=epsilon)
        for epsilon in (0.25, Fraction(1, 4))
    ]

    assert at[0] == at[1]


@pytest.mark.parametrize("confidence", [1e-300, 1e-10, 0, 1, 95])
def test_a_confidence_that_has_no_interval_is_refused_with_the_range_that_has(confidence):
    with pytest.raises(
        ValueError, match=r"confidence is .*; expected a number from 1e-09 to less than 1, such as 0\.95"
    ):
        agreement.wilson_interval(3, 10, confidence=confidence)


def test_a_view_of_memory_is_the_array_of_its_numbers_and_refused_by_name_where_it_holds_text():
    numbers = np.arange(12.0).reshape(6, 2) ** 2
    words = memoryview(np.array(list("abcabc")))

    assert agreement.icc(memoryview(numbers), 1) == agreement.icc(numbers, 1)
    with pytest.raises(ValueError, match="a is a memoryview; expected a sequence"):
        agreement.cohen_kappa(words, list("abcabc"))
    with pytest.raises(ValueError, match="clusters is a memoryview"):
        agreement.cohen_kappa([0, 1] * 3, [0, 1] * 3, clusters=words)
    with pytest.raises(ValueError, match="ratings is a memoryview"):
        agreement.fleiss_kappa(memoryview(np.array([list("ab")] * 5)))
    with pytest.raises(ValueError, match="categories is <memory"):
        agreement.fleiss_kappa([["a", "b"]] * 5, categories=words)

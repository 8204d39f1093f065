"""One answer of several raters: rules, ties, provenance, the left-out rater, and Dawid and Skene's model."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import consensus, dawid_skene, leave_one_out
from agreement.consensus import are_different
from agreement.latent_class import fits_from_starts

tables = st.integers(2, 6).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from(["a", "b", "c", None]), min_size=raters, max_size=raters), min_size=1, max_size=8
    )
)


def votes_of(row):
    return Counter(value for value in row if value is not None)


@given(tables)
def test_the_rule_unanimous_is_what_two_or_more_say_and_nobody_contradicts(table):
    expected = []
    for row in table:
        votes = votes_of(row)
        expected.append(next(iter(votes)) if len(votes) == 1 and votes.total() >= 2 else None)

    assert consensus(table, "unanimous").values == tuple(expected)


@given(tables)
def test_a_majority_is_more_than_half_of_the_given_ratings(table):
    expected = []
    for row in table:
        votes = votes_of(row)
        more = [value for value, times in votes.items() if 2 * times > votes.total()]
        expected.append(more[0] if more and votes.total() >= 2 else None)

    assert consensus(table, "majority").values == tuple(expected)


@given(tables)
def test_a_plurality_is_the_single_most_frequent_rating(table):
    expected = []
    for row in table:
        votes = votes_of(row).most_common()
        single = len(votes) == 1 or (len(votes) > 1 and votes[0][1] > votes[1][1])
        expected.append(votes[0][0] if single and sum(times for _, times in votes) >= 2 else None)

    assert consensus(table, "plurality").values == tuple(expected)


@given(tables, st.sampled_from(["unanimous", "majority", "plurality"]))
def test_the_provenance_says_how_the_votes_fell_whatever_the_rule(table, rule):
    expected = []
    for row in table:
        times = sorted(votes_of(row).values(), reverse=True)
        if sum(times) < 2:
            expected.append("too few")
        elif len(times) == 1:
            expected.append("unanimous")
        elif times[0] == times[1]:
            expected.append("tie")
        else:
            expected.append("majority" if 2 * times[0] > sum(times) else "plurality")

    result = consensus(table, rule)

    assert list(result.provenance) == expected
    assert result.counts == {kind: expected.count(kind) for kind in result.counts}
    assert result.n == sum(value is not None for value in result.values)


@given(tables)
def test_raters_differ_when_two_of_them_say_different_things(table):
    assert list(consensus(table, fewest=3).differs) == [len(votes_of(row)) > 1 for row in table]
    assert [are_different(row) for row in table] == [len(votes_of(row)) > 1 for row in table]


def test_ties_are_broken_in_the_order_of_the_declared_categories():
    table = [["mild", "severe"], ["severe", "none"]]
    order = ["none", "mild", "severe"]

    assert consensus(table, categories=order).values == (None, None)
    assert consensus(table, ties="lowest", categories=order).values == ("mild", "none")
    assert consensus(table, ties="highest", categories=order).values == ("severe", "severe")


def test_no_tie_is_broken_for_a_unanimous_consensus():
    assert consensus([["a", "b"]], "unanimous", ties="lowest").values == (None,)


def test_three_different_answers_are_no_tie_that_a_majority_breaks():
    assert consensus([["a", "b", "c"]], "majority", ties="lowest").values == (None,)
    assert consensus([["a", "b", "c"]], "plurality", ties="lowest").values == ("a",)


def test_random_ties_follow_the_seed_and_take_either_side():
    table = [["a", "b"]] * 200

    first, again = (consensus(table, ties="random", seed=3).values for _ in range(2))

    assert first == again
    assert 70 < first.count("a") < 130


def test_a_median_is_the_middle_of_the_scale_and_a_tie_between_two():
    table = [[1, 2, 5], [1, 1, 4, 5][:3], [2, 4, None]]

    assert consensus(table, "median").values == (2, 1, None)
    assert consensus(table, "median", ties="highest").values == (2, 1, 4)
    assert consensus([[3, 3, None]], "median").values == (3,)


def test_sets_of_options_are_answers_as_any_other():
    pair = frozenset({"left", "right"})

    assert consensus([[pair, frozenset({"right", "left"}), frozenset({"left"})]]).values == (pair,)


def test_a_left_out_rater_has_no_vote():
    table = [["a", "b", "b"], ["a", "a", "b"]]

    result = consensus(table, leave_out=1)

    assert result.values == consensus([["a", "b"], ["a", "b"]]).values
    assert result.n_ratings == (2, 2)
    assert "without the rater in column 1" in result.method


def test_support_is_the_share_of_the_ratings_that_equal_the_answer():
    support = consensus([["a", "a", "b", None], ["a", "b", None, None]]).support

    assert support[0] == pytest.approx(2 / 3)
    assert support[1] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "loudest"}, "rule is 'loudest'"),
        ({"ties": "first"}, "ties is 'first'"),
        ({"ties": "random"}, "seed is None"),
        ({"leave_out": 2}, "leave_out is 2; expected a column from 0 to 1"),
        ({"leave_out": "first"}, "leave_out is 'first'"),
        ({"fewest": 0}, "fewest is 0"),
        ({"rule": "median"}, "have no order"),
        ({"categories": ["a", "c"]}, "holds 'b'"),
    ],
)
def test_wrong_options_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        consensus([["a", "b"]], **options)


def test_a_single_rater_makes_no_consensus():
    assert consensus([["a"], [None]], "unanimous").provenance == ("too few", "too few")
    assert consensus([["a"], [None]], fewest=1).values == ("a", None)


def test_no_items_have_no_answers():
    assert consensus([]).values == ()


def test_the_ceiling_is_the_mean_agreement_of_left_out_raters_by_hand():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 80)
    table = np.where(rng.random((80, 4)) < 0.8, truth[:, None], 1 - truth[:, None])
    judge = np.where(rng.random(80) < 0.9, truth, 1 - truth)

    result = leave_one_out(table, judge, resamples=200)

    shares, of_judge = [], []
    for rater in range(4):
        votes = np.delete(table, rater, axis=1).sum(axis=1)  # three others: never a tie
        others = (votes >= 2).astype(int)
        shares.append((table[:, rater] == others).mean())
        of_judge.append((judge == others).mean())
    assert [rater.value for rater in result.raters] == pytest.approx(shares)
    assert result.mean.value == pytest.approx(np.mean(shares))
    assert result.judge.value == pytest.approx(np.mean(of_judge))
    assert result.difference.value == pytest.approx(np.mean(of_judge) - np.mean(shares))
    assert result.difference.low < result.difference.value < result.difference.high


def test_a_ceiling_of_one_rater_has_the_bootstrap_interval_of_a_share():
    table = [[1, 1, 1]] * 30 + [[0, 1, 1]] * 10

    result = leave_one_out(table, resamples=4000)

    assert result.raters[0].value == 0.75
    assert result.raters[0].se == pytest.approx(math.sqrt(0.75 * 0.25 / 40), rel=0.05)


def test_items_without_the_judge_are_left_out_for_the_raters_too():
    table = [[1, 1, 1]] * 5 + [[0, 1, 1]] * 5

    result = leave_one_out(table, [1] * 5 + [None] * 5, resamples=50)

    assert result.raters[0].value == 1.0
    assert result.mean.n == 5


def test_clusters_widen_a_ceiling():
    rng = np.random.default_rng(4)
    rows = np.where(rng.random((20, 3)) < 0.8, 1, 0)
    repeated, subjects = np.repeat(rows, 5, axis=0), np.repeat(np.arange(20), 5)

    alone = leave_one_out(repeated, resamples=1000).mean
    clustered = leave_one_out(repeated, clusters=subjects, resamples=1000).mean

    assert clustered.n_clusters == 20
    assert clustered.se > 1.5 * alone.se


def test_two_raters_and_raters_without_shared_items_have_no_ceiling():
    assert "2 raters" in leave_one_out([[1, 1], [0, 1]]).mean.undefined_because
    lonely = leave_one_out([[1, 1, None, 1], [None, None, 1, None]], resamples=20)
    assert "a rater (column 2) has answered no item of which" in lonely.mean.undefined_because
    with pytest.raises(ValueError, match=r"judge has shape \(1,\); expected \(2,\)"):
        leave_one_out([[1, 1, 1], [0, 1, 1]], [1])


# Dawid and Skene (1979), table 1: 45 patients, five anaesthetists, of whom the first assessed each patient three times
ANAESTHETISTS = """
111 1 1 1 1|333 4 3 3 4|112 2 1 2 2|222 3 1 2 1|222 3 2 2 2|222 3 3 2 2|122 2 1 1 1|333 3 4 3 3|222 2 2 2 3
232 2 2 2 3|444 4 4 4 4|222 3 3 4 3|111 1 1 1 1|222 3 2 1 2|121 1 1 1 1|111 2 1 1 1|111 1 1 1 1|111 1 1 1 1
222 2 2 2 1|222 1 3 2 2|222 2 2 2 2|222 2 2 2 1|222 3 2 2 2|221 2 2 2 2|111 1 1 1 1|111 1 1 1 1|232 2 2 2 2
111 1 1 1 1|111 1 1 1 1|112 1 1 2 1|111 1 1 1 1|333 3 2 3 3|111 1 1 1 1|222 2 2 2 2|222 3 2 3 2|433 4 3 4 3
221 2 2 3 2|232 3 2 3 3|333 3 4 3 2|111 1 1 1 1|111 1 1 1 1|121 2 1 1 1|232 2 2 2 2|121 1 1 1 1|222 2 2 2 2
"""


def anaesthetists():
    counts = np.zeros((45, 5, 4))
    for patient, row in enumerate(ANAESTHETISTS.strip().replace("\n", "|").split("|")):
        for rater, given_ in enumerate(row.split()):
            for category in given_:
                counts[patient, rater, int(category) - 1] += 1
    return counts


def test_the_start_from_the_votes_ends_where_dawid_and_skene_did():
    first, *_ = fits_from_starts(anaesthetists(), np.ones(45), 1, np.random.default_rng(0), 5000, 1e-12)

    # their table 2: shares of the categories
    assert first.prevalence.round(2).tolist() == [0.40, 0.42, 0.11, 0.07]
    assert first.converged


def test_other_starts_reach_other_maxima_of_that_likelihood():
    fits = fits_from_starts(anaesthetists(), np.ones(45), 10, np.random.default_rng(1), 5000, 1e-12)

    assert max(fit.log_likelihood for fit in fits) > fits[0].log_likelihood + 0.1


def test_the_likelihood_of_a_fit_is_that_of_its_parameters_by_brute_force():
    counts = anaesthetists()
    (fit,) = fits_from_starts(counts, np.ones(45), 1, np.random.default_rng(0), 5000, 1e-12)

    likelihood = 0.0
    for patient in range(45):
        of_category = [
            fit.prevalence[k] * np.prod(np.nan_to_num(fit.confusion[:, k, :]) ** counts[patient]) for k in range(4)
        ]
        likelihood += math.log(sum(of_category))
        assert fit.probabilities[patient] == pytest.approx(np.array(of_category) / sum(of_category), abs=1e-6)

    assert fit.log_likelihood == pytest.approx(likelihood, abs=1e-6)


def simulated(items, missing=0.0):
    """Five raters: three who are right on 9 of 10, two who say 1 of nearly everything."""
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, items)
    right = np.where(rng.random((items, 3)) < 0.9, truth[:, None], 1 - truth[:, None])
    table = np.hstack([right, (rng.random((items, 2)) < 0.95).astype(int)]).astype(float)
    table[rng.random(table.shape) < missing] = np.nan
    return truth, table


def test_raters_who_always_say_the_same_lose_their_weight():
    truth, table = simulated(400)

    result = dawid_skene(table, seed=1)

    right = np.mean([value == answer for value, answer in zip(result.values, truth, strict=True)])
    by_majority = np.mean([value == answer for value, answer in zip(result.majority.values, truth, strict=True)])
    assert right > by_majority + 0.05
    assert result.confusion[0][0, 0] == pytest.approx(0.9, abs=0.05)
    assert result.confusion[4][:, 1] == pytest.approx([0.95, 0.95], abs=0.05)
    assert result.n_changed > 0
    assert result.converged
    assert 1 <= result.n_best <= result.n_starts == 10


def test_missing_ratings_and_unrated_items_are_allowed_for():
    truth, table = simulated(300, missing=0.2)
    table[0] = np.nan

    result = dawid_skene(table, seed=1)

    assert result.values[0] is None
    assert np.isnan(result.probabilities[0]).all()
    assert [reason for reason in result.reasons if reason is not None] == ["nobody rated it"]
    assert set(result.confusion_reasons) == {(None, None)}
    assert np.mean([x == y for x, y in zip(result.values, truth, strict=True)]) > 0.85


def test_a_rater_without_an_item_of_a_category_has_the_reason_in_place_of_a_row():
    _, table = simulated(200)
    table = np.column_stack([table, np.full(200, np.nan)])

    result = dawid_skene(table, seed=1)

    assert np.isnan(result.confusion[5]).all()
    assert set(result.confusion_reasons[5]) == {"the rater rated no item likely to be in this category"}


def test_items_rated_alike_count_as_often_as_they_occur():
    counts, times = anaesthetists(), np.random.default_rng(2).integers(1, 4, 45)

    (once,) = fits_from_starts(counts, times.astype(float), 1, np.random.default_rng(0), 5000, 1e-12)
    (each,) = fits_from_starts(
        np.repeat(counts, times, axis=0), np.ones(times.sum()), 1, np.random.default_rng(0), 5000, 1e-12
    )

    assert once.log_likelihood == pytest.approx(each.log_likelihood, abs=1e-6)
    assert once.prevalence == pytest.approx(each.prevalence, abs=1e-6)


def test_the_same_seed_gives_the_same_fit():
    _, table = simulated(100)

    assert dawid_skene(table, seed=5).log_likelihood == dawid_skene(table, seed=5).log_likelihood


def test_few_raters_few_items_and_one_category_have_no_fit_but_a_majority():
    _, table = simulated(60)

    four, short, same = (
        dawid_skene(table[:, :4], seed=1),
        dawid_skene(table[:40], seed=1),
        dawid_skene(np.ones((60, 5)), seed=1),
    )

    assert "4 raters" in four.undefined_because
    assert "40 items" in short.undefined_because
    assert "nothing to tell apart" in same.undefined_because
    assert four.values == (None,) * 60
    assert dawid_skene(np.full((60, 5), np.nan), seed=1).confusion_reasons == ((),) * 5
    assert set(four.reasons) == {four.undefined_because}
    assert {reason for rater in four.confusion_reasons for reason in rater} == {four.undefined_because}
    assert four.majority.n > 0
    with pytest.raises(ValueError, match="starts is 1"):
        dawid_skene(table, seed=1, starts=1)
    with pytest.raises(ValueError, match="tolerance is 0"):
        dawid_skene(table, seed=1, tolerance=0)
    with pytest.raises(ValueError, match="seed is None"):
        dawid_skene(table, seed=None)


@given(tables)
def test_the_median_is_in_the_middle_of_the_order(table):
    expected = []
    for row in table:
        order = sorted(value for value in row if value is not None)
        middle = {order[(len(order) - 1) // 2], order[len(order) // 2]} if len(order) >= 2 else set()
        expected.append(middle.pop() if len(middle) == 1 else None)

    assert consensus(table, "median", categories=["a", "b", "c"]).values == tuple(expected)


@given(tables)
def test_the_mean_is_that_of_the_given_numbers_and_knows_no_ties(table):
    numbers = [[None if value is None else float(ord(value)) for value in row] for row in table]
    expected = []
    for row in numbers:
        ratings = [number for number in row if number is not None]
        expected.append(float(np.mean(ratings)) if len(ratings) >= 2 else None)

    result = consensus(numbers, "mean")

    assert result.values == tuple(expected)
    assert result.provenance == consensus(numbers, "plurality").provenance
    assert result.method == "mean of 2 or more ratings"


def test_the_mean_needs_numbers_and_leaves_a_rater_out_as_the_other_rules_do():
    with pytest.raises(ValueError, match="holds something that is not a number"):
        consensus([["a", "b"]], "mean")

    result = consensus([[1.0, 2.0, 9.0], [1.0, 1.0, None]], "mean", leave_out=2)

    assert result.values == (1.5, 1.0)
    assert result.support == (0.0, 1.0)


@given(tables)
def test_an_array_of_numbers_has_the_consensus_of_its_rows_as_lists(table):
    numbers = [[None if value is None else ord(value) for value in row] for row in table]
    array = np.array([[np.nan if value is None else value for value in row] for row in numbers], dtype=float)

    for rule in ("unanimous", "majority", "plurality", "median"):
        assert consensus(array, rule, ties="highest") == consensus(numbers, rule, ties="highest")


def test_a_generator_of_rows_is_read_once_and_no_items_have_no_answers():
    rows = [[1, 2], [3, 3]]

    assert consensus((row for row in rows), "mean").values == (1.5, 3.0)
    assert consensus([]).values == consensus(np.empty((0, 2))).values == ()
    assert consensus([[None, None]], "median").values == (None,)


def test_a_large_table_has_the_answers_of_its_parts():
    codes = np.random.default_rng(3).integers(-1, 4, (20_000, 7)).astype(float)
    codes[codes < 0] = np.nan

    whole = consensus(codes, ties="lowest")

    assert (
        whole.values == consensus(codes[:9_000], ties="lowest").values + consensus(codes[9_000:], ties="lowest").values
    )
    assert sum(whole.counts.values()) == 20_000


def test_one_rating_is_no_unanimity():
    assert consensus([["a", None], ["a", "a"], [None, None]], fewest=1).provenance == (
        "one rating", "unanimous", "too few",
    )  # fmt: skip
    assert consensus([["a"], ["b"]], fewest=1).counts["unanimous"] == 0

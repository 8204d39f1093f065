"""The alternative annotator test: its scorings, few items, epsilon, several domains, its power beforehand."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from agreement import adjust_p_values, alt_test, alt_test_by_domain, alt_test_power
from agreement.rater_tests import EPSILONS
from agreement.signed_ranks import signed_rank_p


def ordinal_reads(items=60):
    """Raters at most one step around the truth; a judge who is sometimes two steps off and otherwise right."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, 5, items)
    humans = truth[:, None] + rng.integers(-1, 2, (items, 3))
    judge = np.where(rng.random(items) < 0.3, truth + rng.choice([-2, 2], items), truth)
    return humans, judge


def p_by_loops(humans, judge, epsilon, score):
    p = []
    for j in range(humans.shape[1]):
        d = []
        for row, own in zip(humans.tolist(), judge.tolist(), strict=True):
            others = row[:j] + row[j + 1 :]
            of_rater, of_judge = score(row[j], others), score(own, others)
            d.append(float(of_rater >= of_judge) - float(of_judge >= of_rater))
        p.append(stats.ttest_1samp(d, epsilon, alternative="less").pvalue)
    return p


def exact_match(own, others):
    return sum(own == other for other in others) / len(others)


def minus_rmse(own, others):
    return -((sum((own - other) ** 2 for other in others) / len(others)) ** 0.5)


@pytest.mark.parametrize(
    ("level", "scoring", "score"),
    [
        ("nominal", None, exact_match),
        ("ordinal", None, minus_rmse),
        ("interval", None, minus_rmse),
        ("ordinal", "exact", exact_match),
        ("nominal", minus_rmse, minus_rmse),
    ],
)
def test_the_scoring_is_chosen_by_the_level_or_given(level, scoring, score):
    humans, judge = ordinal_reads()

    result = alt_test(humans, judge, level=level, scoring=scoring, resamples=20)

    assert [rater.p for rater in result.raters] == pytest.approx(p_by_loops(humans, judge, 0.2, score), abs=1e-12)


def test_the_scoring_decides_and_stands_in_the_method():
    humans, judge = ordinal_reads()

    by_distance = alt_test(humans, judge, level="ordinal", resamples=20)
    by_match = alt_test(humans, judge, level="ordinal", scoring="exact", resamples=20)

    assert (by_distance.passed, by_match.passed) == (True, False)
    assert "scoring minus root mean squared error" in by_distance.winning_rate.method
    assert "scoring exact match" in by_match.winning_rate.method
    named = alt_test(humans, judge, scoring=exact_match, resamples=20)
    assert "scoring function exact_match" in named.winning_rate.method


def test_declared_categories_are_one_step_apart_each():
    humans, judge = ordinal_reads()
    words = np.array(["none", "little", "some", "much", "more", "most", "all"])

    in_words = alt_test(words[humans], words[judge], level="ordinal", categories=words.tolist(), resamples=20)

    assert in_words.raters == alt_test(humans, judge, level="ordinal", resamples=20).raters


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"epsilon": "0.2"}, "epsilon is '0.2'; expected a number between 0 and 1"),
        ({"epsilon": 1.0}, "epsilon is 1.0; expected"),
        ({"alpha": 0}, "alpha is 0; expected"),
        ({"scoring": "cosine"}, "scoring is 'cosine'; expected 'exact', 'rmse' or a function"),
        ({"scoring": "rmse"}, "scoring is 'rmse' and level 'nominal'"),
        ({"scoring": lambda own, others: "near"}, "scoring gives 'near' for 1; expected a finite number"),
        ({"level": "ratio"}, "level is 'ratio'"),
    ],
)
def test_an_option_that_is_none_is_named(arguments, sentence):
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        alt_test([[1, 1, 1]] * 6, [1] * 6, **arguments)


@pytest.mark.parametrize(
    "differences", [[-0.2, -1.2, 0.8, -0.3, -0.25], [-0.2, -0.2, 0.8, -1.2, 0.8, -0.2, -0.2], [0.0]]
)
def test_the_signed_rank_test_counts_all_ways_to_sign_the_ranks(differences):
    moved = np.array([gap for gap in differences if gap])
    ranks = stats.rankdata(np.abs(moved))
    observed = ranks[moved > 0].sum()

    ways = [np.dot(ranks, signs) for signs in product([0, 1], repeat=moved.size)]

    assert signed_rank_p(np.array(differences)) == pytest.approx(np.mean([way <= observed for way in ways]))


def test_without_ties_it_is_the_exact_test_of_scipy():
    differences = np.random.default_rng(1).normal(-0.3, 1.0, 20)

    expected = stats.wilcoxon(differences, alternative="less", method="exact").pvalue

    assert signed_rank_p(differences) == pytest.approx(expected, rel=1e-12)


def test_below_thirty_items_a_rater_is_tested_by_wilcoxon():
    humans, judge = ordinal_reads(24)

    result = alt_test(humans, judge, level="ordinal", scoring="exact", resamples=20)

    assert {rater.test for rater in result.raters} == {"Wilcoxon"}
    assert "3 with fewer than 30 shared items by Wilcoxon's signed-rank test" in result.winning_rate.method
    others, rater = humans[:, 1:], humans[:, 0]
    of_rater, of_judge = (own[:, None] == others for own in (rater, judge))
    d = np.sign(of_rater.sum(axis=1) - of_judge.sum(axis=1))
    assert result.raters[0].p == signed_rank_p(d - 0.2)


def test_the_curve_shows_each_epsilon_and_the_least_that_passes_but_decides_nothing():
    humans, judge = ordinal_reads()

    result = alt_test(humans, judge, 0.0, level="ordinal", scoring="exact", resamples=20)

    rates = dict(result.curve)
    assert tuple(rates) == EPSILONS
    for epsilon in (0.0, 0.1, 0.35):
        again = alt_test(humans, judge, epsilon, level="ordinal", scoring="exact", resamples=20)
        assert rates[epsilon] == again.winning_rate.value
    least = result.least_epsilon.value
    assert rates[least] >= 0.5
    assert all(rate < 0.5 for epsilon, rate in rates.items() if epsilon < least)
    assert (result.passed, result.epsilon) == (rates[0.0] >= 0.5, 0.0)


def test_a_judge_who_never_passes_has_no_least_epsilon():
    result = alt_test([[1, 1, 1]] * 40, [0] * 40, resamples=20)

    assert result.passed is False
    assert result.least_epsilon.as_dict()["value"] is None
    assert result.least_epsilon.undefined_because == "the judge passes at no epsilon up to 0.5"


def test_several_domains_are_adjusted_together():
    humans, judge = ordinal_reads(120)
    domains = np.where(np.arange(120) % 3 == 0, "brain", "liver")

    together = alt_test_by_domain(humans, judge, domains, resamples=20)

    alone = [
        rater.p
        for domain in ("brain", "liver")
        for rater in alt_test(humans[domains == domain], judge[domains == domain], resamples=20).raters
    ]
    adjusted = [rater.p_adjusted for result in together.values() for rater in result.raters]
    assert list(together) == ["brain", "liver"]
    assert adjusted == pytest.approx(adjust_p_values(alone, "by"))
    assert "over 2 domains" in together["brain"].winning_rate.method
    with pytest.raises(ValueError, match="domains has 2 values; expected one for each of the 3 items"):
        alt_test_by_domain([[1, 1, 1]] * 3, [1] * 3, ["brain", None, "liver"])


@pytest.mark.parametrize("items", [20, 60])
def test_the_power_is_the_share_of_simulated_tests_that_are_won(items):
    rng = np.random.default_rng(9)
    threshold = 0.05 * 2 / (3 * (1 + 1 / 2 + 1 / 3))

    power = alt_test_power(items, 3, rater_closer=0.15, judge_closer=0.25)

    drawn = rng.choice([1.0, -1.0, 0.0], p=[0.15, 0.25, 0.6], size=(3000, items))
    if items < 30:
        p = np.array([signed_rank_p(d - 0.2) for d in drawn])
    else:
        p = stats.ttest_1samp(drawn, 0.2, axis=1, alternative="less").pvalue
    assert power.value == pytest.approx((p <= threshold).mean(), abs=0.03)
    assert power.undefined_because.startswith("a property of the assumed shares")


def test_the_power_of_many_items_goes_on_from_that_of_fewer():
    exact = alt_test_power(1000, 5, rater_closer=0.3, judge_closer=0.2, epsilon=0.0).value
    approximate = alt_test_power(1001, 5, rater_closer=0.3, judge_closer=0.2, epsilon=0.0).value
    assert exact == pytest.approx(approximate, abs=0.005)

    even = alt_test_power(1000, 5, rater_closer=0.3, judge_closer=0.25, epsilon=0.1).value
    assert even == pytest.approx(
        alt_test_power(1001, 5, rater_closer=0.3, judge_closer=0.25, epsilon=0.1).value, abs=0.005
    )


def test_fewer_items_than_any_outcome_could_decide_have_no_power():
    assert alt_test_power(4, 3, rater_closer=0.0, judge_closer=1.0).value == 0.0
    with pytest.raises(ValueError, match="raters is 2; expected a whole number of at least 3"):
        alt_test_power(40, 2, rater_closer=0.1, judge_closer=0.1)
    with pytest.raises(ValueError, match=r"rater_closer is '0\.1'; expected a share"):
        alt_test_power(40, 3, rater_closer="0.1", judge_closer=0.1)

"""Strengths from comparisons of two: published values, another maximum of the same likelihood, and where none exist."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit

from agreement import Strengths, bradley_terry

# Agresti (2002), table 10.10: games that a team of 1987 won (row) against each other one (column).
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WON = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)


def of_games() -> Strengths:
    games = [(former, other) for former, other in product(range(7), repeat=2) for _ in range(WON[former][other])]
    return bradley_terry(
        [TEAMS[former] for former, _ in games], [TEAMS[other] for _, other in games], ["first"] * len(games)
    )


def test_the_strengths_are_those_that_agresti_and_bradleyterry2_print() -> None:
    strengths = of_games()
    base = strengths.of["Baltimore"].value

    # as BradleyTerry2 prints them; to two decimals they are those of Agresti's table 10.11 (1.58, 1.44, 1.29, 1.25,
    # 1.11, .68), which that package's own tests hold it to
    printed = {
        "Milwaukee": 1.5814, "Detroit": 1.4364, "Toronto": 1.2945, "New York": 1.2476, "Boston": 1.1077,
        "Cleveland": 0.6839,
    }  # fmt: skip
    assert {team: round(strengths.of[team].value - base, 4) for team in printed} == printed
    assert math.isclose(sum(estimate.value for estimate in strengths.of.values()), 0, abs_tol=1e-9)
    assert strengths.ties.undefined_because == "nothing tied"


def with_ties(n: int = 300) -> tuple[list[str], list[str], list[str]]:
    """Return comparisons of four with ties, drawn once."""
    dice = np.random.default_rng(1)
    of = {"a": 0.5, "b": 0.0, "c": -0.5, "d": 0.0}
    first, second, said = [], [], []
    for _ in range(n):
        former, other = dice.choice(sorted(of), 2, replace=False)
        odds = np.exp([of[former], of[other], (of[former] + of[other]) / 2]) * (1, 1, 0.8)
        first.append(str(former))
        second.append(str(other))
        said.append(["first", "second", "tie"][dice.choice(3, p=odds / odds.sum())])
    return first, second, said


def test_with_ties_it_is_the_maximum_of_davidsons_likelihood() -> None:
    first, second, said = with_ties()
    names = sorted({*first, *second})
    counted = Counter(zip(first, second, said, strict=True))

    def loss(free: np.ndarray) -> float:
        strength = dict(zip(names, [*free[:3], -free[:3].sum()], strict=True))
        total = 0.0
        for (former, other, outcome), times in counted.items():
            odds = np.exp([strength[former], strength[other], free[3] + (strength[former] + strength[other]) / 2])
            total -= times * math.log(odds[["first", "second", "tie"].index(outcome)] / odds.sum())
        return total

    other_way = minimize(
        loss, np.zeros(4), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9, "maxiter": 9000}
    )
    estimated = bradley_terry(first, second, said)

    assert [estimated.of[name].value for name in names[:3]] == pytest.approx(other_way.x[:3], abs=1e-4)
    assert estimated.ties.value == pytest.approx(math.exp(other_way.x[3]), abs=1e-4)


def test_the_interval_of_two_is_that_of_the_log_odds_by_hand() -> None:
    estimated = bradley_terry(["a"] * 90, ["b"] * 90, ["first"] * 60 + ["second"] * 30).of["a"]

    # Half of the log odds, whose variance is 1/60 + 1/30; with the factor n / (n - 1) of a sandwich.
    se = math.sqrt((1 / 60 + 1 / 30) * 90 / 89) / 2
    assert (estimated.value, estimated.se) == (pytest.approx(math.log(2) / 2), pytest.approx(se))
    assert estimated.high - estimated.value == pytest.approx(1.98698 * se, rel=1e-5)


def test_the_order_in_which_two_are_named_changes_nothing() -> None:
    first, second, said = with_ties()
    turned = [{"first": "second", "second": "first"}.get(outcome, outcome) for outcome in said]

    former, other = bradley_terry(first, second, said), bradley_terry(second, first, turned)

    assert [former.of[name].value for name in former.of] == pytest.approx([other.of[name].value for name in former.of])


def test_comparisons_of_one_cluster_count_as_one() -> None:
    by_itself = bradley_terry(["a", "a", "b"] * 10, ["b", "b", "a"] * 10, ["first"] * 30)
    copied = bradley_terry(
        ["a", "a", "b"] * 40, ["b", "b", "a"] * 40, ["first"] * 120, clusters=[n % 30 for n in range(120)]
    )

    assert copied.of["a"].n_clusters == by_itself.of["a"].n == 30
    assert copied.of["a"].se == pytest.approx(by_itself.of["a"].se)


def test_who_was_always_preferred_has_a_one_sided_limit_and_the_others_have_strengths() -> None:
    first = ["best"] * 20 + ["b"] * 10
    second = ["b"] * 10 + ["c"] * 10 + ["c"] * 10
    estimated = bradley_terry(first, second, ["first"] * 20 + ["first"] * 6 + ["second"] * 4).of

    assert math.isnan(estimated["best"].value) and math.isnan(estimated["best"].high)
    assert "always preferred: there is no upper limit; at least" in str(estimated["best"].undefined_because)

    def most(strength: float) -> float:
        """Return the greatest log-likelihood with the best one there, over how far the others are apart."""

        def minus(half: float) -> float:
            among = 6 * math.log(expit(2 * half)) + 4 * math.log(expit(-2 * half))
            return -among - 10 * math.log(expit(strength - half)) - 10 * math.log(expit(strength + half))

        return -float(minimize_scalar(minus, bracket=(0.0, 1.0), tol=1e-12).fun)

    assert most(estimated["best"].low) - most(50.0) == pytest.approx(-(1.6448536**2) / 2, rel=1e-6)
    assert estimated["b"].value == pytest.approx(math.log(6 / 4) / 2)


def test_a_one_sided_limit_leaves_open_how_strong_the_others_are_and_how_often_they_tie() -> None:
    first, second = ["best"] * 20 + ["b"] * 10, ["b", "c"] * 10 + ["c"] * 10
    estimated = bradley_terry(first, second, ["first"] * 20 + ["first"] * 5 + ["second"] * 2 + ["tie"] * 3).of

    def most(strength: float) -> float:
        def minus(free: npt.NDArray[np.float64]) -> float:
            half, log_nu = free
            among = np.array([half, -half, log_nu])
            chances = among - np.log(np.exp(among).sum())
            ahead = [np.log1p(np.exp(-gap) + np.exp(log_nu - gap / 2)) for gap in (strength - half, strength + half)]
            return float(10 * sum(ahead) - chances @ (5, 2, 3))

        best = minimize(minus, (0.3, -0.5), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11})
        return -float(best.fun)

    assert most(estimated["best"].low) - most(80.0) == pytest.approx(-(1.6448536**2) / 2, rel=1e-5)


def test_of_two_of_which_one_always_won_the_other_is_what_it_is_measured_against() -> None:
    estimated = bradley_terry(["a"] * 20, ["b"] * 20, ["first"] * 20).of

    assert estimated["a"].low == pytest.approx(math.log(1 / (math.exp(1.6448536**2 / 40) - 1)), rel=1e-6)
    assert (estimated["b"].value, estimated["b"].undefined_because) == (0.0, "the others are measured against it")


def test_who_never_won_has_an_upper_limit() -> None:
    estimated = bradley_terry(["a", "b"] * 5 + ["a"] * 5, ["b", "a"] * 5 + ["worst"] * 5, ["first"] * 15).of["worst"]

    assert math.isnan(estimated.low) and estimated.high < 0
    assert "never preferred: there is no lower limit; at most" in str(estimated.undefined_because)


@pytest.mark.parametrize("ties", [1, 5])
def test_of_two_of_which_one_was_preferred_or_tied_there_is_no_strength(ties: int) -> None:
    # With A ahead by d and nu = c exp(d / 2), what was seen is the likelier the larger d is.
    strengths = bradley_terry(["A"] * 10, ["B"] * 10, ["first"] * (10 - ties) + ["tie"] * ties)

    assert all(math.isnan(each.value) for each in (*strengths.of.values(), strengths.ties))
    assert "only ties oppose it" in str(strengths.of["A"].undefined_because)


def test_a_single_preference_against_the_others_is_enough_beside_ties() -> None:
    strengths = bradley_terry(["A"] * 11, ["B"] * 11, ["first"] * 5 + ["tie"] * 5 + ["second"])

    # Shares of three outcomes fit exactly: the odds of the two preferences are those of twice the strength.
    assert 2 * strengths.of["A"].value == pytest.approx(math.log(5))


@pytest.mark.parametrize(
    ("first", "second", "said", "says"),
    [
        ("aabb", "bbaa", "ffff", None),
        ("aacc", "bbdd", "fsfs", "no chain of comparisons links all of them"),
        ("abcdabab", "badccddc", "ffffffff", "they fall into groups of which one was always preferred to the other"),
        ("aaa", "bbb", "ttt", "every comparison between them was a tie"),
        ("", "", "", None),
    ],
)
def test_where_strengths_do_not_exist_it_says_why(first: str, second: str, said: str, says: str | None) -> None:
    outcomes = {"f": "first", "s": "second", "t": "tie"}

    estimated = bradley_terry(list(first), list(second), [outcomes[former] for former in said])

    reasons = {estimate.undefined_because for estimate in estimated.of.values()}
    assert reasons == ({says} if estimated.of else set())
    if not first:
        assert estimated.ties.undefined_because == "no comparison"


@pytest.mark.parametrize(
    ("first", "second", "said", "says"),
    [
        (["a"], ["a"], ["first"], "compared with itself"),
        (["a"], ["b"], ["a"], "expected 'first', 'second' or 'tie'"),
        (["a", "b"], ["b"], ["first"], "lengths differ"),
    ],
)
def test_what_is_no_comparison_is_refused(first: list[str], second: list[str], said: list[str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        bradley_terry(first, second, said)  # type: ignore[arg-type]


def test_a_strength_that_does_not_vary_between_clusters_has_no_interval_and_says_so():
    # C wins as often as it loses in each cluster: its variance is nothing, and in floating point a little less.
    drawn = [*(pair for pair in (("A", "B"), ("A", "C"), ("B", "C")) for _ in range(2))]
    first, second = zip(*drawn, ("A", "B"), ("A", "B"), ("A", "C"), ("B", "C"), strict=True)
    preferred = ["tie"] * 6 + ["second", "tie", "second", "first"]

    strengths = bradley_terry(first, second, preferred, clusters=[0] * 6 + [1] * 4)

    assert strengths.of["C"].undefined_because == "no variation between clusters"


@pytest.mark.parametrize("clusters", [None, list(range(30))])
def test_comparisons_of_which_none_share_a_cluster_are_said_to_be_independent(clusters):
    estimated = bradley_terry(["a"] * 30, ["b"] * 30, ["first"] * 20 + ["second"] * 10, clusters=clusters).of["a"]

    assert estimated.method == "Bradley-Terry, sandwich variance, t, independent comparisons"
    assert estimated.n_clusters is None

"""What the panels say if the candidates are pairs of answers: whose answer is preferred, and whether by its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from agreement.judge.compared import Compared, Orders
from agreement.judge.factors import Factor
from agreement.judge.material import Made, Material, Verdicts
from agreement.judge.panels import calibrate, of_pairs, repeatability
from agreement.judge.panels.criteria import criteria_in_words
from agreement.judge.plan import Criteria, Declared, Plan
from agreement.judge.rows import Panel
from agreement.judge.scale import Scale, State

SCALE = Scale("nominal", ("a", "b", "tie", "neither"))
PLAN = Plan(resamples=50)
N = 40
# The answers of x are first in the tables, those of y second.
X, Y = (Factor(np.zeros(N, dtype=np.intp), (name,)) for name in "xy")

CHANGES = repeatability.CHANGES


def verdicts(letters: str) -> Verdicts:
    """Return verdicts from letters: a, b, t(ie), n(either), or a space for none."""
    codes = np.array(["abtn".index(letter) if letter.strip() else np.nan for letter in letters])
    states = np.where(np.isnan(codes), State.NO_VERDICT, State.VERDICT).astype(np.int8)
    return Verdicts(codes, states)


def orders(signs: str) -> Orders:
    """Return what was shown first: + for the first answer of the tables, - for the second, 0 where it is not known."""
    return np.array([{"+": 1, "-": -1, "0": 0}[sign] for sign in signs], dtype=np.int8)


def pairs(judge: Mapping[str, tuple[str, str]], human: str = "a" * N) -> Material:
    """Return pairs judged in some runs, each with its verdicts and orders, and by one human."""
    runs = {run: verdicts(said) for run, (said, _) in judge.items()}
    shown = {"judge": {run: orders(signs) for run, (_, signs) in judge.items()}}
    return Material(
        SCALE, {"human": verdicts(human)}, {"judge": next(iter(runs.values()))}, runs={"judge": runs},
        compared=Compared(X, Y, shown),
    )  # fmt: skip


def position(material: Material) -> Panel:
    return calibrate(material, PLAN)["direction"]


def test_a_judge_that_follows_the_place_prefers_what_is_shown_first() -> None:
    [row] = position(pairs({"one": ("a" * N, "+" * N), "other": ("b" * N, "-" * N)})).of(of_pairs.POSITION)

    assert (row.estimate.value, row.estimate.n, row.sentence) == (1.0, 2 * N, "prefers what is shown first")


def test_a_judge_that_names_the_same_answer_in_both_orders_follows_no_place() -> None:
    [row] = position(pairs({"one": ("a" * N, "+" * N), "other": ("a" * N, "-" * N)})).of(of_pairs.POSITION)

    assert (row.estimate.value, row.sentence) == (0.5, "undecided at this n")


def test_of_pairs_in_one_order_only_it_is_said_what_half_rests_on() -> None:
    [row] = position(pairs({"one": ("a" * N, "-" * N)})).of(of_pairs.POSITION)

    assert row.sentence == "prefers what is shown second, if orders were drawn: no pair was shown in both"


def test_of_pairs_shown_more_often_in_one_order_it_is_said_what_half_rests_on() -> None:
    """A judge that always names the better answer, whatever its place, prefers the first in two of three runs."""
    runs = {"one": ("a" * N, "+" * N), "again": ("a" * N, "+" * N), "other": ("a" * N, "-" * N)}

    [row] = position(pairs(runs)).of(of_pairs.POSITION)

    assert row.estimate.value == pytest.approx(2 / 3)
    assert row.sentence.endswith(", if orders were drawn: 40 of 40 pairs were shown more often in one of the two")


def test_orders_are_counted_where_a_verdict_was_given() -> None:
    runs = {"one": ("a" * N, "+" * N), "other": ("a" * 10 + " " * 30, "-" * N)}

    [row] = position(pairs(runs)).of(of_pairs.POSITION)

    assert row.sentence.endswith(", if orders were drawn: 30 of 40 pairs were shown more often in one of the two")


def test_ties_and_verdicts_of_unknown_order_are_no_preference_for_a_place() -> None:
    [row] = position(pairs({"one": ("ab" + "t" * 18 + "n" * 18 + "ab", "+" * 38 + "00")})).of(of_pairs.POSITION)

    assert (row.estimate.value, row.estimate.n) == (0.5, 2)


def test_a_judge_of_which_no_order_is_known_is_named() -> None:
    panel = position(pairs({"one": ("a" * N, "0" * N)}))

    assert panel.rows == ()
    assert any(why.startswith("judge says of no verdict which answer was shown first") for why in panel.refused)


def test_win_rates_count_ties_as_no_win_and_missing_verdicts_not_at_all() -> None:
    rates = calibrate(pairs({"one": ("a" * 10 + "b" * 20 + "t" * 6 + " " * 4, "+" * N)}), PLAN)["corrected"]

    shares = {row.parties[0]: row.estimate for row in rates.of(of_pairs.WIN_RATE) if row.parties[1] == "judge"}
    assert {name: (round(each.value * each.n), each.n) for name, each in shares.items()} == {
        "x": (10, 36),
        "y": (20, 36),
    }


def rates_of_judge(panel: Panel) -> dict[str, tuple[float, int]]:
    return {
        row.parties[0]: (row.estimate.value, row.estimate.n)
        for row in panel.of(of_pairs.WIN_RATE)
        if row.parties[1] == "judge"
    }


def test_runs_of_another_model_say_nothing_of_the_first_ones_preference_for_a_place() -> None:
    given = pairs({"one": ("b" * N, "+" * N), "newer": ("a" * N, "+" * N)})
    of_models = {("judge", "one"): Made("judge", model="m1"), ("judge", "newer"): Made("judge", model="m2")}

    [row] = position(replace(given, made=of_models)).of(of_pairs.POSITION)

    assert (row.estimate.value, row.estimate.n) == (0.0, N)


@pytest.mark.parametrize(
    ("signs", "said"),
    [("+", "No pair was judged in both orders"), ("0", "It is not known which answer was shown first")],
)
def test_of_win_rates_of_one_order_or_of_none_that_is_known_it_is_said_what_may_be_part_of_them(
    signs: str, said: str
) -> None:
    panel = calibrate(pairs({"one": ("a" * N, signs * N)}), PLAN)["corrected"]

    assert [why for why in panel.not_said if said in why]
    assert len([why for why in panel.not_said if "preference for a place" in why]) == 1


def test_of_pairs_judged_in_both_orders_a_win_rate_is_the_mean_of_the_two_and_the_pair_is_its_unit() -> None:
    """The judge names x wherever it is shown first, and in half of the pairs also where it is shown second."""
    runs = {"one": ("a" * N, "+" * N), "other": ("a" * 20 + "b" * 20, "-" * N)}

    panel = calibrate(pairs(runs), PLAN)["corrected"]

    assert rates_of_judge(panel) == {"x": (0.75, N), "y": (0.25, N)}
    (row, *_) = [row for row in panel.of(of_pairs.WIN_RATE) if row.parties == ("x", "judge")]
    assert row.estimate.method.endswith("; mean of a pair's two orders, where it was judged in both")
    assert 0.0 < row.estimate.low < 0.75 < row.estimate.high < 1.0
    assert not any("first run" in why for why in panel.not_said)


def test_strengths_take_what_two_orders_prefer_together_and_a_tie_where_they_prefer_different_answers() -> None:
    """Of three models; a preference in one order beside a tie in the other is a preference."""
    models = np.arange(N) % 3
    names = ("x", "y", "z")
    of_three = Factor(np.array([0, 0, 1])[models], names), Factor(np.array([1, 2, 2])[models], names)

    def strengths(former: str, latter: str) -> dict[str, float]:
        given = pairs({"former": (former * 10, "+" * N), "latter": (latter * 10, "-" * N)})
        assert given.compared is not None
        given = replace(given, compared=replace(given.compared, first=of_three[0], second=of_three[1]))
        rows = [row for row in calibrate(given, PLAN)["corrected"].of(of_pairs.STRENGTH) if row.parties[1] == "judge"]
        assert all(row.estimate.method.endswith("a tie if they prefer different answers") for row in rows)
        return {row.parties[0]: round(row.estimate.value, 6) for row in rows}

    assert strengths("abat", "atab") == strengths("abab", "abab")
    assert strengths("abab", "baab") == strengths("ttab", "ttab")


def test_a_judge_that_says_the_same_in_both_orders_has_the_win_rates_of_either() -> None:
    runs = {"one": ("a" * 30 + "b" * 10, "+" * N), "other": ("a" * 30 + "b" * 10, "-" * N)}

    panel = calibrate(pairs(runs), PLAN)["corrected"]

    assert rates_of_judge(panel) == {"x": (0.75, N), "y": (0.25, N)}
    assert not any("first run" in why for why in panel.not_said)


def test_pairs_judged_in_one_order_count_by_that_one_beside_others_judged_in_both() -> None:
    runs = {"one": ("a" * 30 + " " * 10, "+" * N), "other": ("b" * 10 + " " * 20 + "b" * 10, "-" * N)}

    assert rates_of_judge(calibrate(pairs(runs), PLAN)["corrected"])["x"] == ((5 + 20) / N, N)


@pytest.mark.parametrize("again", [{}, {"again": ("b" * N, "+" * N)}], ids=["one run", "two runs in one order"])
def test_of_pairs_judged_in_one_order_only_the_first_run_counts_and_it_is_said(
    again: Mapping[str, tuple[str, str]],
) -> None:
    panel = calibrate(pairs({"one": ("a" * N, "+" * N), **again}), PLAN)["corrected"]

    assert rates_of_judge(panel)["x"] == (1.0, N)
    assert all(row.estimate.method.endswith("; of the first run") for row in panel.of(of_pairs.WIN_RATE)[2:])
    assert any(why.startswith("judge: No pair was judged in both orders, and win rates") for why in panel.not_said)


def of_judge_on(panel: Panel, stratum: str) -> dict[str, int]:
    return {row.parties[0]: row.estimate.n for row in panel.of(of_pairs.WIN_RATE, stratum=stratum)}


def test_beside_people_a_judge_has_win_rates_on_the_very_pairs_that_theirs_are_of() -> None:
    material = pairs({"one": ("a" * N, "+" * N)}, human="a" * 30 + " " * 10)
    of_two = replace(material, humans={**material.humans, "other": verdicts("a" * 20 + "b" * 10 + " " * 10)})

    by_one, by_two = (calibrate(own, PLAN)["corrected"] for own in (material, of_two))

    assert of_judge_on(by_one, "pairs that people compared") == {"x": 30, "y": 30}
    assert of_judge_on(by_two, "pairs with a verdict by majority of 2") == {"x": 20, "y": 20}
    assert of_judge_on(by_two, "pairs that people compared") == {}


def test_where_people_agree_is_not_told_of_sealed_pairs_by_the_win_rates_of_a_judge() -> None:
    of_two = pairs({"one": ("a" * N, "+" * N)}, human="a" * 20 + "b" * 10 + " " * 10)
    of_two = replace(of_two, humans={**of_two.humans, "other": verdicts("a" * 30 + " " * 10)})

    panel = calibrate(of_two, replace(PLAN, fewest_shown=5))["corrected"]

    assert of_judge_on(panel, "pairs that people compared") == {"x": 30, "y": 30}
    assert {row.stratum for row in panel.of(of_pairs.WIN_RATE)} == {"all", "pairs that people compared"}


@pytest.mark.parametrize("undecided", [38, 39])
def test_nor_by_them_whether_the_one_sealed_pair_of_two_competitors_was_compared(undecided: int) -> None:
    """With three competitors, how many comparisons each has tells how many every two of them have."""
    human = "".join(" " if place in (0, undecided) else "a" for place in range(N))
    of_three = replace(
        pairs({"one": ("a" * N, "+" * N)}, human=human),
        compared=Compared(
            Factor(np.repeat([0, 0, 1], [20, 19, 1]), ("x", "y")),
            Factor(np.repeat([0, 1, 1], [20, 19, 1]), ("y", "z")),
            {},
        ),
    )

    panel = calibrate(of_three, replace(PLAN, fewest_shown=5))["corrected"]

    assert {row.stratum for row in panel.of(of_pairs.WIN_RATE)} == {"all"}


def test_an_answer_compared_with_one_of_the_same_competitor_is_no_comparison() -> None:
    material = pairs({"one": ("a" * N, "+" * N)})
    same = replace(material, compared=Compared(X, X, {}))

    [rate] = [row for row in calibrate(same, PLAN)["corrected"].of(of_pairs.WIN_RATE) if row.parties[1] == "judge"]

    assert rate.estimate.n == 0


def test_where_figures_on_few_are_withheld_no_win_rate_by_people_is_said() -> None:
    panel = calibrate(pairs({"one": ("a" * N, "+" * N)}), replace(PLAN, fewest_shown=5))["corrected"]

    assert {row.parties[1] for row in panel.of(of_pairs.WIN_RATE)} == {"judge"}
    assert any("not said of sealed subjects" in why for why in panel.refused)


@pytest.mark.parametrize("key", ["direction", "uniformity"])
def test_no_panel_asks_for_an_option_that_would_not_help(key: str) -> None:
    panel = calibrate(pairs({"one": ("a" * N, "+" * N)}), PLAN)[key]

    assert not any("--positive" in why for why in panel.refused)


def two_prompts(old: Mapping[str, tuple[str, str]], new: Mapping[str, tuple[str, str]]) -> Material:
    """Return pairs judged by two prompts of a judge, each in some runs with their verdicts and orders."""
    by_name = {"judge (v1)": old, "judge (v2)": new}
    runs = {name: {run: verdicts(said) for run, (said, _) in own.items()} for name, own in by_name.items()}
    shown = {name: {run: orders(signs) for run, (_, signs) in own.items()} for name, own in by_name.items()}
    made = {(name, run): Made("judge", prompt=name[-3:-1]) for name, own in runs.items() for run in own}
    judges = {name: next(iter(own.values())) for name, own in runs.items()}
    return Material(SCALE, {"human": verdicts("a" * N)}, judges, runs=runs, made=made, compared=Compared(X, Y, shown))


BY_PLACE = {"+": ("a" * N, "+" * N), "-": ("b" * N, "-" * N)}


def test_two_prompts_are_compared_on_pairs_that_were_shown_in_one_order() -> None:
    """Both prefer what is shown first; the runs of the second prompt were imported the other way round."""
    material = two_prompts(
        {"one": BY_PLACE["+"], "other": BY_PLACE["-"]}, {"late": BY_PLACE["-"], "last": BY_PLACE["+"]}
    )

    (said,) = repeatability.between_versions(material, PLAN)

    assert said.startswith("From v1 to v2, judge changed 0.0 % ")
    assert "order" not in said


@pytest.mark.parametrize(("signs", "many"), [("-" * N, "40 of 40 pairs"), ("+" * 10 + "0" * 30, "30 of 40 pairs")])
def test_two_prompts_that_saw_no_common_order_are_said_to_have_seen_none(signs: str, many: str) -> None:
    material = two_prompts({"one": BY_PLACE["+"]}, {"late": ("b" * N, signs)})

    (said,) = repeatability.between_versions(material, PLAN)

    assert f"not known: no repeated run, {many} in another order or in one that is not known; " in said


def changes(panel: Panel) -> dict[str, tuple[float, int]]:
    return {row.statistic: (row.estimate.value, row.estimate.n) for row in panel.rows if row.statistic in CHANGES}


def test_what_changed_with_the_order_of_a_pair_is_no_change_from_run_to_run() -> None:
    panel = repeatability.panel(pairs({"one": BY_PLACE["+"], "other": BY_PLACE["-"]}), PLAN)

    assert changes(panel) == {repeatability.WITH_THE_ORDER: (1.0, N)}
    assert (
        "of 40 verdicts on pairs shown in the other order, which is its preference for a place as well"
        in panel.sentence
    )


def test_runs_of_orders_drawn_anew_repeat_each_other_on_the_pairs_seen_in_the_same_order() -> None:
    first = ("a" * 20 + "b" * 20, "+" * 20 + "-" * 20)
    again = ("a" * 18 + "bb" + "a" * 10 + "b" * 10, "+" * 20 + "+" * 10 + "0" * 10)

    panel = repeatability.panel(pairs({"one": first, "again": again}), PLAN)

    assert changes(panel) == {
        repeatability.SCATTER: (0.1, 20),
        repeatability.WITH_THE_ORDER: (1.0, 10),
        repeatability.ORDER_UNKNOWN: (0.0, 10),
    }
    assert [len(panel.of(name)) for name in ("missing", "new")] == [1, 1]
    assert {row.stratum for row in panel.of(repeatability.SCATTER)} == {"judge, pairs shown in the same order"}


def test_two_prompts_of_which_each_was_run_once_in_each_order_have_no_share_from_run_to_run() -> None:
    both = {"one": BY_PLACE["+"], "other": BY_PLACE["-"]}
    material = two_prompts(both, {"late": BY_PLACE["+"], "last": BY_PLACE["-"]})

    (said,) = repeatability.between_versions(material, PLAN)

    assert "from run to run not known: no repeated run" in said


def test_of_pairs_everything_that_is_said_or_counted_is_of_pairs_and_names_stay_as_they_are() -> None:
    """A judge is called after the candidates, and a person after a pair."""
    said = verdicts("ab" * (N // 2))
    named = Material(
        SCALE, {"pair reader": said, "anna": verdicts("a" * N), "otto": verdicts(" " * N)}, {"candidate judge": said},
        adjudicated=verdicts("b" * 3 + " " * (N - 3)),
        runs={"candidate judge": {"one": verdicts("a" * 20 + " " * 20), "two": verdicts(" " * 20 + "a" * 20)}},
        compared=Compared(X, Y, {}),
    )  # fmt: skip
    criteria = Criteria(declared=(Declared("alike", "percent_agreement", 0.5, by=("tier",)),))

    panels = calibrate(named, replace(PLAN, criteria=criteria))

    texts = [text for panel in panels.values() for text in (*panel.sentences, *panel.refused, *panel.heads)]
    texts += criteria_in_words(named, replace(PLAN, criteria=criteria)).values()
    rows = [row for panel in panels.values() for row in panel.rows]
    estimates = [row.estimate for row in rows]
    texts += [row.sentence for row in rows]
    texts += [str(text) for each in estimates for text in (each.unit, each.method, each.undefined_because)]
    assert [text for text in texts if "candidate" in text.replace("candidate judge", "")] == []
    assert any("candidate judge" in text for text in texts)
    assert not any("pair judge" in text for text in texts)

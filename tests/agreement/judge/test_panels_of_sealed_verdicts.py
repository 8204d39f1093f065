"""Of sealed verdicts on few candidates, no figure and no sentence tells what people said."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from agreement.estimate import Estimate
from agreement.judge.factors import Factor
from agreement.judge.panels import corrected, criteria
from agreement.judge.plan import Criteria, Declared
from agreement.judge.rows import Panel, Row
from agreement.judge.withheld import parts_of, rounded
from tests.agreement.judge.panel_material import PLAN, SEALED, agreeing, material, with_difference


def few_labels(labelled):
    """Models with so many labelled of 100 candidates each, by human and judge alike but for some."""
    rng = np.random.default_rng(12)
    human = (rng.random((len(labelled), 100)) < 0.5).astype(float)
    judge = np.where(rng.random(human.shape) < 0.2, 1 - human, human)
    for row, n in zip(human, labelled, strict=True):
        row[n:] = np.nan
    names = tuple("ABC"[: len(labelled)])
    models = Factor(np.repeat(np.arange(len(labelled)), 100), names)
    return material([human.ravel()], {"judge": judge.ravel()}, models=models)


def test_of_sealed_verdicts_no_figure_rests_on_so_few_that_single_ones_are_told():
    panel = corrected.panel(few_labels((40, 2, 9)), SEALED)

    # What A and all models together say would tell what is said of B, were C there too.
    assert {row.parties[0] for row in panel.of(corrected.CORRECTED)} == {"A"}
    assert panel.of("corrected difference") == panel.of(corrected.SIDE_BY_SIDE) == []
    assert any("The corrected score of B is withheld: beside all others, a figure on fewer than 5" in said
               for said in panel.refused)  # fmt: skip
    assert len(corrected.panel(few_labels((40, 2, 9)), PLAN).of(corrected.CORRECTED)) == 3


def test_a_declared_criterion_says_the_same_of_few_sealed_verdicts_whether_people_agree_or_not():
    category = Factor(np.r_[[0], np.repeat([1, 2], [29, 30])], ("rare", "x", "y"))
    asked = Declared("ours", "percent_agreement", above=0.1, by=("category",))
    plan = replace(SEALED, basis="majority", criteria=Criteria(fewest_in_stratum=1, declared=(asked,)))
    first = np.tile([0.0, 1.0], 30)

    def said_of_parts(second):
        panel = criteria.panel(material([first, second], {"judge": first}, factors={"category": category}), plan)
        return [(row.stratum, row.estimate.n, row.sentence) for row in rounded(panel, 5).of("ours")]

    assert said_of_parts(first) == said_of_parts(np.r_[1 - first[0], first[1:]])


def _said(humans, judge, by_majority=True, **parts):
    """What the shipped criteria and corrected scores print of sealed verdicts, but for figures on all candidates."""
    plan = replace(SEALED, basis="majority" if by_majority else None, criteria=Criteria(fewest_in_stratum=5))
    given = material(humans, {"judge": judge}, **parts)
    rows = [
        row for panel in (criteria.panel(given, plan), corrected.panel(given, plan)) for row in rounded(panel, 5).rows
    ]
    return [
        (row.statistic, row.parties, row.stratum, row.estimate.n, str(row.estimate.value), row.sentence)
        for row in rows
        if row.statistic in (criteria.STRATUM, corrected.CORRECTED) and row.parties[0] != "all answers"
    ]


def test_numbers_of_labels_do_not_tell_by_subtraction_whether_two_people_agree_on_a_rare_candidate():
    category = Factor(np.r_[[0], np.repeat([1, 2], [29, 30])], ("rare", "x", "y"))
    human = agreeing(60)

    alike = _said([human, human], human, factors={"category": category})
    apart = _said([human, with_difference(human, [0])], human, factors={"category": category})

    numbers = {stratum: (n, outcome) for statistic, _, stratum, n, _, outcome in alike if statistic == criteria.STRATUM}
    assert alike == apart
    assert numbers == {
        "category rare": (0, "failed"), "category x": (0, "passed"), "category y": (30, "passed"),
    }  # fmt: skip


def test_numbers_of_labels_do_not_tell_on_a_candidate_labelled_alone_among_several_of_its_level():
    category = Factor(np.repeat([0, 1, 2], [6, 30, 30]), ("rare", "x", "y"))
    human = agreeing(66)
    human[1:6] = np.nan

    alike = _said([human, human], agreeing(66), factors={"category": category})
    apart = _said([human, with_difference(human, [0])], agreeing(66), factors={"category": category})

    assert alike == apart


def test_nor_by_an_attribute_that_divides_the_candidates_nearly_alike():
    format_ = Factor(np.repeat([0, 1], [32, 32]), ("choice", "open"))
    tier = Factor(np.repeat([0, 1], [31, 33]), ("1", "2"))
    human = agreeing(64)

    alike = _said([human, human], human, factors={"format": format_, "tier": tier})
    apart = _said([human, with_difference(human, [31])], human, factors={"format": format_, "tier": tier})

    def withheld(said):
        return [stratum for statistic, _, stratum, n, *_ in said if statistic == criteria.STRATUM and n == 0]

    assert withheld(alike) == withheld(apart) == ["tier 1", "tier 2"]
    # They pass, since what is said of the formats and of all leaves at most a few without a verdict.
    assert {outcome for *_, outcome in apart if outcome} == {"passed"}


@pytest.mark.parametrize("order", [("fine", "coarse"), ("coarse", "fine")])
def test_nor_by_levels_of_a_fine_attribute_that_are_together_nearly_one_of_a_coarse_one(order):
    fine = Factor(np.repeat(np.arange(12), 20), tuple(map(str, range(12))))
    coarse = Factor(np.repeat([0, 1, 2], [81, 79, 80]), ("x", "y", "z"))
    factors = {name: {"fine": fine, "coarse": coarse}[name] for name in order}
    human = agreeing(240)

    said = _said([human, with_difference(human, [80])], human, factors=factors)

    # 0 to 3 have 80 candidates, all of x, which has one more.
    withheld = {stratum for statistic, _, stratum, n, *_ in said if statistic == criteria.STRATUM and n == 0}
    assert withheld == {f"{order[1]} {level}" for level in factors[order[1]].names}


@pytest.mark.parametrize(("fewest", "n"), [(30, 71), (29, 70)])
def test_nor_by_the_outcome_of_a_level_that_is_withheld_because_of_a_rare_one(fewest, n):
    category = Factor(np.r_[[0], np.repeat([1, 2], [30, n - 31])], ("rare", "x", "y"))
    human = agreeing(n)
    plan = replace(SEALED, basis="majority", criteria=Criteria(fewest_in_stratum=fewest))

    def said(without_label, apart):
        first = human.copy()
        first[without_label] = np.nan
        given = material([first, with_difference(first, [apart])], {"judge": human}, factors={"category": category})
        return [(row.stratum, row.estimate.n, row.sentence) for row in criteria.panel(given, plan).of(criteria.STRATUM)]

    # The rare one has no label and people differ on one of x, or the other way round.
    assert said(0, 5) == said(5, 0)


def test_many_combinations_of_attributes_are_compared_within_little_memory():
    rng = np.random.default_rng(3)
    names = tuple(map(str, range(9)))
    attributes = {f"a{number}": Factor(rng.integers(0, 9, 20_000), names) for number in range(6)}
    parts = parts_of(attributes, [np.ones(20_000, dtype=np.bool_)] * 2)

    tracemalloc.start()
    withheld = parts.withheld(5, of_verdicts=True)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert withheld == set()
    assert most < 20e6


def test_nor_by_candidates_without_a_level_which_only_the_total_includes():
    category = Factor(np.repeat([-1, 0, 1], [1, 20, 30]), ("x", "y"))
    human = agreeing(51)

    alike = _said([human, human], human, factors={"category": category})
    apart = _said([human, with_difference(human, [0])], human, factors={"category": category})

    assert alike == apart
    assert [(stratum, n) for _, _, stratum, n, *_ in alike if stratum == "category x"] == [("category x", 0)]


def test_an_attribute_that_only_development_subjects_have_withholds_nothing():
    human = agreeing(60)
    category = Factor(np.repeat([0, 1], 30), ("x", "y"))

    said = _said([human], human, False, factors={"category": category, "grade": Factor(np.full(60, -1), ("low",))})

    assert [stratum for statistic, _, stratum, n, *_ in said if n] == ["category x", "category y"]


def test_a_criterion_in_a_part_with_so_few_sealed_verdicts_is_not_estimable():
    asked = Declared("ours", "percent_agreement", above=0.1, by=("model",))
    plan = replace(SEALED, criteria=Criteria(fewest_in_stratum=1, declared=(asked,)))

    rows = {row.stratum: row for row in criteria.panel(few_labels((40, 2, 9)), plan).of("ours")}

    assert {stratum: row.sentence for stratum, row in rows.items()} == {
        "model A": "passed", "model B": "not estimable", "model C": "not estimable",
    }  # fmt: skip
    assert np.isnan(rows["model B"].estimate.value) and np.isnan(rows["model C"].estimate.value)


@pytest.mark.parametrize(("judged", "is_said"), [(1, False), (4, False), (5, True)])
def test_by_the_shipped_criteria_a_judge_of_few_sealed_candidates_does_not_tell_what_was_said_of_them(judged, is_said):
    human = np.tile([0.0, 1.0], 20)
    judge = np.where(np.arange(40) < judged, 1.0, np.nan)
    other = np.where(np.arange(40) < 2, 1.0 - human, human)
    given = material([human, human, other], {"judge": judge}, items=np.arange(40))

    panel = criteria.panel(given, SEALED)

    shown = [row for key in (criteria.AGREEMENT, criteria.DIRECTION) for row in panel.of(key)]
    assert [not np.isnan(row.estimate.value) for row in shown] == [is_said] * 2
    assert ("withheld: beside all others" in panel.sentence) == (not is_said)


@pytest.mark.parametrize(("judged", "is_said"), [(1, False), (4, False), (5, True)])
def test_a_judge_of_few_sealed_candidates_does_not_tell_whether_two_people_agree_on_them(judged, is_said):
    human = np.tile([0.0, 1.0], 20)
    judge = np.where(np.arange(40) < judged, 1.0, np.nan)
    of_two = material([human, np.where(np.arange(40) < 1, 1.0 - human, human)], {"judge": judge})

    panel = criteria.panel(of_two, replace(SEALED, basis="majority"))

    (labels,) = panel.of(criteria.STRATUM)
    assert labels.sentence == criteria.FAILED
    assert (labels.estimate.value == judged - 1) == is_said and np.isnan(labels.estimate.value) != is_said
    assert labels.estimate.n == (judged - 1 if is_said else 0)
    assert ("all: withheld" in panel.sentence) != is_said


def test_figures_on_sealed_verdicts_have_too_few_digits_to_spell_them_out():
    """With a probability of 1/2, 1/4, 1/8 ... for each candidate, a Brier score has a digit for each verdict."""
    whole = Estimate("Brier score", 0.3799920944244756, 0.0012345, 0.987654, 32, "candidate", "made up", p=0.0123456)
    narrow = replace(whole, value=0.98765, low=0.98764, high=0.98766)
    panel = Panel("thresholds", (), tuple(Row("Brier score", ("judge",), each) for each in (whole, narrow)))

    first, second = (row.estimate for row in rounded(panel, 5).rows)

    assert (first.value, first.low, first.high, first.p) == (0.38, 0.00124, 0.987, 0.0123)
    assert (second.value, second.low, second.high) == (0.988, 0.987, 0.988)
    assert rounded(panel, 1) == panel


@pytest.mark.parametrize("bound", [0.5, -0.1, 0.854, -0.05])
def test_a_rounded_limit_still_clears_the_bound_that_it_cleared(bound):
    above = Estimate("made up", bound + 0.02, bound + 1e-7, bound + 0.1, 9, "candidate", "made up")
    below = replace(above, value=bound - 0.02, low=bound - 0.1, high=bound - 1e-7)
    panel = Panel(criteria.KEY, (), tuple(Row("made up", ("judge",), each) for each in (above, below)))

    first, second = (row.estimate for row in rounded(panel, 5).rows)

    assert first.low > bound > second.high


def test_factors_whose_names_begin_alike_withhold_their_own_levels():
    given, place = few_labels((51,)), np.arange(100)
    factors = {
        "tumour grade": Factor((place < 3).astype(int), ("low", "high")),
        "tumour site": Factor((place > 46).astype(int), ("left", "right")),
    }
    asked = Declared("ours", "percent_agreement", above=0.1, by=tuple(factors))
    plan = replace(SEALED, criteria=Criteria(fewest_in_stratum=1, declared=(asked,)))

    rows = criteria.panel(replace(given, factors=factors), plan).of("ours")

    # Of each factor one level has fewer than five labels, and what all say less the other's would tell them.
    assert [row.sentence for row in rows] == ["not estimable"] * 4

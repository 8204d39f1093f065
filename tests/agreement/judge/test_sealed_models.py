"""Scores of models, and their differences, do not tell what was said of a few sealed candidates."""

from dataclasses import replace

import numpy as np
import pytest

from agreement.judge.conditions import CORRECTED_BETWEEN
from agreement.judge.factors import Factor
from agreement.judge.panels import corrected, criteria
from agreement.judge.plan import Criteria
from agreement.judge.withheld import rounded, where_judged
from tests.agreement.judge.panel_material import PLAN, SEALED, agreeing, material, with_difference


def test_a_model_with_a_few_labels_has_no_corrected_score_whether_people_agree_on_them_or_not():
    models = Factor(np.repeat([0, 1, 2], [40, 40, 40]), ("A", "B", "C"))
    human = agreeing(120)
    human[20:40] = human[70:80] = human[81:] = np.nan

    def said(second):
        given = material([human, second], {"judge": agreeing(120)}, models=models)
        panel = corrected.panel(given, replace(SEALED, basis="majority"))
        return [row.parties[0] for row in panel.of(corrected.CORRECTED)], [
            why for why in panel.refused if "is withheld" in why or "C has" in why
        ]

    alike = said(human)
    # A is withheld too: beside B's and the total, C's only label would be told.
    assert alike == said(with_difference(human, [80]))
    assert alike[0] == ["B"] and len(alike[1]) == 2


def test_a_score_by_the_judges_rates_does_not_tell_its_verdict_on_the_one_answer_on_which_people_differ():
    human, models = agreeing(60), Factor(np.repeat([0, 1], 30), ("A", "B"))
    judge = with_difference(human, [3, 40])

    def said(place):
        given = material([human, with_difference(human, [place])], {"judge": judge}, models=models)
        panel = corrected.panel(given, replace(SEALED, basis="majority"))
        rows = [(row.parties[0], row.estimate.n) for row in panel.of(corrected.ROGAN_GLADEN)]
        return rows, [why for why in panel.refused if "Rogan-Gladen" in why]

    # The judge calls the first wrong and the second right.
    assert said(0) == said(1)
    assert said(0)[0] == [("B", 0)] and "score of A is withheld" in said(0)[1][0]


@pytest.mark.parametrize("design", ["random", "unknown"])
@pytest.mark.parametrize("second", ["differs", "is wrong"])
def test_nothing_tells_whether_a_verdict_is_of_a_model_with_one_answer_or_of_the_one_withheld_with_it(second, design):
    models = Factor(np.repeat([0, 1, 2], [41, 30, 1]), ("A", "B", "C"))
    judge = np.r_[agreeing(41), agreeing(30), 1.0]

    def said(place):
        human = judge if second == "differs" else with_difference(judge, [place])
        other = with_difference(human, [0, 41, place] if second == "differs" else [0, 41])
        panel = corrected.panel(material([human, other], {"judge": judge}, models=models), plan)
        return rounded(panel, 5).as_dict()

    plan = replace(SEALED, basis="majority", design=design)
    of_b = next(place for place in range(42, 71) if judge[place] == judge[71])
    assert said(of_b) == said(71)


def test_two_models_are_not_compared_item_by_item_where_a_few_items_more_are_labelled_for_one():
    human = np.tile(agreeing(30), 2)
    items, models = np.tile(np.arange(30), 2), Factor(np.repeat([0, 1], 30), ("A", "B"))
    human[59] = np.nan

    panel = corrected.panel(material([human], {"judge": np.tile(agreeing(30), 2)}, items=items, models=models), SEALED)

    assert {row.sentence for row in panel.of("corrected difference")} == {corrected.OF_SCORES}


def test_nor_where_of_three_models_two_pairs_share_all_items_but_one():
    human, models = np.tile(agreeing(60), 3), Factor(np.repeat([0, 1, 2], 60), ("A", "B", "C"))
    for model, labelled in enumerate((50, 40, 39)):
        human[60 * model + labelled : 60 * (model + 1)] = np.nan
    given = material([human], {"judge": np.tile(agreeing(60), 3)}, items=np.tile(np.arange(60), 3), models=models)

    panel = corrected.panel(given, SEALED)

    # Those on 40 and on 39 items would tell what was said of B's answer to the one between.
    assert {row.sentence for row in panel.of("corrected difference")} == {corrected.OF_SCORES}


def test_whether_models_are_compared_item_by_item_does_not_tell_on_which_item_people_differ():
    human, models = np.tile(agreeing(30), 2), Factor(np.repeat([0, 1], 30), ("A", "B"))
    judge, items = with_difference(human, [7, 12, 40, 53]), np.tile(np.arange(30), 2)
    judge[4] = np.nan

    def said(place):
        of_two = [human, with_difference(human, [place])]
        given = where_judged(material(of_two, {"judge": judge}, models=models, items=items), "judge")
        return corrected.panel(given, replace(SEALED, basis="majority")).of("corrected difference")[0].sentence

    # Of the first, the judge has no verdict on the other model's answer.
    assert said(34) == said(36)


def test_a_human_verdict_counts_only_where_the_judge_has_one_too():
    models = Factor(np.repeat([0, 1], 30), ("A", "B"))
    human, judge = agreeing(60), agreeing(60)
    judge[0] = np.nan

    def said(second):
        given = where_judged(material([human, second], {"judge": judge}, models=models), "judge")
        plan = replace(SEALED, basis="majority", design="unknown", criteria=Criteria(fewest_in_stratum=5))
        panels = criteria.panel(given, plan), corrected.panel(given, plan)
        return given.labelled.n, [(panel.sentences, panel.rows, panel.refused) for panel in panels]

    labelled, figures = said(human)
    assert (labelled, figures) == said(with_difference(human, [0]))
    assert labelled == 60


def test_a_score_does_not_call_excluded_what_people_answered_and_the_judge_did_not():
    human, judge = agreeing(30), agreeing(30)
    judge[0] = np.nan

    given = where_judged(material([human], {"judge": judge}), "judge")
    (score,) = corrected.panel(given, SEALED).of(corrected.CORRECTED)

    assert "labelled, 1 of them excluded or without a verdict of the judge: the humans' own" in score.estimate.method


def test_two_conditions_are_not_compared_where_the_models_score_rests_on_a_few_candidates_more():
    human = np.tile(agreeing(30), 3)
    human[61:] = np.nan
    condition = Factor(np.repeat([0, 1, 2], 30), ("primed", "stem only", "image removed"))
    given = material(
        [human], {"judge": np.tile(agreeing(30), 3)}, models=Factor(np.zeros(90, dtype=int), ("A",)),
        items=np.tile(np.arange(30), 3), factors={"condition": condition}, conditions={"condition": condition},
    )  # fmt: skip

    assert corrected.panel(given, SEALED).of(CORRECTED_BETWEEN) == []
    assert len(corrected.panel(given, PLAN).of(CORRECTED_BETWEEN)) == 3


@pytest.mark.parametrize(("answered", "compared"), [([25, 25, 24], 1), ([25, 24, 24], 1), ([25, 25, 20], 3)])
def test_nor_where_the_items_of_two_pairs_of_conditions_are_alike_but_for_a_few(answered, compared):
    names = ("primed", "stem only", "image removed")
    condition = Factor(np.repeat([0, 1, 2], answered), names)
    human, items = (np.concatenate([values[:n] for n in answered]) for values in (agreeing(25), np.arange(25)))

    def said(second):
        given = material(
            [human, second], {"judge": human}, models=Factor(np.zeros(human.size, dtype=int), ("A",)), items=items,
            factors={"condition": condition}, conditions={"condition": condition},
        )  # fmt: skip
        rows = corrected.panel(given, replace(SEALED, basis="majority")).of(CORRECTED_BETWEEN)
        return [(row.stratum, row.basis) for row in rows]

    assert len(said(human)) == compared
    # The last item under the first condition, then another one.
    assert compared == 3 or said(with_difference(human, [24])) == said(with_difference(human, [3]))

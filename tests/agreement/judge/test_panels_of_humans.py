"""Several humans: each held against the others as the judge is, and who of them speaks for all."""

import re
from dataclasses import replace

import numpy as np
import pytest

from agreement import (
    alt_test,
    leave_one_out,
)
from agreement.judge.bases import Adjudicated, bases, main_basis
from agreement.judge.factors import Factor
from agreement.judge.panels import calibrate, ceiling, corrected, criteria, direction, replacement, uniformity
from agreement.judge.plan import Plan
from agreement.judge.scale import Scale, State
from tests.agreement.judge.panel_material import PLAN, material, mri_eval, three_humans, verdicts


def test_each_human_is_held_against_the_others_as_the_judge_is():
    given = three_humans()
    labelled = given.labelled
    alone = leave_one_out(
        labelled.human_table(),
        labelled.judges["judge"].codes,
        categories=(0, 1),
        clusters=labelled.clusters,
        resamples=400,
        seed=0,
        unit="candidate",
    )

    panel = ceiling.panel(given, PLAN)

    assert [row.estimate for row in panel.of("human with the others", stratum="all")] == list(alone.raters)
    assert panel.of(ceiling.GAP, stratum="all")[0].estimate == alone.difference


def test_two_humans_are_compared_pairwise_only():
    humans = [verdicts.codes for verdicts in three_humans().humans.values()][:2]
    judge = three_humans().judges["judge"].codes
    panel = ceiling.panel(material(humans, {"judge": judge}), PLAN)

    known = ~np.isnan(humans[0])
    between = np.mean(humans[0][known] == humans[1][known])
    with_judge = np.mean([np.mean(human[known] == judge[known]) for human in humans])
    assert panel.of("human with the others") == []
    assert panel.of(ceiling.GAP)[0].estimate.value == pytest.approx(with_judge - between)


def test_what_one_human_left_out_is_not_counted_where_agreement_is_not_estimable():
    given = material([[1, 0, 1, np.nan, np.nan]], {"judge": [1, 0, np.nan, 1, 1]})
    given.humans["h1"].states[3] = State.EXCLUDED

    (row,) = criteria.panel(given, PLAN).of(criteria.AGREEMENT)

    assert (row.sentence, row.estimate.n) == (criteria.NOT_ESTIMABLE, 2)


def test_numbers_agree_by_a_coefficient_with_its_name_and_have_no_margin_that_nobody_declared():
    rng = np.random.default_rng(4)
    given = material(rng.normal(20, 5, (1, 40)), {"judge": rng.normal(20, 5, 40)}, scale=Scale("number"))

    assert "judge agrees, by Lin's concordance, with h1" in ceiling.panel(given, PLAN).sentence
    words = criteria.criteria_in_words(given, PLAN)[criteria.DIRECTION]
    assert words == "human minus judge: both limits within a margin, which is not declared"


def test_of_a_human_alone_there_is_no_ceiling():
    panel = ceiling.panel(mri_eval(), PLAN)

    assert panel.of(ceiling.GAP) == []
    assert "there is no ceiling" in panel.sentence


def test_majority_unanimous_and_each_alone_say_what_they_leave_out():
    three = material([[1, 1, 1], [1, 1, np.nan], [1, 0, 0]], {"judge": [1, 1, 1]})

    left_out = {basis.name: basis.left_out for basis in bases(three)}

    assert left_out == {"majority of 3": 1, "unanimous of 3": 2, "mean of 3": 0, "h1": 0, "h2": 1, "h3": 0}


def test_two_humans_are_joined_by_their_mean_score_which_leaves_no_hard_candidate_out():
    two = material([[1, 1, 0, 0], [1, 0, 0, np.nan]], {"judge": [1, 0, 0, 0]})

    basis = main_basis(two, Plan())
    panel = direction.panel(two, PLAN)

    assert (basis.name, basis.scores.tolist(), basis.left_out) == ("mean of 2", [1, 0.5, 0, 0], 0)
    assert panel.of("signed difference", parties=("judge", "mean of 2"))[0].estimate.value == pytest.approx(1 / 8)
    assert panel.of("mcnemar exact", parties=("judge", "mean of 2")) == []
    assert "agrees, by kappa, with h1" in ceiling.panel(two, PLAN).sentence


@pytest.mark.parametrize("scale", [Scale("number"), Scale("ordinal", ("0", "1", "2", "3"))])
def test_a_mean_is_that_of_all_who_rated_a_candidate_of_numbers_as_of_steps_and_says_how_many_a_single_human(scale):
    nan = np.nan
    given = material([[1, 3, 2], [nan, 2, 2], [nan, nan, 3]], {"judge": [1, 2, 2]}, scale=scale)

    mean = next(basis for basis in bases(given) if basis.rule == "mean")

    assert mean.scores == pytest.approx([1, 2.5, 7 / 3])
    assert mean.in_words == "mean of 3, 3 labelled, 0 left out, 1 rated by one human alone"
    assert mean.part(np.array([False, True, True])).in_words == "mean of 3, 2 labelled, 0 left out"


def test_humans_who_labelled_different_numbers_are_each_said_to_have_left_theirs_out():
    rows = [[1, 2, 3, 3, 2, 1, 2], [1, 2, 3, 3, 2, 1, np.nan], [1, 2, 3, np.nan, np.nan, 1, 2]]
    given = material(rows, {"judge": [1, 2, 3, 2, 2, 1, 2]}, scale=Scale("ordinal", ("1", "2", "3", "4")))

    sentence = ceiling.panel(given, PLAN).sentence

    assert ", on 5 to 7 candidates, 1 of the labelled without a verdict by h2 left out" in sentence
    assert ", 2 of the labelled without a verdict by h3 left out; humans" in sentence


def test_settling_only_what_differs_from_the_judge_is_said_to_flatter_it():
    human, judge = [1, 1, 0, 0], [1, 0, 0, 0]
    only_differing = material([human], {"judge": judge}, adjudicated=verdicts([np.nan, 0, np.nan, np.nan]))
    drawn_as_well = material([human], {"judge": judge}, adjudicated=verdicts([1, 0, np.nan, np.nan]))

    said = [" ".join(ceiling.panel(given, PLAN).refused) for given in (only_differing, drawn_as_well)]

    assert ["such verdicts flatter a judge" in words for words in said] == [True, False]


def test_nothing_is_corrected_certified_or_compared_by_verdicts_on_what_differed_alone():
    rng = np.random.default_rng(8)
    truth = (rng.random(200) < 0.6).astype(float)
    human, other, judge = (np.where(rng.random(200) < error, 1 - truth, truth) for error in (0.1, 0.1, 0.15))
    alike = human == other
    of_all = verdicts(truth)
    of_what_differed = verdicts(np.where(alike, np.nan, truth))

    def shown(adjudicated, basis):
        given = material([human, other], {"judge": judge}, adjudicated=adjudicated)
        plan = Plan(basis=basis, design="random", resamples=200)
        panel = corrected.panel(given, plan)
        (decided,) = criteria.panel(given, plan).of(criteria.DIRECTION)
        compared = replacement.panel(given, plan).of(replacement.READERS)
        assert bool(compared) == (adjudicated is of_all)
        rests_on = {row.basis.split(",")[0] for row in panel.rows if row.basis}
        return panel, "adjudicated" in rests_on, decided.sentence == criteria.NOT_ESTIMABLE

    assert shown(of_all, "adjudicated")[1:] == (True, False)
    panel, *others = shown(of_what_differed, "adjudicated")
    assert others == [False, True]
    assert panel.of(corrected.CORRECTED) == panel.of(corrected.ROGAN_GLADEN) == []
    assert "what is true behind these scores cannot be said" in panel.sentence
    assert "Nothing is corrected: expected another --basis" in " ".join(panel.refused)
    assert shown(of_what_differed, "mean")[1:] == (False, False)


def with_a_drawn_share_adjudicated(**parts):
    """Adjudicated is all on which human and judge differ, and a fifth of the rest; the judge is strict."""
    rng = np.random.default_rng(3)
    truth = (rng.random(3_000) < 0.7).astype(float)
    judge = np.where(truth * (rng.random(3_000) < 0.15), 0.0, truth)
    human = np.where(rng.random(3_000) < 0.05, 1 - truth, truth)
    probability = np.where(human == judge, 0.2, 1.0)
    drawn = rng.random(3_000) < probability
    given = material(
        [human],
        {"judge": judge},
        adjudicated=verdicts(np.where(drawn, truth, np.nan)),
        probability=probability,
        **parts,
    )
    return given, truth


def test_a_drawn_share_of_what_agrees_corrects_scores_if_it_is_weighted_and_shows_no_direction():
    """Unweighted, the judge would seem stricter by 27 points, and is by 10."""
    given, truth = with_a_drawn_share_adjudicated()
    weighted = Plan(basis="adjudicated", design="probability", resamples=200)

    (score,) = corrected.panel(given, weighted).of(corrected.CORRECTED)
    stricter = direction.panel(given, weighted)
    (decided,) = criteria.panel(given, weighted).of(criteria.DIRECTION)

    assert score.estimate.low < truth.mean() < score.estimate.high
    assert "is not estimable: above all disagreements were adjudicated" in stricter.sentence
    assert not stricter.of(direction.DIFFERENCE, parties=("judge", "adjudicated"))
    assert decided.sentence == criteria.NOT_ESTIMABLE


def test_a_drawn_share_of_what_agrees_corrects_nothing_without_its_chances():
    given, _ = with_a_drawn_share_adjudicated()

    panel = corrected.panel(given, Plan(basis="adjudicated", design="random", resamples=200))

    assert panel.of(corrected.CORRECTED) == []
    (why,) = (said for said in panel.refused if "Nothing is corrected" in said)
    assert re.search(r"Adjudicated were \d+ of the \d+ candidates on which judge differs from a human, and \d+ of", why)
    assert why.endswith("or --probability with the chance of each to be adjudicated.")


RESTING = ("ceiling", "direction", "uniformity", "corrected", "certificate")


def settled_where_drawn(left, **plan):
    """Three models, two humans who differ on some; of these so many were not drawn for the phase that decides."""
    rng = np.random.default_rng(6)
    truth = (rng.random(300) < 0.6).astype(float)
    first, second, judge = (np.where(rng.random(300) < 0.1, 1 - truth, truth) for _ in range(3))
    not_drawn = np.flatnonzero(first != second)[:left]
    decided = np.where(np.isin(np.arange(300), not_drawn), np.nan, truth)
    models = Factor(np.arange(300) % 3, ("A", "B", "C"))
    given = material(
        [first, second], {"judge": judge}, adjudicated=verdicts(decided), decides_differences=True, models=models
    )
    panels = calibrate(given, Plan(**{"basis": "adjudicated", "design": "random", "resamples": 100} | plan))
    said = {key: [why for why in panel.refused if "flatters a judge" in why] for key, panel in panels.items()}
    return int((first != second).sum()), {key: why for key, why in said.items() if why}


def test_that_what_humans_differ_on_was_not_all_decided_is_said_in_every_panel_that_rests_on_the_decisions():
    differing, said = settled_where_drawn(20)

    why = (
        f"20 of the {differing} candidates on which humans differ were not decided and are left out: the others are "
        "easier, which flatters a judge."
    )
    assert said == {key: [why] for key in RESTING}


def test_of_few_candidates_that_may_be_shown_those_not_decided_are_not_counted():
    _, said = settled_where_drawn(20, fewest_shown=5)

    why = (
        "Some candidates on which humans differ were not decided and are left out: the others are easier, which "
        "flatters a judge."
    )
    assert said == {key: [why] for key in RESTING}


@pytest.mark.parametrize(("left", "basis"), [(0, "adjudicated"), (20, None), (20, "h1")])
def test_nothing_is_said_of_decisions_that_are_complete_or_that_nothing_rests_on(left, basis):
    assert settled_where_drawn(left, basis=basis)[1] == {}


@pytest.mark.parametrize(
    ("counts", "how_far"),
    [
        ((50, 150, 50, 150), ""),
        ((50, 150, 0, 0), ""),
        ((50, 0, 20, 0), ""),
        ((50, 150, 50, 0), "only"),
        ((50, 150, 50, 30), "above all"),
        ((50, 150, 15, 45), ""),
        ((50, 150, 18, 45), ""),
        ((2, 2, 2, 1), ""),
        # What agrees may be adjudicated more often: controls of raters who differ rarely.
        ((50, 150, 10, 90), ""),
    ],
)
def test_adjudicated_is_above_all_what_differs_if_chance_does_not_explain_it(counts, how_far):
    assert Adjudicated(*counts).how_far == how_far


def test_neither_direction_nor_uniformity_is_said_by_verdicts_on_what_differed_alone():
    rng = np.random.default_rng(8)
    truth = (rng.random(200) < 0.6).astype(float)
    human, judge = (np.where(rng.random(200) < error, 1 - truth, truth) for error in (0.1, 0.15))
    of_what_differed = verdicts(np.where(human == judge, np.nan, truth))
    models = Factor(np.arange(200) % 2, ("m0", "m1"))

    for adjudicated, said in ((of_what_differed, False), (verdicts(truth), True)):
        given = material([human], {"judge": judge}, adjudicated=adjudicated, models=models)
        for basis in ("adjudicated", "h1"):
            plan = Plan(basis=basis, resamples=200)
            for panel in (direction.panel(given, plan), uniformity.panel(given, plan)):
                assert any("adjudicated" in row.parties for row in panel.rows) == said
                assert ("labelled candidates were adjudicated" in " ".join(panel.refused)) != said
                assert ("not estimable: only disagreements were adjudicated" in panel.sentence) == (
                    basis == "adjudicated" and not said
                )


def test_an_adjudicated_column_stands_beside_the_others_and_can_be_chosen():
    three = material([[1, 1, 0], [1, 0, 0]], {"judge": [1, 1, 1]}, adjudicated=verdicts([1, 0, 0]))

    assert main_basis(three, Plan(basis="adjudicated")).codes.tolist() == [1, 0, 0]
    assert [basis.name for basis in bases(three)][3] == "adjudicated"
    with pytest.raises(
        ValueError, match="expected one of mean of 2, majority of 2, unanimous of 2, adjudicated, h1, h2"
    ):
        main_basis(three, Plan(basis="the eldest"))


def test_the_alternative_annotator_test_is_that_of_the_statistics():
    labelled = three_humans().labelled
    alone = alt_test(
        labelled.human_table(),
        labelled.judges["judge"].codes,
        0.2,
        categories=(0.0, 1.0),
        clusters=labelled.clusters,
        resamples=400,
        unit="candidate",
    )

    panel = replacement.panel(three_humans(), PLAN)

    assert panel.of(replacement.WINNING)[0].estimate == alone.winning_rate
    assert [row.stratum for row in panel.of(replacement.CURVE)] == [
        f"epsilon {epsilon:g}" for epsilon in replacement.SHOWN_EPSILONS
    ]


@pytest.mark.parametrize(
    ("humans", "says"),
    [
        ([np.ones(90)] * 2, "2 humans gave verdicts, and the test leaves one out and needs 3 or more"),
        ([np.ones(29)] * 3, "fewer than 3 humans share 30 candidates"),
    ],
)
def test_the_alternative_annotator_test_is_refused_where_it_does_not_hold(humans, says):
    panel = replacement.panel(material(humans, {"judge": np.ones(len(humans[0]))}), PLAN)

    assert panel.of(replacement.WINNING) == []
    assert says in panel.refused[0]


def test_readers_are_held_against_the_judge_by_adjudicated_verdicts():
    rng = np.random.default_rng(2)
    truth = (rng.random(100) < 0.5).astype(float)
    humans = [np.where(rng.random(100) < 0.1, 1 - truth, truth) for _ in range(3)]
    given = material(humans, {"judge": truth}, adjudicated=verdicts(truth))

    rows = replacement.panel(given, PLAN).of(replacement.READERS)

    assert [row.sentence for row in rows] == ["fixed", "random"]
    assert rows[0].estimate.value == pytest.approx(np.mean([np.mean(human == truth) for human in humans]) - 1)


def test_readers_are_not_held_against_the_judge_by_what_they_agree_on_themselves():
    """Humans who err as often as the judge would be more accurate, as their common errors count as right."""
    rng = np.random.default_rng(2)
    truth = rng.random(200) < 0.5
    *humans, judge = [(truth ^ (rng.random(200) < 0.3)).astype(float) for _ in range(3)]
    settled = np.where(humans[0] == humans[1], humans[0], truth)
    given = material(humans, {"judge": judge}, adjudicated=verdicts(settled))
    assert all(row.estimate.value > 0.05 for row in replacement.panel(given, PLAN).of(replacement.READERS))

    panel = replacement.panel(replace(given, decides_differences=True), PLAN)

    assert panel.of(replacement.READERS) == []
    assert panel.refused[-1] == f"judge: {replacement.OWN_TRUTH}"


def test_of_many_humans_not_every_two_are_compared_and_their_pairs_are_counted():
    rng = np.random.default_rng(2)
    truth = rng.random(60) < 0.6
    humans = [(truth ^ (rng.random(60) < 0.1)).astype(float) for _ in range(ceiling.MOST_COMPARED + 1)]

    panel = ceiling.panel(material(humans, {"judge": truth.astype(float)}), PLAN)
    fewer = ceiling.panel(material(humans[:3], {"judge": truth.astype(float)}), PLAN)

    assert any("41 humans: the 820 pairs of them are not compared one by one" in said for said in panel.refused)
    assert [row for row in panel.rows if row.parties == ("h1", "h2")] == []
    assert len(panel.of("kappa", stratum="all", parties=("judge", "h41"))) == 1
    assert len(panel.of("human with the others")) == 41
    assert len(fewer.of("kappa", parties=("h1", "h2"))) == 1


def test_a_human_without_a_candidate_in_common_with_the_others_is_named_once():
    codes = np.tile([1.0, 0.0, 1.0], 20)
    both, alone = np.r_[codes, np.full(60, np.nan)], np.r_[np.full(60, np.nan), codes]

    said = ceiling.panel(material([alone, both, both], {"judge": np.r_[codes, codes]}), PLAN).sentence

    assert said.count("has answered no candidate of which the others have a consensus") == 1
    assert "not comparable: h1 has answered" in said and "column" not in said

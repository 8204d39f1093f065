"""Who is stricter, by how much and in what intervals: strictness is told from scatter and from too few labels."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from agreement import (
    judge_direction,
    labels_needed,
)
from agreement.clustered_pairs import paired_score_in_clusters
from agreement.judge.bases import main_basis
from agreement.judge.panels import criteria, direction
from agreement.judge.plan import Criteria
from agreement.judge.wording import p_in_words
from agreement.percent import share
from tests.agreement.judge.panel_material import PLAN, WIDE, material, mri_eval, three_humans


@cache
def direction_of_mri_eval():
    return direction.panel(mri_eval(), PLAN)


def test_the_judge_of_mri_eval_is_8_8_points_stricter():
    panel = direction_of_mri_eval()

    (row,) = panel.of("signed difference")
    assert (round(row.estimate.value, 3), round(row.estimate.p, 4), row.sentence) == (0.088, 0.0018, "stricter")
    assert [row.sentence for name in ("strict", "lenient") for row in panel.of(name)] == ["13 of 136", "1 of 136"]
    assert "grok is stricter than h1, by 8.8 points" in panel.sentence
    assert "P = .0018" in panel.sentence


def test_a_lenient_judge_is_so_by_a_size_without_a_sign():
    human, judge = np.r_[np.ones(80), np.zeros(56)], np.r_[np.ones(92), np.zeros(44)]

    panel = direction.panel(material([human], {"grok": judge}, items=np.arange(136)), PLAN)

    assert "grok is more lenient than h1, by 8.8 points [3.8, 13.8]" in panel.sentence


def test_a_direction_that_is_undecided_and_small_is_said_to_lie_within_the_margin():
    truth = np.tile([1.0, 1.0, 0.0], 200)
    judge = np.where(np.isin(np.arange(600), [0, 2]), 1.0 - truth, truth)
    small, few = (
        direction.panel(material([truth[:n]], {"judge": judge[:n]}), PLAN).sentence.partition(";")[0] for n in (600, 6)
    )

    assert "is undecided at n = 600: human minus judge 0.0 points [-0." in small
    assert ", within the margin of 5 points, " in small
    assert "undecided" in few and "within" not in few


def test_a_direction_that_the_interval_shows_and_the_test_does_not_is_undecided():
    # nine strict, two lenient: Newcombe's interval excludes 0, exact McNemar gives P = .065
    human = np.r_[np.ones(99), np.zeros(43), np.ones(9), np.zeros(2)]
    judge = np.r_[np.ones(99), np.zeros(43), np.zeros(9), np.ones(2)]

    panel = direction.panel(material([human], {"grok": judge}, items=np.arange(153)), PLAN)

    (row,) = panel.of("signed difference")
    assert row.estimate.low > 0.0 and row.estimate.p > 0.05
    assert row.sentence == "undecided"
    assert "grok is stricter or more lenient than h1 is undecided at n = 153" in panel.sentence
    assert "exact McNemar P = .07, so that the interval alone would decide it" in panel.sentence


def test_a_direction_in_clusters_that_the_interval_shows_and_the_test_does_not_is_undecided():
    # ten subjects of six, with 6, 6, 6, 2, 1 and no strict verdicts: 441 / (10 / 9 x 113) = 3.51 on one degree of
    # freedom
    subjects = np.repeat(np.arange(10), 6)
    judge = (np.arange(60) % 6 >= np.array([6, 6, 6, 2, 1, 0, 0, 0, 0, 0])[subjects]).astype(float)

    panel = direction.panel(material([np.ones(60)], {"grok": judge}, clusters=subjects), PLAN)

    (row,) = panel.of("signed difference")
    (test,) = panel.of(direction.IN_CLUSTERS)
    assert row.estimate.low > 0.0 and row.estimate.p == test.estimate.p == pytest.approx(0.061, abs=0.0005)
    assert row.sentence == "undecided"


def test_a_direction_in_a_single_cluster_has_no_p():
    judge = (np.arange(60) >= 8).astype(float)

    panel = direction.panel(material([np.ones(60)], {"grok": judge}, clusters=np.zeros(60, dtype=int)), PLAN)

    (row,) = panel.of("signed difference")
    assert row.estimate.p is None
    assert row.sentence == "undecided"
    assert "no P of a single cluster" in panel.sentence


def test_labels_to_notice_a_direction_and_labels_to_pass_its_criterion_are_two_numbers():
    panel = direction_of_mri_eval()

    (notice,), (to_pass,) = panel.of("labels needed"), panel.of("labels to pass")
    assert (notice.estimate.value, to_pass.estimate.value) == (346, 462)
    assert to_pass.sentence == "the criterion of direction alone; agreement and the other criteria may take more"
    assert "a difference of 5 points is noticed with power .8 by 346 labels (200 to 548)" in panel.sentence
    within = "that a judge without a direction lies within 5 points is shown with power .8 by 462 labels (309 to 709)"
    assert within in panel.sentence


def test_labels_to_pass_are_of_the_margin_of_the_criterion():
    wide = replace(PLAN, criteria=Criteria(direction_margin=0.1))

    (row,) = direction.panel(mri_eval(), wide).of("labels to pass")

    assert row.estimate.value == labels_needed(power=0.8, within=0.1, differing=14 / 136)
    assert "lies within 10 points is shown" in direction.panel(mri_eval(), wide).sentence


@pytest.mark.parametrize(
    ("same", "strict", "lenient", "is_said"),
    [(86, 7, 7, True), (86, 40, 0, False), (172, 8, 0, False)],
    ids=["no direction", "outside the margin", "within the margin, but with a direction"],
)
def test_a_certificate_that_direction_fails_by_width_says_how_many_labels_pass(same, strict, lenient, is_said):
    both = np.arange(same) % 2
    human = np.r_[both, np.ones(strict), np.zeros(lenient)]
    judge = np.r_[both, np.zeros(strict), np.ones(lenient)]

    said = criteria.panel(material([human], {"grok": judge}, items=np.arange(human.size)), PLAN).sentence

    assert "direction failed" in said
    assert ("too wide: that a judge without a direction lies within 5 points is shown" in said) == is_said


def test_a_certificate_on_few_sealed_verdicts_leaves_the_number_of_labels_to_panel_2():
    human = np.r_[np.ones(50), np.zeros(36), np.ones(7), np.zeros(7)]
    judge = np.r_[np.ones(50), np.zeros(36), np.zeros(7), np.ones(7)]

    said = criteria.panel(material([human], {"grok": judge}), replace(PLAN, fewest_shown=5)).sentence

    assert "too wide: panel 2 says how many labels that takes" in said


def test_the_labels_that_settle_a_direction_follow_from_margin_and_disagreement_alone():
    seen = direction_of_mri_eval().of("labels needed")[0].estimate
    human, judge = np.ones(136), np.r_[np.zeros(7), np.ones(129)]
    human[129:] = 0  # again 14 disagreements, now 7 of either kind
    balanced = direction.panel(material([human], {"grok": judge}), PLAN).of("labels needed")[0].estimate

    assert (seen.value, seen.low, seen.high) == (balanced.value, balanced.low, balanced.high)
    assert seen.low < seen.value < seen.high


@pytest.mark.parametrize("in_clusters", [False, True])
def test_difference_and_direction_of_the_panel_are_those_of_the_statistic(in_clusters):
    given = three_humans() if in_clusters else replace(three_humans(), clusters=None)
    basis = main_basis(given, PLAN)
    human, judge = basis.codes, given.labelled.judges["judge"].codes
    alone = judge_direction(
        human, judge, test_in_clusters=direction.mcnemar_of_clusters(given.labelled, human, judge, WIDE)
    )
    if in_clusters:
        known = ~np.isnan(human) & ~np.isnan(judge)
        scored = paired_score_in_clusters(
            human[known], judge[known], given.labelled.clusters[known], confidence=0.95, unit="candidate"
        )
        alone = replace(alone, difference=replace(scored, p=alone.difference.p))

    (row,) = direction.panel(given, WIDE).of("signed difference", parties=("judge", basis.name))

    assert (row.estimate.value, row.estimate.low, row.estimate.high, row.sentence) == (
        alone.difference.value, alone.difference.low, alone.difference.high, alone.direction,
    )  # fmt: skip


@pytest.mark.parametrize(("n", "strict"), [(60, 1), (60, 2), (100, 4), (150, 4)])
def test_one_shared_subject_neither_passes_nor_fails_the_criterion_of_direction(n, strict):
    human, judge = np.ones(n), (np.arange(n) >= strict).astype(float)
    each_alone = material([human], {"judge": judge})
    two_share = material([human], {"judge": judge}, clusters=np.r_[np.arange(n - 1), n - 2])

    (of_alone,), (of_shared,) = (
        criteria.panel(given, PLAN).of(criteria.DIRECTION) for given in (each_alone, two_share)
    )

    assert of_shared.sentence == of_alone.sentence
    assert of_shared.estimate.low == pytest.approx(of_alone.estimate.low, abs=0.003)
    assert of_shared.estimate.high == pytest.approx(of_alone.estimate.high, abs=0.003)


def test_strict_and_lenient_in_clusters_have_the_interval_of_a_share_in_clusters():
    given = three_humans()
    basis = main_basis(given, PLAN)
    human, judge = given.scale.scores(basis.codes), given.scale.scores(given.labelled.judges["judge"].codes)
    known = ~(np.isnan(human) | np.isnan(judge))
    panel = direction.panel(given, PLAN)

    for name, differs in (("strict", human > judge), ("lenient", human < judge)):
        (row,) = panel.of(name, parties=("judge", basis.name))
        expected = share(differs[known], given.labelled.clusters[known], name=row.estimate.name, unit="candidate")
        assert row.estimate == expected
        assert "on the effective number of independent items" in row.estimate.method


def test_strict_and_lenient_of_one_candidate_to_a_cluster_have_wilsons_interval():
    given = three_humans()
    alone = replace(given, clusters=np.arange(given.clusters.size))

    rows = [row for name in ("strict", "lenient") for row in direction.panel(alone, PLAN).of(name)]

    assert {row.estimate.method for row in rows} == {"Wilson score interval, assumes independent items"}


def test_the_p_beside_a_difference_in_clusters_is_the_one_that_the_sentence_names():
    given = three_humans()
    parties = ("judge", main_basis(given, PLAN).name)
    panel = direction.panel(given, PLAN)

    (difference,), (exact,) = (panel.of(name, parties=parties) for name in (direction.DIFFERENCE, direction.EXACT))
    (in_clusters,) = panel.of(direction.IN_CLUSTERS, parties=parties)

    assert difference.estimate.p == in_clusters.estimate.p != exact.estimate.p
    assert difference.estimate.method.endswith("P McNemar in clusters (Obuchowski)")
    assert f"McNemar in clusters {p_in_words(in_clusters.estimate.p)}" in panel.sentence
    assert exact.sentence.startswith("as if candidates were independent")


def test_the_criterion_of_direction_has_the_p_of_the_panel_of_direction():
    given, parties = three_humans(), ("judge", "majority of 3")
    plan = replace(PLAN, resamples=40)

    (difference,) = direction.panel(given, plan).of(direction.DIFFERENCE, parties=parties)
    (criterion,) = criteria.panel(given, plan).of(criteria.DIRECTION, parties=parties)

    assert criterion.estimate == difference.estimate

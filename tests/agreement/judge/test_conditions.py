"""Two conditions of a model are compared on the items that it answered under both, by what the statistics say."""

import json
from functools import cache

import numpy as np
import pytest

from agreement import mcnemar, prediction_powered_difference
from agreement.judge.__main__ import main
from agreement.judge.conditions import CORRECTED_BETWEEN, MCNEMAR_BETWEEN, RAW_BETWEEN
from agreement.judge.factors import Factor
from agreement.judge.material import Material, Verdicts
from agreement.judge.panels import corrected
from agreement.judge.plan import Plan
from agreement.judge.scale import BINARY, Scale, State

ITEMS, LABELLED = 300, 120
PLAN = Plan(design="random", resamples=200)


def verdicts(codes):
    return Verdicts(codes, np.where(np.isnan(codes), State.NO_VERDICT, State.VERDICT).astype(np.int8))


@cache
def answers():
    """Truth and judge, shape (items, models, conditions): primed answers are worse, and the judge stricter on them."""
    rng = np.random.default_rng(3)
    truth = rng.random((ITEMS, 2, 2)) < np.array([0.5, 0.7])
    judge = truth & (rng.random(truth.shape) < np.array([0.7, 1.0]))
    return truth.astype(float), judge.astype(float)


@cache
def primed(only_first_labelled=False, missing=0):
    truth, judge = answers()
    human = truth.copy()
    human[LABELLED:] = np.nan
    if only_first_labelled:
        human[:, 1] = np.nan
    item, model, condition = np.indices(truth.shape)
    there = np.ones(truth.size, dtype=bool)
    there[: 4 * missing : 4] = False  # the primed answers of model A to the first items
    names = Factor(condition.ravel()[there], ("primed", "stem only"))
    return Material(
        Scale("binary", BINARY, BINARY[1:]),
        {"h": verdicts(human.ravel()[there])},
        {"judge": verdicts(judge.ravel()[there])},
        models=Factor(model.ravel()[there], ("A", "B")),
        factors={"condition": names, "tier": Factor(item.ravel()[there] % 2, ("1", "2"))},
        items=item.ravel()[there],
        conditions={"condition": names},
    )


@pytest.fixture(scope="module")
def panel():
    return corrected.panel(primed(), PLAN)


def test_raw_is_the_mean_difference_of_the_judges_verdicts_item_by_item(panel):
    _, judge = answers()

    of_model = {row.parties: row.estimate for row in panel.of(RAW_BETWEEN)}

    assert of_model["A", "judge"].value == pytest.approx(np.mean(judge[:, 0, 0] - judge[:, 0, 1]))
    assert of_model["A", "judge"].n == of_model["B", "judge"].n == ITEMS


def test_corrected_is_the_prediction_powered_difference_of_the_statistics(panel):
    truth, judge = answers()
    alone = prediction_powered_difference(
        tuple(truth[:LABELLED, 0].T), tuple(judge[:LABELLED, 0].T), tuple(judge[LABELLED:, 0].T),
        clusters=np.arange(LABELLED), unlabelled_clusters=np.arange(LABELLED, ITEMS),
    ).difference  # fmt: skip

    (row,) = panel.of(CORRECTED_BETWEEN, parties=("A", "judge"))

    assert (row.estimate.value, row.estimate.low) == (pytest.approx(alone.value), pytest.approx(alone.low))
    assert row.stratum == "condition primed minus stem only"
    assert row.estimate.low < np.mean(truth[:, 0, 0] - truth[:, 0, 1]) < row.estimate.high


def test_mcnemar_of_conditions_is_that_of_the_judges_verdicts_with_bonferroni_in_the_parts(panel):
    _, judge = answers()
    first, second = judge[:, 0].T
    alone = mcnemar(int(((first == 1) & (second == 0)).sum()), int(((first == 0) & (second == 1)).sum()))

    whole, *parts = panel.of(MCNEMAR_BETWEEN, parties=("A", "judge"))

    assert (whole.estimate.p, whole.estimate.n) == (alone.p, alone.n)
    assert [row.stratum.partition(", ")[2] for row in parts] == ["tier 1", "tier 2"]
    assert all("Bonferroni over 2 parts" in row.estimate.method for row in parts)


def test_models_are_compared_under_each_condition_and_not_across(panel):
    _, judge = answers()
    first, second = judge[:, 0].ravel(), judge[:, 1].ravel()

    (row,) = panel.of("McNemar", stratum="by judge")

    assert row.estimate.n == int((first != second).sum())


def test_items_that_were_answered_under_one_condition_alone_are_not_compared():
    panel = corrected.panel(primed(missing=50), PLAN)

    assert [row.estimate.n for row in panel.of(RAW_BETWEEN)] == [ITEMS - 50, ITEMS]


def test_a_model_without_labels_has_a_raw_difference_alone_and_the_sentence_says_so():
    panel = corrected.panel(primed(only_first_labelled=True), PLAN)

    assert [row.parties[0] for row in panel.of(CORRECTED_BETWEEN)] == ["A"]
    assert "B primed minus stem only" in panel.sentence and "raw, uncorrected." in panel.sentence


def test_a_column_of_the_file_tells_the_conditions_apart(tmp_path, capsys):
    truth, judge = answers()
    words = ("incorrect", "correct")
    lines = [
        f"q{i},{'AB'[m]},{('primed', 'stem only')[c]},{words[int(truth[i, m, c])] if i < 40 else ''},"
        f"{words[int(judge[i, m, c])]}"
        for i in range(80)
        for m in range(2)
        for c in range(2)
    ]
    path = tmp_path / "judged.csv"
    path.write_text("\n".join(["item,model,condition,human,judge", *lines]), encoding="utf-8")
    basic = [str(path), "--human", "human", "--judge", "judge", "--item", "item", "--model", "model", "--json"]
    basic += ["--design", "random", "--resamples", "200"]

    assert main(basic) == 2
    assert "or --condition with the column that tells them apart" in capsys.readouterr().err
    assert main([*basic, "--condition", "condition"]) == 0
    panels = {panel["panel"]: panel for panel in json.loads(capsys.readouterr().out)["panels"]}
    assert {row["statistic"] for row in panels["corrected"]["rows"]} >= {RAW_BETWEEN, CORRECTED_BETWEEN}
    assert "condition" in {row["stratum"] for row in panels["uniformity"]["rows"]}

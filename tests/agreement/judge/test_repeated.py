"""What a new run changed against its certificate: in a direction, and in all."""

import json

import numpy as np
import pytest

from agreement.judge import repeated
from agreement.judge.__main__ import main
from agreement.judge.scale import BINARY, Scale

CATEGORIES = Scale("nominal", ("a", "b", "tie"))
CORRECT = Scale("binary", BINARY, BINARY[1:])


def changed_by(*moves, n=100):
    """Verdicts before and now: for each move, how many went from one code to another; the rest stayed at 0."""
    before, now = np.zeros(n), np.zeros(n)
    place = 0
    for many, left, came in moves:
        before[place : place + many], now[place : place + many] = left, came
        place += many
    return before, now


def certified(most=None, share=None, limits=(None, None)):
    """The parts of a certificate that allow changes: a declared share, and a share from run to run."""
    estimate = {"value": share, "low": limits[0], "high": limits[1]}
    rows = [] if share is None else [{"statistic": "changed", "estimate": estimate}]
    criteria = {} if most is None else {"most_changed": most}
    return {
        "plan": {"confidence": 0.95, "criteria": criteria},
        "panels": [{"panel": "direction", "rows": []}, {"panel": "repeatability", "rows": rows}],
    }


@pytest.mark.parametrize(
    ("moves", "p", "shifted"),
    [
        ([], 1.0, False),
        ([(20, 0, 1), (20, 1, 0)], 1.0, False),
        ([(20, 0, 1), (20, 1, 2), (20, 2, 0)], 1.0, False),
        # two categories are one test: 2 / 2^5 and 2 / 2^6
        ([(5, 0, 1)], 1 / 16, False),
        ([(6, 0, 1)], 1 / 32, True),
        ([(100, 0, 1)], 2.0**-99, True),
        # three: 8 came to the tie, 4 from each side; 3 x 2 / 2^8
        ([(4, 0, 2), (4, 1, 2)], 3 * 2 / 2**8, True),
        ([(3, 0, 2), (3, 1, 2)], 3 * 2 / 2**6, False),
    ],
)
def test_a_category_that_is_chosen_more_often_is_a_shift_by_the_exact_test_of_each_against_all_others(
    moves, p, shifted
):
    tested = repeated.shift(*changed_by(*moves), CATEGORIES, 0.95)

    assert (tested.figures["p"], tested.failed) == (pytest.approx(p), shifted)


def test_a_shift_of_categories_names_the_one_that_moved_most_and_the_counts():
    tested = repeated.shift(*changed_by((6, 0, 2), (5, 1, 2), (1, 2, 0)), CATEGORIES, 0.95)

    assert tested.words.startswith("11 became tie and 1 ceased to be (exact McNemar P = .02, Holm over 3 categories; ")
    assert tested.figures["categories"]["tie"] == {"came": 11, "left": 1, "p": pytest.approx(0.019, abs=5e-4)}


@pytest.mark.parametrize("scale", [CATEGORIES, CORRECT, Scale("number")])
def test_verdicts_that_change_without_a_direction_are_scatter_on_every_scale(scale):
    before, now = changed_by((30, 0, 1), (30, 1, 0))

    assert not repeated.shift(before, now, scale, 0.95).failed
    assert repeated.scatter(before, now, certified(most=0.1)).failed


FIRST_HALF = {"model A": np.arange(100) < 50, "model B": np.arange(100) >= 50}


@pytest.mark.parametrize(
    ("scale", "up", "down", "broken"),
    [
        (CORRECT, 0, 0, None),
        # 2 / 2^6, times 2 parts, is above .05; 2 / 2^7 is not
        (CORRECT, 6, 6, None),
        (CORRECT, 7, 7, "model A"),
        (CORRECT, 0, 7, "model B"),
        (CATEGORIES, 8, 8, "model A"),
        (Scale("number"), 12, 12, "model A"),
        (Scale("number"), 1, 1, None),
    ],
)
def test_shifts_of_two_models_that_cancel_are_noticed_on_each_by_holm(scale, up, down, broken):
    before = np.repeat([0.0, 1.0], 50)
    now = before.copy()
    now[:up], now[50 : 50 + down] = 1.0, 0.0

    words, figures = repeated.in_parts(before, now, FIRST_HALF, scale, 0.95)

    assert (words and words.split(",")[0]) == (broken and f"of 50 of {broken}")
    assert set(figures) == set(FIRST_HALF) and all(part["repeated"] == 50 for part in figures.values())


def test_a_model_with_a_single_repeated_number_has_not_shifted_by_it():
    before, now = np.zeros(3), np.array([5.0, 0.0, 0.0])
    parts = {"model A": np.arange(3) < 1, "model B": np.arange(3) >= 1}

    words, figures = repeated.in_parts(before, now, parts, Scale("number"), 0.95)

    assert words is None and figures["model A"]["p"] == 1.0


@pytest.mark.parametrize(
    ("document", "many", "too_many", "by"),
    [
        (certified(), 100, False, None),
        (certified(most=0.2), 20, False, "declared"),
        (certified(most=0.2), 21, True, "declared"),
        # Wilson of 10 of 100 is .055 to .174; by Newcombe's interval the difference is above 0 from 20 of 100 on
        (certified(share=0.1, limits=(0.0552, 0.1744)), 19, False, "run to run"),
        (certified(share=0.1, limits=(0.0552, 0.1744)), 20, True, "run to run"),
        (certified(most=0.5, share=0.0, limits=(0.0, 0.037)), 40, False, "declared"),
    ],
)
def test_more_may_not_change_than_declared_or_than_changed_from_run_to_run(document, many, too_many, by):
    tested = repeated.scatter(*changed_by((many, 0, 1)), document)

    assert (tested.failed, tested.figures["by"], tested.figures["changed"]) == (too_many, by, many)


def test_the_lower_limit_of_the_difference_is_newcombes():
    tested = repeated.scatter(*changed_by((21, 0, 1)), certified(share=0.1, limits=(0.0552, 0.1744)))

    assert tested.figures["difference_low"] == pytest.approx(0.009, abs=5e-5)


def test_a_certificate_of_one_run_says_that_scatter_is_not_tested():
    tested = repeated.scatter(*changed_by((40, 0, 1), (40, 1, 0)), certified())

    assert tested.words == (
        "80 of 100 repeated verdicts changed (80 %), which is not tested, as the certificate has no repeated run"
    )


def test_a_certificate_of_two_runs_holds_how_much_a_later_run_may_change(tmp_path):
    said = ["a", "b", "tie", "a"] * 50
    again = ["b", "a", "tie", "b", *said[4:]]
    rows = [
        f"q{place},{run},{said[place]},{own[place]}" for run, own in ((1, said), (2, again)) for place in range(200)
    ]
    (tmp_path / "judged.csv").write_text("\n".join(["item,run,h1,judge", *rows]) + "\n")
    asked = ("--human", "h1", "--judge", "judge", "--item", "item", "--scale", "nominal", "--run", "run")

    main([str(tmp_path / "judged.csv"), *asked, "--resamples", "100", "--certificate", str(tmp_path / "card.json")])

    document = json.loads((tmp_path / "card.json").read_text())
    assert "not more verdicts than changed from run to run, 1.5 %" in (tmp_path / "card.txt").read_text()
    assert not repeated.scatter(*changed_by((8, 0, 1), n=200), document).failed
    assert repeated.scatter(*changed_by((16, 0, 1), n=200), document).failed


def test_a_card_allows_only_what_changed_from_run_to_run_and_not_what_changed_with_the_order():
    from_run_to_run, with_the_order = certified(share=0.28), certified(share=0.28)
    with_the_order["panels"][1]["rows"][0]["statistic"] = "changed with the order"

    allowed, not_said = (repeated.in_words(document) for document in (from_run_to_run, with_the_order))

    assert allowed == "a later run not more verdicts than changed from run to run, 28 %"
    assert "is not said: no repeated run (28 % changed with the order), and no --most-changed" in not_said


def test_what_changed_with_the_order_does_not_allow_a_later_run_to_scatter():
    document = certified(share=0.28)
    document["panels"][1]["rows"][0]["statistic"] = "changed with the order"

    tested = repeated.scatter(*changed_by((60, 0, 1)), document)

    assert "not tested, as the certificate has no repeated run" in tested.words

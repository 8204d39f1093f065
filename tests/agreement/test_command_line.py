"""python -m agreement: a table of ratings in, every estimate that applies out."""

import json

import numpy as np
import pandas as pd
import pytest

from agreement import (
    accuracy,
    alt_test,
    cohen_kappa,
    diagnostic_accuracy,
    gwet_ac,
    icc,
    judge_direction,
    krippendorff_alpha,
    marginal_homogeneity,
)
from agreement.__main__ import main
from tests.agreement.command_line import CSV, printed


def test_every_estimate_is_that_of_its_function(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    file.write_text(CSV)

    rows = printed(capsys, file)

    ann, bob = ["yes", "no", "no", None, "yes"], ["yes", "yes", "no", "no", "no"]
    subjects = ["s1", "s1", "s2", "s3", "s3"]
    kappa = cohen_kappa(ann, bob, clusters=subjects)
    estimates = rows["Cohen's kappa", "ann", "bob"]
    assert (estimates["value"], estimates["low"], estimates["n"]) == pytest.approx(
        (kappa.value, kappa.low, 4), nan_ok=True
    )
    assert estimates["n_clusters"] == 3
    table = list(zip(ann, bob, strict=True))
    assert rows["Gwet's AC1", "ann", "bob"]["value"] == pytest.approx(gwet_ac(table).value)
    alpha = krippendorff_alpha(table).value
    assert rows["Krippendorff's alpha, nominal", "ann", "bob"]["value"] == pytest.approx(alpha)
    right = accuracy(ann, ["yes", "yes", "no", "no", "no"]).primary.value
    assert rows["accuracy", "ann"]["value"] == pytest.approx(right)
    assert set(estimates) == {
        "name", "raters", "unit", "value", "low", "high", "confidence", "n", "n_clusters", "method",
        "undefined_because", "warning",
    }  # fmt: skip


def test_numbers_are_taken_as_numbers_at_the_interval_level(tmp_path, capsys):
    scores = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    file = tmp_path / "ratings.csv"
    pd.DataFrame(
        [(item, f"r{rater}", score) for item, row in enumerate(scores) for rater, score in enumerate(row)],
        columns=["item", "rater", "verdict"],
    ).to_csv(file, index=False)

    rows = printed(capsys, file, "--level", "interval")

    assert rows["ICC(2,1)", "r0", "r1", "r2", "r3"]["value"] == pytest.approx(icc(scores).value)
    assert ("bias", "r0", "r3") in rows


def test_an_ordinal_scale_keeps_the_levels_that_nobody_used(tmp_path, capsys):
    a, b = [1, 1, 4, 5, 5, 2], [1, 2, 5, 2, 5, 2]
    file = tmp_path / "ratings.csv"
    pd.DataFrame({"item": list(range(6)) * 2, "rater": ["a"] * 6 + ["b"] * 6, "verdict": a + b}).to_csv(
        file, index=False
    )

    rows = printed(capsys, file, "--level", "ordinal")

    expected = cohen_kappa(a, b, weights="quadratic").value
    assert rows["Cohen's kappa, quadratic weights", "a", "b"]["value"] == pytest.approx(expected)
    assert rows["Krippendorff's alpha, ordinal", "a", "b"]["value"] == pytest.approx(
        krippendorff_alpha(np.column_stack([a, b]), "ordinal").value
    )


@pytest.mark.parametrize("raters", ["ab", "abc"])
def test_every_estimate_of_an_ordinal_file_has_a_name_of_its_own(tmp_path, capsys, raters):
    file = tmp_path / "ratings.csv"
    rows = [(item, rater, (item * step) % 5, item % 5) for item in range(20) for step, rater in enumerate(raters, 1)]
    pd.DataFrame(rows, columns=["item", "rater", "verdict", "reference"]).to_csv(file, index=False)

    assert main([str(file), "--level", "ordinal", "--positive", "3", "--json"]) == 0

    result = [(row["name"], *row["raters"]) for row in json.loads(capsys.readouterr().out)]
    assert len(result) == len(set(result))
    assert {("Cohen's kappa, linear weights", "a", "b"), ("sensitivity", "b", "reference")} <= set(result)


def test_each_rater_is_held_against_the_reference(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    file.write_text(CSV)

    rows = printed(capsys, file, "--positive", "yes")

    ann, reference = ["yes", "no", "no", None, "yes"], ["yes", "yes", "no", "no", "no"]
    against = diagnostic_accuracy(ann, reference, "yes")
    assert rows["sensitivity", "ann", "reference"]["value"] == against.sensitivity.value == 0.5
    assert rows["specificity", "ann", "reference"]["value"] == against.specificity.value == 0.5
    assert rows["Cohen's kappa", "ann", "reference"]["value"] == cohen_kappa(ann, reference).value


def test_the_margins_of_two_raters_are_compared(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    file.write_text(CSV)

    rows = printed(capsys, file)

    expected = marginal_homogeneity([[1, 1], [1, 1]])
    assert rows["marginal difference", "ann", "bob"]["value"] == expected.value
    assert rows["marginal difference", "ann", "bob"]["n"] == 4


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--confidence", "95"], "confidence is 95.0; expected a number from 1e-09 to less than 1"),
        (["--resamples", "0"], "resamples is 0; expected a whole number of at least 1"),
        (["--positive", "maybe"], "positive is 'maybe'; expected one of no, yes"),
    ],
)
def test_an_option_outside_its_range_is_refused_in_a_sentence(tmp_path, capsys, arguments, sentence):
    file = tmp_path / "ratings.csv"
    file.write_text(CSV)

    assert main([str(file), *arguments]) == 2

    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--seed", "-1"], "seed is -1; expected a whole number of at least 0"),
        (
            ["--level", "ordinal"],
            "holds the ordinal verdict '1.5'; expected whole numbers, --categories with the scale",
        ),
    ],
)
def test_what_is_refused_of_a_file_without_clusters_is_named(tmp_path, capsys, arguments, sentence):
    file = tmp_path / "ratings.csv"
    file.write_text("item,rater,verdict\n1,ann,1.5\n1,bob,2\n2,ann,2\n2,bob,1.5\n")

    assert main([str(file), *arguments]) == 2

    assert sentence in capsys.readouterr().err


def test_predictive_values_are_refused_without_a_reference(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    file.write_text("item,rater,verdict\n1,ann,yes\n1,bob,no\n")

    assert main([str(file), "--positive", "yes"]) == 2

    assert "positive is 'yes'; expected a file with a reference, or a judge" in capsys.readouterr().err


def test_whole_numbers_are_one_category_however_a_table_wrote_them(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    file.write_text(
        "item,rater,verdict,reference\n1,ann,1.0,1\n2,ann,0.0,0\n3,ann,,1\n1,bob,1,1\n2,bob,0,0\n3,bob,0,1\n"
    )

    rows = printed(capsys, file)

    assert rows["accuracy", "ann"]["value"] == 1.0
    assert rows["Brennan-Prediger", "ann", "bob"]["value"] == 1.0


def test_excluded_verdicts_are_apart_in_the_accuracy_and_no_category(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    file.write_text("item,rater,verdict,reference\n1,ann,L,L\n2,ann,L,R\n3,ann,poor image,L\n4,ann,L,L\n")

    rows = printed(capsys, file, "--excluded", "poor image,no image")

    verdicts, reference = ["L", "L", "poor image", "L"], ["L", "R", "L", "L"]
    expected = accuracy(verdicts, reference, excluded={"poor image"})
    assert (rows["accuracy", "ann"]["value"], rows["accuracy", "ann"]["n"]) == (expected.primary.value, 3)
    assert rows["accuracy, excluded counted wrong", "ann"]["value"] == expected.worst_case.value == 0.5
    assert rows["accuracy, excluded counted right", "ann"]["value"] == expected.best_case.value == 0.75


def test_a_judge_is_held_against_each_human_and_is_none_of_them(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    said = {"ann": "1101", "bob": "1100", "cat": "0101", "grok": "1000"}
    rows = [(item, rater, verdict) for rater, verdicts in said.items() for item, verdict in enumerate(verdicts * 10)]
    pd.DataFrame(rows, columns=["item", "rater", "verdict"]).to_csv(file, index=False)

    estimates = printed(capsys, file, "--judge", "grok", "--positive", "1")

    ann, grok = ([int(verdict) for verdict in said[name] * 10] for name in ("ann", "grok"))
    direction = judge_direction(ann, grok).difference
    assert estimates["signed difference, human minus judge", "ann", "grok"]["value"] == direction.value
    assert "P = " in estimates["signed difference, human minus judge", "ann", "grok"]["method"]
    assert estimates["sensitivity", "ann", "grok"]["value"] == diagnostic_accuracy(grok, ann, 1).sensitivity.value
    assert ("Fleiss' kappa", "ann", "bob", "cat") in estimates
    assert ("winning rate", "ann", "bob", "cat", "grok") in estimates


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_one_human_and_one_judge_are_compared_and_what_needs_more_raters_says_so(tmp_path, capsys, level):
    file = tmp_path / "ratings.csv"
    rows = [(item, rater, (item * step) % 3) for item in range(40) for step, rater in enumerate(["ann", "grok"], 1)]
    pd.DataFrame(rows, columns=["item", "rater", "verdict"]).to_csv(file, index=False)

    estimates = printed(capsys, file, "--judge", "grok", "--level", level)

    compared = "Lin's concordance correlation" if level == "interval" else "Gwet's AC1"
    assert estimates[compared, "ann", "grok"]["value"] is not None
    winning_rate = estimates["winning rate", "ann", "grok"]
    assert winning_rate["value"] is None
    assert winning_rate["undefined_because"] == "1 rater: the test leaves one out and needs three or more"


def test_the_alternative_test_takes_epsilon_and_scoring_and_distances_for_an_ordinal_file(tmp_path, capsys):
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, 50)
    said = {name: np.clip(truth + rng.integers(-1, 2, 50), 1, 5) for name in ("ann", "bob", "cat", "grok")}
    file = tmp_path / "ratings.csv"
    rows = [(item, rater, verdict) for rater, verdicts in said.items() for item, verdict in enumerate(verdicts)]
    pd.DataFrame(rows, columns=["item", "rater", "verdict"]).to_csv(file, index=False)
    humans, grok = np.column_stack([said[name] for name in ("ann", "bob", "cat")]), said["grok"]

    usual = printed(capsys, file, "--judge", "grok", "--level", "ordinal")
    other = printed(capsys, file, "--judge", "grok", "--level", "ordinal", "--epsilon", "0.1", "--scoring", "exact")

    who = ("ann", "bob", "cat", "grok")
    by_distance = alt_test(humans, grok, level="ordinal")
    by_match = alt_test(humans, grok, 0.1)
    for rows, expected in ((usual, by_distance), (other, by_match)):
        assert rows["winning rate", *who]["value"] == expected.winning_rate.value
        assert rows["advantage probability", *who]["value"] == expected.advantage_probability.value
        assert rows["least epsilon that passes", *who]["value"] == expected.least_epsilon.value
    assert "scoring minus root mean squared error, epsilon 0.2" in usual["winning rate", *who]["method"]
    assert "scoring exact match, epsilon 0.1" in other["winning rate", *who]["method"]


def test_a_judge_is_held_against_the_consensus_of_the_humans(tmp_path, capsys):
    said = {"ann": "11001n", "bob": "11010n", "cat": "10011n", "grok": "110111"}
    rows = [(item, rater, verdict) for rater, verdicts in said.items() for item, verdict in enumerate(verdicts * 5)]
    file = tmp_path / "ratings.csv"
    frame = pd.DataFrame(rows, columns=["item", "rater", "verdict"]).replace("n", None)
    frame.to_csv(file, index=False)

    estimates = printed(capsys, file, "--judge", "grok", "--positive", "1")

    consensus, grok = [int(verdict) for verdict in "11011" * 5], [int(verdict) for verdict in "11011" * 5]
    who = ("consensus of the humans", "grok")
    assert estimates["percent agreement", *who]["value"] == np.mean(np.equal(consensus, grok)) == 1.0
    assert estimates["percent agreement", *who]["n"] == 25
    assert (
        "consensus: verdict of most of two or more humans, 5 items without"
        in (estimates["Cohen's kappa", *who]["method"])
    )
    assert estimates["sensitivity", *who]["n"] == 20
    assert ("signed difference, human minus judge", *who) in estimates
    assert estimates["Cohen's kappa", *who]["method"].endswith(
        "; rule plurality; 10 unanimous, 15 majority, 5 too few; P = 1.04e-08"
    )


def test_the_consensus_of_numbers_is_their_mean_and_a_tie_has_none(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    said = {"ann": [1, 2, 4, 1], "bob": [3, 2, 5, 1], "grok": [2, 2, 5, 1]}
    rows = [(item, rater, verdict) for rater, verdicts in said.items() for item, verdict in enumerate(verdicts)]
    pd.DataFrame(rows, columns=["item", "rater", "verdict"]).to_csv(file, index=False)

    measured = printed(capsys, file, "--judge", "grok", "--level", "interval")
    named = printed(capsys, file, "--judge", "grok")

    who = ("consensus of the humans", "grok")
    assert measured["bias", *who]["value"] == pytest.approx(np.mean([0, 0, -0.5, 0]))
    assert measured["bias", *who]["method"].endswith("0 items without; rule mean; 2 unanimous, 2 tie")
    assert named["percent agreement", *who]["n"] == 2


def test_rows_that_count_different_items_say_why(tmp_path, capsys):
    rng = np.random.default_rng(2)
    rows = [
        (item, rater, rng.choice(["yes", "no", "no image", None], p=[0.4, 0.3, 0.1, 0.2]), "yes" if item % 3 else "no")
        for item in range(40)
        for rater in ("ann", "bob", "grok")
    ]
    file = tmp_path / "ratings.csv"
    pd.DataFrame(rows, columns=["item", "rater", "verdict", "reference"]).to_csv(file, index=False)

    estimates = printed(capsys, file, "--judge", "grok", "--positive", "yes", "--excluded", "no image")

    for (name, *_), estimate in estimates.items():
        if estimate["unit"] == "item" and estimate["n"] < 40 and estimate["value"] is not None:
            assert "left out" in estimate["method"] or "of the items" in estimate["method"], name
    assert (
        "with one rating count for the use of the categories only" in estimates["Fleiss' kappa", "ann", "bob"]["method"]
    )


def test_groups_of_items_are_shown_by_themselves_too(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    rows = [
        (item, rater, (item + step) % 2, "open" if item < 6 else "closed")
        for item in range(10)
        for step, rater in enumerate("aab"[1:])
    ]
    pd.DataFrame(rows, columns=["item", "rater", "verdict", "format"]).to_csv(file, index=False)

    estimates = printed(capsys, file, "--by", "format")

    assert estimates["percent agreement", "a", "b"]["n"] == 10
    assert estimates["percent agreement, format open", "a", "b"]["n"] == 6
    assert estimates["percent agreement, format closed", "a", "b"]["n"] == 4


def test_free_text_is_compared_for_being_equal_only(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    rows = [
        (item, rater, f"answer {item // step}", f"answer {item}")
        for item in range(600)
        for rater, step in (("a", 1), ("b", 2))
    ]
    pd.DataFrame(rows, columns=["item", "rater", "verdict", "reference"]).to_csv(file, index=False)

    estimates = printed(capsys, file)

    assert {name for name, *_ in estimates} == {"percent agreement", "accuracy"}
    assert estimates["accuracy", "a"]["value"] == 1.0


def test_an_item_may_be_named_by_several_columns(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    rows = [(q, model, rater, q % 2) for q in range(4) for model in "xyz" for rater in "ab"]
    pd.DataFrame(rows, columns=["question", "model", "rater", "verdict"]).to_csv(file, index=False)

    estimates = printed(capsys, file, "--item", "question,model")

    assert estimates["percent agreement", "a", "b"]["n"] == 12
    assert estimates["percent agreement", "a", "b"]["n_clusters"] == 4


def test_the_table_names_value_interval_and_reason(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    file.write_text("item,rater,verdict\n1,ann,yes\n1,bob,yes\n2,ann,yes\n2,bob,yes\n")

    assert main([str(file)]) == 0

    text = capsys.readouterr().out
    assert "percent agreement" in text
    assert "undefined" in text
    assert "both raters constant on the same category" in text


def test_the_table_warns_of_intervals_from_few_clusters(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    file.write_text(CSV)

    assert main([str(file)]) == 0

    assert (
        "only 3 clusters: an interval from fewer than 10 clusters is likely to be too narrow" in capsys.readouterr().out
    )

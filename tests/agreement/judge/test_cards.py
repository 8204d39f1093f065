"""The card of a certificate says what was shown, what was not, and that it is no signature."""

import json
import re

import pytest

from agreement.judge.__main__ import main
from agreement.judge.card import card
from agreement.judge.wording import in_figures
from tests.agreement.judge.judged_files import BASIC, checked, leaving_out, written


def test_the_card_says_what_was_shown_and_that_it_is_no_signature(certified):
    card = certified.with_suffix(".txt").read_text()

    assert card.startswith("Certificate of a judge: PASSED")
    for words in ("gpt-5-mini-2026-08", "to the judge", "lower limit above -.1", "no signature", "Looks        1"):
        assert words in card


@pytest.mark.parametrize(
    ("written", "counted"),
    [({"unit": "candidate"}, "candidates"), ({"unit": "pair"}, "pairs"), ({}, "candidates")],
    ids=["of candidates", "of pairs", "older, which does not say what it counts"],
)
def test_the_card_counts_what_the_certificate_is_of(written, counted, certified):
    document = json.loads(certified.read_text())
    document = {name: part for name, part in document.items() if name != "unit"} | written

    assert f"Covered      400 labelled of 400 {counted}\n" in card(document)


@pytest.mark.parametrize("given", [("--direction-margin", ".3"), ("--margin", ".3"), ("--least-agreement", "-.3")])
def test_the_card_does_not_call_bounds_shipped_that_a_command_gave(given, files, certified, tmp_path, capsys):
    target = tmp_path / "wider.json"
    main([str(files / "judged.csv"), *BASIC, *given, "--certificate", str(target)])
    capsys.readouterr()

    words = "Criteria with bounds given for this certificate, not all of them those that are shipped"
    assert words in target.with_suffix(".txt").read_text()
    assert "\nCriteria that are shipped\n" in certified.with_suffix(".txt").read_text()


def test_the_unit_of_a_result_is_its_statistics_and_not_read_from_the_criterions_words(certified):
    document = json.loads(certified.read_text())
    (agreement,) = (row for row in document["results"] if row["statistic"] == "agreement")
    document["criteria"] = {"agreement": "Cohen kappa of judge and human: lower limit above .2, in every timepoints"}

    value = in_figures(round(agreement["estimate"]["value"], 3))
    assert f"    {agreement['sentence']}, {value} [" in card(document)


def test_a_judge_that_fails_gets_its_certificate_too(files, tmp_path, capsys):
    target = tmp_path / "failed.json"
    main([str(files / "judged.csv"), *BASIC, "--least-labels", "10000", "--certificate", str(target)])
    capsys.readouterr()

    status = main(["check", str(target), str(files / "same.csv")])

    assert target.with_suffix(".txt").read_text().startswith("Certificate of a judge: NOT PASSED")
    assert (status, "did not pass" in capsys.readouterr().out) == (1, True)


def test_the_card_says_beside_the_criteria_over_what_a_judge_errs_differently(files, tmp_path, capsys):
    """It is stricter by 15 points on one model of two; a criterion asks for the mean of both alone."""
    humans = ["correct"] * 400
    judge = ["incorrect" if place % 2 and place < 60 else "correct" for place in range(400)]
    rows = zip(range(400), ["A", "B"] * 200, humans, judge, strict=True)
    written(tmp_path / "judged.csv", rows, "item,model,h1,judge")
    target = tmp_path / "card.json"
    asked = ("--human", "h1", "--judge", "judge", "--model", "model", "--item", "item", "--resamples", "200")
    main([str(tmp_path / "judged.csv"), *asked, "--direction-margin", ".2", "--certificate", str(target)])
    capsys.readouterr()

    criteria, seen = target.with_suffix(".txt").read_text().split("\nWhat was seen\n")

    said = "\n  not part of the criteria: judge: errs differently over model (0.0 points on A, 15.0 points"
    assert said in re.sub(r" \[[^]]*\]", "", criteria)
    assert "errs differently" not in seen


def test_a_share_that_may_be_missing_is_declared_and_is_a_criterion(files, tmp_path, capsys):
    target, run = tmp_path / "declared.json", leaving_out(files, tmp_path / "few.csv", 10)
    arguments = [*BASIC, "--judge-model", "gpt-5-mini-2026-08", "--prompt", str(files / "prompt.txt")]
    lines = (files / "judged.csv").read_text().splitlines()
    some = [line if place % 4 else f"{line.rpartition(',')[0]},error" for place, line in enumerate(lines[1:])]
    (tmp_path / "some.csv").write_text("\n".join([lines[0], *some]) + "\n")

    main([str(files / "judged.csv"), *arguments, "--most-missing", ".1", "--certificate", str(target)])
    assert checked(files, target, run, capsys)[0] == 0
    main([str(tmp_path / "some.csv"), *arguments, "--most-missing", ".1", "--certificate", str(target)])
    document = json.loads(target.read_text())
    (row,) = [row for row in document["results"] if row["statistic"] == "candidates without a verdict"]
    assert (document["passed"], row["sentence"], row["estimate"]["value"]) == (False, "failed", 0.25)
    assert main([str(files / "judged.csv"), *arguments, "--most-missing", "10"]) == 2
    assert "expected a share from 0 to below 1" in capsys.readouterr().err


def test_a_card_says_that_it_vouches_for_no_run_without_model_and_prompt(files, tmp_path):
    target = tmp_path / "bare.json"

    main([str(files / "judged.csv"), *BASIC, "--certificate", str(target)])

    assert "It does not say the judge's model and the prompt" in target.with_suffix(".txt").read_text()


def test_a_prompt_that_is_no_utf_8_is_refused_instead_of_hashed(files, tmp_path, capsys):
    (tmp_path / "prompt.txt").write_bytes("Streng prüfen.".encode("latin-1"))

    status = main([str(files / "judged.csv"), *BASIC, "--prompt", str(tmp_path / "prompt.txt")])

    assert status == 2
    assert capsys.readouterr().err.endswith("prompt.txt is not UTF-8 text (byte 10); save it as UTF-8\n")


def test_a_card_says_that_digests_notice_an_accident_and_are_no_signature(certified):
    card = certified.with_suffix(".txt").read_text()

    assert "Digests of its parts show an accidental edit to `check`; they are no signature." in card


def test_the_card_says_what_each_number_of_labels_counts(certified):
    document = json.loads(certified.read_text())
    for row in document["results"]:
        if row["statistic"] == "labels in the stratum":
            row["estimate"] |= {"value": 3.0, "n": 3}
            row["parties"] = ["grok", "majority of 3"]

    said = card(document)

    assert "\nLabelled     by one human or more, also as excluded; criteria count what has" in said
    assert ": passed, 3 candidates with a verdict by grok and by majority of 3\n" in said
    assert re.search(r"\n    passed, \d+ humans?\n", said)

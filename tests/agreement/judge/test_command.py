"""``python -m agreement.judge``: text, JSON, certificate, and ``check`` with its three exit statuses."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agreement.judge.__main__ import main
from agreement.judge.certificate import card
from agreement.judge.consistency import digests_of
from agreement.judge.wording import in_figures

ROOT = Path(__file__).resolve().parents[3]


def written(path, rows, headings):
    path.write_text("\n".join([headings, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A judge on two models, a second run of it, three humans on all of it, and a prompt."""
    folder = tmp_path_factory.mktemp("judge")
    rng = np.random.default_rng(9)
    truth = rng.random(400) < 0.6
    words = np.array(["incorrect", "correct"])

    def said(error):
        return words[(truth ^ (rng.random(400) < error)).astype(int)]

    humans, judge = [said(0.04) for _ in range(3)], said(0.02)
    names = [(f"q{place // 2}", "AB"[place % 2]) for place in range(400)]
    written(
        folder / "judged.csv", zip(*zip(*names, strict=True), *humans, judge, strict=True), "item,model,h1,h2,h3,judge"
    )
    lenient = np.where(np.arange(400) < 40, "correct", judge)
    for name, verdicts in (("same", judge), ("lenient", lenient)):
        written(folder / f"{name}.csv", zip(*zip(*names, strict=True), verdicts, strict=True), "item,model,judge")
    (folder / "prompt.txt").write_text("Is the answer right?")
    return folder


BASIC = ("--human", "h1,h2,h3", "--judge", "judge", "--model", "model", "--item", "item", "--resamples", "200")


@pytest.fixture(scope="module")
def certified(files):
    target = files / "certificate.json"
    identity = (
        "--judge-model",
        "gpt-5-mini-2026-08",
        "--prompt",
        str(files / "prompt.txt"),
        "--blinded",
        "to the judge",
    )
    assert main([str(files / "judged.csv"), *BASIC, *identity, "--certificate", str(target)]) == 0
    return target


def checked(files, certified, run, capsys, *options):
    same = ("--judge-model", "gpt-5-mini-2026-08", "--prompt", str(files / "prompt.txt"))
    status = main(["check", str(certified), str(run), *(options or same)])
    return status, capsys.readouterr().out


@pytest.mark.server
def test_the_module_is_run_by_its_name(files):
    done = subprocess.run(
        [sys.executable, "-m", "agreement.judge", str(files / "judged.csv"), *BASIC],
        capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip

    start = done.stdout.split("\n\n")[0]
    assert start.startswith(
        "In short\n  400 candidates of 2 models, 400 of them with a verdict of a human (h1, h2, h3)"
    )
    assert [line[2] for line in start.splitlines()[2:] if line[2].isdigit()] == ["1", "2", "3", "4", "5", "6", "7", "8"]


def test_a_count_is_printed_as_one(files, capsys):
    assert main([str(files / "judged.csv"), *BASIC]) == 0

    (line, *_) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  number of humans")]
    assert "0000" not in line and "a count has no interval" in line


def test_without_a_name_of_candidates_it_says_that_equal_rows_are_counted_each(tmp_path, capsys):
    file = tmp_path / "judged.csv"
    file.write_text("id,h,judge\n1,yes,yes\n1,yes,yes\n2,no,no\n3,no,yes\n")
    says = "No column names the candidates (--item): each row is one, even if it repeats an earlier row."

    assert main([str(file), "--human", "h", "--judge", "judge"]) == 0
    assert says in capsys.readouterr().out

    assert main([str(file), "--human", "h", "--judge", "judge", "--item", "id"]) == 2
    assert "has two verdicts on id 1" in capsys.readouterr().err


def test_json_holds_every_panel_with_typed_rows(files, capsys):
    assert main([str(files / "judged.csv"), *BASIC, "--json"]) == 0

    whole = json.loads(capsys.readouterr().out)
    panels = {panel["panel"]: panel for panel in whole["panels"]}
    of_all = whole["without_verdict"]["judge"]["all models"]
    assert of_all["without"] == sum(of_all.values()) - of_all["candidates"] - of_all["without"]
    assert list(panels) == [
        "ceiling", "direction", "uniformity", "replacement", "corrected", "thresholds", "repeatability",
        "certificate",
    ]  # fmt: skip
    row = panels["direction"]["rows"][0]
    assert {"statistic", "parties", "stratum", "basis", "sentence", "estimate"} == set(row)
    assert {"value", "low", "high", "n", "unit", "method", "undefined_because"} <= set(row["estimate"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--human", "h9"), "no column 'h9'; it has item, model, h1, h2, h3, judge"),
        (("--basis", "the eldest"), "basis is 'the eldest'; expected one of majority of 3"),
        (("--rater", "who"), "rater and verdict: expected both"),
        (("--margin", "0"), "margin is 0.0; expected a number above 0"),
        (("--margin", "5"), "margin is 5; expected a share between 0 and 1, such as 0.05 for 5 points"),
        (("--direction-margin", "10"), "direction_margin is 10; expected a share between 0 and 1"),
        (("--least-agreement", "-10"), "least_agreement is -10; expected a share between -1 and 1"),
        (("--judge", "h1"), "expected different names in each"),
        (("--looks", "0"), "looks is 0; expected a whole number of at least 1"),
        (("--prompt", "none.txt"), "none.txt: No such file or directory"),
        (("--states", "later=someday"), "states holds 'later=someday'; expected WORD=error"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_exit_2(files, capsys, options, says):
    status = main([str(files / "judged.csv"), *BASIC, *options])

    error = capsys.readouterr().err
    assert status == 2
    assert says in error
    assert error.count("\n") == 1


def test_a_file_without_a_candidate_that_both_have_rated_is_refused_with_the_numbers(tmp_path, capsys):
    path = written(tmp_path / "apart.csv", [("q1", "correct", ""), ("q2", "", "correct")], "item,human,judge")

    status = main([str(path), "--human", "human", "--judge", "judge", "--item", "item"])

    assert status == 2
    assert "no candidate has a verdict of a human (human: 1) and of judge (1)" in capsys.readouterr().err


def test_the_card_says_what_was_shown_and_that_it_is_no_signature(certified):
    card = certified.with_suffix(".txt").read_text()

    assert card.startswith("Certificate of a judge: PASSED")
    for words in ("gpt-5-mini-2026-08", "to the judge", "lower limit above -.1", "no signature", "Looks        1"):
        assert words in card


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


def test_the_same_run_is_within_its_certificate(files, certified, capsys):
    status, said = checked(files, certified, files / "same.csv", capsys)

    assert status == 0
    assert said.startswith("Within the certificate: of 400 repeated candidates, 0 became incorrect and 0 correct")


def test_a_run_that_has_shifted_is_outside(files, certified, capsys):
    status, said = checked(files, certified, files / "lenient.csv", capsys)

    assert status == 1
    assert "the judge has shifted" in said
    assert "; a shift is P of at most .05, however small the change)" in said


def test_a_run_that_changes_as_many_verdicts_in_both_directions_is_outside_what_was_declared(files, tmp_path, capsys):
    target, run = tmp_path / "card.json", tmp_path / "scattered.csv"
    identity = ("--judge-model", "gpt-5-mini-2026-08", "--prompt", str(files / "prompt.txt"))
    main([str(files / "judged.csv"), *BASIC, *identity, "--most-changed", ".05", "--certificate", str(target)])
    left = {"correct": 20, "incorrect": 20}
    lines = (files / "same.csv").read_text().splitlines()
    for place, line in enumerate(lines[1:], start=1):
        start, _, word = line.rpartition(",")
        if left[word]:
            left[word] -= 1
            lines[place] = f"{start},{'incorrect' if word == 'correct' else 'correct'}"
    run.write_text("\n".join(lines) + "\n")
    capsys.readouterr()

    status, said = checked(files, target, run, capsys, *identity, "--json")

    outcome = json.loads(said)
    assert (status, outcome["status"], outcome["field"]) == (1, 1, "changed")
    assert outcome["sentence"].startswith(
        "Outside: 40 of 400 repeated verdicts changed (10 %), and the certificate allows 5 %: the judge scatters more."
    )
    parts = outcome["figures"].pop("parts")
    assert {name: part["repeated"] for name, part in parts.items()} == {"model A": 200, "model B": 200}
    assert sum(part["became_correct"] for part in parts.values()) == 20
    assert outcome["figures"] == {
        "repeated": 400,
        "shift": {"became_incorrect": 20, "became_correct": 20, "p": 1.0},
        "changed": {"changed": 40, "of": 400, "allowed": 0.05, "by": "declared"},
    }
    assert "a later run at most 5 % of the verdicts that it repeats" in target.with_suffix(".txt").read_text()
    assert checked(files, target, files / "same.csv", capsys)[0] == 0


def test_a_run_in_which_two_models_swap_their_order_is_outside_and_names_them(files, certified, tmp_path, capsys):
    run, left = tmp_path / "swapped.csv", {("A", "incorrect"): 25, ("B", "correct"): 25}
    lines = (files / "same.csv").read_text().splitlines()
    for place, line in enumerate(lines[1:], start=1):
        item, model, word = line.split(",")
        if left.get((model, word)):
            left[model, word] -= 1
            lines[place] = f"{item},{model},{'incorrect' if word == 'correct' else 'correct'}"
    run.write_text("\n".join(lines) + "\n")

    status, said = checked(files, certified, run, capsys)
    _, as_json = checked(files, certified, run, capsys, "--judge-model", "gpt-5-mini-2026-08", "--prompt",
                         str(files / "prompt.txt"), "--json")  # fmt: skip

    outcome = json.loads(as_json)
    assert status == 1
    assert "25 became incorrect and 25 correct" in said
    assert "but of 200 of model A, 0 became incorrect and 25 correct" in said
    assert "also model B: the judge has shifted there" in said
    assert outcome["field"] == "shift" and outcome["figures"]["shift"]["p"] == 1.0
    assert outcome["figures"]["parts"]["model B"]["became_incorrect"] == 25
    assert outcome["figures"]["parts"]["model A"]["p_holm"] < 0.001


def leaving_out(files, target, every, word=""):
    """The same run in which one of so many verdicts is missing."""
    lines = (files / "same.csv").read_text().splitlines()
    rows = [f"{line.rpartition(',')[0]},{word}" if place % every == 0 else line for place, line in enumerate(lines[1:])]
    target.write_text("\n".join([lines[0], *rows]) + "\n")
    return target


@pytest.mark.parametrize("word", ["", "error", "refusal", "unreadable"])
def test_a_run_that_leaves_out_more_than_the_certified_one_is_outside(files, certified, tmp_path, capsys, word):
    status, said = checked(files, certified, leaving_out(files, tmp_path / "few.csv", 10, word), capsys)

    assert status == 1
    assert said.startswith("Outside: 40 of 400 candidates (10 %) have no verdict (error, refusal, unreadable reply,")
    assert (
        "allows 0.95 %, the upper limit of the 0 of 400 that were left out when it was made (without_verdict)" in said
    )


def test_a_run_that_leaves_out_no_more_than_the_upper_limit_is_within(files, certified, tmp_path, capsys):
    status, said = checked(files, certified, leaving_out(files, tmp_path / "few.csv", 200), capsys)

    assert (status, "of 398 repeated candidates" in said) == (0, True)
    assert " Without a verdict are 2 of 400 candidates, most often of " in said
    assert "the limit is one for all models." in said


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


def test_an_older_certificate_limits_nothing_that_is_left_out_and_says_so(files, certified, tmp_path, capsys):
    document = json.loads(certified.read_text())
    del document["without_verdict"], document["plan"]["criteria"]["most_missing"], document["digests"]
    (tmp_path / "older.json").write_text(json.dumps(document))

    run = leaving_out(files, tmp_path / "few.csv", 10)
    status, said = checked(files, tmp_path / "older.json", run, capsys)

    assert (
        status,
        "Not compared, as the certificate does not say it: rubric_sha256, without_verdict, digests." in said,
    ) == (
        0,
        True,
    )


def test_a_run_of_a_part_says_how_many_candidates_of_the_certificate_it_does_not_have(
    files, certified, tmp_path, capsys
):
    lines = (files / "same.csv").read_text().splitlines()
    (tmp_path / "part.csv").write_text("\n".join(lines[:101]) + "\n")

    status, said = checked(files, certified, tmp_path / "part.csv", capsys)

    assert (status, "The certificate names 300 candidates more, not in this run." in said) == (0, True)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("item,model,judge\nq0,A,4\n", "holds the verdict '4'"),
        ("item,model,judge\nq0,C,correct\n", "model C is not covered"),
        ("item,judge\nq0,correct\n", "no column 'model'"),
    ],
)
def test_a_run_on_another_scale_or_model_is_not_comparable(files, certified, tmp_path, capsys, text, field):
    run = tmp_path / "run.csv"
    run.write_text(text)

    status, said = checked(files, certified, run, capsys)

    assert (status, said.startswith("Not comparable: "), field in said) == (2, True, True)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (("--judge-model", "gpt-5-mini-2026-11"), "judge_model is gpt-5-mini-2026-11"),
        (("--judge-model", "gpt-5-mini-2026-08"), "prompt_sha256 is not said"),
    ],
)
def test_another_model_or_an_unnamed_prompt_is_not_comparable(files, certified, capsys, options, field):
    status, said = checked(files, certified, files / "same.csv", capsys, *options)

    assert (status, field in said) == (2, True)


@pytest.mark.parametrize(
    ("unsaid", "words"),
    [("prompt_sha256", "the prompt (prompt_sha256)"), ("judge_model", "the judge's model (judge_model)")],
)
def test_a_certificate_without_model_or_prompt_is_not_comparable_unless_that_is_allowed(
    files, certified, tmp_path, capsys, unsaid, words
):
    without = tmp_path / "without.json"
    document = json.loads(certified.read_text()) | {unsaid: None}
    without.write_text(json.dumps(document | {"digests": digests_of(document)}))
    same = ("--judge-model", "gpt-5-mini-2026-08", "--prompt", str(files / "prompt.txt"))

    status, said = checked(files, without, files / "same.csv", capsys, *same)
    allowed, said_then = checked(files, without, files / "same.csv", capsys, *same, "--allow-unsaid")

    assert (status, f"the certificate does not say {words}" in said) == (2, True)
    assert (allowed, said_then.startswith("Within the certificate: of 400")) == (0, True)
    assert f"Not compared, as the certificate does not say it: {unsaid}" in said_then


def test_a_card_says_that_it_vouches_for_no_run_without_model_and_prompt(files, tmp_path):
    target = tmp_path / "bare.json"

    main([str(files / "judged.csv"), *BASIC, "--certificate", str(target)])

    assert "It does not say the judge's model and the prompt" in target.with_suffix(".txt").read_text()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("prompt.txt", "is not a certificate, or was cut off"),
        ("none.json", "none.json is not a file; expected the certificate, such as judge-certificate.json"),
    ],
)
def test_a_file_that_is_no_certificate_is_refused(files, capsys, name, says):
    status = main(["check", str(files / name), str(files / "same.csv")])

    assert (status, says in capsys.readouterr().err) == (2, True)


def test_a_certificate_with_a_number_of_thousands_of_digits_is_refused_by_name(files, certified, tmp_path, capsys):
    edited = tmp_path / "long.json"
    edited.write_text(certified.read_text().replace('"looks": 1', f'"looks": {"9" * 5000}'), encoding="utf-8")

    status = main(["check", str(edited), str(files / "same.csv")])

    said = capsys.readouterr().err
    assert (status, "long.json is not a certificate, or was cut off" in said) == (2, True)
    assert "copy it again" in said


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("columns", None, "columns.item is missing"),
        ("passed", "no", "passed is 'no'"),
        ("scale.kind", "stars", "scale.kind is 'stars'"),
        ("plan.confidence", 95, "plan.confidence is '95'"),
        ("covered", {}, "covered.strata is missing"),
        ("repeats", {"c75de8c1b7c3ae52": "x"}, "repeats is "),
        ("repeats", {"c75de8c1b7c3ae52": 7}, "repeats has verdicts that are no place among scale.levels"),
        ("results", [{"statistic": "direction", "sentence": "failed"}], "and that direction was failed"),
        ("results", [], "its results do not have agreement"),
        ("results", [{"statistic": "agreement", "sentence": "passed"}], "its results do not have direction"),
        ("results", [{"statistic": ["agreement"], "sentence": "passed"}], "results is "),
        ("plan.criteria", {}, "plan.criteria.declared is missing"),
        ("plan.criteria.declared", [5], "plan.criteria.declared is '[5]'"),
        ("plan.criteria.declared", ["key"], "plan.criteria.declared is "),
        ("plan.confidence", 10**400, "plan.confidence is '1000"),
        ("plan.is_trial", True, "and is of development subjects"),
        ("without_verdict", None, "without_verdict is missing"),
        ("without_verdict", {"count": 0, "n": 400, "most": 1.5, "declared": True}, "without_verdict is "),
        ("without_verdict", {"count": 0, "n": 400, "most": 10**400, "declared": True}, "without_verdict is "),
        ("without_verdict.most", 0.5, "without_verdict.most is 0.5, where its counts give 0.0095"),
        ("results.0.estimate.low", -0.5, "results[0]: agreement is called passed, which its estimate does not say"),
        ("results.1.estimate.high", 0.2, "results[1]: direction is called passed, which its estimate does not say"),
        ("results.1.estimate.low", None, "results[1]: direction is called passed, which its estimate does not say"),
        ("results.0.estimate", {"low": "x"}, "results[0].estimate is no estimate"),
        ("plan.criteria.agreement_bound", 0.9, "results[0]: agreement is called passed"),
        ("plan.criteria.fewest_humans", 9, "number of humans is called passed"),
        ("plan.criteria.fewest_humans", 10**400, "number of humans is called passed"),
        ("humans", ["h1"], "number of humans is called passed"),
        ("covered.labelled", 7, "covered.strata.model has 400 labelled of 7"),
        ("covered.candidates", 7, "covered.labelled is 400, of 7 candidates"),
        ("covered.strata", {"model": {"A": "many"}}, "covered.strata is "),
        # What follows from nothing else is noticed by its digest.
        ("results.0.estimate.value", 0.07, "results is not what was written"),
        ("looks", 0, "looks is not what was written"),
        ("issued", "2030-01-01", "issued is not what was written"),
        ("sources", None, "sources is missing"),
        ("endorsed", "by everybody", "endorsed was added"),
        ("digests.looks", "0", "looks is not what was written"),
        ("digests", "none", "digests is 'none'"),
    ],
)
def test_an_edited_certificate_lets_no_run_pass_and_is_no_shift(files, certified, tmp_path, capsys, path, value, says):
    document = json.loads(certified.read_text())
    *way, last = path.split(".")
    place = document
    for step in way:
        place = place[int(step) if isinstance(place, list) else step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(document))

    status = main(["check", str(edited), str(files / "same.csv")])

    error = capsys.readouterr().err
    assert status == 2
    assert says in error


def test_a_prompt_that_is_no_utf_8_is_refused_instead_of_hashed(files, tmp_path, capsys):
    (tmp_path / "prompt.txt").write_bytes("Streng prüfen.".encode("latin-1"))

    status = main([str(files / "judged.csv"), *BASIC, "--prompt", str(tmp_path / "prompt.txt")])

    assert status == 2
    assert capsys.readouterr().err.endswith("prompt.txt is not UTF-8 text (byte 10); save it as UTF-8\n")


def test_a_certificate_that_another_program_wrote_again_is_the_same(files, certified, tmp_path, capsys):
    """Its lines, the order of its parts and how it writes a whole number are no edit."""
    document = json.loads(
        certified.read_text(), parse_float=lambda text: int(float(text)) if float(text) % 1 == 0 else float(text)
    )
    (tmp_path / "again.json").write_text(json.dumps(dict(reversed(document.items()))))

    assert checked(files, tmp_path / "again.json", files / "same.csv", capsys)[0] == 0


def test_a_card_says_that_digests_notice_an_accident_and_are_no_signature(certified):
    card = certified.with_suffix(".txt").read_text()

    assert "Digests of its parts show an accidental edit to `check`; they are no signature." in card


def test_a_slip_among_right_and_wrong_is_refused_with_its_line(tmp_path, capsys):
    rows = [("q1", "correct", "incorrect"), ("q2", "incorect", "correct"), ("q3", "correct", "")]
    path = written(tmp_path / "slip.csv", rows, "item,human,judge")

    status = main([str(path), "--human", "human", "--judge", "judge", "--item", "item"])

    assert status == 2
    assert (
        "slip.csv, line 3 holds the verdict 'incorect'; expected one of incorrect, correct" in capsys.readouterr().err
    )


def test_one_prompt_is_one_prompt_however_its_file_ends_lines(files, certified, tmp_path, capsys):
    text = (files / "prompt.txt").read_text()
    (tmp_path / "prompt.txt").write_bytes(b"\xef\xbb\xbf" + text.strip().replace("\n", "\r\n").encode() + b"\r\n")
    same = ("--judge-model", "gpt-5-mini-2026-08", "--prompt", str(tmp_path / "prompt.txt"))

    assert checked(files, certified, files / "same.csv", capsys, *same)[0] == 0


def test_of_many_humans_six_are_named_and_the_others_counted(tmp_path, capsys):
    rows = [(f"q{place}", *["correct"] * 7, "" if place else "correct", "incorrect") for place in range(4)]
    names = ",".join(f"h{number}" for number in range(8))
    file = written(tmp_path / "many.csv", rows, f"item,{names},judge")

    main([str(file), "--human", names, "--judge", "judge", "--item", "item", "--resamples", "200"])

    printed = capsys.readouterr().out
    assert "4 candidates, 4 of them with a verdict of a human (h0, h1, h2, h3, h4, h5 and 2 more)" in printed
    assert "8 humans: 1 to 4 verdicts each; 3 without a verdict: not scored." in printed

"""``python -m agreement.judge``: text and JSON of every panel, and refusals of one sentence with exit status 2."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agreement.judge.__main__ import main
from tests.agreement.judge.judged_files import BASIC, written

ROOT = Path(__file__).resolve().parents[3]


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
        (("--excluded", "Correct"), "names 'correct', which is a verdict on this scale (one of incorrect, correct)"),
        (("--states", "no=refusal"), "names 'no', which is a verdict on this scale"),
        (("--stratum", "model", "--design", "random"), "a simple random part, and stratum names the column 'model'"),
        (("--probability", "p", "--design", "random"), "a simple random part, and probability names the column 'p'"),
        (
            ("--stratum", "model", "--probability", "p", "--design", "stratified"),
            "the sizes of strata are the chances, and probability names the column 'p'; expected one of the two",
        ),
        (("--design", "stratified"), "design is 'stratified' without stratum; expected --stratum with the column"),
        (("--design", "probability"), "design is 'probability' without probability; expected --probability with"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_exit_2(files, capsys, options, says):
    status = main([str(files / "judged.csv"), *BASIC, *options])

    error = capsys.readouterr().err
    assert status == 2
    assert says in error
    assert error.count("\n") == 1


def test_beside_the_chances_of_candidates_strata_are_said_to_be_of_no_use(files, tmp_path, capsys):
    header, *lines = (files / "judged.csv").read_text().splitlines()
    table = tmp_path / "drawn.csv"
    table.write_text("\n".join([f"{header},tier,chance", *(f"{line},{n % 2},0.5" for n, line in enumerate(lines))]))

    said = []
    for options in (("--stratum", "tier"), ("--stratum", "tier", "--probability", "chance")):
        assert main([str(table), *BASIC, *options]) == 0
        said.append("the strata (--stratum) are not used" in capsys.readouterr().out)

    assert said == [False, True]


def test_a_certificate_for_a_folder_gets_its_usual_name(files, tmp_path, capsys):
    status = main([str(files / "judged.csv"), *BASIC, "--certificate", str(tmp_path)])

    assert status == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["judge-certificate.json", "judge-certificate.txt"]
    assert f"Written: {tmp_path / 'judge-certificate.json'} and " in capsys.readouterr().err


@pytest.mark.parametrize("name", ["certificate", "certificate.txt", "missing/"])
def test_a_certificate_for_what_is_neither_a_folder_nor_json_is_refused(files, tmp_path, capsys, name):
    status = main([str(files / "judged.csv"), *BASIC, "--certificate", str(tmp_path / name)])

    assert (status, list(tmp_path.iterdir())) == (2, [])
    assert "is not a folder and does not end in .json; expected a folder that exists, or" in capsys.readouterr().err


def test_a_file_without_a_candidate_that_both_have_rated_is_refused_with_the_numbers(tmp_path, capsys):
    path = written(tmp_path / "apart.csv", [("q1", "correct", ""), ("q2", "", "correct")], "item,human,judge")

    status = main([str(path), "--human", "human", "--judge", "judge", "--item", "item"])

    assert status == 2
    assert "no candidate has a verdict of a human (human: 1) and of judge (1)" in capsys.readouterr().err


def test_a_slip_among_right_and_wrong_is_refused_with_its_line(tmp_path, capsys):
    rows = [("q1", "correct", "incorrect"), ("q2", "incorect", "correct"), ("q3", "correct", "")]
    path = written(tmp_path / "slip.csv", rows, "item,human,judge")

    status = main([str(path), "--human", "human", "--judge", "judge", "--item", "item"])

    assert status == 2
    assert (
        "slip.csv, line 3 holds the verdict 'incorect'; expected one of incorrect, correct" in capsys.readouterr().err
    )


def test_of_many_humans_six_are_named_and_the_others_counted(tmp_path, capsys):
    rows = [(f"q{place}", *["correct"] * 7, "" if place else "correct", "incorrect") for place in range(4)]
    names = ",".join(f"h{number}" for number in range(8))
    file = written(tmp_path / "many.csv", rows, f"item,{names},judge")

    main([str(file), "--human", names, "--judge", "judge", "--item", "item", "--resamples", "200"])

    printed = capsys.readouterr().out
    assert "4 candidates, 4 of them with a verdict of a human (h0, h1, h2, h3, h4, h5 and 2 more)" in printed
    assert "8 humans: 1 to 4 verdicts each; 3 without a verdict: not scored." in printed

"""``python -m agreement.judge check``: a run within its certificate, outside it, or not comparable."""

import json

import pytest

from agreement.judge.__main__ import main
from agreement.judge.consistency import digests_of
from tests.agreement.judge.judged_files import BASIC, checked, leaving_out


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


def of_unit(certified, target, unit):
    """The same certificate, of another unit; of none for an older one."""
    document = json.loads(certified.read_text())
    del document["unit"]
    document |= {"unit": unit} if unit else {}
    target.write_text(json.dumps(document | {"digests": digests_of(document)}))
    return target


@pytest.mark.parametrize(("unit", "counted"), [("pair", "pairs"), ("", "candidates")], ids=["pairs", "older"])
def test_a_run_is_counted_in_what_the_certificate_is_of(files, certified, tmp_path, capsys, unit, counted):
    target = of_unit(certified, tmp_path / "card.json", unit)
    run = leaving_out(files, tmp_path / "few.csv", 200)
    lines = run.read_text().splitlines()
    run.write_text("\n".join(lines[:301]) + "\n")

    status, said = checked(files, target, run, capsys)

    assert status == 0
    assert f" of 298 repeated {counted}, " in said
    assert f"The certificate names 100 {counted} more" in said
    assert f"Without a verdict are 2 of 300 {counted}" in said


def test_a_certificate_of_an_unknown_unit_was_edited(files, certified, tmp_path, capsys):
    target = of_unit(certified, tmp_path / "card.json", "answer")

    status = main(["check", str(target), str(files / "same.csv")])

    assert (status, "was damaged or edited: unit is 'answer'" in capsys.readouterr().err) == (2, True)


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


def test_a_certificate_that_another_program_wrote_again_is_the_same(files, certified, tmp_path, capsys):
    """Its lines, the order of its parts and how it writes a whole number are no edit."""
    document = json.loads(
        certified.read_text(), parse_float=lambda text: int(float(text)) if float(text) % 1 == 0 else float(text)
    )
    (tmp_path / "again.json").write_text(json.dumps(dict(reversed(document.items()))))

    assert checked(files, tmp_path / "again.json", files / "same.csv", capsys)[0] == 0


def test_one_prompt_is_one_prompt_however_its_file_ends_lines(files, certified, tmp_path, capsys):
    text = (files / "prompt.txt").read_text()
    (tmp_path / "prompt.txt").write_bytes(b"\xef\xbb\xbf" + text.strip().replace("\n", "\r\n").encode() + b"\r\n")
    same = ("--judge-model", "gpt-5-mini-2026-08", "--prompt", str(tmp_path / "prompt.txt"))

    assert checked(files, certified, files / "same.csv", capsys, *same)[0] == 0

"""What people answered about test subjects reaches no admin before it is unsealed: every route is searched."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from db.engine import database_from_environment
from services import report
from services.errors import Conflict, NotAllowed, NotFound
from services.judging import sealed_split
from services.record import package, redrawing
from services.record.blinding_audit import auditing
from services.report import calibration
from tests.harness.command_line import invoke
from tests.harness.server import ROOT
from tests.services.report.sealed_scores import (
    OF_ROWS,
    ROUTES,
    N,
    _exports,
    found_in,
    imported,
    items_for_test,
    planted,
    said_of,
)
from tests.situations import Situation

# The same of labels made elsewhere.
OF_LABELS = (*OF_ROWS, "manage.py judge export of labels made elsewhere")


@pytest.mark.parametrize("route", ROUTES)
def test_nothing_that_was_answered_about_test_subjects_comes_by(sealed: Situation, route: str, tmp_path: Path) -> None:
    output = ROUTES[route](sealed, tmp_path)

    of_test = items_for_test(sealed)
    assert sorted(found_in(output, said_of(sealed, of_test))) == []
    if route in OF_ROWS:
        others = {f"i{n}" for n in range(N)} - of_test
        assert planted(int(min(others)[1:]), "a") in output
    if route in OF_LABELS:
        # On which the judge differs, so that the lists of differences have it too, where the draw has left one.
        differing = [n for n in range(N) if f"i{n}" not in of_test and n % 11 == 0 and n % 3]
        assert all(planted(number, "physicians") in output for number in differing[:1])


def test_the_count_of_what_is_missing_is_said(sealed: Situation, tmp_path: Path) -> None:
    of_test = items_for_test(sealed)
    notes = {text for text in said_of(sealed, of_test) if text.startswith("zz")}
    # How many the curator settled of test subjects is how many the readers differ on.
    verdicts = len({note for note in notes if note.endswith(("aqx", "bqx"))})

    notices = " ".join(report.current_report(sealed.database, sealed.admin, "sealed").notices)
    assert f"{len(of_test)} test subjects with {len(of_test)} items are sealed" in notices
    assert f"{verdicts} verdicts on them" in notices
    package.export_study(sealed.database, sealed.admin, "sealed", tmp_path / "package")
    counted = json.loads((tmp_path / "package" / "sealed.json").read_text(encoding="utf-8"))
    assert (counted["items"], counted["verdicts_left_out"]) == (len(of_test), verdicts)


def test_the_command_that_backs_up_says_that_sealed_answers_are_in_the_backup(
    sealed: Situation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", sealed.database.engine.url.render_as_string(hide_password=False))
    monkeypatch.setenv("BLINDREAD_DATA_DIR", str(sealed.database.data_dir))
    database_from_environment.cache_clear()

    done = invoke("backup", tmp_path / "backup")

    database_from_environment.cache_clear()
    assert "what people answered about sealed test subjects (sealed): keep it from" in " ".join(done.output.split())


def test_draws_of_a_package_with_sealed_subjects_are_not_checked_and_it_is_said_why(
    sealed: Situation, tmp_path: Path
) -> None:
    package.export_study(sealed.database, sealed.admin, "sealed", tmp_path / "package")

    with pytest.raises(NotFound, match=r"was exported while its test subjects were sealed, .*; unseal the study, "):
        redrawing.redraw(tmp_path / "package")


def test_what_judges_said_is_in_the_report_of_development_subjects_alone(sealed: Situation, tmp_path: Path) -> None:
    report.export_report(sealed.database, sealed.admin, "sealed", tmp_path / "out")
    judged = (tmp_path / "out" / "judge.csv").read_text(encoding="utf-8")

    assert set(re.findall(r"\bi\d+\b", judged)) == {f"i{n}" for n in range(N)} - items_for_test(sealed)


ROWS = {"Verdict", "Adjudication", "PooledAnswer", "Draft", "ImportedLabel"}
NAMED_READS = {"answers_in", "earlier_turns", "root_verdict", "standing_verdicts", "verdict_chain"}


def reads_answers(source: str) -> bool:
    """Return whether a module imports a table of answers, or asks a named query for some."""
    if not any(name in source for name in (*ROWS, *NAMED_READS)):
        return False  # Most modules name none, and need not be parsed.
    return any(
        (isinstance(node, ast.ImportFrom) and any(alias.name in ROWS for alias in node.names))
        or (isinstance(node, ast.Attribute) and node.attr in NAMED_READS)
        for node in ast.walk(ast.parse(source))
    )


def test_every_reader_of_answers_in_the_program_is_known_to_respect_the_seal() -> None:
    tops = ("services", "components", "pages", "commands", "server")
    files = [path for top in tops for path in (ROOT / top).rglob("*.py")]

    readers = {path.relative_to(ROOT).as_posix() for path in files if reads_answers(path.read_text(encoding="utf-8"))}

    assert readers == READERS


# Which of the program's files read answers, and why none of these gives those on test subjects to an admin.
READERS = {
    # Through `load_rows` and `load_listed`, which leave out what is sealed.
    "services/report/rows/entries.py",
    "services/report/rows/loading.py",
    # Leave out what is sealed themselves.
    "services/record/package.py",
    "services/report/files/label_file.py",
    # Is told what to leave out by whoever calibrates or exports.
    "services/report/rows/labels.py",
    # Counts labels and names their labellers.
    "services/judging/import_labels.py",
    # Is not written while anything is sealed.
    "services/record/disclosure.py",
    # Names no answer while anything is sealed.
    "services/record/blinding_audit/collecting.py",
    # The highest id of each table.
    "services/record/blinding_audit/hidden.py",
    # Sentences that name receipts of what was altered, and no answer.
    "services/record/verification.py",
    "services/seals/proofs.py",
    # What members do themselves; admins read counts and times.
    "services/adjudication/review_queue.py",
    "services/reading/displaying.py",
    "services/reading/member_progress.py",
    "services/reading/pace.py",
    "services/reading/pooling.py",
    "services/reading/practice.py",
    "services/reading/practice_scoring.py",
    "services/reading/practice_words.py",
    "services/reading/releasing.py",
    "services/reading/revising.py",
    "services/reading/revision_rules.py",
    "services/reading/session_summary.py",
    "services/reading/settling.py",
    "services/reading/shown_items.py",
    "services/reading/submission.py",
    "services/reading/verdict_rows.py",
    "services/reading/verdict_times.py",
    # Counts and deletes what was never published.
    "services/studies/folders/unfinished_imports.py",
    # Whether there is any, and whether the first came before a judge.
    "services/report/calibration/certifying.py",
    "services/people/permission.py",
    "services/studies/dealing/assigning.py",
    "services/studies/membership/rater_attributes.py",
    "services/studies/membership/removing.py",
    "services/studies/freeze/thawing.py",
    "services/studies/versions/current.py",
    "services/studies/versions/shown_before.py",
}


def test_verdicts_for_other_programs_name_no_test_candidate(sealed: Situation, tmp_path: Path) -> None:
    named = set(re.findall(r"\bk\d+\b", _exports(sealed, tmp_path)))

    assert named == {f"k{n}" for n in range(N)} - {f"k{key[1:]}" for key in items_for_test(sealed)}


def test_figures_of_a_sealed_study_are_of_development_subjects_and_say_so(sealed: Situation) -> None:
    computed = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first"])

    assert computed.material.n == N - len(items_for_test(sealed))
    assert computed.of_judges["Judge (v1)"].part == "development"
    for panel in computed.panels.values():
        assert panel.sentences[0] == "On development subjects:" and "development subjects:" not in panel.sentences[1:]


def test_what_reviewers_settled_stands_beside_majority_and_each_rater(sealed: Situation) -> None:
    computed = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first"], basis="adjudicated")

    assert computed.bases == ("mean of 2", "majority of 2", "unanimous of 2", "adjudicated", "Rater 1", "Rater 2")
    settled, agreed = (
        next(row.basis for row in computed.panels["ceiling"].rows if row.basis.startswith(name))
        for name in ("adjudicated", "unanimous")
    )
    # Nothing is left out of what was settled; of unanimity what the readers differ on is.
    assert ", 0 left out" in settled and ", 0 left out" not in agreed


def test_a_criterion_that_the_plan_declares_beside_judges_stands_in_the_place_of_the_shipped_ones(
    sealed: Situation,
) -> None:
    document = json.loads(calibration.certify(sealed.database, sealed.admin, "sealed", runs=["first"]).document)

    assert list(document["criteria"]) == ["close_to_people", "labels in the stratum", "number of humans"]
    (row,) = [row for row in document["results"] if row["statistic"] == "close_to_people"]
    assert row["sentence"] == "passed" and row["estimate"]["low"] > 0.5
    assert document["said"]["Subjects"].startswith("development, of a study divided")


def test_before_test_is_opened_nothing_is_certified(sealed: Situation) -> None:
    certified = calibration.certify(sealed.database, sealed.admin, "sealed", runs=["first"])
    computed = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first"])

    assert "NOT PASSED, as nothing is certified before test" in certified.card
    assert "Tuning" not in json.loads(certified.document)["said"]
    assert not certified.passed and json.loads(certified.document)["plan"]["is_trial"]
    (line,) = calibration.summary_of(computed).tables[0].rows
    assert str(line[1]).endswith(", on development subjects") and "passed" not in str(line[1])
    assert "and nothing is certified before test" in " ".join(computed.panels["certificate"].sentences)


def test_one_line_says_of_whom_and_by_which_labels_a_panel_is(sealed: Situation) -> None:
    computed = calibration.calibration_of(
        sealed.database, sealed.admin, "sealed", runs=["first"], labels=["physicians"]
    )

    said = computed.panels["direction"].sentences
    assert said[0] == "On development subjects, by labels made elsewhere, not blinded here:"
    assert not any(each.endswith(":") for each in said[1:])


def test_sealed_labels_made_elsewhere_are_counted_where_sealed_verdicts_are(sealed: Situation) -> None:
    line = sealed_split.split_of(sealed.database, sealed.admin, "sealed")
    assert line is not None and line.labels
    many = f"{line.labels} labels made elsewhere"

    assert line.in_words.endswith(f"verdicts and {many}.")
    notices = " ".join(report.build_report(sealed.database, sealed.admin, "sealed").notices)
    assert f"are in no figure and no file of this report; nor are {many}." in notices
    assert "labels.csv has those that are not sealed." in notices


def test_whose_the_criteria_are_is_said_above_them(sealed: Situation) -> None:
    computed = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first"])
    section = next(each for each in calibration.sections_of(computed) if each.key == "certificate")

    assert section.explanation[0].startswith("Criteria of the plan. close_to_people: ")
    assert calibration.summary_of(computed).tables[0].columns[1].title == "Plan's criteria"


def test_examples_of_a_prompt_are_of_development_subjects_or_refused(sealed: Situation) -> None:
    of_test = min(items_for_test(sealed))

    with pytest.raises(Conflict, match=f"1 of 1 example of the prompt is of test subjects, such as {of_test}"):
        imported(sealed, "third", "v3", (of_test,))
    with pytest.raises(Conflict, match=r"no item 'i0x' \(nearest: i0\)|no item 'i0x'"):
        imported(sealed, "third", "v3", ("i0x",))


def test_a_study_that_somebody_saw_or_that_was_judged_or_divided_is_not_divided(sealed: Situation) -> None:
    with pytest.raises(Conflict, match="closed and its report has been open"):
        sealed_split.make_split(sealed.database, sealed.admin, "sealed")
    with pytest.raises(NotAllowed):
        sealed_split.make_split(sealed.database, sealed.raters[0], "sealed")


def test_a_blinding_audit_names_no_test_item_in_a_phase_that_follows_from_answers(
    sealed: Situation, tmp_path: Path
) -> None:
    auditing.audit_blinding(sealed.database, sealed.admin, "sealed", tmp_path / "audit.json")

    # Each answer names its model, so that each screen is listed with its item.
    leaks = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))["leaks"]
    named = {phase: {leak["item"] for leak in leaks if leak["phase"] == phase} for phase in ("score", "settle")}
    differing = {f"i{n}" for n in range(N) if n % 7 == 0 and n % 3}
    assert named["settle"] - {"of a test subject"} == differing - items_for_test(sealed)
    assert ("of a test subject" in named["settle"]) == bool(differing & items_for_test(sealed))
    assert items_for_test(sealed) <= named["score"]

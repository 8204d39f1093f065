"""What is opened or unsealed of test subjects: once for one prompt, and nothing that came after it."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlmodel import select

from agreement.judge.panels import criteria
from agreement.judge.panels.corrected import CORRECTED, SIDE_BY_SIDE
from agreement.judge.rows import Row
from db import CalibrationLook, StudyEvent, now
from services.errors import Conflict
from services.judging import import_runs, sealed_split, slices
from services.progress import data_lock
from services.record import verification
from services.report import calibration
from services.report.calibration import looks
from services.studies.freeze import freezing, thawing
from tests.services.report.sealed_scores import (
    OF_ROWS,
    ROUTES,
    SHARE,
    N,
    divided_read_and_judged,
    drafted,
    found_in,
    imported,
    items_for_test,
    planted,
    said_of,
)
from tests.situations import Situation


def test_before_opening_it_is_said_how_many_are_labelled_and_what_cannot_pass_for_the_count(
    sealed: Situation,
) -> None:
    of_test = items_for_test(sealed)

    first, *more = calibration.counts_before_opening(
        sealed.database, sealed.admin, "sealed", "score.verdict", ["first"]
    )

    assert first.startswith(f"People labelled {len(of_test)} test candidates")
    assert first.endswith("Criteria count only those that have the verdicts that they compare, which may be fewer.")
    few = [said for said in more if said.startswith("The criterion 'labels in the stratum' cannot pass for the number")]
    assert len(few) == 1 and "fewer than 30 in " in few[0]


def test_a_prompt_that_was_tuned_on_development_looks_better_there_than_on_test(
    migrated_sqlite: Path, tmp_path: Path
) -> None:
    sealed = divided_read_and_judged(migrated_sqlite, tmp_path)
    of_test = items_for_test(sealed)
    as_people, otherwise = (lambda n: n % 3 == 0), (lambda n: n % 2 == 0)
    lines = [
        f"i{n},k{n},{'correct' if (otherwise if f'i{n}' in of_test else as_people)(n) else 'incorrect'}"
        for n in range(N)
    ]
    import_runs.import_judge_verdicts(
        sealed.database, sealed.admin, "sealed", name="tuned", judge="Tuned", field="score.verdict",
        content="\n".join(["item,candidate,verdict", *lines]).encode(), file_name="tuned.csv",
        identity=import_runs.Identity("judge-1", "", "v9"),
    )  # fmt: skip

    def of_criterion() -> Row:
        seen = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["tuned"])
        (row,) = seen.panels["certificate"].of("close_to_people")
        return row

    on_development = of_criterion()
    sealed_split.open_test(sealed.database, sealed.admin, "sealed", "tuned", "It is tuned.")
    on_test = of_criterion()

    assert (on_development.sentence, on_test.sentence) == (criteria.PASSED, criteria.FAILED)
    assert on_test.estimate.high < on_development.estimate.low


@pytest.fixture(scope="module")
def opened(sealed: Situation) -> Situation:
    """The study, after agreement on test was opened for the prompt of its first run."""
    name = sealed_split.open_test(sealed.database, sealed.admin, "sealed", "first", "The prompt is final.")
    assert name == "Judge (v1), by raters' verdicts"
    return sealed


@pytest.mark.usefixtures("opened")
def test_agreement_on_test_is_opened_for_one_prompt_once_and_shows_no_rows(sealed: Situation, tmp_path: Path) -> None:
    database, admin = sealed.database, sealed.admin
    both = calibration.calibration_of(database, admin, "sealed", runs=["first", "second"])
    assert {name: each.part for name, each in both.of_judges.items()} == {
        "Judge (v1)": "test", "Judge (v2)": "development",
    }  # fmt: skip
    bases = {row.parties[0]: row.basis for row in both.panels["certificate"].rows if row.basis}
    assert bases["Judge (v1)"].endswith("test subjects") and bases["Judge (v2)"].endswith("development subjects")
    assert both.material.n == N - len(items_for_test(sealed))
    assert any(row.statistic == CORRECTED and "test" in row.basis for row in both.panels["corrected"].rows)
    document = json.loads(calibration.certify(database, admin, "sealed", runs=["first"]).document)
    assert (document["covered"]["labelled"], document["looks"]) == (len(items_for_test(sealed)), 1)
    assert not document["plan"]["is_trial"]
    # Of two runs that were opened together the better one could be chosen, and few verdicts would be told one by one.
    assert (document["plan"]["runs_opened"], document["plan"]["fewest_shown"]) == (2, 5)
    assert "2 runs of this prompt were opened together" in both.panels["certificate"].sentence
    with pytest.raises(Conflict, match=r"Judge \(v1\) was opened on test before"):
        sealed_split.open_test(database, admin, "sealed", "first", "Once more, please.")
    for number, route in enumerate(ROUTES.values()):
        (tmp_path / str(number)).mkdir()
        output = route(sealed, tmp_path / str(number))
        assert found_in(output, said_of(sealed, items_for_test(sealed))) == set()


@pytest.mark.usefixtures("opened")
def test_looks_at_development_are_remembered_beside_those_at_test(sealed: Situation) -> None:
    said = " ".join(calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first"]).said)
    card = calibration.certify(sealed.database, sealed.admin, "sealed", runs=["first"]).card

    counted = re.search(
        r"for Judge \(v1\) (\w+ ?\w*) on development subjects and (\w+ ?\w*) on test subjects, this", said
    )
    assert counted is not None
    assert re.search(r"Before +(one look|\d+ looks) at agreement on development subjects", card)


@pytest.mark.usefixtures("opened")
def test_a_repeated_run_beside_the_one_that_is_calibrated_is_no_further_look_at_test(sealed: Situation) -> None:
    alone, with_repeat = (
        calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=runs).of_judges["Judge (v1)"]
        for runs in (["first"], ["first", "first again"])
    )

    assert (alone.looks, with_repeat.looks) == (1, 1)


@pytest.mark.usefixtures("opened")
def test_a_look_that_was_stored_by_all_runs_of_its_prompt_is_not_counted_anew(sealed: Situation) -> None:
    shown = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first", "first again"])
    material = shown.of_judges["Judge (v1)"].material
    by_all, by_first = (looks.fingerprint(material, "Judge (v1)", repeats=repeats) for repeats in (True, False))
    place = (("Older still", ""), "test")
    note = partial(looks.note_looks, sealed.database, sealed.admin, "sealed", "score.verdict")

    times = [note({place: by_all}), note({place: by_first}, {place: by_all})]

    assert by_all != by_first
    assert times == [{place: 1}, {place: 1}]


@pytest.mark.usefixtures("opened")
def test_no_figure_on_test_has_so_many_digits_that_it_could_spell_out_verdicts(sealed: Situation) -> None:
    seen = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first"])
    document = json.loads(calibration.certify(sealed.database, sealed.admin, "sealed", runs=["first"]).document)

    rows = [row.as_dict() for panel in seen.panels.values() for row in panel.rows] + document["results"]
    rows += [row for panel in document["panels"] for row in panel["rows"]]
    of_test = [row for row in rows if "test subjects" in row["basis"]] + document["results"]
    figures = [row["estimate"][name] for row in of_test for name in ("value", "low", "high", "p")]
    given = [figure for figure in figures if figure is not None]
    assert len(given) > 20 and [float(f"{figure:.3g}") for figure in given] == given


def test_a_test_answer_on_which_the_judge_says_nothing_is_in_no_figure_on_test(
    migrated_sqlite: Path, tmp_path: Path
) -> None:
    sealed = divided_read_and_judged(migrated_sqlite, tmp_path)
    of_test = items_for_test(sealed)
    judged = [f"i{n},k{n},correct" for n in range(N) if f"i{n}" != min(of_test)]
    import_runs.import_judge_verdicts(
        sealed.database, sealed.admin, "sealed", name="gap", judge="Gap", field="score.verdict",
        content="\n".join(["item,candidate,verdict", *judged]).encode(), file_name="gap.csv",
        identity=import_runs.Identity("judge-1", "", "v9"),
    )  # fmt: skip
    sealed_split.open_test(sealed.database, sealed.admin, "sealed", "gap", "It is final.")

    panels = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["gap"]).panels.values()

    on_test = {row.basis for panel in panels for row in panel.rows if row.basis.endswith(", test subjects")}
    assert f"mean of 2, {len(of_test) - 1} labelled, 1 left out, test subjects" in on_test
    assert not any("0 left out" in basis for basis in on_test)


@pytest.mark.usefixtures("opened")
def test_what_is_stored_of_a_look_does_not_tell_whether_a_guess_of_the_verdicts_is_right(sealed: Situation) -> None:
    """The chain's hashes cover it and are in the package; who knows the agreement has few verdicts to guess."""
    seen = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first"])

    guessed = {looks.fingerprint(each.material, name) for name, each in seen.of_judges.items()}

    with sealed.database.read_only() as session:
        assert not guessed & set(session.exec(select(CalibrationLook.material_sha256)))


@pytest.mark.usefixtures("opened")
def test_figures_on_test_are_by_one_basis_since_two_would_tell_the_answers_in_which_they_differ(
    sealed: Situation,
) -> None:
    usual, chosen = (
        calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first"], basis=basis)
        for basis in ("", "Rater 1")
    )

    on_test = [
        [row for row in each.panels["corrected"].rows if "test subjects" in (row.basis or "")]
        for each in (usual, chosen)
    ]
    assert on_test[0] == on_test[1] and CORRECTED in {row.statistic for row in on_test[0]}
    assert SIDE_BY_SIDE not in {row.statistic for row in on_test[0]}
    assert "whatever human verdicts are chosen" in " ".join(chosen.said)


@pytest.mark.usefixtures("opened")
def test_a_run_that_came_after_the_opening_tells_nothing_of_test_subjects(sealed: Situation) -> None:
    database, admin = sealed.database, sealed.admin
    imported(sealed, "made up for it", "v1")

    late = calibration.calibration_of(database, admin, "sealed", runs=["made up for it"])

    assert late.of_judges["Judge (v1)"].part == "development"
    assert "against development subjects: made up for it." in " ".join(late.said)
    assert "Leave it out" not in " ".join(late.said)
    assert ": opened for Judge (v1), but not for what is chosen here, so that every figure is" in late.said[0]
    both = calibration.calibration_of(database, admin, "sealed", runs=["first", "made up for it"])
    assert both.of_judges["Judge (v1)"].part == "development"
    assert both.said[0].endswith("against development subjects: made up for it. Leave it out to see test subjects.")
    assert ": opened for Judge (v1), and hidden here by made up for it, so that every figure is" in both.said[1]
    assert not any(": sealed" in said for said in (*late.said, *both.said))
    other = calibration.calibration_of(database, admin, "sealed", runs=["second"])
    assert ": sealed, so that every figure is of development subjects." in other.said[0]
    alone = calibration.calibration_of(database, admin, "sealed", runs=["first"])
    assert alone.of_judges["Judge (v1)"].part == "test"


def test_two_judges_with_their_prompts_are_not_called_alike(sealed: Situation) -> None:
    with pytest.raises(Conflict, match=r"The judge of run 'first' is called 'Judge \(v1\)' with its prompt, too"):
        imported(sealed, "called alike", "", judge="Judge (v1)")


def test_a_judge_that_is_called_like_a_reader_is_compared_with_the_reader(sealed: Situation) -> None:
    alone = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["second"])
    (reader, other), (judge,) = alone.material.humans, alone.material.judges
    imported(sealed, "namesake", "", judge=reader)

    named = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["namesake"])

    def agreement(computed: calibration.Calibration, *parties: str) -> float:
        (row,) = computed.panels["ceiling"].of("agreement", parties=parties, stratum="all")
        return row.estimate.value

    assert list(named.material.humans) == [f"{reader} (person)", other]
    assert agreement(named, reader, f"{reader} (person)") == agreement(alone, judge, reader)
    assert agreement(named, f"{reader} (person)", other) == agreement(alone, reader, other)


def test_two_texts_are_not_one_version_of_a_prompt(sealed: Situation) -> None:
    imported(sealed, "with a text", "v5", prompt="Be strict.")

    with pytest.raises(Conflict, match="In run 'with a text', version 'v5' of the prompt of 'Judge' is another text"):
        imported(sealed, "with another", "v5", prompt="Be lenient.")


@pytest.fixture
def clock_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is stored from now on have times of the day before."""

    def earlier() -> datetime:
        return now() - timedelta(days=1)

    monkeypatch.setattr(slices, "now", earlier)
    monkeypatch.setattr(StudyEvent.model_fields["at"], "default_factory", earlier)


@pytest.mark.usefixtures("opened", "clock_set_back")
def test_a_run_that_came_after_the_opening_by_a_clock_set_back_came_after_it_all_the_same(sealed: Situation) -> None:
    imported(sealed, "by the wrong clock", "v1")

    late = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["by the wrong clock"])
    in_time = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first"])

    assert late.of_judges["Judge (v1)"].part == "development"
    assert "against development subjects: by the wrong clock." in " ".join(late.said)
    assert in_time.of_judges["Judge (v1)"].part == "test"
    assert in_time.of_judges["Judge (v1)"].plan.runs_opened == 2


@pytest.mark.usefixtures("opened")
def test_an_answer_that_could_come_after_the_opening_is_not_told_by_what_it_changes(sealed: Situation) -> None:
    database, admin = sealed.database, sealed.admin
    data_lock.reopen_study(database, admin, "sealed", "A reader has something to correct.")
    data_lock.take_interim_look(database, admin, "sealed", "To watch what it changes.")

    with pytest.raises(Conflict, match="Close the study first"):
        sealed_split.open_test(database, admin, "sealed", "second", "While answers still come.")
    while_open = calibration.calibration_of(database, admin, "sealed", runs=["first"])
    data_lock.close_study(database, admin, "sealed")
    closed_again = calibration.calibration_of(database, admin, "sealed", runs=["first"])

    assert {each.of_judges["Judge (v1)"].part for each in (while_open, closed_again)} == {"development"}
    said = " ".join(closed_again.said)
    assert (
        "On development subjects only, though agreement on test was opened. The study has been re-opened since" in said
    )
    with pytest.raises(
        Conflict, match=r"opened on test before; nothing was changed\. The study has been re-opened since, "
    ):
        sealed_split.open_test(database, admin, "sealed", "first", "It was open before.")


@pytest.mark.usefixtures("opened", "clock_set_back")
def test_a_study_that_was_reopened_after_the_opening_by_a_clock_set_back_was_so_all_the_same(sealed: Situation) -> None:
    database, admin = sealed.database, sealed.admin
    sealed_split.open_test(database, admin, "sealed", "second", "The prompt is final.")
    opened = calibration.calibration_of(database, admin, "sealed", runs=["second"])
    data_lock.reopen_study(database, admin, "sealed", "A reader has something to correct.")
    data_lock.close_study(database, admin, "sealed")

    closed_again = calibration.calibration_of(database, admin, "sealed", runs=["second"])

    assert opened.of_judges["Judge (v2)"].part == "test"
    assert closed_again.of_judges["Judge (v2)"].part == "development"


@pytest.mark.usefixtures("opened")
def test_unsealed_answers_are_part_of_everything_and_certificates_say_so(sealed: Situation, tmp_path: Path) -> None:
    sealed_split.unseal(sealed.database, sealed.admin, "sealed", "The paper is written.")

    notes = {
        text for text in said_of(sealed, items_for_test(sealed)) if text.startswith("zz") and "physicians" not in text
    }
    (tmp_path / "labels").mkdir()
    remark = planted(int(min(items_for_test(sealed))[1:]), "physicians")
    assert all(remark in ROUTES[route](sealed, tmp_path / "labels" / str(place)) for place, route in enumerate(OF_ROWS))
    for route in OF_ROWS:
        folder = tmp_path / route.replace(" ", "")
        folder.mkdir()
        output = ROUTES[route](sealed, folder)
        assert found_in(output, notes) == notes, route
    document = json.loads(calibration.certify(sealed.database, sealed.admin, "sealed", runs=["first"]).document)
    assert "unsealed" in document["said"]["Subjects"]
    assert document["plan"]["fewest_shown"] == 1
    assert verification.verify_study(sealed.database, "sealed") == []
    kinds = [event.kind for event in data_lock.events_of(sealed.database, sealed.admin, "sealed")]
    # Another prompt may have been opened as well.
    assert list(dict.fromkeys(kind for kind in kinds if "test" in kind or "divide" in kind)) == [
        "divide subjects", "open test for Judge", "unseal test subjects",
    ]  # fmt: skip


@pytest.mark.usefixtures("opened")
def test_a_calibration_says_which_panels_are_of_test_subjects_and_which_are_not(sealed: Situation) -> None:
    """Also once all is unsealed: the report then has all rows, and most panels are still of development subjects."""
    if not _line_of(sealed).is_unsealed:
        sealed_split.unseal(sealed.database, sealed.admin, "sealed", "The paper is written.")

    said = " ".join(calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first"]).said)

    assert "items: unsealed, and opened for Judge (v1). For what was opened, " in said
    assert "panels 5, 6 and 8 and the certificate are of test subjects" in said
    assert "panels 1, 2, 3, 4 and 7, and all panels of other judges, stay on development subjects" in said
    assert "unsealed. Agreement on them was opened for Judge (v1)" in _line_of(sealed).in_words


def _line_of(situation: Situation) -> sealed_split.SplitLine:
    line = sealed_split.split_of(situation.database, situation.admin, "sealed")
    assert line is not None
    return line


def test_items_of_test_subjects_that_nobody_rates_are_told_apart() -> None:
    line = sealed_split.SplitLine("whole subjects", 12, 30, 24, 0, (), is_unsealed=False)

    assert line.in_words == "12 test subjects with 30 items, 24 of which people rate: sealed, with 0 verdicts."


def test_too_few_subjects_a_look_or_a_judge_forbid_the_seal_and_a_seal_forbids_a_thaw(
    migrated_sqlite: Path, tmp_path: Path
) -> None:
    situation = drafted(migrated_sqlite, tmp_path, items=44)
    database, admin = situation.database, situation.admin
    with pytest.raises(Conflict, match="Freeze the study first"):
        sealed_split.make_split(database, admin, "sealed")
    freezing.freeze_study(database, admin, "sealed")
    with pytest.raises(Conflict, match="has 44 subjects and 44 items that people rate; expected 40 and 60 or more"):
        sealed_split.make_split(database, admin, "sealed")
    assert sealed_split.can_be_divided(database, admin, "sealed")
    data_lock.take_interim_look(database, admin, "sealed", "Only to see.")
    with pytest.raises(Conflict, match="The report of this study was open before"):
        sealed_split.make_split(database, admin, "sealed")

    (tmp_path / "other").mkdir()
    other = drafted(migrated_sqlite, tmp_path / "other")
    freezing.freeze_study(other.database, other.admin, "sealed")
    with pytest.raises(Conflict, match="No item has a 'tier'; expected some of category, format"):
        sealed_split.make_split(other.database, other.admin, "sealed", strata=("tier",))
    line = sealed_split.make_split(other.database, other.admin, "sealed", SHARE)
    assert "seed" in line.method and line.verdicts == 0
    assert f"{line.test_subjects} subjects with {line.rated_items} items that people rate for test" in line.as_divided
    assert line.as_divided.endswith(line.in_words)
    with pytest.raises(Conflict, match="its subjects were divided"):
        thawing.thaw_study(other.database, other.admin, "sealed", "To correct an item.")
    with pytest.raises(Conflict, match="were divided before"):
        sealed_split.make_split(other.database, other.admin, "sealed")
    for each in (database, other.database):
        each.engine.dispose()


@pytest.mark.usefixtures("opened")
def test_verdicts_that_were_opened_before_hashes_were_keyed_are_not_another_look(sealed: Situation) -> None:
    # The last but one: no event has recorded this row, as every verification after it would say.
    seen = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["second"])
    plain = looks.fingerprint(seen.of_judges["Judge (v2)"].material, "Judge (v2)")
    older = CalibrationLook(
        study_id=1, field="score.verdict", judge="Older", prompt="", part="test", material_sha256=plain
    )
    with sealed.database.writing() as session:
        session.add(older)

    times = looks.note_looks(sealed.database, sealed.admin, "sealed", "score.verdict", {(("Older", ""), "test"): plain})

    assert times == {(("Older", ""), "test"): 1}


def test_agreement_is_opened_in_all_fields_that_a_prompt_fills_in_and_says_so(sealed: Situation) -> None:
    # The last of them: from now on calibrations ask for the field.
    for field in ("score.verdict", "settle.verdict"):
        imported(sealed, f"of {field}", "v6", field=field)

    opened = sealed_split.open_test(sealed.database, sealed.admin, "sealed", "of score.verdict", "The prompt is final.")

    assert opened == "Judge (v6), in score.verdict and settle.verdict, by raters' verdicts"

"""Labels made elsewhere stand in a calibration in the place of raters' verdicts, marked, and in no figure of raters."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from db import Database, Person, now
from db.engine import make_engine
from exchange.report.report_json import report_json
from server import downloads
from services import report
from services.errors import Conflict
from services.judging import import_labels, import_runs, slices
from services.judging.import_labels import NOT_BLINDED_HERE
from services.progress import data_lock
from services.record import verification
from services.report import calibration
from services.report.calibration import exports
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed, work_through, write_listed
from tests.sealed_study import SCORES, with_many_items
from tests.services.report.situations import STUDY, closed_study
from tests.situations import Situation, answers, write_table

N = 64
FIELD = "score.verdict"


def wrong(number: int, every: int) -> bool:
    return number % every == 0


def table(*people: tuple[str, int], numbers: range = range(N)) -> bytes:
    """Return labels of people who hold every so many-th answer to be incorrect, with a remark beside these."""
    lines = [
        f"i{n},k{n},{who},{'incorrect,Not so.' if wrong(n, every) else 'correct,'}"
        for who, every in people
        for n in numbers
    ]
    return "\n".join(["item,candidate,labeller,verdict,explanation", *lines]).encode()


def with_labels(situation: Situation, name: str, content: bytes, **more: object) -> None:
    import_labels.import_labels(
        situation.database, situation.admin, situation.study_key, name=name, content=content,
        file_name=f"{name}.csv", **more,
    )  # type: ignore[arg-type]  # fmt: skip


def judged(situation: Situation, items: int = N) -> None:
    lines = [f"i{n},k{n},{'incorrect' if wrong(n, 4) else 'correct'}" for n in range(items)]
    import_runs.import_judge_verdicts(
        situation.database, situation.admin, situation.study_key, name="run", judge="Judge", field=FIELD,
        content="\n".join(["item,candidate,verdict", *lines]).encode(), file_name="judge.csv",
        identity=import_runs.Identity("judge-1", "Be strict.", "v1"),
    )  # fmt: skip


@pytest.fixture(scope="module")
def before(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Situation, str, str]]:
    """A closed study with its calibration and report as they were before labels came, which then came."""
    folder = tmp_path_factory.mktemp("elsewhere")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    study = with_many_items(folder / "study", SCORES, N)
    situation = imported_listed(Database(engine, folder / "data"), study, key="divided")
    freezing.freeze_study(situation.database, situation.admin, "divided")
    work_through(
        situation,
        lambda payload: answers(
            verdict="incorrect" if wrong(int(payload["candidate"].split()[1]), 3) else "correct", note="Seen here."
        ),
    )
    judged(situation)
    data_lock.close_study(situation.database, situation.admin, "divided")
    calibrated = calibration.in_words(calibration.calibration_of(situation.database, situation.admin, "divided"))
    sections = str(report.build_report(situation.database, situation.admin, "divided").sections)
    with_labels(
        situation, "physicians", table(("Rater 1", 4), ("p2", 4), ("p3", 5)), blinding="to the model",
        is_random_part=True,
    )  # fmt: skip
    with_labels(situation, "later", table(("p2", 2), numbers=range(40)))
    yield situation, calibrated, sections
    engine.dispose()


@pytest.fixture(scope="module")
def situation(before: tuple[Situation, str, str]) -> Situation:
    return before[0]


@pytest.fixture(scope="module")
def computed(situation: Situation) -> calibration.Calibration:
    return calibration.calibration_of(situation.database, situation.admin, "divided", labels=["physicians"])


def test_no_figure_of_raters_changes_by_labels_made_elsewhere(before: tuple[Situation, str, str]) -> None:
    situation, calibrated, sections = before
    now = calibration.calibration_of(situation.database, situation.admin, "divided")
    after = report.build_report(situation.database, situation.admin, "divided")

    assert calibration.in_words(now) == calibrated
    # What the report says of looks alone has changed by none: labels are in its notices, and in a file of their own.
    assert str(after.sections) == sections
    assert not any(name in report_json(after) for name in ("p2", "p3"))
    assert sum(NOT_BLINDED_HERE in notice and "no figure of this report" in notice for notice in after.notices) == 1


def test_a_calibration_that_is_taken_again_names_its_importer_as_they_are_called_now(
    situation: Situation, computed: calibration.Calibration
) -> None:
    (line,) = computed.labels
    with situation.database.writing() as session:
        person = session.get_one(Person, situation.admin.person_id)
        before, person.name = person.name, "Erased person"
        session.add(person)

    again = calibration.calibration_of(situation.database, situation.admin, "divided", labels=["physicians"])
    with situation.database.writing() as session:
        person = session.get_one(Person, situation.admin.person_id)
        person.name = before
        session.add(person)

    assert again.panels is computed.panels
    assert (line.imported_by, again.labels[0].imported_by) == (before, "Erased person")
    assert "by Erased person" in " ".join(again.read) and before not in " ".join(again.read)


def test_labellers_stand_in_the_place_of_raters_and_nothing_of_these_stays(
    situation: Situation, computed: calibration.Calibration
) -> None:
    assert set(computed.material.humans) == {"Rater 1 (elsewhere)", "p2 (elsewhere)", "p3 (elsewhere)"}
    assert (computed.material.adjudicated, computed.material.probability, computed.material.frame) == (None,) * 3
    # The judge says what two of three say, and a third of the answers is what raters hold otherwise.
    assert computed.panels["direction"].rows[0].estimate.value == 0.0
    own = calibration.calibration_of(situation.database, situation.admin, "divided")
    assert set(own.material.humans) == {"Rater 1", "Rater 2"} and own.labels == ()
    with pytest.raises(Conflict, match=r"no human verdicts 'Rater 2'; expected one of majority of 3"):
        calibration.calibration_of(
            situation.database, situation.admin, "divided", basis="Rater 2", labels=["physicians"]
        )  # fmt: skip


def test_every_panel_that_rests_on_such_labels_says_that_they_were_not_blinded_here(
    computed: calibration.Calibration,
) -> None:
    words = calibration.in_words(computed)

    assert words.startswith(f"The people are labellers, not raters of this study: their labels were {NOT_BLINDED_HERE}")
    assert "how the labellers were blinded is said to be: to the model" in words
    for key in ("ceiling", "direction", "uniformity", "replacement", "corrected", "certificate"):
        panel = computed.panels[key]
        assert panel.sentences[0] == "By labels made elsewhere, not blinded here:", key
        assert all("made elsewhere" in row.basis for row in panel.rows if row.basis), key
    assert calibration.summary_of(computed).explanation[0].endswith("not blinded here.")
    (figure,) = calibration.figures_of(computed.panels["ceiling"], computed.material.scale)
    assert "has a verdict" not in figure.figure.to_json()


def test_scores_are_corrected_by_a_random_part_and_by_nothing_of_which_that_is_not_known(
    situation: Situation, computed: calibration.Calibration
) -> None:
    unknown = calibration.calibration_of(situation.database, situation.admin, "divided", labels=["later"])

    assert (computed.plan.design, unknown.plan.design) == ("random", "unknown")
    assert "how the candidates were chosen is not known, which corrects no score" in calibration.in_words(unknown)
    assert any("nothing is corrected" in said for said in unknown.panels["corrected"].refused)


def test_two_imports_are_taken_together_where_nobody_labelled_an_answer_twice(situation: Situation) -> None:
    with pytest.raises(Conflict, match="'p2' labelled an answer in two of the imports physicians, later; choose one"):
        calibration.calibration_of(situation.database, situation.admin, "divided", labels=["physicians", "later"])
    with pytest.raises(
        Conflict, match="There are no labels 'earlier' in this field; expected some of physicians, later"
    ):
        calibration.calibration_of(situation.database, situation.admin, "divided", labels=["earlier"])


def test_the_certificate_says_where_labels_came_from_and_how_they_are_said_to_be_blinded(situation: Situation) -> None:
    made = calibration.certify(situation.database, situation.admin, "divided", labels=["physicians"])

    document = json.loads(made.document)
    assert document["blinded"] == "not blinded here; elsewhere, 'physicians': said to be: to the model"
    assert document["labels_from"].startswith("labels made elsewhere 'physicians', of Rater 1, p2, p3, imported on ")
    assert document["humans"] == ["Rater 1 (elsewhere)", "p2 (elsewhere)", "p3 (elsewhere)"]
    assert [source["file"] for source in document["sources"]] == ["judge.csv", "physicians.csv"]
    assert "Blinded      not blinded here; elsewhere, 'physicians'" in made.card
    assert all("made elsewhere" in row["basis"] for row in document["results"] if row["basis"])
    # A study has no options of a command.
    assert "; another run of this prompt, imported beside it, would say it" in made.card and " --" not in made.card
    own = json.loads(calibration.certify(situation.database, situation.admin, "divided").document)
    assert own["blinded"].startswith("read in Blindread") and own["labels_from"].startswith("the raters of the study")


def test_the_certificate_says_that_the_prompt_may_have_been_tuned_where_nothing_is_sealed(situation: Situation) -> None:
    certify = partial(calibration.certify, situation.database, situation.admin, "divided")
    said = [json.loads(certify(labels=labels).document)["said"]["Tuning"] for labels in (["physicians"], [])]
    tuned = "nothing is sealed: the prompt may have been tuned on these very labels"

    assert said == [
        f"whether these labels are older than the prompt is not known here, and {tuned}",
        f"people had answered before the judge was imported, and {tuned}",
    ]


@pytest.mark.parametrize("judge_first", [True, False], ids=["judge first", "people first"])
def test_whether_people_had_answered_before_the_judge_came_is_told_by_the_audit_chain(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, judge_first: bool
) -> None:
    situation = imported_listed(database, with_many_items(tmp_path / "study", SCORES, 6), key="divided")
    freezing.freeze_study(database, situation.admin, "divided")
    # By the clock it is the other way round: it is wrong by a day while the judge is imported.
    monkeypatch.setattr(slices, "now", lambda: now() + timedelta(days=1 if judge_first else -1))
    acts: list[Callable[[], object]] = [lambda: judged(situation, 6), lambda: work_through(situation)]
    for act in acts if judge_first else reversed(acts):
        act()
    data_lock.close_study(database, situation.admin, "divided")

    said = json.loads(calibration.certify(database, situation.admin, "divided").document)["said"]

    assert ("Tuning" in said) is not judge_first


def test_files_for_other_programs_mark_labels_and_leave_raters_out(situation: Situation) -> None:
    database, admin = situation.database, situation.admin

    files = {
        name: "".join(piece for pieces in made.values() for piece in pieces)
        for name in exports.FORMATS
        for made in (exports.export_verdicts(database, admin, "divided", name, labels=["physicians"]),)
    }

    people = [row for row in csv.DictReader(io.StringIO(files["tidy"])) if row["kind"] != "judge"]
    assert {row["kind"] for row in people} == {f"human, {NOT_BLINDED_HERE}"}
    assert {row["party"] for row in people} == {"Rater 1 (elsewhere)", "p2 (elsewhere)", "p3 (elsewhere)"}
    assert "p3 (elsewhere) says" in files["differing"] and "Not so." in files["differing"]
    assert '"p3 (elsewhere)": {' in files["alt-test"]
    assert not any("Seen here." in text or "Rater 2" in text for text in files.values())
    asked = downloads.AskedOfJudge(FIELD, (), "", ("physicians",))
    make, _ = downloads.OF_JUDGES["verdicts.csv"]
    assert make(database, admin, "divided", asked) == files["tidy"]


def test_the_data_files_have_the_labels_with_file_statement_and_importer(situation: Situation) -> None:
    content = report.download(situation.database, situation.admin, "divided", "csv")

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read("labels.csv").decode())))
        others = {name: archive.read(name).decode() for name in archive.namelist() if name != "labels.csv"}
    assert len(rows) == 3 * N + 40
    assert (rows[0]["labels"], rows[0]["labeller"], rows[0]["label"]) == ("physicians", "Rater 1", "incorrect")
    assert (rows[0]["blinded_here"], rows[0]["blinding"], rows[-1]["blinding"]) == ("no", "to the model", "")
    assert rows[0]["source"] == "physicians.csv" and len(rows[0]["source_sha256"]) == 64 and rows[0]["imported_by"]
    assert not any("Not so." in text for text in others.values())


def test_a_look_by_other_people_is_a_look_of_its_own_and_the_same_labels_opened_again_are_none(
    situation: Situation,
) -> None:
    def looks() -> int:
        made = calibration.calibration_of(situation.database, situation.admin, "divided", labels=["physicians"])
        return made.of_judges["Judge (v1)"].looks

    assert looks() == looks() > 1
    assert verification.verify_study(situation.database, "divided") == []


def test_a_study_of_which_no_rater_has_begun_is_calibrated_by_labels(migrated_sqlite: Path, tmp_path: Path) -> None:
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, tmp_path / "data" / "blindread.db"))
    study = with_many_items(tmp_path / "study", SCORES, N)
    situation = imported_listed(Database(engine, tmp_path / "data"), study, key="divided", raters=0)
    freezing.freeze_study(situation.database, situation.admin, "divided")
    judged(situation)
    with_labels(situation, "physicians", table(("p1", 4), ("p2", 4), ("p3", 5)))
    data_lock.take_interim_look(situation.database, situation.admin, "divided", "Labels were made elsewhere.")

    made = calibration.calibration_of(situation.database, situation.admin, "divided", labels=["physicians"])

    # All answers are labelled: then nobody has to say how they were chosen.
    assert made.material.labelled.n == N and made.plan.design == "random"
    engine.dispose()


def test_answers_that_every_labeller_excluded_do_not_make_labels_on_all_answers_a_random_part(
    migrated_sqlite: Path, tmp_path: Path
) -> None:
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, tmp_path / "data" / "blindread.db"))
    protocol = SCORES.replace("{verdict: correctness,", "{verdict: {type: correctness, excluded: Cannot be scored},")
    study = with_many_items(tmp_path / "study", protocol, N)
    situation = imported_listed(Database(engine, tmp_path / "data"), study, key="divided", raters=0)
    freezing.freeze_study(situation.database, situation.admin, "divided")
    judged(situation)
    content = table(("p1", 4), ("p2", 4), ("p3", 4)).replace(b"i1,k1,p1,correct", b"i1,k1,p1,excluded")
    content = content.replace(b"i1,k1,p2,correct", b"i1,k1,p2,excluded").replace(
        b"i1,k1,p3,correct", b"i1,k1,p3,excluded"
    )
    with_labels(situation, "physicians", content)
    data_lock.take_interim_look(situation.database, situation.admin, "divided", "Labels were made elsewhere.")

    made = calibration.calibration_of(situation.database, situation.admin, "divided", labels=["physicians"])

    panel = made.panels["corrected"]
    assert any(
        said.startswith("Every candidate is labelled, so that scores are the humans' own") for said in panel.sentences
    )
    assert "a simple random part" not in calibration.in_words(made)
    assert sum(row.estimate.n for row in panel.of("prediction-powered")) == N - 1
    engine.dispose()


def test_marks_after_reads_are_replaced_by_labels_too(database: Database, tmp_path: Path) -> None:
    closed = closed_study(database, tmp_path / "study")
    content = b"item,candidate,labeller,verdict\ni1,k1,p1,1\ni1,k2,p1,0\ni2,k3,p1,0\n"
    import_labels.import_labels(database, closed.admin, STUDY, name="labels", content=content, file_name="l.csv")

    made = calibration.calibration_of(database, closed.admin, STUDY, labels=["labels"])

    assert calibration.labels_in(database, closed.admin, STUDY, "scoring") == ["labels"]
    assert set(made.material.humans) == {"p1 (elsewhere)"} and made.material.labelled.n == 3
    tidy = "".join(*exports.export_verdicts(database, closed.admin, STUDY, "tidy", labels=["labels"]).values())
    assert tidy.count(NOT_BLINDED_HERE) == 3
    assert verification.verify_study(database, STUDY) == []


def test_a_level_and_a_number_of_a_labeller_stand_on_the_scale_of_the_field(database: Database, tmp_path: Path) -> None:
    protocol = SCORES.replace("{verdict: correctness, note:", "{size: {type: number, range: [0, 10]}, note:")
    study = write_listed(tmp_path / "study", protocol)
    write_table(
        study / "candidates.csv", "candidate,item,model,answer", [("k1", "i1", "m", "a"), ("k2", "i2", "m", "b")]
    )
    opened = imported_listed(database, study, key="numbers", raters=1)
    freezing.freeze_study(database, opened.admin, "numbers")
    import_runs.import_judge_verdicts(
        database, opened.admin, "numbers", name="run", judge="Judge", field="score.size", file_name="j.csv",
        content=b"item,candidate,verdict\ni1,k1,4\ni2,k2,6\n",
    )  # fmt: skip
    with_labels(opened, "sizes", b"item,candidate,labeller,verdict\ni1,k1,p1,5\ni2,k2,p1,6.5\n")
    data_lock.take_interim_look(database, opened.admin, "numbers", "Labels were made elsewhere.")

    made = calibration.calibration_of(database, opened.admin, "numbers", labels=["sizes"])

    assert sorted(made.material.humans["p1 (elsewhere)"].codes.tolist()) == [5.0, 6.5]

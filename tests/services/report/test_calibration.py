"""A judge is calibrated in the study itself: from what people and judges said, by the panels of `agreement.judge`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import func, select

from agreement.estimate import undefined
from agreement.judge.__main__ import main as agreement_judge
from agreement.judge.consistency import digests_of
from agreement.judge.panels import replacement
from agreement.judge.panels.corrected import CORRECTED
from agreement.judge.rows import Panel, Row
from agreement.judge.scale import Scale
from db import CalibrationLook, Database
from db.engine import make_engine
from exchange.report.report_markup import table_markup
from server import downloads, gate
from services.errors import Conflict, NotAllowed
from services.judging import import_runs, sources
from services.progress import data_lock
from services.record import verification
from services.report import calibration
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed, work_through
from tests.server.test_downloads import asking
from tests.services.report.situations import STUDY, closed_study
from tests.services.report.situations import Situation as StudyWithReads
from tests.situations import Situation, answers, write_table

PROTOCOL = """
blindread: 2
name: judged
title: Judged by people and judges
attributes: {items: {tier: {type: ordinal, options: ['1', '2', '3']}}}
phases:
  - key: score
    title: Scores
    rates: candidates
    from: {where: {model: labelled}}
    shows: [prompt, reference, candidate]
    form:
      verdict: {type: correctness, excluded: Cannot be scored}
      quality: {type: ordinal, options: ['1', '2', '3']}
"""
# MRI-Eval: of 136 answers the judge and the person agree on 122, and the judge is stricter in 13 and milder in one.
N, STRICT, LENIENT = 136, 13, 1


def person_says(number: int) -> bool:
    if number < STRICT:
        return True
    return number >= STRICT + LENIENT and number % 3 != 0


def judge_says(number: int) -> bool:
    return not person_says(number) if number < STRICT + LENIENT else person_says(number)


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Situation]:
    folder = tmp_path_factory.mktemp("judged")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    items = [(f"q{n}", "c", "open", f"Item {n}?", 1 + n % 3) for n in range(N)]
    write_table(study / "items.csv", "item,category,format,prompt,tier", items)
    references = [(f"q{n}", "left", "", "", "", "") for n in range(N)]
    write_table(study / "references.csv", "item,accepted,low,high,text_only_answer,provenance", references)
    texts = [(f"{model}{n}", f"q{n}", model, f"{model} {n}") for n in range(N) for model in ("labelled", "other")]
    write_table(study / "candidates.csv", "candidate,item,model,answer", texts)
    opened = imported_listed(database, study, raters=1)
    freezing.freeze_study(database, opened.admin, opened.study_key)
    lines = [f"q{n},labelled{n},{'correct' if judge_says(n) else 'incorrect'}," for n in range(N)]
    lines += [f"q{n},other{n},{'correct' if n % 2 else ''},{'' if n % 2 else 'refusal'}" for n in range(N)]
    content = "\n".join(["item,candidate,verdict,failure", *lines]).encode()
    import_runs.import_judge_verdicts(
        database, opened.admin, opened.study_key, name="strict", judge="Judge", content=content,
        file_name="judge.csv", field="score.verdict",
    )  # fmt: skip

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        number = int(payload["candidate"].split()[1])
        return answers(verdict="correct" if person_says(number) else "incorrect", quality=str(1 + number % 3))

    work_through(opened, answer)
    yield opened
    engine.dispose()


@pytest.fixture(scope="module")
def closed(situation: Situation) -> Situation:
    with pytest.raises(NotAllowed):
        calibration.calibration_of(situation.database, situation.admin, situation.study_key)
    data_lock.close_study(situation.database, situation.admin, situation.study_key)
    return situation


@pytest.fixture(scope="module")
def computed(closed: Situation) -> calibration.Calibration:
    return calibration.calibration_of(closed.database, closed.admin, closed.study_key)


def test_the_direction_of_the_judge_is_that_of_the_printed_counts(computed: calibration.Calibration) -> None:
    sentence = computed.panels["direction"].sentence

    assert "stricter" in sentence and "8.8 points" in sentence and "P = .0018" in sentence


def test_a_model_without_human_labels_has_no_corrected_score(computed: calibration.Calibration) -> None:
    of_model = {row.parties[0]: row.estimate for row in computed.panels["corrected"].of(CORRECTED)}

    assert of_model["labelled"].undefined_because is None
    assert "other" not in of_model or of_model["other"].undefined_because is not None


def test_what_stands_in_the_place_of_a_verdict_is_counted_by_its_kind(computed: calibration.Calibration) -> None:
    assert f"Judge: {N // 2} refusals: not scored." in computed.read


def test_uniformity_over_one_validated_model_is_not_estimable_and_over_tiers_is_tested(
    computed: calibration.Calibration,
) -> None:
    said = " ".join((computed.panels["uniformity"].sentence, *computed.panels["uniformity"].refused))

    assert "not estimable" in said
    assert {row.stratum.split()[0] for row in computed.panels["uniformity"].rows} & {"tier"}


def test_the_panels_stand_as_sections_with_the_method_of_each_figure(computed: calibration.Calibration) -> None:
    sections = calibration.sections_of(computed)

    assert [section.short_title[0] for section in sections] == list("12345678")
    rows = [row for section in sections for table in section.tables for row in table.rows]
    assert rows and all(row[-1] for row in rows)


def test_a_figure_shows_the_main_values_of_its_panel_with_their_n(computed: calibration.Calibration) -> None:
    (figure,) = calibration.figures_of(computed.panels["direction"], computed.material.scale)

    assert [round(x, 1) for x in figure.figure.data[0].x] == [round(100 * 12 / 136, 1)]
    assert "136" in str(figure.figure.layout.annotations)
    assert calibration.figures_of(computed.panels["thresholds"], computed.material.scale) == []


def test_a_share_of_the_humans_is_drawn_on_its_whole_scale() -> None:
    rate = undefined("winning rate", 3, "human", "alt-test", "no interval", value=1.0)
    panel = Panel(replacement.KEY, (), (Row(replacement.WINNING, ("Judge",), rate),))

    (figure,) = calibration.figures_of(panel, Scale("binary", ("incorrect", "correct"), ("correct",)))

    assert list(figure.figure.layout.xaxis.range) == [0.0, 1.0]
    # Which stands at its end, and is whole there.
    assert figure.figure.data[0].cliponaxis is False


def test_an_interval_stays_on_one_line_and_a_column_that_says_all_of_every_row_is_left_out(
    computed: calibration.Calibration,
) -> None:
    tables = {table.key: table for section in calibration.sections_of(computed) for table in section.tables}

    titles = {key: [column.title for column in table.columns] for key, table in tables.items()}
    assert "On" in titles["panel_uniformity"] and "On" not in titles["panel_direction"]
    drawn = "".join(table_markup(table) for table in tables.values())
    intervals = re.findall(r"\[[-.\d][^\]<]*\]</td>", drawn)
    assert any(intervals) and not any(" " in interval for interval in intervals)


@pytest.mark.parametrize(
    ("field", "runs", "says"),
    [("score.quality", (), "expected one of score.verdict"), ("score.verdict", ("mild",), "There is no run 'mild'")],
)
def test_what_no_judge_said_is_refused(closed: Situation, field: str, runs: tuple[str, ...], says: str) -> None:
    with pytest.raises(Conflict, match=says):
        calibration.calibration_of(closed.database, closed.admin, closed.study_key, field, runs)


def test_a_rater_has_no_calibration(closed: Situation) -> None:
    with pytest.raises(NotAllowed):
        calibration.calibration_of(closed.database, closed.raters[0], closed.study_key)


def test_a_study_that_marks_answers_after_its_reads_is_calibrated_on_its_scores(closed_ended: StudyWithReads) -> None:
    computed = calibration.calibration_of(closed_ended.database, closed_ended.admin, STUDY)

    # Of the seven candidates with a verdict the judge says of two otherwise than rater 1; the eighth is an error.
    (row,) = computed.panels["ceiling"].of("agreement", parties=("a judge", "Rater 1"), stratum="all")
    assert (computed.field, row.estimate.n, round(row.estimate.value, 6)) == ("scoring", 7, round(5 / 7, 6))
    assert "a judge: 1 error: not scored." in computed.read


@pytest.fixture(scope="module")
def certified(closed: Situation) -> calibration.Certificate:
    return calibration.certify(closed.database, closed.admin, closed.study_key)


def test_a_judge_that_does_not_clear_the_criteria_gets_a_certificate_that_says_so(
    certified: calibration.Certificate,
) -> None:
    document = json.loads(certified.document)

    assert (document["kind"], document["passed"], document["judge"]) == ("judge-certificate", False, "Judge")
    assert document["covered"]["labelled"] == N
    assert "NOT PASSED" in certified.card and "no signature" in certified.card
    # One person has no ceiling, so that agreement is not estimable; 8.8 points are beyond the margin of 5.
    of_result = {row["statistic"]: row["sentence"] for row in document["results"]}
    assert (of_result["agreement"], of_result["direction"]) == ("not estimable", "failed")


def test_a_run_is_held_against_the_certificate_of_a_study_by_item_candidate_and_model(
    certified: calibration.Certificate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(certified.document) | {"passed": True}
    # This judge did not pass: it gets numbers that would.
    for row in document["results"]:
        row["sentence"] = "passed"
        row["estimate"] |= {"low": 0.0, "high": 0.01}
    document["plan"]["criteria"]["fewest_in_stratum"] = 0
    document["digests"] = digests_of(document)
    (tmp_path / "certificate.json").write_text(json.dumps(document), encoding="utf-8")
    lines = [f"q{n},labelled{n},labelled,{1 + n % 3},{'correct' if judge_says(n) else 'incorrect'}" for n in range(N)]
    (tmp_path / "run.csv").write_text("\n".join(["item,candidate,model,tier,Judge", *lines]), encoding="utf-8")

    held = ["check", str(tmp_path / "certificate.json"), str(tmp_path / "run.csv")]

    # The run was imported with neither model nor prompt.
    assert agreement_judge(held) == 2
    assert "does not say the judge's model and the prompt" in capsys.readouterr().out
    status = agreement_judge([*held, "--allow-unsaid"])

    assert status == 0, capsys.readouterr().out
    assert f"of {N} repeated candidates, 0 became incorrect and 0 correct" in capsys.readouterr().out


def test_files_of_judges_are_downloaded_by_admins_alone_with_what_the_page_chose(
    closed: Situation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "database", lambda: closed.database)
    monkeypatch.setattr(gate, "database", lambda: closed.database)
    address = f"/download/{closed.study_key}/judges/judge-certificate"
    admin, rater = (asking(closed.database, login) for login in ("admin", "rater-1"))

    given = admin.get(f"{address}.json?field=score.verdict&run=strict&basis=Rater+1")
    card = admin.get(f"{address}.txt?run=strict")

    assert (given.status_code, given.json()["plan"]["basis"]) == (200, "Rater 1")
    assert given.headers["content-disposition"].endswith('judge-certificate.json"')
    assert card.text.startswith("Certificate of a judge: NOT PASSED")
    assert "no run 'mild'" in admin.get(f"{address}.json?run=mild").text
    assert admin.get(f"{address}.exe").status_code == 404
    assert rater.get(f"{address}.json").status_code == 403
    verdicts = admin.get(f"/download/{closed.study_key}/judges/verdicts.csv?field=score.verdict&run=strict")
    assert verdicts.text.startswith("item,candidate,model") and "Rater 1" in verdicts.text
    assert rater.get(f"/download/{closed.study_key}/judges/verdicts.csv").status_code == 403


def test_the_same_verdicts_opened_again_are_no_further_look_and_further_verdicts_are(closed: Situation) -> None:
    def looks() -> int:
        return calibration.calibration_of(closed.database, closed.admin, closed.study_key).of_judges["Judge"].looks

    def stored() -> int:
        with closed.database.read_only() as session:
            return session.exec(select(func.count()).select_from(CalibrationLook)).one()

    assert (looks(), looks(), stored()) == (1, 1, 1)
    assert verification.verify_study(closed.database, closed.study_key) == []
    lines = [f"q{n},labelled{n},correct" for n in range(N)]
    import_runs.import_judge_verdicts(
        closed.database, closed.admin, closed.study_key, name="lenient", judge="Judge",
        content="\n".join(["item,candidate,verdict", *lines]).encode(), file_name="lenient.csv", field="score.verdict",
        identity=import_runs.Identity(prompt_version="v2"),
    )  # fmt: skip

    both = calibration.calibration_of(closed.database, closed.admin, closed.study_key)

    assert {name: each.looks for name, each in both.of_judges.items()} == {"Judge": 2, "Judge (v2)": 2}
    with pytest.raises(Conflict, match=r"these runs are of Judge, Judge \(v2\); choose runs of one of them"):
        calibration.certify(closed.database, closed.admin, closed.study_key)


def test_what_was_computed_is_taken_again_while_the_data_are_as_they_were(closed: Situation) -> None:
    def calibrated(**asked: Any) -> calibration.Calibration:
        return calibration.calibration_of(closed.database, closed.admin, closed.study_key, **asked)

    first, again, other = calibrated(), calibrated(), calibrated(basis="Rater 1")

    assert first.panels is again.panels and again.read == first.read
    assert other.panels is not first.panels
    # Whoever has no right to it is refused, whatever was computed before.
    with pytest.raises(NotAllowed):
        calibration.calibration_of(closed.database, closed.raters[0], closed.study_key)
    # Two are kept: the third one takes the place of the one that was asked for longest ago.
    calibrated(runs=("strict",))
    assert calibrated(basis="Rater 1").panels is other.panels
    assert calibrated().panels is not first.panels
    lines = [f"q{n},labelled{n},incorrect" for n in range(N)]
    import_runs.import_judge_verdicts(
        closed.database, closed.admin, closed.study_key, name="severe", judge="Severe judge",
        content="\n".join(["item,candidate,verdict", *lines]).encode(), file_name="severe.csv", field="score.verdict",
    )  # fmt: skip
    assert "Severe judge" in calibrated().material.judges


def test_a_study_that_is_opened_again_shuts_what_was_computed(sqlite_database: Database, tmp_path: Path) -> None:
    situation = closed_study(sqlite_database, tmp_path / "study")
    calibration.calibration_of(sqlite_database, situation.admin, STUDY)

    data_lock.reopen_study(sqlite_database, situation.admin, STUDY, "A verdict was missing.")

    with pytest.raises(NotAllowed):
        calibration.calibration_of(sqlite_database, situation.admin, STUDY)


def test_another_choice_of_human_verdicts_is_named_beside_the_figures(closed: Situation) -> None:
    chosen = calibration.calibration_of(
        closed.database, closed.admin, closed.study_key, runs=("strict",), basis="Rater 1"
    )

    assert chosen.bases == ("Rater 1",)
    assert all("Rater 1" in row.basis for row in chosen.panels["corrected"].of(CORRECTED))
    with pytest.raises(Conflict, match="There are no human verdicts 'the eldest'; expected one of Rater 1"):
        calibration.calibration_of(closed.database, closed.admin, closed.study_key, basis="the eldest")


def test_a_file_imported_again_with_what_its_confidence_is_of_is_no_repeat(closed: Situation) -> None:
    content = b"item,candidate,verdict,confidence\n" + b"".join(
        b"q%d,labelled%d,correct,.9\n" % (n, n) for n in range(N)
    )
    for name, confidence_of in (("sure", ""), ("sure of it", "verdict")):
        import_runs.import_judge_verdicts(
            closed.database, closed.admin, closed.study_key, name=name, judge="Sure", content=content,
            file_name="sure.csv", field="score.verdict", asked=sources.asked_of(confidence_of=confidence_of),
        )  # fmt: skip

    runs = ("sure", "sure of it")
    panel = calibration.calibration_of(closed.database, closed.admin, closed.study_key, runs=runs).panels[
        "repeatability"
    ]
    card = calibration.certify(closed.database, closed.admin, closed.study_key, runs=runs).card

    assert panel.rows == ()
    assert panel.refused[0].startswith("sure and sure of it of Sure were read from the same file")
    assert "how many verdicts a later run may change is not said: one run" in card

"""What is asked of a judge's file stands on the study's page; prompts and files on that of the calibration."""

from __future__ import annotations

from pathlib import Path

from db import Database
from services.judging import import_labels, import_runs, scoring
from services.judging.import_runs import Identity
from services.judging.sources import SKIP_ROWS
from services.progress import data_lock
from tests.listed_study import SCORE_ALONE, opened_listed, work_through
from tests.pages.conftest import OpenPage, as_read
from tests.pair_study import opened_pairs
from tests.situations import answers


def test_a_file_of_another_program_is_described_on_the_page_of_the_study(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = opened_listed(served_database, tmp_path / "study", SCORE_ALONE)

    app = open_page(situation.admin, "admin/study.py", study="listed")

    assert not app.exception
    of_judges, of_people = [box for box in app.selectbox if box.label == "Its format"]
    assert of_judges.options == of_people.options == [
        "recognised from the file", "our own columns, as an array", "MARCUS", "NeuroVLM-Bench", "Inspect AI",
        "HealthBench meta-evaluation", "our own columns, with labeller", "mapped columns",
    ]  # fmt: skip
    assert {area.label for area in app.text_area} >= {"Columns", "Words"}
    # A refusal of rows without a candidate names it.
    assert [box.label for box in app.checkbox].count(SKIP_ROWS) == 2


def test_the_calibration_shows_prompts_and_offers_files(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = opened_listed(served_database, tmp_path / "study", SCORE_ALONE)
    for name, prompt in (("v1", "Be strict."), ("v2", "Be fair.")):
        import_runs.import_judge_verdicts(
            served_database, situation.admin, "listed", name=name, judge="Judge", file_name="j.csv",
            content=b"item,candidate,verdict\ni1,k1,1\ni1,k2,0\n", field="score.verdict",
            identity=Identity(prompt=prompt, prompt_version=name),
        )  # fmt: skip
    scoring.score_answers(served_database, situation.admin, "listed", "exact_match", field="score.verdict")
    work_through(situation)
    data_lock.close_study(served_database, situation.admin, "listed")

    app = open_page(situation.admin, "admin/calibration.py", study="listed")

    assert not app.exception and not app.error
    # The judges come before what they rest on, which would fill the first screen.
    written = [each.proto.body for each in app.get("html")]
    looked_for = ("The judges at a glance", "Intervals by resampling")
    places = [next(place for place, body in enumerate(written) if words in body) for words in looked_for]
    assert places[0] < places[1]
    # What is chosen is applied together: each combination that is computed is counted as a look.
    chosen = [next(each for each in app.multiselect if each.label == "Runs")]
    chosen += [each for each in app.selectbox if each.label == "Human verdicts"]
    (show,) = [each for each in app.button if each.label == "Show these"]
    assert {each.proto.form_id for each in (*chosen, show)} == {"chosen-score.verdict"}
    assert chosen[0].proto.wrap, "All runs are in sight."
    assert chosen[1].options[0] == "mean of 2, as usual for this scale"
    assert any("-Be strict.\n+Be fair." in code.value for code in app.code)
    (chosen,) = [group for group in app.get("button_group") if group.label == "Format"]
    chosen.set_value("tidy").run()
    assert not app.exception
    (link,) = [button for button in app.get("link_button") if button.proto.label == "verdicts.csv"]
    assert link.proto.url.startswith("/download/listed/judges/verdicts.csv?field=score.verdict&run=v1")


def test_labels_made_elsewhere_are_imported_and_chosen_on_the_pages_and_marked_there(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = opened_listed(served_database, tmp_path / "study", SCORE_ALONE)
    import_runs.import_judge_verdicts(
        served_database, situation.admin, "listed", name="run", judge="Judge", file_name="j.csv",
        content=b"item,candidate,verdict\ni1,k1,1\ni1,k2,0\n", field="score.verdict",
    )  # fmt: skip
    app = open_page(situation.admin, "admin/study.py", study="listed")
    next(field for field in app.text_input if field.label == "Name of the labels").set_value("sheet")
    next(field for field in app.text_input if field.label == "Labeller").set_value("Dr A")
    next(field for field in app.get("file_uploader") if "labeller" in field.label).upload(
        "labels.csv", b"item,candidate,verdict\ni1,k1,1\ni1,k2,1\n", "text/csv"
    ).run()
    next(each for each in app.button if each.label == "Import labels").click().run()
    assert not app.exception
    done = [as_read(said.value) for said in app.success]
    assert any("made elsewhere, not blinded here: 2 labels of 1 labeller" in said for said in done)
    # The form is far below what is said.
    assert [said.value for said in app.toast] == ["The result is at the top of this page."]
    work_through(situation)
    data_lock.close_study(served_database, situation.admin, "listed")

    app = open_page(situation.admin, "admin/calibration.py", study="listed")

    assert not app.exception and not app.warning
    (people,) = [group for group in app.get("button_group") if group.label == "People"]
    people.set_value("Labels made elsewhere")
    next(each for each in app.button if each.label == "Show these").click().run()
    assert not app.exception
    said = [as_read(warning.value) for warning in app.warning]
    assert said == ["People's labels were made elsewhere, not blinded here."]
    app.toggle[0].set_value(True).run()
    assert any("not blinded here; elsewhere, 'sheet': not known" in code.value for code in app.code)
    assert "(elsewhere)" in "".join(str(html.proto.body) for html in app.get("html"))


def test_a_study_that_nobody_rates_shows_the_labels_made_elsewhere_and_says_of_raters_that_there_are_none(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = opened_listed(served_database, tmp_path / "study", SCORE_ALONE, raters=0)
    for bring_in, more in (
        (import_runs.import_judge_verdicts, {"judge": "Judge"}),
        (import_labels.import_labels, {"labeller": "Dr A"}),
    ):
        bring_in(
            served_database, situation.admin, "listed", name="one", file_name="j.csv", field="score.verdict",
            content=b"item,candidate,verdict\ni1,k1,1\ni1,k2,0\n", **more,
        )  # fmt: skip
    data_lock.close_study(served_database, situation.admin, "listed")

    app = open_page(situation.admin, "admin/calibration.py", study="listed")

    assert not app.exception and not app.error
    (people,) = [group for group in app.get("button_group") if group.label == "People"]
    assert people.value == "Labels made elsewhere"
    people.set_value("Raters of this study")
    next(each for each in app.button if each.label == "Show these").click().run()
    (refusal,) = app.error
    assert as_read(refusal.value) == (
        "Nobody rates score.verdict in this study, so there is nobody to compare judges with: choose labels made "
        "elsewhere: one."
    )


def test_labels_that_were_imported_later_change_no_figure_by_themselves_and_are_named(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = opened_listed(served_database, tmp_path / "study", SCORE_ALONE, raters=0)
    for bring_in, name, who in (
        (import_runs.import_judge_verdicts, "run", "judge"),
        (import_labels.import_labels, "first", "labeller"),
        (import_labels.import_labels, "second", "labeller"),
    ):
        bring_in(
            served_database, situation.admin, "listed", name=name, file_name=f"{name}.csv", field="score.verdict",
            content=b"item,candidate,verdict\ni1,k1,1\ni1,k2,0\n", **{who: name},
        )  # fmt: skip
    data_lock.close_study(served_database, situation.admin, "listed")

    app = open_page(situation.admin, "admin/calibration.py", study="listed")

    assert not app.exception and not app.error
    (chosen,) = [each for each in app.multiselect if each.label == "Labels, where they were made elsewhere"]
    assert chosen.value == ["first"]
    (warning,) = app.warning
    assert as_read(warning.value) == (
        "People's labels were made elsewhere, not blinded here. Shown are first. Also imported, but not shown: second."
    )


def test_pairs_are_imported_by_the_page_of_the_study_and_calibrated_on_theirs(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = opened_pairs(served_database, tmp_path / "study", raters=1)

    app = open_page(situation.admin, "admin/study.py", study="listed")

    assert not app.exception
    (order,) = [box for box in app.selectbox if box.label == "Which lines are read"]
    assert len(order.options) == 3
    (example,) = [code.value for code in app.code if "candidate_a,candidate_b,verdict,shown_first" in code.value]
    pairs = [frozenset(line.split(",")[1:3]) for line in example.splitlines()[1:]]
    # One run may judge a pair once, so that an example with a pair twice would be refused.
    assert len(set(pairs)) == len(pairs) == 2

    import_runs.import_judge_verdicts(
        served_database, situation.admin, "listed", name="v1", judge="Judge", file_name="j.csv",
        content=b"item,candidate_a,candidate_b,verdict,shown_first\ni1,k1a,k1b,a,a\ni1,k1a,k1c,b,b\n",
        field="secret_arm.better",
    )  # fmt: skip
    work_through(situation, lambda _: answers(better="a"))
    data_lock.close_study(served_database, situation.admin, "listed")

    app = open_page(situation.admin, "admin/calibration.py", study="listed")

    assert not app.exception and not app.error
    assert any("what was shown first" in each.proto.body for each in app.get("html"))

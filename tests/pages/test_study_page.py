"""On its page a study is closed with its open work before the eyes, and a draft is renamed or deleted."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from db import Database, Membership, Person
from services.judging import import_runs
from services.people.identity import Actor, login_of
from services.progress import data_lock
from services.reading import member_progress, worklist
from services.studies import catalogue
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.following_study import READ_THEN_RESOLVE, flagging, opened_following, read_through, units_in
from tests.listed_study import READ_THEN_SCORE, SCORE_ALONE, imported_listed, opened_listed, write_listed
from tests.pages.conftest import OpenPage, as_read
from tests.pages.test_pages import payload_on
from tests.situations import imported_study, open_study, owner_of, signed_in, write_study_folder

PAGE = "admin/study.py"
REASON = "The grant ends on Friday."


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()


def columns(app: AppTest) -> list[list[str]]:
    return [list(table.value.columns) for table in app.dataframe]


def test_before_the_freeze_there_is_no_column_of_empty_bars(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = imported_study(served_database, tmp_path / "study")

    before = columns(open_page(situation.admin, PAGE, study="tiny"))[0]
    freezing.freeze_study(served_database, situation.admin, "tiny")

    assert "done" not in before
    assert "count" in before
    assert "done" in columns(open_page(situation.admin, PAGE, study="tiny"))[0]


def test_a_title_stands_as_it_is_written_and_is_no_markdown(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    title = "Who reads ![this](http://elsewhere.example/p.png) and *that*"
    situation = imported_study(served_database, tmp_path / "study", {"title": title})

    headings = [open_page(situation.admin, PAGE, study="tiny").title[0].value]
    headings += [text.value for text in open_page(situation.admin, "admin/studies.py").markdown]

    assert not [words for words in headings if "![this](" in words or "*that*" in words.replace("\\*", "")]
    assert [as_read(words).removeprefix("**").removesuffix("**") for words in headings].count(title) == 2


def test_a_refusal_of_the_freeze_stands_as_it_is_written_and_leads_nowhere(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    named = "[a model](http://elsewhere.example)"
    protocol = SCORE_ALONE.replace("    shows:", f"    from: {{where: {{model: '{named}'}}}}\n    shows:")
    situation = imported_listed(served_database, write_listed(tmp_path / "study", protocol), raters=1)
    app = open_page(situation.admin, PAGE, study="listed")

    next(box for box in app.checkbox if box.label.startswith("I have looked")).check().run()
    press(app, "Freeze and open")

    (refusal,) = (error.value for error in app.error)
    assert f"'{named}'" in as_read(refusal)
    assert named not in refusal and "http://" not in refusal


def test_commands_name_whoever_is_signed_in_where_another_would_act(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    members.invite(served_database, situation.admin, "tiny", "ben", "Ben", "admin")
    first = login_of(served_database, situation.admin)

    def commands(actor: Actor) -> list[str]:
        app = open_page(actor, PAGE, study="tiny")
        return [caption.value for caption in app.caption if "blinding-audit" in caption.value]

    assert commands(signed_in(served_database, "ben"))[0].endswith("blinding-audit tiny --as ben`")
    assert first not in commands(situation.admin)[0].split("blinding-audit")[1]


def test_open_work_stands_before_the_button_that_closes(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, PAGE, study="tiny")

    assert any("There is open work for 2 people" in warning.value for warning in app.warning)
    table = next(table.value for table in app.dataframe if "open work" in table.value.columns)
    assert list(table["open work"])[:2] == ["6 of 6 items not read"] * 2

    above = list(app.main.children.values())
    press(app, "Close the study")
    # The tabs keep their place in the page, or the browser would go back to the first of them.
    assert [type(element) for element in app.main.children.values()] == [type(element) for element in above]
    assert "a reason of at least 10 characters is needed" in as_read(app.error[0].value)
    app.text_input(key="close-reason").input(REASON).run()
    press(app, "Close the study")

    assert catalogue.study_line(served_database, situation.admin, "tiny").state == "closed"
    assert data_lock.events_of(served_database, situation.admin, "tiny")[-1].reason == REASON
    assert not any("open work" in names for names in columns(app))


def test_nobody_is_invited_without_a_name_and_earlier_letters_claim_nothing_else(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, PAGE, study="tiny")
    for name, login in (("Nora", "nora"), ("", "olaf")):
        next(field for field in app.text_input if field.label == "Name").input(name)
        next(field for field in app.text_input if field.label == "Login").input(login)
        app.number_input[0].set_value(6)
        press(app, "Create invitation link")

    said = [as_read(element.value) for element in (*app.warning, *app.error)]
    assert "Nobody was invited." in said
    assert "The name is empty; write the name that they and admins see." in said
    assert not [element.value for element in app.success if element.value.startswith("Invited.")]
    assert any(caption.value.startswith("Letters of those who were invited before.") for caption in app.caption)
    with served_database.read_only() as session:
        invited = select(Membership.years).join(Person).where(Person.login == "nora")
        assert session.exec(invited).all() == [6]


@pytest.mark.parametrize(
    ("listed", "phase"), [(True, "1. Scores (score)"), (False, "1. Read items (reading)")], ids=["listed", "not listed"]
)
def test_the_protocol_is_read_back_phase_by_phase_beside_the_freeze(
    served_database: Database, open_page: OpenPage, tmp_path: Path, listed: bool, phase: str
) -> None:
    owner = owner_of(served_database)
    folder = write_study_folder(tmp_path / "study")
    if listed:
        write_listed(folder, SCORE_ALONE)
    key = importing.import_study(served_database, owner, folder).study_key

    app = open_page(owner, PAGE, study=key)

    box = next(part for part in app.expander if part.label == "What happens in this study, phase by phase")
    said = [paragraph.value.replace("\\", "") for paragraph in box.markdown]
    assert said[said.index(f"**{phase}**") + 1].startswith("- All ")


def test_a_draft_is_renamed_on_its_page(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    owner = owner_of(served_database)
    importing.import_study(served_database, owner, write_study_folder(tmp_path / "study"))
    app = open_page(owner, PAGE, study="tiny")

    app.text_input(key="draft-title").input("MS lesions 2026")
    app.text_input(key="draft-key").input("ms-2026")
    press(app, "Rename")

    assert app.title[0].value == "MS lesions 2026"
    assert [line.key for line in catalogue.studies_of(served_database, owner)] == ["ms-2026"]


def test_a_draft_is_deleted_on_its_page(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    owner = owner_of(served_database)
    importing.import_study(served_database, owner, write_study_folder(tmp_path / "study"))
    app = open_page(owner, PAGE, study="tiny")
    assert next(button for button in app.button if button.label == "Delete the draft").disabled

    next(box for box in app.checkbox if box.label.startswith("Delete everything")).check().run()
    press(app, "Delete the draft")

    assert catalogue.studies_of(served_database, owner) == []
    assert app.title[0].value == "Studies"
    assert [as_read(notice.value) for notice in app.success] == ["The draft 'tiny' is deleted."]


def test_a_member_is_removed_on_the_page(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    situation = imported_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, PAGE, study="tiny")

    app.selectbox(key="remove-login").select("rater-1").run()
    press(app, "Remove")

    lines = member_progress.progress_of_members(served_database, situation.admin, "tiny")
    assert [line.pseudonym for line in lines] == ["Rater 2", "Reviewer 1"]
    assert as_read(app.success[0].value) == "Rater 1 was removed from the study."


def test_the_preview_steps_to_the_neighbours_and_finds(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = imported_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, "admin/preview.py", study="tiny")
    assert next(button for button in app.button if button.label == "Previous item").disabled

    press(app, "Next item")
    assert app.query_params["item"] in ("i2", ["i2"])

    app.text_input[0].input("i5").run()
    app.selectbox[0].select("i5").run()
    assert app.query_params["item"] in ("i5", ["i5"])
    assert any("`i5`" in text.value for text in app.markdown)


def test_the_preview_shows_the_phase_that_is_chosen(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    write_listed(tmp_path / "study", READ_THEN_SCORE)
    situation = imported_listed(served_database, tmp_path / "study")
    app = open_page(situation.admin, "admin/preview.py", study="listed")
    box = next(box for box in app.selectbox if box.label == "Phase")
    first = payload_on(app)["payload"]

    box.select("score").run()

    scored = payload_on(app)["payload"]
    assert box.options == ["Reads", "A second look", "Scores"]
    assert app.query_params["phase"] in ("score", ["score"])
    assert [first["candidate"], scored["candidate"]] == [None, "Yes, there is."]  # type: ignore[index]
    assert scored["prompt"] == "Does it say the same as the reference?"  # type: ignore[index]


def test_the_files_of_a_judges_run_are_imported_with_the_name_of_the_judge_and_leaves_the_form(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, PAGE, study="tiny")
    verdicts = [
        (f"judge-{number}.csv", f"item,candidate,verdict\ni1,k{number},correct\n".encode(), "text/csv")
        for number in (1, 2)
    ]

    def field(label: str) -> TextInput:
        return next(field for field in app.text_input if field.label == label)

    field("Name of the run").input("first")
    app.file_uploader[0].set_value(verdicts)
    app.run()
    press(app, "Import")
    assert "The name of the judge is missing" in as_read(app.error[0].value)
    assert import_runs.judge_runs_of(served_database, situation.admin, "tiny") == []

    field("Judge").input("A model, 2026-11")
    app.run()
    press(app, "Import")
    (run,) = import_runs.judge_runs_of(served_database, situation.admin, "tiny")
    assert (run.name, run.judge, run.files, run.judged) == ("first", "A model, 2026-11", 2, 2)
    assert [field("Name of the run").value, field("Judge").value] == ["", ""]


def test_a_phase_from_whose_answers_others_follow_is_closed_with_a_reason(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = opened_following(served_database, tmp_path / "study")
    read_through(situation, situation.raters[0], {"i1": flagging})
    app = open_page(situation.admin, PAGE, study="listed")

    press(app, "Close the phase")
    refused = [as_read(error.value) for error in app.error]
    app.text_input(key="close-phase-reason").input("One reader has left the hospital.")
    press(app, "Close the phase")

    assert refused == ["A reason of at least 10 characters is needed; it is stored with the study."]
    assert "“Reads” is closed: what is unanswered in it stays unanswered. Units drawn from its answers: 1." in [
        as_read(said.value) for said in app.success
    ]
    assert units_in(situation, "resolve", situation.raters[2]) == {"i1"}
    assert not [button for button in app.button if button.label == "Close the phase"]


def test_a_second_press_does_not_close_the_next_phase_for_the_reason_of_the_first(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    awaiting = """
  - key: check
    rates: items
    shows: [prompt, reference]
    form: {hard: yes_no}
    by: curators
    opens: {after: resolve, done_by: everyone}
    counts: no
"""
    protocol = READ_THEN_RESOLVE.rstrip() + awaiting
    situation = opened_following(served_database, tmp_path / "study", protocol)
    read_through(situation, situation.raters[0], {"i1": flagging})
    app = open_page(situation.admin, PAGE, study="listed")
    app.text_input(key="close-phase-reason").input("One reader has left the hospital.")

    press(app, "Close the phase")
    press(app, "Close the phase")

    assert [as_read(error.value) for error in app.error] == [
        "A reason of at least 10 characters is needed; it is stored with the study."
    ]
    assert [button for button in app.button if button.label == "Close the phase"]


def test_a_phase_that_waits_for_an_admin_is_opened_with_a_reason(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    later = SCORE_ALONE.rstrip("\n") + "\n    opens: {by_admin: yes}\n"
    situation = opened_listed(served_database, tmp_path / "study", later, raters=1)
    app = open_page(situation.admin, PAGE, study="listed")

    press(app, "Open the phase")
    refused = [as_read(error.value) for error in app.error]
    app.text_input(key="open-phase-reason").input("The first session is over.")
    press(app, "Open the phase")

    assert refused == ["A reason of at least 10 characters is needed; it is stored with the study."]
    assert "Opened. Its people find it on their worklists." in [as_read(said.value) for said in app.success]
    assert [desk.waits_for for desk in worklist.desks_of(served_database, situation.raters[0])] == [""]
    assert not [button for button in app.button if button.label == "Open the phase"]

"""What each page shows, and that a refusal is one sentence instead of a trace."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.study.verification_view import spoken_age
from db import Database
from services.people import accounts, identity
from services.progress import data_lock
from services.reading import instructions
from services.studies import catalogue
from services.studies.membership import invitations, removing
from tests.pages.conftest import OpenPage, as_read
from tests.room_study import reading_rules, room_study
from tests.situations import imported_study, open_study, read_all


def texts_on(app: AppTest) -> str:
    """Return all that a page says, as one text."""
    said = [
        element.value
        for kind in ("title", "markdown", "caption", "info", "error", "warning", "success")
        for element in app.get(kind)
    ]
    return "\n".join(str(text) for text in said)


def payload_on(app: AppTest) -> dict[str, object]:
    """Return what the reading room was handed."""
    component = app.get("bidi_component")[0]
    payload: dict[str, object] = json.loads(component.proto.json)
    return payload


def test_without_a_login_session_the_script_stops(open_page: OpenPage) -> None:
    app = open_page(None)

    assert "You are signed out" in texts_on(app)
    assert not app.get("bidi_component")


def test_after_signing_out_the_next_run_stops(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.raters[0])
    identity.sign_out(served_database, situation.raters[0].login_session_id)

    app.run()

    assert "You are signed out" in texts_on(app)
    assert not app.button


def test_a_rater_begins_at_the_worklist(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    situation = open_study(served_database, tmp_path / "study")

    app = open_page(situation.raters[0])

    assert app.title[0].value == "Worklist"
    assert "**Read items** · A tiny study" in texts_on(app)
    assert [button.label for button in app.button if button.key != "sign-out"].count("Start") == 1


def test_a_rater_who_has_read_everything_gets_back_to_what_may_be_revised(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = room_study(served_database, tmp_path / "study", protocol=reading_rules(revision="study"))
    rater = situation.raters[0]
    assert [button.label for button in open_page(rater).button].count("Look at your items") == 0
    instructions.acknowledge_instructions(served_database, rater, "tiny", "reading")
    read_all(situation, rater)

    app = open_page(rater)
    next(button for button in app.button if button.label == "Look at your items").click().run()

    handed = payload_on(app)
    assert (handed["payload"]["kind"], handed["payload"]["revisable"]) == ("done", 6)  # type: ignore[index]
    assert handed["earlier"] is True
    entered = open_page(rater, "rater/room.py", study="tiny", phase="reading")
    assert payload_on(entered)["earlier"] is False


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("never", "Once submitted, an answer can no longer be changed."),
        ("session", "until you sign out"),
        ("study", "at the latest when the study closes"),
    ],
)
def test_the_page_before_the_items_says_how_long_answers_can_be_changed(
    served_database: Database, open_page: OpenPage, tmp_path: Path, rule: str, said: str
) -> None:
    situation = room_study(served_database, tmp_path / "study", protocol=reading_rules(revision=rule))

    app = open_page(situation.raters[0], "rater/room.py", study="tiny", phase="reading")

    assert app.title[0].value == "Before you begin"
    assert said in texts_on(app)


def test_who_was_removed_from_their_only_study_is_told_so_and_nothing_else(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    removing.remove_member(served_database, situation.admin, situation.study_key, "rater-1")

    removed, member = (open_page(rater, "rater/worklist.py") for rater in situation.raters[:2])

    assert [info.value for info in removed.info] == [
        "You are no longer a member of a study. If you did not expect this, ask the study's admin."
    ]
    assert not member.info


def test_the_instructions_come_once(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.raters[0], "rater/room.py", study="tiny", phase="reading")
    assert app.title[0].value == "Before you begin"

    next(button for button in app.button if button.label.startswith("I have read")).click().run()

    assert app.get("bidi_component")
    again = open_page(situation.raters[0], "rater/room.py", study="tiny", phase="reading")
    assert again.get("bidi_component")


def test_the_room_is_handed_the_item_and_nothing_else(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.raters[0], "rater/room.py", study="tiny", phase="reading")
    next(button for button in app.button if button.label.startswith("I have read")).click().run()

    data = payload_on(app)

    assert set(data) == {"payload", "bundle", "pages", "earlier"}
    assert data["payload"]["phase"] == "reading"  # type: ignore[index]
    assert data["payload"]["reference"] is None  # type: ignore[index]


def test_a_study_that_is_not_theirs_is_refused_in_one_sentence(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")

    app = open_page(situation.raters[0], "rater/room.py", study="another", phase="reading")

    assert [as_read(error.value) for error in app.error] == ["This study does not exist, or you have no access to it."]


def test_an_unknown_phase_is_refused_in_one_sentence(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")

    app = open_page(situation.raters[0], "rater/room.py", study="tiny", phase="nonsense")

    assert len(app.error) == 1
    assert not app.exception


def test_an_admin_begins_at_the_studies(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    situation = open_study(served_database, tmp_path / "study")

    app = open_page(situation.admin)

    assert app.title[0].value == "Studies"
    assert "**A tiny study**" in texts_on(app)


def test_a_study_is_frozen_on_its_page(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    situation = imported_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, "admin/study.py", study="tiny")
    app.checkbox[0].check().run()

    next(button for button in app.button if button.label == "Freeze and open").click().run()

    assert "Frozen and open" in texts_on(app)
    assert catalogue.study_line(served_database, situation.admin, "tiny").state == "open"


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()


def letters_on(app: AppTest) -> list[str]:
    return [code.value for code in app.code if "/link/" in code.value]


def test_an_invitation_gives_a_letter_and_empties_the_form(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, "admin/study.py", study="tiny")
    app.text_input(key="invite-name-tiny-0").input("Rita Resident")
    app.text_input(key="invite-login-tiny-0").input("rita")

    press(app, "Create invitation link")

    (letter,) = letters_on(app)
    assert letter.startswith('Dear Rita Resident,\n\nyou are invited to the study "A tiny study"')
    assert app.text_input(key="invite-login-tiny-1").value == ""
    links = [line.login for line in invitations.links_of(served_database, situation.admin, "tiny")]
    assert links.count("rita") == 1


def test_a_second_press_makes_no_second_link(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, "admin/study.py", study="tiny")
    app.text_input(key="invite-name-tiny-0").input("Rita Resident")
    app.text_input(key="invite-login-tiny-0").input("rita")
    press(app, "Create invitation link")
    before = letters_on(app)

    press(app, "Create invitation link")

    assert letters_on(app) == before
    links = [line.login for line in invitations.links_of(served_database, situation.admin, "tiny")]
    assert links.count("rita") == 1


def test_letters_stay_when_others_are_invited_and_a_new_link_replaces_its_own(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, "admin/study.py", study="tiny")
    for round_, (login, name) in enumerate((("rita", "Rita"), ("ben", "Ben"), ("rita", "Rita"))):
        app.text_input(key=f"invite-name-tiny-{round_}").input(name)
        app.text_input(key=f"invite-login-tiny-{round_}").input(login)
        press(app, "Create invitation link")

    letters = letters_on(app)

    assert [letter.splitlines()[0] for letter in letters] == ["Dear Rita,", "Dear Ben,"]
    for letter in letters:
        token = letter.split("/link/")[1].split()[0]
        assert identity.look_at_link(served_database, token) is not None


def test_a_closed_study_offers_no_role_that_nobody_can_be_given(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    data_lock.close_study(served_database, situation.admin, "tiny", "Nobody goes on reading this study.")

    app = open_page(situation.admin, "admin/study.py", study="tiny")

    assert app.selectbox(key="invite-role-tiny-0").options == ["reviewer", "admin"]
    assert "rater" not in app.text_area(key="invite-lines-tiny-0").placeholder
    assert "at least 10 characters" in app.text_input(key="reopen-reason").label


def test_several_people_are_invited_at_once_or_nobody(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, "admin/study.py", study="tiny")
    app.text_area(key="invite-lines-tiny-0").input("rita, Rita\nben, Ben, king\n, Nobody")
    press(app, "Invite all")
    refused, said = [as_read(error.value) for error in app.error], [warning.value for warning in app.warning]
    app.text_area(key="invite-lines-tiny-0").input("rita, Rita\nben, Ben, reviewer")
    press(app, "Invite all")

    assert [sentence.split(":")[0] for sentence in refused] == ["Line 2", "Line 3"]
    assert "Nobody was invited." in said
    assert len(letters_on(app)) == 2


def test_an_owner_locks_people_on_a_page(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, "admin/people.py")
    app.selectbox(key="person").select("rater-1").run()

    press(app, "Lock")

    assert "is locked" in app.success[0].value
    lines = {line.login: line.locked_at for line in accounts.people_of(served_database, situation.admin)}
    assert (lines["rater-1"] is not None, lines["rater-2"]) == (True, None)
    assert [button.label for button in app.button] == ["Unlock", "Sign out everywhere"]


def test_owners_lock_themselves_only_after_they_have_said_so(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, "admin/people.py")
    (own,) = (line.login for line in accounts.people_of(served_database, situation.admin) if line.is_self)
    app.selectbox(key="person").select("rater-1").run()
    of_another = ([button.disabled for button in app.button], len(app.checkbox))
    app.selectbox(key="person").select(own).run()
    before = app.button[0].disabled

    app.checkbox[0].check().run()

    assert of_another == ([False, False], 0)
    assert (app.button[0].label, before, app.button[0].disabled) == ("Lock", True, False)


def test_commands_that_pages_name_work_on_the_data_folder_of_the_server(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    pages = [
        open_page(situation.admin, "admin/people.py"),
        open_page(situation.admin, "admin/study.py", study="tiny"),
        open_page(situation.admin, "admin/import_study.py"),
    ]

    for app, command in zip(pages, ("owner LOGIN --name NAME", "verify tiny", "import FOLDER"), strict=True):
        assert f"`{sys.executable} manage.py --data-dir {served_database.data_dir} {command}`" in texts_on(app)


def test_progress_is_shown_without_any_answer(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    situation = open_study(served_database, tmp_path / "study")
    read_all(situation, situation.raters[0], by_prompt={"Prompt of i5?": "an unmistakable answer"})

    app = open_page(situation.admin, "admin/study.py", study="tiny")

    table = app.dataframe[0].value
    assert list(table.loc[table["pseudonym"] == "Rater 1", "count"]) == ["6 of 6", "0 of 4"]
    assert "unmistakable" not in table.to_csv()


def test_the_preview_shows_the_raters_own_payload(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = imported_study(served_database, tmp_path / "study")

    app = open_page(situation.admin, "admin/preview.py", study="tiny")

    payload = payload_on(app)["payload"]
    assert payload["phase"] == "preview"  # type: ignore[index]
    assert payload["prompt"] == "Prompt of i1?"  # type: ignore[index]


def test_a_study_says_when_it_was_verified_last_and_what_does_not_hold(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, "admin/study.py", study="tiny")
    assert "Not verified yet" in texts_on(app)
    damaged = next(served_database.volume_dir.rglob("*.nii.gz"))

    next(button for button in app.button if button.label == "Verify now").click().run()
    whole = texts_on(app)
    damaged.write_bytes(b"damaged")
    next(button for button in app.button if button.label == "Verify now").click().run()

    assert "Last verified just now: no problems." in whole
    assert "Part of this study has changed" not in whole
    assert "Last verified just now: 1 problem." in texts_on(app)
    assert "The prepared file of volume 'c" in as_read(app.error[-1].value)


@pytest.mark.parametrize(
    ("age", "spoken"),
    [
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=3, minutes=50), "3 hours ago"),
        (timedelta(days=2, hours=1), "2 days ago"),
        (timedelta(seconds=-5), "just now"),
    ],
)
def test_the_age_of_a_verification_is_told_in_its_largest_unit(age: timedelta, spoken: str) -> None:
    assert spoken_age(age) == spoken


def test_a_closed_study_that_is_opened_by_its_address_is_no_error(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = open_study(served_database, tmp_path / "study")
    instructions.acknowledge_instructions(served_database, situation.raters[0], "tiny", "reading")
    data_lock.close_study(served_database, situation.admin, "tiny")

    app = open_page(situation.raters[0], "rater/room.py", study="tiny", phase="reading")

    assert [as_read(info.value) for info in app.info] == ["This study is closed; no more verdicts are accepted."]
    assert not app.error


def test_whoever_was_locked_stands_first(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    situation = open_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, "admin/people.py")

    app.selectbox(key="person").set_value("rater-2").run()
    press(app, "Lock")

    assert app.dataframe[0].value["login"].iloc[0] == "rater-2"
    assert app.success[0].value.startswith("`` rater-2 `` is locked")

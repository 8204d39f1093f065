"""Closing a phase that others wait for everybody to finish, since somebody will not finish it."""

from __future__ import annotations

from pathlib import Path

import pytest

from components import worklist_view
from db import Database
from services.errors import Conflict, NotFound, NotOnTheDesk
from services.people.identity import Actor
from services.progress import data_lock
from services.reading import instructions, settling, worklist
from services.record import verification
from services.studies.membership import members
from tests.listed_study import TWO_GROUPS, any_answers, closed_tables, opened_listed
from tests.situations import Situation, on_the_desk, read_all, show, signed_in, submit
from tests.versioned_study import corrected_prompt, new_version

REASON = "One reader has left the hospital."
WAITING = TWO_GROUPS.replace("    by: scorers\n", "    by: scorers\n    opens: {after: read}\n", 1)
WITH_MORE = WAITING.replace(
    "    by: residents\n", "    by: residents\n    then: {shows: [reference], again: yes}\n"
).replace("shows: [scans, prompt, options]", "shows: [prompt, options]")
GROUPS = ["residents", "residents", "scorers"]


def opened(database: Database, folder: Path, protocol: str = WAITING) -> Situation:
    return opened_listed(database, folder, protocol, groups=GROUPS)


def close(situation: Situation, phase: str = "read", reason: str = REASON) -> dict[str, int]:
    return settling.close_phase(situation.database, situation.admin, "listed", phase, reason)


def read_some(situation: Situation, rater: Actor, most: int | None = None) -> None:
    instructions.acknowledge_instructions(situation.database, rater, "listed", "part-1")
    if most is None:
        read_all(situation, rater, "part-1")
        return
    for _ in range(most):
        payload = on_the_desk(situation, rater, "part-1")
        show(situation, rater, payload)
        submit(situation, rater, payload, any_answers(payload))


def waits(situation: Situation, rater: Actor) -> list[str]:
    return [desk.waits_for for desk in worklist.desks_of(situation.database, rater)]


def test_what_waited_for_everybody_opens_and_nothing_more_is_answered_before_it(
    database: Database, tmp_path: Path
) -> None:
    situation = opened(database, tmp_path / "study")
    first, second, scorer = situation.raters
    read_some(situation, first)
    read_some(situation, second, most=1)
    payload = on_the_desk(situation, second, "part-1")
    show(situation, second, payload)
    before = waits(situation, scorer)

    drawn = close(situation)

    assert drawn == {}
    assert [bool(said) for said in before] == [True, True]
    assert waits(situation, scorer) == ["", "“More scores” opens once you are done with what comes before it."]
    with pytest.raises(NotOnTheDesk, match="This part was closed before your answer was saved"):
        submit(situation, second, payload, any_answers(payload))
    ended = on_the_desk(situation, second, "part-1")
    assert (ended["kind"], ended["title"], ended["progress"]) == ("done", "Closed: Reads", {"done": 1, "total": 1})
    assert ended["message"].startswith(
        "This part was closed before you had answered all of it. What you submitted is saved"
    )
    assert on_the_desk(situation, first, "part-1")["title"] == "Done: Reads"
    said = [worklist_view.progress_text(worklist.desks_of(database, rater)[0]) for rater in (first, second)]
    assert said == ["All 6 done. Thank you.", "1 of 6 done. This part is closed; nothing more is needed."]
    read_all(situation, scorer, "part-1")
    statuses = [row["status"] for row in closed_tables(situation)["verdicts.csv"] if row["phase"] == "read"]
    assert (statuses.count("answered"), statuses.count("missing")) == (7, 5)
    assert verification.verify_study(database, "listed") == []


def test_what_a_version_replaced_is_not_cut_off_once_more_by_closing_its_phase(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened(sqlite_database, tmp_path / "study")
    new_version(situation, tmp_path / "study", corrected_prompt)

    close(situation)

    said = worklist_view.progress_text(worklist.desks_of(sqlite_database, situation.raters[0])[0])
    assert said == "0 of 6 done. This part is closed; nothing more is needed."


def test_a_phase_without_any_answer_can_be_closed_if_no_units_follow_from_it(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened(sqlite_database, tmp_path / "study")

    close(situation)

    assert waits(situation, situation.raters[2])[0] == ""


def test_places_that_nobody_fills_are_no_longer_waited_for(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = WAITING.replace("{residents: Residents,", "{residents: {title: Residents, people: 3},")
    situation = opened(sqlite_database, tmp_path / "study", protocol)
    for reader in situation.raters[:2]:
        read_some(situation, reader)
    before = waits(situation, situation.raters[2])[0]

    close(situation)

    assert before and waits(situation, situation.raters[2])[0] == ""


def test_a_rater_who_joins_later_gets_nothing_of_a_closed_phase(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened(sqlite_database, tmp_path / "study")
    read_some(situation, situation.raters[0], most=1)
    close(situation)

    members.invite(sqlite_database, situation.admin, "listed", "late", "Late", "rater", group="residents")

    (desk,) = worklist.desks_of(sqlite_database, signed_in(sqlite_database, "late"))
    assert (desk.total, desk.waits_for) == (0, "")
    assert waits(situation, situation.raters[2])[0] == ""


def test_second_steps_of_others_are_waited_for_and_closed_with_the_first(database: Database, tmp_path: Path) -> None:
    situation = opened(database, tmp_path / "study", WITH_MORE)
    first, second, scorer = situation.raters
    read_some(situation, first)
    read_some(situation, second, most=11)
    payload = on_the_desk(situation, second, "part-1")
    show(situation, second, payload)
    before = waits(situation, scorer)[0]

    close(situation)

    assert payload["own"] and before
    events = data_lock.events_of(database, situation.admin, "listed")
    assert [event.kind for event in events if event.reason] == ["close phase read"]
    assert waits(situation, scorer)[0] == ""
    assert on_the_desk(situation, second, "part-1")["kind"] == "done"
    with pytest.raises(NotOnTheDesk, match="This part was closed before your answer was saved"):
        submit(situation, second, payload, any_answers(payload))


def test_phases_to_close_are_those_that_others_wait_for(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened(sqlite_database, tmp_path / "study")

    assert settling.phases_to_close(sqlite_database, situation.admin, "listed") == {"read": "Reads"}
    with pytest.raises(NotFound, match="No phase waits until everybody is done with 'score'; phases wait for: read"):
        close(situation, "score")
    close(situation)
    assert settling.phases_to_close(sqlite_database, situation.admin, "listed") == {}
    with pytest.raises(Conflict, match="Phase 'read' is already closed"):
        close(situation)

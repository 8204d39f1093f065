"""What comes next is said with a number and a time of one's own, where something does come, and holds nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from components import worklist_view
from db import Database
from services.errors import NotAllowed
from services.progress import data_lock
from services.reading import instructions, pace, worklist
from tests.blinding.columns import take_the_guards_away
from tests.room_study import practise, practising
from tests.situations import Situation, on_the_desk, open_study, read_all, show, submit


def say_how_long(situation: Situation, milliseconds: int) -> None:
    """Let every verdict so far have taken so long."""
    with situation.database.engine.connect() as connection:
        take_the_guards_away(connection)
        connection.execute(text("UPDATE verdict SET active_ms = :ms").bindparams(ms=milliseconds))
        connection.commit()


def test_end_of_the_reads_names_the_answers_to_score_and_how_long_they_take(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    read_all(situation, rater)
    say_how_long(situation, 90_000)

    payload = on_the_desk(situation, rater)

    assert payload["next"] == {
        "title": "Score 4 answers",
        "about": "about 6 min at the pace of your reading",
        "place": "reading?study=tiny&phase=scoring",
    }
    assert "close this page" not in payload["message"]


def test_nothing_is_next_when_the_answers_are_scored(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    read_all(situation, rater)
    instructions.acknowledge_instructions(database, rater, "tiny", "scoring")
    read_all(situation, rater, "scoring")

    for queue in ("reading", "scoring"):
        payload = on_the_desk(situation, rater, queue)
        assert payload["next"] is None
        assert "you may close this page" in payload["message"]


def test_a_study_without_scores_ends_with_its_reads(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study", {"scoring": None})
    rater = situation.raters[0]
    read_all(situation, rater)

    assert on_the_desk(situation, rater)["next"] is None


def test_reviewer_whose_queue_is_empty_for_now_is_not_sent_home(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")

    payload = on_the_desk(situation, situation.reviewer, "review")

    assert payload["title"] == "Your queue is empty for now"
    assert payload["next"] == {"title": "Look again", "about": "", "place": "reading?study=tiny&phase=review"}


def test_first_item_behind_the_practice_says_how_many_come(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study")
    rater = situation.raters[0]
    assert on_the_desk(situation, rater)["ahead"] is None
    practise(situation, rater)
    say_how_long(situation, 61_000)

    ahead = on_the_desk(situation, rater)["ahead"]

    assert ahead == {
        "title": "Read 6 items",
        "about": "about 7 min at the pace of your practice",
        "place": None,
        "heading": "Practice is complete",
        "message": "You had 4 of 4 right. From now on your answers count.",
    }
    read_all(situation, rater)


def test_only_the_first_item_behind_a_practice_announces_anything(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study")
    rater = situation.raters[0]
    practise(situation, rater)

    first = on_the_desk(situation, rater)
    show(situation, rater, first)
    submit(situation, rater, first)

    assert on_the_desk(situation, rater)["ahead"] is None


def test_worklist_says_how_many_answers_are_to_be_scored(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]

    def said(queue: str) -> str:
        [desk] = [desk for desk in worklist.desks_of(database, rater) if desk.queue.key == queue]
        return worklist_view.progress_text(desk)

    assert said("scoring") == "0 of 4 done, 4 answers to score. Scoring opens once you have read all your items."
    read_all(situation, rater)
    say_how_long(situation, 20 * 60_000)
    assert said("scoring") == "0 of 4 done, 4 answers to score, about 1 h 30 min at the pace of your reading"


def test_own_pace_is_nobody_elses(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    read_all(situation, situation.raters[0])
    say_how_long(situation, 90_000)

    def about(actor: Any) -> list[str]:
        return [desk.about for desk in worklist.desks_of(database, actor)]

    assert any(about(situation.raters[0]))
    assert not any(about(situation.raters[1]))


def test_nothing_is_promised_where_the_study_is_closed(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    read_all(situation, rater)
    data_lock.close_study(database, situation.admin, "tiny")

    assert [desk.about for desk in worklist.desks_of(database, rater)] == ["", ""]
    with pytest.raises(NotAllowed):
        on_the_desk(situation, rater)


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(1, "1 min"), (61_000, "2 min"), (560_000, "10 min"), (26 * 60_000, "30 min"), (58 * 60_000, "1 h"),
     (61 * 60_000, "1 h 15 min"), (200 * 60_000, "3 h 30 min")],
)  # fmt: skip
def test_time_is_said_as_people_say_it(milliseconds: int, words: str) -> None:
    assert pace.duration(milliseconds) == words

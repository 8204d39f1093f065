"""The reviewers' queue: the right items, blind first, opinions as A and B, decisions for good."""

from __future__ import annotations

import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from sqlmodel import select

from db import Assignment, Database, Membership, ReviewTask
from db.engine import make_engine
from services.adjudication.review_queue import QueueSummary, open_review_queue
from services.errors import Conflict, NotAllowed
from services.people.identity import Actor
from services.progress import data_lock
from services.reading import submission
from services.studies.membership import members
from tests.harness import databases
from tests.services.adjudication.reviewing import FIRST_SAYS, SECOND_SAYS, open_queue, queue_of, read_by_both
from tests.situations import (
    Situation,
    answers,
    any_answers,
    imported_study,
    on_the_desk,
    open_study,
    read_all,
    show,
    signed_in,
    submit,
)


@pytest.fixture(scope="module")
def shuffled_queues(
    _opened_once: Situation, tmp_path_factory: pytest.TempPathFactory
) -> list[list[tuple[str, str, list[int]]]]:
    """Item, origin and opinion order of the same queue, opened in copies that differ in the protocol's seed."""
    folder = tmp_path_factory.mktemp("seeds")
    shutil.copytree(_opened_once.database.data_dir, folder / "read")
    engine = make_engine(databases.sqlite_url(folder / "read" / "blindread.db"))
    read_by_both(replace(_opened_once, database=Database(engine, folder / "read")))
    engine.dispose()
    return [_queue_with_seed(_opened_once, folder, seed) for seed in range(20, 38)]


def _queue_with_seed(situation: Situation, folder: Path, seed: int) -> list[tuple[str, str, list[int]]]:
    copy = folder / f"seed-{seed}"
    copy.mkdir()
    shutil.copyfile(folder / "read" / "blindread.db", copy / "blindread.db")
    engine = make_engine(databases.sqlite_url(copy / "blindread.db"))
    with engine.begin() as connection:
        connection.exec_driver_sql(
            f"UPDATE protocol SET canonical_json = replace(canonical_json, '\"seed\":7', '\"seed\":{seed}')"
        )
    database = Database(engine, copy)
    open_queue(replace(situation, database=database))
    with database.read_only() as session:
        orders = session.exec(
            select(ReviewTask.opinion_order)
            .join(Assignment, Assignment.id == ReviewTask.review_assignment_id)
            .order_by(Assignment.position)
        ).all()
    queue = [(key, origin, order) for (key, origin), order in zip(queue_of(database), orders, strict=True)]
    engine.dispose()
    return queue


# ---- what is in the queue --------------------------------------------------------------------------------------------


def test_flagged_and_differing_items_and_controls_are_in_the_queue(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    read_by_both(situation)

    summary = open_queue(situation)

    assert summary == QueueSummary(flagged=1, disagreed=1, controls=1, not_yet_read=0)
    origins = dict(queue_of(database))
    assert (origins.pop("i1"), origins.pop("i2")) == ("flag", "disagreement")
    assert list(origins.values()) == ["control"]
    assert set(origins) <= {"i3", "i4", "i5", "i6"}


def test_the_same_answer_in_other_words_is_no_disagreement(opened: Situation) -> None:
    read_by_both(opened, {"Prompt of i5?": "The Cyst!"}, {"Prompt of i5?": "cyst"})

    assert open_queue(opened) == QueueSummary(0, 0, 0, 0)


def test_not_assessable_differs_from_an_answer_but_not_from_another_reason(
    sqlite_database: Database, tmp_path: Path
) -> None:
    reasons = [{"id": "quality", "text": "Quality"}, {"id": "history", "text": "History"}]
    situation = open_study(sqlite_database, tmp_path / "study", {"reading": {"not_assessable": reasons}})
    quality = {**answers(), "not_assessable": "quality"}
    history = {**answers(), "not_assessable": "history"}
    read_by_both(situation, {"Prompt of i1?": quality, "Prompt of i2?": quality}, {"Prompt of i1?": history})

    open_queue(situation)

    assert [key for key, origin in queue_of(sqlite_database) if origin == "disagreement"] == ["i2"]


def test_without_anything_to_adjudicate_there_are_no_controls(opened: Situation) -> None:
    read_by_both(opened, {}, {})

    assert open_queue(opened) == QueueSummary(0, 0, 0, 0)
    assert queue_of(opened.database) == []


@pytest.mark.parametrize(("wanted", "taken"), [(0, 0), (2, 2), (50, 4)])
def test_as_many_controls_as_the_protocol_says_or_as_there_are(
    sqlite_database: Database, tmp_path: Path, wanted: int, taken: int
) -> None:
    rules = {"instructions": "Read it first.", "controls": wanted}
    situation = open_study(sqlite_database, tmp_path / "study", {"adjudication": rules})
    read_by_both(situation)

    assert open_queue(situation).controls == taken


def test_a_queue_to_which_nothing_came_says_what_it_waits_for(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")

    assert open_queue(situation).in_words == "Nothing was sent: 6 items still wait for a rater."


def test_items_that_a_rater_has_not_closed_are_left_out_and_come_later(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    read_all(situation, situation.raters[0], by_prompt=FIRST_SAYS)
    read = []
    for _ in range(3):
        payload = on_the_desk(situation, situation.raters[1])
        show(situation, situation.raters[1], payload)
        submit(situation, situation.raters[1], payload, any_answers(payload, SECOND_SAYS.get(payload["prompt"])))
        read.append(payload["prompt"].removeprefix("Prompt of ").removesuffix("?"))

    early = open_queue(situation)
    queued_early = queue_of(database)
    read_all(situation, situation.raters[1], by_prompt=SECOND_SAYS)
    late = open_queue(situation)

    assert (early.not_yet_read, late.not_yet_read) == (3, 0)
    assert {key for key, _ in queued_early} <= set(read)
    assert queue_of(database)[: len(queued_early)] == queued_early
    origins = [origin for _, origin in queue_of(database)]
    assert (origins.count("flag"), origins.count("disagreement")) == (1, 1)
    assert early.flagged + late.flagged == early.disagreed + late.disagreed == 1
    # One control is wanted, and one at least goes along whenever something comes to the queue.
    assert [early.controls, late.controls] == [
        int(opening.flagged + opening.disagreed > 0) for opening in (early, late)
    ]


def test_opening_the_queue_again_adds_nothing_twice(opened: Situation) -> None:
    read_by_both(opened)
    open_queue(opened)
    before = queue_of(opened.database)

    assert open_queue(opened) == QueueSummary(0, 0, 0, 0)
    assert queue_of(opened.database) == before


def test_admins_who_press_at_once_do_not_queue_an_item_twice(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    read_by_both(situation)

    with ThreadPoolExecutor(4) as pool:
        summaries = list(pool.map(lambda _: open_queue(situation), range(4)))

    assert sum(summary.flagged for summary in summaries) == 1
    assert len(queue_of(database)) == 3


def test_an_item_that_could_not_be_shown_to_anybody_is_not_in_the_queue(opened: Situation) -> None:
    for rater in opened.raters:
        while (payload := on_the_desk(opened, rater))["kind"] == "item":
            if payload["prompt"] == "Prompt of i2?":
                submission.report_failure(opened.database, rater, payload["assignment"], "The scan did not load.")
                continue
            show(opened, rater, payload)
            given = FIRST_SAYS if rater is opened.raters[0] else SECOND_SAYS
            wanted = given.get(payload["prompt"])
            submit(opened, rater, payload, wanted if isinstance(wanted, dict) else any_answers(payload, wanted))

    open_queue(opened)

    assert "i2" not in dict(queue_of(opened.database))


def test_the_place_in_the_queue_tells_nothing_about_the_origin(
    shuffled_queues: list[list[tuple[str, str, list[int]]]],
) -> None:
    at_place = [Counter(queue[place][1] for queue in shuffled_queues) for place in range(3)]

    assert all(set(origins) == {"flag", "disagreement", "control"} for origins in at_place)
    assert len({key for queue in shuffled_queues for key, origin, _ in queue if origin == "control"}) > 1


def test_several_reviewers_share_the_items(opened: Situation) -> None:
    members.invite(opened.database, opened.admin, "tiny", "second", "Second Reviewer", "reviewer")
    second = signed_in(opened.database, "second")
    read_by_both(opened)
    open_queue(opened)

    totals = [on_the_desk(opened, reviewer, "review")["progress"]["total"] for reviewer in (opened.reviewer, second)]

    assert sorted(totals) == [1, 2]


# ---- refusals --------------------------------------------------------------------------------------------------------


def test_a_queue_needs_rules_a_reviewer_and_an_open_study(sqlite_database: Database, tmp_path: Path) -> None:
    draft = imported_study(sqlite_database, tmp_path / "draft", key="draft")
    with pytest.raises(Conflict, match="only while the study is open"):
        open_review_queue(sqlite_database, draft.admin, "draft")
    without_rules = open_study(sqlite_database, tmp_path / "bare", {"adjudication": None}, key="bare")
    with pytest.raises(Conflict, match="has no adjudication"):
        open_review_queue(sqlite_database, without_rules.admin, "bare")


def test_a_closed_study_opens_no_queue(opened: Situation) -> None:
    read_by_both(opened)
    data_lock.close_study(opened.database, opened.admin, "tiny")

    with pytest.raises(Conflict, match="only while the study is open"):
        open_queue(opened)


def test_only_the_admin_opens_the_queue(opened: Situation) -> None:
    for other in (*opened.raters, opened.reviewer):
        with pytest.raises(NotAllowed):
            open_review_queue(opened.database, other, "tiny")


def test_who_is_a_differs_from_item_to_item(shuffled_queues: list[list[tuple[str, str, list[int]]]]) -> None:
    first_is_a = Counter(order == sorted(order) for queue in shuffled_queues for _, _, order in queue)

    # 54 tosses of a fair coin: standard deviation 3.7, so four of them on either side.
    assert 12 < first_is_a[True] < 42


def test_opening_the_queue_while_raters_submit_stops_nobody(database: Database, tmp_path: Path) -> None:
    """The queue locks the study, a verdict the audit chain, and both need a little of the other."""
    situation = open_study(database, tmp_path / "study")
    for number in range(3, 7):
        members.invite(database, situation.admin, "tiny", f"rater-{number}", f"Rater {number}", "rater")
    raters: list[Actor] = [*situation.raters, *(signed_in(database, f"rater-{number}") for number in range(3, 7))]

    with ThreadPoolExecutor(8) as pool:
        reads = [pool.submit(read_all, situation, rater) for rater in raters]
        openings = [pool.submit(open_queue, situation) for _ in range(30)]
        receipts = [receipt for read in reads for receipt in read.result()]
        for opening in openings:
            opening.result()

    assert len({receipt.receipt for receipt in receipts}) == len(raters) * 6


def test_the_reviewer_is_never_a_rater(opened: Situation) -> None:
    with opened.database.read_only() as session:
        roles = Counter(session.exec(select(Membership.role)).all())

    assert roles == {"admin": 1, "rater": 2, "reviewer": 1}

"""The demo study, taken to the points at which it is photographed, through the use cases themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from db import Database
from services.adjudication import review_queue
from services.people.identity import Actor
from services.reading import submission
from tests.main_job.contents import item_on_screen
from tests.main_job.plan import READS, REVIEWS, Read

STUDY = "demo"
REASONED = "Both readers see it; the images leave no doubt."


def read_until(database: Database, rater: Actor, name: str, key: str) -> None:
    """Let a rater read, as the end-to-end test plans it, until an item is on the desk."""
    while (item := _on_the_desk(database, rater)) is not None and item != key:
        _read(database, rater, READS[name][item])


def read_everything(database: Database, rater: Actor, name: str) -> None:
    """Let a rater read all that is left."""
    while (item := _on_the_desk(database, rater)) is not None:
        _read(database, rater, READS[name][item])


def bring_to_review(database: Database, admin: Actor, reviewer: Actor, key: str) -> None:
    """Fill the reviewer's queue, and let the reviewer decide until the opinions on an item are on the desk."""
    review_queue.open_review_queue(database, admin, STUDY)
    while True:
        payload = _payload(database, reviewer, "review")
        item = item_on_screen(payload["prompt"], payload["context"]["vignette"])
        if payload["phase"] == "opinions" and item.key == key:
            return
        planned = REVIEWS[item.key]
        answer = planned.own if payload["phase"] == "review" else planned.decision
        extra = {"confidence": "4"} if payload["phase"] == "review" else {"reason": REASONED}
        _submit(database, reviewer, payload, _answers(answer, extra))


def _on_the_desk(database: Database, rater: Actor) -> str | None:
    payload = _payload(database, rater, "reading")
    if payload["kind"] == "done":
        return None
    return item_on_screen(payload["prompt"], payload["context"]["vignette"]).key


def _read(database: Database, rater: Actor, read: Read) -> None:
    payload = _payload(database, rater, "reading")
    if read.failure:
        submission.report_failure(database, rater, payload["assignment"], "The images arrived incomplete.")
        return
    given = _answers(read.answer, {"confidence": str(read.confidence)}, read.not_assessable)
    given |= {"comment": read.comment}
    given |= {"flag": {"id": read.flag[0], "note": read.flag[1]} if read.flag else None}
    _submit(database, rater, payload, given)


def _payload(database: Database, actor: Actor, queue: str) -> dict[str, Any]:
    return submission.current_payload(database, actor, STUDY, queue)


def _answers(answer: str | None, extra: Mapping[str, str], reason: str | None = None) -> dict[str, Any]:
    fields = {} if answer is None else {"answer": answer, **extra}
    apart = (reason or "history") if answer is None else None
    return {"fields": fields, "not_assessable": apart, "comment": "", "flag": None}


def _submit(database: Database, actor: Actor, payload: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    assignment = payload["assignment"]
    submission.record_display(database, actor, assignment, load_ms=400, renderer="canvas", viewport="1440x900")
    submission.submit(database, actor, assignment, payload["key"], given)

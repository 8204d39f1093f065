"""A stand-in for the server: the routes that the reading room talks to, with made-up items and faults on demand.

What the room gets is built by `services.reading.blinding`, as in the application, and what is refused is refused by its
rules and in its words; only the rows are made up.

``GET /try/log`` tells what was posted; ``POST /try/fault {"route", "status", "times", "body"}`` makes the next answers
of a route fail; ``POST /try/restart {"items": [...]}`` starts over with the named items; ``POST /try/expire`` makes all
addresses of scans that were handed out so far invalid; ``POST /try/sign-in`` begins another login session.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from components.viewer import bundle_path
from server.reading_room import refused
from services.errors import Refused
from services.installation.tokens import Keys
from services.people import acts
from services.reading import blinding
from services.reading.answers import check_answers, is_repeated_draft, is_repeated_submission
from services.reading.payloads import (
    AnyItemPayload,
    DraftPayload,
    Payload,
    RevisablePayload,
    RevisionRule,
    SummaryPayload,
)
from services.reading.route_answers import (
    DamageAnswer,
    DraftAnswer,
    FailureAnswer,
    ReopenAnswer,
    ResumeAnswer,
    RevisableAnswer,
    ScansAnswer,
    ShownAnswer,
    VerdictAnswer,
)
from tests.components.reading_server.items import made_up
from tests.components.reading_server.made_up import MadeUp, ReadableKeys, feedback_on
from tests.components.reading_server.made_volumes import volume as volume_of

HERE = Path(__file__).parent


SALT = "5a" * 32
SIGNED_IN_AT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
SHOWN_AT, DRAFTED_AT, SAVED_AT = (datetime(2026, 11, 20, 10, 3, second, tzinfo=UTC) for second in (20, 21, 22))


@dataclass
class Submitted:
    """A verdict as the stand-in keeps it."""

    item: MadeUp
    key: str
    content_sha256: str
    receipt: str
    answers: dict[str, Any]
    active_ms: int


class Desk:
    """What the server knows: the items still to be read, the drafts, and what was posted."""

    def __init__(self) -> None:
        self.restart(os.environ.get("TRY_ITEMS", "plain,second").split(","))

    def restart(self, names: list[str], revision: RevisionRule = "never") -> None:
        self.revision = revision
        self.submitted: dict[str, Submitted] = {}
        self.before: set[str] = set()
        self.hour = 0
        self.queue = [made_up(name, position) for position, name in enumerate(names)]
        self.total = len(self.queue)
        self.last = self.queue[-1].assignment
        self.log: list[dict[str, Any]] = []
        self.faults: list[dict[str, Any]] = []
        self.drafts: dict[str, DraftPayload] = {}
        self.superseded: list[Submitted] = []
        self.failed: set[str] = set()
        self.revised = ""

    @property
    def keys(self) -> Keys:
        """What derives the names that are good at this hour."""
        return ReadableKeys(SALT, login_session_id=1, hour=self.hour)

    @property
    def progress(self) -> tuple[int, int]:
        return self.total - len(self.queue), self.total

    def payload(self) -> Payload:
        if not self.queue:
            message = "You have read all items of this list. Thank you."
            return blinding.done_payload(
                "Thank you",
                message,
                self.progress,
                self.last,
                self.summary(),
                self.open_to_revision(),
                revision_rule=self.revision,
            )
        current, *following = self.queue
        draft = self.drafts.get(current.assignment) or blinding.draft_payload(0, {})
        prefetch = following[0].volume_ids if following else []
        return current.payload(
            self.keys,
            self.progress,
            draft,
            revisable=self.open_to_revision(),
            revision_rule=self.revision,
            prefetch=prefetch,
        )

    def open_to_revision(self) -> int | None:
        return len(self.revisable) if self.revision != "never" else None

    @property
    def revisable(self) -> list[tuple[int, Submitted]]:
        """What may be revised, each with its place: with the rule "session", of this login session only."""
        settled = self.before if self.revision == "session" else set()
        numbered = enumerate(self.submitted.items(), 1)
        return [(number, entry) for number, (assignment, entry) in numbered if assignment not in settled]

    def sign_in_again(self) -> None:
        self.before = set(self.submitted)

    def summary(self) -> SummaryPayload:
        times = [entry.active_ms for entry in self.submitted.values()]
        median = sorted(times)[len(times) // 2] if times else None
        return blinding.summary_payload(len(times), sum(times), median, SIGNED_IN_AT)

    def verdicts(self) -> list[RevisablePayload]:
        return [
            entry.item.listed(number, entry.receipt, SAVED_AT, entry.answers)
            for number, entry in reversed(self.revisable)
        ]

    def reopened(self, assignment: str) -> AnyItemPayload:
        entry, draft = self.submitted[assignment], self.drafts.get(assignment)
        return entry.item.payload(
            self.keys,
            self.progress,
            blinding.draft_payload(draft["sequence"] if draft else 0, entry.answers),
            revisable=self.open_to_revision(),
            revision_rule=self.revision,
            revision=blinding.revision_payload(entry.receipt, SAVED_AT),
            prefetch=[],
        )

    def volumes(self, assignment: str) -> ScansAnswer:
        payload = self.reopened(assignment) if assignment in self.submitted else self.payload()
        if payload["kind"] == "done":
            return {"images": None, "prefetch": []}
        return {"images": payload["images"], "prefetch": payload["prefetch"]}

    def state(self, assignment: str) -> str:
        """Where an assignment stands, in the words of `acts.STATES`."""
        if self.queue and self.queue[0].assignment == assignment:
            return "on the desk"
        if assignment == self.revised:
            return "being revised"
        if assignment in self.submitted:
            return "done"
        return "not shown" if assignment in self.failed else "waiting"

    def save_draft(self, body: dict[str, Any]) -> DraftAnswer:
        assignment, sequence, answers = body["assignment"], body["sequence"], body["answers"]
        acts.require(acts.DRAFT, self.state(assignment))
        draft = self.drafts.get(assignment)
        if not is_repeated_draft((draft["sequence"], draft["answers"]) if draft else None, sequence, answers):
            self.drafts[assignment] = blinding.draft_payload(sequence, answers)
        return DraftAnswer(sequence=sequence, saved_at=DRAFTED_AT.isoformat(timespec="seconds"))

    def submit(self, body: dict[str, Any]) -> VerdictAnswer:
        """Close an item by a verdict; the same with the same key a second time changes nothing."""
        assignment, key, state = body["assignment"], body["key"], self.state(body["assignment"])
        item = self.submitted[assignment].item if assignment in self.submitted else self.queue[0]
        stored = [entry for entry in [*self.superseded, *self.submitted.values()] if entry.item is item]
        verdict = next((entry for entry in stored if entry.key == key), None)
        if verdict is None or not is_repeated_submission(item.form, body["answers"], verdict.content_sha256):
            acts.require(acts.SUBMIT, state if verdict is None else "done")
            content_sha256 = check_answers(item.form, body["answers"]).content_sha256()
            receipt = f"7K2M-{len(self.superseded) + len(self.submitted):04d}"
            verdict = Submitted(item, key, content_sha256, receipt, body["answers"], body["active_ms"])
            self.superseded += [entry for entry in [self.submitted.get(assignment)] if entry is not None]
            self.submitted[assignment] = verdict
            self.revised = ""
            self.queue = [entry for entry in self.queue if entry is not item]
        answer: VerdictAnswer = {
            "receipt": verdict.receipt,
            "saved_at": SAVED_AT.isoformat(timespec="seconds"),
            "next": self.payload(),
        }
        if item.practice:
            answer["feedback"] = feedback_on(body["answers"])
        return answer

    def give_up(self, body: dict[str, Any]) -> FailureAnswer:
        assignment = body["assignment"]
        if assignment not in self.failed:
            acts.require(acts.GIVE_UP, self.state(assignment))
            self.failed.add(assignment)
            self.queue = self.queue[1:]
        return FailureAnswer(saved_at=SAVED_AT.isoformat(timespec="seconds"), next=self.payload())

    def answer(self, route: str, body: dict[str, Any]) -> Mapping[str, object]:
        """Do what was posted, and return what is answered; `Refused` where the application refuses it."""
        match route:
            case "shown":
                acts.require(acts.SHOW, self.state(body["assignment"]))
                return ShownAnswer(shown_at=SHOWN_AT.isoformat(timespec="seconds"))
            case "damage":
                return DamageAnswer()
            case "draft":
                return self.save_draft(body)
            case "reopen":
                self.revised = body["assignment"]
                return ReopenAnswer(payload=self.reopened(self.revised))
            case "resume":
                self.revised = ""
                return ResumeAnswer(payload=self.payload())
            case "failure":
                return self.give_up(body)
            case _:
                return self.submit(body)

    def fault(self, route: str) -> Response | None:
        for fault in self.faults:
            if fault["route"] == route and fault["times"] > 0:
                fault["times"] -= 1
                return JSONResponse(fault.get("body") or {"error": "Made to fail."}, status_code=fault["status"])
        return None


desk = Desk()


async def posted(request: Request) -> Response:
    route = request.path_params["route"]
    body = await request.json()
    answer = desk.fault(route)
    if answer is None:
        try:
            answer = JSONResponse(desk.answer(route, body))
        except Refused as refusal:
            answer = refused(refusal, desk.payload)
    desk.log.append({"route": route, "body": body, "status": answer.status_code})
    return answer


async def fetched(request: Request) -> JSONResponse | Response:
    route = request.path_params["route"]
    failed = desk.fault(route)
    if failed:
        return failed
    assignment = request.query_params["assignment"]
    desk.log.append({"route": route, "body": {"assignment": assignment}, "status": 200})
    if route == "scans":
        return JSONResponse(desk.volumes(assignment))
    if route == "revisable":
        return JSONResponse(RevisableAnswer(verdicts=desk.verdicts()))
    return JSONResponse(desk.summary())


async def volume(request: Request) -> Response:
    failed = desk.fault("volume")
    if failed:
        return failed
    token, hour = request.path_params["token"].split("~")
    if int(hour) < desk.hour:
        return JSONResponse({"error": "This volume is not available to you at the moment."}, status_code=404)
    desk.log.append({"route": "volume", "body": token, "status": 200})
    content = gzip.compress(volume_of(token), 1)
    return Response(content, media_type="application/octet-stream", headers={"Content-Encoding": "gzip"})


async def bundle(request: Request) -> Response:
    return Response(bundle_path().read_bytes(), media_type="text/javascript")


BARE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Reading room</title><link rel="icon" href="data:,">
<body style="margin: 8px"><div id="host"></div>
<script type="module">
  import { mount } from "/assets/viewer/room.mjs";
  const element = document.createElement("div");
  document.getElementById("host").attachShadow({ mode: "open" }).append(element);
  const earlier = new URLSearchParams(location.search).has("earlier");
  mount(element, { payload: await (await fetch("/try/payload")).json(), base: `${location.origin}/`, earlier });
</script></body></html>"""


async def bare(request: Request) -> HTMLResponse:
    """The room without Streamlit round it: what most tests need, in a tenth of the time."""
    return HTMLResponse(BARE)


async def payload(request: Request) -> JSONResponse:
    return JSONResponse(desk.payload())


async def log(request: Request) -> JSONResponse:
    return JSONResponse(desk.log)


async def make_fault(request: Request) -> JSONResponse:
    desk.faults.append(await request.json())
    return JSONResponse({})


async def expire(request: Request) -> JSONResponse:
    desk.hour += 1
    return JSONResponse({})


async def restart(request: Request) -> JSONResponse:
    asked = await request.json()
    desk.restart(asked["items"], asked.get("revision", "never"))
    return JSONResponse({})


async def sign_in(request: Request) -> JSONResponse:
    desk.sign_in_again()
    return JSONResponse({})


st.desk = desk  # type: ignore[attr-defined]  # the page script runs in this process and has no other way to the desk

app = st.App(
    str(HERE / "page" / "script.py"),
    routes=[
        Route("/reading/volume/{token}", volume),
        Route("/reading/{route}", posted, methods=["POST"]),
        Route("/reading/{route}", fetched),
        Route("/assets/viewer/{file}", bundle),
        Route("/try/bare", bare),
        Route("/try/payload", payload),
        Route("/try/log", log),
        Route("/try/fault", make_fault, methods=["POST"]),
        Route("/try/expire", expire, methods=["POST"]),
        Route("/try/sign-in", sign_in, methods=["POST"]),
        Route("/try/restart", restart, methods=["POST"]),
    ],
)

"""A stand-in for the server: the routes that the reading room talks to, with made-up items and faults on demand.

What the room gets is built by `services.reading.blinding`, as in the application; only the rows are made up.

``GET /try/log`` tells what was posted; ``POST /try/fault {"route", "status", "times", "body"}`` makes the next answers
of a route fail; ``POST /try/restart {"items": [...]}`` starts over with the named items; ``POST /try/expire`` makes all
addresses of scans that were handed out so far invalid; ``POST /try/sign-in`` begins another login session.
"""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from components.viewer import bundle_path
from services.installation.tokens import Keys
from services.reading import blinding
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
        self.receipts: dict[str, str] = {}

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
        entry = self.submitted[assignment]
        return entry.item.payload(
            self.keys,
            self.progress,
            blinding.draft_payload(0, entry.answers),
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

    def submit(self, body: dict[str, Any], route: str) -> VerdictAnswer:
        """Close an item by a verdict or a failure; the same key a second time changes nothing."""
        assignment, key = body["assignment"], body["key"]
        feedback = None
        if key not in self.receipts:
            receipt = self.receipts[key] = f"7K2M-{len(self.receipts):04d}"
            read = [*self.queue, *(entry.item for entry in self.submitted.values())]
            item = next((entry for entry in read if entry.assignment == assignment), None)
            if route == "verdict" and item is not None:
                self.submitted[assignment] = Submitted(item, receipt, body["answers"], body["active_ms"])
                feedback = feedback_on(body["answers"]) if item.practice else None
            self.queue = [entry for entry in self.queue if entry.assignment != assignment]
        answer: VerdictAnswer = {
            "receipt": self.receipts[key],
            "saved_at": SAVED_AT.isoformat(timespec="seconds"),
            "next": self.payload(),
        }
        if feedback is not None:
            answer["feedback"] = feedback
        return answer

    def fault(self, route: str) -> Response | None:
        for fault in self.faults:
            if fault["route"] == route and fault["times"] > 0:
                fault["times"] -= 1
                return JSONResponse(fault.get("body") or {"error": "Made to fail."}, status_code=fault["status"])
        return None


desk = Desk()


async def posted(request: Request) -> JSONResponse | Response:
    route = request.path_params["route"]
    body = await request.json()
    answer = desk.fault(route)
    desk.log.append({"route": route, "body": body, "status": answer.status_code if answer else 200})
    if answer:
        return answer
    if route == "shown":
        return JSONResponse(ShownAnswer(shown_at=SHOWN_AT.isoformat(timespec="seconds")))
    if route == "damage":
        return JSONResponse(DamageAnswer())
    if route == "draft":
        desk.drafts[body["assignment"]] = blinding.draft_payload(body["sequence"], body["answers"])
        saved_at = DRAFTED_AT.isoformat(timespec="seconds")
        return JSONResponse(DraftAnswer(sequence=body["sequence"], saved_at=saved_at))
    if route == "reopen":
        return JSONResponse(ReopenAnswer(payload=desk.reopened(body["assignment"])))
    if route == "resume":
        return JSONResponse(ResumeAnswer(payload=desk.payload()))
    answered = desk.submit(body, route)
    if route == "failure":
        return JSONResponse(FailureAnswer(saved_at=answered["saved_at"], next=answered["next"]))
    return JSONResponse(answered)


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

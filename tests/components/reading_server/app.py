"""A stand-in for the server: the routes that the reading room talks to, with made-up items and faults on demand.

``GET /try/log`` tells what was posted; ``POST /try/fault {"route", "status", "times", "body"}`` makes the next answers
of a route fail; ``POST /try/restart {"items": [...]}`` starts over with the named items; ``POST /try/expire`` makes all
addresses of scans that were handed out so far invalid.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path
from typing import Any

import items as items_module
import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from components.viewer import bundle_path

HERE = Path(__file__).parent


class Desk:
    """What the server knows: the items still to be read, the drafts, and what was posted."""

    def __init__(self) -> None:
        self.restart(os.environ.get("TRY_ITEMS", "plain,second").split(","))

    def restart(self, names: list[str], revisable: bool = False) -> None:
        self.revisable = revisable
        self.submitted: dict[str, dict[str, Any]] = {}
        self.revised: str | None = None
        self.hour = 0
        self.queue = [items_module.item(name, position) for position, name in enumerate(names)]
        self.total = len(self.queue)
        self.last = self.queue[-1]["assignment"]
        self.log: list[dict[str, Any]] = []
        self.faults: list[dict[str, Any]] = []
        self.drafts: dict[str, dict[str, Any]] = {}
        self.receipts: dict[str, dict[str, Any]] = {}

    def payload(self) -> dict[str, Any]:
        progress = {"done": self.total - len(self.queue), "total": self.total}
        if not self.queue:
            message = "You have read all items of this list. Thank you."
            done = {
                "kind": "done",
                "assignment": self.last,
                "title": "Thank you",
                "message": message,
                "progress": progress,
            }
            return done | {"summary": self.summary(), "revisable": self.open_to_revision()}
        current = json.loads(json.dumps(self.queue[0]))
        current["progress"] = progress
        current["revisable"] = self.open_to_revision()
        if current["assignment"] in self.drafts:
            current["draft"] = self.drafts[current["assignment"]]
        if len(self.queue) > 1 and self.queue[1]["images"]:
            current["prefetch"] = [
                volume["url"] for pane in self.queue[1]["images"]["panes"] for volume in pane["volumes"]
            ]
        return self.at_this_hour(current)

    def at_this_hour(self, payload: dict[str, Any]) -> dict[str, Any]:
        """Give the scans of a payload the addresses that are good now."""
        after: dict[str, Any] = json.loads(
            re.sub(r'"(reading/volume/[^"]+)"', rf'"\1~{self.hour}"', json.dumps(payload))
        )
        return after

    def open_to_revision(self) -> int:
        return len(self.submitted) if self.revisable else 0

    def summary(self) -> dict[str, Any]:
        times = [entry["active_ms"] for entry in self.submitted.values()]
        median = sorted(times)[len(times) // 2] if times else None
        return {"items": len(times), "active_ms": sum(times), "median_ms": median, "since": "2026-11-20T09:30:00Z"}

    def verdicts(self) -> list[dict[str, Any]]:
        return [
            {
                "assignment": assignment,
                "label": f"Item {number}",
                "prompt": entry["item"]["prompt"],
                "text": entry["item"].get("text", {}),
                "receipt": entry["receipt"],
                "saved_at": "2026-11-20T10:03:22Z",
                "lines": [[key.capitalize(), str(value)] for key, value in entry["answers"]["fields"].items()],
            }
            for number, (assignment, entry) in reversed(list(enumerate(self.submitted.items(), 1)))
        ]

    def reopened(self, assignment: str) -> dict[str, Any]:
        entry = self.submitted[assignment]
        payload: dict[str, Any] = json.loads(json.dumps(entry["item"]))
        payload["key"] = f"revision-{len(self.receipts)}"
        payload["progress"] = {"done": self.total - len(self.queue), "total": self.total}
        payload["revision"] = {"receipt": entry["receipt"], "saved_at": "2026-11-20T10:03:22Z"}
        payload["draft"] = {"sequence": 0, "answers": entry["answers"]}
        return self.at_this_hour(payload)

    def scans(self, assignment: str) -> dict[str, Any]:
        entry = self.submitted.get(assignment)
        payload = self.payload() if entry is None else self.at_this_hour(json.loads(json.dumps(entry["item"])))
        return {"images": payload["images"], "prefetch": payload["prefetch"]}

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
        return JSONResponse({"shown_at": "2026-11-20T10:03:20Z"})
    if route == "draft":
        desk.drafts[body["assignment"]] = {"sequence": body["sequence"], "answers": body["answers"]}
        return JSONResponse({"sequence": body["sequence"], "saved_at": "2026-11-20T10:03:21Z"})
    if route == "reopen":
        return JSONResponse({"payload": desk.reopened(body["assignment"])})
    if route == "resume":
        return JSONResponse({"payload": desk.payload()})
    feedback = {}
    if body["key"] not in desk.receipts:
        desk.receipts[body["key"]] = {"receipt": f"7K2M-{len(desk.receipts):04d}", "saved_at": "2026-11-20T10:03:22Z"}
        receipt = desk.receipts[body["key"]]["receipt"]
        for item in desk.queue:
            if item["assignment"] == body["assignment"] and route == "verdict":
                desk.submitted[body["assignment"]] = {"item": item}
                if item.get("practice"):
                    right = body["answers"]["fields"].get("answer") == "yes"
                    feedback = {"feedback": {"correct": right, "lines": items_module.EXPLANATION}}
        if body["assignment"] in desk.submitted:
            desk.submitted[body["assignment"]] |= {
                "answers": body["answers"],
                "receipt": receipt,
                "active_ms": body["active_ms"],
            }
        desk.queue = [item for item in desk.queue if item["assignment"] != body["assignment"]]
    return JSONResponse({**desk.receipts[body["key"]], **feedback, "next": desk.payload()})


async def told(request: Request) -> JSONResponse | Response:
    route = request.path_params["route"]
    failed = desk.fault(route)
    if failed:
        return failed
    assignment = request.query_params["assignment"]
    desk.log.append({"route": route, "body": {"assignment": assignment}, "status": 200})
    if route == "scans":
        return JSONResponse(desk.scans(assignment))
    return JSONResponse({"verdicts": desk.verdicts()} if route == "revisable" else desk.summary())


async def volume(request: Request) -> Response:
    failed = desk.fault("volume")
    if failed:
        return failed
    token, hour = request.path_params["token"].split("~")
    if int(hour) < desk.hour:
        return JSONResponse({"error": "There is no such volume for you now."}, status_code=404)
    desk.log.append({"route": "volume", "body": token, "status": 200})
    content = gzip.compress(items_module.volume(token), 1)
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
  mount(element, { payload: await (await fetch("/try/payload")).json(), base: `${location.origin}/` });
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
    desk.restart(asked["items"], asked.get("revisable", False))
    return JSONResponse({})


st.desk = desk  # type: ignore[attr-defined]  # the page script runs in this process and has no other way to the desk

app = st.App(
    str(HERE / "page" / "script.py"),
    routes=[
        Route("/reading/volume/{token}", volume),
        Route("/reading/{route}", posted, methods=["POST"]),
        Route("/reading/{route}", told),
        Route("/assets/viewer/{file}", bundle),
        Route("/try/bare", bare),
        Route("/try/payload", payload),
        Route("/try/log", log),
        Route("/try/fault", make_fault, methods=["POST"]),
        Route("/try/expire", expire, methods=["POST"]),
        Route("/try/restart", restart, methods=["POST"]),
    ],
)

"""A stand-in for the server: the routes that the reading room talks to, with made-up items and faults on demand.

``GET /try/log`` tells what was posted; ``POST /try/fault {"route", "status", "times", "body"}`` makes the next answers
of a route fail; ``POST /try/restart {"items": [...]}`` starts over with the named items.
"""

from __future__ import annotations

import gzip
import json
import os
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

    def restart(self, names: list[str]) -> None:
        self.queue = [items_module.item(name, position) for position, name in enumerate(names)]
        self.total = len(self.queue)
        self.log: list[dict[str, Any]] = []
        self.faults: list[dict[str, Any]] = []
        self.drafts: dict[str, dict[str, Any]] = {}
        self.receipts: dict[str, dict[str, Any]] = {}

    def payload(self) -> dict[str, Any]:
        progress = {"done": self.total - len(self.queue), "total": self.total}
        if not self.queue:
            message = "You have read all items of this list. Thank you."
            return {"kind": "done", "title": "Thank you", "message": message, "progress": progress}
        current = json.loads(json.dumps(self.queue[0]))
        current["progress"] = progress
        if current["assignment"] in self.drafts:
            current["draft"] = self.drafts[current["assignment"]]
        if len(self.queue) > 1 and self.queue[1]["images"]:
            current["prefetch"] = [
                volume["url"] for pane in self.queue[1]["images"]["panes"] for volume in pane["volumes"]
            ]
        return current

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
    if body["key"] not in desk.receipts:
        desk.receipts[body["key"]] = {"receipt": f"7K2M-{len(desk.receipts):04d}", "saved_at": "2026-11-20T10:03:22Z"}
        desk.queue = [item for item in desk.queue if item["assignment"] != body["assignment"]]
    return JSONResponse({**desk.receipts[body["key"]], "next": desk.payload()})


async def volume(request: Request) -> Response:
    failed = desk.fault("volume")
    if failed:
        return failed
    desk.log.append({"route": "volume", "body": request.path_params["token"], "status": 200})
    content = gzip.compress(items_module.volume(request.path_params["token"]), 1)
    return Response(content, media_type="application/octet-stream", headers={"Content-Encoding": "gzip"})


async def bundle(request: Request) -> Response:
    return Response(bundle_path().read_bytes(), media_type="text/javascript")


BARE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Reading room</title><link rel="icon" href="data:,">
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


async def restart(request: Request) -> JSONResponse:
    desk.restart((await request.json())["items"])
    return JSONResponse({})


st.desk = desk  # type: ignore[attr-defined]  # the page script runs in this process and has no other way to the desk

app = st.App(
    str(HERE / "page" / "script.py"),
    routes=[
        Route("/reading/volume/{token}", volume),
        Route("/reading/{route}", posted, methods=["POST"]),
        Route("/assets/viewer/{file}", bundle),
        Route("/try/bare", bare),
        Route("/try/payload", payload),
        Route("/try/log", log),
        Route("/try/fault", make_fault, methods=["POST"]),
        Route("/try/restart", restart, methods=["POST"]),
    ],
)

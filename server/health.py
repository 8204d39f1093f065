"""Endpoints for a supervisor or proxy that asks whether the process responds and is able to work."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from server.logs import note_fault
from server.threads import in_thread
from services.errors import Refused, Unavailable
from services.installation.environment import database
from services.installation.whereabouts import missing_database
from services.record import maintenance


def end_unless_prepared() -> None:
    """End the process with one sentence if the database is missing or has a schema other than this program's.

    A database that does not respond is no reason to end: the server waits for it, and `/ready` reports it.
    """
    # Raised as an exception, the sentence would end up below the web server's traceback.
    if missing := missing_database():
        _end(missing)
    try:
        maintenance.require_prepared(database())
    except Unavailable as waiting:
        note_fault(waiting, "(start)", 503)
    except Refused as refusal:
        _end(str(refusal))


def _end(sentence: str) -> NoReturn:
    print(sentence, file=sys.stderr, flush=True)  # noqa: T201  for the person who started the server
    os._exit(1)


async def health(request: Request) -> Response:
    """GET /health: the process responds. Uses no database and no thread."""
    return PlainTextResponse("ok")


async def ready(request: Request) -> Response:
    """GET /ready: the database responds as well and has this program's schema. Takes at most ten seconds."""
    try:
        await in_thread("ready", maintenance.require_prepared, database())
    except (Refused, Unavailable) as refusal:
        return PlainTextResponse(str(refusal), status_code=503, headers={"Retry-After": "5"})
    return PlainTextResponse("ok")


routes = [
    Route("/health", health, methods=["GET"]),
    Route("/ready", ready, methods=["GET"]),
]

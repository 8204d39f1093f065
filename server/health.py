"""What a supervisor or a proxy asks: does the process answer, and can it work."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from server.threads import in_thread
from services import upkeep
from services.environment import database
from services.errors import Refused, Unavailable


async def health(request: Request) -> Response:
    """GET /health: that the process answers; asks no database and takes no thread."""
    return PlainTextResponse("ok")


async def ready(request: Request) -> Response:
    """GET /ready: that the database answers too and has this program's schema; at most ten seconds."""
    try:
        await in_thread("ready", upkeep.require_prepared, database())
    except (Refused, Unavailable) as refusal:
        return PlainTextResponse(str(refusal), status_code=503, headers={"Retry-After": "5"})
    return PlainTextResponse("ok")


routes = [
    Route("/health", health, methods=["GET"]),
    Route("/ready", ready, methods=["GET"]),
]

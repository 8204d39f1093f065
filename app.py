"""The server: `manage.py serve` starts it, and `streamlit run app.py` does too.

`app` must stay a literal `streamlit.App(...)`: behind a factory Streamlit does not recognise it, and would run this
file as a plain script, without the gate.
"""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import streamlit
from starlette.middleware import Middleware

from components.faults import draw_fault
from server import downloads, health, reading_room, sign_in, verifier
from server.faults import Faults
from server.gate import Gate
from server.hosts import Hosts
from server.logs import configure_logs
from server.sockets import answer_at_once


@asynccontextmanager
async def lifespan(_app: Any) -> AsyncIterator[None]:
    """Prepare the process: logs, the socket, and everything loaded so far out of the garbage collector's sight."""
    configure_logs()
    health.end_unless_prepared()
    answer_at_once()
    gc.collect()
    gc.freeze()
    async with verifier.beside_the_server():
        yield


app = streamlit.App(
    "pages/entry/navigation.py",
    routes=[*health.routes, *sign_in.routes, *reading_room.routes, *downloads.routes],
    middleware=[Middleware(Faults), Middleware(Hosts), Middleware(Gate)],
    lifespan=lifespan,
    on_script_error=draw_fault,
)

"""The server, started by `manage.py serve` or `streamlit run app.py`.

`app` must remain a literal `streamlit.App(...)`: Streamlit does not recognise it behind a factory, and would run this
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
    """Prepare the process: set up logs and sockets, and exclude everything loaded so far from garbage collection."""
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

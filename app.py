"""The server: `streamlit run app.py` starts it.

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
from server import health, reading_room, sign_in
from server.faults import Faults
from server.gate import Gate
from server.logs import configure_logs


@asynccontextmanager
async def lifespan(_app: Any) -> AsyncIterator[None]:
    """Prepare the process: logs, and everything loaded so far taken out of the garbage collector's sight."""
    configure_logs()
    gc.collect()
    gc.freeze()
    yield


app = streamlit.App(
    "pages/entry/navigation.py",
    routes=[*health.routes, *sign_in.routes, *reading_room.routes],
    middleware=[Middleware(Faults), Middleware(Gate)],
    lifespan=lifespan,
    on_script_error=draw_fault,
)

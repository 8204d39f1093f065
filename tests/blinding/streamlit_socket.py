"""Streamlit's websocket without a browser: run a page and take what it sends."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tests.harness.server import RunningServer

PATIENCE = 20.0


@contextmanager
def socket(
    running: RunningServer,
    cookies: Mapping[str, str] | None = None,
    *,
    origin: str | None = "own",
    session_id: str | None = None,
    headers: Mapping[str, str] | None = None,
    path: str = "/_stcore/stream",
) -> Iterator[ClientConnection]:
    """Open the websocket as a browser does; `origin="own"` is the server's own, `session_id` asks to go on with one."""
    sent = dict(headers or {})
    if cookies:
        sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
    protocols = ["streamlit"] if session_id is None else ["streamlit", "no-xsrf", session_id]
    with connect(
        running.url.replace("http", "ws") + path,
        origin=None if origin is None else Origin(running.url if origin == "own" else origin),
        subprotocols=[Subprotocol(protocol) for protocol in protocols],
        additional_headers=sent,
        open_timeout=PATIENCE,
        max_size=None,
        proxy=None,
    ) as opened:
        yield opened


def ask(opened: ClientConnection, page: str = "", query: str = "", *, page_script_hash: str = "") -> None:
    """Ask for a run of a page, as its address does."""
    state = ClientState(page_name=page, query_string=query, page_script_hash=page_script_hash)
    opened.send(BackMsg(rerun_script=state).SerializeToString())


def messages_of_run(opened: ClientConnection) -> list[ForwardMsg]:
    """Return what arrives until the script has come to its end."""
    messages = []
    for _ in itertools.count():
        message = ForwardMsg()
        message.ParseFromString(opened.recv(timeout=PATIENCE))
        messages.append(message)
        if message.WhichOneof("type") == "script_finished":
            return messages
    return messages


def run_page(running: RunningServer, cookies: Mapping[str, str], page: str = "", query: str = "") -> list[ForwardMsg]:
    """Open a socket, run one page and return its messages."""
    with socket(running, cookies) as opened:
        ask(opened, page, query)
        return messages_of_run(opened)


def text_of(messages: list[ForwardMsg]) -> str:
    """Return messages as text, to be searched for words."""
    return "\n".join(str(message) for message in messages)


def drawn(messages: list[ForwardMsg]) -> list[bytes]:
    """Return what the messages draw: every element with its content, without the run's own numbers."""
    return [message.delta.SerializeToString(deterministic=True) for message in messages if message.HasField("delta")]


def session_id_of(messages: list[ForwardMsg]) -> str:
    """Return Streamlit's own session id, which it tells every client."""
    return next(message.new_session.initialize.session_id for message in messages if message.HasField("new_session"))

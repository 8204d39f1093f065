"""One simulated rater: signs in by a link, opens the reading page, and reads item after item over real HTTP."""

from __future__ import annotations

import gzip
import http.client
import json
import random
import time
from collections import defaultdict, deque
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection

from benchmarks.serving import STUDY
from tests.blinding import streamlit_socket
from tests.harness.server import RunningServer

DRAFTS = 4  # one per answer, and two while a comment is typed
KEPT_VOLUMES = 8  # as many as the room keeps in memory
CHUNK = 1 << 20
# What a client gets that sends onto a connection which the other side has closed.
STALE = (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError)


class Refused(RuntimeError):
    """The server said no, or something that was not expected."""


@dataclass
class Seen:
    """What all raters saw together: seconds by kind of request, bytes of volumes, requests sent again, errors."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    volume_bytes: list[int] = field(default_factory=list)
    # Onto a connection that the server had closed meanwhile: a browser sends such a request again, and so do we.
    sent_again: int = 0
    errors: list[str] = field(default_factory=list)


class Rater:
    """A browser's requests, without a browser."""

    def __init__(self, running: RunningServer, link: str, seen: Seen, seed: int) -> None:
        self._running = running
        self._link = link
        self._seen = seen
        self._dice = random.Random(seed)
        self._connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
        self._cookie = ""
        self._volumes: deque[str] = deque(maxlen=KEPT_VOLUMES)
        self._page: AbstractContextManager[ClientConnection] | None = None
        self._opened: ClientConnection | None = None
        self.items = 0

    def read(self, think: float, begin: float, end: float) -> None:
        """Read from `begin` to `end` (both of `time.monotonic`), an item every `think` seconds on average."""
        try:
            # Nobody's first item is at the same moment as everybody's.
            time.sleep(max(0.0, begin + self._dice.uniform(0, think) - time.monotonic()))
            self._sign_in()
            payload = self._open_page()
            while payload["kind"] == "item" and time.monotonic() < end:
                self._ask_for_nothing()
                payload = self._read_one(payload, think, end)
                self.items += 1
        except (OSError, http.client.HTTPException, WebSocketException, Refused) as error:
            self._seen.errors.append(f"{type(error).__name__}: {error}")
        finally:
            self.leave()

    def enter(self) -> dict[str, Any]:
        """Sign in, open the reading page and return the first item."""
        self._sign_in()
        return self._open_page()

    def enter_page(self) -> None:
        """Sign in and open the reading page, whatever it draws."""
        self._sign_in()
        self._open_socket()
        self.rerun_page()

    def read_next(self, payload: dict[str, Any]) -> dict[str, Any]:
        """Read one item as fast as the drafts allow, and return the next one."""
        return self._read_one(payload, 0.0, float("inf"))

    def rerun_page(self) -> list[ForwardMsg]:
        """Let the server run the reading page once more."""
        if self._opened is None:
            raise Refused("No page is open.")
        streamlit_socket.ask(self._opened, "reading", f"study={STUDY}&phase=reading")
        return streamlit_socket.messages_of_run(self._opened)

    def leave(self) -> None:
        """Close what is open."""
        self._connection.close()
        if self._page is not None:
            self._page.__exit__(None, None, None)
            self._page = None

    def _sign_in(self) -> None:
        started = time.perf_counter()
        self._ask("GET", self._link, expected=200)
        headers = self._ask("POST", self._link, expected=303)[0]
        self._seen.seconds["sign in by link"].append(time.perf_counter() - started)
        self._cookie = headers["Set-Cookie"].split(";")[0]

    def _open_page(self) -> dict[str, Any]:
        """Open the page's websocket, as the browser does, and keep it open; return the item that it draws."""
        started = time.perf_counter()
        self._open_socket()
        for message in self.rerun_page():
            if message.delta.new_element.HasField("bidi_component"):
                payload: dict[str, Any] = json.loads(message.delta.new_element.bidi_component.json)["payload"]
                self._seen.seconds["first page by websocket"].append(time.perf_counter() - started)
                return payload
        raise Refused("The reading page drew no item.")

    def _open_socket(self) -> None:
        name, value = self._cookie.split("=", 1)
        self._page = streamlit_socket.socket(self._running, {name: value})
        self._opened = self._page.__enter__()

    def _read_one(self, payload: dict[str, Any], think: float, end: float) -> dict[str, Any]:
        started = time.monotonic()
        assignment, key = payload["assignment"], payload["key"]
        volumes = [volume["url"] for pane in payload["images"]["panes"] for volume in pane["volumes"]]
        self._fetch(volumes[:1])
        self._post("shown", {"assignment": assignment, "key": key, "load_ms": 200, "renderer": "canvas"})
        self._fetch([*volumes[1:], *payload["prefetch"]])
        rest = max(0.2, self._dice.uniform(0.5, 1.5) * think - (time.monotonic() - started))
        answers = {"fields": {"answer": "yes"}, "not_assessable": None, "comment": "", "flag": None}
        for number in range(1, DRAFTS + 1):
            time.sleep(rest / (DRAFTS + 1))
            answers = {"fields": {"answer": "yes", "confidence": "2"}, "comment": "a word " * number}
            answers |= {"not_assessable": None, "flag": None}
            self._post("draft", {"assignment": assignment, "sequence": number, "answers": answers})
        time.sleep(rest / (DRAFTS + 1))
        if time.monotonic() > end:
            return payload
        verdict = {"assignment": assignment, "key": key, "answers": answers, "active_ms": 9000, "idle_ms": 0}
        verdict |= {"load_ms": 200, "renderer": "canvas", "viewport": [1440, 900], "trace": {"windows": []}}
        following: dict[str, Any] | None = self._post("verdict", verdict)["next"]
        if following is None:
            raise Refused("The verdict was stored, but no next item came.")
        return following

    def _ask_for_nothing(self) -> None:
        """Ask for an answer that takes no work: what it takes is the way there and back, and the wait for a turn."""
        started = time.perf_counter()
        self._ask("GET", "/health", expected=200)
        self._seen.seconds["null"].append(time.perf_counter() - started)

    def _fetch(self, urls: list[str]) -> None:
        for url in urls:
            if url in self._volumes:
                continue
            started = time.perf_counter()
            received = self._ask("GET", f"/{url}", expected=200)[1]
            self._seen.seconds["volume"].append(time.perf_counter() - started)
            self._seen.volume_bytes.append(received)
            self._volumes.append(url)

    def _post(self, route: str, body: dict[str, Any]) -> dict[str, Any]:
        started = time.perf_counter()
        content = self._ask("POST", f"/reading/{route}", json.dumps(body), expected=200)[2]
        self._seen.seconds[route].append(time.perf_counter() - started)
        answer: dict[str, Any] = json.loads(content)
        return answer

    def _send(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> http.client.HTTPResponse:
        """Send a request; on a kept connection that turns out to be closed, once more on a new one, as browsers do."""
        was_open = self._connection.sock is not None
        try:
            self._connection.request(method, path, body, headers)
            return self._connection.getresponse()
        except STALE:
            if not was_open:
                raise
            self._seen.sent_again += 1
            self._connection.close()
            self._connection.request(method, path, body, headers)
            return self._connection.getresponse()

    def _ask(
        self, method: str, path: str, body: str = "", *, expected: int
    ) -> tuple[http.client.HTTPMessage, int, bytes]:
        """Send a request; return the headers, the length of a volume, and the content of anything else."""
        headers = {"Origin": self._running.url, "Cookie": self._cookie, "Accept": "*/*", "Accept-Encoding": "gzip"}
        if body:
            headers["Content-Type"] = "application/json"
        answer = self._send(method, path, body.encode() if method == "POST" else None, headers)
        content, received = b"", 0
        if answer.getheader("Content-Type") == "application/octet-stream":
            # Into one buffer: a volume is counted and thrown away.
            buffer = bytearray(CHUNK)
            while count := answer.readinto(buffer):
                received += count
        else:
            content = answer.read()
            if answer.getheader("Content-Encoding") == "gzip":
                content = gzip.decompress(content)
        if answer.status != expected:
            raise Refused(f"{method} {'/'.join(path.split('/')[:3])} answered {answer.status}: {content[:200]!r}")
        return answer.headers, received, content

"""The simulated raters are as robust as browsers: a connection that was closed while it was idle loses them nothing."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass
from typing import Any, cast

from benchmarks.raters import Rater, Seen
from tests.harness.server import RunningServer

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@dataclass
class ClosesIdleConnections:
    """A server that answers once on each connection and then closes it, as uvicorn does after its idle time."""

    listening: socket.socket

    @property
    def port(self) -> int:
        return int(self.listening.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, connections: int) -> None:
        for _ in range(connections):
            accepted, _ = self.listening.accept()
            with accepted:
                accepted.recv(65_536)
                accepted.sendall(ANSWER)


def test_a_request_onto_a_closed_connection_is_sent_again_and_counted() -> None:
    seen = Seen()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        running = ClosesIdleConnections(listening)
        answering = threading.Thread(target=running.answer, args=(3,))
        answering.start()
        rater: Any = Rater(cast(RunningServer, running), "/link/x", seen, seed=1)

        contents = [rater._ask("GET", "/health", expected=200)[2] for _ in range(3)]
        answering.join()
        rater._connection.close()

    assert contents == [b"ok"] * 3
    assert seen.sent_again == 2

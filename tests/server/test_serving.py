"""Both ways of starting the server serve the same application, with the same settings; ours keeps connections."""

from __future__ import annotations

import http.client
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.web.server.starlette import starlette_server

from server import serving as own_way
from server.sockets import listening_socket
from tests.blinding import serving
from tests.blinding.streamlit_socket import ask, messages_of_run, run_page, socket, text_of
from tests.harness.ports import free_port
from tests.harness.server import ROOT, RunningServer, clean_environment
from tests.situations import open_study

IDLE = 6.0  # seconds; uvicorn closes a connection after five unless it is told otherwise
# Starts the server as its arguments say, and once it answers prints the option of every socket that listens and of
# every connection that was accepted.
READ_OPTION = """
import http.client, os, runpy, signal, socket, sys, threading, time
port, sys.argv = int(sys.argv[1]), sys.argv[2:]

def sockets(client):
    for name in os.listdir("/dev/fd"):
        try:
            copy = socket.socket(fileno=os.dup(int(name)))
        except OSError:
            continue
        try:
            if copy.family == socket.AF_INET and copy.getsockname()[1] == port:
                listens = copy.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
                if not listens and copy.getpeername()[1] != client:
                    continue
                yield ("listening" if listens else "accepted", copy.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        finally:
            copy.close()

def ask():
    kept = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    kept.request("GET", "/health")
    kept.getresponse().read()
    return kept

def watch():
    while True:
        time.sleep(0.2)
        try:
            ask().close()
            break
        except OSError:
            pass
    # The first one may have come while the server was still starting.
    kept = ask()
    print(sorted({(kind, bool(option)) for kind, option in sockets(kept.sock.getsockname()[1])}), flush=True)
    os.kill(os.getpid(), signal.SIGTERM)

threading.Thread(target=watch, daemon=True).start()
if sys.argv[0] == "streamlit":
    runpy.run_module("streamlit", run_name="__main__")
else:
    sys.path.insert(0, os.getcwd())
    runpy.run_path("manage.py", run_name="__main__")
"""
WAYS = {
    "manage.py": ("manage.py", "serve", "--port"),
    "streamlit": ("streamlit", "run", "app.py", "--server.port"),
}


@pytest.fixture(params=[False, True], ids=["manage.py serve", "streamlit run"])
def served(
    request: pytest.FixtureRequest, migrated_sqlite: Path, tmp_path: Path
) -> Iterator[tuple[RunningServer, dict[str, str]]]:
    """A server with the tiny study, started in one way and then in the other, and a rater's cookie."""
    with serving.served(migrated_sqlite, tmp_path / "served") as (database, _):
        open_study(database, tmp_path / "study")
        running = RunningServer(tmp_path / "served" / "data", tmp_path / "log", {}, by_streamlit=request.param)
        running.start()
        try:
            yield running, serving.cookie_of(database, running, "rater-1")
        finally:
            running.stop()


def test_our_way_hands_uvicorn_what_streamlit_would_and_keeps_connections() -> None:
    ours = own_way.settings()
    added = {name: ours.pop(name) for name in ("timeout_keep_alive", "timeout_graceful_shutdown", "proxy_headers")}

    # Streamlit's own function has no public name; when it goes, what took its place has to be read.
    assert ours == starlette_server._get_uvicorn_config_kwargs()
    assert (added["timeout_keep_alive"], added["proxy_headers"]) == (75, False)


@pytest.mark.server
@pytest.mark.parametrize("way", WAYS)
def test_answers_leave_at_once_in_either_way_of_starting(way: str, tmp_path: Path, migrated_sqlite: Path) -> None:
    (tmp_path / "blindread.db").write_bytes(migrated_sqlite.read_bytes())
    port = free_port()

    done = subprocess.run(
        [sys.executable, "-c", READ_OPTION, str(port), *WAYS[way], str(port)],
        cwd=ROOT, env=clean_environment(tmp_path, {}), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    options = [line for line in done.stdout.splitlines() if line.startswith("[(")]
    assert options == ["[('accepted', True), ('listening', True)]"], done.stderr


def test_both_ways_serve_pages_the_websocket_and_the_headers(served: tuple[RunningServer, dict[str, str]]) -> None:
    running, cookie = served

    drawn = text_of(run_page(running, cookie))
    with serving.client(running, cookie) as browser:
        page = browser.get("/", headers={"Accept": "text/html"})
        names = {name.lower() for name in page.headers}

    # st.user has the login session: the trusted header of the settings holds.
    assert "A tiny study" in drawn
    assert page.status_code == 200
    assert {"content-security-policy", "x-content-type-options", "cache-control"} <= names
    assert "Olive" not in running.log_text()
    assert str(next(iter(cookie.values()))) not in running.log_text()


def test_both_ways_end_when_they_are_told_to_although_a_page_is_open(
    served: tuple[RunningServer, dict[str, str]],
) -> None:
    running, cookie = served

    with socket(running, cookie) as opened:
        ask(opened)
        messages_of_run(opened)
        running.stop()

    with pytest.raises(OSError, match="refused"), closing(_connection(running)) as late:
        late.request("GET", "/health")


@pytest.mark.server
def test_our_way_keeps_a_connection_that_was_idle_for_longer_than_uvicorn_would(
    migrated_sqlite: Path, tmp_path: Path
) -> None:
    with serving.served(migrated_sqlite, tmp_path / "served") as (_, running):
        running.start()
        with closing(_connection(running)) as connection:
            connection.request("GET", "/health")
            connection.getresponse().read()
            first = connection.sock
            time.sleep(IDLE)
            connection.request("GET", "/health")

            assert connection.getresponse().read() == b"ok"
            assert connection.sock is first


@pytest.mark.server
def test_a_port_that_is_taken_is_said_in_one_sentence(tmp_path: Path, migrated_sqlite: Path) -> None:
    (tmp_path / "blindread.db").write_bytes(migrated_sqlite.read_bytes())
    port = free_port()

    with listening_socket("127.0.0.1", port):
        done = _serve(tmp_path, port)

    assert done.returncode == 1
    assert done.stdout == f"Port {port} cannot be opened (Address already in use); choose another.\n"


Change = Callable[[Path], None]


def _nothing(file: Path) -> None:
    file.unlink()


def _newer(file: Path) -> None:
    _stamp(file, "9999")


def _older(file: Path) -> None:
    _stamp(file, "0001")


def _stamp(file: Path, number: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (number,))
        connection.commit()


@pytest.mark.server
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_nothing, "There is no Blindread database in"),
        (_older, "The database has schema 0001 and this program needs"),
        (_newer, "The database has schema 9999, which a newer Blindread made"),
    ],
)
def test_a_server_does_not_start_on_another_schema_and_says_so(
    change: Change, sentence: str, tmp_path: Path, migrated_sqlite: Path
) -> None:
    (tmp_path / "blindread.db").write_bytes(migrated_sqlite.read_bytes())
    change(tmp_path / "blindread.db")

    done = _serve(tmp_path, free_port())

    assert done.returncode == 1
    # A database that is not there is missed before the server starts; the others are looked at by the server itself.
    assert sentence in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr


def _serve(data_dir: Path, port: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "serve", "--port", str(port)],
        cwd=ROOT, env=clean_environment(data_dir, {}), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def _connection(running: RunningServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)

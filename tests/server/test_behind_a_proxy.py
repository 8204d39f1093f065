"""Two processes behind nginx, as the how-to configures it: one browser stays on one process, and outlives it."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from sqlmodel import select

from db import Database, Verdict
from db.engine import make_engine
from services.people import identity
from services.people.identity import actor_of_token
from services.reading import instructions, submission
from tests.harness.ending import bound_to_this_process
from tests.harness.ports import free_port
from tests.harness.provide import find_nginx, missing
from tests.harness.server import ROOT, RunningServer
from tests.situations import any_answers, open_study

MISSING = "nginx is not on this machine: install the system's package nginx-light."
WHOLE = """
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/t1;
    proxy_temp_path {folder}/t2;
    fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4;
    scgi_temp_path {folder}/t5;
    {servers}
}}
"""


@dataclass
class Behind:
    """Two servers on one database, and the proxy's port."""

    database: Database
    servers: dict[str, RunningServer]
    port: int

    def browser(self, login: str) -> httpx.Client:
        token = identity.use_link(self.database, identity.make_link(self.database, login, "sign_in"), None)
        origin = f"http://127.0.0.1:{self.port}"
        cookies = {f"blindread-{self.port}": token}
        return httpx.Client(base_url=origin, cookies=cookies, headers={"Origin": origin}, timeout=30)


def documented_servers(ports: tuple[int, int], own: int) -> str:
    """Return the configuration of the how-to, with this test's ports and without TLS."""
    page = (ROOT / "docs/how-to/behind-a-proxy.md").read_text(encoding="utf-8")
    block = re.search(r"```nginx\n(.*?)```", page, re.S)
    assert block is not None
    text = block[1].replace("8501", str(ports[0])).replace("8502", str(ports[1]))
    text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{own}").replace("; Secure", "")
    return re.sub(r"\n *ssl_certificate.*", "", text)


@pytest.fixture
def behind(database_url: str, data_dir: Path, tmp_path: Path) -> Iterator[Behind]:
    """Two processes behind nginx, once on SQLite and once on PostgreSQL."""
    nginx = find_nginx()
    if nginx is None:
        missing(MISSING)
        raise AssertionError
    database = Database(make_engine(database_url), data_dir)
    situation = open_study(database, tmp_path / "study")
    instructions.acknowledge_instructions(database, situation.raters[0], "tiny", "reading")
    servers = {name: RunningServer(data_dir, tmp_path / f"{name}.log", {"DATABASE_URL": database_url}) for name in "ab"}
    port, folder = free_port(), tmp_path / "nginx"
    folder.mkdir()
    configured = documented_servers((servers["a"].port, servers["b"].port), port)
    (folder / "nginx.conf").write_text(WHOLE.format(folder=folder, servers=configured))
    process: subprocess.Popen[bytes] | None = None
    try:
        for server in servers.values():
            server.start()
        command = [nginx, "-p", str(folder), "-c", str(folder / "nginx.conf")]
        process = subprocess.Popen(bound_to_this_process(command))  # it overwrites its environment
        _wait_for(port, process)
        yield Behind(database, servers, port)
    finally:
        if process is not None:
            process.terminate()
            process.wait(timeout=30)
        for server in servers.values():
            server.stop()
        database.engine.dispose()
        shutil.rmtree(folder)


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        assert process.poll() is None, "nginx ended"
        try:
            httpx.get(f"http://127.0.0.1:{port}/health")
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("nginx does not answer")


def test_a_browser_stays_on_its_process_and_goes_on_when_that_is_killed(behind: Behind) -> None:
    with behind.browser("rater-1") as browser:
        actor = actor_of_token(behind.database, browser.cookies[f"blindread-{behind.port}"])
        assert actor is not None
        assigned = {browser.get("/health").headers["set-cookie"].split(";")[0] for _ in range(12)}
        assert len(assigned) == 1

        receipts = []
        for number in range(4):
            payload = submission.current_payload(behind.database, actor, "tiny", "reading")
            body = {"assignment": payload["assignment"], "key": payload["key"], "answers": any_answers(payload)}
            assert browser.post("/reading/shown", json=body).status_code == 200
            if number == 2:
                behind.servers[browser.cookies["blindread_process"]].kill9()
            answer = browser.post("/reading/verdict", json=body)
            assert answer.status_code == 200, answer.text
            receipts.append(answer.json()["receipt"])
        page = browser.get("/", headers={"Accept": "text/html"})

    with behind.database.read_only() as session:
        stored = session.exec(select(Verdict.receipt)).all()
    assert sorted(stored) == sorted(receipts)
    assert page.status_code == 200


def test_newcomers_are_dealt_to_both_processes(behind: Behind) -> None:
    seen = set()
    for _ in range(60):
        seen.add(httpx.get(f"http://127.0.0.1:{behind.port}/health").headers["set-cookie"].split(";")[0])

    assert seen == {"blindread_process=a", "blindread_process=b"}

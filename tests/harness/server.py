"""A real server: `manage.py serve` in a process of its own, with its own data folder and port."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from tests.harness.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
# What the developer has set for their own server must not reach the server under test.
OWN_SETTINGS = ("BLINDREAD_", "STREAMLIT_", "DATABASE_URL")


class RunningServer:
    """One server under test, started on construction's `start()` and stopped by the fixture that made it.

    Attributes
    ----------
    data_dir : Path
        Its BLINDREAD_DATA_DIR: database and volumes.
    port : int
        Its port on 127.0.0.1; a restart keeps it.
    allowed : bool
        Whether any may start now: a test that starts one says so by the marker `server`.
    """

    allowed: ClassVar[bool] = True

    def __init__(
        self,
        data_dir: Path,
        log: Path,
        environment: Mapping[str, str],
        root: Path = ROOT,
        *,
        by_streamlit: bool = False,
    ) -> None:
        self.data_dir = data_dir
        self.port = free_port()
        self._log = log
        self._root = root
        # `streamlit run`, as for applications that have no manage.py.
        self._by_streamlit = by_streamlit or root != ROOT
        self._environment = clean_environment(data_dir, environment)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._running().pid

    def log_text(self) -> str:
        """Return all that it wrote to its output, over all restarts."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def start(self, timeout: float = 90) -> None:
        """Start it and wait until it answers; RuntimeError with its log when it does not."""
        if not self.allowed:
            raise RuntimeError("A test that starts a server carries the marker `server`, so that `make unit` is quick.")
        way = (
            ["-m", "streamlit", "run", "app.py", "--server.port"]
            if self._by_streamlit
            else ["manage.py", "serve", "--port"]
        )
        command = [sys.executable, *way, str(self.port)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=self._root, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )
        give_up = time.monotonic() + timeout
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > give_up:
                self.stop()
                raise RuntimeError(f"The server did not start:\n{self.log_text()[-8000:]}")
            time.sleep(0.1)

    def wait_until_ready(self, timeout: float = 60) -> None:
        """Wait until it says that its database answers too; RuntimeError when it does not say so in time."""
        give_up = time.monotonic() + timeout
        while self._status("/ready") != 200:
            if time.monotonic() > give_up:
                raise RuntimeError("The server did not become ready.")
            time.sleep(0.1)

    def stop(self) -> None:
        """Ask it to end, as Ctrl+C does, and insist after ten seconds."""
        if self._process is None:
            return
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.kill9()
        self._process = None

    def kill9(self) -> None:
        """End it at once, with everything it started, and with no chance to write anything more."""
        self._signal(signal.SIGKILL)
        self._running().wait(timeout=30)
        self._process = None

    def restart(self) -> None:
        """Start it anew on the same port and data folder, whether or not it still runs."""
        self.stop()
        self.start()

    def manage(self, *arguments: str, timeout: float = 300) -> str:
        """Run `manage.py` against the same data and return what it printed; RuntimeError when it fails."""
        return run_manage(self._environment, *arguments, timeout=timeout, root=self._root)

    def sign_in_links(self) -> dict[str, str]:
        """Return a fresh single-use link for each of the demo's people, by name ("Demo rater 1")."""
        printed = self.manage("links", "--port", str(self.port))
        return {name.strip(): link for name, link in re.findall(r"^ *(\S.*?) +(http\S+/link/\S+)$", printed, re.M)}

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("The server does not run.")
        return self._process

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self._running().pid, number)
        except ProcessLookupError:
            return

    def _answers(self) -> bool:
        # Any answer will do: without a session it is a redirect or a refusal.
        return self._status("/") < 500

    def _status(self, path: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=15)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except OSError:
            return 599
        finally:
            connection.close()


def clean_environment(data_dir: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return this process's environment without Blindread's and Streamlit's settings, and with the given ones."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(OWN_SETTINGS)}
    own = {"BLINDREAD_DATA_DIR": str(data_dir), "BLINDREAD_DAILY_VERIFICATION": "off", "PYTHONUNBUFFERED": "1"}
    return {**inherited, **own, **environment}


def run_manage(environment: Mapping[str, str], *arguments: str, timeout: float = 300, root: Path = ROOT) -> str:
    """Run `manage.py` and return what it printed; RuntimeError with all its output when it fails."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=root,
        env=dict(environment),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"manage.py {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout

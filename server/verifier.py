"""The daily verification as a separate process beside the server, which ends with it. The work is in `services`.

`python -m server.verifier BYTES_PER_SECOND` runs that process. Nothing is ever written to its standard input: when it
reaches end of file, the server is gone, for whatever reason.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from server.logs import configure_logs

_log = logging.getLogger(__name__)
_ROOT = Path(__file__).parents[1]
# A pause, so that the first readers after a start have the machine to themselves.
FIRST_AFTER_SECONDS = 10.0
AFTER_A_FAILURE_SECONDS = 600.0
BYTES_PER_SECOND = 50_000_000
LOWEST_PRIORITY = 19
PATIENCE_SECONDS = 3.0


@asynccontextmanager
async def beside_the_server() -> AsyncIterator[None]:
    """Verify daily while the server runs, unless BLINDREAD_DAILY_VERIFICATION is "off"."""
    if os.environ.get("BLINDREAD_DAILY_VERIFICATION") == "off":
        yield
        return
    verifying = asyncio.create_task(_verify_daily())
    yield
    verifying.cancel()
    with suppress(asyncio.CancelledError):
        await verifying


async def _verify_daily() -> None:
    """Run the process repeatedly, at the intervals it asks for."""
    wait = FIRST_AFTER_SECONDS
    while True:
        await asyncio.sleep(wait)
        try:
            wait = await _run_once()
        except (OSError, ValueError):
            _log.exception("the daily verification could not be run")
            wait = AFTER_A_FAILURE_SECONDS


async def _run_once(bytes_per_second: int = BYTES_PER_SECOND) -> float:
    """Run the process to completion, and return after how many seconds it wants to run again."""
    path = os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = (sys.executable, "-m", __name__, str(bytes_per_second))
    process = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, env={**os.environ, "PYTHONPATH": path}
    )
    try:
        # Not `communicate`, which would close the process's standard input.
        said = await process.stdout.read() if process.stdout is not None else b""
        await process.wait()
    finally:
        await _end(process)
    return max(1.0, float(said))


async def _end(process: Process) -> None:
    """Give the process time to return its lease and exit, and kill it if it does not."""
    if process.returncode is not None or process.stdin is None:
        return
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), 2 * PATIENCE_SECONDS)
    except TimeoutError:
        process.kill()


class _EndOfServer:
    """Ends this process when its standard input ends, after trying to call `before`."""

    def __init__(self) -> None:
        self.before: Callable[[], None] = lambda: None
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        # A hanging database must not keep this process alive.
        leaving = threading.Thread(target=self.before, daemon=True)
        leaving.start()
        leaving.join(PATIENCE_SECONDS)
        os._exit(0)


def main(bytes_per_second: int) -> None:
    """Verify what is due, at the lowest priority on the machine."""
    os.nice(LOWEST_PRIORITY)
    # Ctrl+C in a terminal reaches this process too, but it ends when the server does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_of_server = _EndOfServer()
    configure_logs()
    # Imported late, because the import alone takes a second, which should be spent at the lowest priority.
    from services.installation.environment import database
    from services.record import daily_verification, maintenance

    holder = daily_verification.new_holder()
    end_of_server.before = lambda: daily_verification.give_way(database(), holder)
    maintenance.require_prepared(database())
    pace = daily_verification.SlowReading(bytes_per_second)
    wait = daily_verification.verify_what_is_due(database(), holder, pace)
    sys.stdout.write(str(wait.total_seconds()))


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except Exception:  # noqa: BLE001  logged without quoting anybody's data
        _log.exception("the daily verification failed")
        raise SystemExit(1) from None

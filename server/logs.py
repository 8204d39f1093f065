"""Structured logs: one JSON object a line, without answers and without identities."""

from __future__ import annotations

import functools
import logging
import sys
import time
import traceback
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import structlog
from starlette.requests import Request
from starlette.responses import Response

_QUIET = ("uvicorn.access", "httpx", "watchdog")
# Their messages name what is wrong with the program or the machine. Any other message may hold what somebody entered:
# a database's error quotes the very row that it refused.
_TELLING = (OSError, ImportError, NameError, AttributeError)
# Characters of one traceback, and seconds in which the same one is not written again.
LONGEST_TRACE = 4_000
SAME_WITHIN = 60.0
LONGEST_ROUTE = 100
MOST_CAUSES = 1_000
_PROGRAM = str(Path(__file__).resolve().parents[1])
_last_written: dict[str, float] = {}
_events = structlog.get_logger()
_plain_record = logging.getLogRecordFactory()


class _Lines(structlog.PrintLogger):
    """Writes lines; those that a full disk or a closed end does not take are lost, and no answer with them."""

    def msg(self, message: str) -> None:
        """Write one line."""
        # Python says by a ValueError that a stream was closed.
        with suppress(OSError, ValueError):
            super().msg(message)

    log = debug = info = warning = error = critical = exception = msg


def configure_logs() -> None:
    """Write our own events as JSON lines and the libraries' warnings to standard error, and no error's own words."""
    shared: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()],
        logger_factory=lambda *_: _Lines(sys.stderr),
        cache_logger_on_first_use=True,
    )
    for name in _QUIET:
        # An access log would note which person fetched which volume when.
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.setLogRecordFactory(_record)


def logged(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Wrap a route so that each answer leaves a line: which route, which status, how long it took.

    Who asked and for what is left out. Only the first two parts of the path are written, as a third may be a token.
    """

    @functools.wraps(endpoint)
    async def answered(request: Request) -> Response:
        began = time.perf_counter()
        response = await endpoint(request)
        route = "/".join(request.url.path.split("/")[:3])
        milliseconds = round(1000 * (time.perf_counter() - began))
        _events.info("answered", route=route, status=response.status_code, ms=milliseconds)
        return response

    return answered


def note_fault(error: BaseException, path: str, status: int) -> None:
    """Write one line about an error that was answered: where, of what kind, and how it came to be if that is news."""
    # What follows /link/ is a token.
    route = "/".join(path.split("/")[: 3 if path.startswith("/reading/") else 2])[:LONGEST_ROUTE]
    kind = f"{type(error).__module__}.{type(error).__qualname__}"
    _events.error("failed", route=route, status=status, kind=kind, trace=_trace_of(error))


def _trace_of(error: BaseException) -> str:
    """Return how an error came to be, bounded; in the minute after it was written, only that it was."""
    trace = "\n".join(_places(error))
    if len(trace) > LONGEST_TRACE:
        trace = f"{trace[: LONGEST_TRACE // 4]}\n  ...\n{trace[-3 * LONGEST_TRACE // 4 :]}"
    moment = time.monotonic()
    if moment - _last_written.get(trace, float("-inf")) < SAME_WITHIN:
        return f"{type(error).__module__}.{type(error).__qualname__} (traceback written less than a minute ago)"
    if len(_last_written) >= MOST_CAUSES:
        _last_written.clear()
    _last_written[trace] = moment
    return trace


def _record(*arguments: Any, **named: Any) -> logging.LogRecord:
    """Make a record that says where an error arose and of what kind it is, whichever library logs it."""
    record = _plain_record(*arguments, **named)
    if record.exc_info and record.exc_info[1] is not None:
        record.exc_text = _trace_of(record.exc_info[1])
        record.exc_info = None
    return record


def _places(error: BaseException) -> list[str]:
    """Return the stack and the kind of an error after those of the errors that it came from."""
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    inner = list(error.exceptions) if isinstance(error, BaseExceptionGroup) else []
    # SQLite's own errors name tables and columns, never values.
    telling = isinstance(error, _TELLING) or type(error).__module__ == "sqlite3"
    message = f": {error}" if telling else ""
    return [
        *(line for cause in [earlier, *inner] if cause is not None for line in _places(cause)),
        "Traceback (most recent call last):",
        "".join(traceback.format_list(_telling_frames(error))).rstrip(),
        f"{type(error).__module__}.{type(error).__qualname__}{message}",
    ]


def _telling_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """Return the frames of our own program and the innermost one; libraries' own ways through themselves say little."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [
        frame for frame in frames[:-1] if frame.filename.startswith(_PROGRAM) and "site-packages" not in frame.filename
    ]
    return [*ours[-12:], *frames[-1:]]

"""The reading room's routes: volumes, displays, drafts, verdicts, failures, revisions, summary."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from server import static_files
from server.logs import logged
from server.threads import in_thread
from services.errors import (
    Conflict,
    Incomplete,
    NotAcknowledged,
    NotAllowed,
    NotFound,
    NotSignedIn,
    Refused,
    StaleDraft,
)
from services.installation.environment import Database, database, volume_cache_control
from services.people.identity import Actor
from services.reading import instructions, revising, session_summary, shown_volumes, submission
from services.reading.payloads import Payload, SummaryPayload
from services.reading.route_answers import (
    DamageAnswer,
    DraftAnswer,
    FailureAnswer,
    RefusedAnswer,
    ReopenAnswer,
    ResumeAnswer,
    RevisableAnswer,
    ScansAnswer,
    ShownAnswer,
    VerdictAnswer,
)
from services.reading.verdict_rows import Circumstances
from services.studies.volumes.volume_integrity import DAMAGED, NotIntact

_log = logging.getLogger(__name__)
LARGEST_BODY = 200_000
DEEPEST_BODY = 12
VIEWER_FOLDER = Path(__file__).parents[1] / "components" / "viewer" / "dist"
_BUNDLE_NAME = re.compile(r"room-[0-9a-f]{1,64}\.mjs")
_STATUS: tuple[tuple[type[Refused], int], ...] = (
    (Incomplete, 422),
    (Conflict, 409),
    (NotSignedIn, 401),
    (NotAllowed, 403),
    (NotFound, 404),
)

# Parts of the answer to a successful write that can be requested again.
_BESIDE = {"next", "feedback"}

Handler = Callable[[Actor, dict[str, Any]], Mapping[str, object]]


def _posting(handle: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Wrap a use case as a JSON route: read the body, run it in a thread, turn refusals into answers."""

    async def endpoint(request: Request) -> Response:
        body = await _body(request)
        if body is None:
            return JSONResponse({"error": "The request is not a plain JSON object, or is too long."}, status_code=400)
        actor: Actor = request.state.actor
        return await in_thread("writes", _answer, handle, actor, body)

    return endpoint


def _asking(handle: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Wrap a read-only use case as a route. Its parameters are in the address instead of a body."""

    async def endpoint(request: Request) -> Response:
        actor: Actor = request.state.actor
        return await in_thread("reads", _answer, handle, actor, dict(request.query_params))

    return endpoint


def _begun(handle: Handler) -> Handler:
    """Wrap a use case about an assignment so that the instructions of its part have to be acknowledged first."""

    def once_acknowledged(actor: Actor, body: dict[str, Any]) -> Mapping[str, object]:
        instructions.require_acknowledged(database(), actor, _word(body, "assignment"))
        return handle(actor, body)

    return once_acknowledged


def _answer(handle: Handler, actor: Actor, body: dict[str, Any]) -> Response:
    try:
        answer = handle(actor, body)
    except Refused as refusal:
        return refused(refusal, lambda: _desk_after_conflict(actor, body))
    except (KeyError, TypeError, ValueError, OverflowError):
        return _json({"error": "The request is incomplete or contains something unexpected; reload the page."}, 400)
    try:
        return _json(answer)
    except ValueError:
        if "saved_at" not in answer:
            raise
        # The write is committed, so its receipt is sent even if a stored number beside it cannot be serialised.
        _log.exception("the answer to something stored could not be sent whole")
        return _json({**{name: answer[name] for name in answer.keys() - _BESIDE}, "next": None})


def refused(refusal: Refused, on_the_desk: Callable[[], Payload | None]) -> Response:
    """Return the answer to a request that a use case refuses.

    Parameters
    ----------
    on_the_desk
        Called after a conflict: given the current item, a page that is out of date can continue.
    """
    status = next(code for kind, code in _STATUS if isinstance(refusal, kind))
    answer: RefusedAnswer = {"error": str(refusal)}
    if isinstance(refusal, Incomplete):
        answer["field"] = refusal.field
    if isinstance(refusal, StaleDraft):
        answer["sequence"] = refusal.sequence
    elif isinstance(refusal, NotAcknowledged):
        # The page shows the instructions; the item is not sent beside them.
        answer["instructions"] = True
    elif isinstance(refusal, Conflict):
        answer["next"] = on_the_desk()
    return _json(answer, status)


def _desk_after_conflict(actor: Actor, body: dict[str, Any]) -> Payload | None:
    """Return what is on the desk now, or None if that is refused too."""
    store = database()
    try:
        # A draft is taken without asking for this.
        instructions.require_acknowledged(store, actor, _word(body, "assignment"))
        study_key, queue = submission.queue_of_assignment(store, actor, _word(body, "assignment"))
        return submission.current_payload(store, actor, study_key, queue)
    except Refused:
        return None


async def _body(request: Request) -> dict[str, Any] | None:
    content = b""
    try:
        async for chunk in request.stream():
            content += chunk
            if len(content) > LARGEST_BODY:
                return None
    except ClientDisconnect:
        # The page was left while sending. Nobody waits for an answer, and half a body is useless.
        return None
    try:
        body = json.loads(content)
        # JSON allows what a database or the next page would choke on: NaN, infinities, unpaired surrogates.
        json.dumps(body, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) and _is_shallow(body) else None


def _is_shallow(value: Any, levels: int = DEEPEST_BODY) -> bool:
    """Return whether no value is nested so deeply that reading it back, in a fuller call stack, would fail."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(_is_shallow(entry, levels - 1) for entry in inner)


def _word(body: dict[str, Any], name: str) -> str:
    """Return a required text without NUL characters: PostgreSQL refuses even to compare with them."""
    return str(body[name]).replace("\x00", "")


def _note(body: dict[str, Any], name: str) -> str:
    """Return an optional text without NUL characters."""
    return str(body.get(name) or "").replace("\x00", "")


def _json(answer: Mapping[str, object], status: int = 200) -> Response:
    return JSONResponse(answer, status_code=status, headers={"Cache-Control": "no-store"})


def _show(actor: Actor, body: dict[str, Any]) -> ShownAnswer:
    shown_at = submission.record_display(
        database(),
        actor,
        _word(body, "assignment"),
        load_ms=int(body.get("load_ms") or 0),
        renderer=_note(body, "renderer"),
        viewport=_viewport(body),
    )
    return {"shown_at": shown_at.isoformat(timespec="seconds")}


def _save_draft(actor: Actor, body: dict[str, Any]) -> DraftAnswer:
    sequence, saved_at = submission.save_draft(
        database(), actor, _word(body, "assignment"), int(body["sequence"]), body["answers"]
    )
    return {"sequence": sequence, "saved_at": saved_at.isoformat(timespec="seconds")}


def _submit(actor: Actor, body: dict[str, Any]) -> VerdictAnswer:
    store = database()
    trace = body.get("trace")
    receipt = submission.submit(
        store,
        actor,
        _word(body, "assignment"),
        _word(body, "key"),
        body["answers"],
        Circumstances(
            active_ms=int(body.get("active_ms") or 0),
            idle_ms=int(body.get("idle_ms") or 0),
            load_ms=int(body.get("load_ms") or 0),
            renderer=_note(body, "renderer"),
            viewport=_viewport(body),
            trace=trace if isinstance(trace, dict) else None,
        ),
    )
    answer: VerdictAnswer = {
        "receipt": receipt.receipt,
        "saved_at": receipt.saved_at.isoformat(timespec="seconds"),
        "next": _next(store, actor, receipt.study_key, receipt.queue),
    }
    if receipt.feedback is not None:
        answer["feedback"] = receipt.feedback
    return answer


def _fail(actor: Actor, body: dict[str, Any]) -> FailureAnswer:
    store = database()
    saved_at, study_key, queue = submission.report_failure(
        store, actor, _word(body, "assignment"), _note(body, "reason")
    )
    return {"saved_at": saved_at.isoformat(timespec="seconds"), "next": _next(store, actor, study_key, queue)}


def _report_damage(actor: Actor, body: dict[str, Any]) -> DamageAnswer:
    shown_volumes.report_damage(database(), actor, _word(body, "volume"))
    return {}


def _list_revisable(actor: Actor, query: dict[str, Any]) -> RevisableAnswer:
    return {"verdicts": revising.list_revisable(database(), actor, _word(query, "assignment"))}


def _reopen(actor: Actor, body: dict[str, Any]) -> ReopenAnswer:
    return {"payload": revising.reopen(database(), actor, _word(body, "assignment"))}


def _resume(actor: Actor, body: dict[str, Any]) -> ResumeAnswer:
    return {"payload": revising.resume(database(), actor, _word(body, "assignment"))}


def _summarise(actor: Actor, query: dict[str, Any]) -> SummaryPayload:
    return session_summary.session_summary(database(), actor, _word(query, "assignment"))


def _renew(actor: Actor, query: dict[str, Any]) -> ScansAnswer:
    return shown_volumes.renewed_volumes(database(), actor, _word(query, "assignment"))


def _next(store: Database, actor: Actor, study_key: str, queue: str) -> Payload | None:
    """Return the next item. The verdict is already committed, so no error here may hide its receipt."""
    try:
        return submission.current_payload(store, actor, study_key, queue)
    except Refused:
        return None
    except Exception:  # noqa: BLE001  the verdict is committed, whatever fails here
        # The receipt is still sent. The reading room asks the reader to reload, and the log says what went wrong.
        _log.exception("the next item could not be prepared")
        return None


def _viewport(body: dict[str, Any]) -> str:
    viewport = body.get("viewport")
    if isinstance(viewport, list) and len(viewport) == 2:
        return f"{int(viewport[0])}x{int(viewport[1])}"
    return ""


async def send_volume(request: Request) -> Response:
    """GET /reading/volume/{token}: sent as stored, gzipped; the browser's `fetch` yields the plain NIfTI bytes."""
    actor: Actor = request.state.actor
    try:
        content = await in_thread("volumes", shown_volumes.read_volume, database(), actor, request.path_params["token"])
    except Refused as refusal:
        return _json({"error": str(refusal)}, _status_of_volume(refusal))
    # No ETag and no date: it must not be recognisable that two studies use the same scan.
    return Response(
        content,
        media_type="application/octet-stream",
        # The room keeps what it needs in memory until a reload. Caching on disk is for machines that nobody shares.
        headers={"Content-Encoding": "gzip", "Cache-Control": volume_cache_control()},
    )


def _status_of_volume(refusal: Refused) -> int:
    """Return 409 if the file is not the one that was prepared: the room must then not let the item be read."""
    return 409 if isinstance(refusal, NotIntact) and refusal.state == DAMAGED else 404


async def send_bundle(request: Request) -> Response:
    """GET /assets/viewer/{file}: the built reading room, whose file name contains its hash."""
    path = VIEWER_FOLDER / request.path_params["file"]
    if not _BUNDLE_NAME.fullmatch(path.name) or not path.is_file():
        return _json({"error": "This version of the viewer is no longer available; reload the page."}, 404)
    headers = {"Cache-Control": "private, max-age=604800, immutable", "Vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return FileResponse(path, media_type="text/javascript", headers=headers)
    # Packed within the first request and then cached, so no file needs a thread of its own.
    headers["Content-Encoding"] = "gzip"
    return Response(static_files.packed(path), media_type="text/javascript", headers=headers)


routes = [
    Route("/reading/volume/{token}", logged(send_volume), methods=["GET"]),
    Route("/reading/shown", logged(_posting(_begun(_show))), methods=["POST"]),
    Route("/reading/draft", logged(_posting(_save_draft)), methods=["POST"]),
    Route("/reading/verdict", logged(_posting(_begun(_submit))), methods=["POST"]),
    Route("/reading/failure", logged(_posting(_begun(_fail))), methods=["POST"]),
    Route("/reading/damage", logged(_posting(_report_damage)), methods=["POST"]),
    Route("/reading/revisable", logged(_asking(_begun(_list_revisable))), methods=["GET"]),
    Route("/reading/reopen", logged(_posting(_begun(_reopen))), methods=["POST"]),
    Route("/reading/resume", logged(_posting(_begun(_resume))), methods=["POST"]),
    Route("/reading/scans", logged(_asking(_begun(_renew))), methods=["GET"]),
    Route("/reading/session", logged(_asking(_summarise)), methods=["GET"]),
    Route("/assets/viewer/{file}", send_bundle, methods=["GET"]),
]

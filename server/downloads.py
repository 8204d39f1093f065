"""Files to download: reports, manifests, certificates, and starter studies.

Each file is made when it is requested, with the rights that the person has at that moment.

Streamlit's own download links are open to anybody who knows their name, so none of our pages uses them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from server.threads import in_thread
from services import report
from services.errors import NotFound, Refused
from services.installation.environment import Database, database
from services.people.identity import Actor
from services.report import calibration
from services.report.calibration import Certificate, exports
from services.studies.folders import starter
from services.studies.freeze import freezing

Making = Callable[[Database, Actor, str], bytes]


def _manifest(store: Database, actor: Actor, study_key: str) -> bytes:
    frozen = freezing.freeze_of(store, actor, study_key)
    if frozen is None:
        raise NotFound("This study is not frozen yet, so it has no manifest.")
    return json.dumps(frozen.manifest, indent=2, sort_keys=True, ensure_ascii=False).encode()


def _report(form: str) -> Making:
    return lambda store, actor, study_key: report.download(store, actor, study_key, form)


# By the last part of the address: the function that makes the file, and its media type.
FILES: dict[str, tuple[Making, str]] = {
    "manifest.json": (_manifest, "application/json"),
    "report.html": (_report("html"), "text/html"),
    "report-csv.zip": (_report("csv"), "application/zip"),
    "report.json": (_report("json"), "application/json"),
}


@dataclass(frozen=True)
class AskedOfJudge:
    """Which judges a file is about, as chosen on the calibration page: field, runs, human verdicts, imported labels."""

    field: str
    runs: tuple[str, ...]
    basis: str
    labels: tuple[str, ...] = ()


MakingOfJudge = Callable[[Database, Actor, str, AskedOfJudge], str]


def _certificate(form: Callable[[Certificate], str]) -> MakingOfJudge:
    return lambda store, actor, study_key, asked: form(
        calibration.certify(store, actor, study_key, asked.field, asked.runs, asked.basis, labels=asked.labels)
    )


def _verdicts(form: str, name: str) -> MakingOfJudge:
    return lambda store, actor, study_key, asked: "".join(
        exports.export_verdicts(store, actor, study_key, form, asked.field, asked.runs, asked.labels)[name]
    )


_MEDIA_TYPES = {"csv": "text/csv", "json": "application/json", "yaml": "application/yaml"}
OF_JUDGES: dict[str, tuple[MakingOfJudge, str]] = {
    calibration.FILE_NAME: (_certificate(lambda made: made.document), "application/json"),
    calibration.CARD_NAME: (_certificate(lambda made: made.card), "text/plain"),
    **{
        name: (_verdicts(form, name), _MEDIA_TYPES[name.rpartition(".")[2]])
        for form, names in exports.FILES.items()
        for name in names
    },
}


async def _send_of_judges(request: Request) -> Response:
    study_key, name = str(request.path_params["study"]), str(request.path_params["name"])
    query = request.query_params
    asked = AskedOfJudge(
        query.get("field", ""), tuple(query.getlist("run")), query.get("basis", ""), tuple(query.getlist("labels"))
    )
    actor: Actor = request.state.actor
    return await in_thread("files", _made_of_judges, actor, study_key, name, asked)


def _made_of_judges(actor: Actor, study_key: str, name: str, asked: AskedOfJudge) -> Response:
    headers = {"Cache-Control": "no-store"}
    if name not in OF_JUDGES:
        return PlainTextResponse("There is no such file.", status_code=404, headers=headers)
    make, media_type = OF_JUDGES[name]
    try:
        content = make(database(), actor, study_key, asked)
    except Refused as refusal:
        status = 404 if isinstance(refusal, NotFound) else 403
        return PlainTextResponse(str(refusal), status_code=status, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{study_key}-{name}"'
    return Response(content, media_type=media_type, headers=headers)


async def _send_new_study(request: Request) -> Response:
    actor: Actor = request.state.actor
    headers = {"Cache-Control": "no-store"}
    shape = str(request.path_params["shape"])
    try:
        content = await in_thread("files", starter.new_study_zip, actor, "" if shape == starter.NAME else shape)
    except Refused as refusal:
        status = 404 if isinstance(refusal, NotFound) else 403
        return PlainTextResponse(str(refusal), status_code=status, headers=headers)
    # A shape's name is the name of one of our folders, so it is safe in a header.
    headers["Content-Disposition"] = f'attachment; filename="{shape}.zip"'
    return Response(content, media_type="application/zip", headers=headers)


async def _send(request: Request) -> Response:
    study_key, name = str(request.path_params["study"]), str(request.path_params["name"])
    actor: Actor = request.state.actor
    return await in_thread("files", _made, actor, study_key, name)


def _made(actor: Actor, study_key: str, name: str) -> Response:
    headers = {"Cache-Control": "no-store"}
    if name not in FILES:
        return PlainTextResponse("There is no such file.", status_code=404, headers=headers)
    make, media_type = FILES[name]
    try:
        content = make(database(), actor, study_key)
    except Refused as refusal:
        status = 404 if isinstance(refusal, NotFound) else 403
        return PlainTextResponse(str(refusal), status_code=status, headers=headers)
    # The key of a study that exists contains only lower-case letters, digits and hyphens.
    headers["Content-Disposition"] = f'attachment; filename="{study_key}-{name}"'
    return Response(content, media_type=media_type, headers=headers)


routes = [
    Route("/download/new-study/{shape}.zip", _send_new_study, methods=["GET"]),
    Route("/download/{study}/judges/{name}", _send_of_judges, methods=["GET"]),
    Route("/download/{study}/{name}", _send, methods=["GET"]),
]

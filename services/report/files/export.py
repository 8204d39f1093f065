"""Write the report to a folder as HTML, JSON and CSV files: either all of them or none."""

from __future__ import annotations

import io
import secrets
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from plotly.offline import get_plotlyjs

from db import Database, audit
from exchange.report.report_csv import csv_files
from exchange.report.report_html import Drawing
from exchange.report.report_html import report_html as write_html
from exchange.report.report_json import report_json
from exchange.report.report_structure import Report
from services.errors import Conflict
from services.people.identity import Actor
from services.people.permission import require_role
from services.report.build import build_report, current_report
from services.report.figures.of_sections import figures_of
from services.report.files.judge_file import judge_files
from services.report.files.label_file import label_files

HTML_NAME = "report.html"
JSON_NAME = "report.json"


def export_report(database: Database, actor: Actor, study_key: str, folder: Path) -> list[Path]:
    """Build the report and write all its files into `folder`, which must be new or empty.

    Returns
    -------
    list of Path
        The files, the HTML page first.

    Raises
    ------
    NotFound, NotAllowed
        As `build_report`.
    Conflict
        The folder is not empty, or cannot be written.
    """
    report = build_report(database, actor, study_key)
    files: dict[str, Iterable[str]] = {HTML_NAME: (report_page(report),), JSON_NAME: (report_json(report),)}
    files |= csv_files(report, *judge_files(database, report), *label_files(database, report))
    _write_whole(folder, files)
    _note_export(database, actor, report, "folder")
    return [folder / name for name in files]


def report_page(report: Report) -> str:
    """Return the report as one self-contained HTML page."""
    drawings = [
        Drawing(each.key, each.section, each.title, each.caption, each.height, each.figure.to_json(), each.alt)
        for each in figures_of(report)
    ]
    return write_html(report, drawings, get_plotlyjs())


def download(database: Database, actor: Actor, study_key: str, form: str) -> bytes:
    """Return the report as one file: `html`, `csv` (a ZIP archive) or `json`.

    Raises
    ------
    NotFound, NotAllowed
        As `build_report`.
    """
    report = current_report(database, actor, study_key)
    content = report_csv_archive(database, report) if form == "csv" else _TEXTS[form](report).encode()
    _note_export(database, actor, report, form)
    return content


def report_csv_archive(database: Database, report: Report) -> bytes:
    """Return the report's CSV files as one ZIP archive; the same report gives the same bytes.

    Its judges' verdicts are read from the database while the archive is written.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, lines in csv_files(report, *judge_files(database, report), *label_files(database, report)).items():
            member = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            # A file's length is not known in advance, and one over 2 GiB needs a ZIP64 entry.
            with (
                archive.open(member, "w", force_zip64=True) as packed,
                io.TextIOWrapper(packed, encoding="utf-8", newline="") as file,
            ):
                file.writelines(lines)
    return content.getvalue()


def _note_export(database: Database, actor: Actor, report: Report, form: str) -> None:
    """Record in the audit trail that a report left the application, and in which form."""
    with database.writing() as session:
        study, _ = require_role(session, actor, report.study_key, "admin")
        audit.record(
            session,
            "report exported",
            person_id=actor.person_id,
            study_id=study.id,
            form=form,
            state=report.state,
            freeze_sha256=report.freeze_sha256,
        )


_TEXTS: dict[str, Callable[[Report], str]] = {"html": report_page, "json": report_json}


def _write_whole(folder: Path, files: Mapping[str, Iterable[str]]) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict(f"'{folder}' is not empty; name a new or empty folder for the report.")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # In the same folder as the target, so that the last step is a rename within one file system.
        unfinished = folder.parent / f".{folder.name}-{secrets.token_hex(6)}"
        unfinished.mkdir()
    except OSError as error:
        raise Conflict(f"'{folder}' cannot be written ({error.strerror}); name another folder.") from None
    try:
        for name, lines in files.items():
            with (unfinished / name).open("w", encoding="utf-8", newline="") as file:
                file.writelines(lines)
        if folder.exists():
            folder.rmdir()
        unfinished.rename(folder)
    except OSError as error:
        raise Conflict(f"'{folder}' cannot be written ({error.strerror}); nothing was left behind.") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)

"""Build the agreement report: read once, then compute each section from what was read."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Literal

from db import Database, now
from db.base import stored_id
from exchange.report_structure import Report
from services.installation.version import SOFTWARE_VERSION
from services.people.identity import Actor
from services.people.permission import require_role
from services.progress.data_lock import require_report_open
from services.report.accuracy import accuracy_section
from services.report.adjudication import adjudication_section
from services.report.between_raters import agreement_section
from services.report.collect import collect, hold_one_snapshot, newest_rows
from services.report.collected import Collected
from services.report.completeness import completeness_section, not_let_in_sentences
from services.report.computing import Computing
from services.report.consensus import consensus_of
from services.report.data_files import data_files
from services.report.disagreements import disagreements_section
from services.report.floors import floors_section
from services.report.judges import judges_section
from services.report.looking import looks_of
from services.report.marks import marks_of, marks_section
from services.report.missing import missing_notices, missing_of
from services.report.readings import Readings, readings_of
from services.report.scorers import automatic_scorers
from services.report.study import analysis_plan, study_section
from services.report.viewing import viewing_section

FEW_SUBJECTS = 10
# Finished reports in memory: the page and its three downloads are then one computation.
MOST_KEPT = 4
_kept: OrderedDict[tuple[str, str, str], Report] = OrderedDict()
_kept_lock = threading.Lock()


def build_report(database: Database, actor: Actor, study_key: str) -> Report:
    """Return the agreement report of a study, for its admins.

    Raises
    ------
    NotFound, NotAllowed
        The actor has no part in the study, is no admin of it, or the report is shut: the study is not closed and the
        actor has noted no interim look.
    """
    with database.reading() as session:
        hold_one_snapshot(session)
        study, _ = require_role(session, actor, study_key, "admin")
        state = require_report_open(session, stored_id(study.id), actor.person_id)
        collected = collect(session, study)
    return report_of(collected, "final" if state == "final" else "interim")


def current_report(database: Database, actor: Actor, study_key: str) -> Report:
    """Return the report of `build_report`, computed once for each state of the data, however often it is asked for.

    Raises
    ------
    NotFound, NotAllowed
        As `build_report`; whoever asks is checked each time.
    """
    stamp = report_stamp(database, actor, study_key)
    place = (str(database.engine.url), study_key, stamp)
    with _kept_lock:
        if place in _kept:
            _kept.move_to_end(place)
            return _kept[place]
    report = build_report(database, actor, study_key)
    # What came in meanwhile belongs to a later state: then the next one who asks has it computed again.
    if report_stamp(database, actor, study_key) == stamp:
        with _kept_lock:
            _kept[place] = report
            while len(_kept) > MOST_KEPT:
                _kept.popitem(last=False)
    return report


def report_stamp(database: Database, actor: Actor, study_key: str) -> str:
    """Return what changes whenever the report would, to somebody who may see it; cheap, for pages that draw again.

    Raises
    ------
    NotFound, NotAllowed
        As `build_report`.
    """
    with database.reading() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        state = require_report_open(session, study_id, actor.person_id)
        return f"{state} {newest_rows(session, study_id)} {SOFTWARE_VERSION}"


def report_of(collected: Collected, state: Literal["final", "interim"]) -> Report:
    """Compute the report from what was read."""
    computing = Computing.of(collected.protocol.analysis)
    readings = readings_of(collected)
    looks = looks_of(readings)
    consensus = consensus_of(collected, readings)
    marks = marks_of(collected)
    sections = (
        accuracy_section(readings, computing, collected.protocol.analysis),
        floors_section(readings, computing),
        agreement_section(readings, computing),
        disagreements_section(readings, consensus),
        adjudication_section(collected, readings, consensus, computing),
        marks_section(collected, marks, computing, automatic_scorers(collected, marks, computing)),
        judges_section(collected, marks, computing),
        completeness_section(collected, readings, computing),
        viewing_section(readings, looks, computing),
        study_section(collected, readings),
    )
    return Report(
        study_key=collected.study_key,
        title=collected.title,
        state=state,
        freeze_sha256=collected.freeze_sha256,
        protocol_sha256=collected.protocol_sha256,
        software_version=SOFTWARE_VERSION,
        analysis_plan=analysis_plan(collected),
        generated_at=now(),
        notices=_notices(collected, readings, state),
        sections=tuple(section for section in sections if section is not None),
        files=data_files(collected, readings, looks, consensus, marks),
    )


def _notices(collected: Collected, readings: Readings, state: str) -> tuple[str, ...]:
    found = []
    if collected.simulated_readers:
        found.append("The readers of this study are simulated: its figures show the software, not how people read.")
    if collected.protocol.notice:
        found.append(collected.protocol.notice.strip())
    if state == "interim":
        found.append("This is an interim look: the study is open and its figures will change.")
    subjects = len(set(readings.subjects))
    if subjects < FEW_SUBJECTS:
        found.append(
            f"Only {subjects} {'subject' if subjects == 1 else 'subjects'}: intervals that resample fewer than "
            f"{FEW_SUBJECTS} subjects are likely to be too narrow."
        )
    found += not_let_in_sentences(collected)
    found += missing_notices(missing_of(collected))
    return tuple(found)

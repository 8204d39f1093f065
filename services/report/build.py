"""Build the agreement report: read the rows once, then compute each section from them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import Literal

from agreement import FEW_CLUSTERS
from db import Database, now
from db.base import stored_id
from exchange.report.method_words import with_methods_explained
from exchange.report.report_structure import Report
from exchange.report.report_words import few_subjects_notice
from exchange.report.shown_numbers import have_intervals
from services.installation.version import SOFTWARE_VERSION
from services.people.identity import Actor
from services.people.permission import require_role
from services.progress.data_lock import require_report_open
from services.report.files.data_files import data_files
from services.report.files.label_file import with_labels
from services.report.interval_settings import IntervalSettings
from services.report.listed import listed_report
from services.report.rows.consensus import consensus_of
from services.report.rows.loading import hold_one_snapshot, load_rows, newest_rows
from services.report.rows.reads import Reads, reads_of
from services.report.rows.scores import items_of, scores_of
from services.report.rows.study_rows import StudyRows
from services.report.rows.viewings import viewings_of
from services.report.sections.accuracy import accuracy_section
from services.report.sections.adjudication import adjudication_section
from services.report.sections.agreement import agreement_section
from services.report.sections.automatic_scorers import automatic_scorers
from services.report.sections.completeness import completeness_section, not_let_in_sentences
from services.report.sections.disagreements import disagreements_section
from services.report.sections.floors import floors_section
from services.report.sections.judges import judges_section
from services.report.sections.missing import missing_notices, missing_of
from services.report.sections.scoring import scoring_section
from services.report.sections.sealed import notices_of_seal
from services.report.sections.study import analysis_plan, study_section
from services.report.sections.viewing import viewing_section
from services.studies import frozen_facts
from services.studies.many_objects import no_search_for_garbage

# Finished reports are cached in memory, so that the page and its three downloads share one computation.
MOST_REPORTS = 4
_finished: OrderedDict[tuple[str, str, str], Report] = OrderedDict()
_finished_lock = threading.Lock()


def build_report(database: Database, actor: Actor, study_key: str) -> Report:
    """Return the agreement report of a study, for its admins.

    Raises
    ------
    NotFound, NotAllowed
        The actor has no part in the study, is not an admin of it, or may not see the report yet: the study is not
        closed and the actor has not recorded an interim look.
    """
    with database.read_only() as session:
        hold_one_snapshot(session)
        study, _ = require_role(session, actor, study_key, "admin")
        state = require_report_open(session, stored_id(study.id), actor.person_id)
        expansion = frozen_facts.expansion_of(session, stored_id(study.id))
        of_seal = tuple(notices_of_seal(session, stored_id(study.id)))
        # The rows live until the last section is computed; each garbage collection would traverse all of them.
        with no_search_for_garbage():
            if expansion is not None:
                report = listed_report(session, study, expansion, "final" if state == "final" else "interim")
            else:
                report = report_of(load_rows(session, study), "final" if state == "final" else "interim")
        return with_labels(session, study, replace(report, notices=(*report.notices, *of_seal)))


def current_report(database: Database, actor: Actor, study_key: str) -> Report:
    """Return the report of `build_report`, computed only once for each state of the data.

    Raises
    ------
    NotFound, NotAllowed
        As `build_report`; permission is checked on every call.
    """
    stamp = report_stamp(database, actor, study_key)
    place = (str(database.engine.url), study_key, stamp)
    with _finished_lock:
        if place in _finished:
            _finished.move_to_end(place)
            return _finished[place]
    report = build_report(database, actor, study_key)
    # Rows that arrived in the meantime belong to a later state: the next request computes the report again.
    if report_stamp(database, actor, study_key) == stamp:
        with _finished_lock:
            _finished[place] = report
            while len(_finished) > MOST_REPORTS:
                _finished.popitem(last=False)
    return report


def report_stamp(database: Database, actor: Actor, study_key: str) -> str:
    """Return a stamp that changes whenever the report would; cheap enough for pages that are redrawn often.

    Raises
    ------
    NotFound, NotAllowed
        As `build_report`.
    """
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        state = require_report_open(session, study_id, actor.person_id)
        return f"{state} {newest_rows(session, study_id)} {SOFTWARE_VERSION}"


def report_of(rows: StudyRows, state: Literal["final", "interim"]) -> Report:
    """Compute the report from the rows that were read."""
    reads = reads_of(rows)
    viewings = viewings_of(reads)
    consensus = consensus_of(rows, reads)
    scores = scores_of(rows)
    intervals = IntervalSettings.of(rows.protocol.analysis, reads.subjects)
    # Candidates of one item are not independent: estimates about candidates resample items.
    of_candidates = IntervalSettings.of(rows.protocol.analysis, items_of(rows, rows.candidates))
    of_study = (
        accuracy_section(reads, intervals, rows.protocol.analysis),
        floors_section(reads, intervals),
        agreement_section(reads, intervals, rows.protocol.analysis),
        disagreements_section(reads, consensus),
        adjudication_section(rows, reads, consensus, intervals),
        scoring_section(rows, scores, of_candidates, automatic_scorers(rows, scores, of_candidates)),
        judges_section(rows, scores, of_candidates),
        completeness_section(rows, reads, intervals),
        viewing_section(reads, viewings, intervals),
        study_section(rows, reads),
    )
    sections = with_methods_explained([section for section in of_study if section is not None])
    return Report(
        study_key=rows.study_key,
        title=rows.title,
        state=state,
        freeze_sha256=rows.freeze_sha256,
        protocol_sha256=rows.protocol_sha256,
        software_version=SOFTWARE_VERSION,
        analysis_plan=analysis_plan(rows),
        generated_at=now(),
        notices=_notices(rows, reads, state, are_intervals=have_intervals(sections)),
        sections=sections,
        files=data_files(rows, reads, viewings, consensus, scores),
        judge_runs=tuple(run.id for run in rows.runs) if rows.candidates else None,
    )


def _notices(rows: StudyRows, reads: Reads, state: str, *, are_intervals: bool) -> tuple[str, ...]:
    notices = []
    if rows.simulated_readers:
        notices.append(
            "The readers of this study are simulated: its figures demonstrate the software, not how people read."
        )
    if rows.protocol.notice:
        notices.append(rows.protocol.notice.strip())
    if state == "interim":
        notices.append("This is an interim look: the study is open and its figures will change.")
    subjects = len(set(reads.subjects))
    if are_intervals and subjects < FEW_CLUSTERS:
        notices.append(few_subjects_notice(subjects, FEW_CLUSTERS))
    notices += not_let_in_sentences(rows)
    notices += missing_notices(missing_of(rows))
    return tuple(notices)

"""The report of a study that lists its phases: the plan's declared results, each phase by field, and the data files."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Literal

from sqlmodel import Session, select

from agreement import FEW_CLUSTERS
from db import Freeze, Study, now, queries
from db.base import stored_id
from db.standing import STANDS
from exchange.report.method_words import with_methods_explained
from exchange.report.report_structure import Report, Section
from exchange.report.report_words import few_clusters_note
from exchange.report.shown_numbers import have_intervals
from protocol.analysis import AnalysisPlan
from protocol.language.expansion import Expansion
from protocol.language.sentences_of_plan import plan_of
from protocol.language.wording import capital
from services.installation.version import SOFTWARE_VERSION
from services.report.calibration.pools import Pools
from services.report.files.listed_files import listed_files
from services.report.interval_settings import IntervalSettings
from services.report.rows.candidates import failures_of, load_runs
from services.report.rows.listed_loading import load_listed
from services.report.rows.listed_record import load_record
from services.report.rows.ratings import PhaseRatings, strata_of_clusters
from services.report.rows.ratings_of_phases import ratings_of
from services.report.sections.listed_completeness import listed_completeness, notices_of_missing
from services.report.sections.listed_study import listed_study
from services.report.sections.phases import marked, phase_section
from services.report.sections.plan import plan_section, planned_tables
from services.report.sections.runs import runs_section
from services.report.sections.scale import notices_of_scale
from services.report.sections.versions import notices_of_versions
from services.studies import frozen_facts


def listed_report(session: Session, study: Study, expansion: Expansion, state: Literal["final", "interim"]) -> Report:
    """Return the report on what was drawn, dealt and answered in a study that lists its phases."""
    study_id = stored_id(study.id)
    phases = frozen_facts.phases_of(session, study_id)
    freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)).one()
    protocol_sha256 = hashlib.sha256(queries.protocol_json(session, study_id).encode()).hexdigest()
    record = load_record(session, study, protocol_sha256)
    sealed = queries.sealed_items(session, study_id)
    runs = load_runs(session, study_id, sealed)
    failures = failures_of(session, runs, sealed) if runs else {}
    rows = load_listed(session, study, expansion, phases)
    ratings = ratings_of(rows, expansion, runs)
    expansion = _named_by_its_clusters(expansion, ratings)
    sections = with_methods_explained(
        (
            *_figures(expansion, ratings, Pools(expansion, rows, runs)),
            *filter(None, (runs_section(rows, ratings, runs, failures),)),
            listed_completeness(rows, phases),
            listed_study(expansion, rows, phases, record),
        )
    )
    notices = (
        *_notices(study, expansion, state, ratings, are_intervals=have_intervals(sections)),
        *notices_of_scale(session, study_id, expansion),
    )
    return Report(
        study_key=study.key,
        title=study.title,
        state=state,
        freeze_sha256=record.versions[-1].sha256,
        protocol_sha256=protocol_sha256,
        software_version=SOFTWARE_VERSION,
        analysis_plan=(("Plan", " ".join(plan_of(expansion))), ("Sampling", freeze.method)),
        generated_at=now(),
        notices=(
            *notices,
            *notices_of_missing(rows, phases),
            *notices_of_versions(record.versions, rows, phases),
        ),
        sections=sections,
        files=listed_files(rows),
        judge_runs=tuple(run.id for run in runs) if rows.candidates else None,
    )


def _named_by_its_clusters(study: Expansion, phases: tuple[PhaseRatings, ...]) -> Expansion:
    """Return the study with items as its clusters, if every item is its own subject."""
    items = [unit.item for phase in phases for ratings in phase.fields for unit in ratings.units]
    if study.analysis.cluster not in ("subject", "case") or any(item.key != item.subject for item in items):
        return study
    return study.model_copy(update={"analysis": study.analysis.model_copy(update={"cluster": "item"})})


def _figures(study: Expansion, phases: tuple[PhaseRatings, ...], pools: Pools) -> list[Section]:
    """Return the plan's declared results, then one section per phase; all bootstraps share one draw of clusters."""
    intervals = _intervals(study, phases)
    plan = plan_section(study, phases, pools, intervals)
    sections = [section for phase in phases if (section := phase_section(phase, study, intervals)) is not None]
    declared = planned_tables(plan)
    return [*([plan] if plan is not None else []), *(marked(section, declared) for section in sections)]


def _intervals(study: Expansion, phases: tuple[PhaseRatings, ...]) -> IntervalSettings:
    plan = study.analysis
    strata = strata_of_clusters(plan.strata, phases)
    clusters = sorted(strata)
    of_each = [next(iter(strata[cluster])) for cluster in clusters]
    nested = bool(plan.strata) and all(len(own) == 1 for own in strata.values())
    settings = AnalysisPlan(
        interval=plan.interval, confidence=plan.confidence, resamples=plan.resamples, seed=plan.seed
    )
    fixed = IntervalSettings.of(
        settings,
        clusters,
        of_each if nested else None,
        p_from=plan.p_from,
        of_numbers=plan.interval_of_numbers,
        p_in_clusters=plan.p_in_clusters,
    )
    # The other defaults are fixed with the language: no older plan needs today's interval printed next to its own.
    return replace(fixed, scale=plan.interval_scale, of_same=plan.interval_same, today=None)


def _notices(
    study: Study, expansion: Expansion, state: str, phases: tuple[PhaseRatings, ...], *, are_intervals: bool
) -> tuple[str, ...]:
    said = []
    if study.simulated_readers:
        said.append("The readers of this study are simulated: its data demonstrate the software, not how people read.")
    if expansion.notice:
        said.append(expansion.notice.strip())
    if state == "interim":
        said.append("This is an interim look: the study is open and its data will change.")
    name = expansion.analysis.cluster
    clusters = {cluster for phase in phases for ratings in phase.fields for cluster in ratings.clusters}
    if are_intervals and len(clusters) < FEW_CLUSTERS:
        said.append(f"{capital(few_clusters_note(name, FEW_CLUSTERS))} ({len(clusters)}).")
    return tuple(said)

"""The declared estimates of a study that lists its phases: computed line by line, or reported as not computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from exchange.report.report_structure import EstimateTable, Section
from exchange.report.report_words import ALSO_DECLARED, PRIMARY_ESTIMATE
from protocol.language.authored_plan import AuthoredEstimate, are_right_at_once
from protocol.language.computed import is_computed, not_computed
from protocol.language.criteria import statistic_of
from protocol.language.expansion import Expansion
from protocol.language.results import form_named
from protocol.language.wording import listed, spoken
from services.report.calibration.pools import Pools
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import PhaseRatings, Ratings, strata_of_clusters
from services.report.sections.criteria import Outcome, criteria_table, in_words, outcomes_of
from services.report.sections.lines_left_out import left_out, why_no_row, with_unanswered_parts
from services.report.sections.planned_lines import answers_used, parts_of, table_of, table_of_judges, title_words
from services.report.sections.rested import raters_of
from services.report.sections.selecting import parts_of_line


def plan_section(
    study: Expansion, phases: Sequence[PhaseRatings], pools: Pools, intervals: IntervalSettings
) -> Section | None:
    """Return the section of the plan, its primary estimate first; None if the plan declares nothing."""
    plan = study.analysis
    lines = ([plan.primary] if plan.primary is not None else []) + list(plan.also)
    if not lines and not plan.criteria:
        return None
    tables: list[EstimateTable] = []
    lacking = [*not_computed(study), *left_out(study, phases), *_strata_not_kept(study, phases)]
    for number, line in enumerate(lines, start=1):
        for place, ratings in enumerate(_ratings_of(study, line, phases), start=1):
            if not is_computed(study, ratings.field, ratings.phase, line):
                continue
            key = f"line_{number}" if len(line.of) == 1 else f"line_{number}_{place}"
            used = answers_used(line, ratings, phases)
            name = PRIMARY_ESTIMATE if line is plan.primary else ALSO_DECLARED
            table = (
                table_of_judges(key, study, line, ratings, pools, intervals, name, is_primary=line is plan.primary)
                if line.estimate in ("uniformity", "corrected")
                else table_of(key, study, line, used, phases, intervals, name, is_primary=line is plan.primary)
            )
            if table.rows:
                tables.append(_with_all_parts(study, line, used, phases, table, intervals.confidence))
            else:
                reason = why_no_row(study, line, parts_of(study, line, used, phases))
                lacking.append(_lacking(name, line, ratings, title_words(study, line, ratings), reason))
    of_criteria, outcomes = _criteria(study, phases, intervals)
    return Section(
        key="plan",
        short_title="Plan",
        title="Declared before the first verdict",
        explanation=(
            (
                "These estimates were declared in the analysis plan, which was frozen with the study; all others of "
                "this report are exploratory."
            ),
            *in_words(outcomes),
            *lacking,
        ),
        tables=(*tables, *([criteria_table(outcomes)] if outcomes else []), *of_criteria),
        method=(
            (
                "A line for several raters, models or options has a row for each, and none is corrected for their "
                "number unless its table says so."
            ),
        )
        if tables
        else (),
    )


def _with_all_parts(
    study: Expansion,
    line: AuthoredEstimate,
    used: Sequence[Ratings],
    phases: Sequence[PhaseRatings],
    table: EstimateTable,
    confidence: float,
) -> EstimateTable:
    """Return the table of a line, with undefined rows for the parts that nobody answered."""
    if line.estimate in ("uniformity", "corrected"):
        return table  # Their parts are of all candidates, and already have such rows.
    table = with_unanswered_parts(table, parts_of(study, line, used, phases), confidence)
    if line.compare != "group":
        return table
    compared = parts_of(study, line, used, phases, compared=False)
    return with_unanswered_parts(table, compared, confidence, of_groups=True)


def _lacking(name: str, line: AuthoredEstimate, ratings: Ratings, words: str, reason: str) -> str:
    """Return a sentence that a line has no row, with the reason; a missing judge or model takes precedence."""
    if ("judges" in line.against or line.estimate in ("uniformity", "corrected")) and not ratings.judges:
        reason = "no judge’s run is about this field"
    elif "models" in line.against and not ratings.models:
        reason = "no model has answered this field"
    return f"{name}, not computed, since {reason}: {words}."


def _strata_not_kept(study: Expansion, phases: Sequence[PhaseRatings]) -> Iterator[str]:
    """Yield why bootstraps do not resample within the plan's strata, if a cluster is in more than one of them."""
    plan = study.analysis
    split = [cluster for cluster, own in strata_of_clusters(plan.strata, phases).items() if len(own) > 1]
    if plan.strata and split:
        within = listed([spoken(key) for key in plan.strata])
        yield (
            f"Declared, not done: bootstraps within each {within}, since {len(split)} of the {spoken(plan.cluster)}s "
            f"that are resampled have several values of it, among them {min(split)}."
        )


def _criteria(
    study: Expansion, phases: Sequence[PhaseRatings], intervals: IntervalSettings
) -> tuple[list[EstimateTable], list[Outcome]]:
    """Return the estimates that the plan's criteria are about, and the outcome of each criterion."""
    tables: list[EstimateTable] = []
    outcomes: list[Outcome] = []
    for criterion in study.analysis.criteria:
        for ratings in _ratings_of(study, criterion, phases):
            if not is_computed(study, ratings.field, ratings.phase, criterion):
                counts = (0, raters_of(ratings))
                because = "this release does not compute it"
                outcomes.append(Outcome(criterion, None, ratings.whole, (), *counts, "not decided", because))
                continue
            used = answers_used(criterion, ratings, phases)
            name = f"Criterion “{spoken(criterion.key)}”"
            table = table_of(
                f"criterion_{criterion.key}", study, criterion, used, phases, intervals, name, is_primary=False
            )
            given = dict(parts_of_line(study, criterion, ratings, phases))
            statistic = statistic_of(criterion, ratings.field.type)
            # The difference of two groups has to reach the bounds, as opposed to each group.
            parts = parts_of(study, criterion, used, phases, compared=statistic != "accuracy_difference")
            outcomes += outcomes_of(criterion, ratings, parts, given, table.rows)
            about = tuple(row for row in table.rows if row.statistic == statistic)
            if about:
                tables.append(replace(table, rows=about))
    return tables, outcomes


def planned_tables(section: Section | None) -> list[EstimateTable]:
    """Return the plan's tables whose rows may occur again in the sections of the phases."""
    tables = section.tables if section is not None else ()
    return [table for table in tables if isinstance(table, EstimateTable)]


def _ratings_of(study: Expansion, line: AuthoredEstimate, phases: Sequence[PhaseRatings]) -> list[Ratings]:
    """Return the ratings in the fields that a line names, except fields that nobody was asked."""
    by_key = {phase.phase.key: phase for phase in phases}
    named = [name.partition(".") for name in line.of]
    form = form_named(study, line)
    ratings = [by_key[key].of_field(field, form) for key, _, field in named if key in by_key]
    asked = [each for each in ratings if each is not None]
    # For fields that have to be right at once there is one estimate, on the units of the first.
    return asked[:1] if are_right_at_once(line) else asked

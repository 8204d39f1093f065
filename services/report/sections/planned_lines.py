"""A line of the analysis plan: its title, its parts, and the functions that compute its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from exchange.report.estimate_rows import EstimateRow, Stratum
from exchange.report.report_structure import EstimateTable, TitleParts
from protocol.language.authored_plan import RATER, AnswersUsed, AuthoredEstimate, are_right_at_once
from protocol.language.computed import by_each_rater
from protocol.language.expansion import Expansion
from protocol.language.results import form_named
from protocol.language.sentences_of_plan import line_in_words
from protocol.language.wording import capital
from services.report.calibration.pools import Pools
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import PhaseRatings, Ratings
from services.report.rows.settled import settled
from services.report.sections.comparisons import counted
from services.report.sections.comparisons import in_words as comparisons_in_words
from services.report.sections.criteria import rows_of_topic
from services.report.sections.fields import REPORTS
from services.report.sections.fields.all_right import all_right
from services.report.sections.fields.comparing import INTERACTION, between_parts, interaction_rows
from services.report.sections.fields.comparing_groups import (
    agreement_rows_of_groups,
    group_rows,
    groups_in_words,
    mean_rows_of_groups,
)
from services.report.sections.fields.depending import DEPENDING, depends
from services.report.sections.fields.flagged import flags
from services.report.sections.fields.jointly import jointly
from services.report.sections.fields.topics import Topic, measured_in, unit_in_words, weighted_in_words
from services.report.sections.judged_lines import corrected_in_words, judged_rows, uniformity_in_words
from services.report.sections.main_statistic import asked_by, is_main, named_by
from services.report.sections.phases import division_by, in_order
from services.report.sections.selecting import PartOfLine, parts_of_line, raters_left_out_in_words, unsettled_in_words

_AS_GIVEN: tuple[AnswersUsed, ...] = ("given",)
Computed = Callable[[IntervalSettings], Sequence[EstimateRow]]


def _form(study: Expansion, line: AuthoredEstimate, ratings: Ratings, phases: Sequence[PhaseRatings]) -> str:
    """Return the form that a line names, in the way tables are identified: empty for the first form with the field."""
    first = next(phase for phase in phases if phase.phase.key == ratings.phase.key).of_field(ratings.field.key)
    return (form_named(study, line) or "") if first is not ratings else ""


def title_words(study: Expansion, line: AuthoredEstimate, ratings: Ratings) -> str:
    """Return a line in words for its table's title: about its one field, or all fields that must be right at once."""
    if are_right_at_once(line):
        return capital(line_in_words(study, line))
    return capital(line_in_words(study, line.model_copy(update={"of": [ratings.name]})))


def table_of(
    key: str,
    study: Expansion,
    line: AuthoredEstimate,
    ratings: Sequence[Ratings],
    phases: Sequence[PhaseRatings],
    intervals: IntervalSettings,
    name: str,
    *,
    is_primary: bool,
) -> EstimateTable:
    """Return a line's estimates for each kind of answers that it names: as given, settled, or of the first step."""
    named, topics = ratings[0], _topics(study, line, ratings[0], phases)
    asked = asked_by(study, line, named.name, named.field.positive)
    own = counted(_own_rows(study, line, topics, ratings, phases), intervals, study.analysis.comparisons)
    rows = [row for row in own if asked(row)]
    explanations = [piece for topic in topics for piece in topic.explained(named, rows)]
    explanations.append(unsettled_in_words(study, line, named, phases))
    explanations.append(raters_left_out_in_words(study, line, named))
    of_groups: list[EstimateRow] = []
    if line.compare == "group":
        of_groups = counted(_between_groups(study, line, ratings, phases), intervals, study.analysis.comparisons)
    rows += of_groups
    explanations += [unit_in_words(named, rows), weighted_in_words(named, rows)]
    if line.compare == "group":
        explanations.append(groups_in_words(of_groups))
    if by_each_rater(study, line):
        between_raters = _between_raters(study, line, ratings, phases)
        rows += counted(between_raters, intervals, study.analysis.comparisons)
        explanations.append(INTERACTION)
    title = TitleParts(name, title_words(study, line, named), is_primary, named_by(line))
    explanation = " ".join(filter(None, dict.fromkeys([*explanations, comparisons_in_words(rows)])))
    return EstimateTable(
        key=key,
        title=str(title),
        explanation=explanation,
        rows=tuple(_marked(line, named, row, is_primary) for row in rows if asked(row)),
        lines="both",
        cluster=study.analysis.cluster,
        field=named.name,
        form=_form(study, line, named, phases),
        measured_in=measured_in(named),
        drawn=topics[0].drawn,
        parts=title,
    )


def _own_rows(
    study: Expansion,
    line: AuthoredEstimate,
    topics: Sequence[Topic],
    ratings: Sequence[Ratings],
    phases: Sequence[PhaseRatings],
) -> Computed:
    """Return the computation of a line's topics in each of its parts, beside models where it names them."""
    parts = parts_of(study, line, ratings, phases)
    beside_models = "models" in line.against

    def computed(settings: IntervalSettings) -> list[EstimateRow]:
        return [
            replace(row, versions=part.versions, answers=answers)
            for answers, stratum, part in parts
            for topic in topics
            for row in (
                *rows_of_topic(line, topic, part, stratum, settings),
                *(topic.rows_of_models(part, stratum, settings) if beside_models else ()),
            )
        ]

    return computed


def _between_groups(
    study: Expansion, line: AuthoredEstimate, ratings: Sequence[Ratings], phases: Sequence[PhaseRatings]
) -> Computed:
    """Return the computation that compares groups of raters: their means, their agreement, or their accuracy."""
    groups, depth = [(group.key, group.title) for group in study.groups], line.k
    depth = 1 if line.estimate == "pass_at" and depth is None else depth
    of_all = parts_of(study, line, ratings, phases, compared=False)
    # Right or wrong is compared as a share; all other differences are of numbers.
    is_share = REPORTS[ratings[0].field.type].is_share
    is_of_means = line.estimate in ("mean", "distance") or (line.estimate == "difference" and not is_share)

    def rows_of(part: Ratings, stratum: Stratum, settings: IntervalSettings) -> list[EstimateRow]:
        if line.estimate == "agreement":
            return agreement_rows_of_groups(part, groups, stratum, settings)
        if is_of_means:
            return mean_rows_of_groups(part, groups, stratum, settings)
        return group_rows(part, groups, stratum, settings, depth)

    return _computed(of_all, rows_of)


def _computed(
    parts: Sequence[PartOfLine], rows_of: Callable[[Ratings, Stratum, IntervalSettings], Sequence[EstimateRow]]
) -> Computed:
    """Return a function that computes the rows of each part, with the versions of the study that added its units."""
    return lambda settings: [
        replace(row, versions=part.versions, answers=answers)
        for answers, stratum, part in parts
        for row in rows_of(part, stratum, settings)
    ]


def parts_of(
    study: Expansion,
    line: AuthoredEstimate,
    ratings: Sequence[Ratings],
    phases: Sequence[PhaseRatings],
    *,
    compared: bool = True,
) -> list[PartOfLine]:
    """Return the parts of a line's units, for each kind of answers that it uses."""
    return [
        PartOfLine(answers, *part)
        for answers, own in zip(line.using or _AS_GIVEN, ratings, strict=True)
        for part in parts_of_line(study, line, own, phases, compared=compared)
    ]


def _between_raters(
    study: Expansion, line: AuthoredEstimate, ratings: Sequence[Ratings], phases: Sequence[PhaseRatings]
) -> Computed:
    """Return the computation of how far raters vary in the difference that a line is about."""
    report, whole = REPORTS[ratings[0].field.type], [name for name in line.by if name != RATER]
    of_all = parts_of(study, line.model_copy(update={"by": whole}), ratings, phases)

    def rows_of(part: Ratings, stratum: Stratum, settings: IntervalSettings) -> list[EstimateRow]:
        numbers = report.numbers(part) if report.numbers is not None else ()
        by = division_by(study, line.compare or "")
        return interaction_rows(part, numbers, by, stratum, settings, is_share=report.is_share)

    return _computed(of_all, rows_of)


def table_of_judges(
    key: str,
    study: Expansion,
    line: AuthoredEstimate,
    ratings: Ratings,
    pools: Pools,
    intervals: IntervalSettings,
    name: str,
    *,
    is_primary: bool,
) -> EstimateTable:
    """Return the estimates of a line that uses all candidates, including those that nobody rated."""

    def computed(settings: IntervalSettings) -> list[EstimateRow]:
        plan = replace(pools.plan, confidence=settings.confidence)
        return judged_rows(study, line, ratings, pools.of(ratings), plan) if ratings.judges else []

    rows = counted(computed, intervals, study.analysis.comparisons)
    title = TitleParts(name, title_words(study, line, ratings), is_primary, named_by(line))
    is_uniformity = line.estimate == "uniformity"
    explanation = uniformity_in_words(ratings.field, rows) if is_uniformity else corrected_in_words(line)
    return EstimateTable(
        key=key,
        title=str(title),
        explanation=" ".join(filter(None, [explanation, unit_in_words(ratings, rows), comparisons_in_words(rows)])),
        rows=tuple(_marked(line, ratings, row, is_primary) for row in rows),
        lines="both",
        cluster=study.analysis.cluster,
        field=ratings.name,
        measured_in=measured_in(ratings),
        drawn="forest",
        parts=title,
    )


def _topics(study: Expansion, line: AuthoredEstimate, ratings: Ratings, phases: Sequence[PhaseRatings]) -> list[Topic]:
    """Return the topics that compute a line; `is_computed` must hold for the line."""
    report = REPORTS[ratings.field.type]
    option = line.option or ratings.field.positive or ""
    if are_right_at_once(line):
        phase = next(phase for phase in phases if phase.phase.key == ratings.phase.key)
        return [all_right(phase, [name.partition(".")[2] for name in line.of])]
    if line.estimate == "joint_rate":
        # A part that lacks a condition has no item with an answer in every condition.
        over = {name: in_order(study, name, ratings.values_of(name)) for name in line.over}
        given = next(phase for phase in phases if phase.phase.key == ratings.phase.key).of_field(ratings.field.key)
        return [jointly(option, over, given or ratings)]
    if line.estimate == "flag_precision":
        return [flags(option, line.over[0])]
    if line.estimate == "auc" and line.over and report.of_columns is not None:
        return [report.of_columns(line.over)]
    if line.estimate == "difference" and line.compare is not None and report.numbers is not None:
        return [between_parts(division_by(study, line.compare), report.numbers, is_share=report.is_share)]
    if line.k is not None and report.at_depth is not None:
        return [report.at_depth(line.k)]
    depending = [DEPENDING] if line.estimate in ("accuracy", "macro_f1") and depends(ratings.field) else []
    if line.against:
        against = [report.against[line.estimate, partner] for partner in line.against]
        # The accuracy itself is printed next to the baseline's.
        own = [report.planned[line.estimate]] if line.estimate == "accuracy" else []
        return [*dict.fromkeys([*own, *against, *depending])]
    return [report.planned[line.estimate], *depending]


def answers_used(line: AuthoredEstimate, ratings: Ratings, phases: Sequence[PhaseRatings]) -> list[Ratings]:
    """Return the answers that a line is about: as given, as settled, or those of the first step."""
    phase = next(phase for phase in phases if phase.phase.key == ratings.phase.key)
    used: dict[AnswersUsed, Ratings] = {
        "given": ratings,
        "settled": settled(ratings, phases),
        "step 1": phase.before_more(ratings),
    }
    return [used[answers] for answers in line.using or _AS_GIVEN]


def _marked(line: AuthoredEstimate, ratings: Ratings, row: EstimateRow, is_primary: bool) -> EstimateRow:
    """Return a row marked as planned if it is the primary estimate itself, and as declared otherwise."""
    planned = is_primary and is_main(line, ratings.field.type, row)
    return replace(row, planned=planned, declared=not planned)

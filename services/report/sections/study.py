"""The study: its items, raters and events, and the analysis plan frozen before the first verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from exchange.report.report_structure import Cell, Column, PlainTable, Section
from exchange.report.report_words import DRAWS, FORMATS, GROUNDINGS, KAPPA_INTERVALS, PRIMARY, PRIMARY_ESTIMATE
from services.report.rows.reads import Reads
from services.report.rows.study_rows import ReadItem, StudyRows
from services.report.sections.completeness import not_let_in_sentences
from services.report.sections.without_reference import without_reference_sentences

EVENTS = {
    "open": "Frozen and opened",
    "interim": "Interim look at the report",
    "close": "Closed (data lock)",
    "reopen": "Re-opened",
}

_INTERVALS = {
    "by_statistic": (
        "the interval suited to the statistic, accounting for clustering by subject: score interval for shares "
        "and for PABAK, {kappa} for kappa and nominal alpha, otherwise, and for the text-only floor, bootstrap with "
        "{resamples} resamples, {draw}; {independent}"
    ),
    "percentile_bootstrap": (
        "percentile bootstrap with subjects as clusters, {resamples} resamples, {draw}; {independent}"
    ),
}
# Settings that are the same for either plan.
_INDEPENDENT = (
    "for Spearman’s correlation and the share of discordant items, the usual interval for independent observations"
)


def study_section(study: StudyRows, reads: Reads) -> Section:
    """Build the section."""
    subjects = len(set(reads.subjects))
    return Section(
        key="study",
        short_title="Study",
        title="Study and analysis plan",
        explanation=(
            (
                f"{len(reads.items)} items from {subjects} subjects, read by {len(reads.columns)} raters. The plan "
                "below was frozen together with the items, before the first verdict."
            ),
            *not_let_in_sentences(study),
            *without_reference_sentences(reads),
        ),
        tables=tuple(table for table in (_plan(study), _items(reads), _members(study), _events(study)) if table.rows),
    )


def analysis_plan(study: StudyRows) -> tuple[tuple[str, str], ...]:
    """Return the analysis plan in words."""
    plan = study.protocol.analysis
    return (
        (PRIMARY_ESTIMATE, PRIMARY[plan.primary]),
        ("Unit of analysis", plan.unit),
        ("Clusters", f"{plan.cluster}: items of the same subject are not independent"),
        (
            "Interval",
            _INTERVALS[plan.interval].format(
                resamples=plan.resamples,
                draw=DRAWS[plan.draw],
                kappa=KAPPA_INTERVALS[plan.kappa_interval],
                independent=_INDEPENDENT,
            ),
        ),
        ("Confidence", f"{100 * plan.confidence:g} %"),
        ("Seed", str(plan.seed)),
        ("Verdicts counted", "first pass; the latest verdict if one was revised"),
        ("References counted", "the latest version of each"),
    )


def _plan(study: StudyRows) -> PlainTable:
    rows: list[tuple[Cell, ...]] = list(analysis_plan(study))
    rows += [
        ("Frozen", study.frozen_at.isoformat(timespec="seconds")),
        ("SHA-256 of the freeze", study.freeze_sha256),
        ("SHA-256 of the protocol", study.protocol_sha256),
        ("Sampling", study.freeze_method),
    ]
    return plan_table(rows)


def plan_table(rows: Sequence[tuple[Cell, ...]], *, grouped: bool = False) -> PlainTable:
    """Return the table of what the freeze fixed, for either kind of study."""
    return PlainTable(
        key="plan",
        title="Analysis plan and freeze",
        explanation="",
        columns=(Column("what", "What", "Part of the plan"), Column("value", "Fixed as", "What was fixed")),
        rows=tuple(rows),
        grouped=grouped,
    )


def _items(reads: Reads) -> PlainTable:
    items = reads.items
    rows: list[tuple[Cell, ...]] = []
    kinds: tuple[tuple[str, dict[str, str], Callable[[ReadItem], str]], ...] = (
        ("Format", FORMATS, lambda item: item.format),
        ("Grounding", GROUNDINGS, lambda item: item.grounding),
        ("Category", {}, lambda item: item.category),
    )
    for kind, titles, of in kinds:
        counts = Counter(of(item) for item in items)
        for key in sorted(counts):
            subjects = len({item.subject for item in items if of(item) == key})
            rows.append((kind, titles.get(key, key), counts[key], subjects))
    return PlainTable(
        key="items",
        title="Items",
        explanation="",
        columns=(
            Column("kind", "By", "What is counted by"),
            Column("part", "Part", "Part of the items"),
            Column("items", "Items", "Number of items"),
            Column("subjects", "Subjects", "Number of subjects with such items"),
        ),
        rows=tuple(rows),
    )


def _members(study: StudyRows) -> PlainTable:
    return PlainTable(
        key="members",
        title="Raters and reviewers",
        explanation="By pseudonym, as enrolled.",
        columns=(
            Column("member", "Member", "Pseudonym"),
            Column("role", "Role", "Role in the study"),
            Column("specialty", "Specialty", "Specialty at enrolment"),
            Column("years", "Years", "Years of experience at enrolment"),
        ),
        rows=tuple(
            (member.pseudonym, role, member.specialty or None, member.years)
            for role, members in study.members
            for member in members
        ),
    )


def _events(study: StudyRows) -> PlainTable:
    return PlainTable(
        key="events",
        title="Events",
        explanation="What happened to the study as a whole.",
        columns=(
            Column("at", "When", "Time in UTC"),
            Column("event", "Event", "What happened"),
            Column("reason", "Reason", "The reason given"),
        ),
        rows=tuple(
            (event.at.isoformat(timespec="seconds"), EVENTS[event.kind], event.reason or None) for event in study.events
        ),
    )

"""The study, if it lists its phases: plan and freeze, people, what was drawn, and what happened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from exchange.refusal import counted
from exchange.report.report_structure import Cell, Column, PlainTable, Section
from protocol.language.expansion import Expansion
from protocol.language.pools import kind_rated
from protocol.language.sentences_of_plan import plan_of
from protocol.phases import THEN
from protocol.study_phases import StudyPhases
from services.report.rows.listed_record import Draw, StudyRecord
from services.report.rows.listed_rows import ListedRows
from services.report.rows.study_rows import Entry
from services.report.sections.study import EVENTS, plan_table
from services.report.sections.without_reference import without_reference

# The words for events, by the start of their kind; the rest of the kind names what the event is about.
# Said of the units of phases if a version replaced some that had been drawn.
CORRECTED = (
    " A unit that a version corrected counts once as drawn; the other columns count what it replaced, too, if that has "
    "a verdict."
)
_TOLD = {
    "thaw": "Thawed: a draft again",
    "open phase ": "Phase opened: {}",
    "close phase ": "Phase closed: {}",
    "make version ": "Version {} made",
    "divide subjects": "Subjects divided into development and test",
    "open test for ": "Test subjects opened for {}",
    "unseal test subjects": "Test subjects unsealed",
}
# An item of a phase, or one of its candidates.
Unit = tuple[int, int | None]


def listed_study(study: Expansion, rows: ListedRows, phases: StudyPhases, record: StudyRecord) -> Section:
    """Build the section. Its counts of answers are of the same entries as in the section *Completeness*."""
    items = {key for line in rows.drawn if line.replaced_in is None for key in [line.item]}
    subjects = {item.subject for item in rows.items if item.key in items}
    known = sum(
        item.key in items and any(reference.says_something for reference in item.references.fields)
        for item in rows.items
    )
    # The second step of a phase has lines of its own in the tables, and is no phase of its own.
    counted_phases = {phase.listed_as for phase in phases.counted}
    tables = (
        _fixed(study, record), _people(study, rows, record), _phases(study, rows, phases, record), _versions(record),
        _events(record, phases),
    )  # fmt: skip
    return Section(
        key="study",
        short_title="Study",
        title="Study and analysis plan",
        explanation=(
            (
                f"{counted(len(items), 'item')} of {counted(len(subjects), 'subject')} in "
                f"{counted(len(counted_phases), 'phase')}. The plan below was frozen before the first verdict."
            ),
            *without_reference(len(items), known),
        ),
        tables=tuple(table for table in tables if table.rows),
    )


def _fixed(study: Expansion, record: StudyRecord) -> PlainTable:
    plan, newest = study.analysis, record.versions[-1]
    of_version = len(record.versions) > 1
    rows: list[tuple[Cell, ...]] = [("Plan", said) for said in plan_of(study)]
    rows += [
        ("Seed of the bootstraps", str(plan.seed)),
        ("Seed of the draws", str(record.seed)),
        ("Frozen", record.frozen_at.isoformat(timespec="seconds")),
        ("SHA-256 of the freeze", record.versions[0].sha256),
        *([(f"SHA-256 of version {newest.number}", newest.sha256)] if of_version else []),
        ("SHA-256 of the protocol", record.protocol_sha256),
        *(("Drawn apart", said) for said in record.drawn_apart),
    ]
    return plan_table(rows, grouped=True)


def _people(study: Expansion, rows: ListedRows, record: StudyRecord) -> PlainTable:
    """Count the raters of each group; in a study without groups, all raters are counted together."""
    to_do: dict[int, bool] = {}
    for entry in rows.to_rate:
        to_do[entry.member_id] = to_do.get(entry.member_id, False) or entry.status == "missing"
    finished = [member.group for _, member in rows.members if to_do.get(member.id) is False]
    groups = [(group.key, group.title, group.people) for group in study.groups]
    known = {key for key, *_ in groups}
    groups += [(key, "Raters", None) for key in record.invited if key not in known]
    return PlainTable(
        key="people",
        title="People by group",
        explanation="Finished: everything that was dealt to them has a verdict, or could not be shown.",
        columns=(
            Column("group", "Group", "Title of the group"),
            Column("planned", "Planned", "Number of people that the protocol plans; empty where it does not say"),
            Column("invited", "Invited", "Number of people who were invited into it"),
            Column("taken_out", "Taken out", "Number of these who were taken out before any verdict"),
            Column("finished", "Finished", "Number of these for whom nothing is open"),
        ),
        rows=tuple(
            (title, people, record.invited.get(key, 0), record.taken_out.get(key, 0), finished.count(key))
            for key, title, people in groups
        ),
    )


def _phases(study: Expansion, rows: ListedRows, phases: StudyPhases, record: StudyRecord) -> PlainTable:
    """Count, by phase, the units drawn and those available, and what became of them."""
    of_phase: dict[str, list[Entry]] = defaultdict(list)
    for entry in rows.to_rate:
        of_phase[entry.phase].append(entry)
    listed = {phase.key: kind_rated(phase) for phase in study.phases}
    lines: list[tuple[Cell, ...]] = []
    for phase in phases.counted:
        entries, own = of_phase[phase.key], phase.key.removesuffix(THEN)
        draw = record.draws.get(own)
        lines.append(
            (
                phase.heading,
                "not drawn yet"
                if draw is None
                else _drawn_in_development(rows, own, listed[own])
                if own in record.partly_sealed
                else _drawn(draw, listed[own]),
                _units([entry for entry in entries if entry.assignment_id in record.shown]),
                *(
                    _units([entry for entry in entries if entry.status == status])
                    for status in ("answered", "not_assessable", "technical_failure")
                ),
                _units([entry for entry in entries if entry.flags]),
                _units([entry for entry in entries if entry.status == "missing"]),
            )
        )
    return PlainTable(
        key="drawn",
        title="Phases, and what became of their units",
        explanation=(
            "Each column counts the units of which that is true of at least one rater: a unit that one rater answered "
            "and another called not assessable is in both. Verdicts by rater are in the section “Completeness”."
        )
        + (CORRECTED if rows.replaced else ""),
        columns=(
            Column("phase", "Phase", "Title of the phase"),
            Column("drawn", "Drawn", "How many units were drawn, of how many that could be drawn"),
            Column("shown", "Shown", "Number of units that stood on a screen"),
            Column("answered", "Answered", "Number of units with an answer"),
            Column("not_assessable", "Not assessable", "Number of units that somebody called not assessable"),
            Column("not_shown", "Could not be shown", "Number of units that could not be shown to somebody"),
            Column("flagged", "Flagged", "Number of units with a flag"),
            Column("missing", "Without a verdict", "Number of units that lack a verdict of somebody"),
        ),
        rows=tuple(lines),
    )


def _drawn(draw: Draw, rates: str) -> str:
    of_all = f"{draw.drawn:,} of {draw.available:,}"
    return f"{of_all} {rates}" if draw.units == draw.drawn else f"{of_all} items, with {draw.units:,} {rates}"


def _drawn_in_development(rows: ListedRows, phase: str, rates: str) -> str:
    many = sum(line.phase == phase for line in rows.drawn)
    return f"{many:,} {rates} of development subjects; those of test are sealed"


def _units(entries: Sequence[Entry]) -> int:
    units: set[Unit] = {(entry.item_id, entry.candidate_id) for entry in entries}
    return len(units)


def _versions(record: StudyRecord) -> PlainTable:
    """List what each version after the freeze changed, including phases that it added."""
    return PlainTable(
        key="versions",
        title="Versions after the freeze",
        explanation="What was added or corrected; everything else stayed as it was frozen.",
        columns=(
            Column("version", "Version", "Number of the version"),
            Column("at", "Made", "Time in UTC"),
            Column("changes", "Changes", "What was added or corrected"),
            Column("reason", "Reason", "The reason given"),
            Column("sha256", "SHA-256", "Hash of its manifest"),
        ),
        rows=tuple(
            (str(version.number), version.made_at[:19], " ".join(version.differences), version.reason, version.sha256)
            for version in record.versions[1:]
        ),
    )


def _told(kind: str, titles: Mapping[str, str]) -> str:
    """Return an event in words; phases are called by their titles."""
    if kind in EVENTS:
        return EVENTS[kind]
    begins = next((begins for begins in _TOLD if kind.startswith(begins)), "")
    what = kind[len(begins) :]
    return _TOLD.get(begins, "{}").format(titles.get(what, what))


def _events(record: StudyRecord, phases: StudyPhases) -> PlainTable:
    titles = {phase.key: phase.heading for phase in phases.phases}
    return PlainTable(
        key="events",
        title="Events",
        explanation="What happened to the study as a whole, and to its phases.",
        columns=(
            Column("at", "When", "Time in UTC"),
            Column("event", "Event", "What happened"),
            Column("reason", "Reason", "The reason given"),
        ),
        rows=tuple(
            (event.at.isoformat(timespec="seconds"), _told(event.kind, titles), event.reason or None)
            for event in record.events
        ),
    )

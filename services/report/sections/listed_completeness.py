"""What became of the units in a study that lists its phases: verdicts, reasons for having none, and flags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from exchange.report.report_structure import Column, PlainTable, Section
from protocol.language.wording import listed
from protocol.study_phases import StudyPhases
from services.report.rows.listed_rows import ListedRows
from services.report.rows.study_rows import Entry

_BECAME = (
    ("answered", "with an answer"),
    ("not_assessable", "not assessable"),
    ("technical_failure", "of what could not be shown"),
    ("missing", "missing"),
)


def listed_completeness(rows: ListedRows, phases: StudyPhases) -> Section:
    """Build the section: what became of the assigned work, why units could not be assessed, and flags."""
    tables = (_by_phase(rows, phases), _reasons(rows, phases), _flags(rows, phases))
    shown = tuple(table for table in tables if table.rows)
    return Section("completeness", "Completeness", "Completeness", (_in_words(rows),) if shown else (), shown)


def notices_of_missing(rows: ListedRows, phases: StudyPhases) -> Iterator[str]:
    """Yield a sentence for each phase on how many of its verdicts are missing, also if it was closed before its end."""
    for phase in phases.counted:
        entries = [entry for entry in rows.to_rate if entry.phase == phase.key]
        missing = sum(entry.status == "missing" for entry in entries)
        if missing:
            verb = "verdict has" if len(entries) == 1 else "verdicts has" if missing == 1 else "verdicts have"
            yield f"{phase.heading}: {missing} of {len(entries)} {verb} not been given; see “Completeness”."


def _in_words(rows: ListedRows) -> str:
    """Return a sentence on how many verdicts were to be given, and what became of them."""
    counts = Counter(entry.status for entry in rows.to_rate)
    said = [f"{counts[status]} {words}" for status, words in _BECAME if counts[status]]
    if counts["answered"] == counts.total():
        said = ["all have an answer"]
    return f"{counts.total()} {'verdict was' if counts.total() == 1 else 'verdicts were'} to be given: {listed(said)}."


def _by_phase(rows: ListedRows, phases: StudyPhases) -> PlainTable:
    names = _names(rows)
    counts: dict[tuple[str, int], dict[str, int]] = {}
    for entry in rows.to_rate:
        of_member = counts.setdefault((entry.phase, entry.member_id), {})
        of_member[entry.status] = of_member.get(entry.status, 0) + 1
    return PlainTable(
        key="phases",
        title="Verdicts by phase",
        explanation="What was to be rated by each member, and what became of it.",
        columns=(
            Column("phase", "Phase", "Title of the phase"),
            Column("member", "Member", "Pseudonym"),
            Column("assigned", "Assigned", "Number that was to be rated"),
            Column("answered", "Answered", "Number with an answer"),
            Column("not_assessable", "Not assessable", "Number that was called not assessable"),
            Column("technical_failure", "Could not be shown", "Number that could not be shown"),
            Column("missing", "Missing", "Number without a verdict"),
        ),
        rows=tuple(
            (
                phase.heading,
                names[member],
                sum(of_member.values()),
                *(
                    of_member.get(status, 0)
                    for status in ("answered", "not_assessable", "technical_failure", "missing")
                ),
            )
            for phase in phases.counted
            for (key, member), of_member in counts.items()
            if key == phase.key
        ),
        grouped=True,
    )


def _reasons(rows: ListedRows, phases: StudyPhases) -> PlainTable:
    """Count, by phase and member, the reasons for which units were called not assessable."""
    return PlainTable(
        key="not_assessable_reasons",
        title="Reasons for “not assessable”",
        explanation="",
        columns=_columns(Column("reason", "Reason", "The reason chosen")),
        rows=_counted(
            rows,
            phases,
            lambda entry: () if entry.not_assessable is None else (entry.not_assessable,),
            {option.id: option.text for phase in phases.phases for option in phases.rules_of(phase).not_assessable},
        ),
        grouped=True,
    )


def _flags(rows: ListedRows, phases: StudyPhases) -> PlainTable:
    """Count flags by phase and member; their units and notes are in the file of verdicts."""
    return PlainTable(
        key="flags",
        title="Flags",
        explanation="Raters’ remarks that something is wrong with a unit; units and notes are in verdicts.csv.",
        columns=_columns(Column("flag", "Flag", "What the flag is for")),
        rows=_counted(
            rows,
            phases,
            lambda entry: tuple(kind for kind, _ in entry.flags),
            {option.id: option.text for phase in phases.phases for option in phases.rules_of(phase).flags},
        ),
        grouped=True,
    )


def _columns(chosen: Column) -> tuple[Column, ...]:
    return (
        Column("phase", "Phase", "Title of the phase"),
        Column("member", "Member", "Pseudonym"),
        chosen,
        Column("units", "Units", "Number of units"),
    )


def _counted(
    rows: ListedRows,
    phases: StudyPhases,
    chosen: Callable[[Entry], tuple[str, ...]],
    texts: Mapping[str, str],
) -> tuple[tuple[str, str, str, int], ...]:
    """Count, by phase and member, the units for which each option was chosen, with the option in words."""
    names = _names(rows)
    counts = Counter((entry.phase, entry.member_id, option) for entry in rows.entries for option in chosen(entry))
    return tuple(
        (phase.heading, names[member], texts.get(option, option), units)
        for phase in phases.counted
        for (key, member, option), units in sorted(counts.items())
        if key == phase.key
    )


def _names(rows: ListedRows) -> dict[int, str]:
    return {member.id: member.pseudonym for _, member in rows.members}

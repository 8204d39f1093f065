"""Data files of a study that lists its phases: everything that was drawn, dealt and answered, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from exchange.report.report_csv import number_below_zero
from exchange.report.report_structure import Cell, Column, DataFile
from protocol.fields.abstention import is_undetermined
from protocol.language.model_answers import stored_as
from protocol.phases import THEN
from services.reading.correctness import as_text
from services.reading.field_keys import FieldResult
from services.report.files.columns import (
    ACCEPTED,
    CANDIDATE,
    EXPERIENCE,
    ITEM,
    MODEL,
    QUESTION,
    RANK,
    RECEIPT,
    REMARKS,
    SHARE,
    STATUS,
    TIMES,
    options_cell,
    remarks,
    times,
)
from services.report.files.compared_pairs import ON_SIDES, PREFERRED, pairs_file, preferred, sides_of
from services.report.rows.listed_rows import CandidateLine, ItemLine, ListedRows, results_of_entry, sets_left_empty
from services.report.rows.study_rows import Entry

_MEMBER = Column("member", "Member", "Pseudonym")
_PHASE = Column("phase", "Phase", "Key of the phase")
# For a person's answer that is rated among models' answers.
_AUTHOR = (
    Column("written_by", "Written by", "person or model"),
    Column("author", "Author", "Pseudonym of the person who gave it; empty for a model's"),
    Column("given_in", "Given in", "Key of the phase in which that person answered the item; empty for a model's"),
)
_STEP = Column("step", "Step", "1, or 2 for what came after more was shown to the own answer of step 1")


def listed_files(rows: ListedRows) -> tuple[DataFile, ...]:
    """Return the tables exported for a study that lists its phases."""
    files = [_items(rows), _references(rows), _members(rows), _sample(rows), _verdicts(rows), _fields(rows)]
    if any(not line.pair for line in rows.candidates):
        files.append(_candidates(rows))
    return (*files, pairs_file([line for line in rows.candidates if line.pair])) if rows.compares else tuple(files)


def _with_declared(own: Sequence[Column], keys: Sequence[str]) -> tuple[Column, ...]:
    """Return a file's columns, followed by those of attributes; an attribute whose name is taken gets a prefix."""
    taken = {column.key for column in own}
    names = [f"attribute_{key}" if key in taken else key for key in keys]
    return (*own, *(Column(name, name, "Declared by the protocol") for name in names))


def _values(attributes: dict[str, str], keys: Sequence[str]) -> tuple[Cell, ...]:
    return tuple(number_below_zero(attributes.get(key) or None) for key in keys)


def _items(rows: ListedRows) -> DataFile:
    declared = rows.attributes_of_items
    return DataFile(
        "items.csv",
        "Every item of the study; one line per item. What counts as right per field is in references.csv.",
        _with_declared(
            (
                ITEM,
                Column("case", "Case", "Key of the case"),
                Column("subject", "Subject", "Pseudonym of the subject: the cluster"),
                *QUESTION,
                *ACCEPTED,
            ),
            declared,
        ),
        tuple(
            (
                item.key, item.case, item.subject, item.category or None, item.format, item.grounding or None,
                item.prompt, options_cell(item.options),
                "|".join(item.accepted) or None, item.low, item.high, *_values(item.attributes, declared),
            )
            for item in rows.items
        ),
    )  # fmt: skip


def _references(rows: ListedRows) -> DataFile:
    return DataFile(
        "references.csv",
        "What counts as right; one line per item and field. A field without a line has no reference.",
        (
            ITEM,
            Column("field", "Field", "Key of the field; empty for the primary field"),
            *ACCEPTED,
            Column("radius", "Radius", "Of a point, in mm, and on an image without scale in pixels"),
            Column("overlay", "Overlay", "Key of the overlay that a point has to hit"),
            Column("compared_by", "Compared by", "program, or people: then nothing is scored by the program"),
            Column("text_only_answer", "Text-only answer", "What a model answered that saw no image"),
            Column("provenance", "Provenance", "Where it comes from"),
        ),
        tuple(
            (
                item.key, line.field or None, "|".join(line.accepted) or None, line.low, line.high, line.radius,
                line.overlay or None, line.compared_by, line.text_only_answer or None, line.provenance or None,
            )
            for item in rows.items
            for line in item.references.fields
        ),
    )  # fmt: skip


def _members(rows: ListedRows) -> DataFile:
    return DataFile(
        "members.csv",
        "Everybody who rates, by pseudonym.",
        _with_declared(
            (
                _MEMBER,
                Column("role", "Role", "rater or reviewer"),
                Column("group", "Group", "Key of the group; empty for who is in none"),
                Column("slot", "Slot", "Number of the slot of the group that they fill; empty for none"),
                *EXPERIENCE,
            ),
            rows.attributes_of_raters,
        ),
        tuple(
            (
                *(member.pseudonym, role, member.group or None, member.slot, member.specialty or None, member.years),
                *(number_below_zero(member.attributes.get(key)) for key in rows.attributes_of_raters),
            )
            for role, member in rows.members
        ),
    )


def _sample(rows: ListedRows) -> DataFile:
    return DataFile(
        "sample.csv",
        "What was drawn for each phase; one line per phase and unit.",
        (
            _PHASE,
            ITEM,
            CANDIDATE,
            Column("stratum", "Stratum", "Stratum in which it was drawn"),
            Column(
                "inclusion_probability",
                "Inclusion probability",
                "Chance in this phase, of what it draws from; empty when not known",
            ),
            Column("inclusion_error", "Monte Carlo error", "Of a simulated probability; empty for an exact one"),
            Column(
                "overall_probability",
                "Overall probability",
                "Chance through all phases that it came by, of which figures are weighted; empty when not known",
            ),
            Column("slots", "Slots", "Group and number of each slot it was dealt to, parted by |; empty for everybody"),
            Column("version", "Version", "Version of the study with which it came"),
            Column("replaced_in", "Replaced in", "Version that replaced it by a corrected one; empty for none"),
        ),
        tuple(
            (
                line.phase,
                line.item,
                line.candidate,
                line.stratum,
                line.probability,
                line.error,
                line.overall,
                "|".join(line.slots) or None,
                line.version,
                line.replaced_in,
            )
            for line in rows.drawn
        ),
    )


def _verdicts(rows: ListedRows) -> DataFile:
    names = {member.id: member.pseudonym for _, member in rows.members}
    items = {item.id: item for item in rows.items}
    candidates = {candidate.id: candidate for candidate in rows.candidates}
    lines: list[tuple[Cell, ...]] = []
    for entry in rows.entries:
        item, candidate = items[entry.item_id], candidates.get(entry.candidate_id or 0)
        lines.append(
            (
                names.get(entry.member_id), *_phase_and_step(entry), item.key, candidate.key if candidate else None,
                (candidate.model or None) if candidate else None, item.subject, entry.position, _status(entry, rows),
                entry.not_assessable, *remarks(entry), *times(entry), entry.receipt or None,
                *(sides_of(entry, candidate) if rows.compares else ()), _version(entry, rows),
            )
        )  # fmt: skip
    return DataFile(
        "verdicts.csv",
        "Everything that was to be rated, with the standing verdict; one line per member, phase, step and unit.",
        (
            _MEMBER,
            _PHASE,
            _STEP,
            ITEM,
            CANDIDATE,
            MODEL,
            Column("subject", "Subject", "Pseudonym of the subject"),
            Column("position", "Position", "Place in the member's own order"),
            Column(
                "status",
                STATUS.title,
                f"{STATUS.meaning}; seen where a second step asks nothing; replaced where a version corrected the unit "
                "before it had a verdict",
            ),
            Column("not_assessable", "Not assessable", "Id of the reason; empty when assessed"),
            *REMARKS,
            *TIMES,
            RECEIPT,
            *(ON_SIDES if rows.compares else ()),
            Column("version", "Version", "Version of the study in which the verdict was given; empty for none"),
        ),
        tuple(lines),
    )


_COMPARED = (
    Column(
        "reference",
        "Reference",
        "Who compares the value with what counts as right: program or people; shown where that is on the screen; none "
        "where there is no reference; empty where no item is rated",
    ),
    Column("correct", "Correct", "yes or no, where the program compares"),
    SHARE,
    RANK,
    Column(
        "distance_mm",
        "Distance",
        "Of a point in a scan, how far it is from the nearest reference point, in mm",
    ),
    Column(
        "distance_px",
        "Distance in pixels",
        "Of a point in an image without scale, how far it is from the nearest reference point, in pixels",
    ),
    Column("token_f1", "Token F1", "Of a text, the best token F1 over the accepted ones"),
)


def _fields(rows: ListedRows) -> DataFile:
    names = {member.id: member.pseudonym for _, member in rows.members}
    items = {item.id: item for item in rows.items}
    candidates = {candidate.id: candidate for candidate in rows.candidates}
    lines: list[tuple[Cell, ...]] = []
    for entry in rows.entries:
        if entry.verdict_id is None:
            continue
        compared = {result.field: result for result in results_of_entry(rows, entry)}
        item = items[entry.item_id]
        place = (names.get(entry.member_id), *_phase_and_step(entry), item.key)
        candidate = candidates.get(entry.candidate_id or 0)
        key = candidate.key if candidate else None
        lines += [
            (
                *place, key, name, *_value(value), *_compared(compared.get(name), item),
                *(preferred(rows, entry, candidate, name, value) if rows.compares else ()),
            )
            for name, value in entry.fields
        ]  # fmt: skip
        lines += [
            (
                *place, key, name, None, None, *_compared(compared.get(name), item),
                *((None,) if rows.compares else ()),
            )
            for name in sets_left_empty(rows, entry)
        ]  # fmt: skip
    return DataFile(
        "fields.csv",
        "Every field of every standing verdict; one line per field, with whether it is right. Where any number of "
        "options can be chosen, a field in which none was has a line, too: that is an answer.",
        (
            _MEMBER,
            _PHASE,
            _STEP,
            ITEM,
            CANDIDATE,
            Column("field", "Field", "Key of the field"),
            Column(
                "value",
                "Value",
                "What was filled in: option id, number or text; a point is x | y | z in mm, and on an image without "
                "scale in pixels from its middle, with its pane; "
                "empty where it was called undetermined, and where none of any number of options was chosen",
            ),
            Column("undetermined", "Undetermined", "yes where the member abstained; an option of that name is a value"),
            *_COMPARED,
            *((PREFERRED,) if rows.compares else ()),
        ),
        tuple(lines),
    )


def _compared(result: FieldResult | None, item: ItemLine) -> tuple[Cell, ...]:
    """Return the cells of `_COMPARED`."""
    if result is None:
        return (None,) * len(_COMPARED)
    said = result.score
    correct = None if said.correct is None else "yes" if said.correct else "no"
    distances = (None, said.distance_mm) if item.in_pixels else (said.distance_mm, None)
    return result.asked.state, correct, said.share, said.rank, *distances, said.token_f1


def _phase_and_step(entry: Entry) -> tuple[Cell, Cell]:
    phase = entry.phase.removesuffix(THEN)
    return phase, 1 if phase == entry.phase else 2


def _status(entry: Entry, rows: ListedRows) -> str:
    """Return what became of an entry; a step that asks nothing is "seen" instead of answered."""
    if rows.was_replaced(entry):
        return "replaced"
    return "seen" if entry.phase in rows.asking_nothing and entry.status == "answered" else entry.status


def _version(entry: Entry, rows: ListedRows) -> int | None:
    return None if entry.verdict_id is None else rows.versions.get(entry.freeze_sha256, 1)


def _value(value: Any) -> tuple[Cell, Cell]:
    """Return an answer's cells: its value, or its abstention."""
    return (None, "yes") if is_undetermined(value) else (number_below_zero(as_text(value)), None)


def _candidates(rows: ListedRows) -> DataFile:
    declared = rows.attributes_of_candidates
    candidates = [line for line in rows.candidates if not line.pair]
    pooled = any(line.given_in for line in candidates)
    more = " What people answered is there with its author." if pooled else ""
    return DataFile(
        "candidates.csv",
        f"Every candidate of the study; one line per candidate. One without an answer is no response.{more}",
        (
            *_with_declared(
                (
                    CANDIDATE,
                    ITEM,
                    MODEL,
                    *(_AUTHOR if pooled else ()),
                    Column("answer", "Answer", "The candidate's answer"),
                ),
                declared,
            ),
            *(Column(key, key, "What the model wrote in this field") for key in rows.fields_of_models),
        ),
        tuple(
            (
                line.key, line.item, line.model or None, *(_source(line) if pooled else ()), line.answer or None,
                *_values(line.attributes, declared),
                *(number_below_zero(line.answers.get(stored_as(key))) for key in rows.fields_of_models),
            )
            for line in candidates
        ),
    )  # fmt: skip


def _source(line: CandidateLine) -> tuple[Cell, Cell, Cell]:
    """Return who gave an answer: a person and in which phase, or a model."""
    return ("person", line.author, line.given_in) if line.given_in else ("model", None, None)

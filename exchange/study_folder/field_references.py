"""`references.csv` of a study that lists its phases: what counts as right, one line per item and field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from exchange.csv_table import Line, Read, Reader, read_table
from exchange.refusal import listed, shown
from exchange.study_folder import reference_places
from exchange.study_folder.folder_rows import ReferenceRow, check_among_options, check_range
from exchange.study_folder.frozen_study import FrozenStudy
from exchange.study_folder.item_table import ItemRow, OverlayRow
from exchange.study_folder.shown_places import ShownPlaces
from exchange.tables import FIELD_REFERENCES
from protocol.fields import IN_WORDS, KINDS, LISTS, PLACES
from protocol.fields.pixels import exact_column_and_row
from protocol.fields.point import place_of
from protocol.fields.yes_no import YES_NO
from protocol.language.expansion import Expansion, Field
from protocol.language.listed import COMPARED
from protocol.language.things import fields_of_reference
from protocol.references import FieldReference

# Returns the places that a line accepts as they are stored, and notes those that are not clear.
_AsStored = Callable[[Line, ItemRow, tuple[str, ...]], tuple[str, ...]]


@dataclass(frozen=True)
class _Written:
    """One line: its item, what it says, and its place in the file."""

    item: str
    says: FieldReference
    number: int


class _Fields:
    """The fields in which items are answered, by key, and the references that phases show.

    Attributes
    ----------
    frozen
        The frozen study of which the folder is to become a version.
    """

    def __init__(self, study: Expansion, frozen: FrozenStudy | None) -> None:
        self._study, self.frozen = study, frozen
        self._of_form: dict[str, dict[str, list[Field]]] = {}
        self._primary_of: dict[str, frozenset[str]] = {}
        shown = (thing for phase in study.phases for thing in (*phase.shows, *(phase.then.shows if phase.then else ())))
        self.shown = list(dict.fromkeys(fields_of_reference(shown)))

    def of(self, form: str) -> Mapping[str, Sequence[Field]]:
        """Return the fields of an item that names this form, in every phase that rates items."""
        if form not in self._of_form:
            asked: dict[str, list[Field]] = defaultdict(list)
            forms = {known.key: known.fields for known in self._study.forms}
            for phase in self._study.phases:
                if "items" not in phase.rates:
                    continue
                for field in forms.get(form, ()) if phase.form == "as_item" else phase.fields:
                    if field not in asked[field.key]:
                        asked[field.key].append(field)
            self._of_form[form] = dict(asked)
        return self._of_form[form]

    def primary_of(self, form: str) -> frozenset[str]:
        """Return the keys of the fields that a line without a field is about."""
        if form not in self._primary_of:
            asked = self.of(form).items()
            self._primary_of[form] = frozenset(key for key, fields in asked if any(field.primary for field in fields))
        return self._primary_of[form]

    def compared_of(self, form: str) -> set[str]:
        """Return the keys of these fields that can have a reference at all."""
        asked = self.of(form)
        return {key for key in self.primary_of(form) if any(field.type in COMPARED for field in asked[key])}


def read_references(
    reader: Reader,
    folder: Path,
    study: Expansion,
    items: Read[ItemRow],
    overlays: Read[OverlayRow],
    shown_places: ShownPlaces,
) -> tuple[ReferenceRow, ...]:
    """Read all references, and note those that do not fit their item, its fields, or another line."""
    by_key = {item.key: item for item in reversed(items.rows)}
    laid = {overlay.key: overlay for overlay in overlays.rows}
    fields = _Fields(study, shown_places.frozen)
    seen: dict[tuple[str, str], _Written] = {}
    by_item: dict[str, dict[str, _Written]] = defaultdict(dict)

    as_stored = partial(reference_places.as_stored, places=shown_places)

    def written(line: Line) -> _Written:
        key = line.known("item", items, "items.csv")
        item = by_key.get(key) if key not in items.doubtful and line.sound("item") else None
        row = _Written(key, _reference(line, item, fields, overlays, laid, as_stored), line.number)
        _note_twice(line, row, item, fields, seen)
        if line.sound():
            by_item[key][row.says.field] = row
            if item is not None and row.says.radius is not None:
                where = (line.number, row.says, item, shown_places)
                shown_places.warnings += (*reference_places.outside(*where), *reference_places.begun_at(*where))
        return row

    read = read_table(reader, folder, FIELD_REFERENCES, written)
    for key, rows in by_item.items():
        if key in by_key:
            for number, says in _contradictions(rows, fields.of(by_key[key].form)):
                reader.problems.add(FIELD_REFERENCES.file, f"line {number}", f"item '{shown(key)}': {says}")
    _note_unsaid(reader, study, fields, {row.says.field for row in read.rows})
    _note_unnamed(reader, fields, read.rows, by_key)
    return tuple(_as_rows(read.rows))


def _note_unsaid(reader: Reader, study: Expansion, fields: _Fields, said: set[str]) -> None:
    """Note the phases that show the reference of a field which no line is about."""
    forms = ["", *(form.key for form in study.forms)] if "" in said else []
    about = (said | {key for form in forms for key in fields.primary_of(form)}) - {""}
    for phase in study.phases:
        for key in fields_of_reference((*phase.shows, *(phase.then.shows if phase.then else ()))):
            if key not in about:
                near = reader.problems.nearest(key, about)
                reader.problems.add(
                    "protocol.yaml",
                    f"key phases.{phase.key}.shows",
                    f"shows the reference of '{key}', and no line of references.csv is about that field{near}; correct "
                    "the name or add lines.",
                )


def _note_unnamed(reader: Reader, fields: _Fields, rows: Sequence[_Written], by_key: Mapping[str, ItemRow]) -> None:
    """Note lines that name no field although phases compare several and show the reference of one of them.

    The reference of one field could otherwise be shown as that of another, whose reference nobody should see.
    """
    for row in rows:
        compared = fields.compared_of(by_key[row.item].form) if row.item in by_key and not row.says.field else set()
        exposed = sorted(compared & set(fields.shown))
        if exposed and len(compared) > 1:
            reader.problems.add(
                FIELD_REFERENCES.file,
                f"line {row.number}",
                f"names no field, and a phase shows the reference of {listed(exposed)}, but phases compare "
                f"{listed(sorted(compared))}; fill in the column field.",
            )


def _as_rows(lines: Sequence[_Written]) -> Iterator[ReferenceRow]:
    of_item: dict[str, list[FieldReference]] = defaultdict(list)
    for line in lines:
        of_item[line.item].append(line.says)
    for item, said in of_item.items():
        primary = next((line for line in said if not line.field), FieldReference())
        yield ReferenceRow(
            item=item,
            accepted=primary.accepted,
            low=primary.low,
            high=primary.high,
            text_only_answer=primary.text_only_answer,
            provenance=primary.provenance,
            fields=tuple(line for line in said if line.field),
        )


def _reference(
    line: Line,
    item: ItemRow | None,
    fields: _Fields,
    overlays: Read[OverlayRow],
    by_key: Mapping[str, OverlayRow],
    as_stored: _AsStored,
) -> FieldReference:
    people = line.word("compare") == "people"
    accepted = line.text("accepted")
    reference = FieldReference(
        field=line.text("field"),
        # A complete text may contain any character, so it is not split.
        accepted=(accepted,) if people and accepted else _parted(accepted),
        low=line.number_or_none("low"),
        high=line.number_or_none("high"),
        radius=line.number_or_none("radius"),
        overlay=line.known("overlay", overlays, "overlays.csv") if line.cells["overlay"].strip() else "",
        compared_by="people" if people else "program",
        text_only_answer=line.text("text_only_answer"),
        provenance=line.text("provenance"),
    )
    if item is not None and not reference.field:
        reference = replace(reference, field=_implied(fields, item, reference))
    if item is not None and not people and line.sound() and _is_place(fields, item, reference.field):
        reference = replace(reference, accepted=as_stored(line, item, reference.accepted))
    check_range(line, reference.low, reference.high)
    if not reference.says_something and line.sound("accepted", "low", "high", "overlay"):
        line.problem(
            f"item '{shown(line.text('item'))}' has neither accepted answers nor a range; give one of them.", "accepted"
        )
    elif item is not None and line.sound():
        _check(line, item, reference, fields, by_key)
    return reference


def _implied(fields: _Fields, item: ItemRow, reference: FieldReference) -> str:
    """Return the primary field if a line without a field has what is stored with a named one; empty otherwise.

    A frozen study may have points of the primary field whose radius is in high, and keeps them as they are.
    """
    primary = fields.primary_of(item.form)
    if len(primary) != 1:
        return ""
    key = min(primary)
    if reference.compared_by == "people" or reference.radius is not None or reference.overlay:
        return key
    # Lines about items that no phase selects may be about anything.
    places = [place for place in map(place_of, reference.accepted) if place is not None]
    is_frozen = any(fields.frozen is not None and fields.frozen.has_reference(item.key, place) for place in places)
    says_where = bool(places) or any(exact_column_and_row(written) for written in reference.accepted)
    return key if says_where and _is_place(fields, item, key) and not is_frozen else ""


def _is_place(fields: _Fields, item: ItemRow, key: str) -> bool:
    kinds = {_kind_on(field, item) for field in fields.of(item.form).get(key, ())}
    return bool(kinds) and kinds <= PLACES


def _parted(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split("|") if part.strip())


def _check(
    line: Line, item: ItemRow, reference: FieldReference, fields: _Fields, overlays: Mapping[str, OverlayRow]
) -> None:
    """Note anything that means a line can never be answered correctly, or is never asked."""
    asked = fields.of(item.form)
    if not reference.field:
        _check_whole(line, item, reference)
        return
    key = reference.field
    if key not in asked and key not in fields.shown:
        known = [*asked, *fields.shown]
        near = line.reader.problems.nearest(key, known)
        expected = listed(known) if known else "none: no phase rates items"
        line.problem(
            f"item '{item.key}' has no field '{shown(key)}', expected {expected}{near}; correct the cell.",
            "field",
        )
        return
    for field in asked.get(key, ()):
        if field.type not in COMPARED:
            line.problem(f"field '{key}' is a {field.type}, which has no reference; remove the line.", "field")
            return
    kinds = {_kind_on(field, item) for field in asked.get(key, ())}
    if not _fits(line, item, reference, kinds, overlays):
        return
    for field in asked.get(key, ()) if reference.compared_by == "program" else ():
        # Several phases may ask the same field, and one sentence about its reference is enough.
        if line.sound():
            _check_answers(line, item, reference, field)


def _check_whole(line: Line, item: ItemRow, reference: FieldReference) -> None:
    """Note cells that need a named field, and answers that the item does not offer."""
    said = [
        name
        for name, value in (("radius", reference.radius), ("overlay", reference.overlay))
        if value not in (None, "")
    ]
    said += ["compare"] if reference.compared_by == "people" else []
    if said:
        line.problem(f"{said[0]} needs the field that it is about; fill in the column field.", said[0])
    elif item.options:
        options = [option for option, _ in item.options]
        check_among_options(line, item, options, reference.accepted, reference.text_only_answer, "choice")


def _fits(
    line: Line,
    item: ItemRow,
    reference: FieldReference,
    kinds: set[str],
    overlays: Mapping[str, OverlayRow],
) -> bool:
    """Note columns that belong to other field types, and return whether there are none."""
    key, is_point = reference.field, bool(kinds) and kinds <= PLACES
    for name, value in (("radius", reference.radius), ("overlay", reference.overlay or None)):
        if value is not None and not is_point:
            what = f"a {' and a '.join(sorted(kinds))}" if kinds else "shown, and answered by nobody"
            line.problem(f"{name} is of points, and field '{key}' is {what}; empty the cell.", name)
    if reference.compared_by == "people" and not kinds <= IN_WORDS:
        line.problem(
            f"field '{key}' is a {' and a '.join(sorted(kinds - IN_WORDS))}, which the program compares; people "
            "compare texts. Empty the cell.",
            "compare",
        )
    if is_point and (reference.low is not None or reference.high is not None):
        line.problem(f"field '{key}' is a point, which has no range; its radius in mm belongs in radius.", "low")
    elif is_point and reference.accepted and reference.radius is None and not reference.overlay:
        line.problem(
            f"field '{key}' is a point, and radius is empty; give the mm, or the pixels in an image without scale, "
            "within which it is right.",
            "radius",
        )
    if reference.overlay and (reference.accepted or reference.radius is not None):
        line.problem("points with a radius and an overlay are two ways to be right; keep one of them.", "overlay")
    overlay = overlays.get(reference.overlay)
    if overlay is not None and overlay.case != item.case:
        line.problem(
            f"overlay '{reference.overlay}' is of case '{shown(overlay.case)}', but item '{item.key}' is about case "
            f"'{shown(item.case)}'; name one of that case.",
            "overlay",
        )
    return line.sound()


def _check_answers(line: Line, item: ItemRow, reference: FieldReference, field: Field) -> None:
    """Note accepted answers that this field cannot take."""
    kind = _kind_on(field, item)
    options = [option for option, _ in item.options] if field.type == "as_item" else [o.id for o in field.options]
    if (KINDS[kind].has_options or kind in LISTS) and options and reference.accepted:
        check_among_options(
            line, item, options, reference.accepted, reference.text_only_answer, kind, of=f"field '{field.key}'"
        )
    if reference.overlay or not line.sound():
        return
    problem = KINDS[kind].problem_of_reference(field, reference.counts_as_right)
    if problem:
        line.problem(f"field '{field.key}' of item '{item.key}' {problem}.", "accepted")


def _kind_on(field: Field, item: ItemRow) -> str:
    """Return a field's type on an item: an as-item field takes the type that the item's options imply."""
    if field.type != "as_item":
        return field.type
    ids = [option for option, _ in item.options]
    return "text" if not ids else "yes_no" if ids == [option for option, _ in YES_NO] else "choice"


def _note_twice(
    line: Line, row: _Written, item: ItemRow | None, fields: _Fields, seen: dict[tuple[str, str], _Written]
) -> None:
    """Refuse a second line about one field of an item, even if one of the two leaves the primary field unnamed."""
    if not line.sound("item", "field"):
        return
    primary = fields.primary_of(item.form) if item is not None else frozenset()
    about = {row.says.field} | ({""} if row.says.field in primary else set())
    about |= primary if not row.says.field else set()
    earlier = next((seen[row.item, key] for key in sorted(about) if (row.item, key) in seen), None)
    seen.setdefault((row.item, row.says.field), row)
    if earlier is None:
        return
    named = sorted({earlier.says.field, row.says.field} - {""})
    of = f"field '{shown(named[0])}'" if named else "the primary field"
    line.problem(
        f"item '{shown(row.item)}' already has its reference for {of} in line {earlier.number}; keep one line, with | "
        "between several accepted answers.",
        "field",
    )


def _contradictions(rows: Mapping[str, _Written], asked: Mapping[str, Sequence[Field]]) -> Iterator[tuple[int, str]]:
    """Yield the line of each answer that is only asked or offered if a field above it is answered wrongly.

    Parameters
    ----------
    rows
        The lines of one item by field; a line without a field is about the primary field.
    """
    for key, row in rows.items():
        for field in asked.get(key, ()):
            for above, needed, what in _needs(field, row.says.accepted):
                primary = any(other.primary for other in asked.get(above, ()))
                other = rows.get(above) or (rows.get("") if primary else None)
                right = other.says.accepted if other is not None else ()
                if right and needed and not set(right) & needed:
                    only = f"{what} only where '{above}' is {listed(sorted(needed))}"
                    yield (
                        row.number,
                        f"{only}, and there {listed(right)} counts as right; correct one of the two lines.",
                    )


def _needs(field: Field, accepted: Sequence[str]) -> Iterator[tuple[str, set[str], str]]:
    """Yield the fields above that decide whether this one is asked or offered, with the values needed and why."""
    if field.when is not None:
        yield field.when.field, set(field.when.values), f"'{field.key}' is asked"
    if field.options_by is not None:
        needed = {part.value for part in field.options_by.offered if set(part.options) & set(accepted)}
        yield field.options_by.field, needed, f"'{field.key}' offers {listed(accepted)}"

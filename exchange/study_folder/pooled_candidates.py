"""Models' answers that are pooled with people's: one column per field that is laid out, or the answer alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from exchange.csv_table import Line
from exchange.refusal import listed, shown
from exchange.study_folder.folder_rows import CandidateRow, CaseRow
from exchange.study_folder.item_table import ItemRow
from exchange.study_folder.shown_places import ShownPlaces
from exchange.study_folder.taken_items import can_pool
from exchange.tables import Column
from protocol.fields import PLACES, abstention
from protocol.fields.pixels import WITH_SCALE, column_and_row, pixel_in_words, pixels_at
from protocol.fields.text import LONGEST_TEXT
from protocol.language.expansion import Expansion, Field, Phase
from protocol.language.layout import can_be_given, laid_out, read_cell
from protocol.language.pools import few_sources, fields_taken, pools_of_models, takes_of

ANSWER = "answer"


def columns_of_pool(study: Expansion) -> tuple[Column, ...]:
    """Return the columns of candidates.csv that contain what is laid out, besides its own."""
    keys = [key for key in _laid_out_somewhere(study) if key != ANSWER]
    return tuple(Column(key, "Laid out as people's answers are.", "text", "", "", optional=True) for key in keys)


def _laid_out_somewhere(study: Expansion) -> list[str]:
    return list(dict.fromkeys(key for pool in pools_of_models(study) for key in takes_of(study, pool)))


def answer_in_pool(
    line: Line, study: Expansion, item: ItemRow | None, case: CaseRow | None, shown_places: ShownPlaces
) -> str | None:
    """Return the answer of a line as it is laid out in its pool; None if the study has no such pool.

    Answers that no person could have given to the item are noted as problems, because they would reveal the author.
    """
    pools = pools_of_models(study)
    if not pools:
        return None
    phase = next((pool for pool in pools if item is not None and can_pool(study, pool, item, case)), None)
    if item is not None and phase is None:
        return _left_out(line, study, pools[0], item)
    phase = phase or pools[0]
    fields = [] if item is None else fields_taken(study, phase, item.form)
    keys = [asked.key for asked in fields]
    cells = {key: line.text(key) for key in (*keys, ANSWER)}
    if item is None:
        return ""
    for key in _laid_out_somewhere(study):
        if key not in (*keys, ANSWER) and line.text(key):
            line.problem(
                f"{key} is filled in, and of item '{item.key}' people are asked {listed(keys) or 'nothing of it'}: it "
                "would say who wrote the answer; empty the cell.",
                key,
            )
    if ANSWER not in keys and cells[ANSWER]:
        if len(fields) == 1:
            # If there is only one field, the answer column can stand for it.
            cells[keys[0]] = cells[keys[0]] or cells[ANSWER]
        else:
            asks = listed(keys) or "nothing"
            line.problem(
                f"answer is one text, and phase '{phase.key}' lays out {asks} of people's answers to item "
                f"'{item.key}'; write each in a column of its name, and leave answer empty.",
                ANSWER,
            )
    options = dict(item.options)
    answers = {asked.key: read_cell(asked, cells[asked.key], options) for asked in fields}
    shown_places.not_offered += [
        (line.number, asked.key, cells[asked.key])
        for asked in fields
        if not can_be_given(asked, answers[asked.key], options) or not _is_offered(asked, answers)
    ]
    shown_places.too_long += [
        (line.number, asked.key, cells[asked.key])
        for asked in fields
        if any(len(text) > LONGEST_TEXT for text in _texts_of(answers[asked.key]))
    ]
    if any(answer is not None for answer in answers.values()):
        shown_places.left_empty += [(line.number, asked.key) for asked in fields if _has_to_be_there(asked, answers)]
    places = WITH_SCALE
    if phase.places == "as_shown" and any(asked.type in PLACES for asked in fields):
        places = shown_places.places_of(item)
        answers |= _places_as_shown(line, fields, answers, item, shown_places)
    _note_what_is_too_long(line, fields, answers)
    _note_what_is_not_asked(line, fields, answers)
    return laid_out(fields, answers, options, places)


def _left_out(line: Line, study: Expansion, pool: Phase, item: ItemRow) -> str:
    """Return an answer to an item that no pool selects, where nobody can compare it with people's.

    It is laid out as far as the form allows, so that it stays the same in versions of studies frozen earlier.
    """
    fields = fields_taken(study, pool, item.form)
    cells = {asked.key: line.text(asked.key) for asked in fields}
    if ANSWER not in cells and len(fields) == 1:
        cells[fields[0].key] = cells[fields[0].key] or line.text(ANSWER)
    options = dict(item.options)
    answers = {asked.key: read_cell(asked, cells[asked.key], options) for asked in fields}
    return laid_out(fields, answers, options, WITH_SCALE) or line.text(ANSWER)


def _places_as_shown(
    line: Line, fields: Sequence[Field], answers: Mapping[str, object], item: ItemRow, shown_places: ShownPlaces
) -> dict[str, object]:
    """Return a place that is written by column and row as people's are laid out; note what nobody could have set."""
    changed: dict[str, object] = {}
    for asked in fields:
        value = answers[asked.key]
        if asked.type not in PLACES or value is None:
            continue
        pixel = column_and_row(value) if isinstance(value, str) and shown_places.has_image(item) else None
        if pixel is not None:
            changed[asked.key] = said = pixel_in_words(*pixel)
            _note_outside(line, asked.key, said, item, shown_places, shown_places.beyond_pixels(item, *pixel))
        elif isinstance(value, list):
            unclear = shown_places.may_be_read_in_two_ways(item, value)
            if unclear and not _is_frozen(line, item, value, shown_places):
                line.problem(f"{asked.key} '{' '.join(f'{part:g}' for part in value)}' {unclear}", asked.key)
                continue
            _note_where_nobody_points(line, asked.key, value, item, shown_places)
        elif isinstance(value, str):
            shown_places.not_places.append((line.number, asked.key, value))
    return changed


def _is_frozen(line: Line, item: ItemRow, place: list[float], shown_places: ShownPlaces) -> bool:
    """Return whether this very place of this candidate is in the frozen study, where it is laid out in pixels."""
    pixels = pixels_at(shown_places.places_of(item), None)
    if shown_places.frozen is None or pixels is None:
        return False
    return shown_places.frozen.has_answer(line.text("candidate"), pixels.in_words(place))


def _note_where_nobody_points(
    line: Line, key: str, place: list[float], item: ItemRow, shown_places: ShownPlaces
) -> None:
    lacking, beyond = shown_places.lacks_an_image(item), shown_places.beyond(item, place)
    if lacking:
        line.problem(
            f"{key} is a place in {shown(lacking)}, which is not in the folder, and is laid out by its column and row; "
            "add the image, or write the place as column 33 row 17.",
            key,
        )
    else:
        said = " ".join(f"{part:g}" for part in place)
        _note_outside(line, key, said, item, shown_places, beyond)


def _note_outside(line: Line, key: str, said: str, item: ItemRow, shown_places: ShownPlaces, beyond: str) -> None:
    """Note a place outside of what an item shows; `beyond` says how far that reaches, and is empty for one inside."""
    if beyond:
        shown_places.warnings.append(
            f"candidates.csv: line {line.number}: {key} '{said}' is outside of what item '{item.key}' shows "
            f"({beyond}), where nobody can point: it says who wrote the answer. Check the place; a model that points "
            "there is wrong, and known by it."
        )


def _is_offered(asked: Field, answers: Mapping[str, Any]) -> bool:
    """Return whether a field offers what was answered in it, given the answer to the field above that is laid out."""
    value, above = answers[asked.key], asked.options_by
    if above is None or above.field not in answers or value is None or abstention.is_undetermined(value):
        return True
    chosen = _texts_of(answers[above.field])
    offered = {option for part in above.offered if part.value in chosen for option in part.options}
    return offered.issuperset(_texts_of(value))


def _has_to_be_there(asked: Field, answers: Mapping[str, Any]) -> bool:
    """Return whether a field is empty that people have to fill in, given what is laid out of the field above it."""
    if not asked.required or answers[asked.key] is not None:
        return False
    when, by = asked.when, asked.options_by
    asked_where = [(when.field, set(when.values))] if when else []
    asked_where += [(by.field, {part.value for part in by.offered})] if by else []
    return all(values & set(_texts_of(answers.get(field))) for field, values in asked_where)


def _texts_of(value: object) -> list[str]:
    return [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, str)]


def _note_what_is_too_long(line: Line, fields: Sequence[Field], answers: dict[str, object]) -> None:
    for asked in fields:
        value = answers[asked.key]
        if asked.at_most is not None and isinstance(value, list) and len(value) > asked.at_most:
            line.problem(
                f"{asked.key} '{shown('|'.join(map(str, value)))}' has {len(value)} entries, and people give at most "
                f"{asked.at_most}; shorten it.",
                asked.key,
            )


def _note_what_is_not_asked(line: Line, fields: Sequence[Field], answers: dict[str, object]) -> None:
    """Note an answer that people would not be asked for, given the answer to the field above that is laid out too."""
    for asked in fields:
        when = asked.when
        if when is not None and answers[asked.key] is not None and when.field in answers:
            above = answers[when.field]
            if not isinstance(above, str) or above not in when.values:
                line.problem(
                    f"{asked.key} is filled in, and people are asked it only where {when.field} is "
                    f"{listed(when.values)}: it would say who wrote the answer; empty the cell.",
                    asked.key,
                )


def lacking_in_pool(study: Expansion, candidates: Sequence[CandidateRow]) -> Iterator[str]:
    """Yield the pools that would contain no model's answers."""
    pools = pools_of_models(study)
    if pools and candidates and not any(row.answer for row in candidates):
        names = listed(_laid_out_somewhere(study))
        yield f"holds no answer: phase '{pools[0].key}' lays out {names}; fill in columns of these names."


def places_of_two_kinds(study: Expansion, items: Sequence[ItemRow], shown_places: ShownPlaces) -> Iterator[str]:
    """Yield the pools in which a place depends on its pane and panes differ: of a model, no pane is known."""
    for phase in study.phases:
        about = [
            item.key
            for item in (items if phase.places == "as_shown" else ())
            if any(asked.type in PLACES for asked in fields_taken(study, phase, item.form)) and shown_places.mixes(item)
        ]
        if about:
            yield (
                f"protocol.yaml: phase '{phase.key}' lays out places on {listed(about)}, where an image without scale "
                "stands beside scans: people's are said in the words of their pane, and models' in those of the first "
                "one, which may say who wrote an answer; ask for the place in items that show one of the two."
            )


def unlike_people_in_pool(shown_places: ShownPlaces) -> Iterator[str]:
    """Yield for each column which cells hold what no person could have answered: no option, say, or too long a text."""
    kinds = (
        ("no place", "three numbers in mm or, in an image without scale, column 33 row 17", shown_places.not_places),
        (
            "no answer that people can give",
            "ids or texts of options, or a number in the range of the field",
            shown_places.not_offered,
        ),
        ("longer than people can write", f"at most {LONGEST_TEXT:,} characters", shown_places.too_long),
    )
    for is_what, expected, unlike in kinds:
        for key in dict.fromkeys(key for _, key, _ in unlike):
            cells = [f"'{shown(cell)}' in line {number}" for number, name, cell in unlike if name == key]
            yield (
                f"candidates.csv: {key} is {is_what} ({listed(cells)}), and is laid out as it stands, which says that "
                f"a model wrote it; expected {expected}."
            )


def lacks_what_people_write(shown_places: ShownPlaces) -> Iterator[str]:
    """Yield for each column the lines in which a model left empty what people have to fill in."""
    for key in dict.fromkeys(key for _, key in shown_places.left_empty):
        numbers = [str(number) for number, name in shown_places.left_empty if name == key]
        lines = f"line{'' if len(numbers) == 1 else 's'} {listed(numbers)}"
        yield (
            f"candidates.csv: {key} is empty in {lines}, and people have to fill it in: an answer without it is known "
            f"to be a model's. Fill it in, or let people leave it out, too (required: no)."
        )


def warnings_of_pools(study: Expansion, candidates: Sequence[CandidateRow]) -> Iterator[str]:
    """Yield reasons why raters could tell who wrote an answer, as far as the protocol and tables show."""
    models = {row.model for row in candidates if row.answer}
    for phase in study.phases:
        yield from (f"protocol.yaml: {says}" for says in few_sources(study, phase, len(models)))

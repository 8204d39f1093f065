"""The tables of a folder whose protocol cannot be expanded yet: problems that do not depend on the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from exchange.csv_table import Line, Read, Reader, read_table
from exchange.refusal import Conversions, Problems
from exchange.study_folder.attribute_columns import attributes_of, declared_of, table_of
from exchange.study_folder.compared_pairs import read_pairs
from exchange.study_folder.folder_checks import check_dates
from exchange.study_folder.folder_rows import (
    candidate_row,
    case_row,
    check_range,
    histories_of,
    overlay_row,
    volume_row,
)
from exchange.study_folder.item_table import ItemRow, OverlayRow, VolumeRow, item_row
from exchange.study_folder.protocol_file import ReadProtocol
from exchange.tables import FIELD_REFERENCES, OVERLAYS, VOLUMES, Table
from protocol.language.authored import AuthoredStudy
from protocol.language.authored_fields import AuthoredAttributes
from protocol.language.expanding import expand
from protocol.language.expansion import Expansion
from protocol.language.misfits import DoesNotFit

_PLAIN = {
    "blindread": "2",
    "name": "plain",
    "title": "Plain",
    "phases": [{"key": "read", "rates": "items", "shows": [], "form": {"answer": "text"}}],
}


def look_through_tables(
    folder: Path, document: Mapping[str, Any], problems: Problems
) -> tuple[tuple[VolumeRow, ...], tuple[OverlayRow, ...]]:
    """Note problems with tables before the protocol is corrected; return the scans and masks that they name.

    Columns that the protocol may yet declare, and what its phases may need, are not checked.
    """
    study, unsure = _declaring(document)
    for name in sorted(unsure - {"raters"}):
        problems.unseen.append(f"unknown columns of {name}.csv")
    reader = Reader(problems, Conversions(), "unknown")
    cases = read_table(
        reader,
        folder,
        replace(table_of(study, "cases"), takes_others="cases" in unsure),
        lambda line: replace(case_row(line), attributes=attributes_of(line, declared_of(study, "cases"))),
    )
    histories_of(reader, folder, cases)
    volumes = read_table(
        reader,
        folder,
        replace(VOLUMES, optional=True),
        lambda line: volume_row(line, folder, cases, may_be_missing=True),
    )
    if volumes.keys is not None and not volumes.refused:
        check_dates(problems, volumes)
    overlays = read_table(reader, folder, OVERLAYS, lambda line: overlay_row(line, folder, cases, may_be_missing=True))
    table = replace(table_of(study, "items"), optional=False, takes_others="items" in unsure)
    items = read_table(reader, folder, table, lambda line: _item(line, study, cases, volumes, overlays))
    by_key = {item.key: item for item in reversed(items.rows)}
    read_table(reader, folder, FIELD_REFERENCES, lambda line: _look_at_reference(line, items))
    # A column of answers has a field's key, which occurs somewhere in the protocol, however broken that is.
    answers = replace(_without_answer(table_of(study, "candidates")), may_have=frozenset(_words_of(document)))
    candidates = read_table(
        reader,
        folder,
        replace(answers, takes_others="candidates" in unsure),
        lambda line: candidate_row(line, items, by_key, practised=True),
    )
    read_pairs(reader, folder, candidates)
    reader.note_excused()
    return volumes.rows, overlays.rows


def _declaring(document: Mapping[str, Any]) -> tuple[Expansion, frozenset[str]]:
    """Return a study of one phase with the columns that a protocol declares, and the tables that may have others.

    What is wrong in the columns of one table, or in what is known of raters, leaves the other tables as declared.
    """
    attributes = document.get("attributes", {})
    parts = attributes if isinstance(attributes, Mapping) else {}
    # A section with a mistyped name may be the one that declares columns.
    has_section = attributes is parts and ("attributes" in document or set(document) <= set(AuthoredStudy.model_fields))
    right = {key: columns for key, columns in parts.items() if _with_columns({key: columns})}
    study = _with_columns(right)
    if study is not None and has_section and parts.keys() <= AuthoredAttributes.model_fields.keys():
        return study, frozenset(parts.keys() - right.keys())
    study = study or _with_columns({})
    assert study is not None, "A study without columns of its own can be written out."
    return study, frozenset(AuthoredAttributes.model_fields)


def _with_columns(attributes: Mapping[str, Any]) -> Expansion | None:
    """Return a study of one phase with such columns; None if something is wrong in them."""
    try:
        return expand(AuthoredStudy.model_validate({**_PLAIN, "attributes": attributes}), "", {})
    except (ValidationError, DoesNotFit):
        return None


def _words_of(part: Any) -> Iterator[str]:
    """Yield every key and text of a document."""
    if isinstance(part, Mapping):
        for key, value in part.items():
            yield str(key)
            yield from _words_of(value)
    elif isinstance(part, list):
        for value in part:
            yield from _words_of(value)
    else:
        yield str(part)


def _without_answer(table: Table) -> Table:
    """Return the table of candidates without its answer column, which in a pool is replaced by other columns."""
    columns = (replace(column, optional=True) if column.name == "answer" else column for column in table.columns)
    return replace(table, columns=tuple(columns))


def _look_at_reference(line: Line, items: Read[ItemRow]) -> None:
    """Note what is wrong in a line about a reference, whatever its field is."""
    line.known("item", items, "items.csv")
    line.number_or_none("radius")
    check_range(line, line.number_or_none("low"), line.number_or_none("high"))


def _item(
    line: Line, study: Expansion, cases: Read[Any], volumes: Read[VolumeRow], overlays: Read[OverlayRow]
) -> ItemRow:
    stands_alone = not cases.rows and cases.keys is not None
    named = volumes if line.cells["sequences"].strip() else Read[VolumeRow]((), None, frozenset())
    of_cases = None if stands_alone else cases
    item = item_row(line, ReadProtocol(), of_cases, named, overlays, explains=True, starts_in_images=True)
    return replace(item, attributes=attributes_of(line, declared_of(study, "items")))

"""Names and labels in a study's tables that contain characters which cannot be seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from exchange.csv_table import Line
from exchange.study_folder.frozen_study import FrozenStudy
from protocol.language.expansion import Expansion
from protocol.seen import DIRECTIONS, NOT_IN_KEYS, NOT_IN_LABELS, problem_of_signs

Row = TypeVar("Row")
# The columns of each table that name something; the first is the key of the line.
_KEYS = {
    "cases": ("case",),
    "volumes": ("volume", "sequence"),
    "overlays": ("overlay",),
    "items": ("item", "category", "conversation"),
    "candidates": ("candidate",),
}
# Those that are shown as they are, or name a row of figures, in addition to declared attributes.
_LABELS = {"volumes": ("label",), "overlays": ("label",), "items": ("options",)}
# Names that differ only in characters without width are warned of, or refused, where others are compared with them.
_COMPARED = {"cases": ("subject",), "candidates": ("model",)}


def without_unseen_signs(
    table: str, study: Expansion, frozen: FrozenStudy | None, read: Callable[[Line], Row]
) -> Callable[[Line], Row]:
    """Return what reads a line and notes a problem for each name and label with a character that cannot be seen.

    Lines of the study of which this is a version may have what they were frozen with.
    """
    declared = tuple(each.key for each in study.attributes if each.table == table)
    checked = [
        *((column, NOT_IN_KEYS) for column in _KEYS[table]),
        *((column, NOT_IN_LABELS) for column in (*_LABELS.get(table, ()), *declared)),
        *((column, DIRECTIONS) for column in _COMPARED.get(table, ())),
    ]
    stays = frozenset[str]() if frozen is None else frozen.keys

    def read_and_checked(line: Line) -> Row:
        row = read(line)
        if line.cells.get(_KEYS[table][0], "").strip() in stays:
            return row
        for column, signs in checked:
            if says := problem_of_signs(line.cells.get(column, ""), signs):
                line.problem(f"{column} {says}", column)
        return row

    return read_and_checked

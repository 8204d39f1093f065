"""The scans that a study names, as table lines and as database rows, and the items that show them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from db import Case, Item, PoolFile
from db.base import stored_id
from exchange.study_folder.item_table import ItemRow, OverlayRow, VolumeRow

# The number of ids or keys asked for in one statement.
ASKED_AT_ONCE = 500


def parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield numbers in parts small enough for one statement."""
    return (numbers[start : start + ASKED_AT_ONCE] for start in range(0, len(numbers), ASKED_AT_ONCE))


def items_of(session: Session, numbers: Sequence[int]) -> list[tuple[ItemRow, tuple[str, int]]]:
    """Return what the item table says about scans, for each item, with the key and id of its case."""
    rows = session.exec(
        select(Item, Case.key, Case.id)
        .join(Case, col(Case.id) == Item.case_id)
        .where(col(Item.id).in_(numbers))
        .order_by(col(Item.id))
    )
    return [(_item_row(item, case), (case, stored_id(case_id))) for item, case, case_id in rows]


def pool_files_of(session: Session, case_ids: Sequence[int]) -> list[tuple[PoolFile, str]]:
    """Return the files that cases name, each with the key of its case, in the order of the tables."""
    return list(
        session.exec(
            select(PoolFile, Case.key)
            .join(Case, col(Case.id) == PoolFile.case_id)
            .where(col(PoolFile.case_id).in_(case_ids))
            .order_by(col(PoolFile.id))
        )
    )


def said_of_volume(row: VolumeRow) -> dict[str, Any]:
    """Return what a line says about a scan besides its key, case and file."""
    acquired = None if row.acquired is None else row.acquired.isoformat()
    return {"role": row.role, "sequence": row.sequence, "acquired": acquired, "label": row.label}


def said_of_overlay(row: OverlayRow) -> dict[str, Any]:
    """Return what a line says about a mask besides its key, case and file."""
    return {"label": row.label, "colour": row.colour, "style": row.style, "opacity": row.opacity}


def volume_row(row: PoolFile, case: str, folder: Path) -> VolumeRow:
    """Return the line of a scan whose file is looked for in a folder."""
    said = row.said
    acquired = None if said["acquired"] is None else datetime.date.fromisoformat(said["acquired"])
    return VolumeRow(row.key, case, said["role"], said["sequence"], acquired, said["label"], folder / row.path)


def overlay_row(row: PoolFile, case: str, folder: Path) -> OverlayRow:
    """Return the line of a mask whose file is looked for in a folder."""
    said = row.said
    return OverlayRow(row.key, case, said["label"], folder / row.path, said["colour"], said["style"], said["opacity"])


def _item_row(item: Item, case: str) -> ItemRow:
    start: Any = "middle" if item.start == [] else None if item.start is None else tuple(item.start)
    return ItemRow(
        key=item.key,
        case=case,
        category=item.category,
        format=item.format,
        grounding=item.grounding,
        form=item.form,
        prompt=item.prompt,
        options=(),
        sequences=tuple(item.sequences),
        uses_prior=item.uses_prior,
        start=start,
        overlays=tuple(item.overlays),
    )

"""Turn stored rows into what counts as right for an item, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from db import Item, Reference
from protocol.references import ItemReferences

_READ_AT_ONCE = 10_000


def references_of(row: Reference | None) -> ItemReferences:
    """Return what a stored reference says; empty if the item has none."""
    if row is None:
        return ItemReferences()
    return ItemReferences.of_stored(row.accepted, row.low, row.high, row.text_only_answer, row.provenance, row.fields)


def newest_references(session: Session, study_id: int) -> Iterator[tuple[int, ItemReferences]]:
    """Yield the id and references of each item of a study that has any, in the order of the ids.

    They are read in batches, as columns: mapped rows of a hundred thousand items would fill the memory.
    """
    rows = session.connection().execute(
        select_columns(
            col(Reference.item_id), col(Reference.accepted), col(Reference.low), col(Reference.high),
            col(Reference.text_only_answer), col(Reference.provenance), col(Reference.fields),
        )
        .join(Item, col(Item.id) == Reference.item_id)
        .where(col(Item.study_id) == study_id)
        .order_by(col(Reference.item_id), col(Reference.version))
        .execution_options(yield_per=_READ_AT_ONCE)
    )  # fmt: skip
    for item_id, versions in groupby(rows, itemgetter(0)):
        *_, (_, *newest) = versions
        yield item_id, ItemReferences.of_stored(*newest)

"""Notices about places marked in images without a known scale, which are in pixels."""

from __future__ import annotations

from collections.abc import Iterator

from sqlmodel import Session, col, select

from db import Item, Volume
from exchange.refusal import counted
from protocol.language.expansion import Expansion
from services.report.rows.in_pixels import asks_for_places


def notices_of_scale(session: Session, study_id: int, study: Expansion) -> Iterator[str]:
    """Yield that places and distances are in pixels, if places are asked for in images without a known scale."""
    if not asks_for_places(study):
        return
    without_scale = select(Volume.case_id).where(Volume.study_id == study_id, col(Volume.placed).is_(False))
    items = session.exec(
        select(Item.id).where(
            Item.study_id == study_id, col(Item.practice).is_(False), col(Item.case_id).in_(without_scale)
        )
    ).all()
    if items:
        yield (
            f"{counted(len(items), 'item')} {'is' if len(items) == 1 else 'are'} about images without scale: places "
            "and distances there are in pixels, and a mean over these and others mixes pixels with mm."
        )

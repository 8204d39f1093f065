"""Items about images without scale, in which places and distances are in pixels and not in mm."""

from __future__ import annotations

from collections import defaultdict

from sqlmodel import Session, col, select

from db import Item, Volume
from db.base import stored_id
from protocol.fields import PLACES
from protocol.hung import hung, opened
from protocol.language.expansion import Expansion


def asks_for_places(study: Expansion) -> bool:
    """Return whether any field of a study is a place."""
    asked = [field for phase in study.phases for field in phase.fields]
    asked += [field for form in study.forms for field in form.fields]
    return any(field.type in PLACES for field in asked)


def items_in_pixels(session: Session, study_id: int, study: Expansion) -> frozenset[int]:
    """Return the ids of the items whose first pane opens on an image without scale; empty if no place is asked for."""
    if not asks_for_places(study):
        return frozenset()
    without_scale = select(Volume.case_id).where(Volume.study_id == study_id, col(Volume.placed).is_(False))
    of_case: dict[int, list[Volume]] = defaultdict(list)
    for volume in session.exec(select(Volume).where(col(Volume.case_id).in_(without_scale)).order_by(col(Volume.id))):
        of_case[volume.case_id].append(volume)
    items = session.exec(select(Item).where(Item.study_id == study_id, col(Item.case_id).in_(without_scale)))
    return frozenset(
        stored_id(item.id)
        for item in items
        if any(
            not volume.placed
            for _, volume in opened(hung(study.hanging, item.sequences, item.uses_prior, of_case[item.case_id]))[:1]
        )
    )

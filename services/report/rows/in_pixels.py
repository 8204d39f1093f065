"""Items about images without scale, in which places and distances are in pixels and not in mm."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from sqlmodel import Session, col, select

from db import Item, Volume
from db.base import stored_id
from protocol.fields import PLACES
from protocol.fields.pixels import Pixels
from protocol.hung import hung, opened
from protocol.language.expansion import Expansion


def asks_for_places(study: Expansion) -> bool:
    """Return whether any field of a study is a place."""
    asked = [field for phase in study.phases for field in phase.fields]
    asked += [field for form in study.forms for field in form.fields]
    return any(field.type in PLACES for field in asked)


def items_in_pixels(session: Session, study_id: int, study: Expansion) -> Mapping[int, Pixels]:
    """Return the pixels of each item whose first pane opens on an image without scale, by the item's id.

    Nothing is read if no place is asked for.
    """
    if not asks_for_places(study):
        return {}
    without_scale = select(Volume.case_id).where(Volume.study_id == study_id, col(Volume.placed).is_(False))
    of_case: dict[int, list[Volume]] = defaultdict(list)
    for volume in session.exec(select(Volume).where(col(Volume.case_id).in_(without_scale)).order_by(col(Volume.id))):
        of_case[volume.case_id].append(volume)
    items = session.exec(select(Item).where(Item.study_id == study_id, col(Item.case_id).in_(without_scale)))
    return {
        stored_id(item.id): Pixels.of_whole(volume.shape[0], volume.shape[1], study.hanging.convention)
        for item in items
        for _, volume in opened(hung(study.hanging, item.sequences, item.uses_prior, of_case[item.case_id]))[:1]
        if not volume.placed
    }

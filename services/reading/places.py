"""How a place in an item is described: in mm or, for an image without scale, by column and row."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from sqlmodel import Session, select

from db import Volume
from db.base import stored_id
from db.queries import ShownItem
from imaging.headers import plane_of
from protocol.fields import PLACES
from protocol.fields.pixels import WITH_SCALE, Pixels, Places
from protocol.forms import FormField
from protocol.hanging import Hanging
from protocol.hung import hung, opened
from protocol.phase_rules import PhaseRules
from protocol.study_phases import StudyPhases
from services.studies import frozen_facts
from services.studies.volumes import volume_store


def places_for(
    session: Session, study_id: int, item: ShownItem, rules: PhaseRules, fields: Iterable[FormField]
) -> Places:
    """Return `places_of` if a field asks for a place; otherwise nothing is looked up."""
    asked = any(field.type in PLACES for field in fields)
    return places_of(session, study_id, item, rules.hanging) if asked else WITH_SCALE


def places_in_references(
    session: Session, study_id: int, item: ShownItem, phases: StudyPhases, rules: PhaseRules
) -> Places:
    """Return the same for references, which are worded in terms of the fields of any phase."""
    of_study = (phases.rules_of(phase) for phase in phases.phases)
    fields = (field for each in of_study for field in chain(each.fields or (), *each.forms.values()))
    return places_for(session, study_id, item, rules, fields)


def places_of(session: Session, study_id: int, item: ShownItem, hanging: Hanging) -> Places:
    """Return how places in an item are described, pane by pane: as for the scan that each pane opens on.

    Nothing but the description of the place is revealed of the file, and the place is known anyway.
    """
    case = frozen_facts.case_of(session, study_id, item.case_id)
    mirrored = hanging.convention == "radiological"
    return {
        title: None if volume.placed else _pixels(session, case.files["volume", volume.volume_id], mirrored)
        for title, volume in opened(hung(hanging, item.sequences, item.uses_prior, case.volumes))
    } or WITH_SCALE


def images_of(session: Session, study_id: int, item: ShownItem, hanging: Hanging) -> tuple[str, ...]:
    """Return the titles of the panes that open on an image without scale."""
    case = frozen_facts.case_of(session, study_id, item.case_id)
    panes = opened(hung(hanging, item.sequences, item.uses_prior, case.volumes))
    return tuple(title for title, volume in panes if not volume.placed)


def whole_images_of(session: Session, study_id: int, item: ShownItem, hanging: Hanging) -> Places:
    """Return the same by what is stored of each image, from which nothing was cut off; its file may be gone."""
    case = frozen_facts.case_of(session, study_id, item.case_id)
    rows = session.exec(select(Volume.id, Volume.shape).where(Volume.case_id == item.case_id))
    shapes = {stored_id(volume_id): shape for volume_id, shape in rows}
    return {
        title: None
        if volume.placed
        else Pixels.of_whole(shapes[volume.volume_id][0], shapes[volume.volume_id][1], hanging.convention)
        for title, volume in opened(hung(hanging, item.sequences, item.uses_prior, case.volumes))
    } or WITH_SCALE


def _pixels(session: Session, sha256: str, mirrored: bool) -> Pixels | None:
    plane = plane_of(volume_store.path_in(session, sha256))
    return None if plane is None else Pixels(*plane, mirrored)

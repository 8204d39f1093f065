"""Places in a pool of people's and models' answers: one that is written as no person's can be tells its author."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlmodel import Session

from db import Candidate
from db.queries import ShownItem
from protocol.fields import PLACES, abstention
from protocol.fields.pixels import Pixels
from protocol.language.expansion import Expansion, Field, Phase
from protocol.language.pools import fields_taken
from services.reading.places import whole_images_of

# As `protocol.language.layout` writes people's places: in a scan, in an image of an earlier import, and in an image.
_IN_VOLUME = re.compile(r"[RL] \d+ [AP] \d+ [SI] \d+ mm")
_IN_IMAGE_IN_MM = re.compile(r"[RL] \d+ [AP] \d+ S 0 mm")
_IN_IMAGE = re.compile(r"column \d+ row \d+")


class WrittenPlaces:
    """The pools of a study that contain places of people and of models."""

    def __init__(self, study: Expansion | None, study_id: int) -> None:
        self._study, self._study_id = study, study_id
        phases = [] if study is None else study.phases
        self._pools = {phase.key: phase for phase in phases if set(phase.rates) == {"candidates", "answers"}}

    def tell(self, session: Session, phase_key: str, item: ShownItem, candidate_id: int | None) -> bool:
        """Return whether a model's answer under judgement has a place that is not written as people's are there."""
        study, phase = self._study, self._pools.get(phase_key)
        if study is None or phase is None or candidate_id is None:
            return False
        taken = fields_taken(study, phase, item.form)
        if not any(asked.type in PLACES for asked in taken):
            return False
        candidate = session.get_one(Candidate, candidate_id)
        if not candidate.model:
            return False
        panes = whole_images_of(session, self._study_id, item, study.hanging).values() or [None]
        patterns = {_pattern(pixels, phase) for pixels in panes}
        return any(
            not any(pattern.fullmatch(words) for pattern in patterns)
            for asked, words in _places_in(candidate.answer, taken)
            if not (asked.undetermined and words == abstention.WORDS)
        )


def _pattern(pixels: Pixels | None, pool: Phase) -> re.Pattern[str]:
    if pixels is None:
        return _IN_VOLUME
    return _IN_IMAGE_IN_MM if pool.places == "in_mm" else _IN_IMAGE


def _places_in(answer: str, taken: list[Field]) -> Iterator[tuple[Field, str]]:
    """Yield the words of each field that takes a place, from an answer as it is laid out."""
    if len(taken) == 1:
        yield taken[0], answer
        return
    lines = answer.split("\n")
    for asked in (asked for asked in taken if asked.type in PLACES):
        label = f"{asked.label}:"
        yield from ((asked, line.removeprefix(label).strip()) for line in lines if line.startswith(label))

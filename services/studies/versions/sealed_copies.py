"""Whether a version repeats the texts of a test subject under another subject, where they would not be sealed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from db import Candidate, Case, Item, Volume, queries

_ASKED_AT_ONCE = 500


@dataclass(frozen=True)
class _Place:
    """An item with its subject, and whether it is new with this version."""

    key: str
    subject: str
    is_new: bool


def reasons_against(session: Session, study_id: int, last_item: int) -> Iterator[str]:
    """Yield a sentence for each addition that already exists under a subject in the other part of the study.

    An item without scans is recognised by its complete text and an answer by the same model; rewritten texts are not
    recognised. The same scan under two subjects is refused in every study, by `shared_scans`.

    Parameters
    ----------
    last_item
        The highest id of an item before the version.
    """
    split = queries.split_of(session, study_id)
    if split is None:
        return
    for_test = set(split.test_subjects)
    said = set()
    for places in _texts(session, study_id, last_item).values():
        for new in places:
            other = next((place for place in places if (place.subject in for_test) != (new.subject in for_test)), None)
            if not new.is_new or other is None or new in said:
                continue
            said.add(new)
            part = "test" if other.subject in for_test else "development"
            yield (
                f"Item '{new.key}' of subject '{new.subject}' says and is answered what is in item '{other.key}', "
                f"whose subject '{other.subject}' is for {part}; give it that subject, or leave it out."
            )


def _texts(session: Session, study_id: int, last_item: int) -> dict[Any, list[_Place]]:
    """Return the texts of new items without scans and of older items with the same prompt.

    Only these are read, because few items are new but all of them together may be very many.
    """
    new = col(Item.id) > last_item
    prompts = sorted(set(session.exec(select(Item.prompt).where(Item.study_id == study_id, new))))
    by_content: dict[Any, list[_Place]] = defaultdict(list)
    for start in range(0, len(prompts), _ASKED_AT_ONCE):
        asked = col(Item.prompt).in_(prompts[start : start + _ASKED_AT_ONCE])
        rows: Sequence[Any] = session.exec(
            select(Item, Case, Candidate.model, Candidate.answer)
            .join(Case, col(Case.id) == Item.case_id)
            .join(Candidate, col(Candidate.item_id) == Item.id)
            .where(Item.study_id == study_id, asked, queries.is_of_a_model(), ~_HAS_VOLUMES)
            .order_by(col(Candidate.id))
        ).all()
        for item, case, model, answer in rows:
            text = (item.prompt, _as_text(item.options), case.vignette, case.age, _as_text(case.history), model, answer)
            by_content[text].append(_Place(item.key, case.subject, item.id > last_item))
    return by_content


_HAS_VOLUMES = select(Volume.id).where(Volume.case_id == Case.id).exists()
_as_text: Callable[[Any], str] = json.dumps

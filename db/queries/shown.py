"""What a reader may see of a study. Every column is named explicitly, so a newly added one stays hidden."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Integer, bindparam, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db.asking import ask
from db.base import stored_id
from db.frozen import StudyVersion
from db.study import Candidate, CandidatePair, Case, Item, Overlay, ProtocolRecord, Volume


@dataclass(frozen=True)
class ShownItem:
    """The parts of an item that may be shown in a blinded read."""

    item_id: int
    case_id: int
    form: str
    prompt: str
    options: list[dict[str, str]]
    sequences: list[str]
    uses_prior: bool
    overlays: list[str]
    start: list[float] | None
    conversation: str | None
    turn: int | None
    vignette: str
    age: int | None
    history: list[list[str]]


@dataclass(frozen=True)
class ShownVolume:
    """The parts of a volume that may be shown: neither its key nor its file name."""

    volume_id: int
    role: str
    sequence: str
    label: str
    acquired: date | None
    window: list[float]
    intensity_range: list[float]
    placed: bool
    unpacked_sha256: str | None


@dataclass(frozen=True)
class ShownOverlay:
    """The parts of an overlay that may be shown. Its key serves to match it with items and is not passed on."""

    overlay_id: int
    key: str
    label: str
    colour: str
    style: str
    opacity: float
    unpacked_sha256: str | None


def protocol_json(session: Session, study_id: int) -> str:
    """Return the canonical JSON of a study's protocol, in its newest version."""
    newest: str = ask(session, _NEWEST_PROTOCOL, study_id=study_id).scalar_one()
    return newest


_OF_VERSION = select(StudyVersion.protocol_json).where(StudyVersion.study_id == bindparam("study_id"))
_NEWEST_PROTOCOL: Any = select(
    func.coalesce(
        _OF_VERSION.order_by(col(StudyVersion.version).desc()).limit(1).scalar_subquery(), ProtocolRecord.canonical_json
    )
).where(ProtocolRecord.study_id == bindparam("study_id"))


def shown_item(session: Session, item_id: int) -> ShownItem:
    """Read the parts of an item and its case that may be shown."""
    row: Any = session.connection().execute(_SHOWN_ITEM, {"item_id": item_id}).one()
    return ShownItem(item_id, *row)


_SHOWN_ITEM = (
    select_columns(
        col(Item.case_id),
        col(Item.form),
        col(Item.prompt),
        col(Item.options),
        col(Item.sequences),
        col(Item.uses_prior),
        col(Item.overlays),
        col(Item.start),
        col(Item.conversation),
        col(Item.turn),
        col(Case.vignette),
        col(Case.age),
        col(Case.history),
    )
    .join(Case, col(Case.id) == Item.case_id)
    .where(col(Item.id) == bindparam("item_id"))
)


def shown_volumes(session: Session, case_id: int) -> list[ShownVolume]:
    """Read the parts of a case's volumes that may be shown, current before prior, in the order of import."""
    return [ShownVolume(*row) for row in session.connection().execute(_SHOWN_VOLUMES, {"case_id": case_id})]


_SHOWN_VOLUMES: Any = (
    select_columns(
        col(Volume.id),
        col(Volume.role),
        col(Volume.sequence),
        col(Volume.label),
        col(Volume.acquired),
        col(Volume.window),
        col(Volume.intensity_range),
        col(Volume.placed),
        col(Volume.unpacked_sha256),
    )
    .where(col(Volume.case_id) == bindparam("case_id"))
    .order_by(col(Volume.role), col(Volume.id))
)


def shown_overlays(session: Session, case_id: int) -> list[ShownOverlay]:
    """Read the parts of a case's overlays that may be shown, in the order of import."""
    return [ShownOverlay(*row) for row in session.connection().execute(_SHOWN_OVERLAYS, {"case_id": case_id})]


_SHOWN_OVERLAYS: Any = (
    select_columns(
        col(Overlay.id),
        col(Overlay.key),
        col(Overlay.label),
        col(Overlay.colour),
        col(Overlay.style),
        col(Overlay.opacity),
        col(Overlay.unpacked_sha256),
    )
    .where(col(Overlay.case_id) == bindparam("case_id"))
    .order_by(col(Overlay.id))
)


def volume_files(session: Session, case_id: int) -> dict[tuple[str, int], str]:
    """Return the SHA-256 of a case's volume and overlay files, by kind and id. Never shown."""
    connection = session.connection()
    return {
        (kind, stored_id(file_id)): sha256
        for kind, files in _FILES.items()
        for file_id, sha256 in connection.execute(files, {"case_id": case_id})
    }


_FILES: dict[str, Any] = {
    kind: select_columns(col(table.id), col(table.sha256)).where(col(table.case_id) == bindparam("case_id"))
    for kind, table in (("volume", Volume), ("overlay", Overlay))
}


def candidate_answer(session: Session, candidate_id: int) -> str:
    """Read a candidate's answer without the name of its model."""
    answer: str = session.connection().execute(_ANSWER, {"candidate_id": candidate_id}).scalar_one()
    return answer


_ANSWER: Any = select_columns(col(Candidate.answer)).where(col(Candidate.id) == bindparam("candidate_id"))


def released_attributes(
    session: Session, item_id: int, candidate_id: int | None, named: Collection[tuple[str, str]]
) -> dict[str, str]:
    """Read only the named attributes, by table and key. Empty ones are left out.

    Parameters
    ----------
    named
        Pairs of a table (`cases`, `items` or `candidates`) and a key.
    """
    unit = {"item_id": item_id, "candidate_id": candidate_id}
    values: dict[str, str] = {}
    for table in dict.fromkeys(table for table, _ in named):
        stored = ask(session, _ATTRIBUTES[table], **unit).scalars().first() or {}
        values |= {key: stored[key] for of, key in named if of == table and key in stored}
    return values


_CANDIDATE_ID: Any = bindparam("candidate_id", type_=Integer)
# For a pair, only attributes that both answers have in common are named, so the first answer's are enough.
_FIRST_OF_PAIR = select(CandidatePair.first_id).where(CandidatePair.candidate_id == _CANDIDATE_ID).scalar_subquery()
_ATTRIBUTES: dict[str, Any] = {
    "cases": select(Case.attributes).join(Item, col(Item.case_id) == Case.id).where(Item.id == bindparam("item_id")),
    "items": select(Item.attributes).where(Item.id == bindparam("item_id")),
    "candidates": select(Candidate.attributes).where(Candidate.id == func.coalesce(_FIRST_OF_PAIR, _CANDIDATE_ID)),
}


def turns_before(session: Session, item: ShownItem) -> list[tuple[int, str]]:
    """Return the id and prompt of the turns before an item in its conversation, in order."""
    if item.conversation is None or item.turn is None:
        return []
    study_id = select(Item.study_id).where(Item.id == item.item_id).scalar_subquery()
    rows = session.exec(
        select(Item.id, Item.prompt)
        .where(Item.study_id == study_id, Item.conversation == item.conversation, col(Item.turn) < item.turn)
        .order_by(col(Item.turn))
    )
    return [(stored_id(item_id), prompt) for item_id, prompt in rows]


def count_items(session: Session, study_id: int) -> int:
    """Return how many items a study has, not counting practice items."""
    real = (Item.study_id == study_id, ~col(Item.practice))
    return session.exec(select(func.count()).select_from(Item).where(*real)).one()


def count_practice_items(session: Session, study_id: int) -> int:
    """Return how many practice items a study has."""
    practised = (Item.study_id == study_id, col(Item.practice))
    return session.exec(select(func.count()).select_from(Item).where(*practised)).one()

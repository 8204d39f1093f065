"""Samples drawn apart from other studies, by subject: from which of their freezes, and that these keep to it."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from sqlmodel import Session, col, select

from db import Case, Database, Freeze, FreezeItem, Item, PhaseClosing, Study, StudyVersion, Thaw
from db.base import stored_id
from db.standing import STANDS
from exchange.refusal import listed
from protocol.language.expansion import Expansion, Phase
from services.errors import Conflict, counted
from services.people.identity import Actor
from services.people.permission import freeze_of, require_role
from services.studies import frozen_facts

# The key of a phase's entry in a manifest: by the key of a study, the hash of the freeze, or version, drawn apart from.
APART_FROM = "apart_from"
# Sentences show this much of a hash.
_SHOWN = 12
# Names at least so alike are taken for one that was misspelt.
_ALIKE = 0.85
_NUMBER = re.compile(r"-?(\d+)")


@dataclass(frozen=True)
class ApartFrom:
    """The freeze, or later version, of another study that a phase was drawn apart from.

    Attributes
    ----------
    phase
        The key of the phase.
    study
        The key that the other study had.
    at
        When that freeze or version was made; None if it is no longer stored here.
    thawed_at
        When the freeze was revoked; None if it stands.
    newer
        The number of the newest version that was made since, and when; None if there is none.
    """

    phase: str
    study: str
    sha256: str
    at: datetime | None
    thawed_at: datetime | None
    newer: tuple[int, datetime] | None

    @property
    def sentence(self) -> str:
        """Return this in words."""
        made = f"of {self.at:%Y-%m-%d %H:%M} UTC" if self.at is not None else "no longer stored here"
        said = (
            f"Phase '{self.phase}' was drawn apart from '{self.study}' as frozen then ({made}, SHA-256 "
            f"{self.sha256[:_SHOWN]}…): they share no subject."
        )
        if self.thawed_at is None:
            if self.newer is None:
                return said
            number, made_at = self.newer
            return (
                f"{said} Since {made_at:%Y-%m-%d %H:%M} UTC there is version {number} of it, which shares none either."
            )
        return f"{said} That freeze was thawed on {self.thawed_at:%Y-%m-%d %H:%M} UTC; a new one may share none."


def studies_named(study: Expansion, phase: Phase) -> list[str]:
    """Return the keys of other studies that a phase is drawn apart from."""
    sample, phases = phase.source.sample, {each.key for each in study.phases}
    return [name for name in (sample.not_in if sample else ()) if name not in phases]


def misspelt(session: Session, study: Expansion, own_key: str) -> Iterator[tuple[str, str]]:
    """Yield phases drawn apart from a study that does not exist here, though one of nearly its name does, and why.

    Without any such study the name may be right: an earlier round that was read elsewhere, or not yet.
    """
    named = [(phase, name) for phase in study.phases for name in studies_named(study, phase)]
    if not named:
        return
    keys = set(session.exec(select(Study.key).where(col(Study.removed_at).is_(None)))) - {own_key}
    for phase, name in named:
        others = [key for key in sorted(keys) if not _are_two_rounds(key, name)]
        alike = [] if name in keys else difflib.get_close_matches(name, others, n=1, cutoff=_ALIKE)
        for other in alike:
            says = (
                f"sample.not_in names '{name}', and no study of this name exists here (nearest: '{other}'): no "
                "subject would be left out for it; correct the name, or remove it."
            )
            yield phase.key, says


def _are_two_rounds(key: str, name: str) -> bool:
    """Return whether names differ in their numbers only, as of an earlier round that was read elsewhere."""
    of_key, of_name = ([int(number) for number in _NUMBER.findall(each)] for each in (key, name))
    return _NUMBER.sub("", key) == _NUMBER.sub("", name) and of_key != of_name


def freezes_of(session: Session, names: Sequence[str]) -> dict[str, str]:
    """Return, by the key of each named study that is frozen here, the hash of its freeze or newest version."""
    hashes: dict[str, str] = {}
    for name in names:
        study = session.exec(select(Study).where(Study.key == name, col(Study.removed_at).is_(None))).first()
        sha256 = freeze_of(session, stored_id(study.id)) if study is not None else None
        if sha256 is not None:
            hashes[name] = sha256
    return hashes


def drawn_apart(session: Session, study_id: int) -> list[ApartFrom]:
    """Return what the phases of a frozen study were drawn apart from, in the order of the draws."""
    apart = []
    for phase, said in _entries(session, study_id):
        for name, sha256 in said.get(APART_FROM, {}).items():
            freeze, made_at = _freeze(session, sha256)
            thaw = None if freeze is None else session.exec(select(Thaw).where(Thaw.freeze_id == freeze.id)).first()
            thawed_at = None if thaw is None else thaw.at
            apart.append(ApartFrom(phase, name, sha256, made_at, thawed_at, _newer(session, freeze, sha256)))
    return apart


def sentences_of(database: Database, actor: Actor, study_key: str) -> list[str]:
    """Return, for admins, what a frozen study was drawn apart from, a sentence each."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        return [each.sentence for each in drawn_apart(session, stored_id(study.id))]


def subjects_of(session: Session, sha256: str) -> frozenset[str]:
    """Return the subjects of a freeze, or of a version with those before it, whether or not the freeze stands."""
    freeze, _ = _freeze(session, sha256)
    if freeze is None:
        return frozenset()
    version = session.exec(select(StudyVersion.version).where(StudyVersion.sha256 == sha256)).first() or 1
    return frozenset(
        session.exec(
            select(Case.subject)
            .join(Item, col(Item.case_id) == Case.id)
            .join(FreezeItem, col(FreezeItem.item_id) == Item.id)
            .where(FreezeItem.freeze_id == freeze.id, col(FreezeItem.version) <= version)
        )
    )


class Part(Protocol):
    """A phase as drawn, as far as other studies matter to it."""

    @property
    def key(self) -> str:
        """The key of the phase."""

    @property
    def apart_from(self) -> Mapping[str, str]:
        """By the key of each study that it was drawn apart from, the hash of that study's freeze or version."""

    @property
    def not_here(self) -> tuple[str, ...]:
        """Keys of such studies that were not frozen here."""


def require_kept(session: Session, study: Study, subjects: Collection[str], parts: Iterable[Part]) -> None:
    """Refuse a freeze that shares subjects with studies drawn apart from it, or that rests on a freeze since gone.

    Parameters
    ----------
    subjects, parts
        The subjects of everything that it would have, and its phases as drawn.

    Raises
    ------
    Conflict
        With a sentence for each such study.
    """
    reasons = list(reasons_against(session, study, subjects))
    reasons += [
        f"A study that phase '{part.key}' is drawn apart from was frozen or thawed while the phases were drawn; freeze "
        "the study again."
        for part in parts
        if freezes_of(session, [*part.apart_from, *part.not_here]) != dict(part.apart_from)
    ]
    if reasons:
        raise Conflict("\n".join(reasons))


def reasons_against(session: Session, study: Study, subjects: Collection[str]) -> Iterator[str]:
    """Yield a sentence for each frozen study that was drawn apart from this one and shares some of these subjects.

    Parameters
    ----------
    subjects
        The subjects that a freeze or version of this study would have.
    """
    others = session.exec(
        select(Study, Freeze)
        .join(Freeze, col(Freeze.study_id) == Study.id)
        .where(
            Study.id != study.id,
            col(Study.removed_at).is_(None),
            *STANDS,
            col(Freeze.manifest_json).contains(json.dumps(study.key, ensure_ascii=False), autoescape=True),
        )
        .order_by(col(Study.key))
    ).all()
    for other, freeze in others:
        for phase, said in _entries(session, stored_id(other.id)):
            if study.key not in said.get(APART_FROM, {}):
                continue
            shared = sorted(_subjects_of_phase(session, stored_id(freeze.id), phase).intersection(subjects))
            if shared:
                yield (
                    f"Phase '{phase}' of the frozen study '{other.key}' was drawn apart from this study "
                    f"(sample.not_in), and the two would share {counted(len(shared), 'subject')}: {listed(shared)}. "
                    f"Leave out what is about them, or draw this study apart from '{other.key}' (sample.not_in)."
                )


def _entries(session: Session, study_id: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each phase of a frozen study with its entry in the manifest of its draw."""
    freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)).first()
    if freeze is None or frozen_facts.expansion_of(session, study_id) is None:
        return
    yield from json.loads(freeze.manifest_json)["phases"].items()
    for version in session.exec(select(StudyVersion).where(StudyVersion.study_id == study_id)):
        yield from json.loads(version.manifest_json)["phases"].items()
    for closing in session.exec(select(PhaseClosing).where(PhaseClosing.study_id == study_id)):
        yield from json.loads(closing.manifest_json).items()


def _freeze(session: Session, sha256: str) -> tuple[Freeze | None, datetime | None]:
    """Return the freeze that has a hash, or to which the version with this hash belongs, and when that was made."""
    freeze = session.exec(select(Freeze).where(Freeze.sha256 == sha256)).first()
    if freeze is not None:
        return freeze, freeze.created_at
    version = session.exec(select(StudyVersion).where(StudyVersion.sha256 == sha256)).first()
    return (None, None) if version is None else (session.get_one(Freeze, version.freeze_id), version.at)


def _newer(session: Session, freeze: Freeze | None, sha256: str) -> tuple[int, datetime] | None:
    """Return the number and time of the newest version of a freeze, unless the hash is that version's."""
    if freeze is None:
        return None
    newest = session.exec(
        select(StudyVersion).where(StudyVersion.freeze_id == freeze.id).order_by(col(StudyVersion.version).desc())
    ).first()
    return None if newest is None or newest.sha256 == sha256 else (newest.version, newest.at)


def _subjects_of_phase(session: Session, freeze_id: int, phase: str) -> set[str]:
    return set(
        session.exec(
            select(Case.subject)
            .join(Item, col(Item.case_id) == Case.id)
            .join(FreezeItem, col(FreezeItem.item_id) == Item.id)
            .where(FreezeItem.freeze_id == freeze_id, FreezeItem.phase == phase)
        )
    )

"""Import a study folder into the database: all of it in one transaction, or nothing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, select

from db import (
    Database,
    Membership,
    ProtocolRecord,
    Study,
    audit,
)
from db.base import stored_id
from exchange.refusal import Conversion, InputRefused, Problem
from exchange.study_folder.folder_rows import StudyFolder
from protocol.language.expansion import Expansion
from services.errors import Conflict, NotAllowed, Refused
from services.people.identity import Actor
from services.seals import proofs
from services.studies.drawing import drawn_apart, pairing
from services.studies.folders import draft_studies, pool_files, shared_scans, table_rows
from services.studies.folders.checking import checked_folder, items_in_words
from services.studies.many_objects import no_search_for_garbage
from services.studies.volumes import leftovers, volume_store
from services.studies.volumes.alignment import Files
from services.studies.volumes.preparing import Prepared, Progress, prepare_files, require_files, store_files


@dataclass(frozen=True)
class Imported:
    """What an import stored, what it converted, and warnings about what its author may have meant differently."""

    study_key: str
    title: str
    cases: int
    volumes: int
    items: int
    # The number of practice items among the items.
    practice: int
    candidates: int
    conversions: tuple[Conversion, ...] = ()
    warnings: tuple[str, ...] = ()
    # Set if the study's draw decides which scans it needs.
    needs: pool_files.Needs | None = None

    @property
    def items_in_words(self) -> str:
        """Return the number of items to read and of practice items, as the list of studies counts them."""
        return items_in_words(self.items, self.practice)


def import_study(
    database: Database,
    actor: Actor,
    folder: Path,
    *,
    key: str | None = None,
    title: str | None = None,
    simulated_readers: bool = False,
    over_draft: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Read, check and prepare a study folder, and store it with the actor as its admin.

    If the study draws the items whose scans it shows, only the scans of drawn items are prepared, and none of them if
    one is missing: `pool_files.prepare_volumes` then adds them later.

    Parameters
    ----------
    folder
        A folder with `protocol.yaml`, the CSV tables and the scans they name.
    key, title
        Stored in place of the protocol's own; a second copy of a study needs its own key.
    simulated_readers
        Marks the study's verdicts as simulated on every page.
    over_draft
        Replace a draft with the same key, which is removed in the same transaction.
    progress
        Called with (done, total, text) before each volume, and with done = total before the study is stored.

    Raises
    ------
    InputRefused
        With everything that is wrong, each problem naming its file and line or key; nothing is stored.
    Conflict
        A study with this key already exists, and `over_draft` is not set or it is not a draft that can be replaced.
    """
    if not actor.is_owner:
        raise NotAllowed("Only an owner can import a study; ask one to do it or to make you an owner.")
    contents = checked_folder(folder)
    study_key = draft_studies.require_key(key or contents.protocol.name)
    study = Study(key=study_key, title=title or contents.protocol.title, simulated_readers=simulated_readers)
    with database.read_only() as session:
        draft = _require_place(session, actor, study_key, over_draft)
        if isinstance(contents.protocol, Expansion):
            wrong = drawn_apart.misspelt(session, contents.protocol, study_key)
            if problems := [Problem("protocol.yaml", f"key phases.{phase}.from", says) for phase, says in wrong]:
                raise InputRefused(problems)
        if draft is not None:
            # The secret keys the draws: importing again gives the same draw, so nobody can try for another one.
            study.salt = draft.salt
        with no_search_for_garbage():
            drawn = pool_files.drawn_at_import(session, contents, folder, study.salt)
    files = Files.of(contents) if drawn is None else drawn.to_prepare
    stored: list[str] = []
    replaced: list[str] = []
    with leftovers.importing(database) as lease:
        try:
            prepared = prepare_files(database, files, progress, stored, lease)
            done = _store_study(database, actor, study, contents, files, prepared, drawn, over_draft, replaced)
        except BaseException:
            volume_store.remove_unused(database, stored)
            raise
    volume_store.remove_unused(database, replaced)
    return done


def can_import_over(database: Database, actor: Actor, study_key: str) -> bool:
    """Return whether there is a draft with this key that an import may replace."""
    with database.read_only() as session:
        try:
            return _require_place(session, actor, study_key, over_draft=True) is not None
        except Refused:
            return False


def _require_place(session: Session, actor: Actor, study_key: str, over_draft: bool) -> Study | None:
    """Refuse a key that is taken; return the draft to import over, if that is wanted and there is one."""
    study: Study | None = session.exec(_OF_KEY, params={"key": study_key}).first()
    if study is None:
        return None
    if not over_draft:
        raise _exists(study_key)
    draft_studies.require_replaceable(session, actor, study)
    return study


_OF_KEY: Any = select(Study).where(Study.key == bindparam("key"))


def _exists(study_key: str) -> Conflict:
    return Conflict(
        f"A study '{study_key}' already exists; change the name in protocol.yaml and import again, or import over it "
        "while it is a draft to which nobody is invited."
    )


def _store_study(
    database: Database,
    actor: Actor,
    study: Study,
    contents: StudyFolder,
    files: Files,
    prepared: Prepared,
    drawn: pool_files.DrawnFiles | None,
    over_draft: bool,
    replaced: list[str],
) -> Imported:
    with database.writing() as session:
        # Preparing takes a while, and somebody else may have imported the same study in the meantime.
        draft = _require_place(session, actor, study.key, over_draft)
        if draft is not None:
            if draft.salt != study.salt:
                raise Conflict(f"The draft '{study.key}' was replaced meanwhile; import again.")
            replaced += draft_studies.take_out(session, actor, draft)
        session.add(study)
        try:
            session.flush()
        except IntegrityError:
            raise _exists(study.key) from None
        study_id = stored_id(study.id)
        with no_search_for_garbage():
            case_ids = _store(session, study_id, contents, prepared)
            if drawn is not None:
                pool_files.store(session, study_id, case_ids, contents, drawn)
        store_files(session, study_id, case_ids, files, prepared)
        membership = Membership(person_id=actor.person_id, study_id=study_id, role="admin", pseudonym="Admin 1")
        session.add(membership)
        session.flush()
        audit.record(
            session,
            "study imported",
            person_id=actor.person_id,
            study_id=study_id,
            items=len(contents.items),
            rows=proofs.sealed([membership]),
        )
        require_files(database, prepared)
        shared = shared_scans.reasons_against(session, study_id)
        warnings = (*contents.warnings, *(f"volumes.csv: {says}" for says in shared))
        study_key, title = study.key, study.title
    return Imported(
        study_key=study_key,
        title=title,
        cases=len(contents.cases),
        volumes=len(prepared.volumes),
        items=len(contents.items),
        practice=sum(item.practice for item in contents.items),
        candidates=len(contents.candidates),
        conversions=contents.conversions,
        warnings=warnings,
        needs=None if drawn is None else drawn.needs,
    )


def _store(session: Session, study_id: int, contents: StudyFolder, prepared: Prepared) -> dict[str, int]:
    """Store the tables of a study folder, and return the id of each case by its key."""
    canonical = contents.protocol.canonical_json()
    session.add(
        ProtocolRecord(
            study_id=study_id,
            canonical_json=canonical,
            sha256=hashlib.sha256(canonical.encode()).hexdigest(),
            source=contents.source,
        )
    )
    session.flush()
    case_ids = table_rows.store(session, study_id, contents, prepared)
    if contents.pairs:
        lines = [(row.key, row.item, (row.first, row.second)) for row in contents.pairs]
        pairing.store(session, study_id, lines, *table_rows.numbers_of(session, study_id), listed_in_table=True)
    return case_ids

"""The scans of a study that draws its items: which ones the draw needs, and how they are added.

Before the draw, nobody knows which scans are needed. The tables are therefore stored first, with the files they name.
The draw follows from them and the study's secret, whenever it is made, and only the scans it needs are read.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import delete, func, update
from sqlmodel import Session, col, select

from db import Database, Overlay, PoolFile, Study, Volume, audit, insert_many
from db.base import stored_id
from exchange.refusal import InputRefused, Problem, Problems, listed
from exchange.study_folder.folder_rows import CandidateRow, CaseRow, StudyFolder
from exchange.study_folder.item_table import ItemRow, OverlayRow, VolumeRow
from protocol.language.drawn_volumes import draws_volumes, needs_volumes, sources_of
from protocol.language.expansion import Expansion
from services.errors import Conflict
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import require_role
from services.studies import draws, frozen_facts
from services.studies.drawing import drawing_phases, pairing, stored_pool
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool, Practised
from services.studies.folders import pool_rows
from services.studies.folders.places_apart import references_in
from services.studies.sampling.units import Unit
from services.studies.volumes import leftovers, volume_store
from services.studies.volumes.alignment import Files
from services.studies.volumes.preparing import Progress, prepare_files, require_files, store_files

_TABLES: dict[str, type[Volume] | type[Overlay]] = {"volume": Volume, "overlay": Overlay}
# The drawn units do not depend on how often the draw is repeated for their probabilities.
_ONCE = 1


@dataclass(frozen=True)
class Needs:
    """How many scans and masks a study names, its draw needs and are prepared, and where the others are looked for."""

    named: int
    needed: int
    prepared: int
    missing: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Return these numbers in words."""
        said = f"The draw needs {self.needed:,} of {self.named:,} scans and masks; {self.prepared:,} are prepared."
        if not self.missing:
            return said
        return f"{said} To be put into the study folder and prepared: {listed(self.missing)}."


@dataclass(frozen=True)
class DrawnFiles:
    """The scans that the draw of a study folder needs, the path of the folder, and how many scans it names."""

    files: Files
    folder: Path
    named: int

    @property
    def to_prepare(self) -> Files:
        """Return what is prepared at import: all the files needed if they all exist, otherwise nothing yet."""
        return Files((), (), (), self.files.hanging) if self._missing else self.files

    @property
    def needs(self) -> Needs:
        """Return how much is needed, and how much of it is missing."""
        needed = len(self.files.volumes) + len(self.files.overlays)
        missing = tuple(row.path.relative_to(self.folder).as_posix() for row in self._missing)
        return Needs(self.named, needed, 0 if missing else needed, missing)

    @property
    def _missing(self) -> list[VolumeRow | OverlayRow]:
        rows: list[VolumeRow | OverlayRow] = [*self.files.volumes, *self.files.overlays]
        return [row for row in rows if not row.path.is_file()]


def drawn_at_import(session: Session, contents: StudyFolder, folder: Path, salt: str) -> DrawnFiles | None:
    """Return which scans of a study folder the draw needs; None if all of them are needed.

    Parameters
    ----------
    salt
        The secret that the study will have.

    Raises
    ------
    InputRefused
        With every reason why a phase cannot be drawn.
    """
    study = contents.protocol
    if not isinstance(study, Expansion) or not draws_volumes(study):
        return None
    if any(Files.of(contents).to_be_hit.values()):
        # The inside of such a mask is stored with the reference, which does not change afterwards.
        require_there(Files.of(contents), folder, "points have to hit masks, for which all scans are read; add it")
        return None
    key = draws.key_from(salt, draws.FIRST_VERSION, 0, study.seed)
    try:
        parts = drawing_phases.draw_phases(session, study, pool_of_folder(contents), key, repeats=_ONCE)
    except Conflict as refusal:
        reasons = str(refusal).splitlines()
        raise InputRefused([Problem("protocol.yaml", "key phases", reason) for reason in reasons]) from None
    shown = items_with_volumes(study, parts)
    items = [item for item in contents.items if item.key in shown]
    files = needed_by(items, contents.volumes, contents.overlays, study)
    return DrawnFiles(files, folder.resolve(), len(contents.volumes) + len(contents.overlays))


def store(
    session: Session, study_id: int, case_ids: Mapping[str, int], contents: StudyFolder, drawn: DrawnFiles
) -> None:
    """Store a row for every scan and mask that the tables of a study name."""
    needed = {("volume", row.key) for row in drawn.files.volumes} | {
        ("overlay", row.key) for row in drawn.files.overlays
    }
    rows: Iterable[tuple[str, VolumeRow | OverlayRow, dict[str, Any]]] = itertools.chain(
        (("volume", row, pool_rows.said_of_volume(row)) for row in contents.volumes),
        (("overlay", row, pool_rows.said_of_overlay(row)) for row in contents.overlays),
    )
    insert_many(
        session,
        PoolFile,
        (
            {
                "study_id": study_id,
                "case_id": case_ids[row.case],
                "kind": kind,
                "key": row.key,
                "path": row.path.relative_to(drawn.folder).as_posix(),
                "said": said,
                "needed": (kind, row.key) in needed,
            }
            for kind, row, said in rows
        ),
    )


def needs_of(session: Session, study_id: int) -> Needs | None:
    """Return which scans a stored study needs according to its latest draw; None if it needs all of them."""
    named = session.exec(select(func.count()).select_from(PoolFile).where(PoolFile.study_id == study_id)).one()
    if not named:
        return None
    needed = session.exec(
        select(PoolFile.kind, PoolFile.key, PoolFile.path)
        .where(PoolFile.study_id == study_id, col(PoolFile.needed))
        .order_by(col(PoolFile.id))
    ).all()
    there = _prepared(session, study_id)
    missing = tuple(path for kind, key, path in needed if (kind, key) not in there)
    return Needs(named, len(needed), len(needed) - len(missing), missing)


def prepare_volumes(
    database: Database, actor: Actor, study_key: str, folder: Path, progress: Progress | None = None
) -> Needs:
    """Draw, and prepare exactly the scans and masks that drawn items show; return what is needed and prepared.

    Parameters
    ----------
    folder
        The study folder, to which the scans have since been added.
    progress
        Called with (done, total, text) before each file, and with done = total before they are stored.

    Raises
    ------
    InputRefused
        With everything that is missing or cannot be used; nothing is stored.
    Conflict
        The study is frozen, needs all its scans, or cannot be drawn.
    """
    with database.read_only() as session:
        study = _draft(session, actor, study_key)
        study_id, salt = stored_id(study.id), study.salt
        expansion = frozen_facts.expansion_of(session, study_id)
        if expansion is None or needs_of(session, study_id) is None:
            raise Conflict(f"All volumes of '{study_key}' were prepared at its import; there are no others to prepare.")
        pool = stored_pool.pool_of(session, study_id)
        key = draws.key_of(session, study_id, expansion.seed)
        parts = drawing_phases.draw_phases(session, expansion, pool, key, repeats=_ONCE)
        files, case_ids = _needed_in(session, expansion, pool, parts, folder.resolve())
    require_there(files, folder, "a drawn item shows it; put it into the folder and prepare again")
    stored: list[str] = []
    with leftovers.importing(database) as lease:
        try:
            prepared = prepare_files(database, files, progress, stored, lease)
            with database.writing() as session:
                if _draft(session, actor, study_key, lock=True).salt != salt:
                    raise Conflict("The study was imported again while its volumes were prepared; prepare them again.")
                replaced = {sha256 for table in _TABLES.values() for sha256 in _hashes(session, table, study_id)}
                _note_needed(session, study_id, files)
                store_files(session, study_id, case_ids, files, prepared)
                audit.record(
                    session,
                    "volumes prepared",
                    person_id=actor.person_id,
                    study_id=study_id,
                    volumes=len(files.volumes),
                    overlays=len(files.overlays),
                )
                require_files(database, prepared)
                needs = needs_of(session, study_id)
        except BaseException:
            volume_store.remove_unused(database, stored)
            raise
    volume_store.remove_unused(database, replaced)
    assert needs is not None
    return needs


def require_prepared(
    session: Session, study_id: int, study: Expansion, pool: Pool, parts: Sequence[DrawnPhase]
) -> None:
    """Refuse to freeze a draw that needs scans which were not prepared.

    Raises
    ------
    Conflict
        With what is missing, and what to do.
    """
    if needs_of(session, study_id) is None:
        return
    files, _ = _needed_in(session, study, pool, parts, Path())
    there = _prepared(session, study_id)
    rows = [("volume", row) for row in files.volumes] + [("overlay", row) for row in files.overlays]
    missing = [row.path.as_posix() for kind, row in rows if (kind, row.key) not in there]
    if missing:
        raise Conflict(
            f"The draw needs {len(rows):,} scans and masks, of which {len(missing):,} are not prepared "
            f"({listed(missing)}); put them into the study folder and run 'manage.py prepare-volumes STUDY FOLDER'."
        )


def _draft(session: Session, actor: Actor, study_key: str, *, lock: bool = False) -> Study:
    study, _ = require_role(session, actor, study_key, "admin", lock=lock)
    require_in_study(session, acts.PREPARE_VOLUMES, study)
    return study


def pool_of_folder(contents: StudyFolder) -> Pool:
    """Return the pool of a study folder; its rows have no ids yet."""
    cases = {case.key: case for case in contents.cases}
    items = {item.key: _unit_of_item(item, cases[item.case]) for item in contents.items}
    candidates = {row.key: _unit_of_candidate(row, items[row.item]) for row in contents.candidates}
    pairs = {row.key: pairing.pair_of(row.key, candidates[row.first], candidates[row.second]) for row in contents.pairs}
    return Pool(
        items=items,
        candidates=candidates,
        without_volumes=frozenset(item.key for item in contents.items if not item.sequences),
        without_reference=frozenset(items) - {reference.item for reference in contents.references},
        fields_of_reference={},
        with_overlays=frozenset(),
        turns={},
        practised=_practised(contents),
        item_ids={},
        candidate_ids={},
        pairs=pairs,
        listed=frozenset(pairs),
    )


def _practised(contents: StudyFolder) -> dict[str, Practised]:
    references = {row.item: references_in(row) for row in contents.references}
    return {
        item.key: Practised(item.form, references[item.key])
        for item in contents.items
        if item.practice and item.key in references
    }


def _unit_of_item(row: ItemRow, case: CaseRow) -> Unit:
    attributes = stored_pool.attributes_of_item(
        case.attributes, row.attributes, row.category, row.format, row.grounding, row.conversation
    )
    return Unit(row.key, case.subject, row.key, attributes, row.practice)


def _unit_of_candidate(row: CandidateRow, item: Unit) -> Unit:
    attributes = stored_pool.attributes_of_candidate(item, row.attributes, row.model)
    return Unit(row.key, item.subject, item.item, attributes, item.practice, bool(row.answer.strip()))


def items_with_volumes(study: Expansion, parts: Sequence[DrawnPhase]) -> set[str]:
    """Return the keys of the items whose scans are shown in a phase, or may be once there are answers."""
    items = {part.key: {row.unit.item for row in part.sample.units} for part in parts}
    keys: set[str] = set()
    for phase in (phase for phase in study.phases if needs_volumes(phase)):
        for name in (phase.key,) if phase.key in items else sources_of(study, phase):
            keys |= items.get(name, set())
    return keys


def needed_by(
    items: Sequence[ItemRow], volumes: Iterable[VolumeRow], overlays: Iterable[OverlayRow], study: Expansion
) -> Files:
    """Return the scans that items need: their sequences, or all scans of the case if one is shown over another."""
    whole = {item.case for item in items if item.uses_prior or item.overlays}
    shown = {(item.case, sequence) for item in items for sequence in item.sequences}
    laid = {key for item in items for key in item.overlays}
    return Files(
        [row for row in volumes if row.case in whole or (row.role == "current" and (row.case, row.sequence) in shown)],
        [row for row in overlays if row.key in laid],
        items,
        study.hanging,
    )


def _needed_in(
    session: Session, study: Expansion, pool: Pool, parts: Sequence[DrawnPhase], folder: Path
) -> tuple[Files, dict[str, int]]:
    """Return which of the scans that a stored study names a draw needs, and the ids of their cases."""
    numbers = sorted(pool.item_ids[key] for key in items_with_volumes(study, parts))
    items = [row for part in pool_rows.parts(numbers) for row in pool_rows.items_of(session, part)]
    case_ids = dict(items_case for _, items_case in items)
    rows = [
        row for part in pool_rows.parts(sorted(case_ids.values())) for row in pool_rows.pool_files_of(session, part)
    ]
    volumes = [pool_rows.volume_row(row, case, folder) for row, case in rows if row.kind == "volume"]
    overlays = [pool_rows.overlay_row(row, case, folder) for row, case in rows if row.kind == "overlay"]
    return needed_by([item for item, _ in items], volumes, overlays, study), case_ids


def require_there(files: Files, folder: Path, why: str) -> None:
    """Refuse if files are missing from the folder, with the line of each and why they are needed."""
    problems = Problems()
    inside = folder.resolve()
    for file, noun, rows in (("volumes.csv", "volume", files.volumes), ("overlays.csv", "overlay", files.overlays)):
        for row in rows:
            if not row.path.is_file() or not row.path.resolve().is_relative_to(inside):
                named = row.path.relative_to(inside).as_posix()
                problems.add(file, f"{noun} '{row.key}'", f"{named} is missing, and {why}.")
    problems.refuse()


def _note_needed(session: Session, study_id: int, files: Files) -> None:
    """Remove what was prepared for another draw, and record what this one needs."""
    session.exec(update(PoolFile).where(col(PoolFile.study_id) == study_id).values(needed=False))
    for kind, rows in (("volume", files.volumes), ("overlay", files.overlays)):
        session.exec(delete(_TABLES[kind]).where(col(_TABLES[kind].study_id) == study_id))
        keys = [row.key for row in rows]
        for start in range(0, len(keys), pool_rows.ASKED_AT_ONCE):
            session.exec(
                update(PoolFile)
                .where(
                    col(PoolFile.study_id) == study_id,
                    col(PoolFile.kind) == kind,
                    col(PoolFile.key).in_(keys[start : start + pool_rows.ASKED_AT_ONCE]),
                )
                .values(needed=True)
            )


def _prepared(session: Session, study_id: int) -> Set[tuple[str, str]]:
    """Return the kind and key of every prepared file of a study."""
    return {
        (kind, key)
        for kind, table in _TABLES.items()
        for key in session.exec(select(table.key).where(table.study_id == study_id))
    }


def _hashes(session: Session, table: type[Volume] | type[Overlay], study_id: int) -> list[str]:
    return list(session.exec(select(table.sha256).where(table.study_id == study_id)))

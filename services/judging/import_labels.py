"""Import labels that people gave elsewhere, each on its candidate: whether they were given blind is not known here.

They are stored beside raters' verdicts, never among them. Only calibrations can use them as people's verdicts, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sqlalchemy import case
from sqlmodel import Session, col, func, select

from db import Database, ImportedLabel, LabelImport, Membership, Person, queries
from db.base import stored_id
from exchange.file_format import endings_in_words
from exchange.foreign.layout import OF_ITSELF, Asked
from exchange.formats import JUDGE_VERDICTS
from exchange.judge_verdicts import JudgeRow
from exchange.refusal import InputRefused, Problems, listed, shown
from protocol.scales import EXCLUDED
from services.errors import LONGEST_REASON, Conflict, counted, require_length, require_name
from services.judging import asked_fields
from services.judging.candidate_keys import UNKNOWN, candidate_keys, replaced_candidates
from services.judging.labels_of_people import LONGEST_NAME, together
from services.judging.named_models import NamedModels, candidate_models, stored_models
from services.judging.placed_rows import PlacedRows, placed_rows
from services.judging.run_files import LONGEST_FILE_NAME, read_pieces, sha256_of, stored_of, unplaced_in
from services.judging.slices import (
    AsFrozen,
    Progress,
    cleared_in_words,
    how_frozen,
    importing,
    require_as_frozen,
    unheard,
)
from services.judging.sources import RunFile, Verdicts, stored_unplaced, unread_in_words
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import require_role
from services.studies.folders.unfinished_imports import LABELS

ENDINGS_IN_WORDS = endings_in_words(JUDGE_VERDICTS)
NOT_BLINDED_HERE = "made elsewhere, not blinded here"
_DOUBLED = "one labeller may label a candidate once, but some are labelled twice"

# Stands in for a hash from which labels could be guessed.
SEALED = "sealed"


@dataclass(frozen=True)
class LabelLine:
    """The labels of one file, for a study's admins: their origin and numbers, without any label.

    Attributes
    ----------
    field
        As PHASE.FIELD; empty if a label says correct or incorrect.
    labellers, candidates, labels
        The people who labelled, how many candidates they labelled, and the total number of labels.
    blinding
        How the labellers are said to have been blinded; empty if not known.
    source_sha256
        The hash of the file; `SEALED` while labels in it are sealed, because few labels could be guessed from it.
    """

    name: str
    field: str
    source: str
    source_sha256: str
    labellers: tuple[str, ...]
    candidates: int
    labels: int
    blinding: str
    is_random_part: bool
    imported_by: str
    at: str
    # Of the labels, how many are *excluded*; not counted while labels are sealed, of some of which it would tell.
    excluded: int = 0
    # As for a judge's run.
    unread: str = ""
    namesakes: tuple[str, ...] = ()
    # Labels left by earlier, incomplete imports; known only to the import that cleared them.
    cleared: int = 0

    @property
    def blinding_in_words(self) -> str:
        """How the labellers are said to have been blinded."""
        return f"said to be: {self.blinding}" if self.blinding else "not known"

    @property
    def in_words(self) -> str:
        """What was imported, and what to know about it."""
        same = ""
        if self.namesakes:
            same = f" Also names of members of this study, who are kept apart: {listed(self.namesakes)}."
        excluded = f" ({self.excluded:,} of them excluded)" if self.excluded else ""
        return (
            f"Labels '{self.name}' are imported, {NOT_BLINDED_HERE}: {counted(self.labels, 'label')}{excluded} of "
            f"{counted(len(self.labellers), 'labeller')} on {counted(self.candidates, 'candidate')}; how they were "
            f"blinded is {self.blinding_in_words}.{self.unread}{same}"
            f"{cleared_in_words(self.cleared, LABELS)}"
        )


def import_labels(
    database: Database,
    actor: Actor,
    study_key: str,
    *,
    name: str,
    content: bytes,
    file_name: str,
    further: Sequence[RunFile] = (),
    labeller: str = "",
    field: str = "",
    blinding: str = "",
    is_random_part: bool = False,
    asked: Asked = OF_ITSELF,
    skip_unplaced: bool = False,
    progress: Progress = unheard,
) -> LabelLine:
    """Store labels that people gave elsewhere, each on the candidate that its line fits; all of the files or nothing.

    They are stored slice by slice, and nobody sees any of them before the import itself is stored at the end.

    Parameters
    ----------
    name
        Name of these labels, by which a calibration requests them.
    further
        More files, if the labels come in several: taken together, nobody may label a candidate twice.
    labeller
        Who gave them, if the file does not say.
    field
        As for a judge's run: the labels are on its scale. It may be empty if people rate only one field.
    blinding
        How the labellers are said to have been blinded; empty if not known.
    is_random_part
        Whether the labelled candidates are declared a simple random part of all candidates; otherwise only models
        whose every candidate is labelled get a score from them.
    asked, skip_unplaced, progress
        As for a judge's run.

    Raises
    ------
    InputRefused
        The file is malformed, does not say who labelled, names a candidate that the study lacks, or has two labels by
        one labeller on the same candidate; the offenders are listed.
    Conflict
        The study is not frozen, has no such field, or already holds labels of this name; two of the files have the same
        name or content, or different formats; or somebody else is importing them at this moment.
    """
    name = require_name("The name of the labels", name, LONGEST_NAME)
    labeller = require_name("The name of the labeller", labeller, LONGEST_NAME)
    blinding = require_length("How the labellers were blinded", " ".join(blinding.split()), LONGEST_REASON)
    field = field or _only_field(database, actor, study_key)
    scale = asked_fields.scale_asked(database, actor, study_key, field, of_people=True)
    asked = replace(asked, field=field.rpartition(".")[2], of_people=True)
    files = (RunFile(file_name, content), *further)
    read = read_pieces(database, actor, study_key, files, scale, asked, skip_unplaced=skip_unplaced)
    file_name = listed(read)
    problems = next(iter(read.values())).problems
    by_labeller = together(read, labeller, in_columns=bool(asked.labellers))
    sha256 = sha256_of(files)
    study_id, as_frozen, placed = _on_candidates(
        database, actor, study_key, name, sha256, by_labeller, file_name, problems, skip_unplaced=skip_unplaced
    )
    stored = LabelImport(
        study_id=study_id,
        name=name,
        field=field,
        scale=list(scale.names),
        source=file_name if len(file_name) <= LONGEST_FILE_NAME else counted(len(files), "file"),
        source_sha256=sha256,
        blinding=blinding,
        drawn="random" if is_random_part else "",
        parameters=asked.stored | stored_of(read) | _not_read(read, placed),
        person_id=actor.person_id,
    )
    require = _refusing(actor, study_key, stored, as_frozen)
    total = sum(map(len, by_labeller.values()))
    with importing(database, LABELS, study_id, name, require, progress) as slices:
        slices.store(_values(by_labeller, placed), lambda done: progress(done, total, "Storing the labels"))
        said = {"person_id": actor.person_id, "labels": stored.name, "source_sha256": sha256}
        slices.publish(stored, require, "labels made elsewhere imported", **said)
    with database.read_only() as session:
        line = next(line for line in lines_of(session, study_id) if line.name == name)
        return replace(line, namesakes=_namesakes(session, study_id, line.labellers), cleared=slices.cleared)


def _on_candidates(
    database: Database,
    actor: Actor,
    study_key: str,
    name: str,
    sha256: str,
    by_labeller: Mapping[str, tuple[JudgeRow, ...]],
    file_name: str,
    problems: Problems,
    *,
    skip_unplaced: bool,
) -> tuple[int, AsFrozen, dict[str, PlacedRows]]:
    """Return the study's key, how it was frozen meanwhile, and each labeller's rows on their candidates."""
    # A reading transaction, so that nobody who writes has to wait while very many labels are placed.
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        require_in_study(session, acts.IMPORT_LABELS, study)
        _require_new(session, study_id, name, sha256)
        as_frozen = how_frozen(session, study_id)
        placed = _placed(session, study_id, by_labeller, file_name, problems, skip_unplaced=skip_unplaced)
        return study_id, as_frozen, placed


def _not_read(read: Mapping[str, Verdicts], placed: Mapping[str, PlacedRows]) -> dict[str, Any]:
    """Return what is stored of lines that could not be placed, and of models that were named and not used."""
    unplaced = [*unplaced_in(read), *(line for each in placed.values() for line in each.unplaced)]
    left_out = sum(each.left_out for each in read.values()) + sum(each.left_out for each in placed.values())
    unused = list(dict.fromkeys(said for each in placed.values() for said in each.unused_models))
    return stored_models(unused) | stored_unplaced(unplaced, left_out)


def _refusing(actor: Actor, study_key: str, stored: LabelImport, as_frozen: AsFrozen) -> Callable[[Session], None]:
    """Return what refuses labels if the study does not accept them, or no longer does."""

    def require(session: Session) -> None:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        require_in_study(session, acts.IMPORT_LABELS, study)
        _require_new(session, stored.study_id, stored.name, stored.source_sha256)
        require_as_frozen(session, stored.study_id, as_frozen, "the labels were read")

    return require


def _values(
    by_labeller: Mapping[str, Sequence[JudgeRow]], placed: Mapping[str, PlacedRows]
) -> Iterator[dict[str, Any] | None]:
    """Yield the values to store for each label; None for one without a candidate."""
    for who, rows in by_labeller.items():
        for row, number in zip(rows, placed[who].ids.tolist(), strict=True):
            yield (
                None
                if number == UNKNOWN
                else {
                    "candidate_id": number,
                    "labeller": who,
                    "label": row.verdict,
                    "missing": row.failure or "",
                    "remark": row.explanation or (row.error or ""),
                }
            )


def labels_of(database: Database, actor: Actor, study_key: str) -> list[LabelLine]:
    """Return a study's labels made elsewhere, for its admins, in the order of their import."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        return lines_of(session, stored_id(study.id))


def lines_of(session: Session, study_id: int) -> list[LabelLine]:
    """Return the same for a study to which access was already checked."""
    query = select(LabelImport).where(LabelImport.study_id == study_id).order_by(col(LabelImport.id))
    return _lines(session, study_id, session.exec(query).all())


def _only_field(database: Database, actor: Actor, study_key: str) -> str:
    """Return the field that people rate; empty in a study that scores answers after its reads."""
    known = asked_fields.fields_for_labellers(database, actor, study_key)
    if len(known) > 1:
        raise Conflict(f"Say of which field the labels are: {', '.join(known)}.")
    return next(iter(known), "")


def _require_new(session: Session, study_id: int, name: str, sha256: str) -> None:
    if not name:
        raise Conflict("The labels have no name; give them one, by which a calibration asks for them.")
    query = select(LabelImport).where(LabelImport.study_id == study_id, LabelImport.name == name)
    other = session.exec(query).first()
    if other is None:
        return
    # Of sealed labels it would say whether somebody has guessed them.
    if other.source_sha256 == sha256 and not queries.sealed_items(session, study_id):
        raise Conflict(f"This file has already been imported as labels '{name}'; nothing was changed.")
    raise Conflict(f"Labels '{name}' already exist in this study; choose another name.")


def _placed(
    session: Session,
    study_id: int,
    by_labeller: Mapping[str, tuple[JudgeRow, ...]],
    file_name: str,
    problems: Problems,
    *,
    skip_unplaced: bool,
) -> dict[str, PlacedRows]:
    """Return, by labeller, the labelled candidates; the same is refused as for a judge, but separately per labeller."""
    keys, newer = candidate_keys(session, study_id), replaced_candidates(session, study_id)
    placed = {}
    models = cache(lambda: candidate_models(session, study_id))
    for who, rows in by_labeller.items():
        of_one = Problems()
        try:
            placed[who] = placed_rows(
                rows,
                keys,
                newer,
                f"{file_name}, {shown(who)}",
                of_one,
                NamedModels(models),
                skip_unplaced=skip_unplaced,
                doubled_says=_DOUBLED,
            )
        except InputRefused as refusal:
            problems.take(refusal)
    problems.refuse()
    return placed


def _lines(session: Session, study_id: int, imports: Sequence[LabelImport]) -> list[LabelLine]:
    if not imports:
        return []
    labellers: dict[int, list[str]] = {}
    in_study = select(LabelImport.id).where(LabelImport.study_id == study_id)
    of_study = col(ImportedLabel.import_id).in_(in_study)
    named = select(ImportedLabel.import_id, ImportedLabel.labeller).where(of_study).distinct()
    for import_id, labeller in session.exec(named.order_by(col(ImportedLabel.labeller))):
        labellers.setdefault(import_id, []).append(labeller)
    numbers = {
        import_id: (candidates, labels, excluded)
        for import_id, candidates, labels, excluded in session.exec(
            select(
                ImportedLabel.import_id,
                func.count(func.distinct(col(ImportedLabel.candidate_id))),
                func.count(col(ImportedLabel.label)),
                func.count(case((col(ImportedLabel.label) == EXCLUDED, 1))),
            )
            .where(of_study)
            .group_by(col(ImportedLabel.import_id))
        )
    }
    names = dict(session.exec(select(Person.id, Person.name)).all())
    is_sealed = bool(queries.sealed_items(session, study_id))
    return [
        LabelLine(
            row.name,
            row.field,
            row.source,
            SEALED if is_sealed else row.source_sha256,
            tuple(labellers[stored_id(row.id)]),
            *numbers[stored_id(row.id)][:2],
            row.blinding,
            row.drawn == "random",
            names.get(row.person_id, "not known"),
            f"{row.at:%Y-%m-%d}",
            0 if is_sealed else numbers[stored_id(row.id)][2],
            unread_in_words(row.parameters),
        )
        for row in imports
    ]


def _namesakes(session: Session, study_id: int, labellers: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labellers who have the same name as a member of the study."""
    members = session.exec(
        select(Membership.pseudonym, Person.name, Person.login)
        .join(Person, col(Person.id) == Membership.person_id)
        .where(Membership.study_id == study_id)
    )
    known = {name.casefold() for row in members for name in row if name}
    return tuple(name for name in labellers if name.casefold() in known)

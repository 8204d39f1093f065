"""A judge's certificate from a study's own verdicts, computed by the same code as a certificate from files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from agreement.coding import Codes
from agreement.judge.card import card
from agreement.judge.certificate import CARD_SUFFIX, FILE_NAME, Identity, Origin, certificate, file_asked, text_sha256
from agreement.judge.columns import Columns
from agreement.judge.material import Material
from agreement.judge.panels import PANELS
from agreement.judge.panels.criteria import KEY
from agreement.judge.withheld import rounded
from db import Candidate, Database, Freeze, Item, JudgeRun, Verdict, queries
from db.base import stored_id
from db.standing import STANDS
from services.errors import Conflict, InputRefused
from services.installation.version import SOFTWARE_VERSION
from services.judging.run_identity import Judge, in_words, judge_of
from services.people.identity import Actor
from services.people.permission import require_role
from services.report.calibration import elsewhere
from services.report.calibration.calibrating import Calibration, calibration_of
from services.report.calibration.in_a_study import in_words_of_a_study
from services.report.calibration.parts import joined
from services.report.rows.candidate_columns import Ids
from services.seals.order import ANSWERED, LAST, places_in_chain

# This many candidates are selected by one statement.
_ASKED_AT_ONCE = 500
CARD_NAME = str(Path(FILE_NAME).with_suffix(CARD_SUFFIX))


@dataclass(frozen=True)
class Certificate:
    """A certificate as JSON, and a card with the same content on one page."""

    judge: str
    passed: bool
    document: str
    card: str


def file_of(target: Path) -> Path:
    """Return the JSON file that a target means: itself, or the usual name in a folder.

    Raises
    ------
    InputRefused
        It is neither, or its own folder is missing.
    """
    if not target.parent.is_dir():
        raise InputRefused(f"The folder {target.parent} is missing; create it, or name another file.")
    try:
        return file_asked(target)
    except ValueError as error:
        words = str(error)
        raise InputRefused(f"{words[0].upper()}{words[1:]}.") from None


def certify(
    database: Database,
    actor: Actor,
    study_key: str,
    field: str = "",
    runs: Sequence[str] = (),
    basis: str = "",
    rubric: bytes | None = None,
    labels: Sequence[str] = (),
) -> Certificate:
    """Certify the judge of some runs. A judge that fails also gets a certificate, which says what it lacks.

    Parameters
    ----------
    field, runs, basis, labels
        As in `calibration_of`; the runs must be of one judge with one prompt.
    rubric
        The instructions by which people rated, if they are in a file of their own; its hash is part of the certificate.

    Raises
    ------
    NotFound, NotAllowed, Conflict
        As in `calibration_of`; also Conflict if the runs are of several judges or prompts.
    """
    computed = calibration_of(database, actor, study_key, field, runs, basis, labels)
    if len(computed.of_judges) != 1:
        raise Conflict(
            f"A certificate is of one judge with one prompt, and these runs are of {', '.join(computed.of_judges)}; "
            "choose runs of one of them."
        )
    ((name, of_judge),) = computed.of_judges.items()
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        stored = _runs(session, study_id, name, computed.runs)
        said = _said(session, study_id, computed, of_judge.part, of_judge.judge)
    if of_judge.part == "test":
        before = of_judge.looks_before
        said["Before"] = f"{'one look' if before == 1 else f'{before} looks'} at agreement on development subjects"
    identity = Identity(
        judge_model=_common(stored, "model"),
        prompt_sha256=_common(stored, "prompt_sha256"),
        rubric_sha256=None if rubric is None else text_sha256(rubric),
        blinded=_blinded(computed),
        labels_from=_labels_from(computed),
    )
    factors = tuple(of_judge.material.factors)
    files = [file for run in stored for file in _files_of(run)]
    origin = Origin(
        (*files, *((line.source, line.source_sha256) for line in computed.labels)),
        Columns((), (name,), "model", ("item", "candidate"), by=factors),
        partial(_names, database, of_judge.candidates.ids, _of_pairs(of_judge.material)),
        said,
    )
    plan = replace(of_judge.plan, looks=of_judge.looks)
    criteria = rounded(PANELS[KEY].compute(of_judge.material, plan), plan.fewest_shown)
    if computed.labels:
        criteria = joined(KEY, [("all", criteria)], of_judge.material.humans)
    document = certificate(of_judge.material, {**computed.panels, KEY: criteria}, plan, identity, origin)
    return Certificate(name, document["passed"], _as_json(document), in_words_of_a_study(card(document)))


def _files_of(run: JudgeRun) -> list[tuple[str, str]]:
    """Return the name and hash of each file of a run."""
    pieces = run.parameters.get("files")
    if pieces:
        return [(piece["name"], piece["sha256"]) for piece in pieces]
    return [(str(run.parameters.get("file", run.name)), run.source_sha256)]


def _of_pairs(material: Material) -> Sequence[str | None] | None:
    """Return what files call the models of each pair of answers, whose row has no model; None of single answers."""
    return None if material.compared is None or material.models is None else material.models.values().tolist()


def _names(database: Database, ids: Ids, of_pairs: Sequence[str | None] | None, places: Codes) -> list[str]:
    """Return item, candidate and model of some candidates, joined in the way certificates name candidates."""
    wanted = ids[places].tolist()
    named: dict[int, tuple[str, str, str]] = {}
    with database.read_only() as session:
        for start in range(0, len(wanted), _ASKED_AT_ONCE):
            rows = session.exec(
                select(Candidate.id, Item.key, Candidate.key, Candidate.model)
                .join(Item, col(Item.id) == Candidate.item_id)
                .where(col(Candidate.id).in_(wanted[start : start + _ASKED_AT_ONCE]))
            )
            named |= {stored_id(number): (item, candidate, model) for number, item, candidate, model in rows}
    if of_pairs is not None:
        models = [of_pairs[place] or "" for place in places.tolist()]
        named |= {number: (*named[number][:2], model) for number, model in zip(wanted, models, strict=True)}
    return ["\x1f".join(named[number]) for number in wanted]


def _blinded(computed: Calibration) -> str:
    if computed.labels:
        return elsewhere.blinded_in_words(computed.labels)
    return "read in Blindread, where no rater is shown a judge's verdict, or which model answered"


def _labels_from(computed: Calibration) -> str:
    if computed.labels:
        return f"{elsewhere.origin_in_words(computed.labels)}; field {computed.field} of {computed.study_key}"
    return f"the raters of the study {computed.study_key}, field {computed.field}"


def _as_json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _runs(session: Session, study_id: int, judge: str, names: Sequence[str]) -> list[JudgeRun]:
    runs = session.exec(select(JudgeRun).where(JudgeRun.study_id == study_id).order_by(col(JudgeRun.id))).all()
    return [run for run in runs if run.name in names and in_words(judge_of(run)) == judge]


def _common(runs: Sequence[JudgeRun], key: str) -> str | None:
    """Return a parameter of the first run, which is the one that is calibrated."""
    return str(runs[0].parameters.get(key, "")) or None


def _said(session: Session, study_id: int, computed: Calibration, part: str, judge: Judge) -> dict[str, str]:
    freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)).one()
    split = queries.split_of(session, study_id)
    data = "data locked" if computed.state == "final" else "an interim look, while the study is open"
    subjects = "all" if split is None else f"{part}, of a study divided as follows: {split.method}"
    if part == "test" and queries.is_unsealed(session, study_id):
        subjects += "; all answers about test subjects were unsealed"
    return {
        "Study": f"{computed.study_key}, freeze {freeze.sha256[:12]}, {data}",
        "Subjects": subjects,
        **_tuning(session, study_id, computed, part, judge),
        "Software": f"Blindread {SOFTWARE_VERSION}",
    }


def _tuning(session: Session, study_id: int, computed: Calibration, part: str, judge: Judge) -> dict[str, str]:
    """Return a warning if the prompt may have been tuned on these human verdicts; empty if it cannot have been."""
    if part != "all":
        return {}
    warning = "nothing is sealed: the prompt may have been tuned on these very labels"
    if computed.labels:
        return {"Tuning": f"whether these labels are older than the prompt is not known here, and {warning}"}
    if not _answered_before(session, study_id, computed.field.partition(".")[0], judge):
        return {}
    return {"Tuning": f"people had answered before the judge was imported, and {warning}"}


def _answered_before(session: Session, study_id: int, phase: str, judge: Judge) -> bool:
    """Return whether, by the audit chain, anybody answered in a phase before a judge's first run was imported.

    If the chain does not record the answer or the run, the answer counts as earlier.
    """
    runs = session.exec(select(JudgeRun).where(JudgeRun.study_id == study_id)).all()
    imported = places_in_chain(session, study_id, JudgeRun, "judge verdicts imported")
    first = min(imported.get(stored_id(run.id), LAST) for run in runs if judge_of(run) == judge)
    answered = places_in_chain(session, study_id, Verdict, *ANSWERED)
    return any(answered.get(key, 0) < first for key in queries.verdict_keys(session, study_id, phase))

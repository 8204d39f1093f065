"""The tiny study with a protocol that lists its phases, read to its end through the services."""

from __future__ import annotations

import csv
import io
import random
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from db import Database
from exchange.study_folder.folder import read_study_folder
from exchange.study_folder.frozen_study import FrozenStudy
from protocol.fields.abstention import UNDETERMINED
from protocol.language.expansion import Expansion
from services.people.identity import Actor
from services.progress import data_lock
from services.reading import instructions, submission, worklist
from services.report import build
from services.report.files import export
from services.studies.folders import importing
from services.studies.folders.explaining import EXPANDING
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.situations import (
    Situation,
    answers,
    any_answers,
    opened_once,
    people_of,
    show,
    signed_in,
    submit,
    write_study_folder,
)

# How often a scripted rater says that it cannot be determined, where that can be said.
ABSTAINING = 0.25

READ_THEN_SCORE = """
blindread: 2
name: listed
title: Reads, then scores
instructions: Read every item.
consent: I agree.
phases:
  - key: secret_arm
    title: Reads
    rates: items
    shows: [scans, prior, prompt, options]
    form: {answer: as_item, confidence: {type: confidence, steps: 3}}
    not_assessable: {quality: Image quality}
    flags: {prompt: The prompt is unclear}
  - key: second
    title: A second look
    rates: items
    from: {where: {format: [yes_no]}}
    shows: [scans, prompt, options]
    form: {answer: as_item}
  - key: score
    title: Scores
    instructions: Score every answer.
    question: Does it say the same as the reference?
    rates: candidates
    from: {sample: {size: 4, strata: model}}
    shows: [prompt, reference, candidate]
    form: {verdict: {type: correctness, excluded: Excluded}}
"""
# Who scores has read nothing: they are others.
TWO_GROUPS = """
blindread: 2
name: listed
title: Read by some, scored by others
instructions: Work through all of it.
consent: I agree.
groups: {residents: Residents, scorers: Scorers}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: residents
  - key: score
    title: Scores
    question: Does it say the same as the reference?
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    by: scorers
  - key: score_again
    title: More scores
    question: How well is it said?
    rates: candidates
    from: {where: {model: model-a}}
    shows: [prompt, reference, candidate]
    form: {style: {type: ordinal, options: {'1': Badly, '2': Well}}}
    by: scorers
"""
# The same, with the answers scored beside the scans.
READ_THEN_JUDGE = READ_THEN_SCORE.replace(
    "shows: [prompt, reference, candidate]", "shows: [scans, prior, prompt, reference, candidate]"
)
SCORE_ALONE = """
blindread: 2
name: listed
title: Scores alone
phases:
  - key: score
    title: Scores
    question: Does it say the same as the reference?
    rates: candidates
    shows: [prompt, options, reference, candidate]
    form: {verdict: correctness, note: {type: text, required: no, when: {verdict: incorrect}}}
"""


def write_listed(folder: Path, text: str, changes: Iterable[Callable[[Path], object]] = ()) -> Path:
    """Write the tables of the tiny study beside a protocol that lists its phases."""
    write_study_folder(folder)
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    for change in changes:
        change(folder)
    return folder


def imported_listed(
    database: Database,
    folder: Path,
    raters: int = 2,
    key: str = "listed",
    groups: Sequence[str] = (),
    signed: dict[str, Actor] | None = None,
) -> Situation:
    """Import a study folder and invite raters, without freezing it; the situation's reviewer is an admin of it too.

    Parameters
    ----------
    groups
        The group of each rater, in a study that has several; then so many are invited.
    signed
        By login, who is signed in already, from an earlier study in this database; whoever is signed in now is added.
    """
    signed = {} if signed is None else signed
    of_raters = groups or [""] * raters
    names = {f"rater-{number}": f"Rater {number}" for number in range(1, len(of_raters) + 1)}
    if "admin" not in signed:
        signed |= people_of(database, names)
    admin = signed["admin"]
    importing.import_study(database, admin, folder, key=key)
    for (login, name), group in zip(names.items(), of_raters, strict=True):
        members.invite(database, admin, key, login, name, "rater", group=group)
    signed |= {login: signed_in(database, login) for login in names if login not in signed}
    return Situation(database, key, admin, tuple(signed[login] for login in names), admin)


def opened_listed(
    database: Database,
    folder: Path,
    text: str,
    raters: int = 2,
    changes: Iterable[Callable[[Path], object]] = (),
    groups: Sequence[str] = (),
) -> Situation:
    """Import and freeze the tiny study with such a protocol, its tables changed before; see `opened_once`."""

    def make(empty: Database) -> Situation:
        situation = imported_listed(empty, folder, raters, groups=groups)
        freezing.freeze_study(empty, situation.admin, situation.study_key)
        return situation

    write_listed(folder, text, changes)
    return opened_once(database, folder, ("listed", raters, list(groups)), make)


def work_through(
    situation: Situation, answer: Callable[[dict[str, Any]], dict[str, Any]] = any_answers
) -> list[dict[str, Any]]:
    """Let every rater work through all their queues in the order of the worklist; return what they were shown."""
    seen: list[dict[str, Any]] = []
    for rater in situation.raters:
        desks = worklist.desks_of(situation.database, rater)
        for desk in [desk for desk in desks if desk.study_key == situation.study_key]:
            instructions.acknowledge_instructions(situation.database, rater, situation.study_key, desk.queue.key)
            while True:
                payload: dict[str, Any] = dict(
                    submission.current_payload(situation.database, rater, situation.study_key, desk.queue.key)
                )
                if payload["kind"] == "done":
                    break
                show(situation, rater, payload)
                submit(situation, rater, payload, answer(payload))
                seen.append(payload)
    return seen


def drawn_answers(payload: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """Return answers that fit a payload's form, drawn at random among all that it offers now."""
    fields: dict[str, Any] = {}
    for field in payload["form"]["fields"]:
        depends, offers = field.get("depends_on"), field.get("options_by")
        ids = [option["id"] for option in field["options"]]
        if depends is not None and fields.get(depends["field"]) not in depends["is"]:
            continue
        if offers is not None:
            chosen = fields.get(offers["field"])
            ids = [option for part in offers["offered"] if part["value"] == chosen for option in part["options"]]
            if not ids:
                continue
        abstains = field.get("undetermined", False) and rng.random() < ABSTAINING
        fields[field["key"]] = dict(UNDETERMINED) if abstains else _drawn(field, ids, rng)
    return answers(**fields)


def _drawn(field: Mapping[str, Any], ids: list[str], rng: random.Random) -> object:
    if field["type"] in ("several", "ranked"):
        most = field.get("at_most", len(ids))
        if field["type"] == "ranked" and ids and "at_most" not in field:
            return rng.sample(ids, len(ids))
        return rng.sample(ids, rng.randint(1, min(most, len(ids)))) if ids else ["first", "second"][:most]
    if field["type"] == "point":
        # A cell that begins with a minus is exported with a quotation mark before it.
        return [round(rng.uniform(1, 50), 1) for _ in "xyz"]
    if field["type"] == "number":
        return field.get("minimum", 0.0)
    return rng.choice(ids) if ids else f"Text {rng.randint(1, 99)}"


def closed_tables(situation: Situation, reason: str | None = None) -> dict[str, list[dict[str, str]]]:
    """Close a study and return the tables of its report as rows, by the name of the file."""
    data_lock.close_study(situation.database, situation.admin, situation.study_key, reason)
    report = build.build_report(situation.database, situation.admin, situation.study_key)
    archive = zipfile.ZipFile(io.BytesIO(export.report_csv_archive(situation.database, report)))
    return {
        name: list(csv.DictReader(io.StringIO(archive.read(name).decode("utf-8-sig"))))
        for name in archive.namelist()
        if name.endswith(".csv")
    }


def as_frozen(folder: Path) -> FrozenStudy:
    """Return the protocol of a folder as that of a frozen study, also if today no such study could be frozen."""
    study = read_study_folder(folder, EXPANDING).protocol
    assert isinstance(study, Expansion)
    return FrozenStudy(study)

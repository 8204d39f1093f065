"""What people and judges said about a study's candidates, as files for other programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlmodel import Session, col, select

from db import Database, JudgeRun, JudgeVerdict, Study, queries
from db.base import stored_id
from exchange.report.report_csv import csv_lines
from exchange.report.report_structure import Cell
from protocol.fields.preference import SIDES
from protocol.language.expansion import Expansion
from protocol.language.judged import compared_fields, judged_fields, scale_of_field
from protocol.phases import SCORING
from protocol.scales import EXCLUDED, NUMBER, scale_of
from services.errors import Conflict
from services.judging.run_identity import in_words, judge_of
from services.judging.verdict_columns import NOT_JUDGED, VerdictColumns, verdict_columns
from services.people.identity import Actor
from services.people.permission import require_role
from services.progress.data_lock import require_report_open
from services.report.calibration import elsewhere
from services.report.calibration.calibrating import field_of, fields_with_judges
from services.report.calibration.coding import coding
from services.report.calibration.differing import differing
from services.report.calibration.exported import VERDICT, Exported, Kind, Party, Said, Texts
from services.report.rows.labels import Labels, load_labels
from services.report.rows.listed_loading import load_listed
from services.report.rows.listed_rows import CandidateLine, ItemLine
from services.report.rows.loading import hold_one_snapshot, load_rows
from services.report.rows.ratings_of_phases import ratings_of
from services.report.rows.scores import scores_of
from services.report.rows.study_rows import Entry, ReadItem
from services.studies import frozen_facts

# The reason for a missing verdict on a candidate that a run's file does not mention.
NOT_IN_THE_RUN = "not_in_the_run"
# This many candidates are selected by one statement.
_ASKED_AT_ONCE = 500
_COLUMNS = ("item", "candidate", "model", "subject", "category", "format")


def tidy(exported: Exported) -> dict[str, Iterator[str]]:
    """Return one line for each candidate and party, in words, with the reason if there is no verdict."""
    lines = (
        (*candidate, party.called, party.kind_in_words, party.run, *said)
        for place, candidate in enumerate(exported.candidates)
        for party in exported.parties
        if (said := party.says[place]) is not None
    )
    return {"verdicts.csv": csv_lines((*exported.columns, "party", "kind", "run", "state", "verdict"), lines)}


def long_for_r(exported: Exported) -> dict[str, Iterator[str]]:
    """Return a line for each labelled candidate and each party: NA if that party gave no verdict.

    `score` is the level's place on the scale, counted from 1, or the number: `read.csv` reads it as numeric.
    """
    place_of = {level: place for place, level in enumerate(exported.levels, start=1)}
    lines = (
        (
            f"{exported.candidates[place][0]}/{exported.candidates[place][1]}",
            *exported.candidates[place],
            party.called,
            party.kind_in_words,
            party.run,
            *_in_r(party.says[place], place_of),
        )
        for place in exported.labelled
        for party in exported.parties
    )
    return {"long.csv": csv_lines(("unit", *exported.columns, "rater", "type", "run", "rating", "score"), lines)}


def _in_r(said: Said | None, place_of: Mapping[str, int]) -> tuple[str | float, str | float]:
    if said is None or said[0] != VERDICT or said[1] is None:
        return "NA", "NA"
    return said[1], place_of.get(str(said[1]), "NA") if isinstance(said[1], str) else said[1]


def alt_test(exported: Exported) -> dict[str, Iterator[str]]:
    """Return the candidates that people labelled in the two-file format of the alternative annotator test's authors.

    `human_annotations.json` and `llm_annotations.json` hold annotations by annotator and instance. Instances are the
    candidates' keys; if all levels are whole numbers they are written as numbers, because distances are computed.
    """
    numeric = all(level.lstrip("-").isdecimal() for level in exported.levels)

    def annotations(kind: Kind) -> Iterator[str]:
        named: dict[str, dict[str, Any]] = {}
        for party in exported.parties:
            if party.kind == kind:
                name = party.called if party.called not in named else f"{party.called}, {party.run}"
                named[name] = {
                    str(exported.candidates[place][1]): _annotation(said[1], numeric)
                    for place in exported.labelled
                    if (said := party.says[place]) is not None and said[0] == VERDICT
                }
        yield json.dumps(named, ensure_ascii=False, indent=1) + "\n"

    return {"human_annotations.json": annotations("human"), "llm_annotations.json": annotations("judge")}


def _annotation(verdict: str | float | None, numeric: bool) -> str | float | None:
    # A person may have entered a value that is not a level of the judge's scale.
    return int(verdict) if numeric and isinstance(verdict, str) and verdict.lstrip("-").isdecimal() else verdict


def without_verdict(exported: Exported) -> dict[str, Iterator[str]]:
    """Return a line for each candidate without a verdict of a run, with the reason, even if the run omits it."""
    lines = (
        (*candidate, party.called, party.run, NOT_IN_THE_RUN if said is None else said[0])
        for party in exported.parties
        if party.kind == "judge"
        for candidate, said in zip(exported.candidates, party.says, strict=True)
        if said is None or said[0] != VERDICT
    )
    return {"without_verdict.csv": csv_lines((*exported.columns, "judge", "run", "why"), lines)}


FORMATS: dict[str, Callable[[Exported], dict[str, Iterator[str]]]] = {
    "tidy": tidy,
    "long": long_for_r,
    "alt-test": alt_test,
    "differing": differing,
    "coding": coding,
    "without-verdict": without_verdict,
}
# File names by format.
FILES: dict[str, tuple[str, ...]] = {
    "tidy": ("verdicts.csv",),
    "long": ("long.csv",),
    "alt-test": ("human_annotations.json", "llm_annotations.json"),
    "differing": ("differing.csv",),
    "coding": ("protocol.yaml", "items.csv", "references.csv", "candidates.csv"),
    "without-verdict": ("without_verdict.csv",),
}


def export_verdicts(
    database: Database,
    actor: Actor,
    study_key: str,
    format_name: str,
    field: str = "",
    runs: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> dict[str, Iterator[str]]:
    """Return the files of a format, by name, each as an iterator over pieces of text.

    Parameters
    ----------
    format_name
        One of `FORMATS`.
    field, runs, labels
        As for a calibration.

    Raises
    ------
    NotFound, NotAllowed
        As for the report.
    Conflict
        There is no such format, no judge fills in the field, or no run has that name.
    """
    if format_name not in FORMATS:
        raise Conflict(f"There is no format '{format_name}', expected one of {', '.join(FORMATS)}.")
    return FORMATS[format_name](read_exported(database, actor, study_key, field, runs, labels))


def read_exported(
    database: Database,
    actor: Actor,
    study_key: str,
    field: str = "",
    runs: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> Exported:
    """Return what people and judges said about all candidates; parameters and errors as for `export_verdicts`."""
    known = fields_with_judges(database, actor, study_key)
    chosen = field or field_of(known, runs)
    if chosen not in known:
        expected = f"expected one of {', '.join(known)}" if known else "no judge's verdicts have been imported"
        raise Conflict(f"Say which field is exported: {expected}.")
    missing = [name for name in runs if name not in known[chosen][1]]
    if missing:
        raise Conflict(f"There is no run '{missing[0]}' in {chosen}; expected some of {', '.join(known[chosen][1])}.")
    with database.read_only() as session:
        hold_one_snapshot(session)
        return _read(session, actor, study_key, chosen, list(runs) or known[chosen][1], labels)


def _read(
    session: Session, actor: Actor, study_key: str, field: str, names: Sequence[str], labels: Sequence[str]
) -> Exported:
    study, _ = require_role(session, actor, study_key, "admin")
    study_id = stored_id(study.id)
    require_report_open(session, study_id, actor.person_id)
    expansion = frozen_facts.expansion_of(session, study_id)
    given = None
    if labels:
        sealed = queries.sealed_items(session, study_id)
        given = load_labels(session, study_id, "" if expansion is None else field, labels, sealed)
    rated = _marked(session, study, given) if expansion is None else _filled_in(session, study, expansion, field, given)
    ids = [number for number, _ in rated.candidates]
    runs = session.exec(select(JudgeRun).where(JudgeRun.study_id == study_id).order_by(col(JudgeRun.id))).all()
    chosen = [run for run in runs if run.name in names]
    read = verdict_columns(session, {stored_id(run.id): scale_of(run.scale) for run in chosen})
    levels = read[stored_id(chosen[0].id)].scale.names
    on_answers = {} if expansion is None else judged_fields(expansion)
    if field in on_answers and EXCLUDED not in scale_of_field(on_answers[field]).names:
        # It stands for *not assessable*, which is no level.
        levels = tuple(level for level in levels if level != EXCLUDED)
    people = [
        Party(name, "human", "", [_on_scale(says.get(number), levels) for number in ids], is_elsewhere=bool(labels))
        for name, says in rated.people.items()
    ]
    judges = [
        Party(
            run.judge,
            "judge",
            run.name,
            [_on_scale(said, levels) for said in _of_run(read[stored_id(run.id)], _failures(session, run), ids)],
            in_words(judge_of(run)),
        )
        for run in chosen
    ]
    return Exported(
        (*rated.columns, "probability"),
        [(*values, rated.probabilities.get(number)) for number, values in rated.candidates],
        [*people, *judges],
        () if levels == NUMBER else levels,
        ids,
        rated.texts,
        {run.name: _explanations(session, run, list(rated.texts)) for run in chosen},
    )


@dataclass(frozen=True)
class _Rated:
    """The candidates of a study by id, with people's verdicts on them by name and id."""

    columns: tuple[str, ...]
    candidates: Sequence[tuple[int, tuple[Cell, ...]]]
    probabilities: Mapping[int, float | None]
    people: Mapping[str, Mapping[int, Said]]
    texts: Mapping[int, Texts]


def _marked(session: Session, study: Study, labels: Labels | None) -> _Rated:
    """Read a study that scores answers after its reads."""
    rows = load_rows(session, study)
    scores, items = scores_of(rows), {item.id: item for item in rows.items}
    candidates: list[tuple[int, tuple[Cell, ...]]] = []
    for candidate in rows.candidates:
        if (item := items.get(candidate.item_id)) is not None:
            values = (item.key, candidate.key, candidate.model, item.subject, item.category, item.format)
            candidates.append((candidate.id, values))
    sample = [candidate.id for candidate in scores.sample]
    people: dict[str, dict[int, Said]] = {
        rater.party.name: {
            number: (VERDICT, said) for number, said in zip(sample, given, strict=True) if said is not None
        }
        for rater, given in zip(scores.raters, scores.given, strict=True)
    }
    names = {rater.id: rater.party.name for rater in scores.raters}
    remarks = _remarks([entry for entry in rows.entries if entry.phase == SCORING.key], names)
    chances = {candidate.id: candidate.probability for candidate in scores.sample}
    asked = set(sample)
    if labels is not None:
        people, remarks, chances = elsewhere.people_of(labels), elsewhere.remarks_of(labels), {}
        asked = {label.candidate_id for label in labels.given}
    texts = {
        candidate.id: Texts(item.prompt, _reference(item), candidate.answer, remarks.get(candidate.id, {}))
        for candidate in rows.candidates
        if candidate.id in asked and (item := items.get(candidate.item_id)) is not None
    }
    return _Rated(_COLUMNS, candidates, chances, people, texts)


def _filled_in(session: Session, study: Study, expansion: Expansion, field: str, labels: Labels | None) -> _Rated:
    """Read the answers in one field of a study that lists its phases."""
    rows = load_listed(session, study, expansion, frozen_facts.phases_of(session, stored_id(study.id)))
    phase, _, key = field.partition(".")
    of_phase = next(each for each in ratings_of(rows, expansion, ()) if each.phase.key == phase)
    ratings = of_phase.of_field(key)
    if ratings is None:
        raise Conflict(f"Nothing was drawn that '{field}' is filled in about.")
    items = {item.key: item for item in rows.items}
    declared = (*rows.attributes_of_items, *rows.attributes_of_candidates)
    candidates: list[tuple[int, tuple[Cell, ...]]] = []
    on_pairs = field in compared_fields(expansion)
    for line in rows.candidates:
        item = items.get(line.item)
        if item is not None and not line.given_in and bool(line.pair) == on_pairs:
            own = item.attributes | line.attributes
            values = (item.key, line.key, line.model, item.subject, item.category, item.format)
            candidates.append((line.id, (*values, *(own.get(name) or None for name in declared))))
    rated = [unit.candidate.id if unit.candidate else -1 for unit in ratings.units]
    people: dict[str, dict[int, Said]] = {
        column.party.name: {
            number: (VERDICT if state == "answered" else state, answer)
            for number, state, answer in zip(rated, column.states, answers, strict=True)
            if state not in (None, "missing")
        }
        for column, answers in zip(ratings.columns, ratings.answers, strict=True)
    }
    chances = {number: unit.in_phase for number, unit in zip(rated, ratings.units, strict=True)}
    names = {member.id: member.party.name for _, member in rows.members}
    remarks = _remarks([entry for entry in rows.entries if entry.phase == phase], names)
    asked = set(rated)
    if labels is not None:
        people, remarks, chances = elsewhere.people_of(labels), elsewhere.remarks_of(labels), {}
        asked = {label.candidate_id for label in labels.given}
    texts = {
        line.id: Texts(item.prompt, _reference(item), _answer(line), remarks.get(line.id, {}))
        for line in rows.candidates
        if line.id in asked and (item := items.get(line.item)) is not None
    }
    return _Rated((*_COLUMNS, *declared), candidates, chances, people, texts)


def _answer(line: CandidateLine) -> str:
    """Return what was rated: a model's answer, or the two of a pair, under the letters by which one is preferred."""
    if not line.pair:
        return line.answer
    return "\n".join(f"{side}: {answer.answer}" for side, answer in zip(SIDES, line.pair, strict=True))


def _remarks(entries: Sequence[Entry], names: Mapping[int, str]) -> dict[int, dict[str, str]]:
    """Return people's remarks with their verdicts, by candidate and name: comment, reason, flags."""
    written: dict[int, dict[str, str]] = {}
    for entry in entries:
        flags = [note or flag for flag, note in entry.flags]
        said = "; ".join(part for part in (entry.reason, entry.comment, *flags) if part)
        if entry.candidate_id is not None and said and entry.member_id in names:
            written.setdefault(entry.candidate_id, {})[names[entry.member_id]] = said
    return written


def _reference(item: ItemLine | ReadItem) -> str:
    if item.accepted:
        texts = dict(item.options)
        return " or ".join(texts.get(accepted, accepted) for accepted in item.accepted)
    return "" if item.low is None or item.high is None else f"{item.low:g} to {item.high:g}"


def _on_scale(said: Said | None, levels: Sequence[str]) -> Said | None:
    """Return a verdict as files have it: a number if the scale is numeric, and *excluded* as no verdict if no level."""
    if said is None or said[1] is None:
        return said
    if said[1] == EXCLUDED and EXCLUDED not in levels:
        return EXCLUDED, None
    return (said[0], float(said[1])) if tuple(levels) == NUMBER else said


def _of_run(run: VerdictColumns, failures: Mapping[int, str], ids: Sequence[int]) -> list[Said | None]:
    numbers = np.array(ids, dtype=np.int64)
    judged = run.codes_of(numbers) != NOT_JUDGED
    return [
        None if not own else (VERDICT, said) if said is not None else (failures.get(number) or "error", None)
        for number, own, said in zip(ids, judged.tolist(), run.said_of(numbers), strict=True)
    ]


def _failures(session: Session, run: JudgeRun) -> dict[int, str]:
    query = select(JudgeVerdict.candidate_id, JudgeVerdict.failure).where(
        JudgeVerdict.run_id == run.id, col(JudgeVerdict.verdict).is_(None)
    )
    return dict(session.exec(query).all())


def _explanations(session: Session, run: JudgeRun, numbers: Sequence[int]) -> dict[int, str]:
    written: dict[int, str] = {}
    for start in range(0, len(numbers), _ASKED_AT_ONCE):
        query = select(JudgeVerdict.candidate_id, JudgeVerdict.explanation).where(
            JudgeVerdict.run_id == run.id,
            JudgeVerdict.explanation != "",
            col(JudgeVerdict.candidate_id).in_(numbers[start : start + _ASKED_AT_ONCE]),
        )
        written |= dict(session.exec(query).all())
    return written

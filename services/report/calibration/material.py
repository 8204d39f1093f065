"""What people and judges said in one field of a study, as the arrays from which a calibration is computed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from agreement.coding import Codes, Floats
from agreement.judge.factors import Factor
from agreement.judge.keys import numbered
from agreement.judge.material import Made, Material, Verdicts
from agreement.judge.scale import BINARY, Scale, State
from db import JudgeRun
from protocol.fields import ORDERED
from protocol.language.expansion import Expansion, Field
from protocol.language.judged import scale_of_field
from protocol.scales import EXCLUDED
from services.judging.run_identity import in_words, judge_of
from services.judging.verdict_columns import UNRESOLVED
from services.report.calibration.frame import frame_of, hangs_on_answers
from services.report.rows.candidate_columns import CandidateColumns, Ids, candidates_after_reads, places_in
from services.report.rows.columns import Column
from services.report.rows.listed_rows import CandidateLine, ItemLine, ListedRows
from services.report.rows.ratings import Ratings
from services.report.rows.scores import Scores
from services.report.rows.study_rows import Run, StudyRows

# A table with more levels than this is unreadable.
_MOST_LEVELS = 30
_STATES = {"refusal": State.REFUSAL, "unreadable": State.UNREADABLE, "no_verdict": State.NO_VERDICT}
# An answer about the whole unit, or an abstention: counted, but not scored.
_EXCLUDED = frozenset({"not_assessable", "undetermined", "not_shown"})
_OF_EVERY_STUDY = ("category", "format")
_GROUPED = frozenset({"text", "choice", "ordinal", "yes_no"})
# The reason for a run's missing verdict, by candidate.
Failures = Mapping[int, str]


def scale_of(field: Field) -> Scale:
    """Return the scale of a field for a calibration."""
    own = scale_of_field(field)
    if own.limits is not None:
        return Scale("number")
    levels = tuple(name for name in own.names if not (field.type == "correctness" and name in own.neither))
    if field.type == "correctness":
        return Scale("binary", BINARY, BINARY[1:]) if levels == BINARY else Scale("ordinal", levels, BINARY[1:])
    if field.type in ORDERED:
        return Scale("ordinal", levels)
    return Scale("nominal", levels, () if field.positive is None else (field.positive,))


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates in a material: those of a study's models, in the study's order.

    Attributes
    ----------
    ids, item_ids : ndarray of int64, shape (n,)
        Ids of the candidates' rows, ascending, and of their items' rows.
    """

    ids: Ids
    item_ids: Ids

    def part(self, places: Codes) -> Candidates:
        """Return some of them."""
        return Candidates(self.ids[places], self.item_ids[places])


Read = tuple[Material, Candidates]


def material_of(
    study: Expansion,
    pool: CandidateColumns,
    rows: ListedRows,
    ratings: Ratings,
    decided: Ratings | None,
    runs: Sequence[tuple[JudgeRun, Run, Failures]],
) -> Read:
    """Return the verdicts of a field's raters and of some runs on all candidates of a study that lists its phases.

    Parameters
    ----------
    pool
        These candidates.
    rows
        Everything drawn for any phase, with its items and candidates.
    decided
        Each unit's answer after a later phase settled it, in one column; None if no phase does. Nobody saw a judge's
        verdict in that phase, and no unit was sent there because of one.
    runs
        As stored, with their verdicts and the reasons for missing ones. Several runs of one judge with one prompt are
        repeats: the first is calibrated.
    """
    scale, n = scale_of(ratings.field), len(pool)
    places = places_in(pool.ids, [unit.candidate.id if unit.candidate else 0 for unit in ratings.units]).tolist()
    humans = {
        column.party.name: _of_rater(column, answers, places, n, scale)
        for column, answers in zip(ratings.columns, ratings.answers, strict=True)
    }
    adjudicated = None
    if decided is not None:
        (column,), (answers,) = decided.columns, decided.answers
        adjudicated = _of_rater(column, answers, places, n, scale)
    by_answers = hangs_on_answers(ratings.phase)
    # The score refers to what the phase draws from: see the frame.
    chances = [None if by_answers else unit.in_phase for unit in ratings.units]
    of_answers = tuple(attribute.key for attribute in study.attributes if attribute.table == "candidates")
    read = _read(
        scale, pool, study.analysis.cluster, _factors(study, pool), of_answers, humans,
        _probabilities(chances, places, n), runs,
    )  # fmt: skip
    frame = frame_of(study, ratings.phase, pool, rows)
    return replace(read[0], adjudicated=adjudicated, decides_differences=decided is not None, frame=frame), read[1]


def candidates_of_models(rows: ListedRows) -> tuple[list[CandidateLine], list[ItemLine]]:
    """Return all candidates written by models, drawn or not, and the item of each.

    Candidates that a version of the study replaced are left out.
    """
    items = {item.key: item for item in rows.items}
    there = (line for line in rows.candidates if line.replaced_in is None)
    pool = [line for line in there if not line.given_in and not line.pair and line.item in items]
    return pool, [items[line.item] for line in pool]


def each_run_alone(material: Material, runs: Sequence[Run], ids: Ids) -> Material:
    """Return the same material with every run as a separate judge, named after the run.

    Parameters
    ----------
    ids
        The candidates' ids, in the order of the material.
    """
    return replace(material, judges={run.name: _of_run(run, {}, ids, material.scale) for run in runs}, runs={})


def material_of_scores(study: StudyRows, scores: Scores, runs: Sequence[tuple[JudgeRun, Run, Failures]]) -> Read:
    """Return the same for a study that scores answers after its reads: correct, incorrect, or neither."""
    scale, pool = Scale("binary", BINARY, BINARY[1:]), candidates_after_reads(study)
    places = places_in(pool.ids, [candidate.id for candidate in scores.sample]).tolist()
    humans = {}
    for rater, own, given in zip(scores.raters, scores.scores, scores.given, strict=True):
        codes, states = nothing(len(pool))
        for place, is_correct, said in zip(places, own, given, strict=True):
            if is_correct is not None:
                codes[place], states[place] = float(is_correct), State.VERDICT
            elif said is not None:
                states[place] = State.EXCLUDED
        humans[rater.party.name] = Verdicts(codes, states)
    chances = [candidate.probability for candidate in scores.sample]
    factors = {name: pool.factor(name) for name in _OF_EVERY_STUDY}
    return _read(scale, pool, "item", factors, (), humans, _probabilities(chances, places, len(pool)), runs)


def called_apart(human: str, material: Material) -> str:
    """Return the name of a person in figures, which differs from those of all judges."""
    return f"{human} (person)" if human in material.judges else human


def part_of(read: Read, items: frozenset[int], *, within: bool) -> Read:
    """Return the candidates of some items, or of all other items, with the judges' repeated runs."""
    material, candidates = read
    among = np.isin(candidates.item_ids, np.array(sorted(items), dtype=np.int64))
    places = np.flatnonzero(among == within)
    runs = {
        judge: {name: verdicts.part(places) for name, verdicts in repeated.items()}
        for judge, repeated in material.runs.items()
    }
    return replace(material.part(places), runs=runs), candidates.part(places)


def _read(
    scale: Scale,
    pool: CandidateColumns,
    cluster: str,
    every: Mapping[str, Factor],
    of_answers: Sequence[str],
    humans: dict[str, Verdicts],
    probability: Floats | None,
    runs: Sequence[tuple[JudgeRun, Run, Failures]],
) -> Read:
    """Return the material of all candidates; `of_answers` names the factors that are declared for candidates."""
    items = pool.of_items(pool.items.keys).codes
    factors = {name: factor for name, factor in every.items() if 1 < len(factor.names) <= _MOST_LEVELS}
    of_judges: dict[str, dict[str, Verdicts]] = {}
    for stored, run, failures in runs:
        of_judges.setdefault(in_words(judge_of(stored)), {})[run.name] = _of_run(run, failures, pool.ids, scale)
    material = Material(
        scale=scale,
        humans=humans,
        judges={name: next(iter(repeated.values())) for name, repeated in of_judges.items()},
        models=pool.models,
        factors=factors,
        items=items,
        clusters=items if cluster == "item" else pool.clusters(cluster),
        probability=probability,
        runs=of_judges,
        conditions=_conditions(pool.models, items, {name: factors[name] for name in of_answers if name in factors}),
        made={(in_words(judge_of(stored)), stored.name): _made(stored) for stored, _, _ in runs},
        sources={(in_words(judge_of(stored)), stored.name): _source(stored) for stored, _, _ in runs},
    )
    return material, Candidates(pool.ids, pool.item_ids)


def _made(stored: JudgeRun) -> Made:
    judge, prompt = judge_of(stored)
    return Made(judge, prompt, str(stored.parameters.get("model", "")))


def _source(stored: JudgeRun) -> str:
    """Return what a run's verdicts were read from: its file, and which of its columns, scores or orders."""
    columns = dict(stored.parameters.get("columns", {}))
    # The same verdicts are the same whatever is said of their confidence or read as their explanation.
    read = {name: path for name, path in columns.items() if name not in ("confidence", "explanation")}
    which = [stored.parameters.get(name, "") for name in ("of_model", "scorer", "order")]
    return json.dumps([stored.source_sha256, read, *which], sort_keys=True)


def _conditions(models: Factor, items: Codes, of_answers: Mapping[str, Factor]) -> dict[str, Factor]:
    """Return the attributes that distinguish a model's several answers to one item; empty if it gives only one.

    The first attribute that tells all of them apart is the condition. If no single one does, every attribute that
    tells more of them apart than those before it is one.
    """
    if not items.size:
        return {}
    units, many = numbered([items, models.codes + 1])
    if many == items.size:
        return {}
    for name, factor in of_answers.items():
        if numbered([units, factor.codes + 1])[1] == items.size:
            return {name: factor}
    chosen = {}
    for name, factor in of_answers.items():
        finer, more = numbered([units, factor.codes + 1])
        if more > many:
            chosen[name], units, many = factor, finer, more
    return chosen


def _of_rater(column: Column, answers: Sequence[object], places: Sequence[int], n: int, scale: Scale) -> Verdicts:
    codes, states = nothing(n)
    for place, state, answer in zip(places, column.states, answers, strict=True):
        if place < 0:
            continue
        code = code_of(answer, scale) if state == "answered" else None
        if code is not None:
            codes[place], states[place] = code, State.VERDICT
        elif state in _EXCLUDED or state == "answered":
            states[place] = State.EXCLUDED
    return Verdicts(codes, states)


def code_of(answer: object, scale: Scale) -> float | None:
    """Return the code of an answer; None if it is not a level of the scale, such as *excluded*."""
    if scale.kind == "number":
        return None if answer is None or answer == EXCLUDED else float(str(answer))
    return float(scale.levels.index(str(answer))) if str(answer) in scale.levels else None


def nothing(n: int) -> tuple[Floats, npt.NDArray[np.int8]]:
    """Return the codes and states of a party without a verdict on any of n candidates."""
    return np.full(n, np.nan), np.full(n, State.NO_VERDICT, dtype=np.int8)


def _of_run(run: Run, failures: Failures, ids: Ids, scale: Scale) -> Verdicts:
    known = run.verdicts.codes_of(ids)
    said = known >= 0
    codes, states = nothing(len(ids))
    if run.verdicts.numbers is None:
        # Look up each word of the run's scale once, however many verdicts use it.
        words = [code_of(name, scale) for name in run.verdicts.scale.names]
        codes[said] = np.array([math.nan if code is None else code for code in words])[known[said]]
    else:
        answers = run.verdicts.said_of(ids[said])
        worth = (None if answer is None else code_of(answer, scale) for answer in answers)
        codes[said] = [math.nan if code is None else code for code in worth]
    states[said] = np.where(np.isnan(codes[said]), State.EXCLUDED, State.VERDICT)
    errors = np.flatnonzero(known == UNRESOLVED)
    states[errors] = [_STATES.get(failures.get(number, ""), State.ERROR) for number in ids[errors].tolist()]
    return Verdicts(codes, states)


def _factors(study: Expansion, pool: CandidateColumns) -> dict[str, Factor]:
    """Return the items' category and format, and the declared attributes that can group candidates."""
    factors = {name: pool.factor(name) for name in _OF_EVERY_STUDY}
    for attribute in study.attributes:
        if attribute.type in _GROUPED and attribute.table == "candidates":
            factors[attribute.key] = pool.of_candidates(attribute.key)
        elif attribute.type in _GROUPED and attribute.table != "raters":
            factors[attribute.key] = pool.of_items(pool.items.declared(attribute.key))
    return factors


def _probabilities(chances: Sequence[float | None], places: Sequence[int], n: int) -> Floats | None:
    """Return each candidate's probability of being drawn; None unless it is known for all that were drawn."""
    known = np.full(n, np.nan)
    for place, chance in zip(places, chances, strict=True):
        if chance is None:
            return None
        if place >= 0:
            known[place] = chance
    return known

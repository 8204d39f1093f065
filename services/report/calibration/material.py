"""What people and judges of a study said in one field, as the arrays from which a calibration is computed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.coding import Codes, Floats
from agreement.judge.keys import numbered
from agreement.judge.material import Factor, Made, Material, Verdicts
from agreement.judge.scale import BINARY, Scale, State
from db import JudgeRun
from protocol.language.expansion import Expansion, Field
from protocol.language.judged import scale_of_field
from services.judging.run_identity import in_words, judge_of
from services.judging.verdict_columns import UNRESOLVED
from services.report.calibration.frame import frame_of, hangs_on_answers
from services.report.files.listed_files import CandidateLine, ItemLine, ListedRows
from services.report.rows.columns import Column
from services.report.rows.ratings import Ratings
from services.report.rows.scores import Scores
from services.report.rows.study_rows import Run, StudyRows

# Of a column with more values nobody reads a table.
_MOST_LEVELS = 30
_STATES = {"refusal": State.REFUSAL, "unreadable": State.UNREADABLE, "no_verdict": State.NO_VERDICT}
# An answer about the whole unit, or none: it is not scored, and counted.
_EXCLUDED = frozenset({"not_assessable", "undetermined", "not_shown"})
_GROUPED = frozenset({"text", "choice", "ordinal", "yes_no"})
# Why a run has no verdict, by candidate.
Failures = Mapping[int, str]


def scale_of(field: Field) -> Scale:
    """Return the scale of a field for a calibration."""
    own = scale_of_field(field)
    if own.limits is not None:
        return Scale("number")
    levels = tuple(name for name in own.names if not (field.type == "correctness" and name in own.neither))
    if field.type == "correctness":
        return Scale("binary", BINARY, BINARY[1:]) if levels == BINARY else Scale("ordinal", levels, BINARY[1:])
    if field.type == "ordinal":
        return Scale("ordinal", levels)
    return Scale("nominal", levels, () if field.positive is None else (field.positive,))


@dataclass(frozen=True)
class Candidates:
    """All candidates of models of a study.

    Attributes
    ----------
    ids, item_ids
        Of the rows, and of those of their items.
    keys
        Under which the study names them.
    models, items, clusters
        Of each: who answered, what, and what its interval is clustered by.
    columns
        Further values of each, by name.
    of_answers
        Names of those columns that are declared of the answers, and not of their items.
    """

    ids: tuple[int, ...]
    item_ids: tuple[int, ...]
    keys: tuple[str, ...]
    models: tuple[str, ...]
    items: tuple[str, ...]
    clusters: tuple[str, ...]
    columns: Mapping[str, Sequence[str]]
    of_answers: tuple[str, ...] = ()

    def names(self, places: Codes) -> list[str]:
        """Return item, candidate and model of some, separated as a certificate names candidates."""
        return ["\x1f".join((self.items[at], self.keys[at], self.models[at])) for at in places.tolist()]

    def part(self, places: Codes) -> Candidates:
        """Return some of them."""

        def of(values: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(values[at] for at in places.tolist())

        columns = {name: of(values) for name, values in self.columns.items()}
        return Candidates(
            of(self.ids), of(self.item_ids), of(self.keys), of(self.models), of(self.items), of(self.clusters), columns,
            self.of_answers,
        )  # fmt: skip


Read = tuple[Material, Candidates]


def material_of(
    study: Expansion,
    rows: ListedRows,
    ratings: Ratings,
    decided: Ratings | None,
    runs: Sequence[tuple[JudgeRun, Run, Failures]],
) -> Read:
    """Return what the raters of a field and some runs say of all candidates of a study that lists its phases.

    Parameters
    ----------
    decided
        What holds of each unit after a later phase settled it, in one column; None where no phase does. Nobody saw a
        judge's verdict there, and no unit came there because of one.
    runs
        As stored, with their verdicts, and why verdicts are missing. Runs of one judge with one prompt are repeated
        ones: the first is calibrated.
    """
    scale = scale_of(ratings.field)
    pool, of_items = candidates_of_models(rows)
    cluster = study.analysis.cluster
    candidates = Candidates(
        tuple(line.id for line in pool),
        tuple(item.id for item in of_items),
        tuple(line.key for line in pool),
        tuple(line.model for line in pool),
        tuple(item.key for item in of_items),
        tuple(_cluster(cluster, line, item) for line, item in zip(pool, of_items, strict=True)),
        _columns(study, pool, of_items),
        tuple(attribute.key for attribute in study.attributes if attribute.table == "candidates"),
    )
    place_of = {line.id: place for place, line in enumerate(pool)}
    places = [place_of.get(unit.candidate.id, -1) if unit.candidate else -1 for unit in ratings.units]
    humans = {
        column.party.name: _of_rater(column, answers, places, len(pool), scale)
        for column, answers in zip(ratings.columns, ratings.answers, strict=True)
    }
    adjudicated = None
    if decided is not None:
        (column,), (answers,) = decided.columns, decided.answers
        adjudicated = _of_rater(column, answers, places, len(pool), scale)
    by_answers = hangs_on_answers(ratings.phase)
    chances = [None if by_answers else unit.probability for unit in ratings.units]
    material = _material(scale, candidates, humans, _probabilities(chances, places, len(pool)), runs)
    frame = frame_of(study, ratings.phase, pool, of_items, rows.drawn)
    return replace(material, adjudicated=adjudicated, frame=frame), candidates


def candidates_of_models(rows: ListedRows) -> tuple[list[CandidateLine], list[ItemLine]]:
    """Return all candidates that models gave, drawn for anything or not, and the item of each.

    What a version of the study replaced is no candidate any more.
    """
    items = {item.key: item for item in rows.items}
    there = (line for line in rows.candidates if line.replaced_in is None)
    pool = [line for line in there if not line.given_in and not line.pair and line.item in items]
    return pool, [items[line.item] for line in pool]


def each_run_alone(material: Material, runs: Sequence[Run], ids: Sequence[int]) -> Material:
    """Return the same material with every run as a judge of its own, by the name of the run.

    Parameters
    ----------
    ids
        Of the candidates, in the order of the material.
    """
    return replace(material, judges={run.name: _of_run(run, {}, ids, material.scale) for run in runs}, runs={})


def material_of_scores(study: StudyRows, scores: Scores, runs: Sequence[tuple[JudgeRun, Run, Failures]]) -> Read:
    """Return the same of a study that marks answers after its reads: correct, incorrect, or neither."""
    scale = Scale("binary", BINARY, BINARY[1:])
    items = {item.id: item for item in study.items}
    pool = [candidate for candidate in study.candidates if candidate.item_id in items]
    of_items = [items[candidate.item_id] for candidate in pool]
    candidates = Candidates(
        tuple(candidate.id for candidate in pool),
        tuple(item.id for item in of_items),
        tuple(candidate.key for candidate in pool),
        tuple(candidate.model for candidate in pool),
        tuple(item.key for item in of_items),
        tuple(item.key for item in of_items),
        {"category": [item.category for item in of_items], "format": [item.format for item in of_items]},
    )
    place_of = {candidate.id: place for place, candidate in enumerate(pool)}
    places = [place_of[candidate.id] for candidate in scores.sample]
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
    return _material(scale, candidates, humans, _probabilities(chances, places, len(pool)), runs), candidates


def part_of(read: Read, items: frozenset[int], *, within: bool) -> Read:
    """Return the candidates of some items, or those of all others, with the repeated runs of judges."""
    material, candidates = read
    among = np.fromiter((item in items for item in candidates.item_ids), np.bool_, len(candidates.ids))
    places = np.flatnonzero(among == within)
    runs = {
        judge: {name: verdicts.part(places) for name, verdicts in repeated.items()}
        for judge, repeated in material.runs.items()
    }
    return replace(material.part(places), runs=runs), candidates.part(places)


def _material(
    scale: Scale,
    candidates: Candidates,
    humans: dict[str, Verdicts],
    probability: Floats | None,
    runs: Sequence[tuple[JudgeRun, Run, Failures]],
) -> Material:
    models, items = factor_of(candidates.models), factor_of(candidates.items).codes
    factors = {
        name: factor_of(values)
        for name, values in candidates.columns.items()
        if 1 < len(set(values) - {""}) <= _MOST_LEVELS
    }
    of_judges: dict[str, dict[str, Verdicts]] = {}
    for stored, run, failures in runs:
        of_judges.setdefault(in_words(judge_of(stored)), {})[run.name] = _of_run(run, failures, candidates.ids, scale)
    return Material(
        scale=scale,
        humans=humans,
        judges={name: next(iter(repeated.values())) for name, repeated in of_judges.items()},
        models=models,
        factors=factors,
        items=items,
        clusters=factor_of(candidates.clusters).codes,
        probability=probability,
        runs=of_judges,
        conditions=_conditions(
            models, items, {name: factors[name] for name in candidates.of_answers if name in factors}
        ),
        made={(in_words(judge_of(stored)), stored.name): _made(stored) for stored, _, _ in runs},
    )


def _made(stored: JudgeRun) -> Made:
    judge, prompt = judge_of(stored)
    return Made(judge, prompt, str(stored.parameters.get("model", "")))


def _conditions(models: Factor, items: Codes, of_answers: Mapping[str, Factor]) -> dict[str, Factor]:
    """Return the attributes by which several answers of a model to one item are told apart; none where there is one.

    One that tells all of them apart is the condition; where none does alone, each that tells more of them apart is one.
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
    """Return the code of an answer; None of one that is no level of the scale, such as *excluded*."""
    if scale.kind == "number":
        return None if answer is None else float(str(answer))
    return float(scale.levels.index(str(answer))) if str(answer) in scale.levels else None


def nothing(n: int) -> tuple[Floats, npt.NDArray[np.int8]]:
    """Return codes and states of somebody who says nothing of n candidates."""
    return np.full(n, np.nan), np.full(n, State.NO_VERDICT, dtype=np.int8)


def _of_run(run: Run, failures: Failures, ids: Sequence[int], scale: Scale) -> Verdicts:
    rows = np.array(ids, dtype=np.int64)
    known = run.verdicts.codes_of(rows)
    said = known >= 0
    codes, states = nothing(len(ids))
    if run.verdicts.numbers is None:
        # Each word of the run's scale is looked up once, however many verdicts say it.
        words = [code_of(name, scale) for name in run.verdicts.scale.names]
        codes[said] = np.array([math.nan if code is None else code for code in words])[known[said]]
    else:
        answers = run.verdicts.said_of(rows[said])
        worth = (None if answer is None else code_of(answer, scale) for answer in answers)
        codes[said] = [math.nan if code is None else code for code in worth]
    states[said] = np.where(np.isnan(codes[said]), State.EXCLUDED, State.VERDICT)
    for place in np.flatnonzero(known == UNRESOLVED).tolist():
        states[place] = _STATES.get(failures.get(ids[place], ""), State.ERROR)
    return Verdicts(codes, states)


def _columns(study: Expansion, pool: Sequence[CandidateLine], items: Sequence[ItemLine]) -> dict[str, list[str]]:
    """Return category and format of the items and the declared attributes that group candidates."""
    columns = {"category": [item.category for item in items], "format": [item.format for item in items]}
    for attribute in study.attributes:
        if attribute.type not in _GROUPED or attribute.table == "raters":
            continue
        of_candidates = attribute.table == "candidates"
        columns[attribute.key] = [
            (line.attributes if of_candidates else item.attributes).get(attribute.key, "")
            for line, item in zip(pool, items, strict=True)
        ]
    return columns


def factor_of(values: Sequence[str]) -> Factor:
    """Return the level of each candidate; -1 where it has none."""
    names = tuple(dict.fromkeys(value for value in values if value))
    place = {name: number for number, name in enumerate(names)}
    return Factor(np.array([place.get(value, -1) for value in values], dtype=np.intp), names)


def _cluster(name: str, line: CandidateLine, item: ItemLine) -> str:
    own = {"subject": item.subject, "case": item.case, "item": item.key}
    return own.get(name) or line.attributes.get(name) or item.attributes.get(name) or item.key


def _probabilities(chances: Sequence[float | None], places: Sequence[int], n: int) -> Floats | None:
    """Return with which chance each candidate was drawn; None where it is not known of each that was."""
    known = np.full(n, np.nan)
    for place, chance in zip(places, chances, strict=True):
        if chance is None:
            return None
        if place >= 0:
            known[place] = chance
    return known

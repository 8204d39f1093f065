"""Plan lines on judges over all candidates: whether a judge errs uniformly, and scores corrected by people's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import Literal

import numpy as np

from agreement.estimate import Estimate, undefined
from agreement.judge.bases import Basis, main_basis
from agreement.judge.panels.uniformity import of_factors
from agreement.judge.plan import Plan
from agreement.judge.pool import Pool, pool_of
from agreement.judge.uniform import Uniformity
from agreement.methods import score_test
from agreement.p_in_clusters import few_for_test
from exchange.report.estimate_rows import Category, EstimateRow, LeftOut, Party, Stratum
from exchange.report.report_words import stratum_in_words
from exchange.report.statistic_names import Compared, Statistic
from protocol.language.authored_plan import AuthoredEstimate
from protocol.language.expansion import Expansion, Field
from protocol.language.sentences_of_plan import where_in_words
from protocol.language.wording import capital, listed, percent, spoken
from services.report.calibration.pools import JudgedPool
from services.report.rows.columns import Unit, versions_of
from services.report.rows.ratings import Ratings
from services.report.sections.fields.shares import categories_of
from services.report.sections.phases import in_order, stratum_of
from services.report.sections.selecting import within

# What it means that people's score is above the judge's, where the score is correct, an option or a number.
_OF_CORRECT = "Human minus judge: above 0 the judge is stricter."
_OF_OPTION = "Share of the positive option, human minus judge: above 0 the judge chooses it less often."
_OF_NUMBERS = (
    "Here it is human minus judge: above 0 the judge gives less (the mean difference of a direction and of an "
    "agreement is judge minus human)."
)
_UNIFORM = "The test asks whether the difference is the same at every level of what the plan names."
_SEVERAL_TESTS = "Its P is adjusted by Holm for the number of attributes."
_TOGETHER = "Intervals of the levels of one attribute hold together, and so do those of their differences (Bonferroni)."
_LARGEST_FIRST = "Differences between levels are listed largest first."
_LARGE_P = (
    "A large P does not show that the judge is alike at every level: the intervals say how far apart the levels may be."
)
_SCORES_CORRECTED = (
    "The judge’s score of all candidates from which people’s were drawn, and the same corrected by what people said of "
    "those (prediction-powered, weighted by the chance of being drawn): an estimate of the share or mean that people "
    "would have given to all of them. Where people rated all candidates, it is what they gave. n of the corrected "
    "score counts the candidates that people rated."
)
_OF_ALL_ANSWERS = (
    "A difference whose method is that of the two corrected scores is of all that each model answered, also under "
    "conditions under which the other did not."
)
_UNIT = "candidate"
_IN_A_CONDITION = "item in a condition"
_RAW = frozenset[Compared]({"raw_option", "raw_score"})
_CORRECTED = frozenset[Compared]({"corrected_option", "corrected_score"})


def uniformity_in_words(field: Field, rows: Sequence[EstimateRow]) -> str:
    """Return the explanation of lines on uniformity of a field, limited to the kinds of rows that there are."""
    of_options = _OF_NUMBERS if _scored_option(field) is None else _OF_OPTION
    tests = [row for row in rows if row.statistic == "chi_square" and row.estimate.p is not None]
    said = (
        (_OF_CORRECT if field.type == "correctness" else of_options, True),
        (_UNIFORM, True),
        (_SEVERAL_TESTS, len({row.category for row in tests}) > 1),
        (_TOGETHER, any(row.together > 1 for row in rows)),
        (_LARGEST_FIRST, sum(row.compared == "between_levels" for row in rows) > 1),
        (_LARGE_P, bool(tests)),
    )
    return " ".join(sentence for sentence, holds in said if holds)


def corrected_in_words(line: AuthoredEstimate) -> str:
    """Return the explanation of a line on corrected scores."""
    return f"{_SCORES_CORRECTED} {_OF_ALL_ANSWERS}" if line.compare == "model" else _SCORES_CORRECTED


def judged_rows(
    study: Expansion, line: AuthoredEstimate, ratings: Ratings, pool: JudgedPool, plan: Plan
) -> list[EstimateRow]:
    """Return the rows of a line on uniformity or on corrected scores, for each part of the candidates.

    Parameters
    ----------
    ratings
        People's answers in the line's field.
    pool
        All candidates, with the judges' verdicts on them.
    """
    selected = [where_in_words(study, line)] if line.where else []
    for name, values in line.where.items():
        pool = pool.only(_has(name, values))
    frame = pool.material.frame
    if line.estimate == "corrected" and frame is not None and not frame.among.all():
        selected.append(frame.in_words)
        pool = pool.in_frame()
    parts = [(Stratum("selected", listed(selected)) if selected else ratings.whole, pool)]
    for name in line.by:
        # Each model already has a corrected score of its own.
        if line.estimate == "corrected" and name == "model":
            continue
        parts = [
            (within(outer, stratum_of(study, name, value)), part.only(_of_level(part, name, value)))
            for outer, part in parts
            for value in in_order(study, name, part.values_of(name))
        ]
    computed: list[list[EstimateRow]] = []
    for part_of, part in parts:
        of_part: list[EstimateRow] = []
        if part.material.judges and part.material.labelled_places.size:
            of_part = (
                _uniformity(study, line.over, part, part_of, plan)
                if line.estimate == "uniformity"
                else _corrected(line, part, part_of, plan, _scored_option(ratings.field))
            )
        computed.append([replace(row, versions=versions_of(part.units)) for row in of_part])
    rows = list(chain.from_iterable(computed))
    # Parts that people did not rate stay in their place among the others.
    return [
        row
        for (part_of, part), of_part in zip(parts, computed, strict=True)
        for row in (of_part or _undefined(rows, part_of, part, plan))
    ]


def _undefined(rows: Sequence[EstimateRow], stratum: Stratum, pool: JudgedPool, plan: Plan) -> Iterator[EstimateRow]:
    """Yield undefined rows for a part that people did not rate: the test or corrected scores, as for another part."""
    of_part = [row for row in rows if row.statistic == "chi_square" or row.compared in _CORRECTED]
    for row in of_part:
        if row.stratum == of_part[0].stratum:
            estimate = undefined(
                row.statistic, 0, _UNIT, "none", "people rated none of these candidates", confidence=plan.confidence
            )
            yield replace(row, stratum=stratum, estimate=estimate, versions=versions_of(pool.units))


def _has(name: str, values: Sequence[str]) -> Callable[[Unit], bool]:
    return lambda unit: unit.value_of(name) in values


def _of_level(pool: JudgedPool, name: str, value: str) -> Callable[[Unit], bool]:
    return lambda unit: pool.value_of(unit, name) == value


def _uniformity(
    study: Expansion, names: Sequence[str], pool: JudgedPool, stratum: Stratum, plan: Plan
) -> list[EstimateRow]:
    """Return, by judge and attribute, the test, the difference at each level, and the gap between every two levels."""
    material = replace(pool.material, models=None, factors={name: pool.factor(name) for name in names})
    basis = main_basis(material, plan)
    statistic: Statistic = "signed_difference" if basis.right_or_wrong(material.scale) else "mean_difference"
    rows: list[EstimateRow] = []
    for run in material.judges:
        judge = Party("judge", run)
        both = (_people(basis, material.humans), judge)
        for name, result in of_factors(material, run, basis, plan).items():
            attribute = Category(name, capital(spoken(name)))
            rows.append(EstimateRow("chi_square", "levels", both, stratum, _test(result, plan), category=attribute))
            order = {level: place for place, level in enumerate(in_order(study, name, list(result.levels)))}
            for level, estimate in sorted(result.levels.items(), key=lambda each: order[each[0]]):
                of_level = within(stratum, stratum_of(study, name, level))
                row = EstimateRow(statistic, "levels", both, of_level, estimate, category=attribute)
                rows.append(_together(row, estimate, len(result.levels), plan))
            for (first, second), estimate in sorted(result.gaps.items(), key=lambda each: _size(each[1])):
                levels = (*(Party("part", _level(study, name, level)) for level in (first, second)), judge)
                row = EstimateRow(statistic, "between_levels", levels, stratum, estimate, category=attribute)
                rows.append(_together(row, estimate, len(result.gaps), plan))
    return says_of_mean(rows, basis)


def _size(estimate: Estimate) -> float:
    """Return a sort key for differences: the largest first, and those without a value last."""
    return 1.0 if np.isnan(estimate.value) else -abs(estimate.value)


def _level(study: Expansion, name: str, value: str) -> str:
    """Return a level with the name of its attribute, as `1` alone says nothing; a model's name stands alone."""
    return value if name == "model" else stratum_in_words(stratum_of(study, name, value))


def _test(result: Uniformity, plan: Plan) -> Estimate:
    """Return the test as an estimate without an interval."""
    return undefined(
        "chi-square of equal differences",
        result.n,
        _UNIT,
        score_test(result.df, "attributes", clustered=result.n_clusters is not None),
        result.because or "a test has none",
        value=result.statistic,
        p=None if np.isnan(result.p_adjusted) else result.p_adjusted,
        confidence=plan.confidence,
        n_clusters=result.n_clusters,
    ).warned(few_for_test(result.n_clusters, result.clusters_worth))


def _together(row: EstimateRow, estimate: Estimate, count: int, plan: Plan) -> EstimateRow:
    """Return the row of an estimate whose interval is one of `count` simultaneous ones, as its method says."""
    if count > 1:
        of_p = ", P of each alone" if estimate.p is not None else ""
        note = f"; {percent(plan.confidence)} for {count} intervals together (Bonferroni){of_p}"
        estimate = replace(estimate, method=estimate.method + note)
    return replace(row, estimate=estimate, together=count)


def _people(basis: Basis, humans: Collection[str]) -> Party:
    """Return whose verdicts the judge is held against: a rater's, or several raters' combined."""
    return Party("rater" if basis.name in humans else "consensus", basis.name)


def _scored_option(field: Field) -> Category | None:
    """Return the option whose share is the score of a field; None where the score is correct, a step or a number."""
    if field.type == "correctness":
        return None
    return next((option for option in categories_of(field) if option.id == field.positive), None)


def _corrected(
    line: AuthoredEstimate, pool: JudgedPool, stratum: Stratum, plan: Plan, option: Category | None
) -> list[EstimateRow]:
    """Return each model's score by each judge, raw and corrected, with differences if the line asks for them.

    Parameters
    ----------
    option
        The option whose share is the score, if it is not “correct”.
    """
    of_models = "model" in line.by or line.compare == "model"
    material = pool.material if of_models else replace(pool.material, models=None)
    basis = main_basis(material, plan)
    score: Statistic = "share" if material.scale.shares else "mean_answer"
    rows: list[EstimateRow] = []
    for run in material.judges:
        judged = pool_of(material, run, basis, plan)
        corrected = {model: corrected_score(judged, model, basis) for model in judged.models}
        for model, estimate in corrected.items():
            parties = (Party("model", model), Party("judge", run)) if of_models else (Party("judge", run),)
            kinds: tuple[tuple[Compared, Estimate], ...] = (
                ("raw_score" if option is None else "raw_option", judged.raw(model)),
                ("corrected_score" if option is None else "corrected_option", estimate),
            )
            rows += [EstimateRow(score, kind, parties, stratum, each, category=option) for kind, each in kinds]
            rows += _bounds(judged, model, parties, stratum, option)
        if line.compare == "model":
            rows += _differences(judged, corrected, run, stratum, is_share=material.scale.shares)
    return says_of_mean(rows, basis)


def _bounds(
    pool: Pool, model: str, parties: tuple[Party, ...], stratum: Stratum, option: Category | None
) -> Iterator[EstimateRow]:
    """Yield bounds of the raw share: nothing without a verdict counted as correct (as the option), and all of it."""
    judged = pool.judge[pool.models[model]]
    lost = int(np.isnan(judged).sum())
    if not lost or not pool.material.scale.shares:
        return
    left_out = LeftOut(lost, "unresolved")
    kind: Compared = "raw_score" if option is None else "raw_option"
    verdict = "verdict of correct or incorrect" if option is None else "verdict"
    ends: tuple[tuple[Literal["worst", "best"], int], ...] = (("worst", 0), ("best", lost))
    for bound, right in ends:
        estimate = undefined(
            "share as judged",
            judged.size,
            _UNIT,
            f"{lost} of {judged.size} candidates have no {verdict}",
            "a bound has none",
            value=(float(np.nansum(judged)) + right) / judged.size,
            confidence=pool.plan.confidence,
        )
        yield EstimateRow("share", kind, parties, stratum, estimate, category=option, bound=bound, remark=left_out)


def corrected_score(pool: Pool, model: str, basis: Basis) -> Estimate:
    """Return the corrected score of a model; undefined if the probabilities of its answers being drawn are unknown."""
    among = pool.models[model]
    reason = None
    if np.isnan(pool.human[among]).all():
        reason = "people rated no answer of this model"
    elif pool.material.probability is None:
        reason = "it is not known with which chance each answer was drawn for people"
    if reason is not None:
        return undefined("corrected score", 0, _UNIT, "prediction-powered", reason, confidence=pool.plan.confidence)
    rated = pool.material.labelled_places
    lost = int(np.isnan(pool.human[rated[among[rated]]]).sum())
    are = "has no {} and counts" if lost == 1 else "have no {} and count"
    left_out = f"{lost} of the answers that people rated {are.format(_by_whom(basis))} as not rated"
    return pool.corrected(model).warned(left_out if lost and not pool.is_whole(model) else None)


def _by_whom(basis: Basis) -> str:
    """Return a basis as part of a sentence, with the raters that its rule combines."""
    return f"{basis.name.replace(' of ', ' of the ')} raters" if basis.rule else basis.name


def says_of_mean(rows: Sequence[EstimateRow], basis: Basis) -> list[EstimateRow]:
    """Return rows whose method says, where they rest on a mean of raters, how much of it only one of them rated."""
    if not basis.of_one:
        return list(rows)
    note = f"; the mean is of all who rated a candidate ({basis.of_one} by a single rater)"
    return [
        replace(row, estimate=replace(row.estimate, method=row.estimate.method + note))
        if isinstance(row.estimate, Estimate) and row.compared not in _RAW
        else row
        for row in rows
    ]


def _differences(
    pool: Pool, corrected: Mapping[str, Estimate], run: str, stratum: Stratum, *, is_share: bool
) -> Iterator[EstimateRow]:
    statistic: Statistic = "accuracy_difference" if is_share else "mean_difference"
    known = {model: estimate for model, estimate in corrected.items() if not np.isnan(estimate.value)}
    for first, second in combinations(known, 2):
        parties = (Party("model", first), Party("model", second), Party("judge", run))
        yield EstimateRow(
            statistic, "corrected_score", parties, stratum, corrected_difference(pool, first, second, known)
        )


def corrected_difference(pool: Pool, first: str, second: str, known: Mapping[str, Estimate]) -> Estimate:
    """Return the corrected difference of two models; item by item, n counts an item once in each of its conditions."""
    estimate = pool.difference(first, second, dict(known))
    in_conditions = bool(pool.material.conditions) and pool.pairs(first, second)
    return replace(estimate, unit=_IN_A_CONDITION) if in_conditions else estimate

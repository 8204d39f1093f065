"""Corrected scores: raw, prediction-powered and Rogan-Gladen, with rank sets and comparisons of every two models."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from agreement.estimate import Estimate, undefined
from agreement.judge.all_excluded import all_excluded
from agreement.judge.bases import Basis, bases, how_adjudicated, main_basis, only_what_differed, undecided_caution
from agreement.judge.coefficients import UNIT
from agreement.judge.conditions import between_conditions
from agreement.judge.every_two import MOST_MODELS, discordant_in_words, mcnemar_of_every_two
from agreement.judge.factors import in_random_groups
from agreement.judge.material import Material
from agreement.judge.panels import of_pairs, uniformity
from agreement.judge.plan import Plan
from agreement.judge.pool import DESIGNS, Pool, pool_of
from agreement.judge.rates import corrected_by_rates, rates_by_model
from agreement.judge.rows import Panel, Row
from agreement.judge.withheld import in_words as why_withheld
from agreement.judge.withheld import too_few
from agreement.judge.wording import listed, on_how_many, p_in_words, said_of_judges
from agreement.model_comparisons import rank_sets

KEY = "corrected"
RAW, CORRECTED, ROGAN_GLADEN = "raw", "prediction-powered", "Rogan-Gladen"
SIDE_BY_SIDE = "prediction-powered, by another basis"
ASSUMES = "assumes equal sensitivity and specificity for all models"
UNSAID = (
    "how the labelled candidates were chosen is not said, so nothing is corrected: expected --probability, or --design "
    "random for a simple random part, or --design stratified with --stratum."
)
ITEM_BY_ITEM, OF_SCORES = "item by item", "of the two corrected scores"
"""How two models are compared, said beside each difference."""
MOST_SIDE_BY_SIDE = 200_000
"""In pools with more candidates than this, scores are corrected by the main basis only."""
_WEIGHTED = ", or --probability with the chance of each to be adjudicated"


def panel(material: Material, plan: Plan) -> Panel:
    """The leaderboard, raw and corrected, with rank sets and the differences between every two models.

    Parameters
    ----------
    material : Material
    plan : Plan

    Returns
    -------
    Panel
    """
    if material.compared is not None:
        return of_pairs.win_rates(KEY, material, material.compared, plan)
    excluded = all_excluded(material, plan)
    if not material.scale.scored:
        reason = excluded or "Verdicts are categories without an order: name what counts as correct with --positive."
        return Panel(KEY, ("A score is not defined on this scale.",), refused=(reason,))
    basis = main_basis(material, plan)
    rows: list[Row] = []
    refused: dict[str, list[str]] = {}
    sentences: list[str] = []
    if material.frame is not None:
        inside = int(material.frame.among.sum())
        sentences.append(
            f"Scores, ranks and differences of models are of the {inside:,} of {material.n:,} candidates from which "
            f"the humans' part was drawn ({material.frame.in_words})."
        )
    for judge in material.judges:
        everything = pool_of(material, judge, basis, plan)
        pool = everything.in_frame()
        of_judge, words = _leaderboard(pool, judge, basis)
        words = [excluded] if excluded else words
        of_judge += _ranks(pool, judge)
        of_judge += _between_models(pool, judge)
        of_conditions, more, not_compared = between_conditions(
            everything, judge, basis, corrects=not _unusable(pool, judge, basis)
        )
        of_judge += of_conditions
        words += not_compared
        rows += of_judge
        for why in words:
            refused.setdefault(why, []).append(judge)
        sentences += [_sentence(judge, of_judge, pool, plan), *more]
    is_corrected = any(row.statistic == CORRECTED for row in rows)
    cautions = undecided_caution(material, basis, plan) if is_corrected else []
    return Panel(KEY, tuple(sentences), tuple(rows), (*said_of_judges(refused), *cautions))


def _leaderboard(pool: Pool, judge: str, basis: Basis) -> tuple[list[Row], list[str]]:
    rows: list[Row] = []
    for model in pool.models:
        rows.append(Row(RAW, (model, judge), pool.raw(model)))
        rows += _bounds(pool, model, judge)
    refused = _unusable(pool, judge, basis)
    corrected: dict[str, Estimate] = {}
    if not refused:
        withheld = _withheld(pool)
        known = [model for model in pool.models if model not in withheld]
        of_few = why_withheld(pool.plan.fewest_shown)
        refused += [f"The corrected score of {model} is {of_few}." for model in sorted(withheld)]
        in_part = [model for model in known if pool.labelled_of(model) and not pool.corrects(model)]
        if in_part:
            refused.append(f"Of {listed(in_part)}, {UNSAID}")
        for model in known:
            if not pool.labelled_of(model):
                refused.append(f"{model} has no human labels, and so no corrected score.")
            elif pool.corrects(model):
                corrected[model] = pool.corrected(model)
                rows.append(Row(CORRECTED, (model, judge), corrected[model], basis=basis.in_words))
        rows += _by_other_bases(pool, judge, basis, list(corrected))
        rows += _differences(pool, judge, corrected, basis)
        excluded = sum(pool.excluded_of(model) for model in known if pool.is_whole(model))
        if basis.left_out > excluded:
            refused.append(
                f"{basis.left_out - excluded} of the labelled have no {basis.name} and count as unlabelled, as humans "
                "differ, excluded them or gave no verdict: the judge's verdicts stand in for them; --basis with the "
                "name of a human leaves out only those without a verdict by that human."
            )
    by_rates, why = _rogan_gladen(pool, judge, basis)
    return rows + by_rates, refused + why


def _withheld(pool: Pool) -> set[str]:
    """The models whose corrected score would disclose what was said of a few sealed candidates."""
    if pool.plan.fewest_shown <= 1:
        return set()
    numbers = {model: pool.counted(among) for model, among in pool.models.items()}
    rest = ~np.any(list(pool.models.values()), axis=0)
    return too_few({**numbers, "": pool.counted(rest)}, pool.plan.fewest_shown, hidden=[""]) - {""}


def _without(pool: Pool, withheld: set[str]) -> Pool:
    """The pool without the candidates of some models."""
    if not withheld:
        return pool
    among = ~np.any([pool.models[model] for model in withheld], axis=0)
    return pool.part(pool.material.part(among), among)


def _by_other_bases(pool: Pool, judge: str, usual: Basis, models: list[str]) -> Iterator[Row]:
    """The corrected scores by every other basis, to show how much they depend on it; not computed for large pools.

    Nor where figures on few sealed candidates are withheld: two bases differ in few candidates, and the figures by both
    would reveal what was said of these.
    """
    if pool.material.n > MOST_SIDE_BY_SIDE or pool.plan.fewest_shown > 1:
        return
    for basis in bases(pool.material):
        if basis.name == usual.name or not basis.n or _differed(pool, judge, basis):
            continue
        other = pool_of(pool.material, judge, basis, pool.plan)
        for model in models:
            if other.corrects(model):
                yield Row(SIDE_BY_SIDE, (model, judge), other.corrected(model), f"by {basis.name}", basis.in_words)


def _bounds(pool: Pool, model: str, judge: str) -> Iterator[Row]:
    """Bounds of the raw share: if every candidate without a verdict were wrong, and if it were right."""
    among = pool.models[model]
    judged = pool.judge[among]
    lost = int(np.isnan(judged).sum())
    if not lost or not pool.material.scale.shares:
        return
    counts = pool.material.judges[judge].part(among).counts()
    method = "of all candidates: " + ", ".join(f"{count} {words}" for words, count in counts.items())
    right = float(np.nansum(judged))
    for name, value in (("worst case", right), ("best case", right + lost)):
        bound = undefined(
            f"raw, {name}", judged.size, UNIT, method, "a bound has no interval", value=value / judged.size
        )
        yield Row(f"raw, {name}", (model, judge), bound)


def _differed(pool: Pool, judge: str, basis: Basis) -> str | None:
    """Why adjudicated verdicts correct nothing; None if they are weighted by the chance of being adjudicated."""
    is_weighted = pool.plan.design in ("probability", "stratified")
    return only_what_differed(pool.material, judge, basis, is_weighted=is_weighted)


def _unusable(pool: Pool, judge: str, basis: Basis) -> list[str]:
    """The reasons why no score can be corrected; empty if those of the models that `Pool.corrects` can be."""
    plan, material = pool.plan, pool.material
    # Whether a model of a few sealed candidates is whole would tell whether people decided on them.
    if plan.design == "unknown" and not any(map(pool.is_whole, pool.models.keys() - _withheld(pool))):
        return [UNSAID]
    differed = _differed(pool, judge, basis)
    if differed is not None:
        drawn = "" if how_adjudicated(pool.material, judge).how_far == "only" else _WEIGHTED
        expected = f"expected another --basis, or adjudicated verdicts of all labelled{drawn}."
        return [f"{differed} Nothing is corrected: {expected}"]
    if plan.design == "stratified" and material.strata is None:
        return ["the design is stratified without strata: expected --stratum with their column."]
    if plan.design == "probability":
        labelled = ~np.isnan(pool.human)
        if material.probability is None:
            return ["the design has probabilities that are not given: expected --probability with their column."]
        missing = int(np.isnan(material.probability[labelled]).sum())
        if missing:
            return [f"{missing} labelled candidates have no probability: expected one above 0 and at most 1 for each."]
    return []


def _rogan_gladen(pool: Pool, judge: str, basis: Basis) -> tuple[list[Row], list[str]]:
    """Scores corrected by the judge's rates, unless these are known to differ or the labels do not estimate them."""
    if not pool.material.scale.shares or pool.plan.design == "unknown" or _differed(pool, judge, basis):
        return [], []
    if not basis.has_levels:
        return [], [f"Rogan-Gladen is not computed: {basis.name} is a score between right and wrong, and has no rates."]
    if not pool.drawn_alike:
        return [], [
            "Rogan-Gladen is not computed: the labelled were drawn with unequal probabilities, which its rates ignore."
        ]
    withheld = _withheld(pool)
    verdict = rates_by_model(_without(pool, withheld))
    if verdict.p is not None and verdict.p <= 1.0 - pool.plan.confidence:
        why = f"{p_in_words(verdict.p)}; {verdict.name}"
        beside = _beside_uniformity(pool, judge, basis)
        return [], [f"Rogan-Gladen is not computed: it {ASSUMES}, which is rejected ({why}){beside}."]
    tested = "not rejected" if verdict.p is not None else f"not testable: {verdict.undefined_because}"
    sentence = f"{ASSUMES} ({tested}); of the answers without a label"
    rows, refused = [], []
    for model in [model for model in pool.models if model not in withheld]:
        estimate = corrected_by_rates(pool, model)
        if 0 < estimate.n < pool.plan.fewest_shown:
            # With the judge's verdicts on what people left undecided, such a score says which candidates these are.
            refused.append(f"The {ROGAN_GLADEN} score of {model} is {why_withheld(pool.plan.fewest_shown)}.")
            continue
        rows.append(Row(ROGAN_GLADEN, (model, judge), estimate, basis=basis.in_words, sentence=sentence))
    return rows, refused


def _beside_uniformity(pool: Pool, judge: str, basis: Basis) -> str:
    """Why unequal rates do not contradict panel 3, in a clause; empty if it also says that the judge errs differently.

    Of sealed subjects nothing is added: panel 3 is of others.
    """
    if pool.plan.fewest_shown > 1:
        return ""
    result = uniformity.of_factors(pool.material, judge, basis, pool.plan).get("model")
    if result is None or result.finding == uniformity.DIFFERENTLY:
        return ""
    return (
        f"; panel 3, {uniformity.FINDINGS[result.finding]} model, is of the signed difference, in which errors of both "
        "kinds cancel"
    )


def _differences(pool: Pool, judge: str, corrected: dict[str, Estimate], basis: Basis) -> Iterator[Row]:
    if len(corrected) > MOST_MODELS:
        return
    for first, second in combinations(corrected, 2):
        estimate = pool.difference(first, second, corrected)
        how = ITEM_BY_ITEM if pool.pairs(first, second) else OF_SCORES
        yield Row("corrected difference", (first, second), estimate, f"by {judge}", basis.in_words, how)


def _ranks(pool: Pool, judge: str) -> Iterator[Row]:
    """Ranks by the judge's verdicts on the items that all models answered; of several answers the mean counts."""
    models = pool.models
    if pool.material.posed is None or len(models) < 2:
        return
    scores, clusters = pool.judge_by_item(list(models))
    if len(scores) < 2:
        return
    sets = rank_sets(
        scores, clusters=in_random_groups(clusters), resamples=pool.plan.resamples, seed=pool.plan.seed,
        confidence=pool.plan.confidence,
    )  # fmt: skip
    for model, ranks in zip(models, sets.ranks, strict=True):
        # a rank is a set whose ends may be equal: it then has no width to print as an interval
        reason = sets.undefined_because or "the judge's own rank, as if it erred alike on all models"
        whole = undefined(f"ranks {ranks.best} to {ranks.worst}", sets.n, "item", sets.method, reason, value=ranks.mean)
        yield Row("rank set", (model, judge), whole, sentence=f"rank {ranks.best} to {ranks.worst} of {len(models)}")


def _between_models(pool: Pool, judge: str) -> Iterator[Row]:
    """McNemar's test on every two models, on all shared items and, Bonferroni-adjusted, in each part."""
    for pair, part, estimate in mcnemar_of_every_two(pool):
        yield Row("McNemar", pair, estimate, f"by {judge}{part}", sentence=discordant_in_words(estimate))


def _sentence(judge: str, rows: list[Row], pool: Pool, plan: Plan) -> str:
    corrected = sorted((row for row in rows if row.statistic == CORRECTED), key=lambda row: -row.estimate.value)
    raw = sorted((row for row in rows if row.statistic == RAW), key=lambda row: -row.estimate.value)
    if not corrected:
        scored = [f"{row.parties[0]} {on_how_many(row.estimate)}" for row in raw if row.estimate.n]
        unscored = listed([row.parties[0] for row in raw if not row.estimate.n])
        if not scored:
            return f"{judge} has no verdict on any answer, so that there is no score."
        text = f"By {judge} alone, uncorrected: {listed(scored, 4)}; what is true behind these scores cannot be said."
        silent = f" It has no verdict on any answer of {unscored}, so that there is no score of that."
        return f"{text}{silent if unscored else ''}"
    scores = listed([f"{row.parties[0]} {on_how_many(row.estimate)}" for row in corrected], 6)
    without = [row.parties[0] for row in raw if row.parties[0] not in {other.parties[0] for other in corrected}]
    if plan.design == "unknown" or (not without and all(map(pool.is_whole, pool.models))):
        alone = listed([f"{row.parties[0]} {on_how_many(row.estimate)}" for row in raw if row.estimate.n], 6)
        which = f" of {listed([row.parties[0] for row in corrected])}" if without else ""
        text = f"Every candidate{which} is labelled, so that scores are the humans' own: {scores}"
        text += f"; by {judge} alone: {alone}" if alone else ""
    else:
        text = f"By {judge}, corrected by the humans' verdicts on {DESIGNS[plan.design]}: {scores}"
    if without:
        text += f"; {listed(without)} cannot be corrected without labels of their own"
        if plan.design == "unknown":
            text += ", on all candidates or on a part of which it is said how it was drawn"
    return f"{text}."

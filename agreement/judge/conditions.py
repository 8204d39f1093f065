"""Two conditions of a model, such as primed and unprimed: their difference on the items answered under both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from agreement.comparisons import paired_difference
from agreement.judge.bases import Basis
from agreement.judge.every_two import discordant_in_words, mcnemar_of_every_two
from agreement.judge.factors import Chosen, Factor, in_random_groups, matched
from agreement.judge.pool import Pool
from agreement.judge.rows import Row
from agreement.judge.withheld import too_few
from agreement.judge.wording import in_points, listed

RAW_BETWEEN = "difference of conditions, raw"
CORRECTED_BETWEEN = "difference of conditions, corrected"
MCNEMAR_BETWEEN = "McNemar of conditions"
MOST_PAIRS = 500
"""With more pairs of levels, over all models, than this, no two are compared."""
_SAID = 4


def between_conditions(
    pool: Pool, judge: str, basis: Basis, *, corrects: bool
) -> tuple[list[Row], list[str], list[str]]:
    """Every two conditions of each model, on the items that it answered under both and that are otherwise alike.

    The raw difference is the mean difference of the judge's verdicts item by item; the corrected one is that of
    `Pool.difference`. Of several answers to an item under one condition the mean counts. McNemar tests are as between
    models, for all items and for each part.

    Parameters
    ----------
    pool : Pool
    judge : str
    basis : Basis
    corrects : bool
        Whether labels can correct, if all of a model are labelled or the sampling design is known.

    Returns
    -------
    rows : list of Row
        Each is for one model and the judge; the stratum names the condition and its two levels.
    sentences : list of str
        The rows in words; none if there are no conditions.
    refused : list of str
        What was not compared, and why.
    """
    rows: list[Row] = []
    said: list[str] = []
    refused: list[str] = []
    # Numbers of labels are said of the levels.
    levels = [under for factor in pool.material.conditions.values() for _, under in factor.levels()]
    shown = {model: [of_model & under for under in levels] for model, of_model in pool.models.items()}
    for condition, factor in pool.material.conditions.items():
        pairs = list(combinations([level for level, _ in factor.levels()], 2))
        if len(pairs) * len(pool.models) > MOST_PAIRS:
            refused.append(
                f"{condition} has {len(pairs):,} pairs of levels in {len(pool.models)} models: no two are compared."
            )
            continue
        for model in pool.models:
            for pair in pairs:
                answered = _answered_under_both(pool, model, condition, pair)
                if not answered:
                    continue
                both = _as_two_models(pool, answered, condition, pair)
                discloses = _discloses(both.in_frame(), pool, model) or _tells_apart(pool, answered, shown[model])
                shown[model] += [] if discloses else answered
                of_pair = list(_of_pair(both, (model, judge), condition, pair, basis, corrects and not discloses))
                rows += of_pair
                said.append(_in_words(of_pair, model, pair, pool.material.scale.shares))
    if not said:
        return rows, [], refused
    names = " and ".join(pool.material.conditions)
    sentence = f"By {judge}, between two of {names}, on the items answered under both: {listed(said, _SAID)}."
    return rows, [sentence], refused


def _answered_under_both(pool: Pool, model: str, condition: str, pair: tuple[str, str]) -> list[Chosen]:
    """A model's answers under either of two levels of a condition, to items with both; empty if there are none."""
    items = pool.material.posed_but_for(condition)
    if items is None:
        return []
    levels = dict(pool.material.conditions[condition].levels())
    answers = [pool.models[model] & levels[level] for level in pair]
    shared, _ = matched(items, answers)
    return [under & np.isin(items, shared) for under in answers] if shared.size else []


def _as_two_models(pool: Pool, answered: list[Chosen], condition: str, pair: tuple[str, str]) -> Pool:
    """A model's answers under two levels of a condition, treated as those of two models."""
    material = pool.material
    items = material.posed_but_for(condition)
    assert items is not None
    rows = [np.flatnonzero(under) for under in answered]
    where = np.concatenate([own[np.argsort(items[own], kind="stable")] for own in rows])
    part = replace(
        material.part(where),
        models=Factor(np.repeat([0, 1], [own.size for own in rows]), pair),
        factors={name: own.part(where) for name, own in material.factors.items() if name != condition},
        items=np.unique(items[where], return_inverse=True)[1],
        conditions={},
    )
    return pool.part(part, where)


def _tells_apart(pool: Pool, answered: list[Chosen], shown: list[Chosen]) -> bool:
    """Whether figures on these answers, beside those on answers that are alike but for a few, would tell these."""
    if pool.plan.fewest_shown <= 1:
        return False
    apart = [own ^ other for own in answered for other in shown if not np.array_equal(own, other)]
    return any(0 < n < pool.plan.fewest_shown for few in apart for n in pool.counted(few))


def _discloses(drawn: Pool, pool: Pool, model: str) -> bool:
    """Whether a corrected difference, beside the model's corrected score, would tell what was said of a few candidates.

    They may have one of the two conditions, or be those that are in the score and not in the difference.
    """
    if pool.plan.fewest_shown <= 1:
        return False
    whole = pool.in_frame()
    numbers = {level: drawn.counted(among) for level, among in drawn.models.items()}
    of_model = whole.counted(whole.models[model]) if model in whole.models else [0, 0, 0]
    numbers[""] = [every - sum(of) for every, *of in zip(of_model, *numbers.values(), strict=True)]
    return bool(too_few(numbers, pool.plan.fewest_shown))


def _of_pair(
    both: Pool, parties: tuple[str, str], condition: str, pair: tuple[str, str], basis: Basis, corrects: bool
) -> Iterator[Row]:
    first, second = pair
    stratum = f"{condition} {first} minus {second}"
    of_items, clusters = both.judge_by_item([first, second])
    raw = paired_difference(
        *of_items.T, name="raw difference", **both.plan.bootstrap, clusters=in_random_groups(clusters)
    )
    yield Row(RAW_BETWEEN, parties, raw, stratum)
    drawn = both.in_frame()
    labelled = [drawn.labelled_of(level) if level in drawn.models else 0 for level in pair]
    if corrects and min(labelled) and all(map(drawn.corrects, pair)):
        scores = {level: drawn.corrected(level) for level in pair}
        estimate = drawn.difference(first, second, scores)
        known = f"{basis.name}, {labelled[0]} and {labelled[1]} labelled"
        yield Row(CORRECTED_BETWEEN, parties, estimate, stratum, known)
    for _, part, estimate in mcnemar_of_every_two(both):
        said = discordant_in_words(estimate)
        yield Row(MCNEMAR_BETWEEN, parties, estimate, f"{stratum}{part}", sentence=said)


def _in_words(rows: list[Row], model: str, pair: tuple[str, str], shares: bool) -> str:
    of = {row.statistic: row.estimate for row in rows}
    text = f"{model} {pair[0]} minus {pair[1]} {in_points(of[RAW_BETWEEN], shares)} raw"
    if CORRECTED_BETWEEN in of:
        return f"{text}, {in_points(of[CORRECTED_BETWEEN], shares)} corrected"
    return f"{text}, uncorrected"
